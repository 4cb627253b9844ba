package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Search finds things by their words and their meaning.
type Search struct {
	k    *kit
	last latest
}

// SearchView is what a person looks for. Text is a query: words, "phrases",
// word*, OR, NOT, and filters such as type:goal or since:2026-05.
type SearchView struct {
	Text      string   `json:"text"`
	AsYouType bool     `json:"asYouType"` // the last word may go on
	In        string   `json:"in"`        // "memories", "messages" or "all"
	Platforms []string `json:"platforms"`
	// Categories of the Personal Memory Specification; none is all.
	Categories []string `json:"categories"`
	Since      string   `json:"since"`
	Until      string   `json:"until"`
	MinScore   float64  `json:"minScore"` // from 0 to 1, a share of the best hit's
	Offset     int      `json:"offset"`
	Limit      int      `json:"limit"` // at most 200; 0 is 20
	// Asker is a page, as it calls itself, that asks one thing at a time and listens
	// for what was found so far; "" does not. Run counts what it asks.
	Asker string `json:"asker"`
	Run   int    `json:"run"`
}

// FoundSoFarView is the payload of the event "found": what a search that goes on has
// found by now.
type FoundSoFarView struct {
	Asker string    `json:"asker"`
	Run   int       `json:"run"`
	Found FoundView `json:"found"`
}

// FoundView is the best of what was found.
type FoundView struct {
	Hits    []HitView `json:"hits"`
	Next    int       `json:"next"` // the offset of the next page; 0 when this is the last
	Total   int       `json:"total"`
	Exact   bool      `json:"exact"`   // otherwise Total is the least there are
	Widened []string  `json:"widened"` // words for which close ones were looked for too
	Missing int       `json:"missing"` // records that are not indexed yet
	// Archived memories fit too and are left out, unless the query has status:.
	Archived int `json:"archived"`
}

// HitView is one thing that was found: a memory, a message, or a conversation
// by its title.
type HitView struct {
	Kind           string      `json:"kind"` // "memory", "message" or "conversation"
	ID             string      `json:"id"`
	ConversationID string      `json:"conversationId"`
	Title          string      `json:"title"` // of the conversation
	Platform       string      `json:"platform"`
	Role           string      `json:"role"`   // who said it
	Type           string      `json:"type"`   // of a memory
	Status         string      `json:"status"` // of a memory
	CreatedAt      string      `json:"createdAt"`
	Snippet        []PieceView `json:"snippet"`
	ToolCalls      bool        `json:"toolCalls"` // a message in which only tools are called or answer
	Close          bool        `json:"close"`     // found by its meaning; it need not have the words
	Alike          []AlikeView `json:"alike"`     // others with the same words
	Same           string      `json:"same"`      // one for all with the same words, on every page
}

// AlikeView is another hit of the same kind with the same words.
type AlikeView struct {
	ID             string `json:"id"`
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
	Platform       string `json:"platform"`
	Role           string `json:"role"`
	CreatedAt      string `json:"createdAt"`
}

// PieceView is a part of a snippet, marked where it is what was looked for.
type PieceView struct {
	Text   string `json:"text"`
	Marked bool   `json:"marked"`
}

// SearchEventView is the payload of the event "search": more can be found than
// before, ask again.
type SearchEventView struct{}

// Find answers from what is indexed by now. What the same asker asked before ends
// with "cancelled".
func (s *Search) Find(query SearchView) (FoundView, error) {
	return call(s.k, func(ctx context.Context) (FoundView, error) {
		since, err := instant(query.Since)
		if err != nil {
			return FoundView{}, err
		}
		until, err := instant(query.Until)
		if err != nil {
			return FoundView{}, err
		}
		q := core.SearchQuery{
			Text: query.Text, Mode: core.Hybrid, AsYouType: query.AsYouType, In: query.In, Platforms: query.Platforms, Categories: typed[core.Category](query.Categories),
			Since: since, Until: until, MinScore: query.MinScore, Offset: query.Offset, Limit: query.Limit,
		}
		if query.Asker != "" {
			q.Meanwhile = func(found core.SearchResult) {
				s.k.host.Emit(EventFound, FoundSoFarView{query.Asker, query.Run, foundView(found)})
			}
			var end func()
			ctx, end = s.last.begin(ctx, query.Asker)
			defer end()
		}
		found, err := s.k.core.Search(ctx, q)
		return foundView(found), err
	})
}

func foundView(found core.SearchResult) FoundView {
	return FoundView{
		Hits: list(found.Hits, hitView), Next: found.Next, Total: found.Total, Exact: found.Exact,
		Widened: append([]string{}, found.Widened...), Missing: found.Missing, Archived: found.Archived,
	}
}

// IndexView tells how far the search index is.
type IndexView struct {
	Compares bool `json:"compares"` // the program compares texts by meaning
	Records  int  `json:"records"`  // memories and conversations
	Vectors  int  `json:"vectors"`  // texts that can be found by meaning
	Missing  int  `json:"missing"`  // records that cannot yet
	// OnBattery says that the missing ones wait until the computer is plugged in.
	OnBattery bool `json:"onBattery"`
	// Failed is why no more are made for now.
	Failed *FaultView `json:"failed,omitempty"`
}

// State tells how far the search index is.
func (s *Search) State() (IndexView, error) {
	return call(s.k, func(ctx context.Context) (IndexView, error) {
		state, err := s.k.core.IndexState(ctx)
		return IndexView{state.Model != "", state.Records, state.Vectors, state.Missing, state.OnBattery, faultViewOrNil(fault.From(state.Failed))}, err
	})
}

// SimilarView is a memory that is close in meaning to another.
type SimilarView struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	CustomType string  `json:"customType"`
	Content    string  `json:"content"`
	Similarity float64 `json:"similarity"` // 0..1
}

// leastSimilar is what a memory must have at least to be shown as like another.
const leastSimilar = 0.7

// Similar lists the memories that are like a memory, or that a conversation touches; none
// where no meaning can be compared.
func (s *Search) Similar(id string) ([]SimilarView, error) {
	return call(s.k, func(ctx context.Context) ([]SimilarView, error) {
		found, err := s.k.core.Similar(ctx, id, core.Retrieval{MaxResults: 5, MinSimilarity: leastSimilar})
		if comparesNothing(err) {
			return []SimilarView{}, nil
		}
		return list(found.Memories, func(m core.RetrievedMemory) SimilarView {
			content, _ := clip(m.Content, maxRowText)
			return SimilarView{m.ID, string(m.Type), m.CustomType, content, m.Similarity}
		}), err
	})
}

// Rebuild makes the index again, in the background.
func (s *Search) Rebuild() error {
	return do(s.k, func(ctx context.Context) error { return s.k.core.RebuildIndex(ctx) })
}

func hitView(h core.Hit) HitView {
	title, _ := clip(h.Title, maxRowText)
	return HitView{
		Kind: h.Kind, ID: h.ID, ConversationID: h.ConversationID, Title: title, Platform: h.Platform,
		Role: string(h.Role), Type: string(h.Type), Status: h.Status, CreatedAt: h.CreatedAt.String(),
		Snippet:   list(h.Snippet, func(p core.Piece) PieceView { return PieceView(p) }),
		ToolCalls: h.ToolCalls, Close: h.Close, Alike: list(h.Alike, alikeView), Same: h.Same,
	}
}

func alikeView(h core.Hit) AlikeView {
	title, _ := clip(h.Title, maxRowText)
	return AlikeView{h.ID, h.ConversationID, title, h.Platform, string(h.Role), h.CreatedAt.String()}
}
