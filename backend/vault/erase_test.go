package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// holders are the files of a folder that contain a part of a value.
func holders(t testing.TB, dir string, value []byte) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err == nil && bytes.Contains(raw, value[len(value)-48:]) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Promise: after Erase no file of the folder holds the ciphertext of what was
// deleted or replaced, while everything else is there and recovers as before.
func TestErase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 60)
	if err := v.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	put(t, v, vault.Memories, "later", 5) // the copy does not have these
	checkpointed(t, v)
	early, late := vault.RawValue(t, v, vault.Memories, "m7"), vault.RawValue(t, v, vault.Memories, "later2")
	if n := len(holders(t, dir, early)); n < 2 {
		t.Fatalf("the control: only %d files hold the early one", n)
	}
	if n := len(holders(t, dir, late)); n < 1 { // the journal seals it once more
		t.Fatalf("the control: only %d files hold the late one", n)
	}
	var gone vault.Traces
	update(t, v, func(tx *vault.Tx) error {
		tx.Trace()
		for _, id := range []string{"m7", "later2"} {
			if err := tx.Delete(vault.Memories, id); err != nil {
				return err
			}
		}
		gone = tx.Traces()
		return nil
	})
	if len(gone) != 2 {
		t.Fatalf("%d traces", len(gone))
	}
	if err := v.Snapshot(context.Background()); err != nil { // somebody was quicker; it has them in its free pages
		t.Fatal(err)
	}
	if err := v.Erase(context.Background(), gone); err != nil {
		t.Fatal(err)
	}
	for _, value := range [][]byte{early, late} {
		if left := holders(t, dir, value); len(left) > 0 {
			t.Errorf("still in %v", left)
		}
	}
	put(t, v, vault.Memories, "new", 1)
	held := contents(t, v)
	closeVault(t, v)
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:9000] })
	recovered(t, dir)
	if got := contents(t, open(t, dir)); !maps.Equal(got, held) {
		t.Errorf("%d records instead of %d", len(got), len(held))
	}
}

// Promise: whatever the folder is called, what a killed write or the killed removal
// of a snapshot left and data files that were put aside are found in it.
func TestFolderNamedLikeAPattern(t *testing.T) {
	for _, name := range []string{"memories [new]", "memories [", "[!a-z]"} {
		dir := filepath.Join(t.TempDir(), name)
		v, _ := create(t, dir)
		put(t, v, vault.Memories, "m", 5)
		closeVault(t, v)
		damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:9000] })
		aside := filepath.Join(dir, recovered(t, dir).Kept)
		half := filepath.Join(dir, "snapshots", "000000000000") // of which the data file is gone already
		if err := os.Mkdir(half, 0o700); err != nil {
			t.Fatal(err)
		}
		remains := []string{
			filepath.Join(half, "vault.head"), filepath.Join(dir, "blobs", ".tmp-blob-1"), filepath.Join(dir, "snapshots", "000000000001", ".tmp-vault.head-1"),
		}
		for _, left := range remains {
			if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		v = open(t, dir)
		for _, left := range append(remains, half) {
			if _, err := os.Stat(left); err == nil {
				t.Errorf("%s: %s is still there", name, left)
			}
		}
		if _, err := os.Stat(aside); err != nil {
			t.Errorf("%s: the damaged file is not kept: %v", name, err)
		}
		if err := v.Erase(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(aside); err == nil {
			t.Errorf("%s: the damaged file is still there", name)
		}
		closeVault(t, v)
	}
}

// Promise: Erase looks for what it was told of, and says where it still is.
func TestEraseLooks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 3)
	value := vault.RawValue(t, v, vault.Memories, "m1") // which nobody deleted
	err := v.Erase(context.Background(), vault.Traces{[16]byte(value[len(value)-16:])})
	wantFault(t, err, fault.Internal, "vault-not-erased")
}

// Promise: destroying a vault leaves nothing of it, and nothing else is touched.
func TestDestroy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 5)
	putBlob(t, v, []byte("attachment"))
	if _, err := v.Index(); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "thesis.odt")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.Destroy(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "thesis.odt" {
		t.Errorf("left: %v, %v", left, err)
	}
	wantFault(t, v.View(func(*vault.Tx) error { return nil }), fault.Internal, "vault-closed")
}

// Promise: the log follows what was written, entry by entry, survives restarts
// and names nothing; changing, dropping or adding an entry is noticed.
func TestAudit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for i := range 7 {
		update(t, v, func(tx *vault.Tx) error {
			return tx.Audit(vault.Audited{Actor: "you", Action: "store", Target: fmt.Sprint("memory-", i%2), Count: i})
		})
	}
	closeVault(t, v)
	v = open(t, dir)
	var entries []vault.AuditEntry
	var target string
	view(t, v, func(tx *vault.Tx) error {
		target = tx.AuditTarget("memory-1")
		for e, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
			entries = append(entries, e)
		}
		return nil
	})
	if len(entries) != 7 || entries[3].Count != 3 || entries[3].Target != target || entries[2].Target == target || entries[0].Before != "" || !entries[6].Time().Equal(day) {
		t.Fatalf("the log is %+v", entries)
	}
	update(t, v, func(tx *vault.Tx) error { return vault.ChangeAudit(tx, 4, func(e *vault.AuditEntry) { e.Count = 99 }) })
	err := v.View(func(tx *vault.Tx) error {
		for _, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
		}
		return nil
	})
	wantFault(t, err, fault.Damaged, "vault-audit-broken")
}

