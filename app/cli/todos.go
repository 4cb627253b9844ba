package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) todos() *cobra.Command {
	return parent("todos", "Keep the tasks that came with memories, and your own", d.todosList(), d.todosAdd(), d.todosEdit(), d.todosDone(), d.todosRemove())
}

func (d *door) todosList() *cobra.Command {
	var q core.TodoQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tasks, the most pressing first",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Todos(ctx, q)
			return d.answerUnless(err, listOf(all, len(all)), func() {
				for _, t := range all {
					due := oneOrOther(t.DueDate.IsZero(), "", "  due "+t.DueDate.Format(time.DateOnly))
					d.say("%s  %-11s  %-6s  %s%s", t.ID, t.Status, t.Priority, oneLine(t.Content, 100), due)
				}
				d.say("%s", count(len(all), "task", "tasks"))
			})
		}),
	}
	cmd.Flags().BoolVar(&q.Open, "open", false, "only what is left to do")
	return cmd
}

// todoFlags are what a task can be given; only flags that were named count.
type todoFlags struct {
	text, status, priority, due, project, notes string
	tags, contexts                              []string
}

func (f *todoFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.status, "status", "", "backlog, todo, in_progress, blocked, done or cancelled")
	flags.StringVar(&f.priority, "priority", "", "urgent, high, medium, low or none")
	flags.StringVar(&f.due, "due", "", `day it is due, as 2026-03-01; "" for none`)
	flags.StringVar(&f.project, "project", "", "name of its project")
	flags.StringVar(&f.notes, "notes", "", "more about it")
	flags.StringSliceVar(&f.tags, "tag", nil, "tags")
	flags.StringSliceVar(&f.contexts, "context", nil, "where it can be done: @home")
}

func (f *todoFlags) edit(cmd *cobra.Command) (x core.TodoEdit, err error) {
	named := func(flag string) bool { return cmd.Flags().Changed(flag) }
	x.Content = ifGiven(named("text"), f.text)
	x.Project = ifGiven(named("project"), f.project)
	x.Notes = ifGiven(named("notes"), f.notes)
	x.Tags = ifGiven(named("tag"), f.tags)
	x.Contexts = ifGiven(named("context"), f.contexts)
	if x.Status, err = oneOfGiven(named("status"), "status", f.status, memory.TodoStatuses()); err != nil {
		return x, err
	}
	if x.Priority, err = oneOfGiven(named("priority"), "priority", f.priority, memory.Priorities()); err != nil {
		return x, err
	}
	if named("due") {
		var at time.Time
		if f.due != "" {
			if at, err = core.ParseDay(f.due); err != nil {
				return x, err
			}
		}
		x.DueDate = &at
	}
	return x, nil
}

func (d *door) todosAdd() *cobra.Command {
	var f todoFlags
	cmd := &cobra.Command{
		Use:         "add TEXT",
		Short:       "Write down a task",
		Annotations: map[string]string{emptyClears: "true"},
		Args:        exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := f.edit(cmd)
			if err != nil {
				return err
			}
			x.Content = &args[0]
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			t, err := svc.AddTodo(cmd.Context(), x)
			return d.answerUnless(err, t, func() { d.say("%s is kept.", t.ID) })
		},
	}
	f.register(cmd)
	return cmd
}

func (d *door) todosEdit() *cobra.Command {
	var f todoFlags
	cmd := &cobra.Command{
		Use:         "edit ID",
		Short:       "Change a task",
		Annotations: map[string]string{emptyClears: "true"},
		Args:        exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all, given := names(cmd.LocalNonPersistentFlags()); !given {
				return usageError{fmt.Errorf("say what to change: --%s", strings.Join(all, ", --"))}
			}
			x, err := f.edit(cmd)
			if err != nil {
				return err
			}
			return d.editTodo(cmd, args[0], x)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.text, "text", "", "what it says")
	return cmd
}

func (d *door) todosDone() *cobra.Command {
	return &cobra.Command{
		Use:   "done ID",
		Short: "Mark a task as done",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			done := memory.Done
			return d.editTodo(cmd, args[0], core.TodoEdit{Status: &done})
		},
	}
}

func (d *door) editTodo(cmd *cobra.Command, id string, x core.TodoEdit) error {
	svc, err := d.unlocked(cmd.Context())
	if err != nil {
		return err
	}
	t, err := svc.EditTodo(cmd.Context(), id, x)
	return d.answerUnless(err, t, func() { d.say("%s, %s: %s", t.ID, t.Status, oneLine(t.Content, 100)) })
}

func (d *door) todosRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID",
		Short: "Take a task away; undo brings it back",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			err := svc.RemoveTodo(ctx, args[0])
			return d.answerUnless(err, map[string]string{"removed": args[0]}, func() { d.say("%s is taken away.", args[0]) })
		}),
	}
}
