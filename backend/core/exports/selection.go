package exports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/circles"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Reasons why a memory is not exported.
const (
	NotExportable = "not-exportable"
	otherStatus   = "status"
	otherType     = "type"
	otherTag      = "tag"
	otherPlatform = "platform"
	otherTalk     = "conversation"
	notShared     = "not-shared"
	unchanged     = "unchanged"
	olderThan     = "older"
)

// selection is the content of an export, decided before a byte is written.
type selection struct {
	options       ExportOptions
	date          memory.Time
	base          *keptExport         // full export that an incremental one builds on; nil: full export
	given         map[uint64]bool     // sequence numbers of the memories in base
	rows          []*rows.Memory      // memories to write, sorted by id
	derived       map[string][]string // conversation id → ids of the memories in rows that came from it
	excluded      map[string]int
	relations     []memory.Relation
	conversations map[string]string   // id in the vault → id in the export
	known         map[string][]string // conversation id → ids that StripIDs removes from its memories' texts
	someStay      bool                // some conversation that an exported memory refers to is not exported
	index         []pam.IndexEntry
	titles        int               // index entries with a title, if whole conversations are not exported
	talks         []talk            // parallel to index
	embedded      map[string]string // memory id → id of its embedding
	own           *meaning.Vectors  // embeddings of memories that have none in the vault; nil: none leave
	ownTypes      bool              // some memory has a type that PAM does not define
	edited        library.Bitset    // memories whose exported form differs from the stored one, by sequence number
	hiding        redactor
	places        map[string][]place // findings (sensitive texts), by memory id; nil until look was called
	beside        []leavingItem      // tasks and document content with findings (sensitive texts; MIF only)
	hidden        map[string]int     // item id → number of places hidden in it

	circle *circles.Choice // what leaves for ExportOptions.For; nil: not for somebody else

	generation    uint64 // change counter of the vault at this export, see keptExport
	nextRelations uint64
}

// talk is a conversation in the export.
type talk struct {
	id         string // in the vault
	title      string // in the vault, not redacted
	generation uint64
	alone      bool // the vault has only its index entry, no messages
}

// chooseCircle decides what leaves for ExportOptions.For, nil if it is nobody, and puts the entity
// of the circle in the place of the name that was given. An entity that no circle has gets what
// everybody may read.
func (s *Service) chooseCircle(ctx context.Context, v *library.Session, tx *vault.Tx, o *ExportOptions) (*circles.Choice, error) {
	if o.For == "" {
		return nil, nil
	}
	choice, err := circles.Choose(ctx, s.lib, v, tx, o.For)
	o.For = choice.Entity
	return &choice, err
}

// leaving selects the content of an export. It excludes every memory that must not be
// exported; the format's writer checks this a second time.
func (s *Service) leaving(ctx context.Context, v *library.Session, tx *vault.Tx, o ExportOptions, date memory.Time) (*selection, error) {
	choice, err := s.chooseCircle(ctx, v, tx, &o)
	if err != nil {
		return nil, err
	}
	l := &selection{
		options: o, circle: choice, date: date, excluded: map[string]int{}, conversations: map[string]string{}, known: map[string][]string{},
		relations: []memory.Relation{}, index: []pam.IndexEntry{}, embedded: map[string]string{},
		hidden: map[string]int{}, generation: tx.Generation(), nextRelations: tx.Next(vault.Relations),
	}
	if l.hiding, err = newRedactor(o.RedactionOptions); err != nil {
		return nil, err
	}
	if o.Incremental {
		if l.base, err = baseOf(tx, o); err != nil {
			return nil, err
		}
		l.given = l.base.Given.Set()
	}
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	if err := l.checkTargets(tx, v.Rows); err != nil {
		return nil, err
	}
	if err := l.chooseMemories(tx, v.Rows); err != nil {
		return nil, err
	}
	if o.redacts() {
		if err := l.look(ctx, v, tx); err != nil {
			return nil, err
		}
	}
	for _, rel := range v.Rows.Relations {
		if l.holds(rel.From) && l.holds(rel.To) {
			l.relations = append(l.relations, rel)
		}
	}
	slices.SortFunc(l.relations, rows.OldestRelation)
	if err := errors.Join(l.chooseEmbeddings(tx), l.chooseOwnEmbeddings(v)); err != nil {
		return nil, err
	}
	if err := l.chooseConversations(tx, s.lib.NewID); err != nil {
		return nil, err
	}
	for _, row := range v.Rows.Memories.BySeq { // in RAM order (Seq): 5 times as fast as a check while writing
		if row != nil && (row.Fades != rows.FadesNot || l.mustChange(row)) {
			l.edited.Add(row.Seq)
		}
	}
	return l, nil
}

