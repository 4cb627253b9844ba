package core

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/proposals"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// CompactionLimits are the thresholds above which a CompactionPlan suggests to archive
// memories or to summarize conversations.
type CompactionLimits struct {
	Tokens   int `json:"tokens"`   // of all active memories together; four characters count as one token
	Messages int `json:"messages"` // in one conversation
	Days     int `json:"days"`     // after so many days without being opened, changed or imported, a memory is unused
}

// defaultLimits returns the limits of the Personal Memory Specification.
func defaultLimits() CompactionLimits {
	return CompactionLimits{Tokens: 150_000, Messages: 200, Days: 90}
}

// Constants of compaction that the Personal Memory Specification fixes.
const (
	oldestShare  = 0.7  // share of the memories suggested as oldest if there are too many tokens
	spared       = 0.75 // importance from which a memory is never archived
	tokenLetters = 4    // characters counted as one token
)

// CompactionKind is the reason why a memory or conversation could be compacted.
type CompactionKind string

const (
	CompactDuplicate CompactionKind = "duplicate" // another active memory has the same normalized words
	CompactRepeat    CompactionKind = "repeat"    // it seems to say the same as another one, in other words; chosen by ids only
	CompactUnused    CompactionKind = "unused"    // not opened, changed or imported within CompactionLimits.Days
	CompactOldest    CompactionKind = "oldest"    // too many tokens in all, and it is one of the oldest memories
	CompactSession   CompactionKind = "session"   // a long conversation without a summary yet
)

// CompactionKinds lists the kinds of compaction by which a CompactionChoice can select: all
// but CompactRepeat, which is a guess that a person has to read.
func CompactionKinds() []CompactionKind {
	return []CompactionKind{CompactDuplicate, CompactUnused, CompactOldest, CompactSession}
}

// CompactionItem is a memory that could be archived, or a conversation that could be
// summarized.
type CompactionItem struct {
	Kinds      []CompactionKind `json:"kinds"` // at least one
	ID         string           `json:"id"`
	Title      string           `json:"title"`
	Type       memory.Type      `json:"type,omitempty"`
	Platform   string           `json:"platform,omitempty"`
	Keeps      string           `json:"keeps,omitempty"`       // duplicates and repeats: id of the memory that stays
	KeepsTitle string           `json:"keeps_title,omitempty"` // repeats: title of that memory
	Last       memory.Time      `json:"last,omitzero"`         // last import, opening, change or restatement; conversations: last change
	Messages   int              `json:"messages,omitempty"`
}

// Is reports whether kind is one of the item's kinds.
func (c CompactionItem) Is(kind CompactionKind) bool { return slices.Contains(c.Kinds, kind) }

// CompactionPlan lists the memories and conversations that could be compacted, with the
// reasons. It is a dry run: nothing has changed.
type CompactionPlan struct {
	Limits CompactionLimits `json:"limits"`
	Tokens int              `json:"tokens"` // approximate tokens of all active memories
	Items  []CompactionItem `json:"items"`
}

// CompactionChoice selects items of a plan: those of any of these kinds (see CompactionKinds),
// and those with these ids.
type CompactionChoice struct {
	Kinds []CompactionKind
	IDs   []string
}

func (c CompactionChoice) takes(item CompactionItem) bool {
	byKind := func(k CompactionKind) bool { return k != CompactRepeat && slices.Contains(c.Kinds, k) }
	return slices.ContainsFunc(item.Kinds, byKind) || slices.Contains(c.IDs, item.ID)
}

// Compacted is the result of ApplyCompaction.
type Compacted struct {
	Archived int `json:"archived"` // memories archived; they stay in the vault
	Sessions int `json:"sessions"` // conversations summarized; they are unchanged
	Proposed int `json:"proposed"` // summaries and facts added to the Inbox
}

const compactionID = "compaction"

// CompactionLimits returns the limits set for this vault, or the defaults.
func (s *Service) CompactionLimits(ctx context.Context) (CompactionLimits, error) {
	return library.ReadValue(ctx, s.lib, readLimits)
}

func readLimits(tx *vault.Tx) (CompactionLimits, error) {
	limits := defaultLimits()
	_, err := rows.FindJSON(tx, vault.Settings, compactionID, "limits", &limits)
	return limits, err
}

// SetCompactionLimits sets the limits that are not 0 in wanted, and returns all limits.
func (s *Service) SetCompactionLimits(ctx context.Context, wanted CompactionLimits) (limits CompactionLimits, err error) {
	if min(wanted.Tokens, wanted.Messages, wanted.Days) < 0 {
		return limits, fault.New(fault.Invalid, "compaction-limits", "The limits of compaction are numbers above 0.")
	}
	err = s.lib.Write(ctx, func(e *library.Tx) error {
		was, err := readLimits(e.VaultTx)
		if err != nil {
			return err
		}
		limits = CompactionLimits{cmp.Or(wanted.Tokens, was.Tokens), cmp.Or(wanted.Messages, was.Messages), cmp.Or(wanted.Days, was.Days)}
		return e.PutSetting(compactionID, limits)
	})
	return limits, err
}

