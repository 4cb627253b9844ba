package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Library is the memories: reading, mending, relating.
type Library struct{ k *kit }

// List returns a window of at most 200 rows on what the query selects.
func (l *Library) List(query QueryView) (MemoryPageView, error) {
	return call(l.k, func(ctx context.Context) (MemoryPageView, error) {
		q, err := memoryQuery(query)
		if err != nil {
			return MemoryPageView{}, err
		}
		page, err := l.k.core.Memories(ctx, q)
		return memoryPageView(page), err
	})
}

// Facets counts what the query selects, facet by facet.
func (l *Library) Facets(query QueryView) (FacetsView, error) {
	return call(l.k, func(ctx context.Context) (FacetsView, error) {
		q, err := memoryQuery(query)
		if err != nil {
			return FacetsView{}, err
		}
		facets, err := l.k.core.Facets(ctx, q)
		return facetsView(facets), err
	})
}

// Get returns one memory with what stands around it.
func (l *Library) Get(id string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) { return l.k.memory(ctx, id, nil) })
}

// Add stores a memory written by hand.
func (l *Library) Add(m NewMemoryView) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		record, err := l.k.core.AddMemory(ctx, core.NewMemory{
			Type: memory.Type(m.Type), CustomType: m.CustomType, Content: m.Content, Tags: m.Tags,
			Conversation: m.Conversation, Message: m.Message,
		})
		return l.k.memory(ctx, record.ID, err)
	})
}

// Edit changes what is present in edit.
func (l *Library) Edit(id string, edit EditView) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		change, err := memoryEdit(edit)
		if err != nil {
			return MemoryView{}, err
		}
		_, err = l.k.core.EditMemory(ctx, id, change)
		return l.k.memory(ctx, id, err)
	})
}

// Accounts lists the accounts that something came from, with their names.
func (l *Library) Accounts() ([]AccountView, error) {
	return call(l.k, func(ctx context.Context) ([]AccountView, error) {
		all, err := l.k.core.Accounts(ctx)
		return list(first(all), func(a core.Account) AccountView { return AccountView(a) }), err
	})
}

// Types lists what a memory can be; any other name is accepted, too.
func (l *Library) Types() ([]TypeView, error) {
	return call(l.k, func(ctx context.Context) ([]TypeView, error) { return l.types(ctx, nil) })
}

// DescribeType says what a type of one's own means, and lists all types anew.
func (l *Library) DescribeType(name, description string) ([]TypeView, error) {
	return call(l.k, func(ctx context.Context) ([]TypeView, error) {
		return l.types(ctx, l.k.core.DescribeType(ctx, name, description))
	})
}

// ForgetType takes the description of a type away, and lists all types anew.
func (l *Library) ForgetType(name string) ([]TypeView, error) {
	return call(l.k, func(ctx context.Context) ([]TypeView, error) { return l.types(ctx, l.k.core.ForgetType(ctx, name)) })
}

func (l *Library) types(ctx context.Context, before error) ([]TypeView, error) {
	if before != nil {
		return nil, before
	}
	all, err := l.k.core.Types(ctx)
	return list(first(all), typeView), err
}

// SetStatus takes one legal step of the lifecycle; by names the successor when
// the step is to "superseded", "" otherwise.
func (l *Library) SetStatus(id, status, by string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		_, err := l.k.core.SetStatus(ctx, id, memory.Status(status), by)
		return l.k.memory(ctx, id, err)
	})
}

// UndoStatus takes the last step of the lifecycle back.
func (l *Library) UndoStatus(id string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		_, err := l.k.core.UndoStatus(ctx, id)
		return l.k.memory(ctx, id, err)
	})
}

// Relate draws an edge and returns the memory it starts from.
func (l *Library) Relate(from, kind, to string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		_, err := l.k.core.Relate(ctx, from, memory.RelationType(kind), to)
		return l.k.memory(ctx, from, err)
	})
}

// Unrelate removes an edge and returns memory id as it now stands.
func (l *Library) Unrelate(id, relationID string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		err := l.k.core.Unrelate(ctx, relationID)
		return l.k.memory(ctx, id, err)
	})
}

// ChangeRelation gives an edge another kind and returns memory id as it now stands.
func (l *Library) ChangeRelation(id, relationID, kind string) (MemoryView, error) {
	return call(l.k, func(ctx context.Context) (MemoryView, error) {
		_, err := l.k.core.ChangeRelation(ctx, relationID, memory.RelationType(kind))
		return l.k.memory(ctx, id, err)
	})
}

// Undo takes the newest change back and says which it was.
func (l *Library) Undo() (ChangeView, error) {
	return call(l.k, func(ctx context.Context) (ChangeView, error) {
		change, err := l.k.core.Undo(ctx)
		return changeView(&change), err
	})
}

// LastChange is what Undo would take back; its ID is "" when nothing is left.
func (l *Library) LastChange() (ChangeView, error) {
	return show(l.k, changeView, func(ctx context.Context) (*core.Change, error) { return l.k.core.LastChange(ctx) })
}

func (k *kit) memory(ctx context.Context, id string, before error) (MemoryView, error) {
	if before != nil {
		return MemoryView{}, before
	}
	detail, err := k.core.Memory(ctx, id)
	return memoryView(detail), err
}
