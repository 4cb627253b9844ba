package vault

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"keepsake/backend/atomicfile"
	"keepsake/backend/vault/vaultdir"
)

// Ahead is a look at the data file of a vault before the vault is opened: the
// pre-flight is over by the time the passphrase is there. What it found holds
// as long as the file is the one it saw.
type Ahead struct {
	path    string
	seen    os.FileInfo // of the file as the look began
	report  flightReport
	err     error
	reading atomic.Bool
	stop    func() // more than once is once
	stopped chan struct{}
	done    chan struct{}
}

// settled is how long a file must have rested before it is looked at, so that a
// later change shows in its time: file systems tell times in steps of up to two
// seconds.
const settled = 2 * time.Second

// LookAhead begins to look at the data file of the vault in dir. It takes no
// lock and writes nothing.
func LookAhead(dir string) *Ahead {
	a := &Ahead{path: filepath.Join(dir, vaultdir.DataName), stopped: make(chan struct{}), done: make(chan struct{})}
	a.stop = sync.OnceFunc(func() { close(a.stopped) })
	if a.seen, a.err = vaultdir.Lstat(a.path, 0); a.err == nil && !atomicfile.Identify(a.seen) {
		a.err = fs.ErrNotExist
	}
	go func() {
		defer close(a.done)
		if a.err == nil {
			a.err = a.look()
		}
	}()
	return a
}

var errStopped = errors.New("look ahead: stopped")

func (a *Ahead) look() (err error) {
	rested := time.NewTimer(time.Until(a.seen.ModTime().Add(settled)))
	defer rested.Stop()
	select {
	case <-rested.C:
	case <-a.stopped:
		return errStopped
	}
	a.reading.Store(true)
	f, err := vaultdir.Open(a.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	a.report, err = preflightOpen(interruptible{f, a.stopped}, a.seen.Size())
	return err
}

// interruptible ends a look between two reads.
type interruptible struct {
	io.ReaderAt
	stopped <-chan struct{}
}

func (r interruptible) ReadAt(p []byte, off int64) (int, error) {
	select {
	case <-r.stopped:
		return 0, errStopped
	default:
		return r.ReaderAt.ReadAt(p, off)
	}
}

// Wait returns when the look is over, or with the error of ctx.
func (a *Ahead) Wait(ctx context.Context) error {
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop ends the look, and returns when the file is closed.
func (a *Ahead) Stop() {
	a.stop()
	<-a.done
}

// Fresh says that the file is still the one that is or was looked at.
func (a *Ahead) Fresh() bool {
	now, err := os.Lstat(a.path)
	return err == nil && a.seen != nil && os.SameFile(a.seen, now) && a.seen.Size() == now.Size() && a.seen.ModTime().Equal(now.ModTime())
}

// verdict is what the look found, where that is good and holds: for who has the
// lock, so that nobody changes the file after it was compared. A look that has
// not begun to read is given up.
func (a *Ahead) verdict() (report flightReport, ok bool) {
	if a == nil {
		return report, false
	}
	if !a.reading.Load() {
		a.stop()
	}
	<-a.done
	return a.report, a.err == nil && a.Fresh()
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
