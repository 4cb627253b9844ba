package intake

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"keepsake/backend/fault"
)

// disk remembers that reading a source failed, whoever saw the error: a reader
// may have gone on without an attachment.
type disk struct {
	name   string // of the source
	failed atomic.Pointer[error]
}

// watch is at, told about. At its end io.EOF is no failure.
func (d *disk) watch(at io.ReaderAt) io.ReaderAt { return watchedAt{d, at} }

func (d *disk) failure() error {
	if err := d.failed.Load(); err != nil {
		return diskFailed(d.name, *err)
	}
	return nil
}

type watchedAt struct {
	disk *disk
	at   io.ReaderAt
}

func (w watchedAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := w.at.ReadAt(p, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		w.disk.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// whileAt is at until ctx is done.
type whileAt struct {
	ctx context.Context
	at  io.ReaderAt
}

func (w whileAt) ReadAt(p []byte, offset int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.at.ReadAt(p, offset)
}

// diskFailed is a source that could be opened and then not be read.
func diskFailed(name string, cause error) error {
	return fault.New(fault.Refused, "disk-failed", "{name} cannot be read to its end: the disk it lies on reports an error.").
		With("name", printable(name)).
		Advise("Copy the file to another disk and import it again; at most the conversation at that place is there twice then.").Because(cause)
}
