package seal

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// BlobChunk is how many bytes of a blob are sealed at once.
const BlobChunk = 1 << 20

// A blob file is fixed [41] | sealed head [68] | chunks, where fixed is
// magic [4] | format u8 | key_version u32 | salt [32] and the head seals
// size u64 | ref [32].
const (
	blobMagic    = "KSBL"
	blobSalt     = 32
	blobFixed    = len(blobMagic) + 1 + 4 + blobSalt
	blobHeadBody = 8 + sha256.Size
	blobHead     = blobFixed + blobHeadBody + Overhead
	blobStride   = BlobChunk + Overhead
)

// BlobFile is where a blob is written: chunks in order, the head at the end.
type BlobFile interface {
	io.Writer
	io.WriterAt
}

// BlobWriter seals a stream. Close decides; without it the file is worthless.
type BlobWriter struct {
	f     BlobFile
	keys  *blobKeys
	id    hash.Hash
	buf   []byte // grows to a chunk; at least one byte is held back, because the last chunk says that it is the last
	index uint64
	size  int64
}

// NewBlobWriter starts a blob under a data key.
func (k *Keys) NewBlobWriter(f BlobFile, version uint32) (*BlobWriter, error) {
	fixed := append([]byte(blobMagic), recordFormat)
	fixed = binary.BigEndian.AppendUint32(fixed, version)
	salt := make([]byte, blobSalt)
	_, _ = rand.Read(salt) // never fails (crypto/rand)
	bk, err := k.blobKeys(append(fixed, salt...))
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, blobHead)); err != nil {
		return nil, fmt.Errorf("write blob: %w", err)
	}
	key := k.purpose(forBlobID)
	defer clear(key)
	return &BlobWriter{f: f, keys: bk, id: hmac.New(sha256.New, key)}, nil
}

// Write takes more of the stream.
func (w *BlobWriter) Write(p []byte) (int, error) {
	w.id.Write(p)
	w.size += int64(len(p))
	for rest := p; len(rest) > 0; {
		if len(w.buf) == BlobChunk {
			if err := w.flush(false); err != nil {
				return 0, err
			}
		}
		n := min(len(rest), BlobChunk-len(w.buf))
		w.buf = append(w.buf, rest[:n]...)
		rest = rest[n:]
	}
	return len(p), nil
}

func (w *BlobWriter) flush(last bool) error {
	plain := w.buf
	if last {
		plain = append(plain, make([]byte, padded(len(plain))-len(plain))...)
	}
	sealed := w.keys.chunk.Seal(nil, nil, plain, w.keys.chunkAAD(w.index, last))
	if _, err := w.f.Write(sealed); err != nil {
		return fmt.Errorf("write blob: %w", err)
	}
	w.index++
	w.buf = w.buf[:0]
	return nil
}

// Close seals the last chunk and the head, and returns the blob's name (the
// keyed hash of its plaintext) and size. It does not close the file.
func (w *BlobWriter) Close() (ref string, size int64, err error) {
	if err := w.flush(true); err != nil {
		return "", 0, err
	}
	sum := w.id.Sum(nil)
	body := append(binary.BigEndian.AppendUint64(nil, uint64(w.size)), sum...)
	head := append(append([]byte(nil), w.keys.fixed...), w.keys.head.Seal(nil, nil, body, w.keys.headAAD())...)
	if _, err := w.f.WriteAt(head, 0); err != nil {
		return "", 0, fmt.Errorf("write blob head: %w", err)
	}
	return hex.EncodeToString(sum), w.size, nil
}

// BlobReader reads a blob at any position. It is for one goroutine.
type BlobReader struct {
	at     io.ReaderAt
	keys   *blobKeys
	size   int64
	pos    int64
	index  int64 // of the chunk held; -1 none
	plain  []byte
	sealed []byte
}

// OpenBlob opens a blob file and checks that it is the one named ref.
func (k *Keys) OpenBlob(at io.ReaderAt, ref string) (*BlobReader, error) {
	head := make([]byte, blobHead)
	if _, err := at.ReadAt(head, 0); err != nil {
		return nil, errBlobDamaged(fmt.Errorf("read blob head: %w", err))
	}
	if string(head[:len(blobMagic)]) != blobMagic || head[len(blobMagic)] != recordFormat {
		return nil, errBlobDamaged(errors.New("read blob head: not as written"))
	}
	bk, err := k.blobKeys(head[:blobFixed:blobFixed])
	if err != nil {
		return nil, errBlobDamaged(err)
	}
	body, err := bk.head.Open(nil, nil, head[blobFixed:], bk.headAAD())
	if err != nil {
		return nil, errBlobDamaged(fmt.Errorf("open blob head: %w", err))
	}
	if hex.EncodeToString(body[8:]) != ref {
		return nil, errBlobDamaged(errors.New("open blob head: it is another blob"))
	}
	return &BlobReader{at: at, keys: bk, size: int64(binary.BigEndian.Uint64(body)), index: -1}, nil
}

