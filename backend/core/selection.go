package core

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"strings"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Reasons why a memory stays when others leave.
const (
	notExportable = "not-exportable"
	otherStatus   = "status"
	otherType     = "type"
	notShared     = "not-shared"
)

// leaving is what an export holds, decided before a byte is written.
type leaving struct {
	options       ExportOptions
	date          memory.Time
	rows          []*memoryRow // in the order in which they are written, by id
	excluded      map[string]int
	relations     []memory.Relation
	conversations map[string]bool
	someStay      bool // of the conversations that memories name
	index         []pam.IndexEntry
}

// leaving selects from the vault; nothing that may not leave passes here, and
// the format refuses it once more.
func (v *session) leaving(tx *vault.Tx, o ExportOptions, date memory.Time) (*leaving, error) {
	l := &leaving{
		options: o, date: date, excluded: map[string]int{}, conversations: map[string]bool{},
		relations: []memory.Relation{}, index: []pam.IndexEntry{},
	}
	v.rows.mu.RLock()
	defer v.rows.mu.RUnlock()
	chosen := make([]keyed, 0, len(v.rows.memories.bySeq))
	for _, row := range v.rows.memories.bySeq {
		if row == nil {
			continue
		}
		reason, err := l.stays(tx, row)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			l.excluded[reason]++
			continue
		}
		chosen = append(chosen, keyedByID(row))
	}
	l.rows = sortedRows(chosen)
	for _, rel := range v.rows.relations {
		if l.holds(rel.From) && l.holds(rel.To) {
			l.relations = append(l.relations, rel)
		}
	}
	slices.SortFunc(l.relations, oldestRelation)
	return l, l.choose(tx)
}

// keyed is a row with the first eight bytes of its id at hand, behind which few
// ids must be followed to be sorted.
type keyed struct {
	start uint64
	*memoryRow
}

func keyedByID(row *memoryRow) keyed {
	var start [8]byte // a shorter id ends in zeros, and sorts no later for it
	copy(start[:], row.id)
	return keyed{binary.BigEndian.Uint64(start[:]), row}
}

func sortedRows(all []keyed) []*memoryRow {
	slices.SortFunc(all, func(a, b keyed) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return strings.Compare(a.id, b.id)
	})
	rows := make([]*memoryRow, len(all))
	for i, k := range all {
		rows[i] = k.memoryRow
	}
	return rows
}

// holds reports whether a memory leaves.
func (l *leaving) holds(id string) bool {
	_, ok := slices.BinarySearchFunc(l.rows, id, func(row *memoryRow, id string) int { return strings.Compare(row.id, id) })
	return ok
}

// stays is the reason why a memory does not leave, "" when it does.
func (l *leaving) stays(tx *vault.Tx, row *memoryRow) (string, error) {
	switch o := l.options; {
	case !row.exportable:
		return notExportable, nil
	case len(o.Statuses) > 0 && !slices.Contains(o.Statuses, row.status):
		return otherStatus, nil
	case len(o.Types) > 0 && !slices.Contains(o.Types, row.kind):
		return otherType, nil
	case o.For != "":
		m, err := need(tx, row.id)
		if err == nil && !sharedWith(m.Access, o.For) {
			return notShared, nil
		}
		return "", err
	}
	return "", nil
}

// sharedWith is what an access block says about one reader (PAM §9).
func sharedWith(a *memory.Access, entity string) bool {
	if a == nil || a.Visibility == memory.Private || a.Visibility == "" {
		return false
	}
	if a.Visibility == memory.Public {
		return true
	}
	return slices.ContainsFunc(a.SharedWith, func(g memory.Grant) bool {
		return g.Entity == entity && slices.Contains(g.Permissions, "read")
	})
}

// choose takes the conversations: all of them with a whole export, only those
// that a memory came from with a part.
func (l *leaving) choose(tx *vault.Tx) error {
	part := l.options.For != "" || len(l.options.Types) > 0 || len(l.options.Statuses) > 0
	derived := map[string][]string{}
	for _, row := range l.rows {
		if c := row.conversation; c != "" {
			derived[c] = append(derived[c], row.id)
		}
	}
	err := eachConversationRow(tx, func(row *conversationRow) {
		if part && len(derived[row.ID]) == 0 {
			return
		}
		l.conversations[row.ID] = true
		entry := row.IndexEntry()
		entry.Platform, entry.Title = strings.Clone(entry.Platform), strings.Clone(entry.Title)
		entry.DerivedMemories = derived[row.ID]
		l.index = append(l.index, entry)
	})
	for id := range derived {
		l.someStay = l.someStay || !l.conversations[id]
	}
	slices.SortFunc(l.index, func(a, b pam.IndexEntry) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return err
}

// memories streams the canonical bytes. What is stored leaves as it is, unless
// something in it is only true here.
func (l *leaving) memories(ctx context.Context, tx *vault.Tx) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		seqs := make([]uint64, len(l.rows))
		for i, row := range l.rows {
			seqs[i] = row.seq
		}
		i := 0
		for e, err := range tx.Numbered(vault.Memories, seqs) {
			text := e.Plain
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				text, err = l.leaves(l.rows[i], text)
			}
			if !yield(text, err) || err != nil {
				return
			}
			i++
		}
	}
}

