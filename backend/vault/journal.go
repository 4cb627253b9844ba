package vault

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"keepsake/backend/atomicfile"
	"keepsake/backend/seal"
)

// A journal file holds, sealed and chained, what each transaction since a
// generation wrote (docs/vault-format.md §10.2): magic "KSJL" | 01 | base u64,
// then frames of length u32 | generation u64 | AEAD, then zeros.
const (
	journalMagic = "KSJL\x01"
	journalHead  = len(journalMagic) + 8
	frameHead    = 4 + 8
)

// A journal file is made longer by as much again as it has, within these bounds:
// frames written over zeros need no change of the file's length, which is what makes a
// flush slow.
const (
	leastJournalRoom = 1 << 18
	mostJournalRoom  = 1 << 20
)

// journal is the file that the next transaction is written to.
type journal struct {
	f     *os.File
	chain *seal.Chain
	last  uint64 // generation of the newest frame, or the base
	end   int64  // where the next frame goes
	room  int64  // length of the file
	frame []byte // the newest, whose memory the next one takes
}

// newJournal makes the file that goes on from a generation.
func newJournal(dir string, keys *seal.Keys, base uint64) (*journal, error) {
	folder := filepath.Join(dir, journalsName)
	if err := makeOwnFolder(folder); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, generationName(base))
	err := atomicfile.Write(path, filePerm, func(w io.Writer) error {
		_, err := w.Write(binary.BigEndian.AppendUint64([]byte(journalMagic), base))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("make journal: %w", err)
	}
	chain, err := keys.Chain(base)
	if err != nil {
		return nil, err
	}
	return openJournal(path, chain, base, int64(journalHead))
}

func openJournal(path string, chain *seal.Chain, last uint64, end int64) (*journal, error) {
	f, err := openOwn(path, os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	return &journal{f: f, chain: chain, last: last, end: end, room: end}, nil
}

// errUncertain says that a frame may be in the journal, or not.
var errUncertain = errors.New("a frame could not be taken back")

// append writes the frame of a generation and flushes it. After an error the
// file is as if nothing had been written, but for errUncertain.
func (j *journal) append(generation uint64, ops []byte) error {
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
			err = errors.Join(err, errUncertain, failed)
		}
		return fmt.Errorf("write journal: %w", err)
	}
	frame = frame[:size]
	j.chain.Keep(frame)
	j.end += size
	j.last = generation
	return nil
}

// reserve sees to it that so many bytes more have their room.
func (j *journal) reserve(size int64) error {
	need := j.end + size
	if need <= j.room {
		return nil
	}
	err := j.grow(need + min(max(need, leastJournalRoom), mostJournalRoom))
	if j.room >= need { // what there is will do
		return nil
	}
	return err
}

// write writes where the next frame goes, and flushes it.
func (j *journal) write(frame []byte) error {
	if _, err := j.f.WriteAt(frame, j.end); err != nil {
		return err
	}
	return flush(j.f)
}

// grow makes the file longer with zeros.
func (j *journal) grow(size int64) error {
	for j.room < size {
		n, err := j.f.WriteAt(emptyRoom[:min(int64(len(emptyRoom)), size-j.room)], j.room)
		if err != nil {
			return err
		}
		j.room += int64(n)
	}
	return nil
}

var emptyRoom [64 << 10]byte

func (j *journal) close() {
	if j != nil {
		_ = j.f.Close()
	}
}

// journalFile is a journal as it was found.
type journalFile struct {
	path string
	base uint64
}

// journals lists the files by base, oldest first.
func journals(dir string) ([]journalFile, error) {
	bases, err := generationsIn(filepath.Join(dir, journalsName))
	out := make([]journalFile, 0, len(bases))
	for _, base := range bases {
		out = append(out, journalFile{filepath.Join(dir, journalsName, generationName(base)), base})
	}
	return out, err
}

// frame is one transaction as a journal tells it.
type frame struct {
	generation uint64
	ops        []byte
}

// read opens the frames in order, each held only while take has it, until the
// first that is not whole: one that was being written when the power went, or
// damage. It returns the journal ready to go on after the last whole frame. torn
// says that something that is no frame follows it.
func (jf journalFile) read(keys *seal.Keys, take func(frame) error) (j *journal, torn bool, err error) {
	chain, err := keys.Chain(jf.base)
	if err != nil {
		return nil, false, err
	}
	if j, err = openJournal(jf.path, chain, jf.base, int64(journalHead)); err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			j.close()
			j = nil
		}
	}()
	head := make([]byte, journalHead)
	_, err = j.f.ReadAt(head, 0)
	if err != nil || string(head) != string(binary.BigEndian.AppendUint64([]byte(journalMagic), jf.base)) {
		return j, true, errJournalDamaged(fmt.Errorf("read journal: not as written (%w)", err))
	}
	for {
		fr, size, err := j.next()
		if err != nil || size == 0 {
			info, statErr := j.f.Stat()
			if statErr == nil {
				j.room = max(j.end, info.Size())
			}
			return j, err != nil, statErr
		}
		j.end += size
		j.last = fr.generation
		if err := take(fr); err != nil {
			return j, false, err
		}
	}
}

// next opens the frame at the end of what was read; its size is 0 where there is
// none.
func (j *journal) next() (fr frame, size int64, err error) {
	var head [frameHead]byte
	n, err := j.f.ReadAt(head[:], j.end)
	length := int64(binary.BigEndian.Uint32(head[:]))
	switch {
	case n == 0 || n >= 4 && length == 0:
		return fr, 0, nil
	case err != nil:
		return fr, 0, err
	case length > 2*redoMost:
		return fr, 0, errRedo
	}
	sealed := make([]byte, length)
	if _, err := j.f.ReadAt(sealed, j.end+frameHead); err != nil {
		return fr, 0, err
	}
	fr.generation = binary.BigEndian.Uint64(head[4:])
	if fr.generation != j.last+1 {
		return fr, 0, errRedo
	}
	fr.ops, err = j.chain.Open(fr.generation, sealed)
	return fr, frameHead + length, err
}
