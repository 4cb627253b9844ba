package imports

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// late holds the items that can be decided only when a whole group (one export, or one
// document) has been read.
type late struct {
	// reworded holds statements whose source key (id or place at the provider) was imported
	// before with other words. If keys are line numbers of a memory file, one new line makes
	// all others look reworded: only the complete export shows which of them really are.
	reworded    []*importer.MemoryDraft
	retractions []*importer.RetractionDraft
	restated    restatements
	file        inFile
	repeated    repeatQueue

	successors []successor
	embedded   map[[16]byte][16]byte // hash of a memory's owner and id in the document → hash of its content, if it has an embedding
}

func newLate() late {
	return late{restated: restatements{planned: map[string]bool{}}, embedded: map[[16]byte][16]byte{}}
}

// restatements is a set of memories whose words occurred in the group (the export or
// document) that is being read, or in the current file of it.
type restatements struct {
	seqs    library.Bitset  // in an import: sequence numbers of the memories
	planned map[string]bool // in a plan: memory ids, since new memories have no sequence number
}

// meets notes that the words of a memory occurred in the export or document being read.
func (a *batchApplier) meets(id string) error { return a.note(id, &a.run.late.restated) }

func (a *batchApplier) note(id string, in *restatements) error {
	seq, numbered, err := a.Place(vault.Memories, id)
	switch {
	case !numbered:
		in.planned[id] = true
	case rows.IsAbsent(err): // the memory was deleted in this vault
		return nil
	case err == nil:
		in.seqs.Add(seq)
	}
	return err
}

// isRestated reports whether in, a set of memories, contains the memory id.
func (a *batchApplier) isRestated(id string, in restatements) (bool, error) {
	seq, numbered, err := a.Place(vault.Memories, id)
	if !numbered {
		return in.planned[id], err
	}
	return err == nil && in.seqs.Has(seq), err
}

// memory decides what becomes of one explicit memory. It looks for a stored memory with
// the same words first, and for one with the same source key second.
func (a *batchApplier) memory(d *importer.MemoryDraft) error {
	d.ConversationID = a.home(d.ConversationID, d.PlatformUserID)
	key, err := statementKey(a.Tx, a.batch.info.Platform, d.SourceKey, d.PlatformUserID)
	if err != nil {
		return err
	}
	d.SourceKey = key
	if library.IsForgottenText(a.Tx, d.Content) {
		a.counts.skip(becauseForgotten)
		return nil
	}
	if id, ok := a.Linked(rows.ByContent(memory.ContentHash(d.Content))); ok {
		if err := a.meets(id); err != nil {
			return err
		}
		return a.restate(id, d)
	}
	if id, ok := a.Linked(rows.BySource(a.batch.info.Platform, d.SourceKey)); ok {
		return a.reword(id, d)
	}
	return a.newMemory(d)
}

func (a *batchApplier) newMemory(d *importer.MemoryDraft) error {
	platform := a.batch.info.Platform
	known := d.ConversationID != "" && (!a.run.options.OnlyMemories || a.HasConversation(d.ConversationID))
	r := finishMemory(d, a.NewID(), platform, a.Now, a.exportedAt, known)
	side := rows.ProvenanceRecord{Sources: []rows.MemorySource{sourceOf(d, platform, a.run.id)}, Detects: r.Metadata[library.LanguageKey] == nil}
	a.Detect(&r, side)
	if err := a.PutMemory(r, side); err != nil {
		return err
	}
	a.counts.memories.New++
	a.counts.taken++
	_, err := a.isSaidAgain(r.ID, d)
	return errors.Join(err, a.meets(r.ID), a.saw(r.ID))
}