// PlanCompaction lists the memories and conversations that could be compacted: duplicates
// first, then repeats, unused and oldest memories, then long conversations. It changes nothing.
func (s *Service) PlanCompaction(ctx context.Context) (CompactionPlan, error) {
	plan := CompactionPlan{Items: []CompactionItem{}}
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return plan, err
	}
	defer release()
	err = v.View(func(tx *vault.Tx) (err error) {
		if plan.Limits, err = readLimits(tx); err != nil {
			return err
		}
		all, err := tokensInUse(v, ctx, tx)
		if err != nil {
			return err
		}
		pairs, err := meaning.Repeats(ctx, s.meaningService, v, tx)
		if err != nil {
			return err
		}
		plan.memories(all, pairs, s.lib.Now())
		return plan.sessions(v, tx)
	})
	return plan, err
}

// inUse holds the data about an active memory that compaction needs.
type inUse struct {
	id, title, platform string
	words               string // equal for memories that are duplicates, see library.WordsKey
	kind                memory.Type
	letters             int
	changed, last       memory.Time // last is the latest change, import, opening or reinforcement
	spared              bool        // never archived, see isSpared
}

// isSpared reports whether compaction never suggests to archive a memory, because it is
// important, an instruction, or a fact on identity, relationships or health. Importance,
// type, metadata.domain and the words of the text decide.
func isSpared(m memory.Record) bool {
	if important, _ := m.Importance(); important >= spared {
		return true
	}
	switch m.Type {
	case memory.Identity, memory.Relationship, memory.Instruction:
		return true
	}
	domain, _ := m.Metadata["domain"].(string)
	return extract.IsPersonal(m.Content) || extract.IsPersonal(domain)
}

// importTimes returns the start time of each import, by import id.
func importTimes(tx *vault.Tx) (map[string]memory.Time, error) {
	times := map[string]memory.Time{}
	err := library.ForEach(library.Reports(tx), func(report library.ImportReport) { times[report.ImportID] = report.StartedAt })
	return times, err
}

func tokensInUse(v *library.Session, ctx context.Context, tx *vault.Tx) ([]inUse, error) {
	var active []*rows.Memory
	v.Rows.RLock()
	for _, row := range v.Rows.Memories.BySeq {
		if row != nil && row.Status == memory.Active {
			active = append(active, row)
		}
	}
	v.Rows.RUnlock()
	imported, err := importTimes(tx)
	if err != nil {
		return nil, err
	}
	all := make([]inUse, 0, len(active))
	for e, err := range tx.Numbered(vault.Memories, rows.SeqsOf(rows.StoredIn(tx, active))) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		m, err := pam.DecodeMemory(e.Plain)
		if err != nil {
			return nil, err
		}
		use, err := v.UseOf(tx, m)
		if err != nil {
			return nil, err
		}
		text, err := tx.Find(vault.Sources, m.ID)
		if err != nil {
			return nil, err
		}
		side, err := rows.DecodeProvenance(text)
		if err != nil {
			return nil, err
		}
		one := inUse{
			id: m.ID, title: m.Title(), words: library.WordsKey(m.Content), platform: m.Provenance.Platform, kind: m.Type,
			letters: utf8.RuneCountInString(m.Content), changed: rows.ChangedAt(m), spared: isSpared(m),
		}
		one.last = rows.Later(one.changed, use.Last)
		for _, source := range side.Sources {
			one.last = rows.Later(one.last, imported[source.ImportID])
		}
		if m.Confidence != nil {
			one.last = rows.Later(one.last, m.Confidence.LastReinforced)
		}
		all = append(all, one)
	}
	return all, nil
}

func (m inUse) item(kinds ...CompactionKind) CompactionItem {
	return CompactionItem{Kinds: kinds, ID: m.id, Title: m.title, Type: m.kind, Platform: m.platform, Last: m.last}
}

// memories adds to the plan the memories that could be archived, and sums up the tokens.
func (p *CompactionPlan) memories(all []inUse, pairs []meaning.ReviewPair, now memory.Time) {
	// Of duplicates, the memory that was changed last stays.
	slices.SortFunc(all, func(a, b inUse) int {
		return cmp.Or(cmp.Compare(a.words, b.words), b.changed.Compare(a.changed), cmp.Compare(a.id, b.id))
	})
	var rest []inUse
	for i, m := range all {
		p.Tokens += (m.letters + tokenLetters - 1) / tokenLetters
		if i > 0 && all[i-1].words == m.words && !m.spared {
			item := m.item(CompactDuplicate)
			item.Keeps = rest[len(rest)-1].id
			p.Items = append(p.Items, item)
			continue
		}
		rest = append(rest, m)
	}
	stays := repeated(rest, pairs)
	slices.SortFunc(rest, func(a, b inUse) int { return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.id, b.id)) })
	unused := now.Add(-time.Duration(p.Limits.Days) * 24 * time.Hour)
	many := 0
	if p.Tokens > p.Limits.Tokens {
		many = int(oldestShare * float64(len(rest)))
	}
	for i, m := range rest {
		item := m.item()
		if other, ok := stays[m.id]; ok {
			item.Kinds, item.Keeps, item.KeepsTitle = append(item.Kinds, CompactRepeat), other.id, other.title
		}
		if !m.last.IsZero() && m.last.Before(unused) {
			item.Kinds = append(item.Kinds, CompactUnused)
		}
		if !m.last.IsZero() && i < many {
			item.Kinds = append(item.Kinds, CompactOldest)
		}
		if len(item.Kinds) > 0 && !m.spared {
			p.Items = append(p.Items, item)
		}
	}
}

