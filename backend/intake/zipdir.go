package intake

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"keepsake/backend/fault"
)

// Sizes and signatures of APPNOTE 6.3.10, §4.3.
const (
	sizeLocal   = 30 // §4.3.7, without name and extra field
	sizeCentral = 46 // §4.3.12, without name, extra field and comment
	sizeEnd     = 22 // §4.3.16, without comment
	sizeLocator = 20 // §4.3.15
	sizeEnd64   = 56 // §4.3.14, version 1
	maxComment  = 1<<16 - 1
)

var (
	sigLocal   = []byte("PK\x03\x04")
	sigCentral = []byte("PK\x01\x02")
	sigEnd     = []byte("PK\x05\x06")
	sigLocator = []byte("PK\x06\x07")
	sigEnd64   = []byte("PK\x06\x06")
)

var le = binary.LittleEndian

// directory is where the central directory lies.
type directory struct {
	start   int64 // offset of its first header
	size    int64
	entries uint64
	base    int64 // bytes before the archive proper: offsets count from here
}

// zipError makes the faults of one archive.
type zipError struct{ name string }

func (z zipError) truncated() error {
	return fault.New(fault.Invalid, "zip-truncated", "{name} is cut off: the end of the zip is missing.").With("name", z.name).
		Advise("The download was probably interrupted; download the export again.")
}

func (z zipError) damaged(what string) error {
	return fault.New(fault.Invalid, "zip-damaged", "{name} is not a whole zip file ({what}).").With("name", z.name).
		With("what", what).Advise("Download the export again.")
}

func (z zipError) ambiguous() error {
	return fault.New(fault.Refused, "zip-ambiguous",
		"{name} is two zips in one: one program would unpack other files from it than another. Nothing of it was read.").
		With("name", z.name).Advise("Download the export again, directly from the provider.")
}

// unreadable tells a failing disk from an archive that is too short.
func (z zipError) unreadable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return z.truncated()
	}
	return diskFailed(z.name, err)
}

// findDirectory reads the end of a zip. The end record must be the last thing
// of the file and the only one: whoever scans from the back and whoever scans
// from the front must find the same.
func findDirectory(at io.ReaderAt, size int64, z zipError) (directory, error) {
	tail := make([]byte, min(size, sizeEnd+maxComment))
	if _, err := at.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return directory{}, z.unreadable(err)
	}
	i := findEnd(tail)
	if i < 0 {
		return directory{}, z.truncated()
	}
	end := tail[i:]
	if bytes.Contains(end[sizeEnd:], sigEnd) {
		return directory{}, z.ambiguous()
	}
	endAt := size - int64(len(end))
	d := directory{
		entries: uint64(le.Uint16(end[10:])),
		size:    int64(le.Uint32(end[12:])),
		start:   int64(le.Uint32(end[16:])),
	}
	if disks := uint32(le.Uint16(end[4:])) | uint32(le.Uint16(end[6:])); disks != 0 && disks != math.MaxUint16 {
		return directory{}, fault.New(fault.Unsupported, "zip-split", "{name} is one disk of a split zip.").
			With("name", z.name).Advise("Join the parts to one zip first, or unpack them and drop the folder.")
	}
	d, dirEnd, err := d.widen(at, endAt, z)
	if err != nil {
		return directory{}, err
	}
	if d, err = d.settle(dirEnd, z); err != nil {
		return directory{}, err
	}
	return d, d.alone(at, z)
}

// alone refuses a zip behind another one: what stands before an archive may be a
// program or a picture, but nothing that ends as a zip does.
func (d directory) alone(at io.ReaderAt, z zipError) error {
	before := make([]byte, min(d.base, sizeEnd+maxComment))
	if _, err := at.ReadAt(before, d.base-int64(len(before))); err != nil {
		return z.unreadable(err)
	}
	if bytes.Contains(before, sigEnd) {
		return z.ambiguous()
	}
	return nil
}

// findEnd is the first end record whose comment reaches exactly to the end of
// the file, -1 where there is none.
func findEnd(tail []byte) int {
	for i := 0; i+sizeEnd <= len(tail); i++ {
		next := bytes.Index(tail[i:], sigEnd)
		if next < 0 {
			return -1
		}
		i += next
		if i+sizeEnd <= len(tail) && i+sizeEnd+int(le.Uint16(tail[i+20:])) == len(tail) {
			return i
		}
	}
	return -1
}

// widen replaces what does not fit in 16 or 32 bits by the zip64 record, and
// says where the directory must end.
func (d directory) widen(at io.ReaderAt, endAt int64, z zipError) (directory, int64, error) {
	if endAt < sizeLocator {
		return d, endAt, nil
	}
	loc := make([]byte, sizeLocator)
	if _, err := at.ReadAt(loc, endAt-sizeLocator); err != nil {
		return d, 0, z.unreadable(err)
	}
	if !bytes.HasPrefix(loc, sigLocator) {
		return d, endAt, nil
	}
	end64At := le.Uint64(loc[8:])
	if end64At > uint64(endAt-sizeLocator) {
		return d, 0, z.damaged("zip64 locator")
	}
	rec := make([]byte, sizeEnd64)
	if _, err := at.ReadAt(rec, int64(end64At)); err != nil {
		return d, 0, z.unreadable(err)
	}
	length, entries, size, start := le.Uint64(rec[4:]), le.Uint64(rec[32:]), le.Uint64(rec[40:]), le.Uint64(rec[48:])
	if !bytes.HasPrefix(rec, sigEnd64) || length != uint64(endAt)-sizeLocator-end64At-12 ||
		size > math.MaxInt64 || start > math.MaxInt64 {
		return d, 0, z.damaged("zip64 end record")
	}
	// Fields that fit must say the same in both records.
	if !agree(d.entries, entries, math.MaxUint16) || !agree(uint64(d.size), size, math.MaxUint32) ||
		!agree(uint64(d.start), start, math.MaxUint32) {
		return d, 0, z.ambiguous()
	}
	return directory{entries: entries, size: int64(size), start: int64(start)}, int64(end64At), nil
}

func agree(narrow, wide, none uint64) bool { return narrow == none || narrow == wide }

// settle checks that the directory ends where its end record begins. What
// stands before the archive (a program, a longer head) shifts all offsets.
func (d directory) settle(dirEnd int64, z zipError) (directory, error) {
	if d.size > dirEnd || d.start > dirEnd-d.size {
		return d, z.truncated()
	}
	d.base = dirEnd - d.size - d.start
	d.start += d.base
	if d.entries > uint64(d.size/sizeCentral) {
		return d, z.damaged("number of entries")
	}
	return d, nil
}