// restate handles a statement whose words a stored memory already has. A source that did
// not state them before reinforces the memory. If one file contains the statement twice,
// it counts once, and the memory gets the headings above both places in the file.
func (a *batchApplier) restate(id string, d *importer.MemoryDraft) error {
	again, err := a.isSaidAgain(id, d)
	if err != nil {
		return err
	}
	if again {
		return a.repeat(id, d)
	}
	m, ok, err := a.Load(id)
	if err != nil {
		return err
	}
	if !ok {
		a.counts.skip(becauseDeleted)
		return nil
	}
	if err := a.saw(id); err != nil {
		return err
	}
	src := sourceOf(d, a.batch.info.Platform, a.run.id)
	i, known := m.Side.Source(src.Platform, src.SourceKey)
	if known && m.Side.Sources[i].Stated == src.Stated {
		a.known(m.Side, i)
		return nil
	}
	repeats := a.isOwn(m.Side)
	if known {
		m.Side.Sources[i] = src
	} else {
		m.Side.Sources = append(m.Side.Sources, src)
	}
	if a.sharpens(&m, d) {
		m.Temporal.CreatedAt, m.Metadata = memory.At(d.CreatedAt.Time), without(m.Metadata, memory.CreatedFromKey)
		m.Provenance.ConversationRef, m.Provenance.MessageRef = d.ConversationID, d.MessageID
	}
	m.Reinforce(rows.Unit(d.Confidence), src.SaidAt)
	a.counts.mergeMemories(1, repeats)
	return a.PutMemory(m.Record, m.Side)
}

// isOwn reports whether the first source of a memory is of this import.
func (a *batchApplier) isOwn(side rows.ProvenanceRecord) bool {
	return len(side.Sources) > 0 && side.Sources[0].ImportID == a.run.id
}

// sharpens reports whether d gives the exact time of a memory of which only the day was
// known. The provider's day may be in any time zone, so the time may be up to 24 hours
// before the stored start of the day and up to 48 hours after it.
func (a *batchApplier) sharpens(m *rows.StoredMemory, d *importer.MemoryDraft) bool {
	if m.Metadata[memory.CreatedFromKey] != "day" || d.Metadata[memory.CreatedFromKey] != nil || d.CreatedAt.IsZero() || m.Side.Edited() {
		return false
	}
	apart := d.CreatedAt.Sub(m.Temporal.CreatedAt.Time)
	return apart > -24*time.Hour && apart < 48*time.Hour && a.HasConversation(d.ConversationID)
}

func without(m map[string]any, name string) map[string]any {
	m = maps.Clone(m)
	delete(m, name)
	if len(m) == 0 {
		return nil
	}
	return m
}

// known counts a statement that the vault already has. If a resumed import stored it
// before the vault was locked, it counts as it did then, as new or merged.
func (a *batchApplier) known(side rows.ProvenanceRecord, i int) {
	again := side.Sources[i].ImportID == a.run.id && a.run.resumed
	switch {
	case again && i == 0:
		a.counts.memories.New++
		a.counts.taken++
	case again:
		a.counts.mergeMemories(1, a.isOwn(side))
	default:
		a.counts.leaveMemory()
	}
}

// reword handles a statement whose source key was imported before and whose text is not
// in the vault. If the earlier import had this text, the user has edited the memory
// since, and it stays; otherwise the statement waits for the end of its export.
func (a *batchApplier) reword(id string, d *importer.MemoryDraft) error {
	m, ok, err := a.Load(id)
	if err != nil {
		return err
	}
	if !ok {
		a.counts.skip(becauseDeleted)
		return nil
	}
	i, _ := m.Side.Source(a.batch.info.Platform, d.SourceKey)
	if i >= 0 && m.Side.Sources[i].Stated == memory.ContentHash(d.Content) {
		a.known(m.Side, i) // the source repeats its last statement, so the memory was edited in this vault
		return a.saw(id)
	}
	a.run.late.reworded = append(a.run.late.reworded, d)
	return nil
}

