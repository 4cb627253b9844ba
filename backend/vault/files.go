package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
)

// Names inside a vault folder (docs/vault-format.md §1).
const (
	headName     = "vault.head"
	headCopyName = "vault.head.bak"
	dataName     = "vault.db"
	lockName     = "lock"
	blobsName    = "blobs"

	markName      = "vault.gen"
	journalsName  = "journal"
	snapshotsName = "snapshots"
	triesName     = "vault.tries"

	damagedPrefix = dataName + ".damaged-" // of data files that were put aside
)

const (
	folderPerm fs.FileMode = 0o700
	filePerm   fs.FileMode = 0o600
)

// busyAfter is how long another process's hold on the data file is waited for.
const busyAfter = 500 * time.Millisecond

// The data file is at least two meta pages, a freelist and a leaf of 4 KiB,
// and at most 1 TiB.
const (
	leastData       = 4 * 4096
	maxData   int64 = 1 << 40
)

// takeLock makes this process the owner of the vault in dir.
func takeLock(dir string) (*os.File, error) {
	f, err := openOwn(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, errFolder(dir, err)
	}
	if err := lockFile(f); err != nil {
		_ = f.Close()
		return nil, errBusy(err)
	}
	return f, nil
}

// growth is by how much more than is needed a file that is full is made longer:
// bbolt's own 16 MiB would be most of what a small vault takes.
const growth = 256 << 10

// preflightFile is preflight of the file at path, which is opened for reading
// only. Where the file is not there or may not be read, the error is the
// system's.
func preflightFile(path string) (flightReport, error) {
	f, err := openOwn(path, os.O_RDONLY)
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

// warm reads a file from its beginning in large pieces, until it is told to
// stop: a disk gives them out faster than the scattered pages of the trees, and
// all of the file is read at the unlock that follows.
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

// openChecked opens a bbolt file that its pre-flight finds whole, now or in a
// look ahead, which may be nil. No other is ever opened to be written: that alone
// may change it.
func openChecked(path string, ahead *Ahead) (*bbolt.DB, flightReport, error) {
	report, ok := ahead.verdict()
	if !ok {
		var err error
		if report, err = preflightFile(path); err != nil {
			return nil, report, dataFault(path, err)
		}
	}
	db, err := openData(path, false)
	return db, report, err
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
		if file, err = openOwn(name, flag); err != nil {
			return nil, err
		}
		if info, err := file.Stat(); err != nil || !create && info.Size() < leastData {
			return file, fmt.Errorf("check data file: too short (%w)", io.ErrUnexpectedEOF)
		}
		return file, nil
	}
	err = contained(func() error {
		db, err = bbolt.Open(path, filePerm, &bbolt.Options{
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
		unlockFile(file) // bbolt keeps the file when it panics
		_ = file.Close()
	}
	if create && !isFault(err) { // what is only being made is not damaged
		return nil, writing(fmt.Errorf("make data file: %w", err))
	}
	return nil, dataFault(path, err)
}

func isFault(err error) bool {
	var f *fault.Error
	return errors.As(err, &f)
}

func dataFault(path string, err error) error {
	switch {
	case isFault(err):
		return err
	case errors.Is(err, syscall.ENOMEM):
		return errNoMemory(err)
	case errors.Is(err, berrors.ErrTimeout):
		return errBusy(err)
	case isForbidden(err):
		return forbidden(path, err)
	case diskFull(err):
		return errDiskFull(err)
	}
	return errDataDamaged(fmt.Errorf("open data file: %w", err))
}

// forbidden tells a file that may not be read from one that may not be written.
func forbidden(path string, cause error) error {
	f, err := openOwn(path, os.O_RDONLY)
	if err != nil {
		return errNotReadable(filepath.Dir(path), cause)
	}
	_ = f.Close()
	return errNotWritable(filepath.Dir(path), cause)
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// hidden is the reason why nobody can say whether dir holds a vault, nil where
// it can be said.
func hidden(dir string) error {
	_, err := os.Lstat(filepath.Join(dir, dataName))
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// sweep removes temporary files of a process that was killed, and snapshots that
// it was removing. The lock is held, and checkFolder has found nothing. Beside the
// vault a killed restore leaves a folder that may be a whole vault, which holds what
// was forgotten since the backup.
func sweep(dir string) {
	atomicfile.Tidy(filepath.Dir(dir))
	copies := filepath.Join(dir, snapshotsName)
	folders := []string{dir, filepath.Join(dir, blobsName), filepath.Join(dir, journalsName), copies}
	made, _ := generationsIn(copies)
	for _, generation := range made {
		at := filepath.Join(copies, generationName(generation))
		if !exists(at, dataName) {
			_ = removeAll(at)
			continue
		}
		folders = append(folders, at)
	}
	for _, folder := range folders {
		left, _ := named(folder, atomicfile.TempPrefix)
		_ = removeAll(left...)
	}
}

// inNames is how a time stands in the name of what is put aside.
const inNames = "20060102T150405Z"

// unused is path, or, where something has that name, path with a number behind it.
func unused(path string) string {
	free := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); err != nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", path, n)
	}
}

// named lists what a folder holds whose names begin with prefix; nothing where
// there is no folder. A pattern would not do: the name of a vault may be one.
func named(folder, prefix string) (paths []string, err error) {
	entries, err := readFolder(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths, err
}

// folderSize is the bytes of all files below dir.
func folderSize(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
