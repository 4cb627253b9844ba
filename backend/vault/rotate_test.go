package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// stock is what fillVault put into a vault.
type stock struct {
	memories int
	blobs    map[string][]byte // plaintext by reference
}

// fillVault stores some of everything that is sealed: records of several
// collections, links, rows, conversations with chunks, attachments.
func fillVault(t *testing.T, v *vault.Vault, memories int) stock {
	t.Helper()
	s := stock{memories: memories, blobs: map[string][]byte{}}
	for i := range 3 {
		text := bytes.Repeat([]byte(fmt.Sprintf("attachment %d ", i)), 1+i*120_000)
		ref, _, _, err := v.PutBlob(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		s.blobs[ref] = text
	}
	update(t, v, func(tx *vault.Tx) error {
		for i := range memories {
			id := fmt.Sprintf("m%d", i)
			if err := tx.Put(vault.Memories, id, day, []byte("memory "+id)); err != nil {
				return err
			}
			if _, err := tx.PutRow(vault.Memories, id, []byte("row "+id)); err != nil {
				return err
			}
			if err := tx.Link(vault.Memories, "hash of "+id, id); err != nil {
				return err
			}
		}
		for ref := range s.blobs {
			if err := tx.Put(vault.Raw, "file "+ref, day, []byte(`{"ref":"`+ref+`"}`)); err != nil {
				return err
			}
		}
		for i := range 3 {
			c := conversation(fmt.Sprintf("c%d", i), 40, 5000)
			for ref := range s.blobs {
				c.Messages[0].Attachments = append(c.Messages[0].Attachments, memory.Attachment{Name: "a", Ref: ref})
			}
			if err := putConversation(tx, vault.ConversationHead{}, c); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

// check reads everything and fails the test where it is not as it was stored.
func (s stock) check(t *testing.T) func(*vault.Vault) {
	return func(v *vault.Vault) {
		t.Helper()
		if err := v.Prove(); err != nil {
			t.Error(err)
		}
		view(t, v, func(tx *vault.Tx) error {
			for i := range s.memories {
				id := fmt.Sprintf("m%d", i)
				text, err := tx.Get(vault.Memories, id)
				if err != nil {
					return fmt.Errorf("%s: %w", id, err)
				}
				if to, ok := tx.Linked(vault.Memories, "hash of "+id); string(text) != "memory "+id || !ok || to != id {
					t.Errorf("%s: read %q, linked to %q", id, text, to)
				}
			}
			rows := make(chan int, 1000)
			if err := tx.ScanRows(func(_ vault.Collection, page []vault.Row) error { rows <- len(page); return nil }); err != nil {
				return err
			}
			close(rows)
			n := 0
			for page := range rows {
				n += page
			}
			if n != s.memories {
				t.Errorf("%d rows instead of %d", n, s.memories)
			}
			refs := 0
			for e, err := range tx.Each(vault.Raw) {
				if err != nil {
					return err
				}
				refs++
				ref := string(e.Plain[8 : 8+64])
				if e.ID != "file "+ref {
					t.Errorf("the record of %s names %s", e.ID, ref)
				}
				s.checkBlob(t, v, ref)
			}
			if refs != len(s.blobs) {
				t.Errorf("%d attachments instead of %d", refs, len(s.blobs))
			}
			for i := range 3 {
				c, err := tx.Conversation(fmt.Sprintf("c%d", i))
				if err != nil {
					return err
				}
				if len(c.Messages) != 40 || len(c.Messages[0].Attachments) != len(s.blobs) {
					t.Errorf("conversation %d has %d messages", i, len(c.Messages))
				}
				for _, a := range c.Messages[0].Attachments {
					s.checkBlob(t, v, a.Ref)
				}
			}
			return nil
		})
	}
}

// checkBlob reads a blob by a reference, which need not be the one of stock.
func (s stock) checkBlob(t *testing.T, v *vault.Vault, ref string) {
	t.Helper()
	r, _, err := v.OpenBlob(ref)
	if err != nil {
		t.Errorf("open %s: %v", ref, err)
		return
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	for _, want := range s.blobs {
		if bytes.Equal(got, want) {
			return
		}
	}
	t.Errorf("blob %s: %d bytes that were not stored, %v", ref, len(got), err)
}

func migrate(t *testing.T, v *vault.Vault, stop int) (r vault.Rotation) {
	t.Helper()
	m := v.Migrator()
	for i := 0; stop < 0 || i < stop; i++ {
		var err error
		if r, err = m.Step(t.Context()); err != nil {
			t.Fatalf("step %d: %v (%v)", i, err, errors.Unwrap(err))
		}
		if !r.Running {
			return r
		}
		if i > 10_000 {
			t.Fatal("the migration never ends")
		}
	}
	return r
}

// Promise: a rotation brings everything that is sealed over to the new key, in
// steps, while the vault is used; and the old key is gone from the file.
func TestRotation(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, _ := create(t, dir)
	s := fillVault(t, v, 2000)
	if r := v.Rotation(); r.Running || r.Version != 1 || r.Done != r.Total || r.Total < 4000 {
		t.Fatalf("before: %+v", r)
	}
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	if r := v.Rotation(); !r.Running || r.Version != 2 || r.Done > 1 {
		t.Fatalf("begun: %+v", r)
	}
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m1", day, []byte("memory m1")) })
	if r := v.Rotation(); r.Done != 2 { // and the entry in the log
		t.Errorf("a new value is sealed under the new key at once: %+v", r)
	}
	half := migrate(t, v, 5)
	if !half.Running || half.Done == 0 || half.Done == half.Total {
		t.Fatalf("after five steps: %+v", half)
	}
	s.check(t)(v)
	if err := v.BeginRotation(); err != nil || v.Rotation().Version != 2 {
		t.Errorf("a second beginning goes on with the first: %v, %+v", err, v.Rotation())
	}
	if r := migrate(t, v, -1); r.Done != r.Total || r.Version != 2 || r.Blobs != 0 {
		t.Fatalf("ended: %+v", r)
	}
	s.check(t)(v)
	if vault.HasEpochKey(v, 1) || !vault.HasEpochKey(v, 2) {
		t.Error("the old data key is still there, or the new one is not")
	}
	if got := vault.KeyVersions(t, v); len(got) != 1 || !got[2] {
		t.Errorf("key versions in the files: %v", got)
	}
	closeVault(t, v)
	if err := opensWith(t, dir, passphrase, s.check(t)); err != nil {
		t.Fatal(err)
	}
}

// Promise: stopped at any step and commit, a rotation leaves a vault that opens
// with everything in it, and goes on to its end.
func TestRotationStoppedAnywhere(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, _ := create(t, dir)
	s := fillVault(t, v, 700)
	copies := copyAtEachStep(t, v, dir, func() {
		if err := v.BeginRotation(); err != nil {
			t.Fatal(err)
		}
		migrate(t, v, -1)
	})
	if len(copies) < 12 {
		t.Errorf("only %d places to stop at", len(copies))
	}
	for _, c := range copies {
		err := opensWith(t, c.dir, passphrase, func(v *vault.Vault) {
			s.check(t)(v)
			if err := v.BeginRotation(); err != nil {
				t.Error(err)
			}
			if r := migrate(t, v, -1); r.Running || r.Done != r.Total {
				t.Errorf("%s: %+v", c.step, r)
			}
			s.check(t)(v)
		})
		if err != nil {
			t.Fatalf("%s: %v (%v)", c.step, err, errors.Unwrap(err))
		}
	}
	t.Logf("stopped at %d places; each opened, and went on to the end", len(copies))
}

// Promise: a data file that is lost in the middle of a rotation takes no
// attachment with it, also where no journal tells of the new key.
func TestRecoverInTheMiddleOfARotation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	ref, _ := putBlob(t, v, []byte("a picture"))
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Raw, "large", day, make([]byte, 2<<20)) })
	if !v.SnapshotDue() {
		t.Fatal("the journal goes on")
	}
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	for m, left := v.Migrator(), -1; left != 0; { // not to its end, which makes a snapshot due
		r, err := m.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left = r.Blobs
	}
	if !v.Rotation().Running {
		t.Fatal("the rotation has ended")
	}
	closeVault(t, v)
	if err := os.Remove(filepath.Join(dir, "vault.db")); err != nil {
		t.Fatal(err)
	}
	recovered(t, dir)
	f, _, err := open(t, dir).OpenBlob(ref)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

// A blob that is being written while the key changes is not left behind.
func TestRotationWaitsForStagedBlobs(t *testing.T) {
	v := newVault(t)
	ref, _, _, err := v.StageBlob(strings.NewReader("written before"))
	if err != nil {
		t.Fatal(err)
	}
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	if r := migrate(t, v, 30); !r.Running {
		t.Fatal("the old key was given up while a blob was under way")
	}
	if err := v.SettleBlobs([]string{ref}); err != nil {
		t.Fatal(err)
	}
	if r := migrate(t, v, -1); r.Running {
		t.Errorf("%+v", r)
	}
	r, _, err := v.OpenBlob(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "written before" {
		t.Errorf("read %q, %v", text, err)
	}
}

// A damaged blob keeps its key and does not keep the rotation from its end.
func TestRotationPassesDamagedBlobs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	ref, _, _, err := v.PutBlob(strings.NewReader("to be damaged"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "blobs", ref)
	raw := readFile(t, dir, filepath.Join("blobs", ref))
	raw[60] ^= 1
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	if r := migrate(t, v, 30); r.Running {
		t.Fatalf("%+v", r)
	}
	if !vault.HasEpochKey(v, 1) {
		t.Error("the key of a blob that might be mended is gone")
	}
	_, _, err = v.OpenBlob(ref)
	wantFault(t, err, fault.Damaged, "vault-attachment-damaged")
}

// Promise: a migration can be stopped at any moment and ends with the lock.
func TestRotationCancelled(t *testing.T) {
	v := newVault(t)
	fillVault(t, v, 100)
	if err := v.BeginRotation(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := v.Migrator()
	if _, err := m.Step(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	v.Lock()
	_, err := m.Step(t.Context())
	wantFault(t, err, fault.Locked, "vault-locked")
}
