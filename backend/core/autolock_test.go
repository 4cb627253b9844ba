package core_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// startsGated starts an import that stops at its gate. The plan reads the export
// too, and must not stop there.
func (k *kit) startsGated(g gated, path string) {
	k.t.Helper()
	k.cfg.Importers[0] = parrot{}
	plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	k.cfg.Importers[0] = g
	ok(k.StartImport(ctx, plan.ID))
	<-g.reached
}

func (k *kit) unlocked() bool { return ok(k.VaultState(ctx)).Unlocked }

func (k *kit) unlock() {
	k.t.Helper()
	if err := k.Unlock(ctx, passphrase); err != nil {
		k.t.Fatal(err)
	}
}

// idle lets time pass in small steps, as the clock does for somebody who is away.
func (k *kit) idle(d time.Duration) {
	for left := d; left > 0; left -= time.Minute {
		k.later(min(left, time.Minute))
		core.LookAtClock(k.Service)
	}
}

func TestAVaultLocksWhenNobodyIsThere(t *testing.T) {
	k := fresh(t)
	core.WatchOnce(k.Service)
	k.idle(9 * time.Minute)
	if !k.unlocked() {
		t.Fatal("locked after nine minutes")
	}
	k.Present()
	k.idle(9 * time.Minute)
	if !k.unlocked() {
		t.Fatal("locked although somebody was there nine minutes ago")
	}
	k.Called()
	k.idle(9 * time.Minute)
	k.later(time.Minute)
	core.LookAtClock(k.Service)
	if st := ok(k.VaultState(ctx)); st.Unlocked || st.LockedBy != core.LockedIdle {
		t.Fatalf("after ten minutes: %+v", st)
	}
	k.unlock()
	if st := ok(k.VaultState(ctx)); st.LockedBy != "" {
		t.Errorf("still said to be locked by %q", st.LockedBy)
	}
	k.idle(time.Minute)
	if !k.unlocked() {
		t.Error("an unlock is no sign of somebody")
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if st := ok(k.VaultState(ctx)); st.LockedBy != "" {
		t.Errorf("a lock by hand is said to be by %q", st.LockedBy)
	}
}

func TestTheTimeToLockIsAChoice(t *testing.T) {
	k := fresh(t)
	core.WatchOnce(k.Service)
	p := ok(k.Preferences(ctx))
	if p.AutoLockMinutes != 10 {
		t.Fatalf("the default is %d minutes", p.AutoLockMinutes)
	}
	p.AutoLockMinutes = 0
	if err := k.SavePreferences(ctx, p); err != nil {
		t.Fatal(err)
	}
	k.idle(5 * time.Hour)
	if !k.unlocked() {
		t.Fatal("locked although the choice is never")
	}
	p.AutoLockMinutes = 1
	if err := k.SavePreferences(ctx, p); err != nil {
		t.Fatal(err)
	}
	k.idle(time.Minute)
	if k.unlocked() {
		t.Error("not locked after the minute that was chosen")
	}
	p.AutoLockMinutes = 7
	wantFault(t, k.SavePreferences(ctx, p), fault.Invalid, "unknown-auto-lock")
	if err := os.WriteFile(k.cfg.SettingsFile, []byte(`{"auto_lock_minutes": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := ok(k.Preferences(ctx)); p.AutoLockMinutes != 10 {
		t.Errorf("a file that says 7 means %d", p.AutoLockMinutes)
	}
}

func TestAJumpOfTheClockIsASleep(t *testing.T) {
	k := fresh(t)
	core.WatchOnce(k.Service)
	p := ok(k.Preferences(ctx))
	p.AutoLockMinutes = 60
	if err := k.SavePreferences(ctx, p); err != nil {
		t.Fatal(err)
	}
	k.later(2 * time.Minute)
	core.LookAtClock(k.Service)
	if !k.unlocked() {
		t.Fatal("two minutes are no sleep")
	}
	k.later(2*time.Minute + time.Second)
	core.LookAtClock(k.Service)
	if st := ok(k.VaultState(ctx)); st.Unlocked || st.LockedBy != core.LockedSleep {
		t.Errorf("after a jump: %+v", st)
	}
}

func TestASampleIsNotLockedByItself(t *testing.T) {
	k := provider(t)
	core.WatchOnce(k.Service)
	if err := k.TrySample(ctx); err != nil {
		t.Fatal(err)
	}
	k.idle(time.Hour)
	if st := ok(k.VaultState(ctx)); !st.Unlocked || !st.Sample {
		t.Error("the sample is gone")
	}
}

// TestAutoLockWaitsForAnImport has the vault wait, be told so, be called back
// by a sign of the person, and be locked once the import has ended.
func TestAutoLockWaitsForAnImport(t *testing.T) {
	k, g := gatedKit(t, 2500)
	core.WatchOnce(k.Service)
	done, _ := k.listen()
	said := make(chan core.LockReason, 8)
	k.Subscribe(func(e core.Event) {
		if l, ok := e.Payload.(core.Locking); ok {
			said <- l.Reason
		}
	})
	k.startsGated(g, k.write("a.zip", manyBook(3000)))
	k.Present()
	k.idle(12 * time.Minute)
	if !k.unlocked() {
		t.Fatal("locked in the middle of an import")
	}
	k.Present()
	if a, b := <-said, <-said; a != core.LockedIdle || b != "" || len(said) != 0 {
		t.Errorf("said %q, then %q, and %d more", a, b, len(said))
	}
	k.AutoLock(core.LockedSession)
	if reason := <-said; reason != core.LockedSession || !k.unlocked() {
		t.Errorf("a locked screen: said %q", reason)
	}
	close(g.goOn)
	if d := <-done; d.Fault != nil {
		t.Fatal(d.Fault)
	}
	k.Called()                    // the page asks for the report by itself
	for core.JobRuns(k.Service) { // the event comes a moment before
		time.Sleep(time.Millisecond) // the job tells nobody when it has left
	}
	k.idle(time.Minute)
	if st := ok(k.VaultState(ctx)); st.Unlocked || st.LockedBy != core.LockedSession {
		t.Errorf("after the import: %+v", st)
	}
}

// TestSleepStopsAnImportWhole has an import stopped by a sleep and gone on with
// after the unlock, with nothing lost.
func TestSleepStopsAnImportWhole(t *testing.T) {
	k, g := gatedKit(t, 2500)
	done, _ := k.listen()
	k.startsGated(g, k.write("a.zip", manyBook(3000)))
	k.AutoLock(core.LockedSleep)
	if k.unlocked() {
		t.Fatal("not locked")
	}
	k.unlock()
	if d := <-done; d.Fault != nil {
		t.Fatal(d.Fault)
	}
	if st := ok(k.VaultState(ctx)); st.Conversations != 3000 {
		t.Errorf("%d conversations", st.Conversations)
	}
}

func TestDraftsOutliveALock(t *testing.T) {
	k := fresh(t)
	id := k.add("User likes tea").ID
	keep := func(d core.Draft) {
		t.Helper()
		if err := k.KeepDraft(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	keep(core.Draft{MemoryID: id, Content: "User likes"})
	k.later(time.Minute)
	keep(core.Draft{Content: "A new one", Type: "custom", CustomType: "whim", Tags: []string{"a", "b"}})
	k.later(time.Minute)
	keep(core.Draft{MemoryID: id, Content: "User likes green tea"})
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Drafts(ctx); fault.CodeOf(err) != fault.Locked {
		t.Errorf("drafts of a locked vault: %v", err)
	}
	k.unlock()
	all := ok(k.Drafts(ctx))
	if len(all) != 2 || all[0].Content != "User likes green tea" || all[1].CustomType != "whim" || len(all[1].Tags) != 2 {
		t.Fatalf("after the unlock: %+v", all)
	}
	if err := k.DropDraft(ctx, id); err != nil {
		t.Fatal(err)
	}
	again := ok(core.New(k.cfg)) // a crash: nothing was locked in order
	if err := k.Service.Close(); err != nil {
		t.Fatal(err)
	}
	k.Service = again
	k.unlock()
	if all = ok(k.Drafts(ctx)); len(all) != 1 || all[0].MemoryID != "" {
		t.Errorf("after one was dropped: %+v", all)
	}
	keep(core.Draft{}) // nothing written is no draft
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	k.unlock()
	if all = ok(k.Drafts(ctx)); len(all) != 0 {
		t.Errorf("after all were dropped: %+v", all)
	}
}

func TestDraftsHaveLimits(t *testing.T) {
	k := fresh(t)
	wantFault(t, k.KeepDraft(ctx, core.Draft{Content: strings.Repeat("x", 2<<20)}), fault.TooLarge, "memory-too-long")
	for _, id := range strings.Split("abcdefghijkl", "") {
		if err := k.KeepDraft(ctx, core.Draft{MemoryID: id, Content: strings.Repeat(id, 200<<10)}); err != nil {
			t.Fatal(err)
		}
	}
	all := ok(k.Drafts(ctx))
	if size := len(ok(json.Marshal(all))); len(all) != 5 || all[0].MemoryID != "l" || size > 2<<20 {
		t.Errorf("%d drafts, %d bytes", len(all), size)
	}
}
