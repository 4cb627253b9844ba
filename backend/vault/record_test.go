package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// Promise: what is put comes back after the vault was closed and opened, in
// the order of arrival, with its time and revision.
func TestRecordsRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 2500) // several read-ahead batches
	put(t, v, vault.Relations, "m", 3)   // same ids, another collection
	closeVault(t, v)
	v = open(t, dir)
	view(t, v, func(tx *vault.Tx) error {
		n := 0
		for e, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			want := fmt.Sprint("m", n)
			if e.ID != want || string(e.Plain) != "text of "+want || e.Revision != 1 || !e.Created.Equal(day.Add(time.Duration(n)*time.Second)) {
				t.Fatalf("record %d is %+v %q", n, e, e.Plain)
			}
			n++
		}
		if n != 2500 || tx.Count(vault.Memories) != 2500 || tx.Count(vault.Relations) != 3 || tx.Count(vault.Keys) != 0 {
			t.Fatalf("%d yielded, counts %d, %d, %d", n, tx.Count(vault.Memories), tx.Count(vault.Relations), tx.Count(vault.Keys))
		}
		return nil
	})
	state := v.State()
	if state.Counts[vault.Memories] != 2500 || state.Generation != 3 || !state.LastChanged.Equal(day) {
		t.Fatalf("state %+v", state)
	}
}

// Promise: replacing keeps the place and the first time, and counts revisions.
func TestReplace(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 3)
	update(t, v, func(tx *vault.Tx) error {
		return tx.Put(vault.Memories, "m1", day.AddDate(1, 0, 0), []byte("changed"))
	})
	view(t, v, func(tx *vault.Tx) error {
		e, err := tx.Entry(vault.Memories, "m1")
		if err != nil {
			return err
		}
		if string(e.Plain) != "changed" || e.Revision != 2 || !e.Created.Equal(day.Add(time.Second)) {
			t.Errorf("it is %+v %q", e, e.Plain)
		}
		if got := ids(t, tx, vault.Memories); !slices.Equal(got, []string{"m0", "m1", "m2"}) {
			t.Errorf("the order is %v", got)
		}
		return nil
	})
}

func ids(t *testing.T, tx *vault.Tx, c vault.Collection) []string {
	t.Helper()
	var out []string
	for e, err := range tx.Each(c) {
		if err != nil {
			t.Fatalf("each: %v", err)
		}
		out = append(out, e.ID)
	}
	return out
}

func TestDelete(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 3)
	update(t, v, func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "m1") })
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m1", day, []byte("again")) })
	closeVault(t, v)
	v = open(t, dir)
	view(t, v, func(tx *vault.Tx) error {
		if got := ids(t, tx, vault.Memories); !slices.Equal(got, []string{"m0", "m2", "m1"}) {
			t.Errorf("the order is %v", got)
		}
		return nil
	})
	err := v.Update(func(tx *vault.Tx) error { return tx.Delete(vault.Memories, "nobody") })
	wantFault(t, err, fault.NotFound, "no-record")
	err = v.View(func(tx *vault.Tx) error {
		if tx.Has(vault.Memories, "nobody") || !tx.Has(vault.Memories, "m1") {
			t.Error("Has is wrong")
		}
		_, err := tx.Get(vault.Memories, "nobody")
		return err
	})
	wantFault(t, err, fault.NotFound, "no-record")
}

// Promise: an Update that fails, or panics, changes nothing.
func TestUpdateIsAllOrNothing(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 2)
	before := v.State()
	stop := errors.New("stop")
	err := v.Update(func(tx *vault.Tx) error {
		if err := tx.Put(vault.Memories, "x", day, []byte("x")); err != nil {
			return err
		}
		if err := tx.Delete(vault.Memories, "m0"); err != nil {
			return err
		}
		if tx.Count(vault.Memories) != 2 || tx.Has(vault.Memories, "m0") || !tx.Has(vault.Memories, "x") {
			t.Error("the transaction does not see its own changes")
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic of the caller was swallowed")
			}
		}()
		_ = v.Update(func(tx *vault.Tx) error {
			_ = tx.Put(vault.Memories, "y", day, []byte("y"))
			panic("the caller's mistake")
		})
	}()
	view(t, v, func(tx *vault.Tx) error {
		if got := ids(t, tx, vault.Memories); !slices.Equal(got, []string{"m0", "m1"}) {
			t.Errorf("left is %v", got)
		}
		return nil
	})
	if after := v.State(); after.Generation != before.Generation {
		t.Errorf("the generation went from %d to %d", before.Generation, after.Generation)
	}
	put(t, v, vault.Memories, "z", 1) // and it still works
}

