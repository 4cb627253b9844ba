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
	bytes atomic.Int64
	rest  atomic.Int64 // bytes of all files that stayed mapped when this one was let go of
}

// read notes that a transaction reads so many bytes of the file.
func (m *mapping) read(bt *bbolt.Tx, bytes int) {
	if m == nil || m.bytes.Add(int64(bytes)) <= mappedLook {
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

// letGo takes a long file out of the resident memory. What a transaction has in hand
// stays readable: it keeps the file where it is mapped.
func letGo(bt *bbolt.Tx) {
	if size := bt.Size(); size > longFile {
		release(bt.DB().Info().Data, uintptr(size))
	}
}
