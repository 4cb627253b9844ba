package proposals

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ProposalQuery narrows a page of the Inbox. Zero fields do not.
type ProposalQuery struct {
	Type     memory.Type
	Rule     string
	Platform string
	Offset   int
	Limit    int // 0 = all
}

// ProposalPage is a part of the Inbox: the surest first, and of these the newest.
type ProposalPage struct {
	Items []library.Proposal
	Total int
}

// NearMemory is a memory that says nearly what a proposal says.
type NearMemory struct {
	ID         string  `json:"id"`
	Content    string  `json:"content"`
	Status     string  `json:"status"`
	Similarity float64 `json:"similarity"` // 0..1, of their words
}

// Proposals lists what waits in the Inbox.
func (s *Service) Proposals(ctx context.Context, q ProposalQuery) (ProposalPage, error) {
	page := ProposalPage{Items: []library.Proposal{}}
	err := s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		all, err := library.Proposals(tx)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(p library.Proposal) bool { return !q.takes(p) })
		slices.SortStableFunc(all, func(a, b library.Proposal) int {
			if a.Confidence != b.Confidence {
				return int((b.Confidence - a.Confidence) * 1e4)
			}
			return b.SaidAt.Compare(a.SaidAt)
		})
		page.Total = len(all)
		page.Items = library.Page(all, q.Offset, q.Limit)
		return nil
	})
	return page, err
}

func (q ProposalQuery) takes(p library.Proposal) bool {
	return (q.Type == "" || q.Type == p.Type) && (q.Rule == "" || q.Rule == p.Rule) && (q.Platform == "" || q.Platform == p.Platform)
}

// nearFrom is the share of words from which two texts say nearly the same.
const nearFrom = 0.5

// NearMemories lists the memories that say nearly what a proposal says, the
// nearest first. It answers from what is indexed by then.
func (s *Service) NearMemories(ctx context.Context, id string) ([]NearMemory, error) {
	p, err := library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (library.Proposal, error) { return library.NeedProposal(tx, id) })
	if err != nil {
		return nil, err
	}
	near := []NearMemory{}
	query := strings.Join(extract.Words(p.Content), " OR ")
	if query == "" {
		return near, nil
	}
	found, err := s.browse.Search(ctx, browse.SearchQuery{Text: query, In: "memories", Limit: browse.FewestHits})
	if err != nil {
		return nil, err
	}
	err = s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		for _, hit := range found.Hits {
			m, ok, err := rows.LoadMemory(tx, hit.ID)
			if err != nil {
				return err
			}
			if alike := extract.Similar(p.Content, m.Content); ok && alike >= nearFrom {
				near = append(near, NearMemory{ID: m.ID, Content: m.Content, Status: string(m.Status), Similarity: rows.Round(alike)})
			}
		}
		return nil
	})
	slices.SortStableFunc(near, func(a, b NearMemory) int { return int((b.Similarity - a.Similarity) * 1e4) })
	return near, err
}

// ProposalEdit changes a proposal while it is accepted. A nil field stays.
type ProposalEdit struct {
	Content *string
	Type    *memory.Type
	Tags    []string
}

