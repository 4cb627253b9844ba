package vault

// Collection numbers a set of records. The numbers are part of the format:
// never renumbered, never used again.
type Collection uint16

const (
	Memories       Collection = 1      // canonical PAM bytes of one memory
	Relations      Collection = 2      // one edge
	Conversations  Collection = 3      // heads; written by PutConversation only
	Sources        Collection = 4      // where a memory was seen: platforms, original ids
	Imports        Collection = 5      // reports of imports
	Changes        Collection = 6      // what undo needs
	Settings       Collection = 7      // preferences that belong to the vault
	Keys           Collection = 8      // signing keys, own and trusted
	Proposals      Collection = 9      // the Inbox
	Raw            Collection = 10     // provider records kept verbatim
	Audit          Collection = 11     // hash-chained log; written by Audit only
	Chunks         Collection = 12     // messages of conversations; not for callers
	Rows           Collection = 13     // sealed pages of rows of lists; written by PutRow only
	Embeddings     Collection = 14     // one vector, by the id of its memory
	Circles        Collection = 15     // what circles are called, and filled with
	Todos          Collection = 16     // one task
	Receipts       Collection = 17     // of forget
	Exports        Collection = 18     // what left, so that a later export can build on it
	Interchange    Collection = 19     // what documents said beside memories, kept as it stood
	Uses           Collection = 20     // how often a memory was read
	AgentCalls     Collection = 21     // what agents asked for
	allCollections Collection = 0      // the scope of an epoch for everything
	blobFiles      Collection = 0xFFFF // the scope of an epoch for blobs alone
)

// kind of a bucket; part of its keyed name.
type kind byte

const (
	recordKind kind = 'r' // sequence u64 → sealed value; chunks: sequence u64 | number u32
	indexKind  kind = 'i' // locator [16] → sequence u64
	linkKind   kind = 'l' // locator [16] → sealed value
)

// shelf is one bucket.
type shelf struct {
	c    Collection
	kind kind
}

// sealedShelves says which buckets of a collection hold sealed values.
func (c Collection) sealedShelves() []shelf {
	if c == Chunks {
		return []shelf{{c, recordKind}}
	}
	return []shelf{{c, recordKind}, {c, linkKind}}
}
