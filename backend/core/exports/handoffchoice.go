package exports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"iter"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/handoff"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Reasons why a memory is not offered to an assistant, in addition to NotExportable and
// others in selection.go. Package handoff defines why a memory does not fit into a text.
const (
	notValidNow = "not-valid-now"
	ofProject   = "project"    // belongs to one project, and HandoffRules.Projects is off
	sameAgain   = "same-words" // a memory with a higher rank has the same words
	repeated    = "repeat"     // a memory with a higher rank says the same in other words
)

// mostCompared is how many candidates are compared by meaning, highest rank first. The texts
// of a hand-off have room for a few hundred lines.
const mostCompared = 600

// candidate is a memory that may be in a hand-off, with its rank.
type candidate struct {
	handoff.Rank
	row *rows.Memory
	key wordsKey
}

// wordsKey is a hash of library.WordsKey, the same for memories that have the same words.
type wordsKey [sha256.Size]byte

// choose returns the candidates, highest rank first, and counts the other memories by
// reason in h.Excluded.
func (h *Handoff) choose(ctx context.Context, v *library.Session, tx *vault.Tx, rules HandoffRules, o HandoffOptions, now memory.Time) ([]candidate, error) {
	var vocabulary handoff.Vocabulary
	var words []handoff.Words
	var figures []handoff.Figures
	var chosen []candidate
	list := slices.DeleteFunc(h.allowed(v, rules), func(row *rows.Memory) bool { return o.Within != nil && !o.Within[row.Seq] })
	list = rows.StoredIn(tx, h.foremost(list, o.Most, now))
	for r, err := range memoriesOf(ctx, tx, rows.SeqsOf(list)) {
		if err != nil {
			return nil, err
		}
		row := list[0]
		list = list[1:]
		if reason := h.withholds(r, rules, o, now); reason != "" {
			h.Excluded[reason]++
			continue
		}
		words = append(words, vocabulary.Add(r.Content))
		figures = append(figures, figuresOf(row, now))
		chosen = append(chosen, candidate{handoff.Rank{Type: row.Kind, ID: row.ID}, row, sha256.Sum256([]byte(library.WordsKey(r.Content)))})
	}
	for i, f := range figures {
		f.Specific = vocabulary.Specific(words[i]) // known once all texts are
		chosen[i].Telling = f.Telling()
	}
	handoff.Order(chosen, func(c candidate) handoff.Rank { return c.Rank })
	return h.once(ctx, v, tx, chosen, o.Within != nil)
}

func figuresOf(row *rows.Memory, now memory.Time) handoff.Figures {
	importance, given := row.Importance()
	if !given {
		importance = handoff.UnsaidImportance
	}
	return handoff.Figures{Importance: importance, Confidence: row.Certainty(now), Newness: handoff.Newness(rows.TimeOf(row.Updated), now)}
}

