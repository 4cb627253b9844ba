package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Receipt is the record that the vault keeps of one Forget (deletion for good): counts of
// the deleted records, without any of their texts.
type Receipt struct {
	ID            string      `json:"id"`
	At            memory.Time `json:"at"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Relations     int         `json:"relations"`
	Attachments   int         `json:"attachments"`
	Originals     int         `json:"originals"` // stored files of imports that were deleted; included in Attachments
	// Erased: every file of the vault was searched for the deleted records, and none is
	// left. If it is false, Forget was interrupted; the next Forget or unlock completes
	// it.
	Erased bool `json:"erased"`
}

// Forget deletes memories and conversations, given by the ids of a ForgetPlan, for good:
// the records, everything derived from them, their undo data, and every snapshot of the
// vault that holds them. It cannot be undone, and later imports do not bring them back.
func (s *Service) Forget(ctx context.Context, memories, conversations []string) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	if s.lib.IsImporting() {
		return Receipt{}, library.ErrImporting()
	}
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Receipt{}, err
	}
	defer release()
	f := forgetRun{
		memories: library.SetOf(memories), conversations: library.SetOf(conversations), said: map[string]bool{}, rewritten: map[string]rewritten{},
		receipt: Receipt{ID: s.lib.NewID(), At: s.lib.Now()},
	}
	f.names = names{alone: map[string]bool{}, within: map[[library.MinWithin]byte][]string{}, said: f.said}
	for _, id := range memories {
		v.Drafts.Keep(library.Draft{MemoryID: id})
	}
	err = s.lib.Update(v, f.run)
	if err == nil {
		err = s.erase(ctx, v, &f)
	}
	if f.done {
		s.lib.Emit(library.EventLibrary, nil)
	}
	return f.receipt, err
}

// forgetRun is the state of one Forget in progress.
type forgetRun struct {
	memories, conversations map[string]bool
	titles                  []string             // titles of the conversations
	said                    map[string]bool      // content hashes of the memories, and of their sources' texts
	names                   names                // texts that refer to the memories
	rewritten               map[string]rewritten // other records that referred to the memories, by kind and id
	receipt                 Receipt
	refs                    []string        // references of attachments and original files to delete
	gone                    vault.Traces    // ends of the deleted ciphertexts; no file of the vault may hold one
	done                    bool            // the records are deleted
	places                  library.Holding // sequence numbers of the deleted records
}

func (f *forgetRun) run(e *library.Tx) error {
	e.BeginForgetting()
	for id := range f.memories {
		if err := f.memory(e, id); err != nil {
			return err
		}
	}
	for id := range f.conversations {
		if err := f.conversation(e, id); err != nil {
			return err
		}
	}
	if err := e.DropProposals(f.proposed); err != nil {
		return err
	}
	for _, step := range []func(*library.Tx) error{f.elsewhere, f.kept, f.reports, f.originals, f.write} {
		if err := step(e); err != nil {
			return err
		}
	}
	count := f.receipt.Memories + f.receipt.Conversations
	if err := e.Log(library.LogForget, f.receipt.ID, count); err != nil {
		return err
	}
	f.gone, f.done = e.VaultTx.Traces(), true
	return nil
}

// memory deletes one memory and its relations, and bars its texts and ids from imports.
func (f *forgetRun) memory(e *library.Tx, id string) error {
	m, err := rows.NeedMemory(e.VaultTx, id)
	if err != nil {
		return err
	}
	seq, err := e.VaultTx.Seq(vault.Memories, id)
	if err != nil {
		return err
	}
	f.places.Memories.Add(seq)
	f.names.of(m)
	f.said[m.ContentHash] = true
	barred := []string{rows.ByContent(m.ContentHash), rows.ByOrigin(rows.OriginOf("", m.ID)), library.ByWords(m.Content)}
	for _, src := range m.Side.Sources { // an edited memory's text differs from that of its source: bar both
		f.said[src.Stated] = true
		barred = append(barred, rows.ByContent(src.Stated))
		if src.OriginalID != "" {
			barred = append(barred, rows.ByOrigin(rows.OriginOf(src.Owner, src.OriginalID)))
		}
	}
	for _, name := range barred {
		if name == "" {
			continue
		}
		if err := library.Bar(e, name); err != nil {
			return err
		}
	}
	for _, rel := range e.Rows.TouchingOf(id) {
		if !e.VaultTx.Has(vault.Relations, rel) {
			continue // already deleted with another memory
		}
		if err := e.DropRelation(rel); err != nil {
			return err
		}
		f.receipt.Relations++
	}
	f.receipt.Memories++
	return e.DropMemory(id)
}

func (f *forgetRun) conversation(e *library.Tx, id string) error {
	head, err := browse.NeedHead(e.VaultTx, id)
	if err != nil {
		return err
	}
	seq, err := e.VaultTx.Seq(vault.Conversations, id)
	if err != nil {
		return err
	}
	f.places.Conversations.Add(seq)
	if err := library.FilesOf(e.VaultTx.Messages(id), func(ref string) { f.refs = append(f.refs, ref) }); err != nil {
		return err
	}
	if head.Title != "" {
		f.titles = append(f.titles, head.Title)
	}
	f.receipt.Conversations++
	f.receipt.Messages += head.Said()
	if err := library.Bar(e, library.ByConversationID(id)); err != nil {
		return err
	}
	return e.DropConversation(id)
}

// proposed reports whether a proposal in the Inbox has the text of a forgotten memory, would
// change one, or comes from a forgotten conversation, so that it is deleted, too. What an agent
// wrote may repeat such a text within another.
func (f *forgetRun) proposed(p library.Proposal) bool {
	if f.conversations[p.ConversationID] || p.Change == nil && f.said[memory.ContentHash(p.Content)] {
		return true
	}
	if p.By == "" {
		return false
	}
	texts := append([]string{p.Content, p.Reason}, p.Tags...)
	if c := p.Change; c != nil {
		if slices.ContainsFunc(c.Memories, func(id string) bool { return f.memories[id] }) {
			return true
		}
		if c.Content != nil {
			texts = append(texts, *c.Content)
		}
		if c.Tags != nil {
			texts = append(texts, *c.Tags...)
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool { return text != "" && f.names.in(text) })
}

// touches reports whether an undo image (the state of a record before a change) is of a
// forgotten record, or refers to one.
func (f *forgetRun) touches(im *library.Image) bool {
	switch im.Kind {
	case library.OfMemory:
		r, err := pam.DecodeMemory(im.Before)
		return f.memories[im.ID] || im.Before != nil && err == nil && f.memories[r.Temporal.SupersededBy]
	case library.OfEmbedding:
		return f.memories[im.ID]
	case library.OfInterchange, library.OfTodo:
		_, id, _ := strings.Cut(im.ID, ":")
		return im.Kind == library.OfInterchange && f.memories[id] || im.Before != nil && library.ReferenceMatcher(f.names.in).MatchesIn(string(im.Before))
	case library.OfConversation:
		return f.conversations[im.ID]
	case library.OfProposal:
		p, err := rows.DecodeJSON[library.Proposal](im.Before, "proposal")
		return err == nil && f.proposed(p)
	case library.OfRelation:
		var rel memory.Relation
		return im.Before != nil && json.Unmarshal(im.Before, &rel) == nil && (f.memories[rel.From] || f.memories[rel.To])
	}
	return false
}

// kept removes the undo data and the ids of the forgotten records from the stored changes,
// which undo reads.
func (f *forgetRun) kept(e *library.Tx) error {
	for h, err := range library.ChangeHeads(e.VaultTx) {
		if err != nil {
			return err
		}
		if err := f.change(e, h); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetRun) change(e *library.Tx, h *library.ChangeHead) error {
	for part := 1; part <= h.Parts; part++ {
		images, err := library.ReadPart(e.VaultTx, h.Seq, part)
		if err != nil {
			return err
		}
		rest, changed, err := f.filter(e, h.Seq, part, images)
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		if err := e.PutPart(h.Seq, part, rest); err != nil {
			return err
		}
	}
	rest, changed, err := f.filter(e, h.Seq, 0, h.Images)
	subjects := slices.DeleteFunc(slices.Clone(h.Subjects), func(id string) bool { return f.memories[id] || f.conversations[id] })
	if changed = changed || len(subjects) < len(h.Subjects); err != nil || !changed {
		return err
	}
	if h.Parts == 0 && (len(rest) == 0 || len(subjects) == 0) {
		return e.Discard(h.Seq)
	}
	h.Images, h.Subjects = rest, subjects
	return e.WriteHead(h)
}

// filter drops images (undo data) that touch forgotten records, and deletes records with
// old versions of forgotten conversations. In other images, it sets After to the new
// checksum if rewrite changed the record: undo skips a record whose checksum is not After.
func (f *forgetRun) filter(e *library.Tx, seq uint64, part int, images []*library.Image) (rest []*library.Image, changed bool, err error) {
	rest = make([]*library.Image, 0, len(images))
	for _, im := range images {
		if !f.touches(im) {
			if now, ok := f.rewritten[string(im.Kind)+im.ID]; ok && bytes.Equal(im.After, now.was) {
				im.After, changed = now.is, true
			}
			rest = append(rest, im)
			continue
		}
		changed = true
		if err := e.DropPieces(seq, part, im); err != nil {
			return nil, false, fmt.Errorf("forget change: %w", err)
		}
	}
	return rest, changed, nil
}

// reports deletes, from the stored import reports, problems that name a forgotten record.
func (f *forgetRun) reports(e *library.Tx) error {
	var changed []library.ImportReport
	for report, err := range library.Reports(e.VaultTx) {
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(report.Problems), f.named)
		if len(rest) < len(report.Problems) {
			report.Problems = rest
			changed = append(changed, report)
		}
	}
	for _, report := range changed {
		if err := e.PutReport(report); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetRun) named(p library.ReportProblem) bool {
	text := p.At + "\x00" + p.Message
	for id := range f.conversations {
		if strings.Contains(text, id) {
			return true
		}
	}
	if f.names.in(p.At) || f.names.in(p.Message) {
		return true
	}
	return slices.ContainsFunc(f.titles, func(title string) bool { return strings.Contains(text, title) })
}

func (f *forgetRun) write(e *library.Tx) error {
	return e.PutReceipt(f.receipt.ID, f.receipt.At, f.receipt)
}

// erase deletes attachments that nothing refers to now, and erases the deleted records
// from the search index, the data file and all its copies.
func (s *Service) erase(ctx context.Context, v *library.Session, f *forgetRun) error {
	before, err := v.Vault.Blobs()
	if err != nil {
		return err
	}
	s.lib.DropLoose(v, f.refs)
	after, err := v.Vault.Blobs()
	if err != nil {
		return err
	}
	f.receipt.Attachments = len(before) - len(after)
	if err := v.PurgeIndex(ctx); err != nil {
		return err
	}
	if err := v.Vault.Erase(ctx, f.gone); err != nil {
		return err
	}
	f.receipt.Erased = true
	return s.lib.Update(v, func(e *library.Tx) error {
		e.EndForgetting()
		return f.write(e)
	})
}

// Receipts lists the receipts of Forget of the last thirty days, newest first.
func (s *Service) Receipts(ctx context.Context) ([]Receipt, error) {
	all, err := library.ReadValue(ctx, s.lib, func(tx *vault.Tx) ([]Receipt, error) {
		return library.Collect(rows.EachJSON[Receipt](tx, vault.Receipts, "receipt"))
	})
	slices.Reverse(all)
	return all, err
}

// originals marks the original files of imports for deletion, if they hold or may hold
// forgotten records.
func (f *forgetRun) originals(e *library.Tx) error {
	var gone []library.ImportReport
	err := library.EachKeeping(e.VaultTx, f.places, func(report library.ImportReport, holds bool) {
		if holds {
			gone = append(gone, report)
		}
	})
	if err != nil {
		return err
	}
	for _, report := range gone {
		report.EachOriginal(func(ref string) { f.refs = append(f.refs, ref) })
		f.receipt.Originals += report.KeptFiles()
		report.LetGoOfOriginals()
		if err := e.PutReport(report); err != nil {
			return err
		}
	}
	return nil
}