// settle decides the items that had to wait until the whole export or document was read.
// It handles at most one batch of relations, because the cost per record grows with the
// size of a transaction; run.rest stores the remaining relations in further batches.
func (a *batchApplier) settle() error {
	if err := a.settleRepeated(); err != nil {
		return err
	}
	waiting := a.run.late
	a.run.late = newLate()
	a.run.late.file = waiting.file // a relation whose memory is missing becomes a statement of this file
	if a.batch.end == brokeOff {
		for range len(waiting.reworded) + len(waiting.retractions) + a.run.relations.count() {
			a.counts.skip(becauseInterrupted)
		}
		a.run.relations.drop()
		return nil
	}
	for _, d := range waiting.reworded {
		if err := a.spare(item{memory: d}, a.update(d, waiting.restated)); err != nil {
			return err
		}
	}
	if err := a.documents(waiting); err != nil {
		return err
	}
	if err := a.settleSentences(waiting.restated); err != nil {
		return err
	}
	return a.retractions(waiting.retractions)
}

// settleSentences decides the reworded and repeated statements that between() made from
// relations. Once no relation waits, it drops late.file (what the file has stated).
func (a *batchApplier) settleSentences(met restatements) error {
	if err := a.settleRepeated(); err != nil {
		return err
	}
	reworded := a.run.late.reworded
	a.run.late.reworded = nil
	for _, d := range reworded {
		if err := a.spare(item{memory: d}, a.update(d, met)); err != nil {
			return err
		}
	}
	if a.run.relations.count() == 0 {
		a.run.late.file = inFile{}
	}
	return nil
}

func (a *batchApplier) retractions(drafts []*importer.RetractionDraft) error {
	if len(drafts) == 0 {
		return nil
	}
	index, err := a.byStems()
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if err := a.spare(item{retraction: d}, a.retract(d, index)); err != nil {
			return err
		}
	}
	return nil
}

// update handles a provider's new words for a memory. They replace its text, unless it
// was edited here or is inactive. If the export also states the old words, or the memory
// did not first come from this account, it stays and the new words become a new memory.
func (a *batchApplier) update(d *importer.MemoryDraft, met restatements) error {
	if id, ok := a.Linked(rows.ByContent(memory.ContentHash(d.Content))); ok {
		return a.restate(id, d)
	}
	id, _ := a.Linked(rows.BySource(a.batch.info.Platform, d.SourceKey))
	m, ok, err := a.Load(id)
	if err != nil {
		return err
	}
	if !ok {
		return a.newMemory(d)
	}
	again, err := a.isRestated(id, met)
	if err != nil {
		return err
	}
	i, _ := m.Side.Source(a.batch.info.Platform, d.SourceKey)
	if again || i < 0 {
		return a.newMemory(d)
	}
	_, err = a.isSaidAgain(id, d)
	if err := errors.Join(err, a.saw(id)); err != nil {
		return err
	}
	if !m.Side.CameFrom(a.batch.info.Platform, d.PlatformUserID) {
		return a.splitOff(m, i, d)
	}
	m.Side.Sources[i] = sourceOf(d, a.batch.info.Platform, a.run.id)
	if m.Side.Edited() || m.Status != memory.Active {
		a.counts.memories.Kept++
		a.counts.skip(becauseMended)
		return a.PutMemory(m.Record, m.Side)
	}
	a.reworded(&m.Record, d)
	if library.LanguageTag.MatchString(d.Language) {
		m.Side.Detects = false
		m.SetMember(library.LanguageKey, d.Language)
	}
	a.Detect(&m.Record, m.Side)
	m.Side.Keep(m.Bytes, a.Now)
	a.counts.memories.Updated++
	a.counts.taken++
	return a.PutMemory(m.Record, m.Side)
}

// splitOff stores a provider's new words as a new memory. The existing memory keeps its
// words: it came from another source, and this provider had only repeated them.
func (a *batchApplier) splitOff(m rows.StoredMemory, i int, d *importer.MemoryDraft) error {
	m.Side.Sources = slices.Delete(slices.Clone(m.Side.Sources), i, i+1)
	if err := a.PutMemory(m.Record, m.Side); err != nil {
		return err
	}
	return a.newMemory(d)
}

