package library

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// TodoQuery selects tasks; its zero value selects all.
type TodoQuery struct {
	Open bool // only tasks that are neither done nor cancelled
}

// TodoEdit changes the fields of a task that are not nil. A zero DueDate removes the date.
type TodoEdit struct {
	Content  *string
	Status   *memory.TodoStatus
	Priority *memory.Priority
	DueDate  *time.Time
	Project  *string
	Contexts *[]string
	Tags     *[]string
	Notes    *string
}

// Limits of a task.
const (
	MaxTodo     = 10_000 // characters of the content and of the notes
	maxTodoTags = 50     // most tags of a task, and most contexts (memory.Todo.Contexts)
	maxTodoTag  = 100    // characters of a tag, a context or the project
)

// Todos lists tasks: open ones first, by priority and due date, then the others, the last
// changed first.
func (s *Service) Todos(ctx context.Context, q TodoQuery) ([]memory.Todo, error) {
	all, err := ReadValue(ctx, s.lib, ReadTodos)
	if q.Open {
		all = slices.DeleteFunc(all, func(t memory.Todo) bool { return !t.Status.IsOpen() })
	}
	slices.SortFunc(all, compareTodos)
	return all, err
}

// ReadTodos reads all tasks, in the order in which they were created.
func ReadTodos(tx *vault.Tx) ([]memory.Todo, error) {
	return Collect(rows.EachJSON[memory.Todo](tx, vault.Todos, "task"))
}

func compareTodos(a, b memory.Todo) int {
	if order := trueFirst(a.Status.IsOpen(), b.Status.IsOpen()); order != 0 {
		return order
	}
	newest := cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	if !a.Status.IsOpen() {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), newest)
	}
	return cmp.Or(cmp.Compare(pressing(a.Priority), pressing(b.Priority)), trueFirst(!a.DueDate.IsZero(), !b.DueDate.IsZero()), a.DueDate.Compare(b.DueDate), newest)
}

func pressing(p memory.Priority) int { return slices.Index(memory.Priorities(), p) }

// trueFirst compares two bools for sorting: true comes before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// AddTodo stores a new task that the user wrote.
func (s *Service) AddTodo(ctx context.Context, n TodoEdit) (memory.Todo, error) {
	return MakeChange(ctx, s.lib, "todo-add", func(e *Tx) (memory.Todo, []string, error) {
		t := memory.Todo{ID: e.NewID(), Status: memory.ToDo, Priority: memory.NoPriority, CreatedAt: e.Now}
		if err := n.over(&t, e.Now); err != nil {
			return t, nil, err
		}
		return t, []string{t.ID}, e.PutTodo(t)
	})
}

// EditTodo changes a task. A new status sets CompletedAt if it is done, and clears it
// otherwise.
func (s *Service) EditTodo(ctx context.Context, id string, x TodoEdit) (memory.Todo, error) {
	return MakeChange(ctx, s.lib, "todo-edit", func(e *Tx) (memory.Todo, []string, error) {
		t, err := NeedTodo(e.VaultTx, id)
		if err != nil {
			return t, nil, err
		}
		if err := x.over(&t, e.Now); err != nil {
			return t, nil, err
		}
		t.UpdatedAt = e.NotBefore(t.CreatedAt)
		return t, []string{id}, e.PutTodo(t)
	})
}

// RemoveTodo deletes a task.
func (s *Service) RemoveTodo(ctx context.Context, id string) error {
	_, err := MakeChange(ctx, s.lib, "todo-remove", func(e *Tx) (struct{}, []string, error) {
		if _, err := NeedTodo(e.VaultTx, id); err != nil {
			return struct{}{}, nil, err
		}
		return struct{}{}, []string{id}, e.DropPlain(OfTodo, id)
	})
	return err
}

// NeedTodo reads the task that the user named; it is an error if there is none.
func NeedTodo(tx *vault.Tx, id string) (t memory.Todo, err error) {
	found, err := rows.FindJSON(tx, vault.Todos, id, "task", &t)
	if err == nil && !found {
		err = fault.New(fault.NotFound, "no-todo", "There is no task with the id {id}.").With("id", rows.ShortID(id))
	}
	return t, err
}

// PutTodo stores a task and its undo data.
func (e *Tx) PutTodo(t memory.Todo) error { return e.PutPlain(OfTodo, t.ID, t.CreatedAt, t) }

// over applies the edit x to the task t.
func (x TodoEdit) over(t *memory.Todo, now memory.Time) error {
	set(&t.Content, x.Content, strings.TrimSpace)
	set(&t.Project, x.Project, strings.TrimSpace)
	set(&t.Notes, x.Notes, strings.TrimSpace)
	set(&t.Priority, x.Priority, nil)
	set(&t.Contexts, x.Contexts, trimmed)
	set(&t.Tags, x.Tags, trimmed)
	if x.DueDate != nil && (x.DueDate.IsZero() || x.DueDate.Format(time.DateOnly) != t.DueDate.Format(time.DateOnly)) {
		t.DueDate = memory.At(*x.DueDate) // if the day is the same, the stored time of day stays
	}
	if x.Status != nil && *x.Status != t.Status {
		t.Status, t.CompletedAt = *x.Status, memory.Time{}
		if t.Status == memory.Done {
			t.CompletedAt = now
		}
	}
	return checkTodo(*t)
}

func set[T any](to *T, from *T, clean func(T) T) {
	if from == nil {
		return
	}
	*to = *from
	if clean != nil {
		*to = clean(*from)
	}
}

// trimmed returns the texts without surrounding spaces, empty texts and duplicates.
func trimmed(all []string) []string {
	var out []string
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func checkTodo(t memory.Todo) error {
	for _, text := range append([]string{t.Content, t.Notes, t.Project}, slices.Concat(t.Tags, t.Contexts)...) {
		if !utf8.ValidString(text) {
			return fault.New(fault.Invalid, "todo-not-text", "The task holds bytes that are not text.")
		}
	}
	long := func(s string) bool { return utf8.RuneCountInString(s) > maxTodoTag }
	switch {
	case t.Content == "":
		return fault.New(fault.Invalid, "todo-empty", "A task needs words.")
	case utf8.RuneCountInString(t.Content) > MaxTodo || utf8.RuneCountInString(t.Notes) > MaxTodo:
		return fault.New(fault.TooLarge, "todo-too-long", "A task and its notes have at most {limit} characters each.").With("limit", MaxTodo)
	case len(t.Tags) > maxTodoTags || len(t.Contexts) > maxTodoTags || slices.ContainsFunc(t.Tags, long) || slices.ContainsFunc(t.Contexts, long) || long(t.Project):
		return fault.New(fault.TooLarge, "todo-tags", "A task has at most {count} tags and contexts of {limit} characters each, and its project as many.").With("count", maxTodoTags).With("limit", maxTodoTag)
	case !slices.Contains(memory.TodoStatuses(), t.Status):
		return fault.New(fault.Invalid, "todo-status", "There is no state of a task called {status}.").With("status", t.Status)
	case !slices.Contains(memory.Priorities(), t.Priority):
		return fault.New(fault.Invalid, "todo-priority", "There is no priority called {priority}.").With("priority", t.Priority)
	}
	return nil
}

// ParseDay parses a date that the user typed, like 2026-03-01.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, fault.New(fault.Invalid, "bad-due", "{value} is no date; write it as 2026-03-01.").With("value", text)
	}
	return day, nil
}

// MaxForeignID is the maximum length of a stored id that another program made, in bytes.
const MaxForeignID = 200