// Promise: unlocks that failed are counted until somebody writes them down.
func TestTries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	for range 3 {
		v, err := vault.Open(dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		wantFault(t, v.Unlock(context.Background(), []byte("something else")), fault.WrongPassphrase, "wrong-passphrase")
		closeVault(t, v)
	}
	v = open(t, dir)
	if tries := v.Tries(); len(tries) != 3 || !tries[0].Equal(day) {
		t.Errorf("tries: %v", tries)
	}
	if err := v.ForgetTries(); err != nil {
		t.Fatal(err)
	}
	if tries := v.Tries(); len(tries) != 0 {
		t.Errorf("tries: %v", tries)
	}
}

// Promise: Snapshots lists the newest snapshot first.
func TestNewestCopyComesFirst(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	copied := func(prefix string) []vault.SnapshotInfo {
		put(t, v, vault.Memories, prefix, 40)
		if err := v.Snapshot(context.Background()); err != nil {
			t.Fatal(err)
		}
		made, err := v.Snapshots()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	before := copied("a")[0]
	older, err := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
	if err != nil {
		t.Fatal(err)
	}
	at := before.MadeAt.Add(-30 * time.Hour) // a day apart, so that both stay
	for _, path := range older {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	made := copied("b")
	if len(made) < 2 || made[0].Generation <= before.Generation || made[0].MadeAt.Before(before.MadeAt) || !made[1].MadeAt.Before(before.MadeAt) {
		t.Errorf("%+v, after %+v", made, before)
	}
}

// Promise: a check reads everything, finds nothing in a whole vault, and names
// each part that is not as it was written.
func TestCheck(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 40)
	ref, _ := putBlob(t, v, bytes.Repeat([]byte("picture "), 300_000))
	value := vault.RawValue(t, v, vault.Memories, "m7")
	closeVault(t, v)
	v = open(t, dir)
	told := 0
	report, err := v.Check(context.Background(), func(done, total int) { told = total - done })
	if err != nil || len(report.Damaged) != 0 || report.Values < 40 || report.Blobs != 1 || report.Copies != 1 || told != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	closeVault(t, v)
	bad := bytes.Clone(value)
	bad[len(bad)-3] ^= 1
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return bytes.ReplaceAll(b, value, bad) })
	damage(t, filepath.Join(dir, "blobs", ref), func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	copies, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*", "vault.db"))
	damage(t, copies[0], func(b []byte) []byte { return b[:len(b)-4096] })
	_, err = tryOpen(t, dir) // the changed tag is noticed by the sum of all values
	wantFault(t, err, fault.Damaged, "vault-records-changed")
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return bytes.ReplaceAll(b, bad, value) })
	bad[len(bad)-3] ^= 1
	bad[len(bad)-30] ^= 1
	damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return bytes.ReplaceAll(b, value, bad) })
	v = open(t, dir)
	report, err = v.Check(context.Background(), nil)
	var parts []string
	for _, d := range report.Damaged {
		parts = append(parts, d.What)
	}
	if want := []string{vault.PartRecords, vault.PartAttachment, vault.PartCopy}; err != nil || !slices.Equal(parts, want) {
		t.Errorf("it found %v, %v", parts, err)
	}
}

// Promise: a frozen vault can be read and refuses every change, also after it is
// opened again, and says so while it is locked; the log goes on.
func TestFreeze(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 2)
	ref, _ := putBlob(t, v, []byte("picture"))
	if err := v.Freeze(); err != nil {
		t.Fatal(err)
	}
	held := contents(t, v)
	for range 2 {
		refused := map[string]error{
			"put":    v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "x", day, []byte("x")) }),
			"delete": v.Update(func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "m1") }),
			"link":   v.Update(func(tx *vault.Tx) error { return tx.Link(vault.Memories, "n", "m1") }),
			"row":    v.Update(func(tx *vault.Tx) error { _, err := tx.PutRow(vault.Memories, "m1", []byte("row")); return err }),
			"talk": v.Update(func(tx *vault.Tx) error {
				return putConversation(tx, vault.ConversationHead{}, conversation("c", 2, 9))
			}),
			"blob":   v.DeleteBlob(ref),
			"rotate": v.BeginRotation(),
			"re-key": v.Rekey(t.Context(), rekeyOptions()),
		}
		_, _, _, refused["attach"] = v.PutBlob(bytes.NewReader([]byte("y")))
		for what, err := range refused {
			if fault.From(err).Reason != "vault-frozen" {
				t.Errorf("%s: %v", what, err)
			}
		}
		update(t, v, func(tx *vault.Tx) error { return tx.Audit(vault.Audited{Actor: vault.You, Action: "unlock"}) })
		if got := contents(t, v); !maps.Equal(got, held) || v.Rotation().Running {
			t.Error("something changed")
		}
		closeVault(t, v)
		if info, err := vault.Inspect(dir); err != nil || !info.FrozenAt.Equal(day) {
			t.Errorf("while locked: %v, %v", info.FrozenAt, err)
		}
		v = open(t, dir)
	}
	if err := v.Thaw(); err != nil {
		t.Fatal(err)
	}
	put(t, v, vault.Memories, "after", 1)
	closeVault(t, v)
	if info, _ := vault.Inspect(dir); !info.FrozenAt.IsZero() {
		t.Error("still frozen")
	}
}

// Promise: a copy goes also while somebody lists its folder, which Windows does not
// remove meanwhile: the check after an unlock does, and a virus scanner.
func TestEraseWhileACopyIsListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	if err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	put(t, v, vault.Memories, "m", 1)
	listed, err := os.Open(made[0])
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { listed.Close() })
	if err := v.Erase(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(made[0]); err == nil {
		t.Error("the older copy is still there")
	}
}
