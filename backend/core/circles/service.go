package circles

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// Service offers the circles of a vault.
type Service struct{ lib *library.Library }

// NewService returns a Service on a library.
func NewService(lib *library.Library) *Service { return &Service{lib} }

// Listed is a circle with the number of its members.
type Listed struct {
	Circle
	Members int `json:"members"` // with those that everybody may read
	Write   int `json:"write"`   // memories that its entity may change
	Delete  int `json:"delete"`  // memories that its entity may delete
	// Unconfirmed counts memories that a document of somebody else puts into the circle: they are
	// no members until the person adds them.
	Unconfirmed int `json:"unconfirmed"`
}

// All are the circles of a vault.
type All struct {
	Circles []Listed `json:"circles"` // by name
	Nobody  int      `json:"nobody"`  // memories that leave for nobody at all: access.exportable is false
	Public  int      `json:"public"`  // memories that everybody may read, and so every circle
}

// Circles lists the circles: those that were made, and every entity that memories are shared with.
func (s *Service) Circles(ctx context.Context) (All, error) {
	var all All
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		all, err = viewOf(v, tx).list(ctx)
		return err
	})
	return all, err
}

func byName(a, b Circle) int {
	return cmp.Or(cmp.Compare(foldName(a.Name), foldName(b.Name)), cmp.Compare(a.Entity, b.Entity))
}

// count counts a memory that a circle has a grant of.
func (l *Listed) count(m shared, g memory.Grant) {
	if slices.Contains(m.unconfirmed, g.Entity) {
		l.Unconfirmed++
		return
	}
	for _, permission := range g.Permissions {
		switch {
		case permission == "read" && !m.isOpen():
			l.Members++
		case permission == "write":
			l.Write++
		case permission == "delete":
			l.Delete++
		}
	}
}

// stored reads the circles that have a record.
func stored(tx *vault.Tx) ([]record, error) {
	return library.Collect(rows.EachJSON[record](tx, vault.Circles, "circle"))
}

// MakeCircle makes a circle without members. Its entity is made of its name.
func (s *Service) MakeCircle(ctx context.Context, c Circle) (Circle, error) {
	return s.changing(ctx, "circle-add", func(e *library.Tx, all All) (_ record, err error) {
		made := record{Circle: c}
		if len(all.Circles) >= mostCircles {
			return made, fault.New(fault.TooLarge, "too-many-circles", "There can be {limit} circles at most.").With("limit", mostCircles)
		}
		if made.Name, err = checkName(c.Name, "", all.Circles); err != nil {
			return made, err
		}
		taken := func(entity string) bool {
			return slices.ContainsFunc(all.Circles, func(c Listed) bool { return c.Entity == entity })
		}
		made.Entity = entityOf(made.Name, taken, e.NewID)
		return made, nil
	})
}

// Edit changes what is set of a circle.
type Edit struct {
	Name    *string
	Rule    *Rule
	Without *[]sensitive.Topic
}

// EditCircle renames a circle, or changes what it is filled with or what never leaves for it. Its
// members stay, and so does its entity, so that files that left before still name it.
func (s *Service) EditCircle(ctx context.Context, word string, edit Edit) (Circle, error) {
	return s.changing(ctx, "circle-edit", func(e *library.Tx, all All) (record, error) {
		c, err := writing(e).find(ctx, word)
		if err != nil {
			return c, err
		}
		if edit.Name != nil {
			if c.Name, err = checkName(*edit.Name, c.Entity, all.Circles); err != nil {
				return c, err
			}
		}
		if edit.Rule != nil {
			c.Rule = *edit.Rule
		}
		if edit.Without != nil {
			c.Without = *edit.Without
		}
		return c, nil
	})
}

// changing stores the circle that change returns, in one change.
func (s *Service) changing(ctx context.Context, kind string, change func(*library.Tx, All) (record, error)) (Circle, error) {
	return makeChange(ctx, s, kind, func(e *library.Tx) (Circle, []string, error) {
		all, err := writing(e).list(ctx)
		if err != nil {
			return Circle{}, nil, err
		}
		c, err := change(e, all)
		if err == nil {
			err = c.Rule.check(c.Without)
		}
		if err != nil {
			return c.Circle, nil, err
		}
		return c.Circle, []string{c.Entity}, e.PutCircle(c.Entity, c)
	})
}

// errFirst takes the first change of circles back, which is made again when the header announces it.
var errFirst = errors.New("the vault has no circles yet")

// makeChange makes a change of circles. Before the first one the vault's header says that it has
// circles, so that no program opens it that would give away what they hold back. That change is
// tried first and taken back: one that is refused leaves the header as it was.
func makeChange[T any](ctx context.Context, s *Service, kind string, fn func(*library.Tx) (T, []string, error)) (T, error) {
	announced := false
	try := func() (T, error) {
		return library.MakeChange(ctx, s.lib, kind, func(e *library.Tx) (T, []string, error) {
			first := !announced && e.VaultTx.Count(vault.Circles) == 0
			made, subjects, err := fn(e)
			if err == nil && first {
				err = errFirst
			}
			return made, subjects, err
		})
	}
	made, err := try()
	if !errors.Is(err, errFirst) {
		return made, err
	}
	if err := s.announce(ctx); err != nil {
		return made, err
	}
	announced = true
	return try()
}

func (s *Service) announce(ctx context.Context) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.Vault.Require(seal.CirclesFeature)
}

// check refuses types and topics that there are not.
func (r Rule) check(without []sensitive.Topic) error {
	for _, t := range r.Types {
		if !slices.Contains(memory.Types(), t) {
			return fault.New(fault.Invalid, "unknown-type", "There is no memory type called {type}.").With("type", rows.ShortID(string(t)))
		}
	}
	for _, t := range slices.Concat(r.Topics, without) {
		if !slices.Contains(sensitive.Topics(), t) {
			return sensitivity.ErrUnknownTopic(string(t))
		}
	}
	return nil
}
