package circles

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// accessMember stands in the canonical JSON of every memory that somebody else may read, so that
// only those are decoded. It cannot stand in a text, where quotes are escaped.
var accessMember = []byte(`"access":{`)

// shared is a memory that somebody else may read.
type shared struct {
	row         *rows.Memory
	record      memory.Record
	unconfirmed []string // see rows.ProvenanceRecord
}

// isMember reports whether the memory is in the circle of an entity: its access block lets the
// entity read it, and not only because a document of somebody else said so.
func (m shared) isMember(entity string) bool {
	access := m.record.Access
	if access == nil {
		return false
	}
	open := access.Visibility == memory.Public && !slices.Contains(m.unconfirmed, rows.Everybody)
	return open || m.isGranted(entity) && access.LetsRead(entity) && !slices.Contains(m.unconfirmed, entity)
}

// holdsBack returns a function that tells for which topics a member does not leave.
func (c record) holdsBack(topics sensitivity.Topics) func(*rows.Memory) sensitive.Set {
	without, picked := sensitive.SetOf(c.Without...), c.Picked.Set()
	return func(row *rows.Memory) sensitive.Set {
		if picked[row.Seq] {
			return 0
		}
		return topics.Set(row) & without
	}
}

// stays returns the reason why a member leaves for no circle; "" if it may.
func (m shared) stays() string {
	switch {
	case !m.record.MayLeave():
		return NotExportable
	case m.record.Status != memory.Active:
		return NotActive
	}
	return ""
}

// isGranted reports whether the access block names an entity.
func (m shared) isGranted(entity string) bool {
	return slices.ContainsFunc(m.record.Access.SharedWith, func(g memory.Grant) bool { return g.Entity == entity })
}

// eachShared calls fn for every memory that somebody else may read.
func eachShared(ctx context.Context, r *rows.Rows, tx *vault.Tx, fn func(shared) error) error {
	for e, err := range tx.Each(vault.Memories) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if !bytes.Contains(e.Plain, accessMember) {
			continue
		}
		m, err := pam.DecodeMemory(e.Plain)
		if err != nil {
			return fmt.Errorf("read who may read memories: %w", err)
		}
		if m.Access == nil || m.Access.Visibility == memory.Private {
			continue
		}
		r.RLock()
		row := r.Memories.Find(m.ID)
		r.RUnlock()
		if row == nil { // deleted since the transaction began
			continue
		}
		text, err := tx.Find(vault.Sources, row.ID)
		if err != nil {
			return err
		}
		side, err := rows.DecodeProvenance(text)
		if err != nil {
			return err
		}
		if err := fn(shared{row, m, side.Unconfirmed}); err != nil {
			return err
		}
	}
	return nil
}

// Reasons why a member does not leave for its circle.
const (
	NotExportable = "not-exportable" // it is in Nobody, which wins
	NotActive     = "status"
	Sensitive     = "sensitive" // it is about a topic that never leaves for the circle
)

// Choice is what of a circle leaves.
type Choice struct {
	Circle
	Leaves  map[uint64]bool // by sequence number
	Members int
	// Stays counts the members that do not leave, by reason; ByTopic those of the reason
	// Sensitive, by topic of Circle.Without.
	Stays   map[string]int
	ByTopic map[sensitive.Topic]int
	// ByWords counts members of which only the words were looked at.
	ByWords int
	rows    []*rows.Memory    // that leave, by sequence number
	stays   map[uint64]string // reason, by sequence number
}

// WhyNot returns the reason why a memory does not leave for the circle; other if it is no member.
func (c Choice) WhyNot(seq uint64, other string) string { return cmp.Or(c.stays[seq], other) }

// EntityOf returns the entity of the circle that a word means. A word that is no circle is an
// entity itself.
func EntityOf(ctx context.Context, v *library.Session, tx *vault.Tx, word string) (string, error) {
	c, err := findOrNone(ctx, v.Rows, tx, word)
	return c.Entity, err
}

// findOrNone is findIn, but that a word that is no circle is an entity without members of its own.
func findOrNone(ctx context.Context, r *rows.Rows, tx *vault.Tx, word string) (record, error) {
	c, err := findIn(ctx, r, tx, word)
	if fault.CodeOf(err) == fault.NotFound {
		return record{Circle: Circle{Entity: word, Name: word}}, nil
	}
	return c, err
}

// Choose decides what leaves for the circle that a word means; for an entity that is none, what
// everybody may read. Every form that leaves, and every preview, asks this.
func Choose(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, word string) (Choice, error) {
	c, err := findOrNone(ctx, v.Rows, tx, word)
	if err != nil {
		return Choice{}, err
	}
	return c.choose(ctx, lib, v, tx)
}

func (c record) choose(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx) (Choice, error) {
	choice := Choice{Circle: c.Circle, Leaves: map[uint64]bool{}, Stays: map[string]int{}, ByTopic: map[sensitive.Topic]int{}, stays: map[uint64]string{}}
	stay := func(row *rows.Memory, reason string) {
		choice.Stays[reason]++
		choice.stays[row.Seq] = reason
	}
	var members []*rows.Memory
	err := eachShared(ctx, v.Rows, tx, func(m shared) error {
		if !m.isMember(c.Entity) {
			return nil
		}
		choice.Members++
		if reason := m.stays(); reason != "" {
			stay(m.row, reason)
		} else {
			members = append(members, m.row)
		}
		return nil
	})
	if err != nil {
		return choice, err
	}
	topics, err := sensitivity.Of(ctx, lib, v, tx, members)
	if err != nil {
		return choice, err
	}
	choice.ByWords = topics.ByWords
	held := c.holdsBack(topics)
	for _, row := range members {
		if held := held(row); held != 0 {
			stay(row, Sensitive)
			for _, t := range held.Topics() {
				choice.ByTopic[t]++
			}
			continue
		}
		choice.Leaves[row.Seq] = true
		choice.rows = append(choice.rows, row)
	}
	return choice, nil
}
