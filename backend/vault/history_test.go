package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// contents is everything a vault holds, by collection and id.
func contents(t testing.TB, v *vault.Vault) map[string]string {
	t.Helper()
	all := map[string]string{}
	view(t, v, func(tx *vault.Tx) error {
		for _, c := range []vault.Collection{vault.Memories, vault.Relations, vault.Settings} {
			for e, err := range tx.Each(c) {
				if err != nil {
					return err
				}
				all[fmt.Sprint(c, e.ID)] = string(e.Plain)
			}
		}
		return nil
	})
	return all
}

// lived makes a vault with a snapshot in the middle of its life and changes of
// every kind after it, closes it, and returns what it held.
func lived(t testing.TB, dir string) map[string]string {
	t.Helper()
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "early", 40)
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		put(t, v, vault.Memories, fmt.Sprint("late", i, "-"), 3)
	}
	update(t, v, func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "early3") })
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "early4", day, []byte("changed")) })
	update(t, v, func(tx *vault.Tx) error { return tx.Link(vault.Memories, "name", "early4") })
	held := contents(t, v)
	closeVault(t, v)
	return held
}

func recovered(t testing.TB, dir string) vault.Recovery {
	t.Helper()
	r, err := vault.Recover(context.Background(), dir, clock, false, vault.ByPassphrase(context.Background(), []byte(passphrase)))
	if err != nil {
		t.Fatalf("recover: %v", err)
	}
	return r
}

func damage(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(raw), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Promise: a data file that is gone, cut or overwritten costs nothing that was
// confirmed: the newest copy and the journal give all of it back, and the
// damaged file is kept.
func TestRecoverWholeFile(t *testing.T) {
	ways := map[string]func([]byte) []byte{
		"emptied":       func([]byte) []byte { return nil },
		"cut":           func(b []byte) []byte { return b[:len(b)/5] },
		"other bytes":   func(b []byte) []byte { return bytes.Repeat([]byte("photo"), len(b)/5) },
		"no meta pages": func(b []byte) []byte { clear(b[:8192]); return b },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			held := lived(t, dir)
			damage(t, filepath.Join(dir, "vault.db"), way)
			_, err := tryOpen(t, dir)
			if fault.CodeOf(err) != fault.Damaged {
				t.Fatalf("opening says %v", err)
			}
			r := recovered(t, dir)
			if r.Replayed != 15 || r.Lost != 0 || r.Kept == "" {
				t.Errorf("recovered %+v", r)
			}
			if _, err := os.Stat(filepath.Join(dir, r.Kept)); err != nil {
				t.Errorf("the damaged file: %v", err)
			}
			v := open(t, dir)
			if got := contents(t, v); !maps.Equal(got, held) {
				t.Errorf("%d records instead of %d, or others", len(got), len(held))
			}
		})
	}
	for name, gone := range map[string][]string{"gone": {"vault.db"}, "gone with the header": {"vault.db", "vault.head", "vault.head.bak"}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			held := lived(t, dir)
			for _, file := range gone {
				if err := os.Remove(filepath.Join(dir, file)); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
			wantFault(t, err, fault.Conflict, "vault-exists") // its copies are still there
			_, err = vault.Open(dir, clock)
			wantFault(t, err, fault.Damaged, "vault-data-missing")
			if r := recovered(t, dir); r.Lost != 0 || r.Kept != "" {
				t.Errorf("recovered %+v", r)
			}
			if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
				t.Errorf("%d records instead of %d", len(got), len(held))
			}
		})
	}
}

// Promise: a second recovery within the same second keeps the damaged file of
// the first; where there is no vault there is none to bring back, and nothing is
// written.
func TestRecoverTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	lived(t, dir)
	var kept [2]string
	for i := range kept {
		damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return []byte{byte(i)} })
		kept[i] = recovered(t, dir).Kept
	}
	for i, name := range kept {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(raw, []byte{byte(i)}) {
			t.Errorf("%s holds %v, %v", name, raw, err)
		}
	}
	empty := t.TempDir()
	for _, none := range []string{empty, filepath.Join(empty, "nothing")} {
		_, err := vault.Recover(t.Context(), none, clock, false, vault.ByPassphrase(t.Context(), []byte(passphrase)))
		wantFault(t, err, fault.NotFound, "no-vault")
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("it wrote %v, %v", left, err)
	}
}

