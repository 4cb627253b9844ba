package memory

import "slices"

// defaultAccess is what a memory without an access block has (§9).
func defaultAccess() Access { return Access{Visibility: Private, Exportable: true} }

func (a *Access) orDefault() Access {
	if a == nil {
		return defaultAccess()
	}
	return *a
}

// openness orders visibilities, the most private first. One that is not known
// counts as the most open: nothing may be gained by inventing one.
func (v Visibility) openness() int {
	switch v {
	case Private, "":
		return 0
	case Shared:
		return 1
	case Public:
		return 2
	}
	return 3
}

// Wider reports that a lets anybody do what than does not: it is more visible, may
// leave, or gives an entity a permission. nil has the defaults of §9.
func (a *Access) Wider(than *Access) bool {
	one, other := a.orDefault(), than.orDefault()
	return one.Visibility.openness() > other.Visibility.openness() || one.Exportable && !other.Exportable ||
		slices.ContainsFunc(one.SharedWith, func(g Grant) bool { return !other.gives(g) })
}

// gives reports that an entity has every permission of a grant.
func (a Access) gives(g Grant) bool {
	if len(g.Permissions) == 0 { // names somebody, and lets them do nothing yet
		return slices.ContainsFunc(a.SharedWith, func(has Grant) bool { return has.Entity == g.Entity })
	}
	return !slices.ContainsFunc(g.Permissions, func(p string) bool {
		return !slices.ContainsFunc(a.SharedWith, func(has Grant) bool {
			return has.Entity == g.Entity && slices.Contains(has.Permissions, p)
		})
	})
}

// Narrowest is what both allow, member by member: one of the two where that is it.
// nil has the defaults of §9.
func Narrowest(a, b *Access) *Access {
	one, other := a.orDefault(), b.orDefault()
	if !b.Wider(a) {
		return b
	}
	least := Access{Visibility: one.Visibility, Exportable: one.Exportable && other.Exportable, SharedWith: []Grant{}}
	if other.Visibility.openness() < one.Visibility.openness() {
		least.Visibility = other.Visibility
	}
	for _, g := range other.SharedWith {
		if one.gives(g) {
			least.SharedWith = append(least.SharedWith, g)
			continue
		}
		var both []string
		for _, p := range g.Permissions {
			if one.gives(Grant{g.Entity, []string{p}}) {
				both = append(both, p)
			}
		}
		if len(both) > 0 {
			least.SharedWith = append(least.SharedWith, Grant{g.Entity, both})
		}
	}
	if !a.Wider(&least) {
		return a
	}
	return &least
}

// LetsRead reports whether an access block lets an entity read the memory (§9). Grants of a
// private memory have no effect.
func (a *Access) LetsRead(entity string) bool {
	switch a.orDefault().Visibility {
	case Public:
		return true
	case Shared:
		return slices.ContainsFunc(a.SharedWith, func(g Grant) bool {
			return g.Entity == entity && slices.Contains(g.Permissions, "read")
		})
	}
	return false
}