// hides records that redaction hid n places in the item id. It sets the number instead of
// adding, because an item may be written twice.
func (l *selection) hides(id string, n int) {
	if n > 0 {
		l.hidden[id] = n
	}
}

// hiddenInAll returns the number of places hidden in all items that were written.
func (l *selection) hiddenInAll() (n int) {
	for _, in := range l.hidden {
		n += in
	}
	return n
}

// redacts reports whether redaction is on. By default it is on only if For is set.
func (o ExportOptions) redacts() bool {
	if o.Redact != nil {
		return *o.Redact
	}
	return o.For != ""
}

// hidesIn reports whether redaction hides at least one finding in the memory id.
func (l *selection) hidesIn(id string) bool {
	return l.options.redacts() && slices.ContainsFunc(l.places[id], l.hiding.hidesPlace)
}

// checkTargets returns an error for a requested tag, platform or conversation that does
// not occur in the vault. Without it a mistyped tag would silently select nothing if the
// other tags exist. The caller holds the lock of rs.
func (l *selection) checkTargets(tx *vault.Tx, rs *rows.Rows) error {
	o := l.options
	if len(o.Tags)+len(o.Platforms)+len(o.Conversations) == 0 {
		return nil
	}
	tags, platforms, talks := library.SetOf(o.Tags), library.SetOf(o.Platforms), library.SetOf(o.Conversations)
	for _, row := range rs.Memories.BySeq {
		if row == nil {
			continue
		}
		for _, tag := range row.Tags {
			delete(tags, tag)
		}
		for _, id := range row.Sources {
			delete(talks, id)
		}
		delete(talks, row.Conversation)
		for _, platform := range row.Platforms() {
			delete(platforms, platform)
		}
	}
	maps.DeleteFunc(talks, func(id string, _ bool) bool { return tx.Has(vault.Conversations, id) })
	for _, missing := range []map[string]bool{tags, platforms, talks} {
		for _, value := range slices.Sorted(maps.Keys(missing)) {
			return fault.New(fault.NotFound, "export-no-such-target", "Nothing in the vault is selected by “{value}”, so nothing was written.").With("value", library.Beginning(value))
		}
	}
	return nil
}

// chooseMemories selects the memories that may be exported and match the options. The
// caller holds the lock of rs.
func (l *selection) chooseMemories(tx *vault.Tx, rs *rows.Rows) error {
	chosen := make([]*rows.Memory, 0, len(rs.Memories.BySeq))
	same := map[string]*rows.Memory{} // by id: memories not changed since the base export
	for _, row := range rs.Memories.BySeq {
		if row == nil {
			continue
		}
		reason, err := l.stays(tx, row)
		if err != nil {
			return err
		}
		switch reason {
		case "":
			chosen = append(chosen, row)
		case unchanged:
			same[row.ID] = row
		default:
			l.excluded[reason]++
		}
	}
	chosen, err := l.withNamed(tx, rs, chosen, same)
	if err != nil {
		return err
	}
	if len(same) > 0 {
		l.excluded[unchanged] = len(same)
	}
	chosen = rows.StoredIn(tx, chosen)
	l.derived = byConversation(chosen)
	l.ownTypes = slices.ContainsFunc(chosen, func(row *rows.Memory) bool { return row.Kind == memory.Custom })
	l.rows = rows.Sort(chosen, rows.ByID)
	return nil
}

// withNamed adds unchanged memories (same) that an incremental export refers to: the ends
// of new relations, and successors. Without them the file would name unknown ids.
func (l *selection) withNamed(tx *vault.Tx, rs *rows.Rows, chosen []*rows.Memory, same map[string]*rows.Memory) ([]*rows.Memory, error) {
	if len(same) == 0 {
		return chosen, nil
	}
	take := func(id string) {
		if row := same[id]; row != nil {
			delete(same, id)
			chosen = append(chosen, row)
		}
	}
	for id, rel := range rs.Relations {
		seq, err := tx.Seq(vault.Relations, id)
		if rows.IsAbsent(err) { // relation added after this transaction began
			continue
		}
		if err != nil {
			return nil, err
		}
		if seq >= l.base.NextRelations {
			take(rel.From)
			take(rel.To)
		}
	}
	for i := 0; i < len(chosen); i++ { // take appends to chosen
		take(chosen[i].SupersededBy)
	}
	return chosen, nil
}

