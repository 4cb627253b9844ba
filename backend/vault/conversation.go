package vault

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"keepsake/backend/memory"
	"keepsake/backend/seal"
)

// Chunks of a conversation: JSON lines of consecutive messages, zstd, sealed.
const (
	chunkSize  = 64 << 10 // a chunk ends with the message that reaches this
	chunkPiece = 1 << 20  // a longer message goes on in the next chunk
)

// ConversationHead is everything of a conversation but its messages.
type ConversationHead struct {
	memory.Conversation          // Messages is nil
	Sum                 [32]byte // SHA-256 of the raw element it was read from
	Start               uint32   // as jsonstream.Outline, with Size
	Size                int
	ImportID            string // of the import that last wrote it
	File                string // entry it came from, base name
	TimeSource          string // as importer.ConversationDraft.TimeSource
	MessageCount        int    // set by PutConversation
	Empty               int    // messages in which nothing is said; set by PutConversation
	OffPath             int    // messages not on the active path; set by PutConversation
	Derived             int    // memories taken from it, as the caller counts them
}

// Said is how many messages a person sees.
func (h *ConversationHead) Said() int { return h.MessageCount - h.Empty }

// headWire is how a head is stored, as JSON in one zstd frame.
type headWire struct {
	Conversation conversationWire `json:"conversation"`
	headFacts
}

// headFacts is what the vault keeps of a conversation beside what PAM says of it.
type headFacts struct {
	Leaf         string `json:"leaf,omitempty"`
	Sum          []byte `json:"sum"`
	Start        uint32 `json:"start,omitempty"`
	Size         int    `json:"size,omitempty"`
	ImportID     string `json:"import_id,omitempty"`
	File         string `json:"file,omitempty"`
	TimeSource   string `json:"time_source,omitempty"`
	MessageCount int    `json:"message_count,omitempty"`
	Empty        int    `json:"empty,omitempty"`
	OffPath      int    `json:"off_path,omitempty"`
	Derived      int    `json:"derived,omitempty"`
	Chunks       int    `json:"chunks,omitempty"`
	// Starts says for each chunk which message it begins with, or goes on with;
	// nil where there is only one.
	Starts []int `json:"starts,omitempty"`
}

// appendTo appends the head as it is stored. An import writes many, and most of one is
// the conversation's own.
func (w *headWire) appendTo(dst []byte) ([]byte, error) {
	facts, err := json.Marshal(&w.headFacts)
	if err != nil {
		return nil, err
	}
	dst, err = memory.AppendHead(append(dst, `{"conversation":`...), &w.Conversation.Conversation)
	return append(append(dst, ','), facts[1:]...), err // there is a sum at least
}

// conversationWire leaves out the id, which is the record's, and the messages.
type conversationWire struct {
	memory.Conversation
	ID       string           `json:"id,omitempty"`
	Messages []memory.Message `json:"messages,omitempty"`
}

// PutConversation stores c whole, replacing an older one of the same id and
// its messages. Of h, only Sum, Start, Size, ImportID, File, TimeSource and Derived count;
// the rest is taken from c. It returns the head as it is stored.
func (tx *Tx) PutConversation(h ConversationHead, c *memory.Conversation) (ConversationHead, error) {
	return tx.putConversation(h, c, func(*memory.Message) {})
}

// TakeConversation is PutConversation of one that nobody reads any more: of a message
// that was written only its id and its parent are left, so that a long conversation and
// all that the transaction makes of it are not in memory together.
func (tx *Tx) TakeConversation(h ConversationHead, c *memory.Conversation) (ConversationHead, error) {
	return tx.putConversation(h, c, func(m *memory.Message) { *m = memory.Message{ID: m.ID, ParentID: m.ParentID} })
}

func (tx *Tx) putConversation(h ConversationHead, c *memory.Conversation, written func(*memory.Message)) (ConversationHead, error) {
	if !tx.writes {
		return h, errReadOnly
	}
	p, r, err := tx.slot(Conversations, c.ID, c.Temporal.CreatedAt.Time)
	if err != nil {
		return h, err
	}
	if r.Revision > 1 {
		if err := tx.clearMessages(p, c.ID); err != nil {
			return h, err
		}
	}
	w := chunkWriter{tx: tx, conv: r, buf: tx.lines[:0], packed: tx.packed}
	defer func() { tx.lines, tx.packed = w.buf, w.packed }()
	empty := c.EmptyCount()
	for i := range c.Messages {
		if err := w.message(i, c.Messages); err != nil {
			return h, err
		}
		written(&c.Messages[i])
	}
	if err := w.end(); err != nil {
		return h, err
	}
	wire := headWire{Conversation: conversationWire{Conversation: *c}, headFacts: headFacts{
		Leaf: c.Leaf, Sum: h.Sum[:], Start: h.Start, Size: h.Size, ImportID: h.ImportID, File: h.File, TimeSource: h.TimeSource,
		MessageCount: len(c.Messages), Empty: empty, OffPath: len(c.Messages) - c.ActiveLength(), Derived: h.Derived, Chunks: int(w.n),
	}}
	if len(w.starts) > 1 {
		wire.Starts = w.starts
	}
	plain, err := wire.appendTo(w.buf[:0])
	if err != nil {
		return h, fmt.Errorf("encode conversation: %w", err)
	}
	if err := seal.CheckSize(len(plain)); err != nil { // what is unpacked again is bounded, too
		return h, err
	}
	tx.st.Messages += len(c.Messages)
	w.packed = tx.v.zip.EncodeAll(plain, w.packed[:0])
	return wire.head(), tx.store(p, r, c.ID, w.packed)
}

