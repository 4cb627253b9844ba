package vault

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"

	"go.etcd.io/bbolt"

	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
)

// verify proves that the stored values are exactly those the state record
// counts and sums: none missing, doubled, moved or older, and that the index
// leads to each of them.
func verify(bt *bbolt.Tx, keys *seal.Keys, s *state) error {
	return verifyOn(runtime.GOMAXPROCS(0), new(mapping), bt, keys, s)
}

// verifyOn is verify with so many workers. What they read stays mapped where m is nil.
func verifyOn(workers int, m *mapping, bt *bbolt.Tx, keys *seal.Keys, s *state) error {
	a := newAuditor(bt, keys, workers)
	a.mapped = m
	perEpoch := map[uint32]int{}
	for _, c := range s.known() {
		got, err := a.collection(c)
		if err != nil {
			return err
		}
		want := s.Collections[c]
		if got.records != want.Records || got.links != want.Links || got.sum != want.Sum || got.last >= want.Next {
			return errRecordsMissing(fmt.Errorf("verify collection %d: %d records, %d links instead of %d, %d, or their sum differs",
				c, got.records, got.links, want.Records, want.Links))
		}
		for version, n := range got.epochs {
			perEpoch[version] += n
		}
	}
	if err := s.fits(perEpoch); err != nil {
		return err
	}
	return a.noStrangers(s)
}

// fits compares the values of each key version with the state's counts.
func (s *state) fits(perEpoch map[uint32]int) error {
	for _, e := range s.Epochs {
		if perEpoch[e.Version] != e.Values {
			return errRecordsMissing(fmt.Errorf("verify epoch %d: %d values instead of %d", e.Version, perEpoch[e.Version], e.Values))
		}
		delete(perEpoch, e.Version)
	}
	if len(perEpoch) > 0 || len(s.Epochs) == 0 {
		return errRecordsMissing(fmt.Errorf("verify epochs: values of %d unknown ones", len(perEpoch)))
	}
	return nil
}

// found is what a collection holds.
type found struct {
	records, links int
	last           uint64 // highest sequence number
	sum            seal.Sum
	epochs         map[uint32]int
	pairs          [2]uint64 // of locator and sequence number, by the records
}

func (f *found) add(g found) {
	f.records += g.records
	f.links += g.links
	f.last = max(f.last, g.last)
	f.sum = f.sum.Add(g.sum)
	f.pairs[0] += g.pairs[0]
	f.pairs[1] += g.pairs[1]
	for v, n := range g.epochs {
		f.epochs[v] += n
	}
}

// auditor walks the data file once. The index is compared with the records as
// two multisets of (locator, sequence number), by sums of a hash whose seed is
// new in every run.
type auditor struct {
	bt      *bbolt.Tx
	keys    *seal.Keys
	sealer  *seal.Sealer
	seeds   [2]maphash.Seed
	workers int
	mapped  *mapping
}

func newAuditor(bt *bbolt.Tx, keys *seal.Keys, workers int) *auditor {
	return &auditor{bt: bt, keys: keys, workers: workers, sealer: keys.Sealer(), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

func (a *auditor) collection(c Collection) (found, error) {
	total := found{epochs: map[uint32]int{}}
	for _, s := range c.sealedShelves() {
		f, err := a.shelf(s)
		if err != nil {
			return found{}, err
		}
		total.add(f)
	}
	if c == Chunks {
		return total, nil
	}
	n, pairs, err := a.index(shelf{c, indexKind})
	if err != nil {
		return found{}, err
	}
	if n != total.records || pairs != total.pairs {
		return found{}, errRecordsMissing(fmt.Errorf("verify collection %d: the index does not fit the records", c))
	}
	return total, nil
}

// shelf sums one bucket of sealed values.
func (a *auditor) shelf(s shelf) (found, error) {
	total := found{epochs: map[uint32]int{}}
	b := a.bt.Bucket(bucketName(a.sealer, s))
	if b == nil {
		return total, nil
	}
	err := among(a.workers, b, a.mapped, func(jobs <-chan []stored) (func(), error) {
		f, err := a.work(s, jobs)
		return func() { total.add(f) }, err
	})
	return total, err
}

type stored struct{ key, value []byte }

// among gives all of a bucket to so many workers. What a worker returns adds what
// it found to the rest, one worker after the other.
func among(workers int, b *bbolt.Bucket, m *mapping, work func(jobs <-chan []stored) (add func(), err error)) error {
	jobs := make(chan []stored, 4)
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			add, err := work(jobs)
			mu.Lock()
			defer mu.Unlock()
			add()
			if failed == nil {
				failed = err
			}
		})
	}
	err := contained(func() error { feed(b.Cursor(), jobs, checkedAtOnce, m, b.Tx()); return nil })
	wg.Wait() // before the file may be unmapped
	return errors.Join(err, failed)
}

