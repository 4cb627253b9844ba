package circles

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// mostAtOnce limits how many memories one change may put into a circle or take out of it.
const mostAtOnce = 20_000

// JoinCircle puts memories into a circle, or takes them out of it, in one change. What is put in by
// hand leaves for it whatever it is about, and what is taken out stays out when it is filled.
func (s *Service) JoinCircle(ctx context.Context, word string, ids []string, in bool) (library.ManyChanged, error) {
	if len(ids) > mostAtOnce {
		return library.ManyChanged{}, library.ErrTooManyAtOnce(len(ids), mostAtOnce)
	}
	return s.changeMembers(ctx, "circle-members", word, view.find, func(e *library.Tx, c *record) (memberChange, error) {
		return memberChange{ids: ids, in: in}, c.pick(e.VaultTx, ids, in)
	})
}

// pick notes that the person put memories into the circle, or took them out.
func (c *record) pick(tx *vault.Tx, ids []string, in bool) error {
	picked, out := c.Picked.Set(), c.Out.Set()
	for _, id := range ids {
		if !tx.Has(vault.Memories, id) {
			return rows.ErrNoMemory(id)
		}
		seq, err := tx.Seq(vault.Memories, id)
		if err != nil {
			return err
		}
		picked[seq], out[seq] = in, !in
	}
	c.Picked, c.Out = rows.NumbersOf(picked), rows.NumbersOf(out)
	return nil
}

// Grant puts one memory into a circle with the permissions that its entity gets, in place of those
// it had; without any it takes it out. A word that is no circle is an entity, and a circle from now on.
func (s *Service) Grant(ctx context.Context, id, word string, permissions []string) (r memory.Record, err error) {
	word = strings.TrimSpace(word)
	_, err = s.changeMembers(ctx, "circle-members", word, view.findOrNone, func(e *library.Tx, c *record) (memberChange, error) {
		m, err := rows.NeedMemory(e.VaultTx, id)
		if err != nil {
			return memberChange{}, err
		}
		if len(permissions) == 0 && (m.Access == nil || !shared{access: m.Access}.isGranted(c.Entity)) {
			return memberChange{}, fault.New(fault.NotFound, "no-grant", "This memory is not shared with {entity}.").With("entity", rows.ShortID(word))
		}
		return memberChange{[]string{id}, len(permissions) > 0, permissions}, c.pick(e.VaultTx, []string{id}, len(permissions) > 0)
	})
	if err != nil {
		return r, err
	}
	return library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (memory.Record, error) {
		m, err := rows.NeedMemory(tx, id)
		return m.Record, err
	})
}

// FillCircle puts the memories into a circle that its rule selects and that were never taken out of it.
func (s *Service) FillCircle(ctx context.Context, word string) (library.ManyChanged, error) {
	waiting, err := s.waiting(ctx, word)
	if err != nil {
		return library.ManyChanged{}, err
	}
	if len(waiting) > mostAtOnce {
		return library.ManyChanged{}, library.ErrTooManyAtOnce(len(waiting), mostAtOnce)
	}
	return s.changeMembers(ctx, "circle-members", word, view.find, func(*library.Tx, *record) (memberChange, error) {
		return memberChange{ids: waiting, in: true}, nil
	})
}

// ConfirmCircle puts the memories into a circle that only documents of somebody else share with its
// entity.
func (s *Service) ConfirmCircle(ctx context.Context, word string) (library.ManyChanged, error) {
	return s.changeMembers(ctx, "circle-members", word, view.find, func(e *library.Tx, c *record) (memberChange, error) {
		change := memberChange{in: true}
		all, err := writing(e).shared(ctx)
		for _, m := range all {
			if slices.Contains(m.unconfirmed, c.Entity) {
				change.ids = append(change.ids, m.row.ID)
			}
		}
		if len(change.ids) > mostAtOnce {
			return change, library.ErrTooManyAtOnce(len(change.ids), mostAtOnce)
		}
		return change, err
	})
}

// DropCircle takes all members out of a circle and deletes its record, in one change. What left
// for it before stays in the history.
func (s *Service) DropCircle(ctx context.Context, word string) (library.ManyChanged, error) {
	return s.changeMembers(ctx, "circle-delete", word, view.find, func(e *library.Tx, c *record) (change memberChange, err error) {
		all, err := writing(e).shared(ctx)
		for _, m := range all {
			if m.isGranted(c.Entity) {
				change.ids = append(change.ids, m.row.ID)
			}
		}
		c.Name = ""
		return change, err
	})
}

