package exports

import (
	"context"
	"iter"
	"slices"

	"keepsake/backend/core/library"
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
)

// candidate is a memory whose row (its summary in RAM) allows a hand-off, with its rank.
type candidate struct {
	handoff.Rank
	row *rows.Memory
}

// choose returns the candidates, highest rank first, and counts the other memories by
// reason in h.Excluded. It uses only rows, so it decrypts no text.
func (h *Handoff) choose(v *library.Session, rules HandoffRules, now memory.Time) []candidate {
	v.Rows.RLock()
	rows := slices.Clone(v.Rows.Memories.BySeq)
	v.Rows.RUnlock()
	var chosen []candidate
	for _, row := range rows {
		if row == nil {
			continue
		}
		if reason := rules.stays(row); reason != "" {
			h.Excluded[reason]++
			continue
		}
		chosen = append(chosen, candidate{handoff.Rank{Type: row.Kind, Confidence: row.Certainty(now), Changed: int64(row.Updated), ID: row.ID}, row})
	}
	slices.SortFunc(chosen, func(a, b candidate) int { return a.Compare(b.Rank) })
	return chosen
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

// told streams the chosen memories with their content redacted by hides. It skips a memory
// if withholds returns a reason, or if an earlier memory of the stream has the same words.
func (h *Handoff) told(ctx context.Context, tx *vault.Tx, chosen []candidate, rules HandoffRules, now memory.Time, hides func(id, content string) string) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		said := map[string]bool{}
		seqs := make([]uint64, len(chosen))
		for i, c := range chosen {
			seqs[i] = c.row.Seq
		}
		for e, err := range tx.Numbered(vault.Memories, seqs) {
			var r memory.Record
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				r, err = pam.DecodeMemory(e.Plain)
			}
			if err != nil {
				yield(r, err)
				return
			}
			if reason := h.withholds(r, rules, now); reason != "" {
				h.Excluded[reason]++
				continue
			}
			words := library.WordsKey(r.Content)
			if said[words] {
				h.Excluded[sameAgain]++
				continue
			}
			said[words] = true
			h.Memories++
			r.Content = hides(r.ID, r.Content)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// withholds returns the reason why a memory is left out of the hand-off, "" for none. It
// checks what HandoffRules.stays cannot: MayLeave, validity, access and project.
func (h *Handoff) withholds(r memory.Record, rules HandoffRules, now memory.Time) string {
	switch t := r.Temporal; {
	case !r.MayLeave():
		return NotExportable
	case !t.ValidFrom.IsZero() && now.Before(t.ValidFrom.Time) || !t.ValidUntil.IsZero() && !now.Before(t.ValidUntil.Time):
		return notValidNow
	case !mayBeTold(r.Access, h.Target):
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
	return a == nil || a.Visibility != memory.Shared || len(a.SharedWith) == 0 || sharedWith(a, target)
}
