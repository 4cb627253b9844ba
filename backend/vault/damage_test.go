package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// soak asks for the tests at their full size, which takes hours.
const soak = "KEEPSAKE_SOAK"

// everyCollection is what a vault may hold.
var everyCollection = []vault.Collection{
	vault.Memories, vault.Relations, vault.Conversations, vault.Sources, vault.Imports, vault.Changes, vault.Settings,
	vault.Keys, vault.Proposals, vault.Raw, vault.Rows,
}

// everything is all that an unlocked vault gives out, in one text.
func everything(v *vault.Vault) (string, error) {
	var out strings.Builder
	var conversations []string
	err := v.View(func(tx *vault.Tx) error {
		for _, c := range everyCollection {
			fmt.Fprintln(&out, "collection", c, tx.Count(c))
			for e, err := range tx.Each(c) {
				if err != nil {
					return err
				}
				if c == vault.Conversations {
					conversations = append(conversations, e.ID)
				}
				fmt.Fprintf(&out, "%q %d %v %q\n", e.ID, e.Revision, e.Created, e.Plain)
			}
		}
		for i := range 6 {
			for _, name := range []string{"id", "hash"} {
				to, ok := tx.Linked(vault.Memories, fmt.Sprint(name, i))
				fmt.Fprintln(&out, "link", to, ok)
			}
		}
		for _, id := range conversations {
			c, err := tx.Conversation(id)
			if err != nil {
				return err
			}
			for _, m := range c.Messages {
				fmt.Fprintf(&out, "%s %q\n", m.ID, m.Content.Text)
			}
		}
		return nil
	})
	return out.String(), err
}

// small is a vault to damage: its folder, all it holds, and its data file.
type small struct {
	dir, truth string
	data       []byte
	recoverOne int64 // of how many that are refused
}

func newSmall(t *testing.T, records int) small {
	t.Helper()
	s := small{recoverOne: 20, dir: filepath.Join(fastFolder(t), "vault")}
	v, _ := create(t, s.dir)
	for round := range 3 {
		update(t, v, func(tx *vault.Tx) error {
			var errs []error
			for i := range records {
				errs = append(errs, tx.Put(vault.Memories, fmt.Sprint("m", i), day, fmt.Appendf(nil, "memory %d of round %d", i, round)),
					tx.Put(vault.Relations, fmt.Sprint("r", i+records*round), day, bytes.Repeat([]byte("relation "), 30)),
					tx.Link(vault.Memories, fmt.Sprint("hash", i), fmt.Sprint("m", i)))
			}
			if round == 0 {
				errs = append(errs, putConversation(tx, vault.ConversationHead{}, conversation("c", 12, 400)))
			}
			return errors.Join(errs...)
		})
	}
	var err error
	if s.truth, err = everything(v); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	if s.data, err = os.ReadFile(filepath.Join(s.dir, "vault.db")); err != nil {
		t.Fatal(err)
	}
	return s
}

// spoil is one way to spoil a file.
type spoil struct {
	name  string
	bytes []byte
}

// spoils yields every step-th byte of the pages in use four ways, every cut at
// 512 bytes, and every page of zeros, of these what is due. Copies that would be
// as before are left out.
func spoils(good []byte, used, step int, due func() bool, yield func(spoil)) {
	random := rand.New(rand.NewPCG(7, 7))
	for at := 0; at < used; at += step {
		for _, bad := range []struct {
			name string
			b    byte
		}{{"flipped", good[at] ^ 1<<(at/step%8)}, {"00", 0}, {"FF", 0xFF}, {"random", byte(random.Uint32())}} {
			if bad.b != good[at] && due() {
				yield(spoil{fmt.Sprintf("byte %d %s", at, bad.name), slices.Concat(good[:at], []byte{bad.b}, good[at+1:])})
			}
		}
	}
	for at := 0; at < len(good); at += 512 {
		if due() {
			yield(spoil{fmt.Sprintf("cut at %d", at), good[:at]})
		}
	}
	for at := 0; at < len(good); at += boltPage {
		end := min(at+boltPage, len(good))
		zeros := make([]byte, end-at)
		if !bytes.Equal(good[at:end], zeros) && due() {
			yield(spoil{fmt.Sprintf("page %d of zeros", at/boltPage), slices.Concat(good[:at], zeros, good[end:])})
		}
	}
}

