package core

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
)

// todo decides what becomes of a task of a document.
func (a *applying) todo(d *importer.TodoDraft) error {
	if len(d.Content)+len(d.Notes)+len(d.MIF) > maxContent {
		return fault.New(fault.TooLarge, "todo-too-long", "A task and its notes have at most {limit} characters each.").With("limit", maxTodo)
	}
	t, merge := d.Todo, a.run.options.mergeAs(a.batch.info.ID)
	if len(t.ID) > maxForeignID {
		t.ID = a.newID()
	}
	isBarredIn(a, d.Owner).todo(&t)
	old, err := a.todoText(t.ID)
	if err != nil {
		return err
	}
	text, err := rows.EncodeJSON(t)
	if err != nil {
		return err
	}
	if old != nil && string(old) != string(text) {
		a.merging.Tasks++
	}
	takes := merge == Overwrite || a.run.options.takes(t.ID)
	switch {
	case old == nil:
		a.tally.todos.New++
	case string(old) == string(text):
		a.tally.todos.Unchanged++
		a.tally.unchanged++
		return nil
	case takes:
		a.tell(todoChange(t.ID, old, text, ""))
		a.tally.todos.Updated++
	case merge == Rename:
		t.ID = a.newID()
		a.tally.todos.New++
	default:
		a.tell(todoChange(t.ID, old, text, ConflictAlreadyHere))
		a.tally.todos.Unchanged++
		a.tally.unchanged++
		return nil
	}
	a.tally.taken++
	return a.putTodo(t)
}