// checkedAtOnce is how many values a worker takes in hand. Some seven such parts are under
// way, and what is mapped with them is mapped again after the file was let go of.
const checkedAtOnce = 256

func feed(c journal.Cursor, jobs chan<- []stored, size int, m *mapping, bt *bbolt.Tx) {
	defer close(jobs)
	defer m.done(bt)
	part := make([]stored, 0, size)
	for k, v := c.First(); k != nil; k, v = c.Next() {
		m.read(bt, inOrder(len(k)+len(v)))
		if part = append(part, stored{k, v}); len(part) == size {
			jobs <- part
			part = make([]stored, 0, size)
		}
	}
	jobs <- part
}

func (a *auditor) work(s shelf, jobs <-chan []stored) (found, error) {
	f := found{epochs: map[uint32]int{}}
	m := a.keys.Manifest()
	err := eachStored(jobs, func(it stored) error { return f.take(a, m, s, it) })
	return f, err
}

// eachStored is a worker's side of feed. After an error it only empties the
// queue, so that the feeder ends.
func eachStored(jobs <-chan []stored, take func(stored) error) (failed error) {
	for part := range jobs {
		if failed != nil {
			continue
		}
		failed = contained(func() error {
			for _, it := range part {
				if err := take(it); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return failed
}

func (f *found) take(a *auditor, m *seal.Manifest, s shelf, it stored) error {
	seq, err := seqOf(s, it.key)
	if err != nil {
		return err
	}
	r, err := seal.ParseRecord(uint16(s.c), seq, it.value)
	if err != nil {
		return err
	}
	f.sum = f.sum.Add(m.Digest(r, it.value))
	f.epochs[r.KeyVersion]++
	if s.kind == linkKind {
		f.links++
		if string(it.key) != string(r.Locator[:]) {
			return errRecordsMissing(fmt.Errorf("verify collection %d: a link stands in a wrong place", s.c))
		}
		return nil
	}
	f.records++
	f.last = max(f.last, seq)
	if s.c == Chunks {
		if r.Locator != chunkLocator(it.key) {
			return errRecordsMissing(fmt.Errorf("verify chunks: one stands in a wrong place"))
		}
		return nil
	}
	a.pair(&f.pairs, r.Locator[:], it.key)
	return nil
}

// seqOf is the sequence number in the key of a sealed value.
func seqOf(s shelf, key []byte) (uint64, error) {
	want := 8
	switch {
	case s.kind == linkKind:
		want = 16
	case s.c == Chunks:
		want = 12
	}
	if len(key) != want {
		return 0, errDataDamaged(fmt.Errorf("verify collection %d: key of %d bytes", s.c, len(key)))
	}
	if s.kind == linkKind {
		return 0, nil
	}
	return binary.BigEndian.Uint64(key), nil
}

func (a *auditor) pair(sums *[2]uint64, locator, seq []byte) {
	var b [24]byte
	copy(b[:], locator)
	copy(b[16:], seq)
	sums[0] += maphash.Bytes(a.seeds[0], b[:])
	sums[1] += maphash.Bytes(a.seeds[1], b[:])
}

func (a *auditor) index(s shelf) (n int, pairs [2]uint64, err error) {
	b := a.bt.Bucket(bucketName(a.sealer, s))
	if b == nil {
		return 0, pairs, nil
	}
	defer a.mapped.done(a.bt)
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		a.mapped.read(a.bt, inOrder(len(k)+len(v)))
		if len(k) != 16 || len(v) != 8 {
			return 0, pairs, errDataDamaged(fmt.Errorf("verify collection %d: index entry is not as written", s.c))
		}
		a.pair(&pairs, k, v)
		n++
	}
	return n, pairs, nil
}

// noStrangers refuses buckets that no collection of the state owns.
func (a *auditor) noStrangers(s *state) error {
	own := map[string]bool{string(systemBucket): true}
	for _, c := range s.known() {
		for _, k := range []kind{recordKind, indexKind, linkKind} {
			own[string(bucketName(a.sealer, shelf{c, k}))] = true
		}
	}
	return a.bt.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if !own[string(name)] {
			return errRecordsMissing(fmt.Errorf("verify: a bucket that belongs to no collection"))
		}
		return nil
	})
}
