package pam

import (
	_ "embed"
	"fmt"

	"github.com/go-json-experiment/json"

	"keepsake/backend/memory"
)

// Registry is a list of types that are not in the taxonomy (§19.2).
type Registry struct {
	Version string                  `json:"registry_version"`
	Types   map[string]RegistryType `json:"types"`
}

// RegistryType is one of them.
type RegistryType struct {
	Description  string      `json:"description"`
	ProposedBy   string      `json:"proposed_by,omitempty"`
	Status       string      `json:"status"` // unregistered, registered, candidate, standard
	RegisteredAt memory.Time `json:"registered_at,omitzero"`
}

// States of a type in a registry (§19.3).
const (
	Unregistered = "unregistered"
	Registered   = "registered"
	Candidate    = "candidate"
	Standard     = "standard"
)

// RegistryVersion is the version of the structure that is written.
const RegistryVersion = "1.0"

// registryText holds the entries that the specification itself gives. The
// registry proper is never fetched.
//
//go:embed types.json
var registryText []byte

// BundledRegistry is the list of registered types that comes with the program.
func BundledRegistry() (r Registry, err error) {
	if err := json.Unmarshal(registryText, &r); err != nil {
		return r, fmt.Errorf("read bundled type registry: %w", err)
	}
	return r, nil
}