// BlobVersion reads which key version a blob file is sealed under. It is not
// authenticated until the blob is opened.
func BlobVersion(at io.ReaderAt) (uint32, error) {
	var fixed [blobFixed]byte
	if _, err := at.ReadAt(fixed[:], 0); err != nil || string(fixed[:len(blobMagic)]) != blobMagic {
		return 0, errBlobDamaged(fmt.Errorf("read blob head: %w", err))
	}
	return binary.BigEndian.Uint32(fixed[len(blobMagic)+1:]), nil
}

// Size is the blob's length in bytes.
func (r *BlobReader) Size() int64 { return r.size }

// Read reads on from the position.
func (r *BlobReader) Read(p []byte) (int, error) {
	if r.pos >= r.size {
		return 0, io.EOF
	}
	if err := r.load(r.pos / BlobChunk); err != nil {
		return 0, err
	}
	n := copy(p, r.plain[r.pos%BlobChunk:])
	r.pos += int64(n)
	return n, nil
}

// Seek moves the position.
func (r *BlobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.pos
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("seek blob: before its start")
	}
	r.pos = offset
	return offset, nil
}

func (r *BlobReader) load(index int64) error {
	if index == r.index {
		return nil
	}
	chunks := max(1, (r.size+BlobChunk-1)/BlobChunk)
	last := index == chunks-1
	held := int64(BlobChunk)
	length := blobStride
	if last {
		held = r.size - index*BlobChunk
		length = padded(int(held)) + Overhead
	}
	if cap(r.sealed) < length {
		r.sealed = make([]byte, length)
	}
	r.sealed = r.sealed[:length]
	if _, err := r.at.ReadAt(r.sealed, int64(blobHead)+index*int64(blobStride)); err != nil {
		return errBlobDamaged(fmt.Errorf("read blob: %w", err))
	}
	r.index = -1
	plain, err := r.keys.chunk.Open(r.plain[:0], nil, r.sealed, r.keys.chunkAAD(uint64(index), last))
	if err != nil {
		return errBlobDamaged(fmt.Errorf("open blob: %w", err))
	}
	r.plain, r.index = plain[:held], index
	return nil
}

// blobKeys are the two keys of one blob, made from its random salt.
type blobKeys struct {
	fixed       []byte
	vaultID     []byte
	head, chunk cipher.AEAD
}

func (k *Keys) blobKeys(fixed []byte) (*blobKeys, error) {
	data, err := k.dataKey(binary.BigEndian.Uint32(fixed[len(blobMagic)+1:]))
	if err != nil {
		return nil, err
	}
	bk := &blobKeys{fixed: fixed, vaultID: k.vaultID}
	salt := fixed[blobFixed-blobSalt:]
	if bk.head, err = k.cipher.aead(data.expand("blob-head", salt)); err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	if bk.chunk, err = k.cipher.aead(data.expand("blob", salt)); err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return bk, nil
}

// expand is HKDF-Expand of the MAC's key to one block.
func (m *mac) expand(purpose string, salt []byte) []byte {
	info := append(append([]byte(purpose), salt...), 1)
	return append([]byte(nil), m.of(info)[:]...)
}

func (b *blobKeys) headAAD() []byte {
	return field(field([]byte("BH1"), b.vaultID), b.fixed)
}

func (b *blobKeys) chunkAAD(index uint64, last bool) []byte {
	aad := field(field([]byte("B1"), b.vaultID), b.fixed)
	aad = binary.BigEndian.AppendUint64(aad, index)
	if last {
		return append(aad, 1)
	}
	return append(aad, 0)
}

// FileSize is how long the whole blob file is.
func (r *BlobReader) FileSize() int64 {
	full := max(1, (r.size+BlobChunk-1)/BlobChunk) - 1
	rest := padded(int(r.size-full*BlobChunk)) + Overhead
	return int64(blobHead) + full*int64(blobStride) + int64(rest)
}
