package library

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// TypeInfo is a type that memories can have: one of PAM's eleven, one in the bundled type
// registry, one that the user has described, or one that some memory has.
type TypeInfo struct {
	Type       memory.Type `json:"type"`
	CustomType string      `json:"custom_type,omitempty"` // only if Type is custom
	// Description is from the specification, the registry or the user; "" for a type
	// without one.
	Description string `json:"description,omitempty"`
	Status      string `json:"status"` // "standard", "candidate", "registered" or "unregistered"
	Own         bool   `json:"own"`    // the user has stored a description of this type (see DescribeType)
	Memories    int    `json:"memories"`
}

// Limits of a type that the user describes.
const (
	maxTypeName        = 64  // bytes
	maxTypeDescription = 500 // bytes
)

// typesID is the id of the setting with the types that the user described: a registry in
// the form of PAM §19.2.
const typesID = "types"

// Types lists the types of memories: those of the specification in its order, then all
// others by name. The list is not exhaustive: a memory may have any type name (PAM §19.4).
func (s *Service) Types(ctx context.Context) ([]TypeInfo, error) {
	bundled, err := pam.BundledRegistry()
	if err != nil {
		return nil, err
	}
	var all []TypeInfo
	err = s.lib.Read(ctx, func(v *Session, tx *vault.Tx) error {
		own, err := readTypes(tx)
		if err != nil {
			return err
		}
		known, custom := v.typesInUse()
		for _, t := range memory.Types() {
			if t != memory.Custom {
				all = append(all, TypeInfo{Type: t, Description: t.Description(), Status: pam.Standard, Memories: known[t]})
			}
		}
		all = append(all, customTypes(bundled, own, custom)...)
		return nil
	})
	return all, err
}

func customTypes(bundled, own pam.Registry, used map[string]int) []TypeInfo {
	found := map[string]TypeInfo{}
	for name := range used {
		found[name] = TypeInfo{Status: pam.Unregistered}
	}
	for name, t := range bundled.Types {
		found[name] = TypeInfo{Description: t.Description, Status: t.Status}
	}
	for name, t := range own.Types {
		was := found[name]
		found[name] = TypeInfo{Description: t.Description, Status: cmp.Or(was.Status, pam.Unregistered), Own: true}
	}
	all := make([]TypeInfo, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		t := found[name]
		t.Type, t.CustomType, t.Memories = memory.Custom, name, used[name]
		all = append(all, t)
	}
	return all
}

// typesInUse counts the memories of each type.
func (v *Session) typesInUse() (known map[memory.Type]int, custom map[string]int) {
	known, custom = map[memory.Type]int{}, map[string]int{}
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	for _, row := range v.Rows.Memories.BySeq {
		if row == nil {
			continue
		}
		known[row.Kind]++
		if row.Kind == memory.Custom {
			custom[row.CustomType]++
		}
	}
	return known, custom
}

func readTypes(tx *vault.Tx) (pam.Registry, error) {
	r := pam.Registry{Version: pam.RegistryVersion, Types: map[string]pam.RegistryType{}}
	_, err := rows.FindJSON(tx, vault.Settings, typesID, "types", &r)
	return r, err
}

// DescribeType stores the user's description of a type, in place of an earlier one. It does
// not affect memories: they can have the type without a description.
func (s *Service) DescribeType(ctx context.Context, name, description string) error {
	name, description = strings.TrimSpace(name), strings.TrimSpace(description)
	return s.lib.changeTypes(ctx, func(r pam.Registry) error {
		if err := checkType(name, description); err != nil {
			return err
		}
		r.Types[name] = pam.RegistryType{Description: description, ProposedBy: Extractor, Status: pam.Unregistered}
		return nil
	})
}

func checkType(name, description string) error {
	switch {
	case name == "" || len(name) > maxTypeName || !utf8.ValidString(name):
		return fault.New(fault.Invalid, "type-name-length", "A type needs a name of at most {limit} bytes.").With("limit", maxTypeName)
	case slices.Contains(memory.Types(), memory.Type(name)):
		return fault.New(fault.Conflict, "type-is-standard", "{type} is a type of Portable AI Memory already.").With("type", name)
	case description == "" || len(description) > maxTypeDescription || !utf8.ValidString(description):
		return fault.New(fault.Invalid, "type-description-length", "A type needs a description of at most {limit} bytes.").With("limit", maxTypeDescription)
	}
	return nil
}

// ForgetType deletes the user's description of a type. Memories keep the type.
func (s *Service) ForgetType(ctx context.Context, name string) error {
	return s.lib.changeTypes(ctx, func(r pam.Registry) error {
		if _, ok := r.Types[name]; !ok {
			return fault.New(fault.NotFound, "no-such-type", "No type called {type} was described here.").With("type", rows.ShortID(name))
		}
		delete(r.Types, name)
		return nil
	})
}

func (s *Library) changeTypes(ctx context.Context, fn func(pam.Registry) error) error {
	return s.Write(ctx, func(e *Tx) error {
		r, err := readTypes(e.VaultTx)
		if err != nil {
			return err
		}
		if err := fn(r); err != nil {
			return err
		}
		if err := e.PutSetting(typesID, r); err != nil {
			return fmt.Errorf("store types: %w", err)
		}
		return e.Log(logUpdate, typesID, len(r.Types))
	})
}
