package library

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Entity is a person or program that memories are shared with, with the number of memories
// for each permission.
type Entity struct {
	Entity string `json:"entity"`
	Read   int    `json:"read"` // number of memories that the entity may read
	Write  int    `json:"write"`
	Delete int    `json:"delete"`
}

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

// grantsMember occurs in the canonical JSON of every memory that is shared with somebody,
// so Grants decodes only those. It cannot occur in a text, where quotes are escaped.
var grantsMember = []byte(`"shared_with":[{`)

// Grants lists the entities that memories are shared with, sorted by name.
func (s *Service) Grants(ctx context.Context) ([]Entity, error) {
	found := map[string]*Entity{}
	err := s.lib.Read(ctx, func(_ *Session, tx *vault.Tx) error {
		for e, err := range tx.Each(vault.Memories) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			if !bytes.Contains(e.Plain, grantsMember) {
				continue
			}
			m, err := pam.DecodeMemory(e.Plain)
			if err != nil {
				return fmt.Errorf("read grants: %w", err)
			}
			if m.Access == nil { // grantsMember was found in the metadata, not in the access block
				continue
			}
			for _, g := range m.Access.SharedWith {
				countGrant(found, g)
			}
		}
		return nil
	})
	all := make([]Entity, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[name])
	}
	return all, err
}

func countGrant(found map[string]*Entity, g memory.Grant) {
	e := found[g.Entity]
	if e == nil {
		e = &Entity{Entity: strings.Clone(g.Entity)}
		found[e.Entity] = e
	}
	for _, p := range g.Permissions {
		switch p {
		case "read":
			e.Read++
		case "write":
			e.Write++
		case "delete":
			e.Delete++
		}
	}
}

// Grant shares a memory with an entity. permissions replace those that the entity had; if
// there are none, the grant is removed.
func (s *Service) Grant(ctx context.Context, id, entity string, permissions []string) (memory.Record, error) {
	edited, err := s.lib.editing(ctx, id, func(r memory.Record) (MemoryEdit, error) {
		entity := strings.TrimSpace(entity)
		var all []memory.Grant
		if r.Access != nil {
			all = slices.DeleteFunc(slices.Clone(r.Access.SharedWith), func(g memory.Grant) bool { return g.Entity == entity })
		}
		if len(permissions) > 0 {
			all = append(all, memory.Grant{Entity: entity, Permissions: permissions})
		} else if r.Access == nil || len(all) == len(r.Access.SharedWith) {
			return MemoryEdit{}, fault.New(fault.NotFound, "no-grant", "This memory is not shared with {entity}.").With("entity", rows.ShortID(entity))
		}
		return MemoryEdit{SharedWith: &all}, nil
	})
	return edited.Record, err
}