// Promise: an Update that changes nothing writes nothing.
func TestNothingNewWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	update(t, v, func(tx *vault.Tx) error { return tx.Link(vault.Memories, "hash", "m1") })
	before := fingerprint(t, dir)
	update(t, v, func(tx *vault.Tx) error {
		_ = tx.Has(vault.Memories, "m1")
		if err := tx.Unlink(vault.Memories, "other"); err != nil {
			return err
		}
		return tx.Link(vault.Memories, "hash", "m1")
	})
	if v.State().Generation != 2 || fingerprint(t, dir) != before {
		t.Error("the vault changed")
	}
}

func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	update(t, v, func(tx *vault.Tx) error {
		return errors.Join(
			tx.Link(vault.Memories, "hash:1", "m1"),
			tx.Link(vault.Memories, "hash:2", "m2"),
			tx.Link(vault.Conversations, "hash:1", "c1"),
			tx.Link(vault.Memories, "hash:1", "m3"),
			tx.Unlink(vault.Memories, "hash:2"),
			tx.Link(vault.Sources, "", ""),
		)
	})
	closeVault(t, v)
	v = open(t, dir)
	view(t, v, func(tx *vault.Tx) error {
		for _, want := range []struct {
			c            vault.Collection
			name, target string
			ok           bool
		}{
			{vault.Memories, "hash:1", "m3", true},
			{vault.Memories, "hash:2", "", false},
			{vault.Conversations, "hash:1", "c1", true},
			{vault.Relations, "hash:1", "", false},
			{vault.Sources, "", "", true},
		} {
			if got, ok := tx.Linked(want.c, want.name); got != want.target || ok != want.ok {
				t.Errorf("%d %s leads to %q, %v", want.c, want.name, got, ok)
			}
		}
		return nil
	})
}

// Promise: records may be changed while they are walked through.
func TestChangeWhileWalking(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	put(t, v, vault.Memories, "m", 500)
	update(t, v, func(tx *vault.Tx) error {
		n := 0
		for e, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			if n++; n%2 == 0 {
				err = tx.Delete(vault.Memories, e.ID)
			} else {
				err = tx.Put(vault.Memories, e.ID, e.Created, bytes.Repeat(e.Plain, 100))
			}
			if err != nil {
				return err
			}
		}
		if n != 500 {
			t.Errorf("%d were yielded", n)
		}
		return nil
	})
	closeVault(t, v)
	v = open(t, dir)
	if n := v.State().Counts[vault.Memories]; n != 250 {
		t.Errorf("%d are left", n)
	}
}

// Promise: the caller owns what it gets: nothing changes under its hands.
func TestPlainIsACopy(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 100)
	var kept []vault.Entry
	view(t, v, func(tx *vault.Tx) error {
		for e, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			kept = append(kept, e)
		}
		clear(kept[0].Plain)
		return nil
	})
	for range 5 {
		put(t, v, vault.Memories, "n", 100)
	}
	for i, e := range kept[1:] {
		if want := fmt.Sprintf("text of m%d", i+1); string(e.Plain) != want {
			t.Fatalf("%q became %q", want, e.Plain)
		}
	}
}

func TestWrongUse(t *testing.T) {
	v := newVault(t)
	err := v.View(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m", day, nil) })
	if err == nil {
		t.Error("a View stores a record")
	}
	if err := v.View(func(tx *vault.Tx) error { return tx.Link(vault.Memories, "m", "n") }); err == nil {
		t.Error("a View stores a link")
	}
	if err := v.View(func(tx *vault.Tx) error { return tx.Unlink(vault.Memories, "m") }); err == nil {
		t.Error("a View removes a link")
	}
	if err := v.View(func(tx *vault.Tx) error { return tx.DeleteConversation("c") }); err == nil {
		t.Error("a View deletes a conversation")
	}
	for _, c := range []vault.Collection{vault.Conversations, vault.Chunks} {
		if err := v.Update(func(tx *vault.Tx) error { return tx.Put(c, "m", day, nil) }); err == nil {
			t.Errorf("collection %d takes plain records", c)
		}
	}
	err = v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Raw, "big", day, make([]byte, seal.MaxRecord+1)) })
	wantFault(t, err, fault.TooLarge, "record-too-large")
	if v.State().Generation != 1 {
		t.Error("wrong use left traces")
	}
}