// AcceptProposal makes a proposal a memory, as it is or as wanted says. Where an
// active memory says the same already, that one is kept and given back.
func (s *Service) AcceptProposal(ctx context.Context, id string, wanted ProposalEdit) (memory.Record, error) {
	return library.MakeChange(ctx, s.lib, "accept", func(e *library.Tx) (memory.Record, []string, error) {
		p, err := library.NeedProposal(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		r, err := acceptProposal(e, p, wanted)
		return r, []string{r.ID}, err
	})
}

// AcceptProposals makes memories of proposals as they are, in one change that
// one undo takes back.
func (s *Service) AcceptProposals(ctx context.Context, ids []string) (int, error) {
	return library.MakeChange(ctx, s.lib, "accept", func(e *library.Tx) (int, []string, error) {
		var made []string
		for _, id := range ids {
			p, err := library.NeedProposal(e.VaultTx, id)
			if err != nil {
				return 0, nil, err
			}
			r, err := acceptProposal(e, p, ProposalEdit{})
			if err != nil {
				return 0, nil, err
			}
			made = append(made, r.ID)
		}
		return len(made), made, nil
	})
}

func acceptProposal(e *library.Tx, p library.Proposal, wanted ProposalEdit) (memory.Record, error) {
	r := proposedRecord(p, e.NewID(), e.Now)
	if wanted.Content != nil {
		r.Content = strings.TrimSpace(*wanted.Content)
	}
	if wanted.Type != nil {
		r.Type = *wanted.Type
	}
	r.Tags = library.NormalizeTags(wanted.Tags)
	if err := library.CheckRecord(r); err != nil {
		return r, err
	}
	r.ContentHash = memory.ContentHash(r.Content)
	known, err := library.Saying(e.VaultTx, r.ContentHash)
	if err != nil {
		return r, err
	}
	if err := e.Decide(p); err != nil {
		return r, err
	}
	if known != nil {
		return *known, nil
	}
	side := rows.ProvenanceRecord{Sources: []rows.MemorySource{proposedSource(p)}, Detects: true}
	if wanted.Content != nil && r.Content != p.Content {
		e.Detect(&r, side)
	}
	return r, e.PutMemory(r, side)
}

// proposedRecord is what a proposal becomes. Its confidence is that of the person, who
// said so and has looked at it again.
func proposedRecord(p library.Proposal, id string, now memory.Time) memory.Record {
	created := p.SaidAt
	if created.IsZero() {
		created = now
	}
	return memory.Record{
		ID: id, Type: p.Type, Content: p.Content, Status: memory.Active, Tags: []string{},
		Temporal: memory.Temporal{CreatedAt: created},
		Provenance: memory.Provenance{
			Platform: p.Platform, ConversationRef: p.ConversationID, MessageRef: p.MessageID,
			ExtractionMethod: memory.ExplicitUserInput, ExtractedAt: now, Extractor: library.Extractor,
		},
		Confidence: memory.Certain(1, memory.DecayNone),
		Metadata:   map[string]any{"language": p.Language},
	}
}

func proposedSource(p library.Proposal) rows.MemorySource {
	return rows.MemorySource{
		Platform: p.Platform, SourceKey: "proposal:" + p.ID, ConversationRef: p.ConversationID,
		MessageRef: p.MessageID, SaidAt: p.SaidAt, Stated: memory.ContentHash(p.Content),
	}
}

// RejectProposals takes proposals out of the Inbox. They do not come again.
func (s *Service) RejectProposals(ctx context.Context, ids []string) (int, error) {
	return library.MakeChange(ctx, s.lib, "reject", func(e *library.Tx) (int, []string, error) {
		for _, id := range ids {
			p, err := library.NeedProposal(e.VaultTx, id)
			if err == nil {
				err = e.Decide(p)
			}
			if err != nil {
				return 0, nil, err
			}
		}
		return len(ids), ids, nil
	})
}

// MergeProposal counts a proposal as said once more of a memory that is there:
// the memory keeps its words, and is reinforced.
func (s *Service) MergeProposal(ctx context.Context, id, into string) (memory.Record, error) {
	return library.MakeChange(ctx, s.lib, "merge", func(e *library.Tx) (memory.Record, []string, error) {
		p, err := library.NeedProposal(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		m, err := rows.NeedMemory(e.VaultTx, into)
		if err != nil {
			return memory.Record{}, nil, err
		}
		if err := e.Decide(p); err != nil {
			return memory.Record{}, nil, err
		}
		m.Reinforce(p.Confidence, p.SaidAt)
		m.Side.Sources = append(m.Side.Sources, proposedSource(p))
		return m.Record, []string{into}, e.PutMemory(m.Record, m.Side)
	})
}
