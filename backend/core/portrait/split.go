package portrait

import (
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/split"
	"keepsake/backend/vault"
)

// Splitting is a memory with the single facts that it may be split into.
type Splitting struct {
	ID      string   `json:"id"`
	Content string   `json:"content"`
	Facts   []string `json:"facts"` // none where it is one fact, or none can be told apart
}

// PlanSplit returns the facts that an active memory may be split into; see package split.
func (s *Service) PlanSplit(ctx context.Context, id string) (Splitting, error) {
	m, err := library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (rows.StoredMemory, error) { return whole(tx, id) })
	if err != nil {
		return Splitting{}, err
	}
	plan := Splitting{ID: id, Content: m.Content, Facts: []string{}}
	language, _ := m.Metadata["language"].(string)
	for _, f := range split.Facts(m.Content, language) {
		if !slices.Contains(plan.Facts, f.Text) {
			plan.Facts = append(plan.Facts, f.Text)
		}
	}
	return plan, nil
}

func whole(tx *vault.Tx, id string) (rows.StoredMemory, error) {
	m, err := rows.NeedMemory(tx, id)
	if err == nil && m.Status != memory.Active {
		err = fault.New(fault.Conflict, "split-inactive", "Only an active memory can be split, and this one is {status}.").With("status", m.Status)
	}
	return m, err
}

// mostFacts bounds into how many memories one is split.
const mostFacts = 200

// SplitMemory splits an active memory into facts, in one change: each becomes a memory derived
// from it, with its type, tags, time, source and access, and it is archived. A fact that an
// active memory has already makes no other. It returns the memories of the facts.
func (s *Service) SplitMemory(ctx context.Context, id string, facts []string) ([]memory.Record, error) {
	return library.MakeChange(ctx, s.lib, "split", func(e *library.Tx) ([]memory.Record, []string, error) {
		facts, err := said(facts)
		if err != nil {
			return nil, nil, err
		}
		m, err := whole(e.VaultTx, id)
		if err != nil {
			return nil, nil, err
		}
		parts, subjects := []memory.Record{}, []string{id}
		for _, fact := range facts {
			part, err := addPart(e, m, fact)
			if err != nil {
				return nil, nil, err
			}
			parts, subjects = append(parts, part), append(subjects, part.ID)
		}
		_, err = e.SetStatus(id, memory.Archived, "")
		return parts, subjects, err
	})
}

// said returns the facts without space around them, each once, and without empty ones.
func said(facts []string) (all []string, err error) {
	for _, fact := range facts {
		if fact = strings.TrimSpace(fact); fact != "" && !slices.Contains(all, fact) {
			all = append(all, fact)
		}
	}
	switch {
	case len(all) < 2:
		err = fault.New(fault.Invalid, "split-into-one", "A memory is split into two facts or more.")
	case len(all) > mostFacts:
		err = fault.New(fault.TooLarge, "split-too-many", "A memory is split into at most {limit} facts.").With("limit", mostFacts)
	}
	return all, err
}

// addPart stores a fact of a memory as a memory of its own, which has been told by the same
// sources, and stays as private.
func addPart(e *library.Tx, of rows.StoredMemory, fact string) (memory.Record, error) {
	known, err := library.Saying(e.VaultTx, memory.ContentHash(fact))
	if err != nil {
		return memory.Record{}, err
	}
	if known != nil && known.ID == of.ID {
		return memory.Record{}, fault.New(fault.Invalid, "split-same", "One of the facts says the same as the whole memory.").Advise("Leave it out, or shorten it.")
	}
	part, err := e.Add(library.NewMemory{Type: of.Type, CustomType: of.CustomType, Content: fact, Tags: of.Tags})
	if err != nil || known != nil {
		return part, err
	}
	m, err := rows.NeedMemory(e.VaultTx, part.ID)
	if err != nil {
		return part, err
	}
	inherit(&m, of)
	m.Temporal.UpdatedAt = e.NotBefore(m.Temporal.CreatedAt)
	if err := e.PutMemory(m.Record, m.Side); err != nil {
		return part, err
	}
	_, err = e.Relate(part.ID, memory.DerivedFrom, of.ID)
	return m.Record, err
}

// inherit gives a part what holds for it as for the whole. A review does not: the person has
// divided the text, and not said that each fact is true.
func inherit(part *rows.StoredMemory, of rows.StoredMemory) {
	part.Temporal = memory.Temporal{CreatedAt: of.Temporal.CreatedAt, ValidFrom: of.Temporal.ValidFrom, ValidUntil: of.Temporal.ValidUntil}
	extractedAt := part.Provenance.ExtractedAt
	part.Provenance = of.Provenance
	part.Provenance.ExtractedAt = extractedAt
	part.Confidence, part.Access = of.Confidence, of.Access
	for _, name := range []string{"language", "domain"} {
		if value, ok := of.Metadata[name]; ok {
			part.SetMember(name, value)
		}
	}
	if importance, ok := of.Importance(); ok {
		part.SetImportance(&importance)
	}
	part.Side.Topics, part.Side.Unconfirmed = maps.Clone(of.Side.Topics), slices.Clone(of.Side.Unconfirmed)
	for _, src := range of.Side.Sources {
		part.Side.Sources = append(part.Side.Sources, rows.MemorySource{
			Platform: src.Platform, SourceKey: "split:" + part.ID + ":" + src.SourceKey, ImportID: src.ImportID,
			ConversationRef: src.ConversationRef, MessageRef: src.MessageRef, Account: src.Account, SaidAt: src.SaidAt, Stated: src.Stated,
		})
	}
}
