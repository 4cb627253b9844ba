package library

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ManualPlatform is the platform of memories written here (PAM §11.4).
const ManualPlatform = "manual"

// AddMemory stores a memory that the user wrote. If an active memory has the same content
// already, it changes nothing and returns that one. A retracted memory does not prevent a
// new one with its content.
func (s *Service) AddMemory(ctx context.Context, n NewMemory) (memory.Record, error) {
	return MakeChange(ctx, s.lib, "add", func(e *Tx) (memory.Record, []string, error) {
		r, err := e.Add(n)
		return r, []string{r.ID}, err
	})
}

// Add is AddMemory within a transaction.
func (e *Tx) Add(n NewMemory) (memory.Record, error) {
	if err := CheckImportance(n.Importance); err != nil {
		return memory.Record{}, err
	}
	r := memory.Record{
		ID: e.NewID(), Type: n.Type, CustomType: n.CustomType, Content: strings.TrimSpace(n.Content),
		Status: memory.Active, Tags: NormalizeTags(n.Tags),
		Temporal: memory.Temporal{CreatedAt: e.Now},
		Provenance: memory.Provenance{
			Platform: ManualPlatform, ExtractionMethod: memory.Manual, ExtractedAt: e.Now, Extractor: Extractor,
		},
		Confidence: memory.Certain(1, memory.DecayNone),
	}
	if n.Category != "" {
		putInto(&r, n.Category)
	}
	r.SetImportance(n.Importance)
	if n.Conversation != "" {
		if !e.VaultTx.Has(vault.Conversations, n.Conversation) {
			return r, ErrNoConversation(n.Conversation)
		}
		r.Provenance.ConversationRef, r.Provenance.MessageRef = n.Conversation, n.Message
	}
	if err := CheckRecord(r); err != nil {
		return r, err
	}
	r.ContentHash = memory.ContentHash(r.Content)
	if known, err := Saying(e.VaultTx, r.ContentHash); known != nil || err != nil {
		return *cmp.Or(known, &r), err
	}
	side := n.side(r)
	e.Detect(&r, side)
	return r, e.PutMemory(r, side)
}

// side returns the provenance record of a new memory: written here and, if it was made
// from a message, with that message as its source, so that both link to each other.
func (n NewMemory) side(r memory.Record) rows.ProvenanceRecord {
	if n.Conversation == "" {
		return rows.ProvenanceRecord{Here: true, Detects: true}
	}
	return rows.ProvenanceRecord{Here: true, Detects: true, Sources: []rows.MemorySource{{
		Platform: ManualPlatform, SourceKey: r.ID, ConversationRef: n.Conversation, MessageRef: n.Message, Stated: r.ContentHash,
	}}}
}

// MemorySaying returns the active memory with this content, nil if there is none. Contents
// are equal if their PAM content hashes are.
func (s *Service) MemorySaying(ctx context.Context, content string) (*memory.Record, error) {
	return ReadValue(ctx, s.lib, func(tx *vault.Tx) (*memory.Record, error) {
		return Saying(tx, memory.ContentHash(strings.TrimSpace(content)))
	})
}

// Saying finds the active memory with a content hash, nil where there is none.
func Saying(tx *vault.Tx, hash string) (*memory.Record, error) {
	id, ok := tx.Linked(vault.Memories, rows.ByContent(hash))
	if !ok {
		return nil, nil
	}
	m, ok, err := rows.LoadMemory(tx, id)
	if !ok || err != nil || m.Status != memory.Active {
		return nil, err
	}
	return &m.Record, nil
}

// Edited is the result of an edit: the memory, and whether it changed. If Changed is false,
// the memory had these values already and nothing was written.
type Edited struct {
	memory.Record
	Changed bool
}

// EditMemory changes a memory. created_at never changes. Later imports do not overwrite an
// edited memory.
func (s *Service) EditMemory(ctx context.Context, id string, wanted MemoryEdit) (Edited, error) {
	return MakeChange(ctx, s.lib, "edit", func(e *Tx) (Edited, []string, error) {
		edited, err := e.Edit(id, wanted)
		return edited, []string{id}, err
	})
}