// clearMessages removes the chunks of the conversation at p.
func (tx *Tx) clearMessages(p place, id string) error {
	o, err := tx.open(p, id)
	if err != nil {
		return err
	}
	w, err := tx.readHead(id, o.plain)
	if err != nil {
		return err
	}
	for _, k := range tx.keysUnder(shelf{Chunks, recordKind}, p.key) {
		if err := tx.remove(place{shelf{Chunks, recordKind}, k, p.seq}); err != nil {
			return err
		}
	}
	tx.st.Messages -= w.MessageCount
	return nil
}

// DeleteConversation removes a conversation and its messages.
func (tx *Tx) DeleteConversation(id string) error {
	if !tx.writes {
		return errReadOnly
	}
	p, err := tx.find(Conversations, id)
	if err != nil {
		return err
	}
	if err := tx.clearMessages(p, id); err != nil {
		return err
	}
	return tx.drop(p, tx.sealer.Locate('r', uint16(Conversations), id))
}

func (tx *Tx) readHead(id string, packed []byte) (headWire, error) {
	return readHead(tx.v.unz, id, packed)
}

func readHead(unz *zstd.Decoder, id string, packed []byte) (headWire, error) {
	var w headWire
	plain, err := unz.DecodeAll(packed, nil)
	if err != nil {
		return w, errDataDamaged(fmt.Errorf("unpack conversation: %w", err))
	}
	if err := json.Unmarshal(plain, &w); err != nil || len(w.Sum) != 32 {
		return w, errDataDamaged(fmt.Errorf("decode conversation: %w", err))
	}
	w.Conversation.Conversation.ID = id
	return w, nil
}

func (w headWire) head() ConversationHead {
	h := ConversationHead{
		Conversation: w.Conversation.Conversation, Sum: [32]byte(w.Sum), Start: w.Start, Size: w.Size, ImportID: w.ImportID, File: w.File,
		TimeSource: w.TimeSource, MessageCount: w.MessageCount, Empty: w.Empty, OffPath: w.OffPath, Derived: w.Derived,
	}
	h.Leaf, h.Messages = w.Leaf, nil
	return h
}

// ConversationHead returns one head.
func (tx *Tx) ConversationHead(id string) (ConversationHead, error) {
	plain, err := tx.Get(Conversations, id)
	if err != nil {
		return ConversationHead{}, err
	}
	w, err := tx.readHead(id, plain)
	if err != nil {
		return ConversationHead{}, err
	}
	return w.head(), nil
}

// EachConversation yields all heads in the order they first arrived.
func (tx *Tx) EachConversation() iter.Seq2[ConversationHead, error] {
	return func(yield func(ConversationHead, error) bool) {
		for e, err := range tx.Each(Conversations) {
			var w headWire
			if err == nil {
				w, err = tx.readHead(e.ID, e.Plain)
			}
			if err != nil {
				yield(ConversationHead{}, err)
				return
			}
			if !yield(w.head(), nil) {
				return
			}
		}
	}
}

// said counts the messages in which something is said.
func (tx *Tx) said() (n int, err error) {
	for head, err := range tx.EachConversation() {
		if err != nil {
			return 0, err
		}
		n += head.Said()
	}
	return n, nil
}

// Messages yields the messages of a conversation in the provider's order, one
// chunk in memory at a time.
func (tx *Tx) Messages(id string) iter.Seq2[memory.Message, error] {
	return tx.MessagesFrom(id, 0)
}

// MessagesFrom is Messages from a position on, without opening the chunks before it.
func (tx *Tx) MessagesFrom(id string, at int) iter.Seq2[memory.Message, error] {
	return messages(at, func() (*chunkReader, error) { return tx.chunkReader(id) })
}

