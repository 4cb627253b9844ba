package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault/journal"
	"keepsake/backend/vault/vaultdir"
)

// Remains is what can still be read of a vault that may be damaged beyond use.
// It holds the vault's lock until Close, and changes nothing.
type Remains struct {
	dir   string
	lock  *os.File
	files []*os.File
	unz   *zstd.Decoder
	s     *salvor
	names map[Collection]map[string]sighting
	parts map[uint64][]sighting // chunks by the number of their conversation, in order
}

// Salvage reads what can be read of the vault in dir: its data file, whole or
// not, the copies of it in snapshots, and the journals since. Of each record the
// newest revision that opens counts; what was deleted may be among them. The
// header is taken from any copy. The vault must not be open.
func Salvage(ctx context.Context, dir string, try Opening) (_ *Remains, err error) {
	r := &Remains{dir: dir, names: map[Collection]map[string]sighting{}, parts: map[uint64][]sighting{}}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	if _, err := readCopies(dir); err != nil { // or there is no vault to take
		return nil, err
	}
	if r.lock, err = vaultdir.Lock(dir); err != nil {
		return nil, err
	}
	wrecks, err := r.dataFiles(dir)
	if err != nil {
		return nil, err
	}
	copies, err := anyCopies(dir, wrecks)
	if err != nil {
		return nil, err
	}
	keys, _, _, err := tryCopies(copies, try)
	if err != nil {
		return nil, err
	}
	r.s = newSalvor(ctx, keys, append(wrecks, journalWrecks(dir, keys)...)...)
	if err := r.s.look(); err != nil {
		return nil, err
	}
	if r.unz, err = newUnpacker(); err != nil {
		return nil, err
	}
	r.sort()
	return r, nil
}

// Close lets go of the vault and its keys.
func (r *Remains) Close() {
	if r.s != nil {
		r.s.keys.Wipe()
	}
	if r.unz != nil {
		r.unz.Close()
	}
	for _, f := range r.files {
		_ = f.Close()
	}
	if r.lock != nil {
		_ = r.lock.Close()
	}
}

// dataFiles opens the data file and its copies, as far as they can be opened.
func (r *Remains) dataFiles(dir string) (wrecks []*wreck, err error) {
	made, err := snapshots(dir)
	if err != nil {
		return nil, err
	}
	paths := []string{filepath.Join(dir, vaultdir.DataName)}
	for _, s := range made {
		paths = append(paths, filepath.Join(s.dir, vaultdir.DataName))
	}
	for _, path := range paths {
		f, err := vaultdir.Open(path, os.O_RDONLY)
		if err != nil {
			continue // gone, which is why this is done
		}
		r.files = append(r.files, f)
		info, err := f.Stat()
		if err != nil {
			continue
		}
		wrecks = append(wrecks, newWreck(f, info.Size()))
	}
	return wrecks, nil
}

// maxHeader is more than a header takes.
const maxHeader = 65 << 10

// anyCopies are the headers that can be read anywhere in the vault, newest
// first: also the one inside a data file that cannot be opened.
func anyCopies(dir string, wrecks []*wreck) ([]copyOf, error) {
	copies, err := allCopies(dir)
	s := salvor{ctx: context.Background(), files: wrecks}
	s.scan(func(c cell) {
		if bytes.Equal(c.key, headerKey) && c.size <= maxHeader {
			if raw, ok := c.value(); ok {
				copies = append(copies, parseCopy("", raw))
			}
		}
	})
	if usable := candidates(copies); len(usable) > 0 {
		return usable, nil
	}
	return nil, err
}

// journalWrecks are the journals, each as far as its frames open.
func journalWrecks(dir string, keys *seal.Keys) (wrecks []*wreck) {
	files, err := journal.Files(dir)
	if err != nil {
		return nil
	}
	for _, jf := range files {
		var ops []byte
		j, _, _ := jf.Read(keys, func(fr journal.Frame) error {
			ops = append(ops, fr.Ops...)
			return nil
		})
		j.Close()
		wrecks = append(wrecks, journalWreck(ops))
	}
	return wrecks
}

// sort puts what was found under its names.
func (r *Remains) sort() {
	for _, at := range r.s.newest() {
		switch {
		case at.c == Chunks:
			r.parts[at.seq] = append(r.parts[at.seq], at)
		case at.seq > 0:
			if r.names[at.c] == nil {
				r.names[at.c] = map[string]sighting{}
			}
			r.names[at.c][at.id] = at
		}
	}
	for seq, parts := range r.parts {
		newest := uint64(0)
		for _, p := range parts {
			newest = max(newest, p.revision)
		}
		r.parts[seq] = slices.DeleteFunc(parts, func(p sighting) bool { return p.revision < newest })
	}
}