// tally of a sweep.
type tally struct {
	copies, same, refused, recovered, slow atomic.Int64
}

// Promise: whatever happens to a byte, a page or the end of the data file, the
// next start ends within two seconds in the data as it was or in a coded fault.
func TestDamageSweep(t *testing.T) {
	step := sized(7, 1)
	if testing.Short() {
		step = 101
	}
	s := newSmall(t, sized(3, 34))
	s.recoverOne = int64(sized(20, 1))
	used := boltFile(s.data).high() * boltPage
	var n tally
	jobs := make(chan spoil, 16)
	var workers sync.WaitGroup
	for range 2 {
		dir := filepath.Join(fastFolder(t), "vault")
		workers.Go(func() {
			fresh := ""
			for d := range jobs {
				if now := others(dir); fresh == "" || now != fresh {
					remove(t, dir)
					copyFolder(t, s.dir, dir)
					fresh = others(dir)
				}
				s.suffer(t, dir, d, &n)
			}
		})
	}
	spoils(s.data, used, step, slice(t), func(d spoil) { jobs <- d })
	close(jobs)
	workers.Wait()
	t.Logf("damage sweep of vault.db (%d bytes of pages): %d copies; %d read as they were, %d ended in a fault, %d of those were recovered whole; 0 crashes, %d slower than 2 s",
		used, n.copies.Load(), n.same.Load(), n.refused.Load(), n.recovered.Load(), n.slow.Load())
	if n.refused.Load() == 0 || n.same.Load() == 0 {
		t.Error("the sweep did not meet both outcomes")
	}
}

// suffer opens one damaged copy and judges what comes of it.
func (s small) suffer(t *testing.T, dir string, d spoil, n *tally) {
	path := filepath.Join(dir, "vault.db")
	if err := os.WriteFile(path, d.bytes, 0o600); err != nil {
		t.Error(err)
		return
	}
	start := time.Now()
	text, err := readAll(dir)
	n.copies.Add(1)
	if time.Since(start) > 2*time.Second { // the machine may be busy: once more
		start = time.Now()
		if text, err = readAll(dir); time.Since(start) > 2*time.Second {
			n.slow.Add(1)
			t.Errorf("%s: it took %v", d.name, time.Since(start))
		}
	}
	switch code := fault.CodeOf(err); {
	case err == nil && text == s.truth:
		n.same.Add(1)
	case code == fault.Damaged || code == fault.Unsupported:
		s.refused(t, dir, d, err, n)
	default:
		t.Errorf("%s: %v (%v), data as they were: %v", d.name, err, errors.Unwrap(err), text == s.truth)
	}
}

// refused looks at a copy that ended in a fault: one that the pre-flight refuses
// is not changed, and of one in a few the vault's own copies give all of it back.
func (s small) refused(t *testing.T, dir string, d spoil, err error, n *tally) {
	path := filepath.Join(dir, "vault.db")
	if raw, failed := os.ReadFile(path); strings.HasPrefix(fault.From(err).Reason, "vault-file-") && (failed != nil || !bytes.Equal(raw, d.bytes)) {
		t.Errorf("%s: the damaged file was changed", d.name)
	}
	if n.refused.Add(1)%s.recoverOne != 0 {
		return
	}
	r, err := vault.Recover(context.Background(), dir, clock, false, vault.ByPassphrase(context.Background(), []byte(passphrase)))
	if err != nil {
		t.Errorf("%s: recovering says %v (%v)", d.name, err, errors.Unwrap(err))
		return
	}
	if text, err := readAll(dir); err != nil || text != s.truth || r.Lost != 0 {
		t.Errorf("%s: recovered %+v, data as they were: %v, %v", d.name, r, text == s.truth, err)
	}
	n.recovered.Add(1)
}

// others are the states of the vault's other files, which an opening may change.
func others(dir string) string {
	var out strings.Builder
	for _, pattern := range []string{"vault.*", "journal/*", "snapshots/*"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && filepath.Base(name) != "vault.db" {
				fmt.Fprintln(&out, filepath.Base(name), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return out.String()
}

// readAll opens a vault, unlocks it and reads all of it.
func readAll(dir string) (string, error) {
	v, err := vault.Open(dir, clock)
	if err != nil {
		return "", err
	}
	defer v.Close()
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		return "", err
	}
	return everything(v)
}
