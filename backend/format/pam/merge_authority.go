package pam

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// MergeChange is something that both documents have in another version, or that the
// delta adds to what base has. Those that only the delta's signature allows are not
// listed, but for what differs beside the stores.
type MergeChange struct {
	Kind   string         `json:"kind"`            // memory, relation, entry (of the index), conversation, attachment or embedding
	ID     string         `json:"id"`              // of the conversation for an entry, of the memory for an embedding, the name of an attachment
	Title  string         `json:"title,omitempty"` // of a conversation, as the index has it
	Taken  bool           `json:"taken"`           // the result has the delta's
	Why    ConflictReason `json:"why,omitempty"`   // the result has base's; "" where it is taken
	Fields []FieldDiff    `json:"fields"`          // base's is a; none for files, which only differ
}

// Kinds of MergeChange.
const (
	changedMemory       = "memory"
	changedRelation     = "relation"
	changedEntry        = "entry"
	changedConversation = "conversation"
	changedAttachment   = "attachment"
	changedEmbedding    = "embedding"
)

// ConflictReason is why something stays as it is.
type ConflictReason string

const (
	ConflictNotSigned   ConflictReason = "not-signed"   // no signature holds
	ConflictOtherSigner ConflictReason = "other-signer" // another key signed than that of the source
	ConflictNotCovered  ConflictReason = "not-covered"  // the signature is over the memories only
	ConflictAccessWider ConflictReason = "access-wider" // it would give more access to a memory
)

// Authority is what the signature of a delta allows it to change of a base. Ids
// allow nothing: they leave with every export, and anybody can write them into a file.
type Authority struct {
	Memories ConflictReason // why it may not change memories; "" where it may
	Beside   ConflictReason // likewise relations, the index and files beside the store
}

// AuthorityOver is the authority of a delta over a base, by the reports on both: it has
// one where a key of the person signed it, or the key that signed base.
func AuthorityOver(base, delta Report, trust Trust) Authority {
	key, err := ParsePublic(delta.PublicKey)
	switch {
	case !delta.Signed || !delta.Valid || err != nil:
		return Authority{ConflictNotSigned, ConflictNotSigned}
	case slices.Contains(trust.Own, key):
	case !base.Signed || !base.Valid || !isKey(base.PublicKey, key):
		return Authority{ConflictOtherSigner, ConflictOtherSigner}
	}
	if !delta.Whole {
		return Authority{"", ConflictNotCovered}
	}
	return Authority{}
}

func isKey(text string, key Public) bool {
	other, err := ParsePublic(text)
	return err == nil && other == key
}

// ReadAuthority verifies two documents for AuthorityOver.
func ReadAuthority(ctx context.Context, base, delta *intake.Tree, rules *schema.Set, trust Trust) (Authority, error) {
	one, err := Verify(ctx, base, rules, trust)
	if err != nil {
		return Authority{}, err
	}
	other, err := Verify(ctx, delta, rules, trust)
	if err != nil {
		return Authority{}, err
	}
	return AuthorityOver(one, other, trust), nil
}

// tell lists a change. why is "" where the result has the delta's.
func (m *merging) tell(kind, id, title string, why ConflictReason, fields []FieldDiff) {
	if fields == nil {
		fields = []FieldDiff{}
	}
	m.done.Changes = append(m.done.Changes, MergeChange{kind, clip(id), clip(title), why == "", why, fields})
}

// mayReplace reports whether the delta's version of a piece with this id, of one of the
// arrays of the store, takes the place of base's. What differs only in what a merge
// makes anew is no other version.
func (m *merging) mayReplace(array, id string, was, is jsontext.Value) bool {
	if m.authority.Beside == "" {
		return true
	}
	kind, title := changedRelation, ""
	fields := diffFields(was, is, nil)
	if array == "conversations_index" {
		kind, title = changedEntry, m.beside.titles[id]
		fields = slices.DeleteFunc(fields, func(f FieldDiff) bool {
			return f.Path == "/derived_memories" || f.Path == "/message_count" || f.Path == "/storage/ref"
		})
	}
	if len(fields) > 0 {
		m.tell(kind, id, title, m.authority.Beside, fields)
	}
	return false
}

// mayRelate reports whether a relation that only the delta has may be in the result.
// Without authority it relates no two memories of base, and says of none of them that
// another took its place.
func (m *merging) mayRelate(raw jsontext.Value, from, to, kind string) bool {
	ofBase := m.inBase[to] && (m.inBase[from] || kind == string(memory.Supersedes))
	if m.authority.Beside == "" || !ofBase {
		return true
	}
	m.tell(changedRelation, idOf(raw), "", m.authority.Beside, diffFields(nil, raw, nil))
	return false
}

// narrow takes the access away from a memory of the result that base's version does
// not give: a signature is no word of the person on who may see it.
func (m *merging) narrow(t *taken, was *held) error {
	one, err := accessOf(was.canonical)
	if err != nil {
		return nil // another form than 1.0 has, which validation names
	}
	other, err := accessOf(t.canonical)
	if err != nil || !other.Wider(one) {
		return nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(t.canonical, &members); err != nil {
		return err
	}
	delete(members, "access")
	if least := memory.Narrowest(one, other); least != nil {
		if members["access"], err = jcs.Marshal(wholeAccess(*least)); err != nil {
			return err
		}
	}
	wide := t.canonical
	if t.canonical, err = jcs.Marshal(members); err != nil {
		return err
	}
	t.change = change{true, ConflictAccessWider, diffFields(t.canonical, wide, nil)}
	return nil
}

func accessOf(canonical []byte) (*memory.Access, error) {
	r, err := DecodeMemory(canonical)
	return r.Access, err
}