// Edit is EditMemory in this transaction.
func (e *Tx) Edit(id string, edit MemoryEdit) (Edited, error) {
	m, err := rows.NeedMemory(e.VaultTx, id)
	if err != nil {
		return Edited{}, err
	}
	if err := cmp.Or(checkDomain(edit.Domain), checkLanguage(edit.Language)); err != nil {
		return Edited{}, err
	}
	// written so that NaN, which is not below 0, is checked and refused
	if edit.Importance == nil || !(*edit.Importance < 0) {
		if err := CheckImportance(edit.Importance); err != nil {
			return Edited{}, err
		}
	}
	given := edit.Language != nil && m.Side.Detects
	if given {
		m.Side.Detects = false
	}
	confirmed := edit.confirm(&m.Side)
	said := m.Content
	edit.Apply(&m.Record)
	if m.Content != said {
		e.Detect(&m.Record, m.Side)
		m.Provenance.ExtractionMethod = memory.Manual
		m.Confidence = memory.Certain(1, memory.DecayNone) // the person wrote it
		if e.actor != "" || edit.Inferred {
			m.Provenance.ExtractionMethod = memory.LLMInference
		}
	}
	if err := CheckRecord(m.Record); err != nil {
		return Edited{}, err
	}
	m.ContentHash = memory.ContentHash(m.Content)
	if m.Content == said && !given && !confirmed {
		if after, err := pam.EncodeMemory(m.Record); err != nil || bytes.Equal(after, m.Bytes) {
			return Edited{Record: m.Record}, err
		}
	}
	return Edited{m.Record, true}, e.Mend(&m)
}

// confirm takes what the edit shares out of what only a document of somebody else said, and
// reports whether that changed something.
func (c MemoryEdit) confirm(side *rows.ProvenanceRecord) bool {
	before := len(side.Unconfirmed)
	if c.SharedWith != nil || c.Visibility != nil {
		side.Unconfirmed = nil
	}
	return len(side.Unconfirmed) != before
}

// NotBefore returns the current time, but never a time before t: the time of a change must
// not be before the creation of the record, even if the clock was set back.
func (e *Tx) NotBefore(t memory.Time) memory.Time {
	if e.Now.Compare(t) < 0 {
		return t
	}
	return e.Now
}

// Apply applies the edit to a record. Fields that are nil in the edit stay.
func (c MemoryEdit) Apply(r *memory.Record) {
	if c.Content != nil {
		r.Content = strings.TrimSpace(*c.Content)
	}
	if c.Type != nil {
		r.Type = *c.Type
		if r.Type != memory.Custom {
			r.CustomType = ""
		}
	}
	if c.CustomType != nil {
		r.CustomType = strings.TrimSpace(*c.CustomType)
	}
	if c.Category != nil {
		putInto(r, *c.Category)
	}
	if c.Summary != nil {
		r.Summary = strings.TrimSpace(*c.Summary)
	}
	if c.Domain != nil {
		r.SetMember(DomainKey, strings.TrimSpace(*c.Domain))
	}
	if c.Language != nil {
		r.SetMember(LanguageKey, strings.TrimSpace(*c.Language))
	}
	if c.Importance != nil && *c.Importance < 0 {
		r.SetImportance(nil)
	} else if c.Importance != nil {
		r.SetImportance(c.Importance)
	}
	if c.Tags != nil {
		r.Tags = NormalizeTags(*c.Tags)
	}
	setTime(&r.Temporal.ValidFrom, c.ValidFrom)
	setTime(&r.Temporal.ValidUntil, c.ValidUntil)
	c.ApplyAccess(r)
}

// DomainKey is the metadata key for a memory's domain, the area of life (PAM §10).
const DomainKey = "domain"

func setTime(to *memory.Time, t *time.Time) {
	if t != nil {
		*to = memory.At(*t)
	}
}

// ApplyAccess applies Visibility, Exportable and SharedWith of the edit.
func (c MemoryEdit) ApplyAccess(r *memory.Record) {
	if c.Visibility == nil && c.Exportable == nil && c.SharedWith == nil {
		return
	}
	access := memory.Access{Visibility: memory.Private, Exportable: true, SharedWith: []memory.Grant{}}
	if r.Access != nil {
		access = *r.Access
	}
	if c.SharedWith != nil {
		access.SharedWith = normalGrants(*c.SharedWith)
		switch {
		case len(access.SharedWith) > 0 && access.Visibility == memory.Private:
			access.Visibility = memory.Shared
		case len(access.SharedWith) == 0 && access.Visibility == memory.Shared:
			access.Visibility = memory.Private
		}
	}
	if c.Visibility != nil {
		access.Visibility = *c.Visibility
	}
	if c.Exportable != nil {
		access.Exportable = *c.Exportable
	}
	if r.Access == nil && access.Visibility == memory.Private && access.Exportable && len(access.SharedWith) == 0 {
		return // these are the defaults; r.Access stays nil
	}
	r.Access = &access
}