// Promise: asking what a recovery would bring changes nothing.
func TestRecoverDry(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	lived(t, dir)
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:5000] })
	before := fingerprint(t, filepath.Join(dir, "snapshots")) + fingerprint(t, filepath.Join(dir, "vault.db"))
	r, err := vault.Recover(context.Background(), dir, clock, true, vault.ByPassphrase(context.Background(), []byte(passphrase)))
	if err != nil || r.Replayed != 15 || r.Kept != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if fingerprint(t, filepath.Join(dir, "snapshots"))+fingerprint(t, filepath.Join(dir, "vault.db")) != before {
		t.Error("it changed something")
	}
	_, err = vault.Recover(context.Background(), dir, clock, true, vault.ByPassphrase(context.Background(), []byte("something else")))
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
}

// Promise: an older data file, and one whose newest meta page is damaged, are
// brought up to date from the journal at the next unlock.
func TestJournalBringsUpToDate(t *testing.T) {
	t.Run("older file", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "vault")
		held := lived(t, dir)
		snapshots, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
		if err != nil || len(snapshots) == 0 {
			t.Fatal(snapshots, err)
		}
		older, err := os.ReadFile(snapshots[len(snapshots)-1])
		if err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return older })
		if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
			t.Errorf("%d records instead of %d", len(got), len(held))
		}
	})
	for page := range 2 {
		t.Run(fmt.Sprint("meta page ", page), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			held := lived(t, dir)
			damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { b[page*4096+60] ^= 1; return b })
			if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
				t.Errorf("%d records instead of %d", len(got), len(held))
			}
		})
	}
}

// Promise: of frames that do not follow one another a journal holds those up to
// the gap, and goes on there.
func TestJournalEndsAtAGap(t *testing.T) {
	for _, ahead := range []uint64{0, 2, 1 << 40} { // of the newest frame; 1 follows
		dir := filepath.Join(t.TempDir(), "vault")
		lived(t, dir)
		v := open(t, dir)
		vault.AppendFrame(t, v, v.State().Generation+ahead, nil)
		closeVault(t, v)
		v = open(t, dir)
		if v.SnapshotDue() {
			t.Errorf("%d ahead: the journal does not go on", ahead)
		}
		put(t, v, vault.Memories, "after", 1)
		held := contents(t, v)
		closeVault(t, v)
		damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return nil })
		if r := recovered(t, dir); r.Lost != 0 {
			t.Errorf("%d ahead: recovered %+v", ahead, r)
		}
		if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
			t.Errorf("%d ahead: %d records instead of %d", ahead, len(got), len(held))
		}
	}
}

// Promise: without the journal an older data file is not taken for the newest,
// and a recovery says what is lost.
func TestBehindWithoutJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	lived(t, dir)
	older, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(older[len(older)-1])
	if err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return raw })
	if err := os.RemoveAll(filepath.Join(dir, "journal")); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	_, err = tryOpen(t, dir)
	wantFault(t, err, fault.Damaged, "vault-behind")
	if !maps.Equal(before, filesOf(t, dir)) {
		t.Error("a file of the vault changed")
	}
	if r := recovered(t, dir); r.Lost != 15 || r.Replayed != 0 {
		t.Errorf("recovered %+v", r)
	}
	open(t, dir)
}

