package browse

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// SavedView is a query saved under a name. It is stored encrypted in the vault, because
// searches reveal something about the person.
type SavedView struct {
	Name  string      `json:"name"`
	Query MemoryQuery `json:"query"`
}

// Limits: saved views per vault, and bytes of a name.
const (
	maxViews    = 50
	maxViewName = 80
)

const viewsID = "views"

// SavedViews lists the saved searches, sorted by name.
func (s *Service) SavedViews(ctx context.Context) ([]SavedView, error) {
	return library.ReadValue(ctx, s.lib, SavedViews)
}

// SavedViews reads the saved searches in a transaction, sorted by name.
func SavedViews(tx *vault.Tx) ([]SavedView, error) {
	all := []SavedView{}
	_, err := rows.FindJSON(tx, vault.Settings, viewsID, "views", &all)
	return all, err
}

// SaveView stores a view, and replaces one with the same name.
func (s *Service) SaveView(ctx context.Context, view SavedView) error {
	view.Name = strings.TrimSpace(view.Name)
	view.Query.Offset, view.Query.Limit = 0, 0
	return s.changeViews(ctx, func(all []SavedView) ([]SavedView, error) {
		if view.Name == "" || len(view.Name) > maxViewName {
			return nil, fault.New(fault.Invalid, "view-name", "A view needs a name of at most {limit} bytes.").With("limit", maxViewName)
		}
		all = append(otherViews(all, view.Name), view)
		if len(all) > maxViews {
			return nil, fault.New(fault.TooLarge, "too-many-views", "A vault keeps at most {limit} views.").With("limit", maxViews).
				Advise("Remove one that is not used any more.")
		}
		slices.SortFunc(all, func(a, b SavedView) int { return strings.Compare(library.Fold(a.Name), library.Fold(b.Name)) })
		return all, nil
	})
}

// DropView deletes a saved view. The memories that it selects stay.
func (s *Service) DropView(ctx context.Context, name string) error {
	return s.changeViews(ctx, func(all []SavedView) ([]SavedView, error) { return otherViews(all, name), nil })
}

func (s *Service) changeViews(ctx context.Context, next func([]SavedView) ([]SavedView, error)) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		all, err := SavedViews(e.VaultTx)
		if err != nil {
			return err
		}
		if all, err = next(all); err != nil {
			return err
		}
		return e.PutSetting(viewsID, all)
	})
}

func otherViews(all []SavedView, name string) []SavedView {
	return slices.DeleteFunc(all, func(v SavedView) bool { return v.Name == name })
}