// repeated returns, by the ids of memories that another one repeats, that other one, which
// stays. What goes is never what another goes for.
func repeated(all []inUse, pairs []meaning.ReviewPair) map[string]inUse {
	byID, stays, isKept := map[string]inUse{}, map[string]inUse{}, map[string]bool{}
	for _, m := range all {
		byID[m.id] = m
	}
	for _, p := range pairs {
		goes, kept := byID[p.A.ID], byID[p.B.ID]
		if goes.outlasts(kept) {
			goes, kept = kept, goes
		}
		_, gone := stays[goes.id]
		_, lost := stays[kept.id]
		if goes.id == "" || goes.spared || gone || lost || isKept[goes.id] { // no id: a duplicate, which is planned already
			continue
		}
		stays[goes.id], isKept[kept.id] = kept, true
	}
	return stays
}

// outlasts reports whether of two memories that say the same this one stays: one that is
// never archived, else the longer one, which may say more, else the one changed last.
func (m inUse) outlasts(other inUse) bool {
	if m.spared != other.spared {
		return m.spared
	}
	return cmp.Or(cmp.Compare(m.letters, other.letters), m.changed.Compare(other.changed), cmp.Compare(m.id, other.id)) > 0
}

// sessions adds to the plan the long conversations that were not summarized yet.
func (p *CompactionPlan) sessions(v *library.Session, tx *vault.Tx) error {
	var long []rows.ConversationEntry
	v.Rows.RLock()
	for _, entry := range v.Rows.Conversations.BySeq {
		if entry != nil && int(entry.Messages) > p.Limits.Messages {
			long = append(long, *entry)
		}
	}
	v.Rows.RUnlock()
	for i := range long {
		row, ok, err := long[i].Row(tx)
		if err != nil {
			return err
		}
		if _, done := tx.Linked(vault.Proposals, bySummary(row.ID)); !ok || done {
			continue
		}
		c := memory.Conversation{Title: row.Title}
		p.Items = append(p.Items, CompactionItem{
			Kinds: []CompactionKind{CompactSession}, ID: row.ID, Title: c.Heading(), Platform: row.Platform, Messages: row.MessageCount, Last: rows.Later(row.Began(), row.UpdatedAt),
		})
	}
	return nil
}

// bySummary returns the lookup key that marks a conversation as summarized.
func bySummary(conversation string) string { return "summary:" + conversation }

// ApplyCompaction makes a new plan and applies the chosen items. It archives memories in
// one change, which a single undo reverts. For conversations, it adds summaries and facts
// to the Inbox as proposals, which the person accepts or rejects.
func (s *Service) ApplyCompaction(ctx context.Context, wanted CompactionChoice) (Compacted, error) {
	plan, err := s.PlanCompaction(ctx)
	if err != nil {
		return Compacted{}, err
	}
	var archive, sessions []string
	for _, item := range plan.Items {
		switch {
		case !wanted.takes(item):
		case item.Is(CompactSession):
			sessions = append(sessions, item.ID)
		default:
			archive = append(archive, item.ID)
		}
	}
	if n := len(archive) + len(sessions); n == 0 || n > MaxAtOnce {
		return Compacted{}, errCompaction(n)
	}
	found, err := proposals.Summarize(ctx, s.proposalsService, sessions)
	if err != nil {
		return Compacted{}, err
	}
	return library.MakeChange(ctx, s.lib, library.LogCompacted, func(e *library.Tx) (Compacted, []string, error) {
		done := Compacted{Sessions: len(sessions)}
		for _, id := range archive {
			changed, err := editOne(e, id, ManyEdit{Status: memory.Archived})
			if err != nil {
				return done, nil, err
			}
			if changed {
				done.Archived++
			}
		}
		var err error
		if done.Proposed, err = proposals.ProposeNew(e, found); err != nil {
			return done, nil, err
		}
		for _, id := range sessions {
			if err := e.LinkProposal(bySummary(id)); err != nil {
				return done, nil, err
			}
		}
		if len(e.Images) == 0 { // no undo data, because no memory was archived: only the log records this
			return done, nil, e.Log(library.LogCompacted, "", len(sessions))
		}
		return done, archive[:min(len(archive), library.MaxSubjects)], nil
	})
}

func errCompaction(n int) error {
	if n == 0 {
		return fault.New(fault.NotFound, "nothing-to-compact", "Nothing of what was chosen can be compacted.").Advise("Look at the plan again; it may have changed.")
	}
	return library.ErrTooManyAtOnce(n, MaxAtOnce)
}
