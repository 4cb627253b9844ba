package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// brought is what a salvage handed out, by a readable name.
type brought map[string]string

func salvageBytes(t testing.TB, raw []byte, keys *seal.Keys) (brought, vault.Salvaged) {
	t.Helper()
	out := brought{}
	sum, err := vault.SalvageFile(t.Context(), bytes.NewReader(raw), int64(len(raw)), keys, func(c vault.Collection, seq uint64, r seal.Record, id string, body []byte) error {
		name := fmt.Sprintf("%d/%d/%s", c, seq, id)
		if c == vault.Chunks {
			name = fmt.Sprintf("%d/%x", c, r.Locator[:12])
		}
		if _, twice := out[name]; twice {
			t.Errorf("%s came twice", name)
		}
		out[name] = string(body)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, sum
}

// newSalvageVault has some of everything. It returns the bytes of its data file
// after each of two rounds of changes.
func newSalvageVault(t testing.TB) (before, raw []byte, keys func() *seal.Keys) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for round := range 2 {
		update(t, v, func(tx *vault.Tx) error {
			var errs []error
			for i := range 60 {
				errs = append(errs,
					tx.Put(vault.Memories, fmt.Sprint("m", i), day, fmt.Appendf(nil, "memory %d of round %d", i, round)),
					tx.Put(vault.Settings, fmt.Sprint("s", i%3), day, fmt.Appendf(nil, "setting %d of round %d", i, round)),
					tx.Link(vault.Memories, fmt.Sprint("hash", i), fmt.Sprint("m", i+round)))
			}
			for i := range 3 {
				errs = append(errs, putConversation(tx, vault.ConversationHead{}, conversation(fmt.Sprint("c", i), 60-20*round, 3000)))
			}
			errs = append(errs, tx.Put(vault.Raw, "big", day, bytes.Repeat([]byte("raw "), 30_000)))
			return errors.Join(errs...)
		})
		checkpointed(t, v)
		var err error
		before = raw
		if raw, err = os.ReadFile(filepath.Join(dir, "vault.db")); err != nil {
			t.Fatal(err)
		}
	}
	closeVault(t, v)
	head, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	return before, raw, func() *seal.Keys { // as from the header alone: without epochs
		h, err := seal.ParseHeader(head)
		if err != nil {
			t.Fatal(err)
		}
		k, err := h.Unlock(t.Context(), []byte(passphrase))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(k.Wipe)
		return k
	}
}

// Promise: of a whole file everything is salvaged, in its newest version, and
// of one whose tree is gone not a record less.
func TestSalvage(t *testing.T) {
	_, raw, keys := newSalvageVault(t)
	whole, sum := salvageBytes(t, raw, keys())
	if sum.Epochs == 0 || sum.Older == 0 || sum.Lost != 0 || sum.Failed != 0 || sum.Values != len(whole) {
		t.Errorf("it counts %+v", sum)
	}
	for i := range 60 {
		name := fmt.Sprintf("%d/%d/m%d", vault.Memories, i+1, i)
		if want := fmt.Sprintf("memory %d of round 1", i); whole[name] != want {
			t.Errorf("%s is %q", name, whole[name])
		}
		if link := fmt.Sprintf("%d/0/hash%d", vault.Memories, i); whole[link] != fmt.Sprint("m", i+1) {
			t.Errorf("%s leads to %q", link, whole[link])
		}
	}
	if got := whole[fmt.Sprintf("%d/1/big", vault.Raw)]; len(got) != 120_000 {
		t.Errorf("the large record has %d bytes", len(got))
	}
	chunks, heads := 0, 0
	for name := range whole {
		if strings.HasPrefix(name, fmt.Sprintf("%d/", vault.Chunks)) {
			chunks++
		}
		if strings.HasPrefix(name, fmt.Sprintf("%d/", vault.Conversations)) {
			heads++
		}
	}
	if heads != 3 || chunks < heads {
		t.Errorf("%d conversations in %d chunks", heads, chunks)
	}
	b := boltFile(raw)
	for name, edit := range map[string]func(boltFile){
		"both start pages lost": func(b boltFile) { clear(b[:2*boltPage]) },
		"free list lost":        func(b boltFile) { clear(b[b.freelist()*boltPage:][:boltPage]) },
		"all branches lost": func(b boltFile) {
			for p := 2; p < b.high(); p++ {
				if b.u64(p*boltPage) == p && b.flags(p) == 1 {
					clear(b[p*boltPage:][:boltPage])
				}
			}
		},
		"all kinds lost": func(b boltFile) {
			for p := 2; p < b.high(); p++ {
				if b.u64(p*boltPage) == p {
					b.set16(p*boltPage+8, 0)
				}
			}
		},
		"all numbers lost": func(b boltFile) {
			for p := 2; p < b.high(); p++ {
				if b.u64(p*boltPage) == p && b.flags(p) == 2 {
					b.set64(p*boltPage, 0)
				}
			}
		},
		"all counts lost": func(b boltFile) {
			for p := 2; p < b.high(); p++ {
				if b.u64(p*boltPage) == p && b.flags(p) == 2 && b.count(p) > 0 {
					b.set16(p*boltPage+10, 1)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bad := b.clone()
			edit(bad)
			got, sum := salvageBytes(t, bad, keys())
			if !maps.Equal(got, whole) {
				t.Errorf("%d of %d values: %+v", len(got), len(whole), sum)
			}
		})
	}
}

// Promise: what cannot be read is counted, and nothing comes that was never put.
func TestSalvageOfDamage(t *testing.T) {
	before, raw, keys := newSalvageVault(t)
	k := keys()
	older, _ := salvageBytes(t, before, k)
	whole, _ := salvageBytes(t, raw, k)
	lost, handed := 0, 0
	for at := 0; at < len(raw); at += 4 * boltPage { // a page in four, and a byte in the next
		bad := bytes.Clone(raw)
		clear(bad[at:min(at+boltPage, len(bad))])
		bad[min(at+boltPage+2000, len(bad)-1)] ^= 0x10
		got, sum := salvageBytes(t, bad, k)
		for name, body := range got {
			if body != whole[name] && body != older[name] {
				t.Errorf("page %d: %s is %q, which it never was", at/boltPage, name, body)
			}
		}
		lost += sum.Lost
		handed += len(got)
	}
	if lost == 0 || handed == 0 {
		t.Errorf("%d values handed out, %d counted as lost", handed, lost)
	}
}

// Promise: without the keys nothing comes out.
func TestSalvageWithoutKeys(t *testing.T) {
	_, raw, _ := newSalvageVault(t)
	_, _, foreign := newSalvageVault(t)
	if got, sum := salvageBytes(t, raw, foreign()); len(got) != 0 || sum.Lost == 0 || sum.Epochs != 0 {
		t.Errorf("%d values: %+v", len(got), sum)
	}
}

// Promise: a salvage of anything ends, and an error of the caller ends it.
func TestSalvageEnds(t *testing.T) {
	_, raw, keys := newSalvageVault(t)
	stop := errors.New("enough")
	_, err := vault.SalvageFile(t.Context(), bytes.NewReader(raw), int64(len(raw)), keys(), func(vault.Collection, uint64, seal.Record, string, []byte) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	for name, bad := range map[string][]byte{"nothing": {}, "a byte": {1}, "zeros": make([]byte, 100_000), "ones": bytes.Repeat([]byte{0xFF}, 100_000), "cut": raw[:len(raw)-1000]} {
		if _, sum := salvageBytes(t, bad, keys()); name != "cut" && sum.Values != 0 {
			t.Errorf("%s: %+v", name, sum)
		}
	}
	_, sum := salvageBytes(t, raw, keys())
	broken, err := vault.SalvageFile(t.Context(), &breaking{bytes.NewReader(raw), 100}, int64(len(raw)), keys(), func(vault.Collection, uint64, seal.Record, string, []byte) error { return nil })
	if err != nil || broken.Failed == 0 || broken.Values >= sum.Values {
		t.Errorf("from a disk that breaks: %+v, %v", broken, err)
	}
}