// memberChange puts memories into a circle, or takes them out.
type memberChange struct {
	ids         []string
	in          bool
	permissions []string // that its entity gets; nil: to read, beside what it has
}

// finder finds a circle by a word.
type finder func(view, context.Context, string) (record, error)

// changeMembers makes the change that fn returns, and stores the circle; without a name its record
// is deleted.
func (s *Service) changeMembers(ctx context.Context, kind, word string, find finder, fn func(*library.Tx, *record) (memberChange, error)) (library.ManyChanged, error) {
	return makeChange(ctx, s, kind, func(e *library.Tx) (library.ManyChanged, []string, error) {
		c, err := find(writing(e), ctx, word)
		if err != nil {
			return library.ManyChanged{}, nil, err
		}
		change, err := fn(e, &c)
		if err != nil {
			return library.ManyChanged{}, nil, err
		}
		done, subjects, err := library.ChangeMany(change.ids, func(id string) (bool, error) { return change.share(e, id, c.Entity) })
		if err != nil {
			return done, nil, err
		}
		if len(subjects) == 0 {
			subjects = []string{c.Entity}
		}
		if c.Name == "" {
			return done, subjects, e.DropCircle(c.Entity)
		}
		return done, subjects, e.PutCircle(c.Entity, c)
	})
}

// share changes who may read one memory, and reports whether that changed it.
func (c memberChange) share(e *library.Tx, id, entity string) (bool, error) {
	m, err := rows.NeedMemory(e.VaultTx, id)
	if err != nil {
		return false, err
	}
	if c.in && c.permissions == nil && m.Access != nil && m.Access.Visibility == memory.Shared && (shared{access: m.Access, unconfirmed: m.Side.Unconfirmed}).isMember(entity) {
		return false, nil
	}
	var grants []memory.Grant
	if m.Access != nil {
		replaced := !c.in || c.permissions != nil
		grants = slices.DeleteFunc(slices.Clone(m.Access.SharedWith), func(g memory.Grant) bool { return replaced && g.Entity == entity })
	}
	if c.in {
		permissions := c.permissions
		if permissions == nil {
			permissions = []string{"read"}
		}
		grants = append(grants, memory.Grant{Entity: entity, Permissions: permissions})
	}
	if !c.in && (m.Access == nil || len(grants) == len(m.Access.SharedWith)) {
		return false, nil
	}
	library.MemoryEdit{SharedWith: &grants}.ApplyAccess(&m.Record)
	m.Side.Unconfirmed = slices.DeleteFunc(slices.Clone(m.Side.Unconfirmed), func(other string) bool { return other == entity })
	if err := library.CheckRecord(m.Record); err != nil {
		return false, err
	}
	return true, e.Mend(&m)
}

// waiting lists the active memories that the rule of a circle selects, that may leave, that are
// about none of its Without, that were never taken out of it, and that are no members.
func (s *Service) waiting(ctx context.Context, word string) ([]string, error) {
	var ids []string
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		w := viewOf(v, tx)
		c, err := w.find(ctx, word)
		if err != nil || c.Rule.IsEmpty() {
			return err
		}
		all, err := w.shared(ctx)
		if err != nil {
			return err
		}
		members := map[uint64]bool{}
		for _, m := range all {
			members[m.row.Seq] = m.isMember(c.Entity)
		}
		out := c.Out.Set()
		var list []*rows.Memory
		v.Rows.RLock()
		for _, row := range v.Rows.Memories.BySeq {
			if row != nil && row.Exportable && row.Status == memory.Active && !members[row.Seq] && !out[row.Seq] && c.Rule.fits(row) {
				list = append(list, row)
			}
		}
		v.Rows.RUnlock()
		topics, err := sensitivity.Of(ctx, s.lib, v, tx, list)
		if err != nil {
			return err
		}
		held, wanted := sensitive.SetOf(c.Without...), sensitive.SetOf(c.Rule.Topics...)
		for _, row := range list {
			set := topics.Set(row)
			if set&held != 0 || wanted != 0 && set&wanted == 0 {
				continue
			}
			domain, err := domainOf(tx, row, c.Rule)
			if err != nil {
				return err
			}
			if domain {
				ids = append(ids, row.ID)
			}
		}
		return nil
	})
	return ids, err
}

