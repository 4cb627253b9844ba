package proposals

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// ProposalQuery selects a page of the Inbox. A zero field sets no condition.
type ProposalQuery struct {
	Type     memory.Type
	Rule     string
	Platform string
	About    About
	Offset   int
	Limit    int // 0 = all
}

// About selects proposals by what they are about; "": all.
type About string

// Values of About.
const (
	NewMemories About = "memories" // something that may become a memory
	ChangesOnly About = "changes"  // changes of memories that are there
)

// ProposalPage is a page of the Inbox, sorted by confidence, highest first, then newest
// first.
type ProposalPage struct {
	Items []library.Proposal
	Total int
}

// NearMemory is a memory that is similar to a proposal, in its words, its meaning or both.
type NearMemory struct {
	ID      string  `json:"id"`
	Content string  `json:"content"`
	Status  string  `json:"status"`
	Words   float64 `json:"words"`   // share of common words, 0..1; 0: less than nearWords
	Meaning float64 `json:"meaning"` // similarity of meaning (see meaning.Encoder), 0..1; 0: less than nearMeaning, or not compared
}

func (m NearMemory) similarity() float64 { return max(m.Words, m.Meaning) }

// Proposals returns the page of the Inbox that a query asks for.
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
	return (q.About == "" || (q.About == ChangesOnly) == (p.Change != nil)) && (q.Type == "" || q.Type == p.Type) && (q.Rule == "" || q.Rule == p.Rule) && (q.Platform == "" || q.Platform == p.Platform)
}

// Limits of NearMemories.
const (
	nearWords   = 0.5               // least share of common words
	nearMeaning = 0.8               // least similarity of meaning, from which few are about something else
	mostNear    = browse.FewestHits // by each
)

// NearMemories lists the memories that have many words of a proposal or are close to it in
// meaning, the most similar first, by the greater of the two numbers. It finds only memories
// that the search index already has, and without a language model those with its words.
func (s *Service) NearMemories(ctx context.Context, id string) ([]NearMemory, error) {
	p, err := library.ReadValue(ctx, s.lib, func(tx *vault.Tx) (library.Proposal, error) { return library.NeedProposal(tx, id) })
	if err != nil || p.Change != nil {
		return []NearMemory{}, err
	}
	ids, err := s.havingWords(ctx, p.Content)
	if err != nil {
		return nil, err
	}
	meant, err := s.closeInMeaning(ctx, p.Content)
	if err != nil {
		return nil, err
	}
	near := []NearMemory{}
	err = s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		for id := range library.SetOf(slices.AppendSeq(ids, maps.Keys(meant))) {
			m, ok, err := rows.LoadMemory(tx, id)
			if err != nil {
				return err
			}
			one := NearMemory{ID: id, Content: m.Content, Status: string(m.Status), Meaning: rows.Round(meant[id])}
			if words := extract.Similar(p.Content, m.Content); words >= nearWords {
				one.Words = rows.Round(words)
			}
			if ok && one.similarity() > 0 {
				near = append(near, one)
			}
		}
		return nil
	})
	slices.SortFunc(near, func(a, b NearMemory) int {
		return cmp.Or(cmp.Compare(b.similarity(), a.similarity()), cmp.Compare(a.ID, b.ID))
	})
	return near, err
}

// havingWords returns the ids of memories that have words of a text, those with the rarest first.
func (s *Service) havingWords(ctx context.Context, text string) (ids []string, err error) {
	query := strings.Join(extract.Words(text), " OR ")
	if query == "" {
		return nil, nil
	}
	found, err := s.browse.Search(ctx, browse.SearchQuery{Text: query, In: "memories", Limit: mostNear})
	for _, hit := range found.Hits {
		ids = append(ids, hit.ID)
	}
	return ids, err
}

// closeInMeaning returns how similar in meaning to a text the memories are that are close to
// it, by id; none without a language model.
func (s *Service) closeInMeaning(ctx context.Context, text string) (map[string]float64, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	matches, err := meaning.Of(v).MemoriesLike(ctx, text, mostNear, nearMeaning)
	if meaning.IsUnavailable(err) {
		return nil, nil
	}
	similarity := map[string]float64{}
	for _, m := range matches {
		similarity[m.ID] = m.Similarity
	}
	return similarity, err
}

