package library

import (
	"bytes"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// judgeMemory decides from the last image (undo data) of a memory if only this import
// brought it (fateOwn), another did, too (fateShared), or the user edited it. It runs
// before anything is restored: an embedding stays or goes with its memory.
func (u *undoRun) judgeMemory(im *Image) error {
	key := fateKey(OfMemory, im.ID)
	if _, judged := u.importUndo.fates[key]; judged {
		return nil
	}
	m, ok, err := rows.LoadMemory(u.VaultTx, im.ID)
	if err != nil || !ok {
		return err
	}
	before, err := rows.DecodeProvenance(im.Side)
	if err != nil {
		return err
	}
	fate := fateOwn
	if m.Side.Edits > before.Edits {
		fate = fateEdited
		u.showEdited(m)
	} else if shared, err := u.isShared(im, m, before); err != nil {
		return err
	} else if shared {
		fate = fateShared
	}
	u.importUndo.fates[key] = fate
	u.kept[string(OfMemory)+im.ID] = fate != fateOwn
	return nil
}

func (u *undoRun) showEdited(m rows.StoredMemory) {
	if len(u.importUndo.result.Edited) < MaxSampled {
		u.importUndo.result.Edited = append(u.importUndo.result.Edited, Forgotten{FoundMemory, m.ID, Beginning(m.Content)})
	}
}

// isShared reports whether another import contributed to the current version of a memory:
// it changed or stated it, or its files held it, too.
func (u *undoRun) isShared(im *Image, m rows.StoredMemory, before rows.ProvenanceRecord) (bool, error) {
	if !bytes.Equal(rows.Sum(m.Bytes), im.After) {
		return true, nil
	}
	seq, err := u.VaultTx.Seq(vault.Memories, im.ID)
	if err != nil {
		return false, err
	}
	if _, seen := u.importUndo.seenBy(seq, memoriesOf, true); seen {
		return true, nil
	}
	return slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool {
		at, had := before.Source(s.Platform, s.SourceKey)
		return !u.importUndo.gone(s.ImportID) && (at < 0 || !had || before.Sources[at].ImportID != s.ImportID)
	}), nil
}

// takeBack undoes what the import did to a memory. A memory that the user edited later
// stays as it is; one that another import also holds only loses this import as a source.
func (u *undoRun) takeBack(im *Image) error {
	key := fateKey(OfMemory, im.ID)
	fate := u.importUndo.fates[key]
	if fate == fateEdited {
		return nil
	}
	m, ok, err := rows.LoadMemory(u.VaultTx, im.ID)
	if err != nil || !ok {
		return err
	}
	if fate == fateShared {
		return u.share(m)
	}
	before, err := rows.DecodeProvenance(im.Side)
	if err != nil {
		return err
	}
	if m.Side.Edits > before.Edits { // edited while the import ran
		u.importUndo.fates[key] = fateEdited
		u.showEdited(m)
		return nil
	}
	return u.putBack(im, before)
}

// share removes this import from the sources of a memory. If no source is left and the
// memory was not written here, it removes the memory.
func (u *undoRun) share(m rows.StoredMemory) error {
	rest, err := u.sourcesLeft(m)
	if err != nil || slices.Equal(rest, m.Side.Sources) || m.Side.Edited() {
		return err
	}
	if len(rest) == 0 && !m.Side.Here {
		u.importUndo.fates[fateKey(OfMemory, m.ID)] = fateOut
		return u.takeOutMemory(m.ID)
	}
	if u.looks() {
		return nil
	}
	u.rehome(&m, rest)
	m.Side.Sources = rest
	return u.PutMemory(m.Record, m.Side)
}

