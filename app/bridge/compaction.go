package bridge

import (
	"context"

	"keepsake/backend/core"
)

// CompactionItemView is a memory that could be archived, or a conversation of which
// a summary could be proposed.
type CompactionItemView struct {
	Kinds      []string `json:"kinds"` // "duplicate", "repeat", "unused", "oldest" or "session"; at least one
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Type       string   `json:"type"` // of a memory
	Platform   string   `json:"platform"`
	Keeps      string   `json:"keeps"`      // of a duplicate or a repeat: the memory that stays
	KeepsTitle string   `json:"keepsTitle"` // of a repeat
	Last       string   `json:"last"`       // imported, opened, changed or said
	Messages   int      `json:"messages"`
}

// CompactionLimitsView say from where on there is something to compact.
type CompactionLimitsView struct {
	Tokens   int `json:"tokens"`
	Messages int `json:"messages"`
	Days     int `json:"days"`
}

// CompactionPlanView is what could be compacted, at most 500 items at once.
type CompactionPlanView struct {
	Limits CompactionLimitsView `json:"limits"`
	Tokens int                  `json:"tokens"` // of the active memories, about
	Total  int                  `json:"total"`
	Items  []CompactionItemView `json:"items"`
}

// CompactedView is what became of it.
type CompactedView struct {
	Archived int `json:"archived"`
	Sessions int `json:"sessions"`
	Proposed int `json:"proposed"`
}

// mostCompacted is how many items of a plan a page gets at once.
const mostCompacted = 500

// PlanCompaction looks for what could be compacted. Nothing changes.
func (c *Care) PlanCompaction() (CompactionPlanView, error) {
	return call(c.k, func(ctx context.Context) (CompactionPlanView, error) {
		plan, err := c.k.core.PlanCompaction(ctx)
		return CompactionPlanView{
			Limits: CompactionLimitsView(plan.Limits), Tokens: plan.Tokens, Total: len(plan.Items),
			Items: list(plan.Items[:min(len(plan.Items), mostCompacted)], compactionItemView),
		}, err
	})
}

func compactionItemView(item core.CompactionItem) CompactionItemView {
	title, _ := clip(item.Title, maxRowText)
	keeps, _ := clip(item.KeepsTitle, maxRowText)
	return CompactionItemView{
		Kinds: words(item.Kinds), ID: item.ID, Title: title, Type: string(item.Type), Platform: item.Platform,
		Keeps: item.Keeps, KeepsTitle: keeps, Last: item.Last.String(), Messages: item.Messages,
	}
}

// ApplyCompaction archives the memories and proposes summaries of the conversations
// that are named.
func (c *Care) ApplyCompaction(ids []string) (CompactedView, error) {
	return call(c.k, func(ctx context.Context) (CompactedView, error) {
		done, err := c.k.core.ApplyCompaction(ctx, core.CompactionChoice{IDs: ids})
		return CompactedView(done), err
	})
}

// SetCompactionLimits sets the limits that are not 0, and gives all of them.
func (c *Care) SetCompactionLimits(wanted CompactionLimitsView) (CompactionLimitsView, error) {
	return call(c.k, func(ctx context.Context) (CompactionLimitsView, error) {
		limits, err := c.k.core.SetCompactionLimits(ctx, core.CompactionLimits(wanted))
		return CompactionLimitsView(limits), err
	})
}