// ProposalEdit changes a proposal when it is accepted. A nil Content or Type keeps that of
// the proposal; Tags are those of the new memory.
type ProposalEdit struct {
	Content *string
	Type    *memory.Type
	Tags    []string
}

// Accept turns a proposal into a memory, with the changes in wanted. If an active memory already has
// the same text, it creates none and returns that one.
func Accept(e *library.Tx, p library.Proposal, wanted ProposalEdit) (memory.Record, error) {
	r := proposedRecord(p, e.NewID(), e.Now)
	if p.Stored != nil {
		describe(e.VaultTx, &r, *p.Stored)
	}
	if wanted.Content != nil {
		r.Content = strings.TrimSpace(*wanted.Content)
	}
	if wanted.Type != nil {
		r.Type, r.CustomType = *wanted.Type, ""
	}
	if wanted.Tags == nil {
		wanted.Tags = p.Tags
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
	if wanted.Content != nil && r.Content != p.Content || p.Language == "" {
		e.Detect(&r, side)
	}
	return r, e.PutMemory(r, side)
}

// proposedRecord returns the memory for an accepted proposal. Its confidence is 1, because
// the person has confirmed the statement, which they or an agent wrote.
func proposedRecord(p library.Proposal, id string, now memory.Time) memory.Record {
	created := p.SaidAt
	if created.IsZero() {
		created = now
	}
	r := memory.Record{
		ID: id, Type: p.Type, Content: p.Content, Status: memory.Active, Tags: []string{},
		Temporal: memory.Temporal{CreatedAt: created},
		Provenance: memory.Provenance{
			Platform: p.Platform, ConversationRef: p.ConversationID, MessageRef: p.MessageID,
			ExtractionMethod: memory.ExplicitUserInput, ExtractedAt: now, Extractor: library.Extractor,
		},
		Confidence: memory.Certain(1, memory.DecayNone),
		Metadata:   map[string]any{"language": p.Language},
	}
	if p.By != "" {
		r.Provenance.ExtractionMethod, r.Metadata = memory.LLMInference, nil
	}
	return r
}

// describe takes over what an agent said of a record. A session that is a conversation of the vault is
// left out: that the memory is from there is what only an import knows.
func describe(tx *vault.Tx, r *memory.Record, as library.StoredAs) {
	_, r.CustomType = personal.TypeOf(as.Category, as.ContentType)
	personal.Keep(r, as.Category, as.ContentType)
	r.SetImportance(as.Importance)
	if !tx.Has(vault.Conversations, as.Session) {
		r.Provenance.ConversationRef, r.Provenance.MessageRef = as.Session, as.Message
	}
}

func proposedSource(p library.Proposal) rows.MemorySource {
	return rows.MemorySource{
		Platform: p.Platform, SourceKey: "proposal:" + p.ID, ConversationRef: p.ConversationID,
		MessageRef: p.MessageID, SaidAt: p.SaidAt, Stated: memory.ContentHash(p.Content),
	}
}

// RejectProposals removes proposals from the Inbox. When conversations are searched for
// proposals later, the same texts are not proposed again, nor what says the same in other
// words as long as the rejection can be undone.
func (s *Service) RejectProposals(ctx context.Context, ids []string) (int, error) {
	return library.MakeChange(ctx, s.lib, library.LogRejected, func(e *library.Tx) (int, []string, error) {
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

// Merge merges a proposal into the existing memory with the id into, as a repeated statement of it:
// that memory keeps its text, and its confidence is reinforced.
func Merge(e *library.Tx, p library.Proposal, into string) (memory.Record, error) {
	m, err := rows.NeedMemory(e.VaultTx, into)
	if err != nil {
		return memory.Record{}, err
	}
	if err := e.Decide(p); err != nil {
		return memory.Record{}, err
	}
	m.Reinforce(p.Confidence, p.SaidAt)
	m.Side.Sources = append(m.Side.Sources, proposedSource(p))
	return m.Record, e.PutMemory(m.Record, m.Side)
}
