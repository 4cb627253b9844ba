package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"keepsake/backend/memory"
)

// Kept is a conversation as it is stored, its head and its chunks still packed, for
// who keeps one whose place another takes.
type Kept struct {
	head   []byte
	chunks [][]byte
}

// Keep returns a conversation as it is stored.
func (tx *Tx) Keep(id string) (k Kept, err error) {
	if k.head, err = tx.Get(Conversations, id); err != nil {
		return k, err
	}
	r, err := tx.chunkReader(id)
	for err == nil && r.left > 0 {
		var chunk []byte
		if chunk, err = r.chunk(); err == nil {
			k.chunks = append(k.chunks, bytes.Clone(chunk))
		}
	}
	return k, err
}

// PutKept stores a conversation as Keep returned it, in the place of the one of that
// id where there is one, and returns its head.
func (tx *Tx) PutKept(id string, k Kept) (ConversationHead, error) {
	if !tx.writes {
		return ConversationHead{}, errReadOnly
	}
	wire, err := tx.keptHead(id, k)
	if err != nil {
		return ConversationHead{}, err
	}
	p, r, err := tx.slot(Conversations, id, wire.Conversation.Temporal.CreatedAt.Time)
	if err != nil {
		return ConversationHead{}, err
	}
	if r.Revision > 1 {
		if err := tx.clearMessages(p, id); err != nil {
			return ConversationHead{}, err
		}
	}
	w := chunkWriter{tx: tx, conv: r}
	for _, chunk := range k.chunks {
		if err := w.store(chunk); err != nil {
			return ConversationHead{}, err
		}
	}
	tx.st.Messages += wire.MessageCount
	return wire.head(), tx.store(p, r, id, k.head)
}

// KeptHead is the head of a conversation that is kept.
func (tx *Tx) KeptHead(id string, k Kept) (ConversationHead, error) {
	w, err := tx.keptHead(id, k)
	if err != nil {
		return ConversationHead{}, err
	}
	return w.head(), nil
}

func (tx *Tx) keptHead(id string, k Kept) (headWire, error) {
	w, err := tx.readHead(id, k.head)
	if err == nil && w.Chunks != len(k.chunks) {
		err = errDataDamaged(errors.New("read kept conversation: it lacks chunks"))
	}
	return w, err
}

// KeptMessages yields the messages of a conversation that is kept, as Messages does.
func (tx *Tx) KeptMessages(k Kept) iter.Seq2[memory.Message, error] {
	return messages(0, func() (*chunkReader, error) { return &chunkReader{tx: tx, kept: k.chunks, left: len(k.chunks)}, nil })
}

// keptPiece is how much of what is kept goes into one record at least, in bytes: a
// chunk is no larger, or a little.
const keptPiece = 1 << 20

// Pieces cuts what is kept for records of their own: the head and each chunk, in
// their order, with its length before it as a uvarint.
func (k Kept) Pieces() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var piece []byte
		for _, part := range append([][]byte{k.head}, k.chunks...) {
			piece = append(binary.AppendUvarint(piece, uint64(len(part))), part...)
			if len(piece) < keptPiece {
				continue
			}
			if !yield(piece) {
				return
			}
			piece = nil
		}
		if len(piece) > 0 {
			yield(piece)
		}
	}
}

// Join puts together what Pieces cut, which it takes over.
func (k *Kept) Join(piece []byte) error {
	for len(piece) > 0 {
		size, n := binary.Uvarint(piece)
		if n <= 0 || size > uint64(len(piece)-n) {
			return errDataDamaged(errors.New("read kept conversation: a piece is not as written"))
		}
		part := piece[n : n+int(size) : n+int(size)]
		if piece = piece[n+int(size):]; k.head == nil {
			k.head = part
		} else {
			k.chunks = append(k.chunks, part)
		}
	}
	return nil
}
