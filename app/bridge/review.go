package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// ReviewPairView is two memories that are close in meaning, for the person to judge.
type ReviewPairView struct {
	Kind   string           `json:"kind"`   // "near", "contradict" or "relations"
	Reason string           `json:"reason"` // of "contradict": "number", "date", "negation" or "value"
	A      PairedMemoryView `json:"a"`      // the older one
	B      PairedMemoryView `json:"b"`
}

// PairedMemoryView is one memory of a pair.
type PairedMemoryView struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	CustomType string `json:"customType"`
	Content    string `json:"content"`
	Platform   string `json:"platform"`
	CreatedAt  string `json:"createdAt"`
}

// ReviewView is the pairs to look at, at most 100 of a kind at once, the most similar first.
type ReviewView struct {
	Pairs   []ReviewPairView `json:"pairs"`
	Total   int              `json:"total"`
	Missing int              `json:"missing"` // memories and conversations that are not compared yet
}

// mostPairs is how many pairs of a kind a page gets at once.
const mostPairs = 100

// Pairs lists memories that may say the same, contradict each other or belong together; none
// where no meaning can be compared, or another program does it.
func (i *Inbox) Pairs() (ReviewView, error) {
	return call(i.k, func(ctx context.Context) (ReviewView, error) {
		view := ReviewView{Pairs: []ReviewPairView{}}
		for _, kind := range core.ReviewKinds() {
			found, err := i.k.core.Review(ctx, []core.ReviewKind{kind}, 0, mostPairs)
			if comparesNothing(err) {
				return view, nil
			}
			if err != nil {
				return view, err
			}
			view.Pairs = append(view.Pairs, list(found.Pairs, reviewPairView)...)
			view.Total, view.Missing = view.Total+found.Total, found.Missing
		}
		return view, nil
	})
}

func reviewPairView(p core.ReviewPair) ReviewPairView {
	return ReviewPairView{Kind: string(p.Kind), Reason: string(p.Reason), A: pairedView(p.A), B: pairedView(p.B)}
}

func pairedView(r memory.Record) PairedMemoryView {
	content, _ := clip(r.Content, maxRowText)
	return PairedMemoryView{
		ID: r.ID, Type: string(r.Type), CustomType: r.CustomType, Content: content,
		Platform: r.Provenance.Platform, CreatedAt: r.Temporal.CreatedAt.String(),
	}
}

// Pass leaves a pair of memories out of Pairs, or no longer.
func (i *Inbox) Pass(a, b string, out bool) error {
	return do(i.k, func(ctx context.Context) error { return i.k.core.PassOver(ctx, a, b, out) })
}

// MergeMemories merges a memory into another one that says the same.
func (i *Inbox) MergeMemories(into, other string) (MemoryView, error) {
	return call(i.k, func(ctx context.Context) (MemoryView, error) {
		r, err := i.k.core.MergeMemories(ctx, into, other)
		return i.k.memory(ctx, r.ID, err)
	})
}
