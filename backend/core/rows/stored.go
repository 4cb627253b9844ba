package rows

import (
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// StoredMemory is a memory with its provenance record (Side), decoded and as stored.
type StoredMemory struct {
	memory.Record
	Side      ProvenanceRecord
	Bytes     []byte // stored JSON of Record
	SideBytes []byte // stored JSON of Side
	Hash      string // content_hash as stored, even if Record was changed since
}

// Corrected reports whether the user edited an imported memory so that its content differs
// from every source's statement.
func (m StoredMemory) Corrected() bool {
	return m.Side.Edited() && len(m.Side.Sources) > 0 && !m.Side.Here &&
		!slices.ContainsFunc(m.Side.Sources, func(s MemorySource) bool { return s.Stated == "" || s.Stated == m.Hash })
}

// LoadMemory reads a memory with its provenance record; ok is false if there is none.
func LoadMemory(tx *vault.Tx, id string) (m StoredMemory, ok bool, err error) {
	m.Bytes, err = tx.Find(vault.Memories, id)
	if err != nil || m.Bytes == nil {
		return m, false, err
	}
	if m.Record, err = pam.DecodeMemory(m.Bytes); err != nil {
		return m, false, err
	}
	if m.SideBytes, err = tx.Find(vault.Sources, id); err != nil {
		return m, false, err
	}
	m.Hash = m.ContentHash
	m.Side, err = DecodeProvenance(m.SideBytes)
	return m, err == nil, err
}

// NeedMemory is LoadMemory for an id that the user named; it fails if there is no memory.
func NeedMemory(tx *vault.Tx, id string) (StoredMemory, error) {
	m, ok, err := LoadMemory(tx, id)
	if err == nil && !ok {
		err = ErrNoMemory(id)
	}
	return m, err
}

// StoredIn returns the rows of list whose memories tx has: rows may be newer than tx.
func StoredIn(tx *vault.Tx, list []*Memory) []*Memory {
	stored := make([]*Memory, 0, len(list))
	for _, row := range list {
		if tx.Has(vault.Memories, row.ID) {
			stored = append(stored, row)
		}
	}
	return stored
}

// SeqsOf lists the sequence numbers of rows.
func SeqsOf(list []*Memory) []uint64 {
	seqs := make([]uint64, len(list))
	for i, row := range list {
		seqs[i] = row.Seq
	}
	return seqs
}

// Names lists all lookup keys of a memory: ByContent, and those of each source.
func (m StoredMemory) Names() []string {
	names := []string{ByContent(m.ContentHash)}
	for _, s := range m.Side.Sources {
		names = append(names, s.Names()...)
	}
	return names
}

// IsAbsent reports whether err says that the vault has no record with an id.
func IsAbsent(err error) bool { return fault.CodeOf(err) == fault.NotFound }

// ErrNoMemory returns the error for an id that no memory has.
func ErrNoMemory(id string) error {
	return fault.New(fault.NotFound, "no-memory", "There is no memory with the id {id}.").With("id", ShortID(id))
}
