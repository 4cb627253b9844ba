package mif

import (
	"maps"
	"slices"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

var todoMembers = known("id short_id content status priority created_at updated_at due_date completed_at project contexts tags notes parent_id subtask_ids",
	"blocked_on recurrence related_memory_ids embedding comments project_id external_id blocked_by metadata")

// baseTodo is what the mapping alone makes of a task of MIF. What is no status
// and no priority is to do, with none; the kept member leads back.
func baseTodo(t object) memory.Todo {
	out := memory.Todo{
		ID: recordID(ofTodo, t.string("id")), Content: t.string("content"), Status: memory.TodoStatus(t.string("status")), Priority: memory.Priority(t.string("priority")),
		Project: t.object("project").string("name"), Contexts: t.strings("contexts"), Tags: t.strings("tags"), Notes: t.string("notes"),
	}
	if !slices.Contains(memory.TodoStatuses(), out.Status) {
		out.Status = memory.ToDo
	}
	if !slices.Contains(memory.Priorities(), out.Priority) {
		out.Priority = memory.NoPriority
	}
	for _, id := range t.strings("related_memory_ids") {
		out.Related = append(out.Related, recordID(ofMemory, id))
	}
	out.CreatedAt, _ = memory.ParseTime(t.string("created_at"))
	out.UpdatedAt, _ = memory.ParseTime(t.string("updated_at"))
	out.DueDate, _ = memory.ParseTime(t.string("due_date"))
	out.CompletedAt, _ = memory.ParseTime(t.string("completed_at"))
	return out
}

// baseTask is what the mapping alone makes of a task of the vault.
func baseTask(t memory.Todo) object {
	out := object{"id": quoted(mifID(ofTodo, t.ID)), "content": quoted(t.Content), "status": value(t.Status), "priority": value(t.Priority), "created_at": quoted(t.CreatedAt.String())}
	for name, at := range map[string]memory.Time{"updated_at": t.UpdatedAt, "due_date": t.DueDate, "completed_at": t.CompletedAt} {
		if !at.IsZero() {
			out.put(name, at.String())
		}
	}
	if t.Project != "" {
		out["project"] = object{"id": quoted("proj_" + namedUUID(t.Project)), "name": quoted(t.Project)}.text()
	}
	for name, list := range map[string][]string{"contexts": t.Contexts, "tags": t.Tags} {
		if len(list) > 0 {
			out.put(name, list)
		}
	}
	if t.Notes != "" {
		out.put("notes", t.Notes)
	}
	var related []string
	for _, id := range t.Related {
		related = append(related, mifID(ofMemory, id))
	}
	if related != nil {
		out.put("related_memory_ids", related)
	}
	return out
}

// todo makes a task of the vault of one of MIF.
func todo(t object) (memory.Todo, error) {
	out := baseTodo(t)
	switch {
	case out.ID == "" || out.Content == "":
		return out, fault.New(fault.Invalid, "mif-no-todo", "A task without an id or without words was left out.")
	case out.CreatedAt.IsZero():
		return out, fault.New(fault.Invalid, "mif-todo-no-time", "A task whose created_at is no time was left out.")
	}
	if kept := differing(baseTask(out), t.inOwnTime("created_at", "updated_at", "due_date", "completed_at")); kept != nil {
		text, err := jcs.Fast(kept.text())
		if err != nil {
			return out, err
		}
		out.MIF = string(text)
	}
	return out, nil
}

// task makes a task of MIF of one of the vault. A kept member counts as long as
// it still says what the vault does.
func task(t memory.Todo) object {
	base := baseTask(t)
	kept, _ := asObject([]byte(t.MIF))
	if kept == nil {
		return base
	}
	kept = maps.Clone(kept)
	now := objectOf(bare(t))
	for _, name := range []string{"id", "content", "status", "priority", "created_at", "updated_at", "due_date", "completed_at", "project", "contexts", "tags", "notes", "related_memory_ids"} {
		if _, there := kept[name]; !there {
			continue
		}
		one := base.over(object{name: kept[name]})
		if !same(objectOf(bare(baseTodo(one)))[name], now[name]) {
			delete(kept, name)
		}
	}
	return base.over(kept)
}

func bare(t memory.Todo) memory.Todo {
	t.MIF = ""
	return t
}
