package core

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
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

// keep leaves the numbers in that are to stay.
func (s seqSet) keep(stays func(seq uint64) bool) {
	for i := range s {
		for rest := s[i]; rest != 0; rest &= rest - 1 {
			if bit := bits.TrailingZeros64(rest); !stays(uint64(64*i + bit)) {
				s[i] &^= 1 << bit
			}
		}
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

// holding is a set of conversations, of memories and of relations, by the numbers of
// their records.
type holding struct {
	Conversations seqSet `json:"conversations"`
	Memories      seqSet `json:"memories"`
	Relations     seqSet `json:"relations,omitempty"`
}

func (h *holding) addAll(other holding) {
	h.Conversations.addAll(other.Conversations)
	h.Memories.addAll(other.Memories)
	h.Relations.addAll(other.Relations)
}

func (h holding) dropAll(other holding) {
	h.Conversations.dropAll(other.Conversations)
	h.Memories.dropAll(other.Memories)
	h.Relations.dropAll(other.Relations)
}

// sighting is what the files of an import held of what is in the vault, new or
// not. What two imports held stays when one of them is taken back.
type sighting struct {
	ImportID string       `json:"import_id"`
	Exports  []seenExport `json:"exports"`

	holding   holding  // of all of them
	platforms []string // of all of them
	later     bool     // than the import that is taken back
}

// seenExport is what one export of an import held.
type seenExport struct {
	holding
	Platform string `json:"platform"`
	// Account is whose it is: as a person named it, or all that the export names,
	// a line each. "" is the default account of the platform.
	Account string `json:"account,omitempty"`
	// Document says that it is of no provider, but was written to be handed on.
	Document bool `json:"document,omitempty"`
	// AllConversations and AllMemories say that it held all that the provider had
	// of the account, and that all of it was read.
	AllConversations bool `json:"all_conversations,omitempty"`
	AllMemories      bool `json:"all_memories,omitempty"`
	// Until is when the newest of its conversations was last changed.
	Until memory.Time `json:"until,omitzero"`
}

func sightingID(importID string) string { return "seen:" + importID }

// watch collects what each group held. The reading and the writing side both see
// things.
type watch struct {
	mu   sync.Mutex
	seen map[*group]*seenExport
}

func (w *watch) of(g *group) *seenExport {
	if w.seen == nil {
		w.seen = map[*group]*seenExport{}
	}
	if w.seen[g] == nil {
		w.seen[g] = &seenExport{}
	}
	return w.seen[g]
}

func (w *watch) see(g *group, h holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of(g).addAll(h)
}

// dates notes when a conversation of a group was last changed.
func (w *watch) dates(g *group, changed memory.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.of(g); changed.Compare(e.Until) > 0 {
		e.Until = changed
	}
}

// until is when a conversation of a group was last changed, of those that were read.
func (w *watch) until(g *group) memory.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of(g).Until
}

// exports are what the groups of a run held, of those that were begun.
func (r *run) exports(groups []*group) (all []seenExport) {
	r.watch.mu.Lock()
	defer r.watch.mu.Unlock()
	for _, g := range groups {
		if g.book == nil || g.found.Importer == nil {
			continue
		}
		e, whole := *r.watch.of(g), r.wholeOf(g)
		e.Platform, e.Account, e.Document = g.found.Importer.Info().Platform, g.accounts(), g.isDocument()
		e.AllConversations = whole.Conversations && !r.options.OnlyMemories
		e.AllMemories = whole.Memories && !r.options.OnlyConversations
		all = append(all, e)
	}
	return all
}

// lost are the reasons for leaving something out that the export holds, and that
// the vault may hold from before.
var lost = []string{becauseUnreadable, becauseTooLarge, becauseUnfit, becauseInterrupted}

// wholeOf is what of its account a group held all of, and was read to its end.
func (r *run) wholeOf(g *group) importer.Whole {
	t := r.books.of(g.book)
	missed := slices.ContainsFunc(lost, func(reason string) bool { return t.skipped[reason] > 0 })
	if missed || t.problems > 0 || !g.ended || g.fault != nil || len(g.found.Match.Missing) > 0 || r.options.Picks != nil {
		return importer.Whole{}
	}
	return g.found.Match.Whole
}

// passedOver sees a conversation that is as it was, with what is stated in it, and
// when it was last changed.
func passedOver(r *rows.Rows, id string) (h holding, changed memory.Time) {
	r.RLock()
	defer r.RUnlock()
	if entry := r.Conversation(id); entry != nil {
		h.Conversations.add(uint64(entry.Seq))
		changed = rows.TimeOf(entry.LastSeen())
	}
	for _, memory := range r.Statements(id) {
		if row := r.Memories.Find(memory); row != nil {
			h.Memories.add(row.Seq)
		}
	}
	return h, changed
}

// heldBy lists the ids of what is in a holding.
func heldBy(r *rows.Rows, h holding) (conversations, memories []string) {
	r.RLock()
	defer r.RUnlock()
	for seq, row := range r.Conversations.BySeq {
		if row != nil && h.Conversations.has(uint64(seq)) {
			conversations = append(conversations, r.Words.Long(row.ID))
		}
	}
	for seq, row := range r.Memories.BySeq {
		if row != nil && h.Memories.has(uint64(seq)) {
			memories = append(memories, row.ID)
		}
	}
	return conversations, memories
}

// saw notes a memory that stands in the files of this import.
func (a *applying) saw(id string) error {
	if a.sketch != nil {
		return nil
	}
	seq, err := a.tx.Seq(vault.Memories, id)
	if err == nil {
		a.seen.Memories.add(seq)
	}
	return err
}

// sawRelation notes a relation that stands in the files of this import.
func (a *applying) sawRelation(id string) error {
	if a.sketch != nil {
		return nil
	}
	seq, err := a.tx.Seq(vault.Relations, id)
	if err == nil {
		a.seen.Relations.add(seq)
	}
	return err
}

func (a *applying) sawConversation(id string) error {
	if a.sketch != nil {
		return nil
	}
	seq, err := a.tx.Seq(vault.Conversations, id)
	if err == nil {
		a.seen.Conversations.add(seq)
	}
	return err
}

// putSighting keeps what the import has seen.
func (r *run) putSighting(e *edit, exports []seenExport) error {
	text, err := rows.EncodeJSON(sighting{ImportID: r.id, Exports: exports})
	if err != nil {
		return err
	}
	e.stage(func(rs *rows.Rows) { rs.Sightings++ })
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
	text, err := tx.Find(vault.Settings, sightingID(importID))
	if err != nil || text == nil {
		return nil, err
	}
	var s sighting
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("read sighting: %w", err)
	}
	for _, e := range s.Exports {
		s.holding.addAll(e.holding)
		if !slices.Contains(s.platforms, e.Platform) {
			s.platforms = append(s.platforms, e.Platform)
		}
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
