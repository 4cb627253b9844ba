package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Limits of the answers below, so that each stays under a megabyte.
const (
	graphPage     = 1000 // nodes, and edges, of one answer
	historyField  = 4000 // bytes of one member before or after a change
	historyBudget = 400_000
	maxDays       = 1100 // the newest days with conversations
	maxModels     = 50
)

// History lists how a memory came to be what it is, the newest change first.
func (l *Library) History(id string) ([]MemoryChangeView, error) {
	return show(l.k, historyView, func(ctx context.Context) ([]core.MemoryChange, error) { return l.k.core.History(ctx, id) })
}

func historyView(all []core.MemoryChange) []MemoryChangeView {
	views, left := make([]MemoryChangeView, 0, len(all)), historyBudget
	for _, change := range all {
		if left <= 0 {
			break
		}
		view := MemoryChangeView{At: change.At.String(), Fields: []FieldChangeView{}}
		for _, f := range change.Fields[:min(len(change.Fields), compareFields)] {
			field := fieldView(f, historyField)
			left -= len(field.Ours) + len(field.Theirs)
			view.Fields = append(view.Fields, field)
		}
		views = append(views, view)
	}
	return views
}

// Redo does again what Undo took back last.
func (l *Library) Redo() (ChangeView, error) {
	return call(l.k, func(ctx context.Context) (ChangeView, error) {
		change, err := l.k.core.Redo(ctx)
		return changeView(&change), err
	})
}

// EditMany changes many memories as one change.
func (l *Library) EditMany(edit ManyEditView) (ManyChangedView, error) {
	return call(l.k, func(ctx context.Context) (ManyChangedView, error) {
		q, err := memoryQuery(edit.Query)
		if err != nil {
			return ManyChangedView{}, err
		}
		done, err := l.k.core.EditMany(ctx, core.ManyEdit{
			IDs: edit.IDs, Query: q, AddTags: edit.AddTags, RemoveTags: edit.RemoveTags,
			Exportable: edit.Exportable, Status: memory.Status(edit.Status), UndoStatus: edit.UndoStatus,
			Type: memory.Type(edit.Type), CustomType: edit.CustomType,
		})
		return ManyChangedView(done), err
	})
}

// SavedViews lists the queries that somebody gave a name, by name.
func (l *Library) SavedViews() ([]SavedQueryView, error) {
	return call(l.k, func(ctx context.Context) ([]SavedQueryView, error) { return l.views(ctx, nil) })
}

// SaveView keeps a query under a name, in place of what had it, and lists all anew.
func (l *Library) SaveView(name string, query QueryView) ([]SavedQueryView, error) {
	return call(l.k, func(ctx context.Context) ([]SavedQueryView, error) {
		q, err := memoryQuery(query)
		if err == nil {
			err = l.k.core.SaveView(ctx, core.SavedView{Name: name, Query: q})
		}
		return l.views(ctx, err)
	})
}

// DropView forgets a name, and lists all anew.
func (l *Library) DropView(name string) ([]SavedQueryView, error) {
	return call(l.k, func(ctx context.Context) ([]SavedQueryView, error) {
		return l.views(ctx, l.k.core.DropView(ctx, name))
	})
}

func (l *Library) views(ctx context.Context, before error) ([]SavedQueryView, error) {
	if before != nil {
		return nil, before
	}
	all, err := l.k.core.SavedViews(ctx)
	return list(all, func(v core.SavedView) SavedQueryView {
		q := v.Query
		return SavedQueryView{Name: v.Name, Query: QueryView{
			Text: q.Text, Types: words(q.Types), Statuses: words(q.Statuses), Platforms: words(q.Platforms), Accounts: words(q.Accounts), Tags: words(q.Tags),
			Projects: words(q.Projects), Years: list(q.Years, func(y int) int { return y }), Confidence: words(q.Confidence), Conversation: q.Conversation, HasRelations: q.HasRelations, Sort: q.Sort,
			Since: memory.At(q.Since).String(), Until: memory.At(q.Until).String(),
		}}
	}), err
}

// Graph gives the memories that a query selects as points, and the relations among them and
// what else joins them as lines, a thousand of each from the query's offset on.
func (l *Library) Graph(query QueryView) (GraphView, error) {
	return call(l.k, func(ctx context.Context) (GraphView, error) {
		q, err := memoryQuery(query)
		if err != nil {
			return GraphView{}, err
		}
		q.Limit = graphPage
		g, err := l.k.core.Graph(ctx, q)
		return graphView(g), err
	})
}

func graphView(g core.Graph) GraphView {
	return GraphView{
		TotalNodes: g.TotalNodes, TotalEdges: g.TotalEdges,
		Nodes: list(g.Nodes[:min(len(g.Nodes), graphPage)], func(n core.GraphNode) GraphNodeView {
			return GraphNodeView{ID: n.ID, Type: string(n.Type), Status: string(n.Status), Platform: n.Platform, Label: n.Label, Topic: n.Topic, Degree: n.Degree}
		}),
		Edges: list(g.Edges[:min(len(g.Edges), graphPage)], func(e core.GraphEdge) GraphEdgeView {
			return GraphEdgeView{From: e.From, To: e.To, Type: string(e.Type)}
		}),
	}
}

// Topics says what the active memories are about.
func (l *Library) Topics() (TopicsView, error) {
	return show(l.k, topicsView, func(ctx context.Context) (core.Topics, error) { return l.k.core.Topics(ctx) })
}

func topicsView(all core.Topics) TopicsView {
	return TopicsView{Missing: all.Missing, Topics: list(all.All, func(t core.Topic) CountView { return CountView{t.Name, len(t.Memories)} })}
}

// Insights counts what the vault holds.
func (l *Library) Insights() (InsightsView, error) {
	return show(l.k, insightsView, func(ctx context.Context) (core.Insights, error) { return l.k.core.Insights(ctx) })
}

func insightsView(in core.Insights) InsightsView {
	view := InsightsView{
		Memories: in.Memories, Types: []TypeCountView{}, Fading: in.Fading, Stale: in.Stale, Contradicting: in.Contradicting, Exportable: in.Exportable,
		Months:     list(in.Months, func(m core.MonthCount) MonthCountView { return MonthCountView(m) }),
		Confidence: in.Confidence[:],
		Days:       list(in.Days[max(0, len(in.Days)-maxDays):], func(d core.DayCount) DayCountView { return DayCountView(d) }),
		Models:     tally(in.Models),
		Focus: list(in.Focus, func(f core.Focus) FocusView {
			return FocusView{f.Platform, f.Chapter.String(), f.Count, f.Of, f.Since, f.Before, f.OfBefore}
		}),
	}
	view.Models = view.Models[:min(len(view.Models), maxModels)]
	sums := map[memory.Type]int{}
	for kind, statuses := range in.Types {
		for _, n := range statuses {
			sums[kind] += n
		}
	}
	for _, kind := range tally(sums) {
		view.Types = append(view.Types, TypeCountView{Type: kind.Name, Statuses: tally(in.Types[memory.Type(kind.Name)])})
	}
	return view
}