// foremost returns the most rows that rank highest by what is known without their texts, in
// the order of list, and counts the others in h.Unread. With most 0 it returns all.
func (h *Handoff) foremost(list []*rows.Memory, most int, now memory.Time) []*rows.Memory {
	if most == 0 || len(list) <= most {
		return list
	}
	h.Unread = len(list) - most
	telling := make([]float64, len(list))
	ofType := map[memory.Type][]float64{}
	for i, row := range list {
		telling[i] = figuresOf(row, now).Telling()
		ofType[row.Kind] = append(ofType[row.Kind], telling[i])
	}
	for _, all := range ofType {
		slices.Sort(all) // numbers alone are sorted much faster than candidates
	}
	var ranked []candidate
	for i, row := range list {
		if all := ofType[row.Kind]; telling[i] >= all[max(0, len(all)-most)] {
			ranked = append(ranked, candidate{Rank: handoff.Rank{Type: row.Kind, ID: row.ID, Telling: telling[i]}, row: row})
		}
	}
	handoff.Order(ranked, func(c candidate) handoff.Rank { return c.Rank })
	list = list[:0]
	for _, c := range ranked[:most] {
		list = append(list, c.row)
	}
	slices.SortFunc(list, func(a, b *rows.Memory) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

// allowed returns the rows (summaries in RAM) that the rules allow.
func (h *Handoff) allowed(v *library.Session, rules HandoffRules) (list []*rows.Memory) {
	v.Rows.RLock()
	all := slices.Clone(v.Rows.Memories.BySeq)
	v.Rows.RUnlock()
	for _, row := range all {
		if row == nil {
			continue
		}
		reason := rules.stays(row)
		if reason == "" && h.circle != nil && !h.circle.Leaves[row.Seq] {
			reason = h.circle.WhyNot(row.Seq, notShared)
		}
		if reason != "" {
			h.Excluded[reason]++
			continue
		}
		list = append(list, row)
	}
	return list
}

// once drops candidates that say what one with a higher rank says, in the same words or, as
// far as there are vectors, in others. With alone, what it drops says nothing of other memories.
func (h *Handoff) once(ctx context.Context, v *library.Session, tx *vault.Tx, ranked []candidate, alone bool) ([]candidate, error) {
	said := map[wordsKey]bool{}
	ranked = slices.DeleteFunc(ranked, func(c candidate) bool {
		again := said[c.key]
		said[c.key] = true
		if again {
			h.Excluded[sameAgain]++
		}
		return again
	})
	var compared []uint64
	for _, c := range ranked[:min(len(ranked), mostCompared)] {
		compared = append(compared, c.row.Seq)
	}
	pairs, err := meaning.RepeatsAmong(ctx, v, tx, compared, alone)
	if err != nil {
		return nil, err
	}
	like := map[uint64][]uint64{}
	for _, p := range pairs {
		like[p[0]], like[p[1]] = append(like[p[0]], p[1]), append(like[p[1]], p[0])
	}
	kept := map[uint64]bool{}
	return slices.DeleteFunc(ranked, func(c candidate) bool {
		again := slices.ContainsFunc(like[c.row.Seq], func(seq uint64) bool { return kept[seq] })
		kept[c.row.Seq] = !again
		if again {
			h.Excluded[repeated]++
		}
		return again
	}), nil
}

// memoriesOf reads the memories with these numbers.
func memoriesOf(ctx context.Context, tx *vault.Tx, seqs []uint64) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for e, err := range tx.Numbered(vault.Memories, seqs) {
			var r memory.Record
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				r, err = pam.DecodeMemory(e.Plain)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// stays returns why the row (summary in RAM) of a memory excludes it, "" if it does not.
func (r HandoffRules) stays(row *rows.Memory) string {
	switch {
	case !row.Exportable:
		return NotExportable
	case row.Status != memory.Active:
		return otherStatus
	case len(r.Types) > 0 && !slices.Contains(r.Types, row.Kind):
		return otherType
	case slices.ContainsFunc(r.WithoutTags, func(tag string) bool { return slices.Contains(row.Tags, tag) }):
		return otherTag
	}
	return ""
}

// told streams the chosen memories as they may be told: with what the person wrote instead
// for this time, and redacted by hides.
func (o HandoffOptions) told(ctx context.Context, tx *vault.Tx, chosen []candidate, hides func(id, content string) string) iter.Seq2[handoff.Item, error] {
	return func(yield func(handoff.Item, error) bool) {
		var list []*rows.Memory
		for _, c := range chosen {
			list = append(list, c.row)
		}
		for r, err := range memoriesOf(ctx, tx, rows.SeqsOf(list)) {
			item := handoff.Item{Record: r, Unticked: slices.Contains(o.Without, r.ID)}
			if text, edited := o.Edits[r.ID]; edited {
				item.Content, item.Edited = text, true
			}
			if err == nil {
				item.Content = hides(item.ID, item.Content)
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// withholds returns the reason why a memory is left out of the hand-off, "" for none. It
// checks what HandoffRules.stays cannot: MayLeave, validity, access and project.
func (h *Handoff) withholds(r memory.Record, rules HandoffRules, o HandoffOptions, now memory.Time) string {
	switch t := r.Temporal; {
	case !r.MayLeave():
		return NotExportable
	case !t.ValidFrom.IsZero() && now.Before(t.ValidFrom.Time) || !t.ValidUntil.IsZero() && !now.Before(t.ValidUntil.Time):
		return notValidNow
	case h.circle == nil && o.Within == nil && !mayBeTold(r.Access, h.Target):
		return notShared
	case !rules.Projects && r.IsScoped():
		return ofProject
	}
	return ""
}

// mayBeTold reports whether a memory with this access block may be in a hand-off, a text
// that the owner gives to the assistant target. A shared memory that lists readers goes
// only to them. A private one is allowed, because the owner makes the hand-off.
func mayBeTold(a *memory.Access, target string) bool {
	return a == nil || a.Visibility != memory.Shared || len(a.SharedWith) == 0 || a.LetsRead(target)
}
