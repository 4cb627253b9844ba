package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
	"keepsake/backend/product"
)

// Handoffs makes the text that another assistant is told.
type Handoffs struct{ k *kit }

// Targets lists the assistants with what is known of them.
func (h *Handoffs) Targets() ([]HandoffTargetView, error) {
	return call(h.k, func(ctx context.Context) ([]HandoffTargetView, error) {
		all, err := h.k.core.Handoffs(ctx)
		return list(all, handoffTargetView), err
	})
}

// SetRules keeps what a target may be given, and how long its parts may be.
func (h *Handoffs) SetRules(target string, rules HandoffRulesView) error {
	return do(h.k, func(ctx context.Context) error {
		limits := map[string]int{}
		for _, l := range rules.Limits {
			limits[l.Name] = l.Count
		}
		return h.k.core.SetHandoffRules(ctx, target, core.HandoffRules{Types: typed[memory.Type](rules.Types), WithoutTags: rules.WithoutTags, Projects: rules.Projects, Limits: limits})
	})
}

// Preview says what a target would be told, what not, and why.
func (h *Handoffs) Preview(target string, options HandoffOptionsView) (HandoffView, error) {
	return show(h.k, handoffView, func(ctx context.Context) (core.Handoff, error) {
		return h.k.core.PreviewHandoff(ctx, target, handoffOptions(options))
	})
}

// Take gives the same text to be copied, and notes in the log that it was taken.
func (h *Handoffs) Take(target string, options HandoffOptionsView) (HandoffView, error) {
	return show(h.k, handoffView, func(ctx context.Context) (core.Handoff, error) {
		return h.k.core.HandOff(ctx, target, handoffOptions(options))
	})
}

// Save asks where to write and writes the text there. A dialog that was closed is
// the fault "dialog-closed".
func (h *Handoffs) Save(target string, options HandoffOptionsView) (SavedView, error) {
	return call(h.k, func(ctx context.Context) (SavedView, error) {
		o := handoffOptions(options)
		made, err := h.k.core.PreviewHandoff(ctx, target, o)
		if err != nil {
			return SavedView{}, err
		}
		if o.Dest, err = h.k.host.SaveFile(product.Name, made.File); err != nil || o.Dest == "" {
			return SavedView{}, orCancelled(err)
		}
		if made, err = h.k.core.HandOff(ctx, target, o); err != nil {
			return SavedView{}, err
		}
		return h.k.saved(o.Dest, int64(len(made.Text())+1)), nil
	})
}
