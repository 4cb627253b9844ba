package vault

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/vault/vaultdir"
)

// busyAfter is how long another process's hold on the data file is waited for.
const busyAfter = 500 * time.Millisecond

// The data file is at least two meta pages, a freelist and a leaf of 4 KiB,
// and at most 1 TiB.
const (
	leastData       = 4 * 4096
	maxData   int64 = 1 << 40
)

// growth is by how much more than is needed a file that is full is made longer:
// bbolt's own 16 MiB would be most of what a small vault takes.
const growth = 256 << 10

// preflightFile is preflight of the file at path, which is opened for reading
// only. Where the file is not there or may not be read, the error is the
// system's.
func preflightFile(path string) (flightReport, error) {
	f, err := vaultdir.Open(path, os.O_RDONLY)
	if err != nil {
		return flightReport{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return flightReport{}, err
	}
	return preflightOpen(f, info.Size())
}

// preflightOpen is preflight of an open file, of which nothing is read any more
// when it returns.
func preflightOpen(f io.ReaderAt, size int64) (flightReport, error) {
	stop := make(chan struct{})
	var ahead sync.WaitGroup
	if size > leastWarm {
		ahead.Go(func() { warm(f, min(size, maxWarm), stop) })
	}
	defer ahead.Wait() // an open file cannot be renamed everywhere
	defer close(stop)
	return preflight(f, size)
}

// Reading ahead of a pre-flight is for files of more than a few MiB, and ends
// where the memory of small computers would.
const (
	leastWarm = 8 << 20
	maxWarm   = 2 << 30
)

// warm reads a file sequentially into the page cache, until stop is closed. That is
// faster than reading the scattered pages of the trees, and the unlock that follows reads
// all of the file anyway.
func warm(f io.ReaderAt, size int64, stop <-chan struct{}) {
	piece := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(piece)) {
		select {
		case <-stop:
			return
		default:
		}
		if _, err := f.ReadAt(piece, at); err != nil {
			return // the pre-flight meets it as well, or need not
		}
	}
}

// mapped is how much of the data file is mapped from the start, in bytes: an
// import that outgrows it copies all it has under way and maps anew. Addresses
// cost nothing on 64 bits; Windows makes the file itself as long.
func mapped() int {
	if runtime.GOOS == "windows" || math.MaxInt == math.MaxInt32 {
		return 0
	}
	return 1 << 30
}

// openData opens the data file, or makes it where create says so. bbolt alone
// would make a new one where there is none, or where one was cut to nothing.
func openData(path string, create bool) (db *bbolt.DB, err error) {
	var file *os.File
	opening := func(name string, flag int, _ fs.FileMode) (*os.File, error) {
		if create {
			flag |= os.O_EXCL
		} else {
			flag &^= os.O_CREATE
		}
		if file, err = vaultdir.Open(name, flag); err != nil {
			return nil, err
		}
		if info, err := file.Stat(); err != nil || !create && info.Size() < leastData {
			return file, fmt.Errorf("check data file: too short (%w)", io.ErrUnexpectedEOF)
		}
		return file, nil
	}
	err = contained(func() error {
		db, err = bbolt.Open(path, vaultdir.FilePerm, &bbolt.Options{
			Timeout:         busyAfter,
			FreelistType:    bbolt.FreelistArrayType, // the other kind sorts all free pages in every commit
			InitialMmapSize: mapped(),
			MaxSize:         int(min(maxData, math.MaxInt)),
			NoStatistics:    true,
			OpenFile:        opening,
		})
		return err
	})
	if err == nil {
		db.AllocSize = growth
		return db, nil
	}
	if file != nil {
		vaultdir.Unlock(file) // bbolt keeps the file when it panics
		_ = file.Close()
	}
	if create && !vaultdir.IsFault(err) { // what is only being made is not damaged
		return nil, vaultdir.ErrWriting(fmt.Errorf("make data file: %w", err))
	}
	return nil, dataFault(path, err)
}
