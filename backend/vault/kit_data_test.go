package vault_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault"
)

// structureCases are those of the pre-flight, on the vault's own file.
func structureCases() []kitCase {
	var out []kitCase
	for _, c := range flightCases {
		out = append(out, kitCase{c.name, func(t *testing.T, _ *kit, dir string) {
			rewrite(t, file(dir, "vault.db"), func(b []byte) []byte {
				f := boltFile(b)
				c.edit(&f)
				return append([]byte{}, f...)
			})
		}})
	}
	for name, edit := range byteEdits {
		out = append(out, kitCase{"file, " + name, func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "vault.db"), edit) }})
	}
	return out
}

func inBucket(label string, edit func(b *bbolt.Bucket, r []row) error) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(k.names[label])
			return edit(b, rows(b))
		})
	}
}

func dropBucket(label string) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { return bt.DeleteBucket(k.names[label]) })
	}
}

// valueEdits change one sealed value; the places are those of the format page.
var valueEdits = map[string]func(v []byte) []byte{
	"empty": func([]byte) []byte { return []byte{} }, "one byte": func(v []byte) []byte { return v[:1] },
	"last byte cut": func(v []byte) []byte { return v[:len(v)-1] }, "one byte more": func(v []byte) []byte { return append(v, 0) },
	"only a head": func(v []byte) []byte { return v[:37] }, "format": bitAt(0), "key version": bitAt(4), "key version of none": bitAt(1), "revision": bitAt(12),
	"time": bitAt(20), "locator": bitAt(30), "nonce": bitAt(40), "text": bitAt(60), "tag": func(v []byte) []byte { v[len(v)-1] ^= 1; return v },
	"zeros": func(v []byte) []byte { return make([]byte, len(v)) },
}

func bitAt(at int) func([]byte) []byte {
	return func(v []byte) []byte { v[at] ^= 1; return v }
}

func recordCases(k *kit) []kitCase {
	var out []kitCase
	for _, label := range []string{"memories r", "memories l", "relations r", "conversations r", "chunks r", "raw r", "settings r"} {
		for name, edit := range valueEdits {
			out = append(out, kitCase{label + ", " + name, inBucket(label, func(b *bbolt.Bucket, r []row) error {
				return b.Put(r[0].k, edit(r[0].v))
			})})
		}
		out = append(out,
			kitCase{label + ", one dropped", inBucket(label, func(b *bbolt.Bucket, r []row) error { return b.Delete(r[0].k) })},
			kitCase{label + ", all dropped", dropBucket(label)},
			kitCase{label + ", a strange key", inBucket(label, func(b *bbolt.Bucket, r []row) error { return b.Put([]byte("x"), r[0].v) })})
		if len(k.older[label]) > 0 {
			out = append(out, kitCase{label + ", one put back", func(t *testing.T, k *kit, dir string) {
				raw(t, dir, func(bt *bbolt.Tx) error { return putBack(bt.Bucket(k.names[label]), k.older[label]) })
			}})
		}
		out = append(out,
			kitCase{label + ", two exchanged", inBucket(label, func(b *bbolt.Bucket, r []row) error {
				return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v))
			})},
			kitCase{label + ", one doubled", inBucket(label, func(b *bbolt.Bucket, r []row) error {
				next := bytes.Clone(r[len(r)-1].k)
				next[len(next)-1]++
				return b.Put(next, r[0].v)
			})})
	}
	return append(out, kitCase{"a strange bucket", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { _, err := bt.CreateBucket([]byte("hello")); return err })
	}})
}

func entryCases() []kitCase {
	var out []kitCase
	for _, label := range []string{"memories i", "conversations i", "relations i"} {
		for name, edit := range map[string]func(b *bbolt.Bucket, r []row) error{
			"dropped":       func(b *bbolt.Bucket, r []row) error { return b.Delete(r[0].k) },
			"invented":      func(b *bbolt.Bucket, r []row) error { return b.Put(make([]byte, 16), r[0].v) },
			"exchanged":     func(b *bbolt.Bucket, r []row) error { return errors.Join(b.Put(r[0].k, r[1].v), b.Put(r[1].k, r[0].v)) },
			"leads nowhere": func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, []byte{0, 0, 0, 0, 0, 1, 0, 0}) },
			"two to one":    func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, r[1].v) },
			"a short value": func(b *bbolt.Bucket, r []row) error { return b.Put(r[0].k, []byte("x")) },
			"a short key":   func(b *bbolt.Bucket, r []row) error { return b.Put([]byte("x"), r[0].v) },
			"under other name": func(b *bbolt.Bucket, r []row) error {
				return errors.Join(b.Delete(r[0].k), b.Put(make([]byte, 16), r[0].v))
			},
		} {
			out = append(out, kitCase{label + ", " + name, inBucket(label, edit)})
		}
		out = append(out, kitCase{label + ", all dropped", dropBucket(label)})
	}
	return out
}

