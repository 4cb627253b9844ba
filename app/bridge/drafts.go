package bridge

import (
	"context"

	"keepsake/backend/core"
)

// KeepDraft holds what is being written, so that a lock does not lose it. An
// empty text drops it.
func (l *Library) KeepDraft(draft DraftView) error {
	return do(l.k, func(ctx context.Context) error {
		return l.k.core.KeepDraft(ctx, core.Draft{
			MemoryID: draft.MemoryID, Content: draft.Content, Type: draft.Type, CustomType: draft.CustomType, Tags: draft.Tags,
		})
	})
}

// Drafts lists what was being written when the vault was locked, and not kept
// since, the newest first.
func (l *Library) Drafts() ([]DraftView, error) {
	return call(l.k, func(ctx context.Context) ([]DraftView, error) {
		all, err := l.k.core.Drafts(ctx)
		return list(all, func(d core.Draft) DraftView {
			return DraftView{MemoryID: d.MemoryID, Content: d.Content, Type: d.Type, CustomType: d.CustomType, Tags: append([]string{}, d.Tags...)}
		}), err
	})
}

// DropDraft forgets one, because it was kept or given up.
func (l *Library) DropDraft(memoryID string) error {
	return do(l.k, func(ctx context.Context) error { return l.k.core.DropDraft(ctx, memoryID) })
}
