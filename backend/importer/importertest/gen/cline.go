package gen

import "maps"

// ClineSecret stands where Cline keeps the keys of its servers; it must never be kept.
const ClineSecret = "sk-cline-secret"

// clineShown is what the window shows of a task: what was asked, thoughts, calls, what they
// gave, a question, notes of the program, half a text and an entry of an unknown kind.
func clineShown(first string) []any {
	ts := 1763727100000
	entry := func(what, kind, text string, more object) any {
		ts += 1000
		o := object{"ts": ts, "type": what, what: kind, "text": text}
		maps.Copy(o, more)
		return o
	}
	return []any{
		entry("say", first, "Mend the kettle", object{"images": []any{Picture}}),
		entry("say", "api_req_started", `{"request":"x","cost":0.01}`, nil),
		entry("say", "reasoning", "Let me look.", nil),
		entry("say", "text", "I will", object{"partial": true}),
		entry("say", "text", "I will look at it.", nil),
		entry("ask", "tool", `{"tool":"readFile","path":"kettle.go"}`, nil),
		entry("ask", "command", "go test", nil),
		entry("say", "command_output", "ok", nil),
		entry("ask", "followup", `{"question":"Is it hot?","options":["Yes","No"]}`, nil),
		entry("say", "user_feedback", "Yes, it is.", nil),
		entry("say", "quite_new", "x", nil),
		entry("say", "completion_result", "It is mended.HAS_CHANGES", nil),
		entry("ask", "completion_result", "", nil),
	}
}

// clineSent is the same as the model was sent it.
func clineSent() []any {
	text := func(s string) any { return object{"type": "text", "text": s} }
	return []any{
		object{"role": "user", "content": []any{text("<task>\nMend the kettle\n</task>"), text("<environment_details>\n# Current Time\n10:00\n</environment_details>")}},
		object{"role": "assistant", "content": []any{object{"type": "thinking", "thinking": "Let me look."}, text("I will look at it."), object{"type": "tool_use", "id": "t1", "name": "read_file", "input": object{"path": "kettle.go"}}}},
		object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": "t1", "content": "package kettle"}, text("<environment_details>\nx\n</environment_details>")}},
		object{"role": "user", "content": "[read_file for 'kettle.go'] Result:\npackage kettle"},
		object{"role": "assistant", "content": []any{text("It is mended."), object{"type": "quite_new"}}},
		object{"role": "user", "content": []any{text("Thank you.")}},
	}
}

// Cline makes the folder of an extension with three tasks, one of them of a model, and
// each of both files alone.
func Cline() []Layer {
	shown, sent := clineShown("task"), clineSent()
	const inShown = 9 + 4    // messages; a note, half a text, one of an unknown kind, an empty one
	const inSent = 4 + 1 + 2 // messages, a thought, results of tools
	of := func(id, name string, v any) File {
		return File{Name: "saoudrizwan.claude-dev/tasks/" + id + "/" + name, Data: toJSON(v)}
	}
	item := func(id, parent string) object {
		o := object{"id": id, "ts": 1763727100000, "number": 1, "task": "Mend the kettle", "tokensIn": 3, "workspace": "/home/robin/tea"}
		if parent != "" {
			o["parentTaskId"] = parent
		}
		return o
	}
	sub := "0198f3a2-0000-7000-8000-000000000009"
	folder := Layer{Reader: "cline", Name: "tasks", Talks: 2, Records: inShown + 1 + inSent + 1 + 1 + 1 + 1, Rows: true,
		Unread: []string{"api_conversation_history.json", "task_metadata.json", "cline_mcp_settings.json", "history_item.json", "taskHistory.json"}, Files: []File{{Name: "cline.zip", Data: Zip([]File{
			{Name: "saoudrizwan.claude-dev/settings/cline_mcp_settings.json", Data: toJSON(object{"mcpServers": object{"x": object{"env": object{"KEY": ClineSecret}}}})},
			{Name: "saoudrizwan.claude-dev/state/taskHistory.json", Data: toJSON([]any{item("1763727100000", ""), item("1763727199999", "")})},
			of("1763727100000", "api_conversation_history.json", sent), of("1763727100000", "ui_messages.json", shown),
			of("1763727100001", "api_conversation_history.json", sent), of("1763727100001", "task_metadata.json", object{"files_in_context": []any{}}),
			of(sub, "history_item.json", item(sub, "1763727100000")), of(sub, "ui_messages.json", clineShown("text"))})}}}
	alone := talks("cline", "shown", "ui_messages.json", toJSON(clineShown("text")), inShown, 1)
	model := talks("cline", "sent", "api_conversation_history.json", toJSON(sent), inSent, 1)
	alone.Rows, model.Rows = true, true
	return []Layer{folder, alone, model}
}