// SetStatus changes the status of a memory to next, if the lifecycle of PAM §7.1 allows
// it. by is the id of the memory that replaces this one; it is only allowed if next is
// superseded.
func (s *Service) SetStatus(ctx context.Context, id string, next memory.Status, by string) (memory.Record, error) {
	return MakeChange(ctx, s.lib, "set-status", func(e *Tx) (memory.Record, []string, error) {
		r, err := e.SetStatus(id, next, by)
		return r, slices.DeleteFunc([]string{id, by}, func(id string) bool { return id == "" }), err
	})
}

// SetStatus is Service.SetStatus in this transaction.
func (e *Tx) SetStatus(id string, next memory.Status, by string) (memory.Record, error) {
	m, err := rows.NeedMemory(e.VaultTx, id)
	if err != nil {
		return memory.Record{}, err
	}
	if err := checkStep(m.Status, next, by); err != nil {
		return memory.Record{}, err
	}
	m.Status = next
	if by != "" {
		if err := e.Supersede(&m.Record, by); err != nil {
			return memory.Record{}, err
		}
	}
	return m.Record, e.Mend(&m)
}

// Mend stores a memory that the user changed, adds its previous version to its history, and
// counts the edit. The sources of the memory stay.
func (e *Tx) Mend(m *rows.StoredMemory) error {
	was := *m
	m.Temporal.UpdatedAt = e.NotBefore(m.Temporal.CreatedAt)
	m.Side.Edits++
	m.Side.Keep(m.Bytes, e.Now)
	return e.replace(was, true, m.Record, m.Side)
}

func checkStep(from, next memory.Status, by string) error {
	if !slices.Contains(memory.Statuses(), next) {
		return fault.New(fault.Invalid, "unknown-status", "There is no status called {status}.").With("status", rows.ShortID(string(next)))
	}
	if by != "" && next != memory.Superseded {
		return fault.New(fault.Invalid, "by-needless", "Only a superseded memory names what replaces it.")
	}
	if from.CanBecome(next) {
		return nil
	}
	if len(from.Next()) == 0 {
		return fault.New(fault.Conflict, "final-step", "A memory that is {status} stays so.").With("status", from).
			Advise("A step taken by mistake can be undone.")
	}
	return fault.New(fault.Conflict, "illegal-step", "A memory that is {status} cannot become {next}; it can become {allowed}.").
		With("status", from).With("next", next).With("allowed", joined(from.Next()))
}

func joined(statuses []memory.Status) string {
	words := make([]string, len(statuses))
	for i, st := range statuses {
		words[i] = string(st)
	}
	return strings.Join(words, ", ")
}

// Supersede sets in r that the memory by replaces it, and adds the supersedes relation if
// it does not exist.
func (e *Tx) Supersede(r *memory.Record, by string) error {
	if err := e.noCircle(r.ID, by); err != nil {
		return err
	}
	r.Temporal.SupersededBy = by
	if _, drawn := e.Rows.Relation(by, memory.Supersedes, r.ID); drawn {
		return nil
	}
	_, err := e.Relate(by, memory.Supersedes, r.ID)
	return err
}

// noCircle refuses a cycle: by must not be superseded by id, directly or through other
// memories.
func (e *Tx) noCircle(id, by string) error {
	for seen := map[string]bool{}; by != "" && !seen[by]; {
		seen[by] = true
		m, ok, err := rows.LoadMemory(e.VaultTx, by)
		if err != nil || !ok {
			return err // nil if no memory has the id by: relate, called next, reports that
		}
		if by = m.Temporal.SupersededBy; by == id {
			return errCircle()
		}
	}
	return nil
}

func errCircle() error {
	return fault.New(fault.Conflict, "supersedes-in-a-circle", "The newer memory is itself replaced by this one, so it cannot replace it.").
		Advise("Choose another memory, or undo the earlier step.")
}
