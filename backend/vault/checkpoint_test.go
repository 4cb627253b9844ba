package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"keepsake/backend/vault"
)

// Promise: a commit lasts as soon as it is confirmed, though the data file does not
// have it yet: the files as they lie at that moment give all of it.
func TestCommitsLastBeforeTheCheckpoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	checkpointed(t, v)
	before := fingerprint(t, filepath.Join(dir, "vault.db"))
	put(t, v, vault.Memories, "m", 3)
	update(t, v, func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "m1") })
	if fingerprint(t, filepath.Join(dir, "vault.db")) != before {
		t.Error("the data file was written to already") // which is what this test is about
	}
	lying := filepath.Join(t.TempDir(), "vault")
	if err := os.CopyFS(lying, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	held := contents(t, v)
	if got := contents(t, open(t, lying)); fmt.Sprint(got) != fmt.Sprint(held) || len(got) < 2 {
		t.Errorf("it holds %v instead of %v", got, held)
	}
}

// Promise: nothing lies over the data file for long, in every session, though nobody
// asks for a checkpoint.
func TestCheckpointsComeByThemselves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for session := range 3 {
		checkpointed(t, v)
		before := fingerprint(t, filepath.Join(dir, "vault.db"))
		put(t, v, vault.Memories, fmt.Sprint("m", session), 1)
		for begun := time.Now(); fingerprint(t, filepath.Join(dir, "vault.db")) == before; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("session %d: the data file is as it was", session)
			}
		}
		put(t, v, vault.Memories, fmt.Sprint("n", session), 1) // which is due when the vault is locked
		v.Lock()
		if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
			t.Fatal(err)
		}
	}
}

// Promise: who reads meanwhile sees each change whole or not at all, and never an
// older state after a newer one, also while checkpoints are made.
func TestViewsDuringCheckpoints(t *testing.T) {
	v := newVault(t)
	const changes = 300
	var work sync.WaitGroup
	stop := make(chan struct{})
	work.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := v.Checkpoint(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 2 {
		work.Go(func() {
			last := ""
			for {
				select {
				case <-stop:
					return
				default:
				}
				if last = seenAsOne(t, v, last); t.Failed() {
					return
				}
			}
		})
	}
	for n := range changes {
		update(t, v, func(tx *vault.Tx) error {
			text := fmt.Appendf(nil, "%06d", n)
			return errors.Join(tx.Put(vault.Memories, "one", day, text), tx.Put(vault.Relations, "other", day, text))
		})
	}
	close(stop)
	work.Wait()
}

// seenAsOne returns what both records say, which must be the same and not older.
func seenAsOne(t *testing.T, v *vault.Vault, last string) string {
	err := v.View(func(tx *vault.Tx) error {
		one, err := tx.Find(vault.Memories, "one")
		other, failed := tx.Find(vault.Relations, "other")
		if string(one) != string(other) || string(one) < last {
			t.Errorf("it sees %s and %s after %s", one, other, last)
		}
		last = string(one)
		return errors.Join(err, failed)
	})
	if err != nil {
		t.Error(err)
	}
	return last
}

// Promise: a transaction that grows beyond what the journal takes goes on in the
// data file: it is there whole, or after an error not at all, and what was
// confirmed before it is there in either case.
func TestATransactionOutgrowsTheJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "early", 3)
	errGiven := errors.New("given up")
	large := func(tx *vault.Tx, failed error) error {
		for i := range 40 {
			if err := tx.Put(vault.Memories, fmt.Sprint("large", i), day, make([]byte, 60_000)); err != nil {
				return err
			}
			if text, err := tx.Get(vault.Memories, fmt.Sprint("large", i/2)); err != nil || len(text) != 60_000 {
				t.Errorf("%d: it does not see what it wrote: %v", i, err)
			}
		}
		return errors.Join(tx.Delete(vault.Memories, "early1"), failed)
	}
	if err := v.Update(func(tx *vault.Tx) error { return large(tx, errGiven) }); !errors.Is(err, errGiven) {
		t.Fatal(err)
	}
	if n := v.State().Counts[vault.Memories]; n != 3 {
		t.Errorf("%d memories after what was given up", n)
	}
	update(t, v, func(tx *vault.Tx) error { return large(tx, nil) })
	put(t, v, vault.Memories, "late", 2) // without a journal, until there is a copy
	held := contents(t, v)
	closeVault(t, v)
	v = open(t, dir)
	if got := contents(t, v); fmt.Sprint(got) != fmt.Sprint(held) || v.State().Counts[vault.Memories] != 3+40-1+2 {
		t.Errorf("%d memories", v.State().Counts[vault.Memories])
	}
}

// Promise: a change that the journal refuses leaves nothing behind, no key either: what
// is sealed after it can be opened.
func TestARotationThatWasRefused(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 3)
	mend := vault.BreakJournal(t, v)
	if err := v.BeginRotation(); err == nil {
		t.Fatal("it began")
	}
	mend()
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	put(t, v, vault.Memories, "later", 3)
	held := contents(t, v) // by views, whose keys are derived anew
	v.Lock()
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, v); fmt.Sprint(got) != fmt.Sprint(held) || len(got) < 6 {
		t.Errorf("it holds %v instead of %v", got, held)
	}
}

// Promise: a header whose change is in the journal only is whole: after a stop nothing
// is said to have been repaired.
func TestAHeaderInTheJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	checkpointed(t, v)
	if err := v.NoteBackup(); err != nil {
		t.Fatal(err)
	}
	lying := filepath.Join(t.TempDir(), "vault")
	if err := os.CopyFS(lying, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	again := open(t, lying)
	if info := again.Info(); info.Repaired || info.BackupAt.IsZero() {
		t.Errorf("%+v", info)
	}
}