// holds reports whether a memory is in the export.
func (l *selection) holds(id string) bool {
	_, ok := slices.BinarySearchFunc(l.rows, id, func(row *rows.Memory, id string) int { return strings.Compare(row.ID, id) })
	return ok
}

// stays returns the reason why a memory is not exported; "" if it is.
func (l *selection) stays(tx *vault.Tx, row *rows.Memory) (string, error) {
	switch o := l.options; {
	case !row.Exportable:
		return NotExportable, nil
	case len(o.Statuses) > 0 && !slices.Contains(o.Statuses, row.Status):
		return otherStatus, nil
	case len(o.Types) > 0 && !slices.Contains(o.Types, row.Kind):
		return otherType, nil
	case len(o.Tags) > 0 && !slices.ContainsFunc(o.Tags, func(tag string) bool { return slices.Contains(row.Tags, tag) }):
		return otherTag, nil
	case len(o.Platforms) > 0 && !slices.ContainsFunc(o.Platforms, row.IsFrom):
		return otherPlatform, nil
	case len(o.Conversations) > 0 && !isStatedByAny(row, o.Conversations):
		return otherTalk, nil
	case row.Created < rows.MicroOf(o.Since):
		return olderThan, nil
	case l.circle != nil && !l.circle.Leaves[row.Seq]:
		return l.circle.WhyNot(row.Seq, notShared), nil
	case len(o.Categories) > 0:
		m, err := rows.NeedMemory(tx, row.ID)
		if err != nil {
			return "", err
		}
		if !personal.Takes(o.Categories, m.Record) {
			return otherType, nil
		}
	}
	if l.base != nil && row.Generation <= l.base.Generation && l.gave(row) {
		return unchanged, nil
	}
	return "", nil
}

// isStatedByAny reports whether one of the conversations stated a memory.
func isStatedByAny(r *rows.Memory, conversations []string) bool {
	return slices.Contains(conversations, r.Conversation) ||
		slices.ContainsFunc(r.Sources, func(id string) bool { return slices.Contains(conversations, id) })
}

// grantedTo returns an access block without the grants of other readers than entity.
func grantedTo(a *memory.Access, entity string) *memory.Access {
	if a == nil {
		return nil
	}
	own := *a
	own.SharedWith = slices.DeleteFunc(slices.Clone(a.SharedWith), func(g memory.Grant) bool { return g.Entity != entity })
	return &own
}

// chooseEmbeddings selects the embeddings to export, and the id of each in the export.
func (l *selection) chooseEmbeddings(tx *vault.Tx) error {
	if !l.options.IncludeEmbeddings && !l.options.OwnEmbeddings {
		return nil
	}
	named := map[string]bool{} // embeddings of two imported documents may have the same id
	for e, err := range tx.Each(vault.Embeddings) {
		if err != nil {
			return err
		}
		x, err := rows.DecodeJSON[struct {
			ID      string                `json:"id"`
			Storage *pam.EmbeddingStorage `json:"storage"`
			Vector  json.RawMessage       `json:"vector"`
		}](e.Plain, "embedding")
		if err != nil {
			return err
		}
		switch {
		case !l.holds(e.ID) || l.hidesIn(e.ID): // a vector would reveal redacted text
		case !l.options.StripIDs:
			for named[x.ID] {
				x.ID += "+"
			}
			named[x.ID] = true
			l.embedded[strings.Clone(e.ID)] = x.ID
		case x.Vector != nil: // else the embedding only tells where its vector is, which may name an account
			l.embedded[strings.Clone(e.ID)] = "embedding-" + e.ID
		}
	}
	return nil
}