// leaves is a memory as it leaves: as it is stored, with the confidence of the
// day, and without what it names of things that stay.
func (l *leaving) leaves(row *memoryRow, text []byte) ([]byte, error) {
	if l.mustChange(row) {
		return l.changed(text)
	}
	if row.confidence.decays() {
		if now, ok := withCurrent(text, row.confidence.at(row.created, l.date)); ok {
			return now, nil
		}
		return l.changed(text)
	}
	return text, nil
}

// currentMember stands in canonical bytes before the value of confidence.current.
// It cannot stand in a text, where quotes are escaped; and of the members before
// confidence, only access is an object, which has no such member.
const currentMember = `"confidence":{"current":`

// withCurrent changes confidence.current in canonical bytes, without decoding
// them: most exports hold little else that changes.
func withCurrent(text []byte, current float64) ([]byte, bool) {
	from := bytes.Index(text, []byte(currentMember))
	if from < 0 {
		return nil, false
	}
	from += len(currentMember)
	size := bytes.IndexAny(text[from:], ",}")
	if size < 0 {
		return nil, false
	}
	// Four digits at most (rules.go), so that this is the form of RFC 8785.
	out := strconv.AppendFloat(slices.Clone(text[:from]), current, 'f', -1, 64)
	return append(out, text[from+size:]...), true
}

// mustChange reports that a memory names something that stays.
func (l *leaving) mustChange(row *memoryRow) bool {
	return l.options.StripIDs ||
		l.someStay && row.conversation != "" && !l.conversations[row.conversation] ||
		row.supersededBy != "" && !l.holds(row.supersededBy)
}

func (l *leaving) changed(text []byte) ([]byte, error) {
	r, err := pam.DecodeMemory(text)
	if err != nil {
		return nil, err
	}
	if r.Confidence != nil {
		c := *r.Confidence
		c.Current = confidenceAt(&c, r.Temporal.CreatedAt, l.date.Time)
		r.Confidence = &c
	}
	if !l.conversations[r.Provenance.ConversationRef] {
		r.Provenance.ConversationRef, r.Provenance.MessageRef = "", ""
	}
	if !l.holds(r.Temporal.SupersededBy) {
		r.Temporal.SupersededBy = ""
	}
	if l.options.StripIDs {
		r.Provenance.PlatformUserID, r.Provenance.MessageRef = "", ""
	}
	return pam.EncodeMemory(r)
}

// bundle streams what goes beside the store.
func (l *leaving) bundle(ctx context.Context, v *session, tx *vault.Tx) pam.Bundle {
	if !l.withConversations() {
		return pam.Bundle{}
	}
	b := pam.Bundle{Conversations: func(yield func(*memory.Conversation, error) bool) {
		for _, entry := range l.index {
			c, err := tx.Conversation(entry.ID)
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				l.prepare(c)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}}
	if l.options.IncludeAttachments {
		b.Attachments = l.attachments(ctx, v, tx)
	}
	return b
}

func (l *leaving) withConversations() bool {
	return l.options.IncludeConversations || l.options.IncludeAttachments
}

// attachments streams each file once, in the order in which it is named.
func (l *leaving) attachments(ctx context.Context, v *session, tx *vault.Tx) iter.Seq2[pam.Attachment, error] {
	return func(yield func(pam.Attachment, error) bool) {
		seen := map[string]bool{}
		for _, entry := range l.index {
			for m, err := range tx.Messages(entry.ID) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					yield(pam.Attachment{}, err)
					return
				}
				more := true
				named(&m, func(ref string) {
					if more && !seen[ref] {
						seen[ref] = true
						more = yield(v.attachment(ref), nil)
					}
				})
				if !more {
					return
				}
			}
		}
	}
}

// prepare makes the references of a conversation lead to places in the bundle,
// and takes the provider's own ids out where that is asked for.
func (l *leaving) prepare(c *memory.Conversation) {
	movePlaces(c, l.place)
	if l.options.StripIDs {
		stripConversation(c)
	}
}

// movePlaces lets each reference of a conversation lead where place says.
func movePlaces(c *memory.Conversation, place func(ref string) string) {
	for i := range c.Messages {
		m := &c.Messages[i]
		for k := range m.Attachments {
			m.Attachments[k].Ref = place(m.Attachments[k].Ref)
		}
		if m.Content == nil {
			continue
		}
		for k := range m.Content.Parts {
			m.Content.Parts[k].Ref = place(m.Content.Parts[k].Ref)
		}
	}
}

func (l *leaving) place(ref string) string {
	if ref == "" || !l.options.IncludeAttachments {
		return ""
	}
	return pam.AttachmentRef(ref)
}
