package core

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// rows is what lists, facets and sorting need of an unlocked vault, kept in
// memory: no text of any memory or conversation. Everything in it goes when the
// vault is locked.
type rows struct {
	mu            sync.RWMutex
	memories      table[string, memoryRow]
	conversations table[packedID, conversationEntry]
	words         words
	relations     map[string]memory.Relation
	// touching lists the relations of a memory, either way round.
	touching map[string][]string
	// unfinished imports broke off; what they took may lack memories.
	unfinished map[string]bool
	messages   int    // in all conversations
	version    uint64 // grows with every change
	changes    uint64 // grows with every change of what is in here
	sightings  uint64 // grows with every change of what imports held

	// stated lists, per conversation, the memories stated in it, once for each
	// statement. It is made when first asked for: the first list needs it not.
	stated map[string][]string
	lazy   sync.Mutex
}

// memoryRow is about 160 bytes with its texts, so that 100,000 fit in 16 MB.
type memoryRow struct {
	*rowSort
	*rowOrigin
	*rowRest
	seq, mark  uint64 // of vault.Row
	id         string
	created    micro
	updated    micro   // created where it was never changed
	generation uint64  // of the vault, that it was last written in
	value      float64 // of its confidence when it was last reinforced
	reinforced micro
	fades      fading
	named      byte // its category among personal.Categories, from 1; 0 where its type says it
	exportable bool
}

// rowSort is what many rows have alike: they share it, and it is never changed.
type rowSort struct {
	kind       memory.Type
	customType string // "" unless kind is custom
	status     memory.Status
	platform   string // of the first statement
}

// rowOrigin is where a memory came from. Those of one conversation share it, and it is
// never changed.
type rowOrigin struct {
	conversation string
	sources      []string // conversation of each statement
	accounts     []string // of the statements, each once
}

// rowRest is what few rows have. Those that have none of it share one, and it is never
// changed.
type rowRest struct {
	tags         []string
	supersededBy string
	further      []string // platforms of other statements than the first, each once
}

// fading is a decay model of PAM §8.1 in a byte.
type fading byte

const (
	fadesNot fading = iota
	fadesLinearly
	fadesExponentially
)

func fadingOf(model memory.Decay) fading {
	switch model {
	case memory.DecayLinear:
		return fadesLinearly
	case memory.DecayExponential:
		return fadesExponentially
	}
	return fadesNot
}

func (f fading) model() memory.Decay {
	switch f {
	case fadesLinearly:
		return memory.DecayLinear
	case fadesExponentially:
		return memory.DecayExponential
	}
	return memory.DecayNone
}

// certainty is the confidence as it is now.
func (r *memoryRow) certainty(now memory.Time) float64 {
	if r.fades == fadesNot {
		return r.value
	}
	whole := memory.Confidence{Current: &r.value, DecayModel: r.fades.model(), LastReinforced: timeOf(r.reinforced)}
	return confidenceAt(&whole, timeOf(r.created), now.Time)
}

// bySeq finds rows by number. Numbers begin at 1 and have few gaps.
type bySeq[T any] []*T

func (b bySeq[T]) at(seq uint64) *T {
	if seq >= uint64(len(b)) {
		return nil
	}
	return b[seq]
}

func (b *bySeq[T]) put(seq uint64, row *T) {
	if more := int(seq) + 1 - len(*b); more > 0 {
		*b = append(*b, make([]*T, more)...)
	}
	(*b)[seq] = row
}

func newRows() *rows {
	return &rows{
		memories:      newTable(func(r *memoryRow) string { return r.id }, func(r *memoryRow) uint64 { return r.seq }),
		conversations: newConversationTable(),
		words:         words{numbers: map[string]word{}},
		relations:     map[string]memory.Relation{},
		touching:      map[string][]string{},
		unfinished:    map[string]bool{},
	}
}

// ready makes what finds rows by their ids, which loading them leaves for later.
func (r *rows) ready() {
	r.mu.RLock()
	defer r.mu.RUnlock()
	r.memories.ready()
	r.conversations.ready()
}

