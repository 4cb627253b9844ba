package rows

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"time"

	"keepsake/backend/chapters"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Rows holds in RAM what lists, facets and sorting need of the records of an unlocked
// vault, but no text of a memory or conversation. It is dropped when the vault is locked.
type Rows struct {
	sync.RWMutex
	Memories      Table[string, Memory]
	Conversations Table[PackedID, ConversationEntry]
	Words         Interner
	Relations     map[string]memory.Relation
	// Touching lists, by memory id, the ids of its relations in both directions.
	Touching map[string][]string
	// Unfinished holds the ids of imports that broke off: some of their memories may
	// be missing.
	Unfinished map[string]bool
	Messages   int    // number of messages in all conversations
	version    uint64 // incremented by every write transaction
	Changes    uint64 // incremented by every transaction that changes the rows
	Sightings  uint64 // incremented when a sighting (what an import's files held) changes

	// stated lists, per conversation, the ids of the memories stated in it, once for each
	// statement. It is built on first use: the first list after an unlock does not need it.
	stated map[string][]string
	lazy   sync.Mutex
}

// Memory is the row of a memory. It takes about 160 bytes with its texts, so that 100,000
// rows fit in 16 MB.
type Memory struct {
	*rowSort
	*rowOrigin
	*rowRest
	Seq, Mark  uint64 // see vault.Row
	ID         string
	Created    Micro
	Updated    Micro   // equals Created if the memory was never changed
	Generation uint64  // change counter of the vault when the row was last written
	value      float64 // confidence when it was last reinforced
	Reinforced Micro
	Fades      Fading
	named      byte // index in personal.Categories plus 1 of a category that differs from the type's; 0: none
	Exportable bool
	Reviewed   bool // needs no review any more, see isReviewed
	Chapter    chapters.Chapter
	importance uint16 // 0: nobody says; else 1 + the importance in units of 1/mostImportance
}

const mostImportance = math.MaxUint16 - 1

// Importance returns how important the memory is, 0..1; ok is false where nothing says so.
func (r *Memory) Importance() (importance float64, ok bool) {
	return float64(r.importance-1) / mostImportance, r.importance > 0
}

// isReviewed reports whether the person said that the memory is true, or wrote it.
func isReviewed(m memory.Record, side ProvenanceRecord) bool {
	if m.Provenance.ExtractionMethod == memory.Manual && (side.Here || side.Edited()) {
		return true
	}
	return !side.ForeignReview && !m.Reviewed().IsZero()
}

// rowSort holds fields with the same values in many rows. Rows share one rowSort, so
// it must not be modified.
type rowSort struct {
	Kind       memory.Type
	CustomType string // "" unless kind is custom
	Status     memory.Status
	Platform   string // the one in the memory's provenance
}

// rowOrigin holds the fields that say where a memory came from. Memories of one
// conversation share a rowOrigin, so it must not be modified.
type rowOrigin struct {
	Conversation string
	Sources      []string // conversation of each statement (MemorySource) that has one
	Accounts     []string // accounts that made the statements, and the one in the provenance, each once
}

// rowRest holds the fields that few rows have. All rows without them share one empty
// rowRest, so it must not be modified.
type rowRest struct {
	Tags         []string
	SupersededBy string
	Further      []string // platforms that stated the memory besides rowSort.Platform, each once
}

// Fading is a decay model of PAM §8.1, stored in one byte.
type Fading byte

// The decay models. FadesNot is the zero value: no decay.
const (
	FadesNot Fading = iota
	fadesLinearly
	fadesExponentially
)

// FadingOf converts a decay model to a Fading; an unknown model becomes FadesNot.
func FadingOf(model memory.Decay) Fading {
	switch model {
	case memory.DecayLinear:
		return fadesLinearly
	case memory.DecayExponential:
		return fadesExponentially
	}
	return FadesNot
}

func (f Fading) model() memory.Decay {
	switch f {
	case fadesLinearly:
		return memory.DecayLinear
	case fadesExponentially:
		return memory.DecayExponential
	}
	return memory.DecayNone
}

// Certainty returns the confidence of the memory at the time now, after decay.
func (r *Memory) Certainty(now memory.Time) float64 {
	if r.Fades == FadesNot {
		return r.value
	}
	whole := memory.Confidence{Current: &r.value, DecayModel: r.Fades.model(), LastReinforced: TimeOf(r.Reinforced)}
	return ConfidenceAt(&whole, TimeOf(r.Created), now.Time)
}

