package core

import (
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// stored is a memory with its side record, as they are in the vault.
type stored struct {
	memory.Record
	side   sideRecord
	bytes  []byte
	beside []byte // side as it is stored
	hash   string // content_hash as it is stored
}

// corrected reports that the person gave a memory other words than any source states.
func (m stored) corrected() bool {
	return m.side.edited() && len(m.side.Sources) > 0 && !m.side.Here &&
		!slices.ContainsFunc(m.side.Sources, func(s MemorySource) bool { return s.Stated == "" || s.Stated == m.hash })
}

// load reads a memory; ok is false where there is none.
func load(tx *vault.Tx, id string) (m stored, ok bool, err error) {
	m.bytes, err = tx.Find(vault.Memories, id)
	if err != nil || m.bytes == nil {
		return m, false, err
	}
	if m.Record, err = pam.DecodeMemory(m.bytes); err != nil {
		return m, false, err
	}
	if m.beside, err = tx.Find(vault.Sources, id); err != nil {
		return m, false, err
	}
	m.hash = m.ContentHash
	m.side, err = decodeSide(m.beside)
	return m, err == nil, err
}

// need is load for an id that a person named.
func need(tx *vault.Tx, id string) (stored, error) {
	m, ok, err := load(tx, id)
	if err == nil && !ok {
		err = errNoMemory(id)
	}
	return m, err
}

// names lists everything a memory is found by.
func (m stored) names() []string {
	names := []string{byContent(m.ContentHash)}
	for _, s := range m.side.Sources {
		names = append(names, s.names()...)
	}
	return names
}

// absent reports that the vault has nothing under an id.
func absent(err error) bool { return fault.CodeOf(err) == fault.NotFound }

func errNoMemory(id string) error {
	return fault.New(fault.NotFound, "no-memory", "There is no memory with the id {id}.").With("id", shortID(id))
}