func messages(at int, open func() (*chunkReader, error)) iter.Seq2[memory.Message, error] {
	return func(yield func(memory.Message, error) bool) {
		r, err := open()
		if err == nil && at > 0 {
			err = r.pass(at - 1) // what a line leaves out follows from the one before
		}
		var lines memory.Lines
		passing := at > 0
		for err == nil {
			var line []byte
			if line, err = r.line(); err != nil {
				break
			}
			m, bad := lines.Next(line)
			if bad != nil {
				err = errDataDamaged(fmt.Errorf("decode message: %w", bad))
				break
			}
			if m == nil {
				continue
			}
			if !passing && !yield(*m, nil) {
				return
			}
			passing = false
		}
		if err != io.EOF {
			yield(memory.Message{}, err)
		} else if m := lines.Last(nil); m != nil && !passing {
			yield(*m, nil)
		}
	}
}

// chunkWriter cuts a stream of messages. A message that takes more than one
// chunk has chunks of its own, so that each message is found by Starts.
type chunkWriter struct {
	tx     *Tx
	conv   seal.Record
	buf    []byte // lines not flushed yet
	packed []byte // scratch space
	first  int    // message that buf begins with
	n      uint32
	starts []int
}

func (w *chunkWriter) message(i int, all []memory.Message) error {
	var prior, next *memory.Message
	if i > 0 {
		prior = &all[i-1]
	}
	if i+1 < len(all) {
		next = &all[i+1]
	}
	before := len(w.buf)
	if before == 0 {
		w.first = i
	}
	lines, err := memory.AppendMessage(w.buf, &all[i], prior, next)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	w.buf = append(lines, '\n')
	if len(w.buf)-before > chunkPiece {
		return w.long(i, before)
	}
	if len(w.buf) >= chunkSize {
		return w.end()
	}
	return nil
}

// long flushes what stands before a long message, and then the message in
// pieces.
func (w *chunkWriter) long(i, before int) error {
	if before > 0 {
		if err := w.flush(w.buf[:before]); err != nil {
			return err
		}
		w.first = i
	}
	for piece, rest := Cut(w.buf[before:], chunkPiece); len(piece) > 0; piece, rest = Cut(rest, chunkPiece) {
		if err := w.flush(piece); err != nil {
			return err
		}
	}
	w.buf = nil // so large a buffer is not kept
	return nil
}

// end flushes what is held.
func (w *chunkWriter) end() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.flush(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *chunkWriter) flush(lines []byte) error {
	w.starts = append(w.starts, w.first)
	w.packed = w.tx.v.zip.EncodeAll(lines, w.packed[:0])
	return w.store(w.packed)
}

// store puts a chunk that is packed behind those before it.
func (w *chunkWriter) store(packed []byte) error {
	at := chunkPlace(w.conv.Seq, w.n)
	r := seal.Record{
		Collection: uint16(Chunks), Seq: w.conv.Seq, Locator: chunkLocator(at.key),
		Revision: w.conv.Revision, Created: w.conv.Created,
	}
	t := w.tx.st.tally(Chunks)
	t.Next = max(t.Next, w.conv.Seq+1)
	w.n++
	return w.tx.store(at, r, "", packed)
}

// chunkLocator is a chunk's key, filled up with zeros: chunks are not looked
// up by a name.
func chunkLocator(key []byte) (l seal.Locator) {
	copy(l[:], key)
	return l
}

// chunkReader puts the stream together again.
type chunkReader struct {
	tx     *Tx
	id     string // of the conversation
	head   seal.Record
	starts []int
	n      uint32
	left   int      // chunks to come
	kept   [][]byte // where they are not in the vault any more, but are kept

	buf    []byte // what is not read yet
	space  []byte // memory of the chunk that was unpacked, used again once all of it is read
	packed []byte // memory of the chunk before it is unpacked
}

// chunksWire is what of a headWire leads to the messages. The rest is most of
// the work.
type chunksWire struct {
	Chunks int   `json:"chunks"`
	Starts []int `json:"starts"`
}

func (tx *Tx) chunkReader(id string) (*chunkReader, error) {
	p, err := tx.find(Conversations, id)
	if err != nil {
		return nil, err
	}
	r := &chunkReader{tx: tx}
	if err := r.turn(p.seq); err != nil {
		return nil, err
	}
	if r.id != id {
		return nil, errRecordsMissing(errors.New("read messages: they are of another conversation"))
	}
	return r, nil
}

// glance is turn for a conversation of one chunk at most, of which the head need not
// be unpacked; false for another.
func (r *chunkReader) glance(seq uint64) (bool, error) {
	o, err := r.openHead(seq)
	if err != nil {
		return false, err
	}
	r.id, r.head, r.starts, r.n, r.left, r.buf = o.id, o.record, nil, 0, 1, nil
	return r.tx.value(chunkPlace(seq, 1)) == nil, nil
}