// BySeq holds rows, indexed by record number (Seq). Numbers begin at 1 and have few gaps.
type BySeq[T any] []*T

// At returns the row with a number, nil if there is none.
func (b BySeq[T]) At(seq uint64) *T {
	if seq >= uint64(len(b)) {
		return nil
	}
	return b[seq]
}

func (b *BySeq[T]) put(seq uint64, row *T) {
	if more := int(seq) + 1 - len(*b); more > 0 {
		*b = append(*b, make([]*T, more)...)
	}
	(*b)[seq] = row
}

// New returns empty Rows.
func New() *Rows {
	return &Rows{
		Memories:      newTable(func(r *Memory) string { return r.ID }, func(r *Memory) uint64 { return r.Seq }),
		Conversations: newConversationTable(),
		Words:         Interner{numbers: map[string]Word{}},
		Relations:     map[string]memory.Relation{},
		Touching:      map[string][]string{},
		Unfinished:    map[string]bool{},
	}
}

// Ready builds the hash tables that find rows by id. Load leaves this for later.
func (r *Rows) Ready() {
	r.RLock()
	defer r.RUnlock()
	r.Memories.ready()
	r.Conversations.ready()
}

// MemoryOf builds the row of a memory. Seq, Mark and Generation are not set.
func MemoryOf(m memory.Record, side ProvenanceRecord) *Memory {
	row := &Memory{
		rowSort:   &rowSort{m.Type, m.CustomType, m.Status, m.Provenance.Platform},
		rowOrigin: &rowOrigin{Conversation: m.Provenance.ConversationRef},
		rowRest:   &rowRest{Tags: m.Tags, SupersededBy: m.Temporal.SupersededBy},
		ID:        m.ID,
		Created:   MicroOf(m.Temporal.CreatedAt), Updated: MicroOf(m.Temporal.UpdatedAt),
		Exportable: m.Access == nil || m.Access.Exportable,
		Reviewed:   isReviewed(m, side),
		Chapter:    chapters.Of(m),
		value:      1,
	}
	if importance, ok := m.Importance(); ok {
		row.importance = 1 + uint16(math.Round(importance*mostImportance))
	}
	if row.Updated == 0 {
		row.Updated = row.Created
	}
	if c, _ := personal.OfRecord(m); c != row.Category() {
		row.named = byte(slices.Index(personal.Categories(), c) + 1)
	}
	if c := m.Confidence; c != nil {
		row.value, row.Fades, row.Reinforced = c.Value(), FadingOf(c.DecayModel), MicroOf(c.LastReinforced)
	}
	for _, src := range side.Sources {
		if src.ConversationRef != "" {
			row.Sources = append(row.Sources, src.ConversationRef)
		}
		row.ofAccount(src.Account)
		if src.Platform != "" && !row.IsFrom(src.Platform) {
			row.Further = append(row.Further, src.Platform)
		}
	}
	row.ofAccount(m.Provenance.PlatformUserID)
	return row
}

// Category returns the memory's category in the Personal Memory Specification.
func (r *Memory) Category() personal.Category {
	if all := personal.Categories(); r.named > 0 && int(r.named) <= len(all) {
		return all[r.named-1]
	}
	c, _ := personal.Of(r.Kind, r.CustomType)
	return c
}

func (o *rowOrigin) ofAccount(id string) {
	if id != "" && !slices.Contains(o.Accounts, id) {
		o.Accounts = append(o.Accounts, id)
	}
}

// IsFrom reports whether the memory was stated on a platform.
func (r *Memory) IsFrom(platform string) bool {
	return r.Platform == platform || slices.Contains(r.Further, platform)
}

// Platforms returns all platforms on which the memory was stated, each once; Platform is
// the first.
func (r *Memory) Platforms() []string {
	if len(r.Further) == 0 {
		return []string{r.Platform}
	}
	return slices.Insert(slices.Clone(r.Further), 0, r.Platform)
}