// inSystem changes one value of the system bucket; nil takes it away.
func inSystem(key []byte, edit func(k *kit, value []byte) []byte) func(*testing.T, *kit, string) {
	return func(t *testing.T, k *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.SystemBucket)
			if made := edit(k, bytes.Clone(b.Get(key))); made != nil {
				return b.Put(key, made)
			}
			return b.Delete(key)
		})
	}
}

func stateCases(*kit) []kitCase {
	var out []kitCase
	for name, edit := range map[string]func(k *kit, v []byte) []byte{
		"missing": func(*kit, []byte) []byte { return nil }, "empty": func(*kit, []byte) []byte { return []byte{} },
		"of the commit before": func(k *kit, _ []byte) []byte { return k.state }, "last byte cut": func(_ *kit, v []byte) []byte { return v[:len(v)-1] },
		"only a head": func(_ *kit, v []byte) []byte { return v[:9] }, "format": func(_ *kit, v []byte) []byte { v[0] = 2; return v },
		"generation": func(_ *kit, v []byte) []byte { v[8]++; return v }, "nonce": func(_ *kit, v []byte) []byte { v[10] ^= 1; return v },
		"text": func(_ *kit, v []byte) []byte { v[40] ^= 1; return v }, "tag": func(_ *kit, v []byte) []byte { v[len(v)-1] ^= 1; return v },
		"zeros": func(_ *kit, v []byte) []byte { return make([]byte, len(v)) },
	} {
		out = append(out, kitCase{name, inSystem(vault.StateKey, edit)})
	}
	for name, change := range map[string]func(s *vault.SealedState){
		"sealed with a record more":       func(s *vault.SealedState) { s.Collections[vault.Memories].Records++ },
		"sealed with a link less":         func(s *vault.SealedState) { s.Collections[vault.Memories].Links-- },
		"sealed with a lower next number": func(s *vault.SealedState) { s.Collections[vault.Memories].Next = 2 },
		"sealed with another sum":         func(s *vault.SealedState) { s.Collections[vault.Memories].Sum[0] ^= 1 },
		"sealed without a collection":     func(s *vault.SealedState) { delete(s.Collections, vault.Relations) },
		"sealed without collections":      func(s *vault.SealedState) { s.Collections = nil },
		"sealed with values more":         func(s *vault.SealedState) { s.Epochs[0].Values++ },
		"sealed without epochs":           func(s *vault.SealedState) { s.Epochs = nil },
		"sealed with an epoch more":       func(s *vault.SealedState) { s.Epochs = append(s.Epochs, s.Epochs[0]); s.Epochs[1].Version = 9 },
		"sealed with another scope":       func(s *vault.SealedState) { s.Epochs[0].Scope = 7 },
		"sealed with a newer header":      func(s *vault.SealedState) { s.HeaderGeneration++ },
	} {
		out = append(out, kitCase{name, func(t *testing.T, _ *kit, dir string) {
			v := open(t, dir)
			vault.ChangeState(t, v, change)
			closeVault(t, v)
		}})
	}
	return append(out, kitCase{"system bucket missing", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error { return bt.DeleteBucket(vault.SystemBucket) })
	}})
}