// Promise: a data file that is whole and only behind is gone on from where the
// vault's own copies would lose more, and where there are none.
func TestBehindIsGoneOnFrom(t *testing.T) {
	for name, copies := range map[string]bool{"with older copies": true, "without copies": false} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			lived(t, dir)
			before, err := os.ReadFile(filepath.Join(dir, "vault.db"))
			if err != nil {
				t.Fatal(err)
			}
			v := open(t, dir)
			put(t, v, vault.Memories, "late", 1)
			closeVault(t, v)
			damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return before })
			gone := []string{"journal"}
			if !copies {
				gone = append(gone, "snapshots")
			}
			for _, name := range gone {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			_, err = tryOpen(t, dir)
			wantFault(t, err, fault.Damaged, "vault-behind")
			if r := recovered(t, dir); r.Lost != 1 || r.Replayed != 0 || r.Kept == "" {
				t.Errorf("recovered %+v", r)
			}
			open(t, dir)
			if left, _ := filepath.Glob(filepath.Join(dir, ".tmp*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Promise: a copy that a check finds damaged is made anew as soon as one can be,
// also where nothing changed since, and does not stay.
func TestDamagedCopyIsMadeAnew(t *testing.T) {
	for name, changed := range map[string]bool{"of another generation": true, "of this generation": false} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "vault")
			v, _ := create(t, dir)
			put(t, v, vault.Memories, "m", 20)
			snapshot := func() {
				if err := v.Snapshot(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			snapshot()
			copies := func() (good, bad int) {
				r, err := v.Check(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return r.Copies, len(r.Damaged)
			}
			made, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
			if err != nil || len(made) != 1 {
				t.Fatal(made, err)
			}
			damage(t, made[0], func(raw []byte) []byte { return raw[:len(raw)/2] })
			if changed {
				put(t, v, vault.Memories, "later", 1)
			}
			if good, bad := copies(); good != 0 || bad != 1 || !v.SnapshotDue() {
				t.Fatalf("%d good, %d bad, due: %v", good, bad, v.SnapshotDue())
			}
			snapshot()
			if good, bad := copies(); good != 1 || bad != 0 || v.SnapshotDue() {
				t.Errorf("%d good, %d bad, due: %v", good, bad, v.SnapshotDue())
			}
		})
	}
}

// Promise: a data file of another history than was confirmed is never taken for
// one that is behind.
func TestAnotherHistoryIsNotGoneOnFrom(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "vault"), filepath.Join(t.TempDir(), "other")
	lived(t, dir)
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, other} {
		v := open(t, at)
		put(t, v, vault.Memories, filepath.Base(at), 1)
		closeVault(t, v)
	}
	raw, err := os.ReadFile(filepath.Join(other, "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return raw })
	for _, gone := range []string{"journal", "snapshots"} {
		if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = tryOpen(t, dir)
	wantFault(t, err, fault.Damaged, "vault-records-changed")
	_, err = vault.Recover(t.Context(), dir, clock, false, vault.ByPassphrase(t.Context(), []byte(passphrase)))
	wantFault(t, err, fault.Damaged, "vault-no-snapshot")
}

// Promise: damage in a journal, in vault.gen or in a snapshot costs nothing as
// long as the data file is whole, wherever in the file it is.
func TestDamageBesideTheData(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	held := lived(t, dir)
	var files []string
	for _, pattern := range []string{"vault.gen", "journal/*", "snapshots/*/*"} {
		more, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 4 {
		t.Fatalf("only %v", files)
	}
	tried := 0
	for _, path := range files {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		used := len(bytes.TrimRight(whole, "\x00"))
		for at := 0; at < used; at += 1 + used/23 {
			damage(t, path, func(b []byte) []byte { b[at] ^= 0x41; return b })
			v := open(t, dir)
			if got := contents(t, v); !maps.Equal(got, held) {
				t.Errorf("%s at %d: %d records instead of %d", filepath.Base(path), at, len(got), len(held))
			}
			closeVault(t, v)
			damage(t, path, func([]byte) []byte { return bytes.Clone(whole) })
			tried++
		}
	}
	t.Logf("%d damaged files beside the data, nothing lost", tried)
}

// Promise: a damaged snapshot is passed over for an older one that is whole.
func TestRecoverFromAnOlderSnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 30)
	closeVault(t, v)
	first, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:100] })
	damage(t, filepath.Join(first[0], "vault.db"), func(b []byte) []byte { clear(b[8192:]); return b })
	_, err = vault.Recover(context.Background(), dir, clock, false, vault.ByPassphrase(context.Background(), []byte(passphrase)))
	if fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("recovering says %v", err)
	}
}