// chooseConversations selects the conversations of an export. A full export takes all of
// them, or those that were named. An export of a part of the vault takes those that its
// memories came from. An increment leaves out unchanged conversations that none of its
// memories came from. An export for somebody else takes none, because PAM has no grants
// for conversations.
func (l *selection) chooseConversations(tx *vault.Tx, newID func() string) error {
	l.someStay = len(l.derived) > 0
	if l.options.For != "" {
		return nil
	}
	part := l.options.selection().narrows()
	type chosen struct {
		talk
		entry pam.IndexEntry
	}
	var all []chosen
	if l.base == nil && !part && len(l.options.Conversations) == 0 {
		all = make([]chosen, 0, tx.Count(vault.Conversations))
	}
	err := rows.EachConversation(tx, func(row *rows.Conversation) {
		old := l.base != nil && row.Generation <= l.base.Generation
		if named := l.options.Conversations; len(named) > 0 && !slices.Contains(named, row.ID) || len(named) == 0 && part && len(l.derived[row.ID]) == 0 ||
			old && len(l.derived[row.ID]) == 0 {
			return
		}
		entry := browse.IndexEntryOf(row)
		entry.Platform, entry.Title = strings.Clone(entry.Platform), strings.Clone(entry.Title)
		entry.DerivedMemories, entry.Tags = l.derived[row.ID], cloned(row.Tags)
		t := talk{strings.Clone(row.ID), entry.Title, row.Generation, row.Alone}
		if entry.Title != "" && !l.options.noIndex && !l.withConversations() {
			l.titles++
		}
		switch {
		case l.options.WithoutTitles:
			entry.Title, entry.Tags = "", nil
		case l.options.redacts() && !l.options.noIndex:
			entry.Title = l.redactedTitle(t)
		}
		if l.options.StripIDs {
			ids := []string{strings.Clone(row.ID), strings.Clone(row.NativeID), strings.Clone(row.AccountID)}
			entry.Title, l.known[t.id] = cleanerOf(ids).text(entry.Title), ids
		}
		if l.options.StripIDs || l.options.redacts() {
			entry.Storage = nil // it names a place outside the vault, which may identify somebody
		}
		all = append(all, chosen{t, entry})
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b chosen) int { return strings.Compare(a.id, b.id) })
	l.talks, l.index = slices.Grow(l.talks, len(all)), slices.Grow(l.index, len(all))
	for _, c := range all {
		if l.options.StripIDs { // the vault's id is derived from the provider's, so it is replaced
			c.entry.ID = newID()
		}
		l.talks, l.index = append(l.talks, c.talk), append(l.index, c.entry)
		l.conversations[c.id] = c.entry.ID
	}
	if len(all) == 0 && !l.options.StripIDs {
		if err := l.nameForeign(tx); err != nil {
			return err
		}
	}
	l.someStay = false
	for id := range l.derived {
		_, leaves := l.conversations[id]
		l.someStay = l.someStay || !leaves
	}
	return nil
}

// nameForeign keeps references from memories to conversations that the vault never had.
// It is used only if the document has no index of conversations: with one, PAM §14.1
// requires that the references and the index agree.
func (l *selection) nameForeign(tx *vault.Tx) error {
	foreign := maps.Clone(l.derived)
	err := rows.EachConversation(tx, func(row *rows.Conversation) { delete(foreign, row.ID) })
	for id := range foreign {
		l.conversations[strings.Clone(id)] = strings.Clone(id)
	}
	return err
}

// byConversation returns, by conversation id, the sorted ids of the memories that came
// from it. All lists share one allocation, as there may be many. Memories of the same
// conversation are mostly neighbours in the vault, which saves map lookups.
func byConversation(chosen []*rows.Memory) map[string][]string {
	places := map[string]int{}
	var sizes []int
	of := make([]int, len(chosen)) // of[i] is the index in sizes for chosen[i]; -1: no conversation
	at, last := -1, ""
	for i, row := range chosen {
		if of[i] = -1; row.Conversation == "" {
			continue
		}
		if row.Conversation != last {
			last = row.Conversation
			known := false
			if at, known = places[last]; !known {
				at, sizes = len(sizes), append(sizes, 0)
				places[last] = at
			}
		}
		of[i] = at
		sizes[at]++
	}
	block := make([]string, len(chosen))
	lists := make([][]string, len(sizes))
	for at, size := range sizes {
		lists[at], block = block[:0:size], block[size:]
	}
	for i, row := range chosen {
		if at := of[i]; at >= 0 {
			lists[at] = append(lists[at], row.ID)
		}
	}
	derived := make(map[string][]string, len(places))
	for id, at := range places {
		slices.Sort(lists[at])
		derived[id] = lists[at]
	}
	return derived
}

func (l *selection) redactedTitle(t talk) string {
	var hidden []hiddenPlace
	title := l.hiding.in(t.id, &hidden)(library.TitleField, t.title)
	l.hides(t.id, len(hidden))
	return title
}

