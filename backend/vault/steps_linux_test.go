package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"keepsake/backend/vault"
)

// Promise (row 21): forgetting, compacting, a snapshot, freezing, a backup, a
// recovery and a restore killed at any system call that changes a file, or by a
// power cut there, leave a vault that opens with what it held before or after;
// and once forgetting is done, no file holds the old ciphertext, also after a
// power cut.
func TestJobsStoppedAnywhere(t *testing.T) {
	needStrace(t)
	for name := range jobs {
		t.Run(name, func(t *testing.T) {
			root := fastFolder(t)
			s := newJobRoot(t, root, name)
			start, err := loadDisk(root)
			if err != nil {
				t.Fatal(err)
			}
			ops, _ := record(t, "job", root, root, jobName+"="+name)
			var n jobCount
			points := replayed(t, ops, start.root, len(ops)*sized(3, 60), func(im image) { n.check(s, im) })
			t.Logf("%d images at %d moments: %d open with the old, %d with the new, %d with neither (%d of a damaged vault that recovers again), %d with something forgotten",
				n.images, points, n.old, n.new, n.images-n.old-n.new-n.again, n.again, n.traces)
			if n.first != "" {
				t.Error(n.first)
			}
		})
	}
}

// jobRoot is what a vault holds before a job and after it.
type jobRoot struct {
	name     string
	old, new map[string]string
}

func newJobRoot(t *testing.T, root, name string) jobRoot {
	t.Helper()
	dir := filepath.Join(root, "vault")
	lived(t, dir)
	v := open(t, dir)
	putBlob(t, v, bytes.Repeat([]byte("picture "), 3000))
	f, err := os.Create(filepath.Join(root, "backup"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(v.Backup(context.Background(), f), f.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := heldBy(v)
	if err != nil {
		t.Fatal(err)
	}
	put(t, v, vault.Memories, "newest", 1)
	after, err := heldBy(v)
	if err != nil {
		t.Fatal(err)
	}
	s := jobRoot{name: name, old: after, new: maps.Clone(after)}
	closeVault(t, v)
	switch name {
	case "forget":
		delete(s.new, fmt.Sprint(vault.Memories, "early7"))
	case "restore":
		s.new = before
	case "recover":
		damage(t, filepath.Join(dir, "vault.db"), func(b []byte) []byte { return b[:9000] })
	}
	return s
}

type jobCount struct {
	mu                              sync.Mutex
	images, old, new, again, traces int
	first                           string
}

func (n *jobCount) check(s jobRoot, im image) {
	dir := filepath.Join(im.dir, "vault")
	held, err := heldIn(dir)
	again := false
	if err != nil && s.name == "recover" { // the vault was damaged before
		if _, err = vault.Recover(context.Background(), dir, clock, false, byPassphrase()); err == nil {
			held, err = heldIn(dir)
			again = err == nil && maps.Equal(held, s.new)
		}
	}
	where, walking := tracesIn(dir, im.said.gone) // a backup is the person's own
	n.mu.Lock()
	defer n.mu.Unlock()
	n.images++
	switch {
	case again:
		n.again++
	case err == nil && maps.Equal(held, s.new):
		n.new++
	case err == nil && maps.Equal(held, s.old) && im.said.confirmed < 1:
		n.old++
	case n.first == "":
		n.first = fmt.Sprintf("%s: %v (%v)", im.what, err, errors.Unwrap(err))
	}
	if where != "" || walking != nil {
		n.traces++
		n.first = fmt.Sprint(im.what, ": forgotten, but in ", where, walking)
	}
}

// heldIn is what a vault in a folder holds, attachments included.
func heldIn(dir string) (all map[string]string, err error) {
	v, err := unlocked(dir)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return heldBy(v)
}

func heldBy(v *vault.Vault) (all map[string]string, err error) {
	all = map[string]string{}
	err = v.View(func(tx *vault.Tx) error {
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
	refs, listing := v.Blobs()
	for _, ref := range refs {
		text, reading := blobText(v, ref)
		all[ref] = text
		err = errors.Join(err, reading)
	}
	return all, errors.Join(err, listing)
}