// sourcesLeft returns the sources of a memory without those of undone imports. But such a
// source passes to the newest remaining import whose files held the memory, if that
// import has the platform of the source and the memory has no source of that import yet.
func (u *undoRun) sourcesLeft(m rows.StoredMemory) ([]rows.MemorySource, error) {
	seq, err := u.VaultTx.Seq(vault.Memories, m.ID)
	if err != nil {
		return nil, err
	}
	heir, seen := u.importUndo.seenBy(seq, memoriesOf, false)
	inherits := func(s rows.MemorySource) bool { // false if the memory already has a source from heir
		return seen && (slices.Contains(heir.platforms, s.Platform) || slices.Contains(heir.platforms, "")) &&
			!slices.ContainsFunc(m.Side.Sources, func(other rows.MemorySource) bool { return other.ImportID == heir.ImportID })
	}
	var rest []rows.MemorySource
	for _, s := range m.Side.Sources {
		if u.importUndo.gone(s.ImportID) {
			if !inherits(s) {
				continue
			}
			s.ImportID = heir.ImportID
		}
		rest = append(rest, s)
	}
	return rest, nil
}

// rehome sets the provenance of a memory to its first remaining source, if the source
// that the provenance names is gone.
func (u *undoRun) rehome(m *rows.StoredMemory, rest []rows.MemorySource) {
	p := &m.Provenance
	stays := slices.ContainsFunc(rest, func(s rows.MemorySource) bool {
		return s.Platform == p.Platform && s.ConversationRef == p.ConversationRef && s.MessageRef == p.MessageRef
	})
	if stays || len(rest) == 0 || m.Side.Here {
		return
	}
	p.PlatformUserID = rest[0].Account
	p.Platform, p.ConversationRef, p.MessageRef = rest[0].Platform, rest[0].ConversationRef, rest[0].MessageRef
}

// putBack restores a memory as it was before the import, without the sources of imports
// that were undone since. If no source is left, it removes the memory.
func (u *undoRun) putBack(im *Image, before rows.ProvenanceRecord) error {
	key := fateKey(OfMemory, im.ID)
	left := slices.DeleteFunc(slices.Clone(before.Sources), func(s rows.MemorySource) bool { return u.importUndo.undone[s.ImportID] })
	if im.Before == nil || len(left) == 0 && len(before.Sources) > 0 && !before.Here && !before.Edited() {
		u.importUndo.fates[key] = fateOut
		return u.takeOutMemory(im.ID)
	}
	if u.importUndo.fates[key] = fateBack; u.looks() {
		return nil
	}
	r, err := pam.DecodeMemory(im.Before)
	if err != nil {
		return err
	}
	m := rows.StoredMemory{Record: r, Side: before}
	if !before.Edited() && len(left) < len(before.Sources) {
		u.rehome(&m, left)
		m.Side.Sources = left
	}
	return u.PutMemory(m.Record, m.Side)
}

// takeOutMemory removes a memory with its relations in both directions; in a plan it only
// counts them.
func (u *undoRun) takeOutMemory(id string) error {
	for _, rel := range u.Rows.TouchingOf(id) {
		if err := u.takeOutRelation(rel); err != nil {
			return err
		}
	}
	if u.looks() {
		return nil
	}
	return u.DropMemory(id)
}

func (u *undoRun) takeOutRelation(id string) error {
	if !u.VaultTx.Has(vault.Relations, id) {
		return nil
	}
	if u.importUndo.relations[id] = true; u.looks() {
		return nil
	}
	return u.DropRelation(id)
}

// orphanMemory handles a memory that was in the import's files, but was not changed (no
// undo data). The undo of an earlier import may have made this import its source.
func (u *undoRun) orphanMemory(id string) error {
	key := fateKey(OfMemory, id)
	if _, judged := u.importUndo.fates[key]; judged {
		return nil
	}
	m, ok, err := rows.LoadMemory(u.VaultTx, id)
	if err != nil || !ok || !slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool { return u.importUndo.gone(s.ImportID) }) {
		return err
	}
	if m.Side.Edited() {
		u.importUndo.fates[key] = fateEdited
		u.showEdited(m)
		return nil
	}
	u.importUndo.fates[key] = fateShared
	return u.share(m)
}