// fits reports whether the row of a memory passes the lists of the rule that rows can tell.
func (r Rule) fits(row *rows.Memory) bool {
	return (len(r.Types) == 0 || slices.Contains(r.Types, row.Kind)) &&
		(len(r.Tags) == 0 || slices.ContainsFunc(r.Tags, func(tag string) bool { return slices.Contains(row.Tags, tag) }))
}

// domainOf reports whether a memory is of a domain of the rule, or the rule has none.
func domainOf(tx *vault.Tx, row *rows.Memory, r Rule) (bool, error) {
	if len(r.Domains) == 0 {
		return true, nil
	}
	m, err := rows.NeedMemory(tx, row.ID)
	domain, _ := m.Metadata[library.DomainKey].(string)
	return slices.Contains(r.Domains, domain), err
}

// Preview is what of a circle leaves, and what stays.
type Preview struct {
	Circle  Circle                  `json:"circle"`
	Members int                     `json:"members"`
	Leaves  int                     `json:"leaves"`
	Stays   map[string]int          `json:"stays"`    // reason → members
	ByTopic map[sensitive.Topic]int `json:"by_topic"` // those that stay because of a topic
	ByWords int                     `json:"by_words"` // members of which only the words were looked at
	Waiting int                     `json:"waiting"`  // memories that FillCircle would add
	IDs     []string                `json:"ids"`      // that leave
}

// PreviewCircle decides what of a circle leaves now. It writes nothing.
func (s *Service) PreviewCircle(ctx context.Context, word string) (Preview, error) {
	p := Preview{IDs: []string{}}
	waiting, err := s.waiting(ctx, word)
	if err != nil {
		return p, err
	}
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		c, err := viewOf(v, tx).find(ctx, word)
		if err != nil {
			return err
		}
		choice, err := c.choose(ctx, s.lib, v, tx)
		if err != nil {
			return err
		}
		p = Preview{c.Circle, choice.Members, len(choice.rows), choice.Stays, choice.ByTopic, choice.ByWords, len(waiting), []string{}}
		for _, row := range choice.rows {
			p.IDs = append(p.IDs, row.ID)
		}
		return nil
	})
	return p, err
}

// Membership says whether one memory leaves for a circle that it is in.
type Membership struct {
	Entity string `json:"entity"`
	Name   string `json:"name"`
	// Stays is the reason why it does not leave; "" if it does, "unconfirmed" if only a document of
	// somebody else put it in, so that it is no member.
	Stays string `json:"stays"`
}

// Unconfirmed is the value of Membership.Stays where only an imported document of another owner
// shares the memory with the circle.
const Unconfirmed = "unconfirmed"

// CirclesOf lists the circles that a memory is in, by name. What everybody may read is in all.
func (s *Service) CirclesOf(ctx context.Context, id string) ([]Membership, error) {
	found := []Membership{}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		stored, err := rows.NeedMemory(tx, id)
		if err != nil {
			return err
		}
		v.Rows.RLock()
		m := shared{v.Rows.Memories.Find(id), stored.Access, stored.Status, stored.Side.Unconfirmed}
		v.Rows.RUnlock()
		if m.row == nil || m.access == nil || m.access.Visibility == memory.Private { // no row: deleted since the transaction began
			return nil
		}
		topics, err := sensitivity.Of(ctx, s.lib, v, tx, []*rows.Memory{m.row})
		if err != nil {
			return err
		}
		all, err := viewOf(v, tx).mayHold(ctx, m)
		for _, c := range all {
			if in := m.isMember(c.Entity); in || slices.Contains(m.unconfirmed, c.Entity) {
				found = append(found, Membership{c.Entity, c.Name, c.staysFor(m, in, topics)})
			}
		}
		return err
	})
	return found, err
}

// staysFor returns the reason why a memory does not leave for the circle; "" if it does.
func (c record) staysFor(m shared, in bool, topics sensitivity.Topics) string {
	switch {
	case !in:
		return Unconfirmed
	case m.stays() != "":
		return m.stays()
	case c.holdsBack(topics)(m.row) != 0:
		return Sensitive
	}
	return ""
}
