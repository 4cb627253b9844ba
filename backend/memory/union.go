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
// of the provider, or at the same time where it gave none, and then those whose words
// changed under an id of the provider. Of equal ones each is paired once. The id of a
// message alone says nothing: where the provider gives none, readers count.
func Pair(older, newer iter.Seq2[Message, error]) (Pairs, error) {
	same, left := map[[sha256.Size]byte][]string{}, map[string]string{} // id → keyOf, of what is not paired yet
	for m, err := range newer {
		if err != nil {
			return nil, err
		}
		sum := sumOf(&m)
		same[sum] = append(same[sum], m.ID)
		left[m.ID] = keyOf(&m)
	}
	pairs := Pairs{}
	var changed []Message // of older: id and key only
	for m, err := range older {
		if err != nil {
			return nil, err
		}
		sum := sumOf(&m)
		if ids := same[sum]; len(ids) > 0 {
			pairs[m.ID], same[sum] = ids[0], ids[1:]
			delete(left, ids[0])
		} else if m.ProviderMessageID != "" {
			changed = append(changed, Message{ID: m.ID, ProviderMessageID: m.ProviderMessageID, Role: m.Role, IsThought: m.IsThought})
		}
	}
	byKey := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		byKey[left[id]] = append(byKey[left[id]], id)
	}
	for i := range changed {
		key := keyOf(&changed[i])
		if ids := byKey[key]; len(ids) > 0 {
			pairs[changed[i].ID], byKey[key] = ids[0], ids[1:]
		}
	}
	return pairs, nil
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
	texts := []string{keyOf(m), at, m.Content.PlainText()}
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