// Promise: what a recovery put together is proved like any vault: a journal that
// does not lead to the state it tells of brings nothing back.
func TestRecoveryIsProved(t *testing.T) {
	for name, ops := range map[string]func(v *vault.Vault) []byte{
		"a frame without its state":    func(*vault.Vault) []byte { return nil },
		"a record that nothing counts": func(v *vault.Vault) []byte { return vault.StrayOps(t, v, vault.Memories, "early9") },
	} {
		dir := filepath.Join(t.TempDir(), "vault")
		lived(t, dir)
		v := open(t, dir)
		vault.AppendFrame(t, v, v.State().Generation+1, ops(v))
		closeVault(t, v)
		damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return nil })
		r, err := vault.Recover(context.Background(), dir, clock, false, byPassphrase())
		if fault.CodeOf(err) != fault.Damaged {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// Promise: after a change of the passphrase no older header recovers the vault
// with the old one, also where it stands in every place.
func TestOldHeaderDoesNotRecover(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	lived(t, dir)
	head, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	if err := v.ChangePassphrase(context.Background(), []byte(passphrase), []byte("another passphrase"), seal.TestKDF()); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	damage(t, filepath.Join(dir, "vault.db"), func([]byte) []byte { return nil })
	put := func(names ...string) {
		for _, name := range names {
			damage(t, name, func([]byte) []byte { return head })
		}
	}
	put(filepath.Join(dir, "vault.head"), filepath.Join(dir, "vault.head.bak"))
	_, err = vault.Recover(context.Background(), dir, clock, false, byPassphrase())
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase") // says the copy beside the snapshot
	beside, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.head"))
	if err != nil || len(beside) == 0 {
		t.Fatal(beside, err)
	}
	put(beside...)
	_, err = vault.Recover(context.Background(), dir, clock, false, byPassphrase())
	wantFault(t, err, fault.Damaged, "vault-header-old")
}

// Promise: after a change of the passphrase the vault comes back with the new one
// though data file and both header files are lost: the header beside the snapshot
// went along.
func TestRecoverAfterAChangeOfTheHeader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	held := lived(t, dir)
	v := open(t, dir)
	if err := v.ChangePassphrase(t.Context(), []byte(passphrase), []byte(second), seal.TestKDF()); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	for _, name := range []string{"vault.db", "vault.head", "vault.head.bak"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := vault.Inspect(dir); fault.CodeOf(err) != fault.Damaged {
		t.Errorf("inspect says %v", err)
	}
	_, err := vault.Recover(t.Context(), dir, clock, false, byPassphrase())
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	if r, err := vault.Recover(t.Context(), dir, clock, false, vault.ByPassphrase(t.Context(), []byte(second))); err != nil || r.Lost != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	wantFault(t, opensWith(t, dir, passphrase, nil), fault.WrongPassphrase, "wrong-passphrase")
	err = opensWith(t, dir, second, func(v *vault.Vault) {
		if got := contents(t, v); !maps.Equal(got, held) {
			t.Errorf("%d records instead of %d", len(got), len(held))
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// Promise: a large transaction is not journalled, makes a snapshot due, and is
// as safe as any other once that is there.
func TestLargeTransactionsEndWithASnapshot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	if v.SnapshotDue() {
		t.Error("a new vault needs a snapshot")
	}
	large := bytes.Repeat([]byte("large "), 400_000)
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "large", day, large) })
	put(t, v, vault.Memories, "after", 2)
	if !v.SnapshotDue() {
		t.Error("no snapshot is due")
	}
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	if v.SnapshotDue() {
		t.Error("a snapshot is still due")
	}
	put(t, v, vault.Memories, "later", 2)
	held := contents(t, v)
	closeVault(t, v)
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:7000] })
	if r := recovered(t, dir); r.Replayed != 1 || r.Lost != 0 {
		t.Errorf("recovered %+v", r)
	}
	if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
		t.Errorf("%d records instead of %d", len(got), len(held))
	}
}