func (a *batchApplier) reworded(r *memory.Record, d *importer.MemoryDraft) {
	r.Content, r.ContentHash = d.Content, memory.ContentHash(d.Content)
	r.Type, r.Summary = d.Type, library.Cut(d.Summary, library.MaxSummary)
	if tags := library.NormalizeTags(d.Tags); len(tags) > 0 {
		r.Tags = tags
	}
	r.Temporal.UpdatedAt = saidAt(d)
	if r.Temporal.UpdatedAt.Compare(r.Temporal.CreatedAt) <= 0 {
		r.Temporal.UpdatedAt = a.NotBefore(r.Temporal.CreatedAt)
	}
	r.Provenance.ExtractedAt = a.Now
}

// retract retracts a memory when the source asks to forget it, if the words of the
// request fit exactly one. A request is followed once: if the person restores the memory,
// a later import of the same request does not retract it again.
func (a *batchApplier) retract(d *importer.RetractionDraft, index map[string][]string) error {
	name := rows.ByRetraction(a.batch.info.Platform, d.SourceKey)
	if _, done := a.Linked(name); done {
		a.counts.leaveMemory()
		return nil
	}
	fits, err := a.fitting(d, index)
	if err != nil {
		return err
	}
	if len(fits) != 1 {
		a.counts.skip(becauseUnclear)
		return nil
	}
	m := fits[0]
	if m.Side.Edited() {
		a.counts.memories.Kept++
		a.counts.skip(becauseMended)
		return nil
	}
	m.Status = memory.Retracted
	m.Temporal.UpdatedAt = a.NotBefore(m.Temporal.CreatedAt)
	m.Side.Keep(m.Bytes, a.Now)
	if err := a.PutMemory(m.Record, m.Side); err != nil {
		return err
	}
	if _, err := a.Remember(library.OfRetraction, name, nil); err != nil {
		return err
	}
	if err := a.Link(name, m.ID); err != nil {
		return fmt.Errorf("link retraction: %w", err)
	}
	a.counts.memories.Retracted++
	a.counts.taken++
	return nil
}

// fitting lists the memories of the platform that have the same word stems as the request
// d to forget, and that were not stated again after it.
func (a *batchApplier) fitting(d *importer.RetractionDraft, index map[string][]string) ([]rows.StoredMemory, error) {
	var fits []rows.StoredMemory
	for _, id := range index[browse.Stems(d.Text)] {
		m, ok, err := a.Load(id)
		if err != nil {
			return nil, err
		}
		if ok && m.Status.CanBecome(memory.Retracted) && !isStatedAfter(m, d.At) && !rows.IsOtherAccount(m.Provenance.PlatformUserID, d.Account) {
			fits = append(fits, m)
		}
	}
	return fits, nil
}

// byStems maps word stems to the ids of those memories (see candidates) that have them.
func (a *batchApplier) byStems() (map[string][]string, error) {
	index := map[string][]string{}
	for _, id := range a.candidates() {
		text, err := a.VaultTx.Find(vault.Memories, id)
		if err != nil {
			return nil, err
		}
		content, err := rows.ContentOf(text)
		if err != nil {
			return nil, err
		}
		if key := browse.Stems(content); key != "" {
			index[key] = append(index[key], id)
		}
	}
	return index, nil
}

// candidates returns the ids of the memories of the batch's platform: those in a.Rows
// (the vault's rows in RAM), and those that this transaction created.
func (a *batchApplier) candidates() []string {
	ids := a.Rows.OfPlatform(a.batch.info.Platform)
	for _, im := range a.Images {
		if im.Kind == library.OfMemory && im.Before == nil {
			ids = append(ids, im.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func isStatedAfter(m rows.StoredMemory, at memory.Time) bool {
	if at.IsZero() {
		return false
	}
	return m.Temporal.CreatedAt.Compare(at) > 0 ||
		slices.ContainsFunc(m.Side.Sources, func(s rows.MemorySource) bool { return s.SaidAt.Compare(at) > 0 })
}