// Remaining says how much was found. Counted is what the newest state record
// that opens says there was; nil where none opens.
type Remaining struct {
	Counted *State
	Lost    int    // sealed values that are there and do not open
	Pages   uint64 // read
	Failed  uint64 // that the disk does not give out
}

// Remaining says how much was found so far.
func (r *Remains) Remaining() Remaining {
	out := Remaining{Lost: r.s.Lost, Pages: r.s.Pages, Failed: r.s.Failed}
	if r.s.state != nil {
		counted := r.s.state.public()
		out.Counted = &counted
	}
	return out
}

// IDs are the ids of the records of a collection, in ascending order.
func (r *Remains) IDs(c Collection) []string {
	ids := make([]string, 0, len(r.names[c]))
	for id := range r.names[c] {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Get returns one record; false where the disk does not give it out again.
func (r *Remains) Get(c Collection, id string) ([]byte, bool) {
	at, ok := r.names[c][id]
	if !ok {
		return nil, false
	}
	_, body, ok := r.s.open(at)
	return body, ok
}

// Conversation returns a conversation with the messages that can be read;
// missing is how many its head counts beyond those.
func (r *Remains) Conversation(id string) (c *memory.Conversation, missing int, ok bool) {
	body, ok := r.Get(Conversations, id)
	if !ok {
		return nil, 0, false
	}
	w, err := readHead(r.unz, id, body)
	if err != nil {
		return nil, 0, false
	}
	head := w.head()
	c = &head.Conversation
	c.Messages = r.messages(r.names[Conversations][id].seq)
	return c, max(0, head.MessageCount-len(c.Messages)), true
}

// Headless are the messages of conversations whose head cannot be read.
func (r *Remains) Headless() (out [][]memory.Message) {
	headed := map[uint64]bool{}
	for _, at := range r.names[Conversations] {
		headed[at.seq] = true
	}
	var seqs []uint64
	for seq := range r.parts {
		if !headed[seq] {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	for _, seq := range seqs {
		if m := r.messages(seq); len(m) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// messages are those that can be read of a conversation. A chunk that is missing
// takes with it the message that it begins, or goes on with: what is left of one
// is no JSON.
func (r *Remains) messages(seq uint64) (out []memory.Message) {
	var rest []byte
	var joined memory.Lines
	next := uint32(0)
	keep := func(m *memory.Message) {
		if m != nil {
			out = append(out, *m)
		}
	}
	for _, p := range r.parts[seq] {
		n := binary.BigEndian.Uint32(p.locator[8:]) // as chunkLocator has it
		lines, ok := r.lines(p)
		if !ok {
			continue
		}
		if n != next { // what follows from a lost line is not known
			keep(joined.Last(nil))
			rest, joined = nil, memory.Lines{}
		}
		next = n + 1
		rest = append(rest, lines...)
		for {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole {
				break
			}
			rest = after
			if m, err := joined.Next(line); err == nil {
				keep(m)
			}
		}
	}
	keep(joined.Last(nil))
	return out
}

// Blobs are the references of the attachments that open whole, in ascending
// order: each is read to its end. Some may belong to nothing that was found.
func (r *Remains) Blobs() (refs []string, err error) {
	there, err := blobsIn(r.dir)
	if err != nil {
		return nil, nil // a folder that cannot be listed gives nothing out
	}
	for _, ref := range there {
		if err := r.s.ctx.Err(); err != nil {
			return nil, err
		}
		if readBlob(r.s.keys, filepath.Join(r.dir, vaultdir.BlobsName, ref), ref) == nil {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// OpenBlob opens an attachment. The caller closes it, before Close.
func (r *Remains) OpenBlob(ref string) (io.ReadCloser, error) {
	return openBlob(r.s.keys, filepath.Join(r.dir, vaultdir.BlobsName, ref), ref)
}

func (r *Remains) lines(p sighting) ([]byte, bool) {
	_, packed, ok := r.s.open(p)
	if !ok {
		return nil, false
	}
	lines, err := r.unz.DecodeAll(packed, nil)
	return lines, err == nil
}

func newUnpacker() (*zstd.Decoder, error) {
	unz, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(seal.MaxRecord))
	if err != nil {
		return nil, fmt.Errorf("make unpacker: %w", err)
	}
	return unz, nil
}
