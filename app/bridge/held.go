package bridge

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"keepsake/backend/core"
)

// HeldView is what the vault holds about its person, in numbers.
type HeldView struct {
	At         string             `json:"at"`
	Categories []HeldCategoryView `json:"categories"` // of the Personal Memory Specification, in its order
	Messages   int                `json:"messages"`
	Relations  int                `json:"relations"`
	Tasks      int                `json:"tasks"`
	Proposals  int                `json:"proposals"`
	Embeddings int                `json:"embeddings"`
	Imports    int                `json:"imports"`
	Exports    int                `json:"exports"`
	Receipts   int                `json:"receipts"`
	LogEntries int                `json:"logEntries"`
}

// HeldCategoryView is one category; Sources are where it is from, the most first.
type HeldCategoryView struct {
	Category string           `json:"category"`
	Count    int              `json:"count"`
	Sources  []HeldSourceView `json:"sources"`
	Oldest   string           `json:"oldest"`
	Newest   string           `json:"newest"`
}

// HeldSourceView is how much is from one platform.
type HeldSourceView struct {
	Platform string `json:"platform"`
	Count    int    `json:"count"`
}

// Held reports what is held. That it was asked for stands in the log.
func (c *Care) Held() (HeldView, error) {
	return call(c.k, func(ctx context.Context) (HeldView, error) {
		h, err := c.k.core.Held(ctx)
		return HeldView{
			At: h.At.String(), Categories: list(h.Categories, heldCategoryView), Messages: h.Messages, Relations: h.Relations, Tasks: h.Tasks,
			Proposals: h.Proposals, Embeddings: h.Embeddings, Imports: h.Imports, Exports: h.Exports, Receipts: h.Receipts, LogEntries: h.LogEntries,
		}, err
	})
}

func heldCategoryView(c core.HeldCategory) HeldCategoryView {
	view := HeldCategoryView{Category: string(c.Category), Count: c.Count, Sources: []HeldSourceView{}, Oldest: c.Oldest.String(), Newest: c.Newest.String()}
	names := slices.SortedFunc(maps.Keys(c.Platforms), func(a, b string) int { return cmp.Or(c.Platforms[b]-c.Platforms[a], cmp.Compare(a, b)) })
	for _, name := range names[:min(len(names), mostSources)] {
		view.Sources = append(view.Sources, HeldSourceView{name, c.Platforms[name]})
	}
	return view
}

// mostSources is how many platforms of a category a page gets.
const mostSources = 50