// Promise: a transaction that goes to the data file at once keeps what the journal has,
// takes in none that failed, and makes a snapshot due however little it writes.
func TestDirectTransactions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "journalled", 2)
	before := len(contents(t, v))
	failed := errors.New("failed")
	if err := v.Update(func(tx *vault.Tx) error {
		return errors.Join(tx.Direct(), tx.Put(vault.Memories, "failed", day, []byte("x")), failed)
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if v.SnapshotDue() {
		t.Error("a snapshot is due after a transaction that failed")
	}
	for _, id := range []string{"direct", "again"} {
		update(t, v, func(tx *vault.Tx) error {
			return errors.Join(tx.Direct(), tx.Put(vault.Memories, id, day, []byte("x")))
		})
	}
	if !v.SnapshotDue() {
		t.Error("no snapshot is due")
	}
	held := contents(t, v)
	closeVault(t, v)
	if got := contents(t, open(t, dir)); len(got) != before+2 || !maps.Equal(got, held) {
		t.Errorf("%d records instead of %d", len(got), before+2)
	}
}

// Promise: a damaged value does not get into a snapshot, and does not cost the
// last good one.
func TestSnapshotIsVerified(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	held := lived(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	value := vault.RawValue(t, v, vault.Memories, "early9")
	closeVault(t, v)
	bad := bytes.Clone(value)
	bad[len(bad)-20] ^= 1
	if bytes.Count(whole, value) == 0 {
		t.Fatal("the value is not in the file")
	}
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return bytes.ReplaceAll(b, value, bad) }) // also in free pages
	v = open(t, dir)                                                                                            // the text of a value is looked at when it is read
	put(t, v, vault.Memories, "more", 1)
	if err := v.Snapshot(context.Background()); fault.CodeOf(err) != fault.Damaged {
		t.Fatalf("the snapshot says %v", err)
	}
	closeVault(t, v)
	held[fmt.Sprint(vault.Memories, "more0")] = "text of more0"
	if r := recovered(t, dir); r.Replayed != 16 || r.Lost != 0 {
		t.Errorf("recovered %+v", r)
	}
	if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
		t.Errorf("%d records instead of %d", len(got), len(held))
	}
}

// Promise: a copy of another generation than its name says is no good copy,
// however whole it is: the journal does not go on from it. A check names it, a
// recovery goes by it.
func TestSnapshotOfAnotherGeneration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	lived(t, dir)
	newest := func() string {
		all, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
		if err != nil || len(all) == 0 {
			t.Fatal(all, err)
		}
		return all[len(all)-1]
	}
	older, err := os.ReadFile(newest())
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r, err := v.Check(context.Background(), nil); err != nil || len(r.Damaged) != 0 {
		t.Fatalf("before: %+v, %v", r, err)
	}
	damage(t, newest(), func([]byte) []byte { return older })
	r, err := v.Check(context.Background(), nil)
	want := filepath.Base(filepath.Dir(newest()))
	if err != nil || len(r.Damaged) != 1 || r.Damaged[0].What != vault.PartCopy || r.Damaged[0].Name != want {
		t.Errorf("the check found %+v, %v; want the copy %s", r, err, want)
	}
	closeVault(t, v)
	_, err = vault.Recover(context.Background(), dir, clock, true, byPassphrase())
	if fault.CodeOf(err) != fault.Damaged {
		t.Errorf("the recovery says %v", err)
	}
}

// Promise: compacting keeps every record and nothing of deleted ones.
func TestCompact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "stays", 50)
	update(t, v, func(tx *vault.Tx) error {
		return tx.Put(vault.Memories, "goes", day, bytes.Repeat([]byte("gone "), 300_000))
	})
	value := vault.RawValue(t, v, vault.Memories, "goes")
	update(t, v, func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "goes") })
	held := contents(t, v)
	done, err := v.Compact(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if done.After >= done.Before/2 {
		t.Errorf("%+v", done)
	}
	if got := contents(t, v); !maps.Equal(got, held) {
		t.Error("it holds something else")
	}
	put(t, v, vault.Memories, "new", 3)
	held = contents(t, v)
	closeVault(t, v)
	raw, err := os.ReadFile(filepath.Join(dir, "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at+64 < len(value); at += 4096 {
		if bytes.Contains(raw, value[at:at+64]) {
			t.Fatal("the old value is still in the file")
		}
	}
	if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
		t.Error("it holds something else after opening again")
	}
}

func removeJournal(t testing.TB, dir string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "journal")); err != nil {
		t.Fatal(err)
	}
}