func cloned(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = strings.Clone(s)
	}
	return out
}

// memoriesIn streams the canonical bytes of memories, in the order of list. It yields the
// stored bytes, except for memories in l.edited, whose exported form differs.
func (l *selection) memoriesIn(ctx context.Context, tx *vault.Tx, list []*rows.Memory) iter.Seq2[pam.Memory, error] {
	return func(yield func(pam.Memory, error) bool) {
		seqs := rows.SeqsOf(list)
		i := 0
		for e, err := range tx.Numbered(vault.Memories, seqs) {
			m := pam.Memory{ID: e.ID, Canonical: e.Plain}
			if err == nil {
				err = ctx.Err()
			}
			if err == nil && l.edited.Has(seqs[i]) {
				m.Canonical, err = l.leaves(list[i], m.Canonical)
			}
			if !yield(m, err) || err != nil {
				return
			}
			i++
		}
	}
}

// leaves returns the exported form of a memory of l.edited: with confidence.current as of
// the export date, and with the changes that mustChange lists.
func (l *selection) leaves(row *rows.Memory, text []byte) ([]byte, error) {
	if !l.mustChange(row) {
		if now, ok := withCurrent(text, row.Certainty(l.date)); ok {
			return now, nil
		}
	}
	return l.changed(text)
}

// confidenceMember precedes the members of confidence in canonical bytes, and
// currentMember precedes the value of current, the first of these members.
// confidenceMember cannot match inside a string, because quotes are escaped there. It
// cannot match inside another object either: before confidence there is only access,
// which has no such member.
const (
	confidenceMember = `"confidence":{`
	currentMember    = `"current":`
)

// withCurrent replaces confidence.current in canonical bytes without decoding them, as
// most memories need no other change. It returns false if it cannot: the memory has no
// such member, or current is too small for the plain form of a number.
func withCurrent(text []byte, current float64) ([]byte, bool) {
	from := bytes.Index(text, []byte(confidenceMember))
	if from < 0 || !bytes.HasPrefix(text[from+len(confidenceMember):], []byte(currentMember)) {
		return nil, false
	}
	from += len(confidenceMember) + len(currentMember)
	size := bytes.IndexAny(text[from:], ",}")
	if size < 0 || 0 < current && current < 1e-6 { // RFC 8785 writes so small a number with an exponent
		return nil, false
	}
	out := strconv.AppendFloat(slices.Clone(text[:from]), current, 'f', -1, 64)
	return append(out, text[from+size:]...), true
}

// mustChange reports whether the exported form of a memory differs from the stored one
// in more than confidence.current: because of redaction, removed ids or grants, its
// embedding's id, or a reference to an item that is not exported.
func (l *selection) mustChange(row *rows.Memory) bool {
	return l.options.StripIDs || l.options.For != "" || l.hidesIn(row.ID) || l.embedded[row.ID] != "" ||
		l.someStay && row.Conversation != "" && l.conversations[row.Conversation] == "" ||
		row.SupersededBy != "" && !l.holds(row.SupersededBy)
}

func (l *selection) changed(text []byte) ([]byte, error) {
	r, err := pam.DecodeMemory(text)
	if err != nil {
		return nil, err
	}
	if r.Confidence != nil && r.Confidence.Current != nil {
		c := *r.Confidence
		c.Current = new(rows.ConfidenceAt(&c, r.Temporal.CreatedAt, l.date.Time))
		r.Confidence = &c
	}
	from := r.Provenance.ConversationRef
	message := r.Provenance.MessageRef
	r.Provenance.ConversationRef = l.conversations[from]
	if r.Provenance.ConversationRef == "" {
		r.Provenance.MessageRef = ""
	}
	if !l.holds(r.Temporal.SupersededBy) {
		r.Temporal.SupersededBy = ""
	}
	r.EmbeddingRef = l.embedded[r.ID]
	if l.options.For != "" {
		r.Access = grantedTo(r.Access, l.options.For)
	}
	if l.options.redacts() {
		l.hides(r.ID, l.hiding.memory(&r))
	}
	if l.options.StripIDs {
		hash := r.ContentHash
		if stripMemory(&r, append([]string{from, message}, l.known[from]...)); r.ContentHash != hash {
			r.EmbeddingRef = "" // the vector would reveal removed ids; it is dropped before embeddings are written
			delete(l.embedded, r.ID)
		}
	}
	return pam.EncodeMemory(r)
}
