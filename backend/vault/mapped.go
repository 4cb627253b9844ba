package vault

import (
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// bbolt maps its file. The pages that a process has read stay in its resident memory
// until the kernel wants them back, and each page fault maps those around it, too: an
// import that looks up ids all over a file of gigabytes would soon hold all of it. So an
// import lets go of a long file now and then, and so does a check of a whole one. What
// is looked at again comes from the page cache, at the price of another fault: an unlock
// and a list would take a quarter longer, and keep what they read mapped.
const (
	longFile   = 48 << 20  // bytes of a file that stays mapped as it is read
	mappedMost = 24 << 20  // bytes of a longer one that may stay mapped
	mappedLook = 16 << 20  // bytes of reads after which the kernel is asked how many are
	faultBytes = 128 << 10 // are mapped by a look-up: a page fault of Linux maps up to 64 KiB, and there are about two
)

// inOrder is about how many bytes are mapped with an entry of so many, where many are
// read in the order of their keys: they share pages of 4 KiB, which lie anywhere and are
// two thirds full.
func inOrder(entry int) int { return entry + min(24*entry, faultBytes) }

// mapping counts what was read of a mapped file since the kernel was last asked how much
// is mapped. A nil one does not count.
type mapping struct {
	while *atomic.Int32 // it counts while this is not 0; nil: always
	bytes atomic.Int64
	rest  atomic.Int64 // bytes of all files that stayed mapped when this one was let go of
}

// SpareMapped lets go of what is mapped of long files from now on, until stop is called.
func (v *Vault) SpareMapped() (stop func()) {
	v.sparing.Add(1)
	return func() { v.sparing.Add(-1) }
}

func (m *mapping) isOff() bool { return m == nil || m.while != nil && m.while.Load() == 0 }

// read notes that a transaction reads so many bytes of the file.
func (m *mapping) read(bt *bbolt.Tx, bytes int) {
	if m.isOff() || m.bytes.Add(int64(bytes)) <= mappedLook {
		return
	}
	m.bytes.Store(0)
	if mapped, known := mappedFiles(); known && mapped <= m.rest.Load()+mappedMost {
		return
	}
	letGo(bt)
	rest, _ := mappedFiles()
	m.rest.Store(rest)
}

// done lets go of a file of which a transaction needs no more.
func (m *mapping) done(bt *bbolt.Tx) {
	if !m.isOff() {
		letGo(bt)
	}
}

// letGo takes a long file out of the resident memory. What a transaction has in hand
// stays readable: it keeps the file where it is mapped.
func letGo(bt *bbolt.Tx) {
	if size := bt.Size(); size > longFile {
		release(bt.DB().Info().Data, uintptr(size))
	}
}
