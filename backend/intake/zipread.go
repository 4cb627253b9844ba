package intake

import (
	"bufio"
	"context"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/flate"

	"keepsake/backend/fault"
)

// readBuffer is how much of the archive is read at once.
const readBuffer = 64 << 10

// zipEntry is one usable entry of a zip.
type zipEntry struct {
	header
	at      io.ReaderAt
	archive string
	ratio   int64
	track   track
	known   atomic.Pointer[verdict] // nil until somebody has read it to its end
}

func (e *zipEntry) read() *track { return &e.track }

func (e *zipEntry) open(ctx context.Context, reached *track) (io.ReadCloser, error) {
	packed := &counted{ctx: ctx, r: io.NewSectionReader(e.at, e.data, e.packed), share: 1, track: reached}
	sum := crc32.NewIEEE()
	g := &guarded{ctx: ctx, left: e.size, close: io.NopCloser(nil)}
	g.broken = func(cause error, more bool) error { return e.judge(e.broken(cause, more)) }
	g.check = func() error { return e.judge(e.compare(sum)) }
	if e.method == stored {
		g.r = io.TeeReader(packed, sum)
		return g, nil
	}
	inflate := flate.NewReader(bufio.NewReaderSize(packed, readBuffer))
	g.r, g.close = io.TeeReader(inflate, sum), inflate
	return g, nil
}

// plain gives the bytes of a stored entry; their checksum is not looked at.
func (e *zipEntry) plain() (io.ReaderAt, io.Closer, error) {
	if e.method != stored {
		return nil, nil, nil
	}
	return io.NewSectionReader(e.at, e.data, e.packed), nil, nil
}

func (e *zipEntry) compare(sum hash.Hash32) error {
	if sum.Sum32() == e.crc {
		return nil
	}
	return e.fail(fault.New(fault.Invalid, "entry-damaged", "{entry} in {name} is damaged: its checksum does not match.").Advise("Download the export again."), nil)
}

// broken says what is wrong with the bytes of an entry. More bytes than the
// archive declares is how a bomb hides its size.
func (e *zipEntry) broken(cause error, more bool) error {
	var corrupt flate.CorruptInputError
	switch {
	case more:
		return e.fail(fault.New(fault.Refused, "entry-longer",
			"{entry} in {name} unfolds to more than the zip says; reading stopped there.").Advise("Download the export again."), cause)
	case errors.Is(cause, io.ErrUnexpectedEOF), errors.As(cause, &corrupt):
		return e.fail(fault.New(fault.Invalid, "entry-broken", "{entry} in {name} is damaged and cannot be unpacked.").Advise("Download the export again."), cause)
	}
	return diskFailed(e.archive, cause)
}

func (e *zipEntry) fail(f *fault.Error, cause error) error {
	return f.With("entry", printable(e.name)).With("name", e.archive).Because(cause)
}
