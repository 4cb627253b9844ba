package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// raw opens the data file as somebody would who can write it but has no key.
func raw(t *testing.T, dir string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "vault.db"), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func storeHeader(t *testing.T, dir string, head []byte) {
	t.Helper()
	raw(t, dir, func(bt *bbolt.Tx) error { return bt.Bucket(vault.SystemBucket).Put(vault.HeaderKey, head) })
}

// target is a vault with some of everything, what its buckets are called, and
// every stored value as it was before the last change of each record.
type target struct {
	dir   string
	names map[string][]byte // "memories r" → bucket
	older map[string]map[string][]byte
}

var collections = map[string]vault.Collection{
	"memories": vault.Memories, "relations": vault.Relations, "conversations": vault.Conversations, "chunks": vault.Chunks,
}

func newTarget(t *testing.T) *target {
	t.Helper()
	tg := &target{dir: filepath.Join(fastFolder(t), "vault"), names: map[string][]byte{}}
	v, _ := create(t, tg.dir)
	fillTarget(t, v, 1)
	for name, c := range collections {
		for _, k := range "ril" {
			tg.names[name+" "+string(k)] = vault.BucketName(v, c, byte(k))
		}
	}
	tg.names["system"] = vault.SystemBucket
	closeVault(t, v)
	tg.older = tg.snapshot(t)
	v = open(t, tg.dir)
	fillTarget(t, v, 2)
	closeVault(t, v)
	return tg
}

func fillTarget(t *testing.T, v *vault.Vault, round int) {
	t.Helper()
	update(t, v, func(tx *vault.Tx) error {
		var errs []error
		for i := range 6 {
			id := fmt.Sprint("id", i)
			errs = append(errs,
				tx.Put(vault.Memories, id, day, fmt.Appendf(nil, "round %d", round)),
				tx.Put(vault.Relations, id, day, fmt.Appendf(nil, "round %d", round)),
				tx.Link(vault.Memories, id, fmt.Sprint("target", round)),
				putConversation(tx, vault.ConversationHead{}, conversation(id, 80+round, 2000)))
		}
		if round == 2 {
			errs = append(errs, tx.Delete(vault.Memories, "id5"), tx.Unlink(vault.Memories, "id5"))
		}
		return errors.Join(errs...)
	})
}

func (tg *target) snapshot(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	out := map[string]map[string][]byte{}
	raw(t, tg.dir, func(bt *bbolt.Tx) error {
		for label, name := range tg.names {
			out[label] = map[string][]byte{}
			b := bt.Bucket(name)
			if b == nil {
				continue
			}
			_ = b.ForEach(func(k, v []byte) error {
				out[label][string(k)] = bytes.Clone(v)
				return nil
			})
		}
		return nil
	})
	return out
}

// row is one entry of a bucket.
type row struct{ k, v []byte }

func rows(b *bbolt.Bucket) []row {
	var out []row
	_ = b.ForEach(func(k, v []byte) error {
		out = append(out, row{bytes.Clone(k), bytes.Clone(v)})
		return nil
	})
	return out
}