func epochCases() []kitCase {
	var out []kitCase
	for name, edit := range map[string]func(k *kit, v []byte) []byte{
		"missing": func(*kit, []byte) []byte { return nil }, "empty": func(*kit, []byte) []byte { return []byte{} },
		"last byte cut": func(_ *kit, v []byte) []byte { return v[:len(v)-1] }, "one byte more": func(_ *kit, v []byte) []byte { return append(v, 0) },
		"format": func(_ *kit, v []byte) []byte { v[0]++; return v }, "scope": func(_ *kit, v []byte) []byte { v[2]++; return v },
		"nonce": func(_ *kit, v []byte) []byte { v[5] ^= 1; return v }, "text": func(_ *kit, v []byte) []byte { v[20] ^= 1; return v },
		"tag": func(_ *kit, v []byte) []byte { v[len(v)-1] ^= 1; return v },
	} {
		out = append(out, kitCase{name, inSystem(vault.EpochKey(1), edit)})
	}
	return append(out, kitCase{"under another number", func(t *testing.T, _ *kit, dir string) {
		raw(t, dir, func(bt *bbolt.Tx) error {
			b := bt.Bucket(vault.SystemBucket)
			wrapped := bytes.Clone(b.Get(vault.EpochKey(1)))
			return errors.Join(b.Delete(vault.EpochKey(1)), b.Put(vault.EpochKey(2), wrapped))
		})
	}})
}

func searchCases() []kitCase {
	var out []kitCase
	for name, edit := range byteEdits {
		out = append(out, kitCase{name, func(t *testing.T, _ *kit, dir string) { rewrite(t, file(dir, "index.db"), edit) }})
	}
	inIndex := func(fn func(bt *bbolt.Tx) error) func(*testing.T, *kit, string) {
		return func(t *testing.T, _ *kit, dir string) {
			db, err := bbolt.Open(file(dir, "index.db"), 0o600, &bbolt.Options{Timeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.Update(fn), db.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return append(out,
		kitCase{"salt missing", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Delete([]byte{1}) })},
		kitCase{"salt short", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Put([]byte{1}, []byte("x")) })},
		kitCase{"salt changed", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{0}).Put([]byte{1}, make([]byte, 16)) })},
		kitCase{"salt's bucket missing", inIndex(func(bt *bbolt.Tx) error { return bt.DeleteBucket([]byte{0}) })},
		kitCase{"blocks missing", inIndex(func(bt *bbolt.Tx) error { return bt.DeleteBucket([]byte{1}) })},
		kitCase{"a block changed", inIndex(func(bt *bbolt.Tx) error {
			b := bt.Bucket([]byte{1})
			return b.Put([]byte{1}, bitAt(20)(bytes.Clone(b.Get([]byte{1}))))
		})},
		kitCase{"a block cut", inIndex(func(bt *bbolt.Tx) error { return bt.Bucket([]byte{1}).Put([]byte{1}, []byte("x")) })},
		kitCase{"blocks exchanged", inIndex(func(bt *bbolt.Tx) error {
			b := bt.Bucket([]byte{1})
			x, y := bytes.Clone(b.Get([]byte{1})), bytes.Clone(b.Get([]byte{2}))
			return errors.Join(b.Put([]byte{1}, y), b.Put([]byte{2}, x))
		})})
}

func blobCases(k *kit) []kitCase {
	var out []kitCase
	edits := map[string]func([]byte) []byte{
		"one byte more": func(b []byte) []byte { return append(b, 0) }, "version": bitAt(4), "key version": bitAt(8), "salt": bitAt(20), "nonce of the head": bitAt(45),
		"head": bitAt(60), "tag of the head": bitAt(105), "nonce of the chunk": bitAt(112), "chunk": bitAt(130), "only a head": func(b []byte) []byte { return b[:109] },
	}
	for name, edit := range byteEdits {
		edits[name] = edit
	}
	for name, edit := range edits {
		out = append(out, kitCase{name, func(t *testing.T, k *kit, dir string) { rewrite(t, file(dir, "blobs", k.blob), edit) }})
	}
	return append(out,
		kitCase{"another blob under its name", func(t *testing.T, k *kit, dir string) {
			v := open(t, dir)
			ref, _ := putBlob(t, v, []byte("another picture"))
			closeVault(t, v)
			if err := os.Rename(file(dir, "blobs", ref), file(dir, "blobs", k.blob)); err != nil {
				t.Fatal(err)
			}
		}},
		kitCase{"a stray file beside it", func(t *testing.T, _ *kit, dir string) { write(t, file(dir, "blobs", "notes.txt"), "x") }},
		kitCase{"a folder in its place", func(t *testing.T, k *kit, dir string) {
			rewrite(t, file(dir, "blobs", k.blob), byteEdits["missing"])
			mkdir(t, file(dir, "blobs", k.blob))
		}})
}
