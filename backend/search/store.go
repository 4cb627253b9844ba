package search

import "iter"

// Store keeps the blocks of an index. Keys are numbers and say nothing else, so
// they may be stored as they are; blocks hold words of the vault and must be
// sealed.
type Store interface {
	View(func(Tx) error) error
	Update(func(Tx) error) error // durable on return, all or nothing
}

// Tx reads and writes blocks. Put and Delete are called within Update only.
type Tx interface {
	Get(key []byte) ([]byte, error) // the caller's own copy; nil when absent
	Put(key, block []byte) error
	Delete(key []byte) error
	Keys(prefix []byte) iter.Seq2[[]byte, error] // in order; a key is good until the next one
}

// Kind says what a unit is.
type Kind byte

const (
	Memory       Kind = 1 // one document, part 0
	Conversation Kind = 2 // a document for each message, and one for the title
)

// Unit is one record of the vault.
type Unit struct {
	Kind Kind
	Seq  uint64 // the record's number in the vault, for ever
	Mark uint64 // tells one writing of the record from any other
}

// Title is the Part of the document that holds a conversation's title.
const Title = 1<<32 - 1

// ToolCalls is set in the Part of a message that says nothing itself: a tool is
// called in it, or answers.
const ToolCalls = 1 << 31

// Doc is one text of a unit: what a hit points at.
type Doc struct {
	Part uint32 // position of the message, with ToolCalls where that is all, or Title
	Time int64  // unix seconds, 0 unknown; kept from 1970 to 2106, others become the nearer end
	Text string // only the first MaxText bytes are indexed
}

// Break parts the text of a document: no phrase stands on both sides of one.
const Break = "\f"

// MaxText is how much of one document is indexed, verified and marked, in bytes.
const MaxText = 16 << 20

// unitKey is what a unit is found by.
type unitKey struct {
	kind Kind
	seq  uint64
}

func (u Unit) key() unitKey { return unitKey{u.Kind, u.Seq} }
