package library

import (
	"cmp"
	"slices"
	"strings"

	"keepsake/backend/memory"
)

// normalGrants brings grants into one form: each entity once, each permission
// once and in the specification's order.
func normalGrants(all []memory.Grant) []memory.Grant {
	permissions := map[string][]string{}
	var order []string
	for _, g := range all {
		entity := strings.TrimSpace(g.Entity)
		if _, known := permissions[entity]; !known {
			order = append(order, entity)
		}
		permissions[entity] = append(permissions[entity], g.Permissions...)
	}
	out := make([]memory.Grant, 0, len(order))
	for _, entity := range order {
		g := memory.Grant{Entity: entity, Permissions: slices.Clone(permissions[entity])}
		slices.SortStableFunc(g.Permissions, func(a, b string) int {
			return cmp.Compare(slices.Index(Permissions(), a), slices.Index(Permissions(), b))
		})
		g.Permissions = slices.Compact(g.Permissions)
		out = append(out, g)
	}
	return out
}
