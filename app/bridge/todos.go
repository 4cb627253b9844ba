package bridge

import (
	"context"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Todos is the list of tasks: those that came with memories, and one's own.
type Todos struct{ k *kit }

// TodoView is a task. Dates are "" where there is none.
type TodoView struct {
	ID          string   `json:"id"`
	Content     string   `json:"content"`
	Status      string   `json:"status"`   // "backlog", "todo", "in_progress", "blocked", "done", "cancelled"
	Priority    string   `json:"priority"` // "urgent", "high", "medium", "low", "none"
	CreatedAt   string   `json:"createdAt"`
	DueDate     string   `json:"dueDate"` // a day
	CompletedAt string   `json:"completedAt"`
	Project     string   `json:"project"`
	Contexts    []string `json:"contexts"`
	Tags        []string `json:"tags"`
	Notes       string   `json:"notes"`
}

// TodosView is the list; at most 500 tasks of it are shown.
type TodosView struct {
	Total int        `json:"total"`
	Open  int        `json:"open"`
	Items []TodoView `json:"items"`
}

// TodoEditView is a task as a person writes it: all of it takes the place of what
// was there.
type TodoEditView struct {
	Content  string   `json:"content"`
	Status   string   `json:"status"`
	Priority string   `json:"priority"`
	DueDate  string   `json:"dueDate"` // 2026-03-01, "" for none
	Project  string   `json:"project"`
	Tags     []string `json:"tags"`
	Notes    string   `json:"notes"`
}

// mostTodos is how many tasks a page gets at once.
const mostTodos = 500

// List gives the tasks, the most pressing first.
func (t *Todos) List(openOnly bool) (TodosView, error) {
	return call(t.k, func(ctx context.Context) (TodosView, error) {
		all, err := t.k.core.Todos(ctx, core.TodoQuery{})
		view := TodosView{Total: len(all)}
		shown := all[:0:0]
		for _, x := range all {
			if x.Status.IsOpen() {
				view.Open++
			}
			if x.Status.IsOpen() || !openOnly {
				shown = append(shown, x)
			}
		}
		view.Items = list(shown[:min(len(shown), mostTodos)], todoView)
		return view, err
	})
}

// Add writes down a task.
func (t *Todos) Add(edit TodoEditView) (TodoView, error) {
	return call(t.k, func(ctx context.Context) (TodoView, error) {
		x, err := todoEdit(edit)
		if err != nil {
			return TodoView{}, err
		}
		made, err := t.k.core.AddTodo(ctx, x)
		return todoView(made), err
	})
}

// Edit changes a task.
func (t *Todos) Edit(id string, edit TodoEditView) (TodoView, error) {
	return call(t.k, func(ctx context.Context) (TodoView, error) {
		x, err := todoEdit(edit)
		if err != nil {
			return TodoView{}, err
		}
		made, err := t.k.core.EditTodo(ctx, id, x)
		return todoView(made), err
	})
}

// SetStatus says how far a task is.
func (t *Todos) SetStatus(id, status string) (TodoView, error) {
	return call(t.k, func(ctx context.Context) (TodoView, error) {
		made, err := t.k.core.EditTodo(ctx, id, core.TodoEdit{Status: (*memory.TodoStatus)(&status)})
		return todoView(made), err
	})
}

// Remove takes a task away; Undo brings it back.
func (t *Todos) Remove(id string) error {
	return do(t.k, func(ctx context.Context) error { return t.k.core.RemoveTodo(ctx, id) })
}

func todoEdit(v TodoEditView) (core.TodoEdit, error) {
	x := core.TodoEdit{Content: &v.Content, Project: &v.Project, Notes: &v.Notes, Tags: &v.Tags}
	if v.Status != "" {
		x.Status = (*memory.TodoStatus)(&v.Status)
	}
	if v.Priority != "" {
		x.Priority = (*memory.Priority)(&v.Priority)
	}
	var due time.Time
	if v.DueDate != "" {
		var err error
		if due, err = core.ParseDay(v.DueDate); err != nil {
			return x, err
		}
	}
	x.DueDate = &due
	return x, nil
}

func todoView(t memory.Todo) TodoView {
	v := TodoView{ID: t.ID, Content: t.Content, Status: string(t.Status), Priority: string(t.Priority), CreatedAt: t.CreatedAt.String(), CompletedAt: t.CompletedAt.String(),
		Project: t.Project, Contexts: words(t.Contexts), Tags: words(t.Tags), Notes: t.Notes}
	if !t.DueDate.IsZero() {
		v.DueDate = t.DueDate.Format(time.DateOnly)
	}
	return v
}