// Promise: locking waits for what is under way, and then nothing can be read.
func TestLock(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 10)
	inside, locked := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := v.View(func(tx *vault.Tx) error {
			close(inside)
			for range 10 {
				if _, err := tx.Get(vault.Memories, "m3"); err != nil {
					return err
				}
			}
			select {
			case <-locked:
				t.Error("it was locked during a transaction")
			default:
			}
			return nil
		})
		if err != nil {
			t.Errorf("the transaction under way failed: %v", err)
		}
	})
	<-inside
	v.Lock()
	close(locked)
	wg.Wait()
	wantFault(t, v.View(func(*vault.Tx) error { return nil }), fault.Locked, "vault-locked")
	wantFault(t, v.Update(func(*vault.Tx) error { return nil }), fault.Locked, "vault-locked")
	_, _, _, err := v.PutBlob(bytes.NewReader(nil))
	wantFault(t, err, fault.Locked, "vault-locked")
	if v.Unlocked() || v.State().Generation != 0 {
		t.Error("it says that it is open")
	}
	if err := v.Unlock(t.Context(), []byte(passphrase)); err != nil || !v.Unlocked() {
		t.Fatalf("unlock again: %v", err)
	}
	closeVault(t, v)
	closeVault(t, v)
	wantFault(t, v.View(func(*vault.Tx) error { return nil }), fault.Internal, "vault-closed")
	wantFault(t, v.Unlock(t.Context(), []byte(passphrase)), fault.Internal, "vault-closed")
}

// Promise: many readers and writers at once neither hurt nor block each other
// for good.
func TestConcurrentUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 {
				err := v.Update(func(tx *vault.Tx) error {
					return tx.Put(vault.Memories, fmt.Sprint(w, "-", i), day, bytes.Repeat([]byte("x"), 3000))
				})
				if err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
		wg.Go(func() {
			for range 10 {
				err := v.View(func(tx *vault.Tx) error {
					n := tx.Count(vault.Memories)
					if got := len(ids(t, tx, vault.Memories)); got != n {
						t.Errorf("a view counts %d and yields %d", n, got)
					}
					return nil
				})
				if err != nil {
					t.Errorf("view: %v", err)
				}
				_ = v.Info()
			}
		})
	}
	wg.Wait()
	closeVault(t, v)
	if v = open(t, dir); v.State().Counts[vault.Memories] != 40 {
		t.Errorf("state %+v", v.State())
	}
}

// endOf is the error that all ends with.
func endOf(all iter.Seq2[vault.Entry, error]) (err error) {
	for _, err = range all {
	}
	return err
}

// TestNumbered reads records by their numbers, in the order asked for.
func TestNumbered(t *testing.T) {
	v := newVault(t)
	put(t, v, vault.Memories, "m", 36_000) // more than are looked up at once
	view(t, v, func(tx *vault.Tx) error {
		var want []string
		var seqs []uint64
		for e, err := range tx.Each(vault.Memories) {
			if err != nil {
				return err
			}
			seq, err := tx.Seq(vault.Memories, e.ID)
			if err != nil {
				return err
			}
			want, seqs = append(want, e.ID), append(seqs, seq)
		}
		dice := rand.New(rand.NewPCG(1, 2))
		dice.Shuffle(len(seqs), func(i, j int) { want[i], want[j], seqs[i], seqs[j] = want[j], want[i], seqs[j], seqs[i] })
		want, seqs = append(want, want[7]), append(seqs, seqs[7])
		want, seqs = append(want[9:100], want[400:]...), append(seqs[9:100], seqs[400:]...) // some are left out
		var got []string
		for e, err := range tx.Numbered(vault.Memories, seqs) {
			if err != nil {
				return err
			}
			got = append(got, e.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d records, want %d", len(got), len(want))
		}
		for _, seqs := range [][]uint64{{1, 99_999}, append(seqs, 99_999)} {
			if failed := endOf(tx.Numbered(vault.Memories, seqs)); failed == nil {
				t.Error("a number without a record gives one")
			} else {
				wantFault(t, failed, fault.NotFound, "no-record")
			}
		}
		return nil
	})
}
