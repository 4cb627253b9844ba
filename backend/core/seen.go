package core

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"keepsake/backend/vault"
)

// seqSet is a set of numbers of records, a bit each: those of a million
// conversations take 125 KB.
type seqSet []uint64

func (s *seqSet) add(seq uint64) {
	if more := int(seq/64) + 1 - len(*s); more > 0 {
		*s = append(*s, make(seqSet, more)...)
	}
	(*s)[seq/64] |= 1 << (seq % 64)
}

func (s seqSet) has(seq uint64) bool {
	return seq/64 < uint64(len(s)) && s[seq/64]&(1<<(seq%64)) != 0
}

func (s *seqSet) addAll(other seqSet) {
	if more := len(other) - len(*s); more > 0 {
		*s = append(*s, make(seqSet, more)...)
	}
	for i, bits := range other {
		(*s)[i] |= bits
	}
}

func (s seqSet) dropAll(other seqSet) {
	for i := range min(len(s), len(other)) {
		s[i] &^= other[i]
	}
}

// MarshalText writes the words of the set, little-endian, as base64.
func (s seqSet) MarshalText() ([]byte, error) {
	words := make([]byte, 0, 8*len(s))
	for _, bits := range s {
		words = binary.LittleEndian.AppendUint64(words, bits)
	}
	return base64.StdEncoding.AppendEncode(nil, words), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *seqSet) UnmarshalText(text []byte) error {
	words, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(words)%8 != 0 {
		return fmt.Errorf("read set: %d bytes: %w", len(text), err)
	}
	*s = make(seqSet, len(words)/8)
	for i := range *s {
		(*s)[i] = binary.LittleEndian.Uint64(words[8*i:])
	}
	return nil
}

// holding is a set of conversations and of memories, by the numbers of their
// records.
type holding struct {
	Conversations seqSet `json:"conversations"`
	Memories      seqSet `json:"memories"`
}

func (h *holding) addAll(other holding) {
	h.Conversations.addAll(other.Conversations)
	h.Memories.addAll(other.Memories)
}

func (h holding) dropAll(other holding) {
	h.Conversations.dropAll(other.Conversations)
	h.Memories.dropAll(other.Memories)
}

// sighting is what the files of an import held of what is in the vault, new or
// not. What two imports held stays when one of them is taken back.
type sighting struct {
	holding
	ImportID  string   `json:"import_id"`
	Platforms []string `json:"platforms"`

	later bool // than the import that is taken back
}

func sightingID(importID string) string { return "seen:" + importID }

// watch collects a sighting. The reading and the writing side both see things.
type watch struct {
	mu        sync.Mutex
	seen      holding
	platforms []string
}

func (w *watch) see(h holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.addAll(h)
}

func (w *watch) of(platform string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.platforms, platform) {
		w.platforms = append(w.platforms, platform)
	}
}

// passedOver sees a conversation that is as it was, with what is stated in it.
func (r *rows) passedOver(id string) (h holding) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if entry := r.conversation(id); entry != nil {
		h.Conversations.add(uint64(entry.seq))
	}
	for _, memory := range r.statements(id) {
		if row := r.memories.find(memory); row != nil {
			h.Memories.add(row.seq)
		}
	}
	return h
}

// heldBy lists the ids of what is in a holding.
func (r *rows) heldBy(h holding) (conversations, memories []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for seq, row := range r.conversations.bySeq {
		if row != nil && h.Conversations.has(uint64(seq)) {
			conversations = append(conversations, r.words.long(row.id))
		}
	}
	for seq, row := range r.memories.bySeq {
		if row != nil && h.Memories.has(uint64(seq)) {
			memories = append(memories, row.id)
		}
	}
	return conversations, memories
}

// saw notes a memory that stands in the files of this import.
func (a *applying) saw(id string) error {
	seq, err := a.tx.Seq(vault.Memories, id)
	if err == nil {
		a.seen.Memories.add(seq)
	}
	return err
}

func (a *applying) sawConversation(id string) error {
	seq, err := a.tx.Seq(vault.Conversations, id)
	if err == nil {
		a.seen.Conversations.add(seq)
	}
	return err
}

// putSighting keeps what the import has seen so far.
func (r *run) putSighting(e *edit) error {
	r.watch.mu.Lock()
	text, err := encode(sighting{holding: r.watch.seen, ImportID: r.id, Platforms: r.watch.platforms})
	r.watch.mu.Unlock()
	if err != nil {
		return err
	}
	return e.tx.Put(vault.Settings, sightingID(r.id), e.now.Time, text)
}

// sightings are those of the imports that were not taken back, newest first,
// but for one.
func sightings(tx *vault.Tx, but string) (all []sighting, err error) {
	later := false
	for report, err := range reports(tx) {
		if err != nil {
			return nil, err
		}
		later = later || report.ImportID == but
		if report.ImportID == but || !report.UndoneAt.IsZero() {
			continue
		}
		s, err := readSighting(tx, report.ImportID)
		if err != nil {
			return nil, err
		}
		if s != nil {
			s.later = later
			all = append(all, *s)
		}
	}
	slices.Reverse(all)
	return all, nil
}

// readSighting returns nil where the import left none.
func readSighting(tx *vault.Tx, importID string) (*sighting, error) {
	text, err := get(tx, vault.Settings, sightingID(importID))
	if err != nil || text == nil {
		return nil, err
	}
	var s sighting
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("read sighting: %w", err)
	}
	return &s, nil
}

// undoneImports are the imports that were taken back.
func undoneImports(tx *vault.Tx) (map[string]bool, error) {
	undone := map[string]bool{}
	for report, err := range reports(tx) {
		if err != nil {
			return nil, err
		}
		if !report.UndoneAt.IsZero() {
			undone[report.ImportID] = true
		}
	}
	return undone, nil
}
