package memory

import (
	"crypto/sha256"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// Pairs are the messages that two exports of one conversation both have: the id in the
// one → the id in the other.
type Pairs map[string]string

// Pair finds the messages of older in newer: those that say the same under the same id
// of the provider, or at the same time where it gave none, then those whose words changed
// under an id of the provider, and then those that say the same where only one of the two
// has such an id. Of equal ones each is paired once. The id of a message alone says
// nothing: where the provider gives none, readers count.
func Pair(older, newer iter.Seq2[Message, error]) (Pairs, error) {
	x := pairing{same: map[[sha256.Size]byte][]string{}, left: map[string]string{}, pairs: Pairs{}}
	for m, err := range newer {
		if err != nil {
			return nil, err
		}
		sum := sumOf(&m)
		x.same[sum], x.left[m.ID] = append(x.same[sum], m.ID), keyOf(&m)
	}
	var unpaired []Message // of older, without what they say
	for m, err := range older {
		if err != nil {
			return nil, err
		}
		if !x.take(m.ID, x.same, sumOf(&m)) {
			unpaired = append(unpaired, Message{ID: m.ID, ProviderMessageID: m.ProviderMessageID, Role: m.Role, IsThought: m.IsThought})
		}
	}
	x.byKey(unpaired)
	if !slices.ContainsFunc(unpaired, func(m Message) bool { return x.pairs[m.ID] == "" }) {
		return x.pairs, nil
	}
	return x.pairs, x.byWords(older, newer)
}

// pairing is one under way. It holds ids and sums, no texts.
type pairing struct {
	same  map[[sha256.Size]byte][]string // ids of newer that say the same
	left  map[string]string              // keyOf by id, of those of newer that are not paired yet
	pairs Pairs
}

// take pairs a message of older with the next that is left of a list.
func (x *pairing) take(id string, lists map[[sha256.Size]byte][]string, sum [sha256.Size]byte) bool {
	ids := lists[sum]
	if len(ids) == 0 {
		return false
	}
	lists[sum], x.pairs[id] = ids[1:], ids[0]
	delete(x.left, ids[0])
	return true
}

func (x *pairing) byKey(unpaired []Message) {
	byKey := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(x.left)) {
		byKey[x.left[id]] = append(byKey[x.left[id]], id)
	}
	for i := range unpaired {
		m := &unpaired[i]
		key := keyOf(m)
		if ids := byKey[key]; m.ProviderMessageID != "" && len(ids) > 0 {
			x.pairs[m.ID], byKey[key] = ids[0], ids[1:]
			delete(x.left, ids[0])
		}
	}
}

// byWords pairs what one export has an id of the provider for and the other has not, as of
// a reader that did not keep it. A message that says nothing is told by its id alone.
func (x *pairing) byWords(older, newer iter.Seq2[Message, error]) error {
	lists := map[bool]map[[sha256.Size]byte][]string{false: {}, true: {}} // true: with an id of the provider
	for m, err := range newer {
		if err != nil {
			return err
		}
		if _, left := x.left[m.ID]; left && !m.IsEmpty() {
			has, sum := m.ProviderMessageID != "", wordsOf(&m)
			lists[has][sum] = append(lists[has][sum], m.ID)
		}
	}
	if len(lists[false])+len(lists[true]) == 0 {
		return nil
	}
	for m, err := range older {
		if err != nil {
			return err
		}
		if _, paired := x.pairs[m.ID]; !paired {
			x.take(m.ID, lists[m.ProviderMessageID == ""], wordsOf(&m))
		}
	}
	return nil
}

// keyOf tells the messages apart that a reader made of one of the provider's.
func keyOf(m *Message) string {
	return m.ProviderMessageID + "\x00" + string(m.Role) + "\x00" + strconv.FormatBool(m.IsThought)
}

func sumOf(m *Message) [sha256.Size]byte {
	at := ""
	if m.ProviderMessageID == "" {
		at = m.CreatedAt.String()
	}
	words := wordsOf(m)
	return sha256.Sum256(slices.Concat(words[:], []byte(keyOf(m)), []byte(at)))
}

// wordsOf is a sum of who says what.
func wordsOf(m *Message) [sha256.Size]byte {
	texts := []string{string(m.Role), strconv.FormatBool(m.IsThought), m.Content.PlainText()}
	for _, call := range m.ToolCalls {
		texts = append(texts, call.ID, call.Name)
	}
	h := sha256.New()
	for _, text := range texts {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Union adds to the messages of one export of a conversation those of another that it
// lacks, each behind the message that it stood behind there. A message of newer that
// names no parent answers what it answered in older. ChildrenIDs are left empty, to be
// filled anew.
func Union(newer []Message, older iter.Seq2[Message, error], pairs Pairs) ([]Message, error) {
	u := union{names: Pairs{}, taken: map[string]bool{}, parents: map[string]string{}, behind: map[string][]Message{}}
	for i := range newer {
		u.taken[newer[i].ID] = true
	}
	last := ""
	for m, err := range older {
		if err != nil {
			return nil, err
		}
		if id, ok := pairs[m.ID]; ok {
			u.names[m.ID], u.parents[id], last = id, m.ParentID, id
			continue
		}
		id := u.free(m.ID)
		u.names[m.ID], u.taken[id] = id, true
		m.ID = id
		u.behind[last] = append(u.behind[last], m)
	}
	return u.order(newer), nil
}

// union is one under way. Ids are those of the result but where it says otherwise.
type union struct {
	names   Pairs                // of all messages of older
	taken   map[string]bool      // ids
	parents map[string]string    // ids in older, of messages that both have
	behind  map[string][]Message // what newer lacks, by the message of newer before it
}

// free is an id that no message of the result has.
func (u *union) free(id string) string {
	name := id
	for n := 2; u.taken[name]; n++ {
		name = id + "~" + strconv.Itoa(n)
	}
	return name
}

func (u *union) order(newer []Message) []Message {
	var all []Message
	add := func(m Message) {
		m.ChildrenIDs = nil
		all = append(all, m)
	}
	addBehind := func(id string) {
		for _, m := range u.behind[id] {
			m.ParentID = u.names[m.ParentID]
			add(m)
		}
	}
	addBehind("")
	for _, m := range newer {
		if m.ParentID == "" {
			m.ParentID = u.names[u.parents[m.ID]]
		}
		add(m)
		addBehind(m.ID)
	}
	return all
}