// Promise: whoever can write the file but has no key can remove, double, swap,
// move, forge or roll back not one record, chunk, link, index entry, key or
// count without the next unlock saying so.
func TestRecordAttacks(t *testing.T) {
	tg := newTarget(t)
	bucket := func(bt *bbolt.Tx, label string) *bbolt.Bucket { return bt.Bucket(tg.names[label]) }
	attacks := map[string]func(bt *bbolt.Tx) error{
		"sequence bucket loses a record": func(bt *bbolt.Tx) error {
			b := bucket(bt, "memories r")
			return b.Delete(rows(b)[2].k)
		},
		"record and index entry lost": func(bt *bbolt.Tx) error {
			b, i := bucket(bt, "memories r"), bucket(bt, "memories i")
			gone := rows(b)[2].k
			for _, r := range rows(i) {
				if bytes.Equal(r.v, gone) {
					_ = i.Delete(r.k)
				}
			}
			return b.Delete(gone)
		},
		"record put back after its deletion": func(bt *bbolt.Tx) error {
			for k, v := range tg.older["memories i"] {
				_ = bucket(bt, "memories i").Put([]byte(k), v)
			}
			b := bucket(bt, "memories r")
			for k, v := range tg.older["memories r"] {
				if b.Get([]byte(k)) == nil {
					return b.Put([]byte(k), v)
				}
			}
			return errors.New("nothing was deleted")
		},
		"index points elsewhere": func(bt *bbolt.Tx) error {
			b := bucket(bt, "memories i")
			r := rows(b)
			return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
		},
		"index entry lost": func(bt *bbolt.Tx) error { b := bucket(bt, "memories i"); return b.Delete(rows(b)[0].k) },
		"index entry invented": func(bt *bbolt.Tx) error {
			b := bucket(bt, "memories i")
			return b.Put(bytes.Repeat([]byte{1}, 16), rows(b)[0].v)
		},
		"index entry exchanged": func(bt *bbolt.Tx) error {
			b := bucket(bt, "memories i")
			r := rows(b)[0]
			return errors.Join(b.Delete(r.k), b.Put(bytes.Repeat([]byte{1}, 16), r.v))
		},
		"record doubled under a new number": func(bt *bbolt.Tx) error {
			b := bucket(bt, "memories r")
			return b.Put([]byte{0, 0, 0, 0, 0, 0, 0, 99}, rows(b)[0].v)
		},
		"record moved to another collection": func(bt *bbolt.Tx) error {
			from, to := rows(bucket(bt, "relations r")), bucket(bt, "memories r")
			return to.Put(rows(to)[0].k, from[0].v)
		},
		"collections exchanged": func(bt *bbolt.Tx) error {
			m, r := bucket(bt, "memories r"), bucket(bt, "relations r")
			a, b := rows(m), rows(r)
			for i := range a {
				if err := errors.Join(m.Put(a[i].k, b[i].v), r.Put(b[i].k, a[i].v)); err != nil {
					return err
				}
			}
			return nil
		},
		"record with a short value":  func(bt *bbolt.Tx) error { b := bucket(bt, "memories r"); return b.Put(rows(b)[0].k, []byte{1}) },
		"record with a strange key":  func(bt *bbolt.Tx) error { b := bucket(bt, "memories r"); return b.Put([]byte("x"), rows(b)[0].v) },
		"link with a strange key":    func(bt *bbolt.Tx) error { b := bucket(bt, "memories l"); return b.Put([]byte("x"), rows(b)[0].v) },
		"index with a strange value": func(bt *bbolt.Tx) error { b := bucket(bt, "memories i"); return b.Put(rows(b)[0].k, []byte("x")) },
		"link put back":              func(bt *bbolt.Tx) error { return putBack(bucket(bt, "memories l"), tg.older["memories l"]) },
		"chunk of another conversation": func(bt *bbolt.Tx) error {
			b := bucket(bt, "chunks r")
			r := rows(b)
			last := r[len(r)-1]
			return errors.Join(b.Put(r[0].k, last.v), b.Put(last.k, r[0].v))
		},
		"chunks in other order": func(bt *bbolt.Tx) error {
			b := bucket(bt, "chunks r")
			r := rows(b)
			return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
		},
		"chunk moved behind": func(bt *bbolt.Tx) error { return moveLast(bucket(bt, "chunks r")) },
		"state of before": func(bt *bbolt.Tx) error {
			return bucket(bt, "system").Put(vault.StateKey, tg.older["system"][string(vault.StateKey)])
		},
		"state lost": func(bt *bbolt.Tx) error { return bucket(bt, "system").Delete(vault.StateKey) },
		"key lost":   func(bt *bbolt.Tx) error { return bucket(bt, "system").Delete(vault.EpochKey(1)) },
		"key of another number": func(bt *bbolt.Tx) error {
			b := bucket(bt, "system")
			k := bytes.Clone(b.Get(vault.EpochKey(1)))
			k[2]++
			return b.Put(vault.EpochKey(1), k)
		},
		"system bucket lost": func(bt *bbolt.Tx) error { return bt.DeleteBucket(vault.SystemBucket) },
		"strange bucket":     func(bt *bbolt.Tx) error { _, err := bt.CreateBucket([]byte("hello")); return err },
	}
	for _, label := range []string{"memories r", "memories i", "memories l", "relations r", "conversations r", "conversations i", "chunks r"} {
		attacks["bucket lost: "+label] = func(bt *bbolt.Tx) error { return bt.DeleteBucket(tg.names[label]) }
	}
	for _, label := range []string{"memories r", "memories l", "relations r", "conversations r", "chunks r"} {
		addRowAttacks(attacks, label, tg)
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(fastFolder(t), "vault")
			copyFolder(t, tg.dir, dir)
			removeJournal(t, dir) // which would mend some of them
			raw(t, dir, attack)
			_, err := tryOpen(t, dir)
			if fault.CodeOf(err) != fault.Damaged {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("nothing at all", func(t *testing.T) { // the control: the same handling without an attack
		dir := filepath.Join(fastFolder(t), "vault")
		copyFolder(t, tg.dir, dir)
		raw(t, dir, func(*bbolt.Tx) error { return nil })
		open(t, dir)
	})
}

// addRowAttacks adds what can be done to the rows of any bucket of sealed values.
func addRowAttacks(attacks map[string]func(bt *bbolt.Tx) error, label string, tg *target) {
	bucket := func(bt *bbolt.Tx) *bbolt.Bucket { return bt.Bucket(tg.names[label]) }
	attacks[label+": two values swapped"] = func(bt *bbolt.Tx) error {
		b := bucket(bt)
		r := rows(b)
		return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
	}
	attacks[label+": one value doubled over another"] = func(bt *bbolt.Tx) error {
		b := bucket(bt)
		r := rows(b)
		return b.Put(r[0].k, r[1].v)
	}
	attacks[label+": one dropped"] = func(bt *bbolt.Tx) error { b := bucket(bt); return b.Delete(rows(b)[1].k) }
	attacks[label+": one rolled back"] = func(bt *bbolt.Tx) error { return putBack(bucket(bt), tg.older[label]) }
	for name, at := range map[string]int{"format": 0, "key version": 4, "revision": 12, "locator": 30, "tag": -1} {
		attacks[label+": "+name+" changed"] = func(bt *bbolt.Tx) error {
			b := bucket(bt)
			r := rows(b)[0]
			if at < 0 {
				at = len(r.v) + at
			}
			r.v[at] ^= 1
			return b.Put(r.k, r.v)
		}
	}
}

// putBack rolls one value back to its older version.
func putBack(b *bbolt.Bucket, older map[string][]byte) error {
	for _, r := range rows(b) {
		if before, ok := older[string(r.k)]; ok && !bytes.Equal(before, r.v) {
			return b.Put(r.k, before)
		}
	}
	return errors.New("nothing to roll back")
}

// moveLast gives the last value the number after its own.
func moveLast(b *bbolt.Bucket) error {
	r := rows(b)
	last := r[len(r)-1]
	next := bytes.Clone(last.k)
	next[len(next)-1]++
	return errors.Join(b.Delete(last.k), b.Put(next, last.v))
}

// Promise: what the sum over the set cannot see at unlock, because only the
// sealed text or the time beside it changed, the record's own authentication
// sees when it is read.
func TestChangedTextIsNoticedWhenRead(t *testing.T) {
	t.Run("time", func(t *testing.T) { changedAt(t, 20) })
	t.Run("nonce", func(t *testing.T) { changedAt(t, 40) })
	t.Run("text", func(t *testing.T) { changedAt(t, 60) })
}

func changedAt(t *testing.T, at int) {
	t.Helper()
	tg := newTarget(t)
	raw(t, tg.dir, func(bt *bbolt.Tx) error {
		for _, label := range []string{"memories r", "memories l", "chunks r"} {
			b := bt.Bucket(tg.names[label])
			r := rows(b)[0]
			r.v[at] ^= 1
			if err := b.Put(r.k, r.v); err != nil {
				return err
			}
		}
		return nil
	})
	v := open(t, tg.dir)
	for name, read := range map[string]func(tx *vault.Tx) error{
		"get": func(tx *vault.Tx) error {
			var errs []error
			for i := range 5 {
				_, err := tx.Get(vault.Memories, fmt.Sprint("id", i))
				errs = append(errs, err)
			}
			return errors.Join(errs...)
		},
		"each": func(tx *vault.Tx) error {
			for _, err := range tx.Each(vault.Memories) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"linked": func(tx *vault.Tx) error {
			for i := range 5 {
				tx.Linked(vault.Memories, fmt.Sprint("id", i))
			}
			return nil
		},
		"messages": func(tx *vault.Tx) error {
			for i := range 6 {
				if _, err := tx.Conversation(fmt.Sprint("id", i)); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := v.View(read); fault.CodeOf(err) != fault.Damaged {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Promise: the state record is believed only where every one of its numbers
// fits the data, also where neither vault.gen nor a journal tells of it.
func TestStateMustFitTheData(t *testing.T) {
	for name, change := range map[string]func(*vault.SealedState){
		"as it is":           nil,
		"record too many":    func(s *vault.SealedState) { s.Collections[vault.Memories].Records++ },
		"link too few":       func(s *vault.SealedState) { s.Collections[vault.Memories].Links-- },
		"number given twice": func(s *vault.SealedState) { s.Collections[vault.Memories].Next-- },
		"other sum":          func(s *vault.SealedState) { s.Collections[vault.Memories].Sum[3]++ },
		"collection unknown": func(s *vault.SealedState) { delete(s.Collections, vault.Relations) },
		"key used more":      func(s *vault.SealedState) { s.Epochs[0].Values++ },
		"key of other scope": func(s *vault.SealedState) { s.Epochs[0].Scope = vault.Memories },
		"key missing":        func(s *vault.SealedState) { s.Epochs = nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(fastFolder(t), "vault")
			v, _ := create(t, dir)
			put(t, v, vault.Memories, "m", 3)
			put(t, v, vault.Relations, "r", 3)
			update(t, v, func(tx *vault.Tx) error { return tx.Link(vault.Memories, "a", "b") })
			if change != nil {
				vault.ChangeState(t, v, change)
			}
			closeVault(t, v)
			for _, other := range []string{"vault.gen", "journal"} {
				if err := os.RemoveAll(filepath.Join(dir, other)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := tryOpen(t, dir); (fault.CodeOf(err) == fault.Damaged) != (change != nil) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Promise: also what is exchanged while the vault is open is noticed when it
// is read.
func TestAttacksOnAnOpenVault(t *testing.T) {
	v := newVault(t)
	fillTarget(t, v, 1)
	swap := func(c vault.Collection, k byte) func(bt *bbolt.Tx) error {
		return func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.BucketName(v, c, k))
			r := rows(b)
			return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
		}
	}
	anyDamage := func(read func(tx *vault.Tx, id string) error) func(tx *vault.Tx) error {
		return func(tx *vault.Tx) error {
			for i := range 5 {
				if err := read(tx, fmt.Sprint("id", i)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	var older []row
	view := func(bt *bbolt.Tx) error {
		older = rows(bt.Bucket(vault.BucketName(v, vault.Chunks, 'r')))
		return nil
	}
	vault.ChangeData(t, v, view)
	fillTarget(t, v, 2)
	for _, c := range []struct {
		name   string
		attack func(bt *bbolt.Tx) error
		read   func(tx *vault.Tx, id string) error
	}{
		{"index swapped", swap(vault.Memories, 'i'), func(tx *vault.Tx, id string) error { _, err := tx.Get(vault.Memories, id); return err }},
		{"links swapped", swap(vault.Memories, 'l'), func(tx *vault.Tx, id string) error { tx.Linked(vault.Memories, id); return nil }},
		{"chunks of before", func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.BucketName(v, vault.Chunks, 'r'))
			for _, r := range older {
				if err := b.Put(r.k, r.v); err != nil {
					return err
				}
			}
			return nil
		}, func(tx *vault.Tx, id string) error { _, err := tx.Conversation(id); return err }},
	} {
		t.Run(c.name, func(t *testing.T) {
			vault.ChangeData(t, v, c.attack)
			if err := v.View(anyDamage(c.read)); fault.CodeOf(err) != fault.Damaged {
				t.Errorf("got %v", err)
			}
		})
	}
}
