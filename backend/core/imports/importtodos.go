package imports

import (
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
)

// todo decides whether a task of a document is stored as new, replaces the stored task,
// or changes nothing.
func (a *batchApplier) todo(d *importer.TodoDraft) error {
	if len(d.Content)+len(d.Notes)+len(d.MIF) > library.MaxContent {
		return fault.New(fault.TooLarge, "todo-too-long", "A task and its notes have at most {limit} characters each.").With("limit", library.MaxTodo)
	}
	t, merge := d.Todo, a.run.options.MergeAs(a.batch.info.ID)
	if len(t.ID) > library.MaxForeignID {
		t.ID = a.NewID()
	}
	library.BarredReferences(a.Tx, d.Owner).ScrubTodo(&t)
	old, err := a.TodoText(t.ID)
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
	takes := merge == library.Overwrite || a.run.options.Takes(t.ID)
	switch {
	case old == nil:
		a.counts.todos.New++
	case string(old) == string(text):
		a.counts.todos.Unchanged++
		a.counts.unchanged++
		return nil
	case takes:
		a.tell(todoChange(t.ID, old, text, ""))
		a.counts.todos.Updated++
	case merge == library.Rename:
		t.ID = a.NewID()
		a.counts.todos.New++
	default:
		a.tell(todoChange(t.ID, old, text, library.ConflictAlreadyHere))
		a.counts.todos.Unchanged++
		a.counts.unchanged++
		return nil
	}
	a.counts.taken++
	return a.PutTodo(t)
}
