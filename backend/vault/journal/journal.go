package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaultdir"
)

// A journal file holds, sealed and chained, what each transaction since a
// generation wrote (docs/vault-format.md §10.2): magic "KSJL" | 01 | base u64,
// then frames of length u32 | generation u64 | AEAD, then zeros.
const (
	magic     = "KSJL\x01"
	headSize  = len(magic) + 8
	frameHead = 4 + 8
)

// A journal file is made longer by as much again as it has, within these bounds:
// frames written over zeros need no change of the file's length, which is what makes a
// flush slow.
const (
	leastRoom = 1 << 18
	mostRoom  = 1 << 20
)

// Journal is the file that the next transaction is written to.
type Journal struct {
	File  *os.File // that the frames are in
	chain *seal.Chain
	Last  uint64 // generation of the newest frame, or the base
	End   int64  // where the next frame goes
	Room  int64  // length of the file
	frame []byte // the newest, whose memory the next one takes
}

// New makes the file that goes on from a generation.
func New(dir string, keys *seal.Keys, base uint64) (*Journal, error) {
	folder := filepath.Join(dir, vaultdir.JournalsName)
	if err := vaultdir.Mkdir(folder); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, vaultdir.GenerationName(base))
	err := atomicfile.Write(path, vaultdir.FilePerm, func(w io.Writer) error {
		_, err := w.Write(binary.BigEndian.AppendUint64([]byte(magic), base))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make journal: %w", err)
	}
	chain, err := keys.Chain(base)
	if err != nil {
		return nil, err
	}
	return open(path, chain, base, int64(headSize))
}

func open(path string, chain *seal.Chain, last uint64, end int64) (*Journal, error) {
	f, err := vaultdir.Open(path, os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &Journal{File: f, chain: chain, Last: last, End: end, Room: end}, nil
}

// ErrUncertain says that a frame may be in the journal, or not.
var ErrUncertain = errors.New("a frame could not be taken back")

// Append writes the frame of a generation and flushes it. After an error the
// file is as if nothing had been written, but for errUncertain.
func (j *Journal) Append(generation uint64, ops []byte) error {
	sealed := len(ops) + seal.Overhead
	frame := slices.Grow(j.frame[:0], frameHead+sealed+4)
	frame = binary.BigEndian.AppendUint32(frame, uint32(sealed))
	frame = binary.BigEndian.AppendUint64(frame, generation)
	frame = j.chain.Seal(frame, generation, ops)
	j.frame = frame
	size := int64(len(frame))
	frame = append(frame, 0, 0, 0, 0) // no further one, whatever lay there before
	if err := j.reserve(int64(len(frame))); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := j.write(frame); err != nil {
		if failed := j.write(make([]byte, 4)); failed != nil {
			err = errors.Join(err, ErrUncertain, failed)
		}
		return fmt.Errorf("write journal: %w", err)
	}
	frame = frame[:size]
	j.chain.Keep(frame)
	j.End += size
	j.Last = generation
	return nil
}

// reserve makes the file long enough for size more bytes.
func (j *Journal) reserve(size int64) error {
	need := j.End + size
	if need <= j.Room {
		return nil
	}
	err := j.grow(need + min(max(need, leastRoom), mostRoom))
	if j.Room >= need { // what there is will do
		return nil
	}
	return err
}

// write writes where the next frame goes, and flushes it.
func (j *Journal) write(frame []byte) error {
	if _, err := j.File.WriteAt(frame, j.End); err != nil {
		return err
	}
	return vaultdir.Flush(j.File)
}

// grow makes the file longer with zeros.
func (j *Journal) grow(size int64) error {
	for j.Room < size {
		n, err := j.File.WriteAt(emptyRoom[:min(int64(len(emptyRoom)), size-j.Room)], j.Room)
		if err != nil {
			return err
		}
		j.Room += int64(n)
	}
	return nil
}

var emptyRoom [64 << 10]byte

// IsFrom reports that the file is the one that goes on from a generation; j may be nil.
func (j *Journal) IsFrom(base uint64) bool {
	return j != nil && filepath.Base(j.File.Name()) == vaultdir.GenerationName(base)
}

// Close closes the file; j may be nil.
func (j *Journal) Close() {
	if j != nil {
		_ = j.File.Close()
	}
}

// File is a journal as it was found.
type File struct {
	Path string
	Base uint64 // generation that its first frame goes on from
}

// Files lists the files by base, oldest first.
func Files(dir string) ([]File, error) {
	bases, err := vaultdir.Generations(filepath.Join(dir, vaultdir.JournalsName))
	out := make([]File, 0, len(bases))
	for _, base := range bases {
		out = append(out, File{filepath.Join(dir, vaultdir.JournalsName, vaultdir.GenerationName(base)), base})
	}
	return out, err
}

// Frame is one transaction as a journal tells it.
type Frame struct {
	Generation uint64
	Ops        []byte // as of [Redo]
}

// Read opens the frames in order, each held only while take has it, until the
// first that is not whole: one that was being written when the power went, or
// damage. It returns the journal ready to go on after the last whole frame. torn
// says that something that is no frame follows it.
func (jf File) Read(keys *seal.Keys, take func(Frame) error) (j *Journal, torn bool, err error) {
	chain, err := keys.Chain(jf.Base)
	if err != nil {
		return nil, false, err
	}
	if j, err = open(jf.Path, chain, jf.Base, int64(headSize)); err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			j.Close()
			j = nil
		}
	}()
	head := make([]byte, headSize)
	_, err = j.File.ReadAt(head, 0)
	if err != nil || string(head) != string(binary.BigEndian.AppendUint64([]byte(magic), jf.Base)) {
		return j, true, errDamaged(fmt.Errorf("read journal: not as written (%w)", err))
	}
	for {
		fr, size, err := j.next()
		if err != nil || size == 0 {
			info, statErr := j.File.Stat()
			if statErr == nil {
				j.Room = max(j.End, info.Size())
			}
			return j, err != nil, statErr
		}
		j.End += size
		j.Last = fr.Generation
		if err := take(fr); err != nil {
			return j, false, err
		}
	}
}

