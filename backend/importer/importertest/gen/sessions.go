package gen

import (
	"maps"
	"slices"
)

// Sessions are small sessions of assistants on the command line, and the files
// that instruct them.
func Sessions() []Layer {
	return slices.Concat(ClaudeCode(), Codex(), GeminiCLI(), GeminiWeb(), Instructions())
}

// ClaudeCode makes a project with a session and the file of its subagent.
func ClaudeCode() []Layer {
	line := func(kind, id, parent string, message any, more object) object {
		o := object{"type": kind, "uuid": id, "parentUuid": nil, "sessionId": "5f2c0a4e-0000-4000-8000-000000000001", "timestamp": "2026-08-01T10:00:00.000Z",
			"cwd": "/home/robin/tea", "gitBranch": "main", "version": "2.1.0", "isSidechain": false, "userType": "external"}
		if parent != "" {
			o["parentUuid"] = parent
		}
		if message != nil {
			o["message"] = message
		}
		maps.Copy(o, more)
		return o
	}
	answer := func(id string, block object) object {
		return object{"id": id, "role": "assistant", "model": "claude-x", "content": []any{block}, "usage": object{"output_tokens": 7}}
	}
	session := lines(
		object{"type": "summary", "summary": "Mend the kettle", "leafUuid": "a2"},
		line("user", "hidden", "", object{"role": "user", "content": "<local-command-caveat>no</local-command-caveat>"}, object{"isMeta": true}),
		line("user", "u1", "hidden", object{"role": "user", "content": "Mend it"}, nil),
		line("assistant", "a1", "u1", answer("msg_1", object{"type": "thinking", "thinking": "Let me look.", "signature": "x"}), nil),
		line("assistant", "a2", "a1", answer("msg_1", object{"type": "tool_use", "id": "t1", "name": "Bash", "input": object{"command": "ls"}}), nil),
		line("user", "r1", "a2", object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": "t1", "content": []any{object{"type": "text", "text": "kettle.go"}}}}}, object{"toolUseResult": object{"stdout": "kettle.go"}}),
		line("system", "s1", "r1", nil, object{"subtype": "turn_duration"}),
		line("user", "c1", "s1", object{"role": "user", "content": "<command-name>/clear</command-name>"}, nil),
		line("assistant", "a3", "c1", answer("msg_2", object{"type": "text", "text": "It is mended."}), nil),
		line("assistant", "a3", "c1", answer("msg_2", object{"type": "text", "text": "It is mended."}), nil),
		line("user", "sub", "a3", object{"role": "user", "content": "Look into it"}, object{"isSidechain": true}),
		object{"type": "file-history-snapshot", "messageId": "u1"},
		object{"type": "quite-new", "sessionId": "x", "value": 1},
	)
	agent := lines(line("user", "g1", "", object{"role": "user", "content": "You are a subagent."}, object{"isSidechain": true, "agentId": "7"}))
	folder := Layer{Reader: "claude-code", Name: "project", Talks: 1, Records: 13 + 1 + 1, Files: []File{{Name: "claude.zip", Data: Zip([]File{
		{Name: "projects/-home-robin-tea/5f2c0a4e-0000-4000-8000-000000000001.jsonl", Data: session},
		{Name: "projects/-home-robin-tea/5f2c0a4e-0000-4000-8000-000000000001/subagents/agent-7.jsonl", Data: agent},
		{Name: "projects/-home-robin-tea/notes.txt", Data: []byte("x")}})}}}
	return []Layer{folder, talks("claude-code", "session", "5f2c0a4e-0000-4000-8000-000000000001.jsonl", session, 13, 1)}
}

// Codex makes sessions of all three generations.
func Codex() []Layer {
	at := "2026-08-01T10:00:00.000Z"
	line := func(kind string, payload object) object {
		return object{"timestamp": at, "type": kind, "payload": payload}
	}
	said := func(role, kind, text string) object {
		return object{"type": "message", "role": role, "content": []any{object{"type": kind, "text": text}}}
	}
	id := "0198f3a2-0000-7000-8000-000000000001"
	rollout := lines(
		line("session_meta", object{"id": id, "timestamp": at, "cwd": "/home/robin/tea", "git": object{"branch": "main"}, "source": "cli", "instructions": "Be brief."}),
		line("turn_context", object{"model": "gpt-x"}),
		line("response_item", said("developer", "input_text", "<permissions instructions>")),
		line("response_item", said("user", "input_text", "<environment_context>\n</environment_context>")),
		line("response_item", said("user", "input_text", "# AGENTS.md instructions for /home/robin/tea\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>")),
		line("response_item", said("user", "input_text", "Mend it")),
		line("event_msg", object{"type": "user_message", "message": "Mend it"}),
		line("response_item", object{"type": "reasoning", "summary": []any{object{"type": "summary_text", "text": "Looking."}}, "encrypted_content": "x"}),
		line("response_item", object{"type": "reasoning", "summary": []any{}, "encrypted_content": "x"}),
		line("response_item", object{"type": "function_call", "name": "shell", "arguments": `{"command":["ls"]}`, "call_id": "c1"}),
		line("response_item", object{"type": "function_call_output", "call_id": "c1", "output": "kettle.go"}),
		line("response_item", said("assistant", "output_text", "It is mended.")),
		line("event_msg", object{"type": "agent_message", "message": "It is mended."}),
		line("world_state", object{"x": 1}),
		line("quite_new", object{"x": 1}),
	)
	agent := lines(line("session_meta", object{"id": "sub", "timestamp": at, "thread_source": "subagent"}), line("response_item", said("user", "input_text", "Look into it")))
	bare := lines(object{"id": id, "timestamp": at, "instructions": nil, "git": object{}}, said("user", "input_text", "Hello"), object{"record_type": "state"}, said("assistant", "output_text", "Good day."))
	oldest := toJSON(object{"session": object{"id": id, "timestamp": at, "instructions": ""}, "items": []any{said("user", "input_text", "Hello"), said("assistant", "output_text", "Good day.")}})
	name := "rollout-2026-08-01T10-00-00-" + id
	folder := Layer{Reader: "codex", Name: "rollout", Talks: 1, Records: 15 + 2 + 1, Files: []File{{Name: "codex.zip", Data: Zip([]File{
		{Name: "sessions/2026/08/01/" + name + ".jsonl", Data: rollout}, {Name: "sessions/2026/08/01/rollout-2026-08-01T10-00-00-sub.jsonl", Data: agent},
		{Name: "session_index.jsonl", Data: lines(object{"id": id, "thread_name": "Mend the kettle"})}})}}}
	return []Layer{folder, talks("codex", "bare", name+".jsonl", bare, 4, 1), talks("codex", "object", name+".json", oldest, 3, 1)}
}

// GeminiWeb makes a chat of Gemini's page, as browser extensions save them.
func GeminiWeb() []Layer {
	at := "2025-07-25T08:19:17.000Z"
	chat := object{"sessionId": "33836c74f2ebe4cc", "title": "Wind today", "startTime": at, "lastUpdated": at, "kind": "main", "projectHash": "gemini-web", "messages": []any{
		object{"id": "msg-0", "timestamp": at, "type": "user", "content": []any{object{"text": "Wind today?"}}},
		object{"id": "msg-1", "timestamp": at, "type": "gemini", "content": "Strong wind.", "model": "2.5 Flash"}}}
	return []Layer{talks("gemini-web", "chat", "33836c74.json", toJSON(chat), 1+2, 1)}
}

// GeminiCLI makes a log in which messages are replaced and taken back, and an
// older session of one object.
func GeminiCLI() []Layer {
	at := "2026-08-01T10:00:00.000Z"
	message := func(id, kind string, content any, more object) object {
		o := object{"id": id, "timestamp": at, "type": kind, "content": content}
		maps.Copy(o, more)
		return o
	}
	info := object{"sessionId": "7d1f0000-0000-4000-8000-000000000001", "projectHash": "abc", "startTime": at, "lastUpdated": at, "kind": "main"}
	answer := message("2", "gemini", "It is mended.", object{"model": "gemini-x", "tokens": object{"total": 9},
		"thoughts":  []any{object{"subject": "Looking", "description": "At the kettle.", "timestamp": at}},
		"toolCalls": []any{object{"id": "c1", "name": "ls", "args": object{"path": "."}, "result": []any{object{"functionResponse": object{"response": object{"output": "kettle.go"}}}}, "status": "success"}}})
	log := lines(info,
		message("1", "user", []any{object{"text": "Mend it"}, object{"inlineData": object{"mimeType": "image/png", "data": "iVBORw0KGgo="}}}, nil),
		message("2", "gemini", "", nil), answer,
		message("3", "user", "Wrong turn", nil), message("4", "gemini", "Yes.", nil), object{"$rewindTo": "3"},
		message("5", "info", "Update available", nil), message("6", "user", "Thank you", nil), object{"$set": object{"summary": "Mend the kettle"}},
		object{"odd": true})
	whole := object{"messages": []any{message("1", "user", "Mend it", nil), answer}}
	maps.Copy(whole, info)
	// 11 lines; a thought stands beside its answer.
	return []Layer{talks("gemini-cli", "log", "session-2026-08-01T10-00-7d1f0000.jsonl", log, 11+1, 1),
		talks("gemini-cli", "object", "session-2026-08-01T10-00-7d1f0000.json", toJSON(whole), 1+2+1, 1)}
}

// Instructions makes a project with the files of several assistants, and one file.
func Instructions() []Layer {
	claude := "# Tea\n\nWrite plain Go.\n\n## Style\n- Tabs, no spaces\n  - also in tests\n- Run it:\n\n```sh\nmake test\n```\n\n@docs/more.md\n<!-- not said -->\n"
	cursor := "---\ndescription: Rules for the page\nglobs: *.svelte\nalwaysApply: false\n---\n- No inline styles\n"
	said := []string{"Write plain Go.", "Tabs, no spaces\n  - also in tests", "Run it:", "```sh\nmake test\n```"}
	all := Layer{Reader: "instruction-file", Name: "project", Records: 4 + 1 + 1 + 1 + 1 + 1, Files: []File{{Name: "tea.zip", Data: Zip([]File{
		{Name: "tea/.cursor/rules/page.mdc", Data: []byte(cursor)}, {Name: "tea/.github/copilot-instructions.md", Data: []byte("\xEF\xBB\xBFAnswer in English.\r\n")},
		{Name: "tea/CLAUDE.md", Data: []byte(claude)}, {Name: "tea/main.go", Data: []byte("package main")},
		{Name: "tea/.claude/projects/x/memory/MEMORY.md", Data: []byte("- Robin prefers tabs\n")}})}}}
	all.Memories = append([]string{"Robin prefers tabs", "No inline styles", "Answer in English."}, said...)
	return []Layer{all, loose("instruction-file", "agents", "AGENTS.md", []byte(claude), 5, said...)}
}
