package circles

import (
	"cmp"
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// isMember reports whether the memory is in the circle of an entity: its access block lets the
// entity read it, and not only because a document of somebody else said so.
func (m shared) isMember(entity string) bool {
	return m.isOpen() || m.isGranted(entity) && m.access.LetsRead(entity) && !slices.Contains(m.unconfirmed, entity)
}

// isOpen reports whether everybody may read the memory, so that it is in every circle.
func (m shared) isOpen() bool {
	return m.access.Visibility == memory.Public && !slices.Contains(m.unconfirmed, rows.Everybody)
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
	case !m.access.Exportable:
		return NotExportable
	case m.status != memory.Active:
		return NotActive
	}
	return ""
}

// isGranted reports whether the access block names an entity.
func (m shared) isGranted(entity string) bool {
	return slices.ContainsFunc(m.access.SharedWith, func(g memory.Grant) bool { return g.Entity == entity })
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
	c, err := viewOf(v, tx).findOrNone(ctx, word)
	return c.Entity, err
}

// findOrNone is find, but that a word that is no circle is an entity without members of its own.
func (w view) findOrNone(ctx context.Context, word string) (record, error) {
	c, err := w.find(ctx, word)
	if fault.CodeOf(err) == fault.NotFound {
		return record{Circle: Circle{Entity: word, Name: word}}, nil
	}
	return c, err
}

// Choose decides what leaves for the circle that a word means; for an entity that is none, what
// everybody may read. Every form that leaves, and every preview, asks this.
func Choose(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, word string) (Choice, error) {
	c, err := viewOf(v, tx).findOrNone(ctx, word)
	if err != nil {
		return Choice{}, err
	}
	return c.choose(ctx, lib, v, tx)
}

// NameOf returns what a circle is called: its entity if it has no name of its own.
func NameOf(tx *vault.Tx, entity string) (string, error) {
	c := record{Circle: Circle{Name: entity}}
	_, err := rows.FindJSON(tx, vault.Circles, entity, "circle", &c)
	return c.Name, err
}

// ChooseCircle is Choose for a circle that has to exist.
func ChooseCircle(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, word string) (Choice, error) {
	c, err := viewOf(v, tx).find(ctx, word)
	if err != nil {
		return Choice{}, err
	}
	return c.choose(ctx, lib, v, tx)
}

// ChooseEntity is ChooseCircle for the circle of an entity. No other circle is taken for it, whatever
// that is called.
func ChooseEntity(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx, entity string) (Choice, error) {
	c, err := viewOf(v, tx).find(ctx, entity)
	if err == nil && c.Entity != entity {
		err = errNoCircle(entity)
	}
	if err != nil {
		return Choice{}, err
	}
	return c.choose(ctx, lib, v, tx)
}

// Stored is what identifies a circle and its present state: the sequence number of its record, which no
// later circle has, and the record itself. Of an entity without a record they are 0 and nil.
func Stored(tx *vault.Tx, entity string) (seq uint64, record []byte, err error) {
	if !tx.Has(vault.Circles, entity) {
		return 0, nil, nil
	}
	if seq, err = tx.Seq(vault.Circles, entity); err != nil {
		return 0, nil, err
	}
	record, err = tx.Get(vault.Circles, entity)
	return seq, record, err
}

func (c record) choose(ctx context.Context, lib *library.Library, v *library.Session, tx *vault.Tx) (Choice, error) {
	choice := Choice{Circle: c.Circle, Leaves: map[uint64]bool{}, Stays: map[string]int{}, ByTopic: map[sensitive.Topic]int{}, stays: map[uint64]string{}}
	stay := func(row *rows.Memory, reason string) {
		choice.Stays[reason]++
		choice.stays[row.Seq] = reason
	}
	var members []*rows.Memory
	all, err := viewOf(v, tx).shared(ctx)
	if err != nil {
		return choice, err
	}
	for _, m := range all {
		switch reason := m.stays(); {
		case !m.isMember(c.Entity):
			continue
		case reason != "":
			stay(m.row, reason)
		default:
			members = append(members, m.row)
		}
		choice.Members++
	}
	looked := members
	if len(c.Without) == 0 {
		looked = nil // no topic is held back, so that none has to be read for its topics
	}
	topics, err := sensitivity.Of(ctx, lib, v, tx, looked)
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