// next opens the frame at the end of what was read; its size is 0 where there is
// none.
func (j *Journal) next() (fr Frame, size int64, err error) {
	var head [frameHead]byte
	n, err := j.File.ReadAt(head[:], j.End)
	length := int64(binary.BigEndian.Uint32(head[:]))
	switch {
	case n == 0 || n >= 4 && length == 0:
		return fr, 0, nil
	case err != nil:
		return fr, 0, err
	case length > 2*RedoMost:
		return fr, 0, errRedo
	}
	sealed := make([]byte, length)
	if _, err := j.File.ReadAt(sealed, j.End+frameHead); err != nil {
		return fr, 0, err
	}
	fr.Generation = binary.BigEndian.Uint64(head[4:])
	if fr.Generation != j.Last+1 {
		return fr, 0, errRedo
	}
	fr.Ops, err = j.chain.Open(fr.Generation, sealed)
	return fr, frameHead + length, err
}

func errDamaged(cause error) error {
	return fault.New(fault.Damaged, "vault-journal-damaged", "A journal file of the vault is damaged.").
		Advise("Keepsake goes on from vault.db, which is whole, and makes a new copy.").Because(cause)
}

// Count is how many frames a journal seems to have; nothing is decrypted.
func (jf File) Count() int {
	raw, err := vaultdir.ReadFile(jf.Path, math.MaxInt64-1)
	if err != nil || len(raw) < headSize {
		return 0
	}
	n := 0
	for rest := raw[headSize:]; len(rest) > frameHead; n++ {
		size := int64(binary.BigEndian.Uint32(rest))
		if size == 0 || size > int64(len(rest)-frameHead) {
			break
		}
		rest = rest[frameHead+size:]
	}
	return n
}
