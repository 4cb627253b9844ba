package intake

import (
	"bytes"
	"io"
	"math"

	"keepsake/backend/fault"
)

// Compression methods (§4.4.5) and flags (§4.4.4).
const (
	stored   = 0
	deflated = 8

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagStrong     = 1 << 6
	flagMasked     = 1 << 13
)

// header is one entry of the central directory.
type header struct {
	name     string
	flags    uint16
	method   uint16
	crc      uint32
	packed   int64 // bytes in the archive
	size     int64 // bytes once inflated
	offset   int64 // of the local header, in the file
	external uint32

	data int64 // offset of the packed bytes; set by readLocal
}

func (h *header) encrypted() bool { return h.flags&(flagEncrypted|flagStrong|flagMasked) != 0 }

// isRegular looks at the Unix mode that most archives carry (§4.4.15),
// whichever system the entry says it was made on.
func (h *header) isRegular() bool {
	const mask, regular = 0o170000, 0o100000
	kind := h.external >> 16 & mask
	return kind == 0 || kind == regular
}

// parseCentral cuts one header off the front of the directory.
func parseCentral(dir []byte, d directory, z zipError) (*header, []byte, error) {
	if len(dir) < sizeCentral || !bytes.HasPrefix(dir, sigCentral) {
		return nil, nil, z.damaged("central directory")
	}
	nameLen, extraLen, noteLen := int(le.Uint16(dir[28:])), int(le.Uint16(dir[30:])), int(le.Uint16(dir[32:]))
	end := sizeCentral + nameLen + extraLen + noteLen
	if len(dir) < end {
		return nil, nil, z.damaged("central directory")
	}
	h := &header{
		flags:    le.Uint16(dir[8:]),
		method:   le.Uint16(dir[10:]),
		crc:      le.Uint32(dir[16:]),
		packed:   int64(le.Uint32(dir[20:])),
		size:     int64(le.Uint32(dir[24:])),
		external: le.Uint32(dir[38:]),
		offset:   int64(le.Uint32(dir[42:])),
		name:     string(dir[sizeCentral : sizeCentral+nameLen]),
	}
	if !h.widen(dir[sizeCentral+nameLen : sizeCentral+nameLen+extraLen]) {
		return nil, nil, z.damaged("zip64 field")
	}
	h.offset += d.base
	return h, dir[end:], nil
}

// widen takes the fields that hold 0xFFFFFFFF from the zip64 extra field
// (§4.5.3), in their fixed order.
func (h *header) widen(extra []byte) bool {
	for len(extra) >= 4 {
		tag, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if len(extra) < 4+n {
			break // padding that is no field; tools write it
		}
		if tag == 1 {
			return h.widenFrom(extra[4 : 4+n])
		}
		extra = extra[4+n:]
	}
	return true
}

func (h *header) widenFrom(field []byte) bool {
	for _, v := range []*int64{&h.size, &h.packed, &h.offset} {
		if *v != math.MaxUint32 {
			continue
		}
		if len(field) < 8 || le.Uint64(field) > math.MaxInt64/2 {
			return false
		}
		*v = int64(le.Uint64(field))
		field = field[8:]
	}
	return true
}

// readLocal compares the local header with the central one: a program that
// reads the archive from the front must see the same entry.
func (h *header) readLocal(at io.ReaderAt, end int64, z zipError) error {
	buf := make([]byte, sizeLocal+len(h.name))
	if h.offset < 0 || h.offset > end-int64(len(buf)) {
		return z.damaged("offset of an entry")
	}
	if _, err := at.ReadAt(buf, h.offset); err != nil {
		return z.unreadable(err)
	}
	if !bytes.HasPrefix(buf, sigLocal) {
		return z.damaged("header of an entry")
	}
	if !h.sameAs(buf) {
		return twoThings(z.name, h.name)
	}
	h.data = h.offset + sizeLocal + int64(le.Uint16(buf[26:])) + int64(le.Uint16(buf[28:]))
	if h.packed > end-h.data {
		return z.damaged("length of an entry")
	}
	return nil
}

func twoThings(archive, name string) error {
	return fault.New(fault.Refused, "zip-mismatch",
		"{name} says two different things about {entry}: one program could unpack a harmless file and another a different one. Nothing of it was read.").
		With("name", archive).With("entry", printable(name)).
		Advise("Download the export again, directly from the provider.")
}

func (h *header) sameAs(local []byte) bool {
	flags, method := le.Uint16(local[6:]), le.Uint16(local[8:])
	if int(le.Uint16(local[26:])) != len(h.name) || string(local[sizeLocal:]) != h.name ||
		method != h.method || (flags^h.flags)&flagEncrypted != 0 {
		return false
	}
	if flags&flagDescriptor != 0 {
		return true // sizes follow the data; the central ones are checked while reading
	}
	crc, packed, size := le.Uint32(local[14:]), le.Uint32(local[18:]), le.Uint32(local[22:])
	return crc == h.crc && sameSize(packed, h.packed) && sameSize(size, h.size)
}

func sameSize(local uint32, central int64) bool {
	return local == math.MaxUint32 || int64(local) == central
}
