package vault

import (
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// bbolt maps its file into memory. The pages that a process has read stay in its
// resident memory until the kernel wants them back, and each page fault maps those
// around it, too: an import that looks up ids all over a file of gigabytes would soon
// hold all of it. So a long file is let go of now and then. What is looked at again
// comes from the page cache.
const (
	longFile   = 48 << 20  // bytes of a file that stays mapped as it is read
	mappedMost = 24 << 20  // bytes of a longer one that may stay mapped
	faultBytes = 128 << 10 // are mapped by a look-up: a page fault of Linux maps up to 64 KiB, and there are about two
	scattered  = 8         // times the length of a value: what is mapped with it, where many are read in order
)

// mapping counts what was read of a mapped file since it was last let go of. A nil
// one does not count.
type mapping struct{ bytes atomic.Int64 }

// read notes that a transaction reads so many bytes of the file.
func (m *mapping) read(bt *bbolt.Tx, bytes int) {
	if m == nil || m.bytes.Add(int64(bytes)) <= mappedMost {
		return
	}
	m.bytes.Store(0)
	letGo(bt)
}

// letGo takes a long file out of the resident memory. What a transaction has in hand
// stays readable: it keeps the file where it is mapped.
func letGo(bt *bbolt.Tx) {
	if size := bt.Size(); size > longFile {
		release(bt.DB().Info().Data, uintptr(size))
	}
}