// Encode returns the stored form of a row, which ReadMemory decodes.
func (r *Memory) Encode() []byte {
	w := rowWriter{rowsVersion}
	w.id(r.ID, "")
	w.text(string(r.Kind))
	w.text(r.CustomType)
	w.text(string(r.Status))
	w.text(r.Platform)
	w.texts(r.Tags)
	w.id(r.Conversation, "")
	w.int(int64(r.Created))
	w.int(int64(r.Updated - r.Created))
	w.float(r.value)
	w.text(string(r.Fades.model()))
	w.int(int64(r.Reinforced))
	w.flags(r.Exportable, r.named&1 != 0, r.named&2 != 0, r.named&4 != 0, r.Reviewed)
	w.uint(uint64(r.Chapter))
	w.uint(uint64(r.importance))
	w.id(r.SupersededBy, "")
	w.ids(r.Sources, r.Conversation)
	w.ids(r.Accounts, "")
	w.texts(r.Further)
	w.uint(r.Generation)
	return w
}

// ReadMemory decodes a stored row into into. It returns false if the row is damaged or of
// another version.
func ReadMemory(from vault.Row, texts *Texts, into *Memory) bool {
	// Write first: reading new memory before writing to it would cause two page faults.
	into.Seq, into.Mark = from.Seq, from.Mark
	r := newRowReader(from.Text, texts)
	into.ID = r.id("")
	into.rowSort = r.sort()
	tags := r.wordList()
	conversation := r.sharedID()
	into.Created = Micro(r.int())
	into.Updated = into.Created + Micro(r.int())
	into.value, into.Fades, into.Reinforced = r.float(), FadingOf(memory.Decay(r.bytes())), Micro(r.int())
	var named [3]bool
	r.flags(&into.Exportable, &named[0], &named[1], &named[2], &into.Reviewed)
	into.Chapter, into.importance = chapters.Chapter(r.uint()), uint16(r.uint())
	for i, set := range named {
		if set {
			into.named |= 1 << i
		}
	}
	supersededBy := r.id("")
	into.rowOrigin = r.origin(conversation)
	into.rowRest = texts.rest(tags, supersededBy, r.wordList())
	into.Generation = r.uint()
	return !r.bad
}

// sort reads the rowSort of a row: its type, status and platform. Usually the previous
// row has the same values; both rows then share one rowSort.
func (r *rowReader) sort() *rowSort {
	last := &r.texts.sort
	if last.is != nil && bytes.HasPrefix(r.rest, last.written) {
		r.rest = r.rest[len(last.written):]
		return last.is
	}
	ahead := *r
	for range 4 {
		ahead.bytes()
	}
	written := r.rest[:len(r.rest)-len(ahead.rest)]
	known, ok := r.texts.sorts[string(written)]
	if ok {
		r.rest = ahead.rest
	} else {
		known = &rowSort{memory.Type(r.word()), r.word(), memory.Status(r.word()), r.word()}
	}
	if !r.bad {
		last.is, last.written = known, append(last.written[:0], written...)
		if !ok && len(r.texts.sorts) < mostWords {
			r.texts.sorts[string(written)] = known
		}
	}
	return known
}

// origin reads the rowOrigin of a memory, except for its Conversation, which comes before
// it in the row. If the previous row has the same rowOrigin, both rows share it.
func (r *rowReader) origin(conversation string) *rowOrigin {
	last := &r.texts.origin
	if last.is != nil && last.is.Conversation == conversation && bytes.HasPrefix(r.rest, last.written) {
		r.rest = r.rest[len(last.written):]
		return last.is
	}
	ahead := r.rest
	origin := &rowOrigin{conversation, r.idList(conversation), r.idList("")}
	if !r.bad {
		last.is, last.written = origin, append(last.written[:0], ahead[:len(ahead)-len(r.rest)]...)
	}
	return origin
}

// PutMemory adds a row, in place of one with the same id. The caller holds the lock.
func (r *Rows) PutMemory(row *Memory) {
	r.dropStatements(row.ID)
	r.Memories.put(row)
	if r.stated != nil {
		r.state(row)
	}
}

func (r *Rows) state(row *Memory) {
	for _, conversation := range row.Sources {
		r.stated[conversation] = append(r.stated[conversation], row.ID)
	}
}

// DropMemory removes a row, if it exists. The caller holds the lock.
func (r *Rows) DropMemory(id string) {
	r.dropStatements(id)
	r.Memories.drop(id)
}

func (r *Rows) dropStatements(id string) {
	old := r.Memories.Find(id)
	if old == nil || r.stated == nil {
		return
	}
	for _, conversation := range old.Sources {
		if i := slices.Index(r.stated[conversation], id); i >= 0 {
			r.stated[conversation] = slices.Delete(r.stated[conversation], i, i+1)
		}
	}
}