func (r *chunkReader) openHead(seq uint64) (opened, error) {
	p := place{shelf{Conversations, recordKind}, seqKey(seq), seq}
	value := r.tx.value(p)
	if value == nil {
		return opened{}, errNoRecord()
	}
	return r.open(p, value)
}

func chunkPlace(seq uint64, n uint32) place {
	return place{shelf{Chunks, recordKind}, binary.BigEndian.AppendUint32(seqKey(seq), n), seq}
}

// turn begins with the first message of the conversation with that number. It
// is NotFound no-record where there is none.
func (r *chunkReader) turn(seq uint64) error {
	o, err := r.openHead(seq)
	if err != nil {
		return err
	}
	plain, err := r.tx.v.unz.DecodeAll(o.plain, r.space[:0])
	if err != nil {
		return errDataDamaged(fmt.Errorf("unpack conversation: %w", err))
	}
	r.space = plain
	var w chunksWire
	// Raw members of a provider may hold a name twice.
	if err := jsonv2.Unmarshal(plain, &w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return errDataDamaged(fmt.Errorf("decode conversation: %w", err))
	}
	switch {
	case w.Chunks == 1:
		w.Starts = []int{0}
	case len(w.Starts) != w.Chunks || w.Chunks > 0 && w.Starts[0] != 0:
		w.Starts = nil // the first vaults do not have them
	}
	r.id, r.head, r.starts, r.n, r.left, r.buf = o.id, o.record, w.Starts, 0, w.Chunks, nil
	return nil
}

// open opens a value into memory that the next one takes over.
func (r *chunkReader) open(p place, value []byte) (opened, error) {
	if cap(r.packed) < len(value) {
		r.packed = make([]byte, 0, len(value)+len(value)/4)
	}
	return openInto(r.packed, r.tx.sealer, p, value)
}

// seek turns to the chunk in which a message begins, and returns how many lines
// stand before it there. There must be starts, of which the first is 0.
func (r *chunkReader) seek(at int) int {
	from, _ := slices.BinarySearch(r.starts, at+1) // the first chunk after the message
	first := r.starts[from-1]
	from, _ = slices.BinarySearch(r.starts, first) // the first of a message in pieces
	r.n, r.left, r.buf = uint32(from), len(r.starts)-from, nil
	return at - first
}

// pass goes over the messages before one; io.EOF where there are none so many.
func (r *chunkReader) pass(at int) error {
	skip := at
	if len(r.starts) > 0 {
		skip = r.seek(at)
	}
	for range skip {
		if _, err := r.line(); err != nil {
			return err
		}
	}
	return nil
}

// line returns the next line, without its end, valid until the next one is asked
// for; io.EOF after the last.
func (r *chunkReader) line() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(r.buf[searched:], '\n'); i >= 0 {
			line := r.buf[:searched+i]
			r.buf = r.buf[searched+i+1:]
			return line, nil
		}
		searched = len(r.buf)
		if r.left == 0 {
			if searched > 0 {
				return nil, errDataDamaged(fmt.Errorf("read messages: the last one has no end"))
			}
			return nil, io.EOF
		}
		if err := r.more(); err != nil {
			return nil, err
		}
	}
}

// chunk returns the next chunk as it was packed, valid until the next one is asked
// for.
func (r *chunkReader) chunk() (packed []byte, err error) {
	if r.kept != nil {
		packed = r.kept[r.n]
	} else if packed, err = r.stored(chunkPlace(r.head.Seq, r.n)); err != nil {
		return nil, err
	}
	r.n++
	r.left--
	return packed, nil
}

func (r *chunkReader) stored(p place) ([]byte, error) {
	o, err := r.open(p, r.tx.value(p))
	if err != nil {
		return nil, err
	}
	if o.record.Revision != r.head.Revision {
		return nil, errRecordsMissing(fmt.Errorf("read messages: chunk %d belongs to another revision", r.n))
	}
	return o.plain, nil
}

// more puts the next chunk behind what is not read yet.
func (r *chunkReader) more() error {
	packed, err := r.chunk()
	if err != nil {
		return err
	}
	into := r.space
	if len(r.buf) > 0 {
		into = nil // a part of the message is still in space
	}
	lines, err := r.tx.v.unz.DecodeAll(packed, into[:0])
	if err != nil {
		return errDataDamaged(fmt.Errorf("unpack messages: %w", err))
	}
	if len(r.buf) > 0 {
		r.buf = append(r.buf, lines...)
	} else {
		r.buf, r.space = lines, lines
	}
	return nil
}