// memoryRowOf is the row of a memory, without its place in the vault.
func memoryRowOf(m memory.Record, side sideRecord) *memoryRow {
	row := &memoryRow{
		rowSort:   &rowSort{m.Type, m.CustomType, m.Status, m.Provenance.Platform},
		rowOrigin: &rowOrigin{conversation: m.Provenance.ConversationRef},
		rowRest:   &rowRest{tags: m.Tags, supersededBy: m.Temporal.SupersededBy},
		id:        m.ID,
		created:   microOf(m.Temporal.CreatedAt), updated: microOf(m.Temporal.UpdatedAt),
		exportable: m.Access == nil || m.Access.Exportable,
		value:      1,
	}
	if row.updated == 0 {
		row.updated = row.created
	}
	if c, _ := personal.OfRecord(m); c != row.category() {
		row.named = byte(slices.Index(personal.Categories(), c) + 1)
	}
	if c := m.Confidence; c != nil {
		row.value, row.fades, row.reinforced = c.Value(), fadingOf(c.DecayModel), microOf(c.LastReinforced)
	}
	for _, src := range side.Sources {
		if src.ConversationRef != "" {
			row.sources = append(row.sources, src.ConversationRef)
		}
		row.ofAccount(src.Account)
		if src.Platform != "" && !row.isFrom(src.Platform) {
			row.further = append(row.further, src.Platform)
		}
	}
	row.ofAccount(m.Provenance.PlatformUserID)
	return row
}

// category of the Personal Memory Specification.
func (r *memoryRow) category() personal.Category {
	if all := personal.Categories(); r.named > 0 && int(r.named) <= len(all) {
		return all[r.named-1]
	}
	c, _ := personal.Of(r.kind, r.customType)
	return c
}

func (o *rowOrigin) ofAccount(id string) {
	if id != "" && !slices.Contains(o.accounts, id) {
		o.accounts = append(o.accounts, id)
	}
}

// isFrom reports whether one of its statements came from a platform.
func (r *memoryRow) isFrom(platform string) bool {
	return r.platform == platform || slices.Contains(r.further, platform)
}

// platforms are those of its statements, each once, the first one's first.
func (r *memoryRow) platforms() []string {
	if len(r.further) == 0 {
		return []string{r.platform}
	}
	return slices.Insert(slices.Clone(r.further), 0, r.platform)
}

func (r *memoryRow) encode() []byte {
	w := rowWriter{rowsVersion}
	w.id(r.id, "")
	w.text(string(r.kind))
	w.text(r.customType)
	w.text(string(r.status))
	w.text(r.platform)
	w.texts(r.tags)
	w.id(r.conversation, "")
	w.int(int64(r.created))
	w.int(int64(r.updated - r.created))
	w.float(r.value)
	w.text(string(r.fades.model()))
	w.int(int64(r.reinforced))
	w.flags(r.exportable, r.named&1 != 0, r.named&2 != 0, r.named&4 != 0)
	w.id(r.supersededBy, "")
	w.ids(r.sources, r.conversation)
	w.ids(r.accounts, "")
	w.texts(r.further)
	w.uint(r.generation)
	return w
}

// readMemoryRow reads a row as the vault gives it.
func readMemoryRow(from vault.Row, texts *rowTexts, into *memoryRow) bool {
	// It is written to at once: new memory that is looked at first is made ready twice.
	into.seq, into.mark = from.Seq, from.Mark
	r := newRowReader(from.Text, texts)
	into.id = r.id("")
	into.rowSort = r.sort()
	tags := r.wordList()
	conversation := r.sharedID()
	into.created = micro(r.int())
	into.updated = into.created + micro(r.int())
	into.value, into.fades, into.reinforced = r.float(), fadingOf(memory.Decay(r.bytes())), micro(r.int())
	var named [3]bool
	r.flags(&into.exportable, &named[0], &named[1], &named[2])
	for i, set := range named {
		if set {
			into.named |= 1 << i
		}
	}
	supersededBy := r.id("")
	into.rowOrigin = r.origin(conversation)
	into.rowRest = texts.rest(tags, supersededBy, r.wordList())
	into.generation = r.uint()
	return !r.bad
}

// sort reads what a row shares with others, the one before as a rule.
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