// Statements returns, for each statement of a memory in a conversation, the memory's id.
// So a memory with two statements there occurs twice. The caller holds the lock.
func (r *Rows) Statements(conversation string) []string {
	r.lazy.Lock()
	defer r.lazy.Unlock()
	if r.stated == nil {
		r.stated = map[string][]string{}
		for _, row := range r.Memories.BySeq {
			if row != nil {
				r.state(row)
			}
		}
	}
	return r.stated[conversation]
}

// PutRelation adds a relation, in place of one with the same id. The caller holds the lock.
func (r *Rows) PutRelation(rel memory.Relation) {
	r.DropRelation(rel.ID)
	r.Relations[rel.ID] = rel
	r.Touching[rel.From] = append(r.Touching[rel.From], rel.ID)
	r.Touching[rel.To] = append(r.Touching[rel.To], rel.ID)
}

// DropRelation removes a relation, if it exists. The caller holds the lock.
func (r *Rows) DropRelation(id string) {
	rel, ok := r.Relations[id]
	if !ok {
		return
	}
	delete(r.Relations, id)
	for _, end := range []string{rel.From, rel.To} {
		if i := slices.Index(r.Touching[end], id); i >= 0 {
			r.Touching[end] = slices.Delete(r.Touching[end], i, i+1)
		}
		if len(r.Touching[end]) == 0 {
			delete(r.Touching, end)
		}
	}
}

// MemoriesOf lists the ids of the memories stated in a conversation, each once. The caller
// holds the lock.
func (r *Rows) MemoriesOf(conversation string) []string {
	return slices.Compact(slices.Sorted(slices.Values(r.Statements(conversation))))
}

// Apply updates the rows: it runs the steps that a committed transaction staged for them.
func (r *Rows) Apply(steps []func(*Rows)) {
	r.Lock()
	defer r.Unlock()
	r.version++
	if len(steps) > 0 { // a transaction may change only the log or settings
		r.Changes++
	}
	for _, step := range steps {
		step(r)
	}
}

// Version returns the version of the rows. When it changes, cached results are invalid.
func (r *Rows) Version() uint64 {
	r.RLock()
	defer r.RUnlock()
	return r.version
}

// IsUnfinished reports whether an import broke off before its end.
func (r *Rows) IsUnfinished(importID string) bool {
	r.RLock()
	defer r.RUnlock()
	return r.Unfinished[importID]
}

// SetUnfinished sets whether an import broke off. The caller holds the lock.
func (r *Rows) SetUnfinished(importID string, is bool) {
	if is {
		r.Unfinished[importID] = true
	} else {
		delete(r.Unfinished, importID)
	}
}

// CountStatements counts the statements of memories in a conversation. A memory that was
// stated twice counts twice.
func (r *Rows) CountStatements(conversation string) int {
	r.RLock()
	defer r.RUnlock()
	return len(r.Statements(conversation))
}

// CountDerived counts the memories stated in a conversation, each once.
func (r *Rows) CountDerived(conversation string) int {
	r.RLock()
	defer r.RUnlock()
	return len(r.MemoriesOf(conversation))
}

// OfPlatform lists the platform's memories whose status may become memory.Retracted.
func (r *Rows) OfPlatform(platform string) (ids []string) {
	r.RLock()
	defer r.RUnlock()
	for _, row := range r.Memories.BySeq {
		if row != nil && row.Platform == platform && row.Status.CanBecome(memory.Retracted) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// Micro is an instant in microseconds since 1970, 0 for unknown.
type Micro int64

// MicroOf converts a time to microseconds, truncated.
func MicroOf(t memory.Time) Micro {
	if t.IsZero() {
		return 0
	}
	return Micro(t.UnixMicro())
}

// TimeOf is the inverse of MicroOf; 0 becomes the zero time.
func TimeOf(m Micro) memory.Time {
	if m == 0 {
		return memory.Time{}
	}
	return memory.At(time.UnixMicro(int64(m)))
}

// ReplacedBy lists the ids of the memories whose SupersededBy is in others.
func (r *Rows) ReplacedBy(others map[string]bool) (ids []string) {
	r.RLock()
	defer r.RUnlock()
	for _, row := range r.Memories.BySeq {
		if row != nil && others[row.SupersededBy] {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
