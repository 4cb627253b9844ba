package vault

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault/journal"
)

// twofold is a bucket in a data file with a layer over it, and what both come to.
type twofold struct {
	db   *bbolt.DB
	name []byte
	over *journal.Layer
	held map[string]string
}

// set writes a key into the data file or over it; "" takes it out.
func (tf *twofold) set(t *testing.T, key, value string, over bool) {
	t.Helper()
	var stored []byte
	if value != "" {
		stored = []byte(value)
	}
	if tf.held[key] = value; value == "" {
		delete(tf.held, key)
	}
	if over {
		d := journal.NewDraft(tf.over)
		d.Set(tf.name, []byte(key), stored, 0)
		tf.over = &d.Layer
		return
	}
	err := tf.db.Update(func(bt *bbolt.Tx) error {
		d := journal.NewDraft(nil)
		d.Set(tf.name, []byte(key), stored, 0)
		return d.Into(bt)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (tf *twofold) box(bt *bbolt.Tx) *box {
	b := &box{tx: &Tx{bt: bt, over: tf.over}, name: tf.name}
	b.find()
	return b
}

// Promise: what a transaction reads of a bucket, key by key, in order from its
// beginning and from anywhere, is what the data file has with what lies over it,
// whatever was written and taken out where; and a checkpoint makes it the file's.
func TestALayerIsReadAsWritten(t *testing.T) {
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 52))
		tf := &twofold{db: db, name: fmt.Appendf(nil, "bucket %d", seed), held: map[string]string{}}
		for range 60 { // what lies over it hides all that was in the file before
			tf.set(t, fmt.Sprint("k", r.IntN(40)), []string{"", "a", "b"}[r.IntN(3)], false)
		}
		for range r.IntN(60) {
			tf.set(t, fmt.Sprint("k", r.IntN(50)), []string{"", "c", "d"}[r.IntN(3)], true)
		}
		tf.reads(t, seed, r)
		if err := db.Update(tf.checkpoint); err != nil {
			t.Fatal(err)
		}
		tf.over = nil
		tf.reads(t, seed, r)
	}
}

// checkpoint writes what lies over the data file into it; over may be nil.
func (tf *twofold) checkpoint(bt *bbolt.Tx) error {
	if tf.over.Empty() {
		return nil
	}
	return tf.over.Into(bt)
}

func (tf *twofold) reads(t *testing.T, seed uint64, r *rand.Rand) {
	t.Helper()
	err := tf.db.View(func(bt *bbolt.Tx) error {
		b := tf.box(bt)
		keys := slices.Sorted(maps.Keys(tf.held))
		for i := range 50 {
			key := fmt.Sprint("k", i)
			if got := string(b.Get([]byte(key))); got != tf.held[key] {
				t.Errorf("seed %d: %s is %q, not %q", seed, key, got, tf.held[key])
			}
		}
		c := b.Cursor()
		k, v := c.First()
		tf.compare(t, seed, keys, c, k, v)
		for range 20 {
			from := fmt.Sprint("k", r.IntN(60))
			at, _ := slices.BinarySearch(keys, from)
			k, v := c.Seek([]byte(from))
			tf.compare(t, seed, keys[at:], c, k, v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (tf *twofold) compare(t *testing.T, seed uint64, want []string, c journal.Cursor, k, v []byte) {
	t.Helper()
	for _, key := range want {
		if string(k) != key || string(v) != tf.held[key] {
			t.Fatalf("seed %d: %q is %q, not %q is %q", seed, k, v, key, tf.held[key])
		}
		k, v = c.Next()
	}
	if k != nil {
		t.Fatalf("seed %d: %q follows the last", seed, k)
	}
}