// origin reads the rest of where a memory came from.
func (r *rowReader) origin(conversation string) *rowOrigin {
	last := &r.texts.origin
	if last.is != nil && last.is.conversation == conversation && bytes.HasPrefix(r.rest, last.written) {
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

func (r *rows) putMemory(row *memoryRow) {
	r.dropStatements(row.id)
	r.memories.put(row)
	if r.stated != nil {
		r.state(row)
	}
}

func (r *rows) state(row *memoryRow) {
	for _, conversation := range row.sources {
		r.stated[conversation] = append(r.stated[conversation], row.id)
	}
}

func (r *rows) dropMemory(id string) {
	r.dropStatements(id)
	r.memories.drop(id)
}

func (r *rows) dropStatements(id string) {
	old := r.memories.find(id)
	if old == nil || r.stated == nil {
		return
	}
	for _, conversation := range old.sources {
		if i := slices.Index(r.stated[conversation], id); i >= 0 {
			r.stated[conversation] = slices.Delete(r.stated[conversation], i, i+1)
		}
	}
}

// statements lists the memories stated in a conversation, once for each
// statement; the lock is held.
func (r *rows) statements(conversation string) []string {
	r.lazy.Lock()
	defer r.lazy.Unlock()
	if r.stated == nil {
		r.stated = map[string][]string{}
		for _, row := range r.memories.bySeq {
			if row != nil {
				r.state(row)
			}
		}
	}
	return r.stated[conversation]
}

func (r *rows) putRelation(rel memory.Relation) {
	r.dropRelation(rel.ID)
	r.relations[rel.ID] = rel
	r.touching[rel.From] = append(r.touching[rel.From], rel.ID)
	r.touching[rel.To] = append(r.touching[rel.To], rel.ID)
}

func (r *rows) dropRelation(id string) {
	rel, ok := r.relations[id]
	if !ok {
		return
	}
	delete(r.relations, id)
	for _, end := range []string{rel.From, rel.To} {
		if i := slices.Index(r.touching[end], id); i >= 0 {
			r.touching[end] = slices.Delete(r.touching[end], i, i+1)
		}
		if len(r.touching[end]) == 0 {
			delete(r.touching, end)
		}
	}
}

// memoriesOf lists the memories stated in a conversation, each once.
func (r *rows) memoriesOf(conversation string) []string {
	ids := slices.Clone(r.statements(conversation))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// apply makes a transaction's changes known.
func (r *rows) apply(steps []func(*rows)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	if len(steps) > 0 { // some writes are of the log or of settings alone
		r.changes++
	}
	for _, step := range steps {
		step(r)
	}
}

// now is the version that an answer about the rows belongs to.
func (r *rows) now() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.version
}

func (r *rows) isUnfinished(importID string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.unfinished[importID]
}

// setUnfinished says whether an import broke off; the lock is held.
func (r *rows) setUnfinished(importID string, is bool) {
	if is {
		r.unfinished[importID] = true
	} else {
		delete(r.unfinished, importID)
	}
}

// countStatements counts how often memories were stated in a conversation.
func (r *rows) countStatements(conversation string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.statements(conversation))
}

// countDerived counts the memories stated in a conversation, each once.
func (r *rows) countDerived(conversation string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.memoriesOf(conversation))
}

// ofPlatform lists the memories that can still be retracted.
func (r *rows) ofPlatform(platform string) (ids []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, row := range r.memories.bySeq {
		if row != nil && row.platform == platform && row.status.CanBecome(memory.Retracted) {
			ids = append(ids, row.id)
		}
	}
	return ids
}

// micro is an instant in microseconds since 1970, 0 for unknown.
type micro int64

func microOf(t memory.Time) micro {
	if t.IsZero() {
		return 0
	}
	return micro(t.UnixMicro())
}

func timeOf(m micro) memory.Time {
	if m == 0 {
		return memory.Time{}
	}
	return memory.At(time.UnixMicro(int64(m)))
}

// replacedBy lists the memories that one of the others replaces.
func (r *rows) replacedBy(others map[string]bool) (ids []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, row := range r.memories.bySeq {
		if row != nil && others[row.supersededBy] {
			ids = append(ids, row.id)
		}
	}
	return ids
}
