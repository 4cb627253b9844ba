package seal

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"
)

const (
	scratchChunk  = 64 << 10
	scratchStride = scratchChunk + Overhead
	scratchCached = 8 // chunks; a zip is read at its end and at one place in the middle
)

// Scratch is a temporary file that nobody else can read, not even after a
// crash: its key exists only in memory. It is written from front to back and
// can be read at any offset meanwhile. It is safe for concurrent use.
type Scratch struct {
	mu    sync.Mutex
	f     *os.File
	gone  bool // the name is removed already
	aead  cipher.AEAD
	tail  []byte
	full  int64 // chunks sealed in the file
	cache [scratchCached]struct {
		index int64
		plain []byte
	}
	next int
}

// NewScratch makes one in dir, or in the system's folder when dir is "".
func NewScratch(dir string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, ".keepsake-scratch-*")
	if err != nil {
		return nil, fmt.Errorf("create scratch file: %w", err)
	}
	s := &Scratch{f: f, tail: make([]byte, 0, scratchChunk)}
	s.gone = removeOpen(f.Name())
	key := make([]byte, keySize)
	defer clear(key)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	if s.aead, err = AES256GCM.aead(key); err != nil {
		_ = s.Close()
		return nil, err
	}
	for i := range s.cache {
		s.cache[i].index = -1
	}
	return s, nil
}

// Write appends.
func (s *Scratch) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := p; len(rest) > 0; {
		n := min(len(rest), scratchChunk-len(s.tail))
		s.tail = append(s.tail, rest[:n]...)
		rest = rest[n:]
		if len(s.tail) == scratchChunk {
			if err := s.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (s *Scratch) flush() error {
	sealed := s.aead.Seal(nil, nil, s.tail, scratchAAD(s.full))
	if _, err := s.f.WriteAt(sealed, s.full*scratchStride); err != nil {
		return fmt.Errorf("write scratch file: %w", err)
	}
	s.full++
	s.tail = s.tail[:0]
	return nil
}

// Size is how much was written, in bytes.
func (s *Scratch) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size()
}

func (s *Scratch) size() int64 { return s.full*scratchChunk + int64(len(s.tail)) }

// ReadAt reads what was written.
func (s *Scratch) ReadAt(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if off < 0 {
		return 0, fmt.Errorf("read scratch file: offset %d", off)
	}
	done := 0
	for done < len(p) {
		at := off + int64(done)
		if at >= s.size() {
			return done, io.EOF
		}
		plain, err := s.chunk(at / scratchChunk)
		if err != nil {
			return done, err
		}
		done += copy(p[done:], plain[at%scratchChunk:])
	}
	return done, nil
}

func (s *Scratch) chunk(index int64) ([]byte, error) {
	if index == s.full {
		return s.tail, nil
	}
	for i := range s.cache {
		if s.cache[i].index == index {
			return s.cache[i].plain, nil
		}
	}
	sealed := make([]byte, scratchStride)
	if _, err := s.f.ReadAt(sealed, index*scratchStride); err != nil {
		return nil, errScratchDamaged(fmt.Errorf("read scratch file: %w", err))
	}
	slot := &s.cache[s.next]
	s.next = (s.next + 1) % scratchCached
	slot.index = -1
	plain, err := s.aead.Open(slot.plain[:0], nil, sealed, scratchAAD(index))
	if err != nil {
		return nil, errScratchDamaged(fmt.Errorf("open scratch file: %w", err))
	}
	slot.plain, slot.index = plain, index
	return plain, nil
}

// Close removes it and clears what is held in memory.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tail[:cap(s.tail)])
	for i := range s.cache {
		clear(s.cache[i].plain)
	}
	err := s.f.Close()
	if !s.gone {
		s.gone = true
		_ = os.Remove(s.f.Name())
	}
	return err
}

func scratchAAD(index int64) []byte {
	return binary.BigEndian.AppendUint64([]byte("T1"), uint64(index))
}
