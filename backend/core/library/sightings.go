package library

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Bitset is a set of record numbers (Seq), one bit each. A set of a million conversations
// takes 125 KB.
type Bitset []uint64

// Add adds a number to the set.
func (s *Bitset) Add(seq uint64) {
	if more := int(seq/64) + 1 - len(*s); more > 0 {
		*s = append(*s, make(Bitset, more)...)
	}
	(*s)[seq/64] |= 1 << (seq % 64)
}

// Has reports whether a number is in the set.
func (s Bitset) Has(seq uint64) bool {
	return seq/64 < uint64(len(s)) && s[seq/64]&(1<<(seq%64)) != 0
}

func (s *Bitset) addAll(other Bitset) {
	if more := len(other) - len(*s); more > 0 {
		*s = append(*s, make(Bitset, more)...)
	}
	for i, bits := range other {
		(*s)[i] |= bits
	}
}

func (s Bitset) dropAll(other Bitset) {
	for i := range min(len(s), len(other)) {
		s[i] &^= other[i]
	}
}

// keep removes the numbers for which stays returns false.
func (s Bitset) keep(stays func(seq uint64) bool) {
	for i := range s {
		for rest := s[i]; rest != 0; rest &= rest - 1 {
			if bit := bits.TrailingZeros64(rest); !stays(uint64(64*i + bit)) {
				s[i] &^= 1 << bit
			}
		}
	}
}

// MarshalText writes the words of the set, little-endian, as base64.
func (s Bitset) MarshalText() ([]byte, error) {
	words := make([]byte, 0, 8*len(s))
	for _, bits := range s {
		words = binary.LittleEndian.AppendUint64(words, bits)
	}
	return base64.StdEncoding.AppendEncode(nil, words), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Bitset) UnmarshalText(text []byte) error {
	words, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(words)%8 != 0 {
		return fmt.Errorf("read set: %d bytes: %w", len(text), err)
	}
	*s = make(Bitset, len(words)/8)
	for i := range *s {
		(*s)[i] = binary.LittleEndian.Uint64(words[8*i:])
	}
	return nil
}

// Holding is a set of conversations, of memories and of relations, by the numbers of
// their records.
type Holding struct {
	Conversations Bitset `json:"conversations"`
	Memories      Bitset `json:"memories"`
	Relations     Bitset `json:"relations,omitempty"`
}

// AddAll adds all records of another Holding.
func (h *Holding) AddAll(other Holding) {
	h.Conversations.addAll(other.Conversations)
	h.Memories.addAll(other.Memories)
	h.Relations.addAll(other.Relations)
}

func (h Holding) dropAll(other Holding) {
	h.Conversations.dropAll(other.Conversations)
	h.Memories.dropAll(other.Memories)
	h.Relations.dropAll(other.Relations)
}

// Sighting lists the records of the vault that the files of an import held, new ones or
// not. A record that two imports held stays when one of them is undone.
type Sighting struct {
	ImportID string       `json:"import_id"`
	Exports  []SeenExport `json:"exports"`

	holding   Holding  // the records of all Exports together
	platforms []string // the platforms of all Exports
	later     bool     // the import is later than the one being undone
}

// SeenExport lists the records that one export of an import held.
type SeenExport struct {
	Holding
	Platform string `json:"platform"`
	// Account is the account of the export: as a person named it, or all accounts that
	// the export names, one per line. "" is the default account of the platform.
	Account string `json:"account,omitempty"`
	// Document says that the file is not a provider's export but a document that was
	// written to be passed on to others.
	Document bool `json:"document,omitempty"`
	// AllConversations and AllMemories say that the export held all conversations or
	// memories of the account at the provider, and that all of them were read.
	AllConversations bool `json:"all_conversations,omitempty"`
	AllMemories      bool `json:"all_memories,omitempty"`
	// Until is the latest time at which a conversation of the export was changed.
	Until memory.Time `json:"until,omitzero"`
}

// SightingID is the id of the setting with a Sighting: the records an import contained.
func SightingID(importID string) string { return "seen:" + importID }

// heldBy converts the record numbers of conversations and memories in h to their ids.
func heldBy(r *rows.Rows, h Holding) (conversations, memories []string) {
	r.RLock()
	defer r.RUnlock()
	for seq, row := range r.Conversations.BySeq {
		if row != nil && h.Conversations.Has(uint64(seq)) {
			conversations = append(conversations, r.Words.Long(row.ID))
		}
	}
	for seq, row := range r.Memories.BySeq {
		if row != nil && h.Memories.Has(uint64(seq)) {
			memories = append(memories, row.ID)
		}
	}
	return conversations, memories
}

// sightings returns the Sighting of each import (the records that it contained), newest
// first. It skips undone imports and the import but, and sets later for those after but.
func sightings(tx *vault.Tx, but string) (all []Sighting, err error) {
	later := false
	for report, err := range Reports(tx) {
		if err != nil {
			return nil, err
		}
		later = later || report.ImportID == but
		if report.ImportID == but || !report.UndoneAt.IsZero() {
			continue
		}
		s, err := ReadSighting(tx, report.ImportID)
		if err != nil {
			return nil, err
		}
		if s != nil {
			s.later = later
			all = append(all, *s)
		}
	}
	slices.Reverse(all)
	return all, nil
}

// ReadSighting reads which records the files of an import held, nil if not stored.
func ReadSighting(tx *vault.Tx, importID string) (*Sighting, error) {
	var s Sighting
	found, err := rows.FindJSON(tx, vault.Settings, SightingID(importID), "sighting", &s)
	if err != nil || !found {
		return nil, err
	}
	for _, e := range s.Exports {
		s.holding.AddAll(e.Holding)
		if !slices.Contains(s.platforms, e.Platform) {
			s.platforms = append(s.platforms, e.Platform)
		}
	}
	return &s, nil
}

// undoneImports returns the ids of the imports that were undone.
func undoneImports(tx *vault.Tx) (map[string]bool, error) {
	undone := map[string]bool{}
	err := ForEach(Reports(tx), func(report ImportReport) {
		if !report.UndoneAt.IsZero() {
			undone[report.ImportID] = true
		}
	})
	return undone, err
}

// meets reports whether two holdings have a conversation or a memory in common.
func (h Holding) meets(other Holding) bool {
	return h.Conversations.meets(other.Conversations) || h.Memories.meets(other.Memories)
}

func (s Bitset) meets(other Bitset) bool {
	for i := range min(len(s), len(other)) {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// EachKeeping yields the imports that stored original files. holds reports whether these
// files may contain one of the records in places: always true if the import has no
// Sighting, imported only a part of its files, or did not end with the state "done".
func EachKeeping(tx *vault.Tx, places Holding, yield func(report ImportReport, holds bool)) error {
	for report, err := range Reports(tx) {
		if err != nil {
			return err
		}
		if report.KeptFiles() == 0 {
			continue
		}
		seen, err := ReadSighting(tx, report.ImportID)
		if err != nil {
			return err
		}
		o := report.Options
		yield(report, seen == nil || o.OnlyMemories || o.OnlyConversations || report.State != "done" || seen.holding.meets(places))
	}
	return nil
}
