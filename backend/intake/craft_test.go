package intake_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// entry is one entry of a zip made by hand; zero fields are filled in honestly.
type entry struct {
	name      string
	localName string // "" = name
	data      []byte // before packing
	packed    []byte // nil = data packed by method
	method    uint16
	flags     uint16
	localFlag uint16 // or-ed into the local flags only
	crc       uint32
	size      int64 // declared in the central directory; 0 = len(data)
	localSize int64 // declared in the local header; 0 = size
	mode      uint32
	extra     []byte // central extra field
	local     []byte // local extra field
	offset    *int64 // of the local header, in place of the true one
	noLocal   bool   // write only a central header (an overlap needs offset)
	wide      bool   // sizes and offset in a zip64 field
}

// craft writes zips that no honest tool writes.
type craft struct {
	entries []entry
	prefix  []byte
	comment []byte
	count   int // added to the number of entries in the end record
	wide    bool
	cut     int // bytes cut off the end
	tail    []byte
	dirGap  int64 // added to the directory's offset in the end record
	disk    uint16
}

var le = binary.LittleEndian

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (c craft) bytes(t testing.TB) []byte {
	t.Helper()
	var out, dir bytes.Buffer
	out.Write(c.prefix)
	for _, e := range c.entries {
		e = e.filled(t)
		at := int64(out.Len() - len(c.prefix))
		if !e.noLocal {
			out.Write(e.localHeader())
			out.Write(e.packed)
		}
		if e.offset != nil {
			at = *e.offset
		}
		dir.Write(e.centralHeader(at))
	}
	start := int64(out.Len() - len(c.prefix))
	out.Write(dir.Bytes())
	out.Write(c.end(start+c.dirGap, int64(dir.Len()), int64(out.Len())))
	out.Write(c.comment)
	whole := append(out.Bytes(), c.tail...)
	return whole[:len(whole)-c.cut]
}

func (e entry) filled(t testing.TB) entry {
	if e.packed == nil {
		e.packed = e.data
		if e.method == 8 {
			e.packed = deflate(t, e.data)
		}
	}
	if e.crc == 0 {
		e.crc = crc32.ChecksumIEEE(e.data)
	}
	if e.size == 0 {
		e.size = int64(len(e.data))
	}
	if e.localSize == 0 {
		e.localSize = e.size
	}
	if e.localName == "" {
		e.localName = e.name
	}
	return e
}

func (e entry) localHeader() []byte {
	h := make([]byte, 30)
	copy(h, "PK\x03\x04")
	le.PutUint16(h[4:], 20)
	le.PutUint16(h[6:], e.flags|e.localFlag)
	le.PutUint16(h[8:], e.method)
	if (e.flags|e.localFlag)&8 == 0 {
		le.PutUint32(h[14:], e.crc)
		le.PutUint32(h[18:], uint32(len(e.packed)))
		le.PutUint32(h[22:], uint32(e.localSize))
	}
	le.PutUint16(h[26:], uint16(len(e.localName)))
	le.PutUint16(h[28:], uint16(len(e.local)))
	return append(append(h, e.localName...), e.local...)
}

func (e entry) centralHeader(at int64) []byte {
	h := make([]byte, 46)
	copy(h, "PK\x01\x02")
	le.PutUint16(h[4:], 3<<8|20)
	le.PutUint16(h[8:], e.flags)
	le.PutUint16(h[10:], e.method)
	le.PutUint32(h[16:], e.crc)
	le.PutUint32(h[20:], uint32(len(e.packed)))
	le.PutUint32(h[24:], uint32(e.size))
	le.PutUint32(h[38:], e.mode<<16)
	le.PutUint32(h[42:], uint32(at))
	extra := e.extra
	if e.wide {
		extra = make([]byte, 28)
		le.PutUint16(extra, 1)
		le.PutUint16(extra[2:], 24)
		le.PutUint64(extra[4:], uint64(e.size))
		le.PutUint64(extra[12:], uint64(len(e.packed)))
		le.PutUint64(extra[20:], uint64(at))
		for _, i := range []int{20, 24, 42} {
			le.PutUint32(h[i:], 0xFFFFFFFF)
		}
	}
	le.PutUint16(h[28:], uint16(len(e.name)))
	le.PutUint16(h[30:], uint16(len(extra)))
	return append(append(h, e.name...), extra...)
}

func (c craft) end(start, size, at int64) []byte {
	count := len(c.entries) + c.count
	var out []byte
	h := make([]byte, 22)
	copy(h, "PK\x05\x06")
	le.PutUint16(h[4:], c.disk)
	le.PutUint16(h[8:], uint16(count))
	le.PutUint16(h[10:], uint16(count))
	le.PutUint32(h[12:], uint32(size))
	le.PutUint32(h[16:], uint32(start))
	le.PutUint16(h[20:], uint16(len(c.comment)))
	if c.wide {
		rec := make([]byte, 56)
		copy(rec, "PK\x06\x06")
		le.PutUint64(rec[4:], 44)
		le.PutUint64(rec[24:], uint64(count))
		le.PutUint64(rec[32:], uint64(count))
		le.PutUint64(rec[40:], uint64(size))
		le.PutUint64(rec[48:], uint64(start))
		loc := make([]byte, 20)
		copy(loc, "PK\x06\x07")
		le.PutUint64(loc[8:], uint64(at))
		le.PutUint32(loc[16:], 1)
		out = append(append(out, rec...), loc...)
		le.PutUint32(h[16:], 0xFFFFFFFF)
	}
	return append(out, h...)
}
