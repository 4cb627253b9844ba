package gen

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Layer is a dump of a memory layer, with what was planted in it.
type Layer struct {
	Reader, Name string
	Files        []File
	Memories     []string // contents, in order
	Talks        int      // conversations
	Records      int      // rows, blocks and messages that must be accounted for
	// Rows says that conversations are put together from pieces, so that a cut file gives
	// a part of one.
	Rows   bool
	Unread []string // base names of files that the reader takes nothing from
}

// Layers are small dumps of every memory layer, in every shape.
func Layers() []Layer {
	return slices.Concat(Sessions(), Local(), Apps(), Mem0(), OpenMemory(), MCPMemory(), Letta(), BasicMemory(), Zep(), MIF(), Personal())
}

// loose is a layer of one file.
func loose(reader, name, file string, data []byte, records int, memories ...string) Layer {
	return Layer{Reader: reader, Name: name, Files: []File{{Name: file, Data: data}}, Memories: memories, Records: records}
}

// What the made-up person of the layers is like.
var known = []string{"Likes black tea", "Lives in Porto", "Is learning the piano"}

func lines(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		b.Write(toJSON(v))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Mem0 makes dumps of mem0: of the library, of the platform, the older array,
// and one whose length is that of a page.
func Mem0() []Layer {
	m := newMaker(11)
	item := func(i int, more object) object {
		o := object{"id": m.uuid(), "memory": known[i], "hash": m.hex(16), "metadata": object{"topic": "home"}, "created_at": "2026-01-02T03:04:05.123456-08:00",
			"updated_at": nil, "user_id": "robin", "agent_id": nil}
		maps.Copy(o, more)
		return o
	}
	page := []any{}
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("Has visited island number %d", i))
		page = append(page, item(0, object{"memory": texts[i]}))
	}
	return []Layer{
		loose("mem0", "library", "mem0.json", toJSON(object{"results": []any{item(0, nil), item(1, nil)},
			"relations": []any{object{"source": "robin", "relationship": "works_at", "target": "garden centre"}}}), 3, known[0], known[1], "robin works at garden centre"),
		loose("mem0", "array", "memories.json", toJSON([]any{item(0, nil), item(2, nil)}), 2, known[0], known[2]),
		loose("mem0", "platform", "export.json", toJSON(object{"count": 4, "next": "https://example.org/?page=2", "previous": nil, "results": []any{
			item(0, object{"app_id": "a", "categories": []any{"food", "daily life"}, "expiration_date": nil, "structured_attributes": object{"day": 2}}),
			item(1, object{"replaced_by": m.uuid()}), item(2, object{"lifecycle_state": "deleted"})}}), 3, known[0]),
		loose("mem0", "first page", "mem0.json", toJSON(object{"results": page}), 20, texts...),
	}
}

// OpenMemory makes a backup, and one of which only the packed lines are left.
func OpenMemory() []Layer {
	m := newMaker(12)
	app, food, id := m.uuid(), m.uuid(), m.uuid()
	row := func(id, content, state string) object {
		return object{"id": id, "content": content, "metadata": object{"hash": m.hex(8)}, "state": state, "created_at": 1767323045, "updated_at": "2026-01-03T00:00:00+00:00",
			"archived_at": nil, "deleted_at": nil, "app_id": app, "category_ids": []any{food}}
	}
	backup := toJSON(object{"user": object{"id": m.uuid(), "user_id": "robin"}, "apps": []any{object{"id": app, "name": "cursor"}},
		"categories": []any{object{"id": food, "name": "Food & Drink"}}, "memory_categories": []any{object{"memory_id": id, "category_id": food}},
		"memories":       []any{row(id, known[0], "active"), row(m.uuid(), known[1], "archived"), row(m.uuid(), "Was deleted", "deleted")},
		"status_history": []any{object{"memory_id": id}}, "access_controls": []any{}, "export_meta": object{"version": "1"}})
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(lines(object{"id": id, "content": known[0], "metadata": object{}, "created_at": "2026-01-02T03:04:05", "state": "active", "app": "cursor", "categories": []any{"Food & Drink"}},
		object{"id": m.uuid(), "content": known[2], "state": "paused", "app": "claude", "categories": []any{}}))
	must(err)
	must(w.Close())
	zipped := func(name string, records int, memories []string, files ...File) Layer {
		return Layer{Reader: "openmemory", Name: name, Files: []File{{Name: "openmemory.zip", Data: Zip(files)}}, Records: records, Memories: memories}
	}
	return []Layer{
		zipped("backup", 5, []string{known[0], known[1]}, File{Name: "memories.json", Data: backup}, File{Name: "memories.jsonl.gz", Data: packed.Bytes()}),
		loose("openmemory", "alone", "memories.json", backup, 4, known[0], known[1]),
		zipped("lines", 2, []string{known[0], known[2]}, File{Name: "memories.jsonl.gz", Data: packed.Bytes()}),
	}
}

// MCPMemory makes the memory server's file, and the answer of read_graph.
func MCPMemory() []Layer {
	alex := object{"type": "entity", "name": "Alex", "entityType": "person", "observations": []any{"likes tea", "Alex speaks Greek"}}
	firm := object{"type": "entity", "name": "Acme_Ltd", "entityType": "organization", "observations": []any{}}
	works := object{"type": "relation", "from": "Alex", "to": "Acme_Ltd", "relationType": "works_at"}
	porto := object{"type": "entity", "name": "Porto", "entityType": "city", "observations": []any{"Porto lies at the sea"}}
	lives := object{"type": "relation", "from": "Alex", "to": "Porto", "relationType": "lives_in"}
	said := []string{"Alex: likes tea", "Alex speaks Greek", "Alex works at Acme Ltd"}
	return []Layer{
		loose("mcp-memory", "lines", "memory.jsonl", append([]byte("\xEF\xBB\xBF"), bytes.ReplaceAll(lines(alex, firm, works), []byte("\n"), []byte("\r\n\r\n"))...), 4, said...),
		loose("mcp-memory", "older", "memory.json", lines(alex, works), 3, said...),
		loose("mcp-memory", "related", "memory.jsonl", lines(lives, alex, porto), 4, "Alex: likes tea", "Alex speaks Greek", "Porto lies at the sea"),
		loose("mcp-memory", "graph", "graph.json", toJSON(object{"entities": []any{alex, firm}, "relations": []any{works}}), 4, said...),
	}
}

// LettaSecret stands where an agent file keeps keys; it must never be kept.
const LettaSecret = "sk-letta-secret"

// Letta makes agent files of both forms.
func Letta() []Layer {
	human := known[0] + ".\n" + known[1] + "."
	at := "2026-02-03T04:05:06+00:00"
	message := func(role string, parts ...any) object {
		return object{"type": "message", "role": role, "content": parts, "tool_calls": nil, "created_at": at}
	}
	text := func(s string) any { return object{"type": "text", "text": s} }
	call := message("assistant", object{"type": "reasoning", "reasoning": "I should greet."}, text(""))
	call["tool_calls"] = []any{object{"id": "call-1", "type": "function", "function": object{"name": "send_message", "arguments": `{"message":"Hello Robin"}`}}}
	agents := toJSON(object{"agents": []any{object{"id": "agent-0", "name": "Helper", "system": "You remember.", "block_ids": []any{"block-0", "block-1", "block-2"},
		"tool_ids": []any{"tool-0"}, "llm_config": object{"model": "m", "api_key": LettaSecret}, "tool_exec_environment_variables": object{"KEY": LettaSecret},
		"in_context_message_ids": []any{}, "messages": []any{
			message("user", text(`{"type":"user_message","message":"hi","time":"now"}`)), call,
			object{"type": "message", "role": "tool", "content": []any{text("Sent.")}, "tool_call_id": "call-1", "created_at": at}}}},
		"blocks": []any{
			object{"id": "block-0", "label": "human", "value": "- " + strings.ReplaceAll(human, "\n", "\n- "), "limit": 5000},
			object{"id": "block-1", "label": "persona", "value": "I am a kind helper.", "limit": 5000},
			object{"id": "block-2", "label": "system/greenhouse", "value": "The frame is done.", "limit": 5000, "description": "The project"}},
		"groups": []any{}, "files": []any{}, "sources": []any{}, "tools": []any{object{"id": "tool-0", "source_code": "x"}},
		"mcp_servers": []any{object{"token": LettaSecret}}, "metadata": object{"revision_id": "1"}, "created_at": at})
	first := toJSON(object{"agent_type": "memgpt_agent", "name": "Old", "system": "You remember.", "core_memory": []any{
		object{"label": "human", "value": known[2], "limit": 2000}, object{"label": "persona", "value": "I am old.", "limit": 2000}},
		"messages": []any{object{"role": "user", "text": "hi", "created_at": at}}, "tools": []any{}, "tool_exec_environment_variables": []any{object{"key": "K", "value": LettaSecret}}})
	// persona, a secret, a server and a tool are left out; one message has a thought beside it.
	now := loose("letta", "agents", "helper.af", agents, 3+1+3+4, known[0]+".", known[1]+".", "The frame is done.")
	old := loose("letta", "v0", "old.af", first, 1+1+1+1, known[2])
	now.Talks, old.Talks = 1, 1
	return []Layer{now, old}
}

// BasicMemory makes a folder of notes, zipped, and one note.
func BasicMemory() []Layer {
	note := "---\ntitle: Tea\ntype: note\ntags:\n- drinks\n- Home & garden\npermalink: notes/tea\ncreated: 2026-01-02T03:04:05\n---\n\n# Tea\n\nBlack tea keeps for years\nin a tin.\n- [ ] buy more\n\n## Observations\n- [preference] Likes black tea #morning (told in January)\n- [decision] Buys it at the harbour\n\n## Relations\n- drunk_with [[Robin]]\n"
	broken := "---\ntitle: Who: Robin\ntype: person\npermalink: people/robin\n---\n- [fact] Sings in a choir\n"
	said := []string{"Likes black tea", "Buys it at the harbour", "Tea drunk with Robin", "# Tea\n\nBlack tea keeps for years\nin a tin.\n- [ ] buy more"}
	all := Layer{Reader: "basic-memory", Name: "folder", Records: 6, Memories: append([]string{"Sings in a choir"}, said...), Files: []File{{Name: "notes.zip", Data: Zip([]File{
		{Name: "people/robin.md", Data: []byte(broken)}, {Name: "notes/tea.md", Data: []byte(note)}, {Name: "notes/tea.png", Data: []byte("\x89PNG")}})}}}
	all.Memories = append(said, "Sings in a choir")
	return []Layer{all, loose("basic-memory", "note", "tea.md", []byte(note), 4, said...)}
}

// Zep makes a graph with edges, nodes and episodes, and a bare list of edges.
func Zep() []Layer {
	m := newMaker(13)
	at := start.Format(time.RFC3339)
	edge := func(fact string, ended any) object {
		return object{"uuid": m.uuid(), "name": "LIVES_IN", "fact": fact, "source_node_uuid": m.uuid(), "target_node_uuid": m.uuid(), "valid_at": at, "invalid_at": ended,
			"expired_at": nil, "episodes": []any{m.uuid()}, "created_at": at}
	}
	graph := toJSON(object{"edges": []any{edge(known[1], nil), edge("Lives in Faro", at)},
		"nodes":    []any{object{"uuid": m.uuid(), "name": "Robin", "labels": []any{"Entity", "Person"}, "summary": "Gardens on a balcony.", "attributes": object{"age": 40}, "created_at": at}, object{"uuid": m.uuid(), "name": "Faro", "labels": []any{}, "summary": "", "created_at": at}},
		"episodes": []any{object{"uuid": m.uuid(), "content": "user: I moved to Porto", "source": "message", "created_at": at, "group_id": "g1"}, object{"uuid": m.uuid(), "content": "Noted.", "role_type": "assistant", "source": "message", "created_at": at, "group_id": "g1"}}})
	whole := loose("zep", "graph", "graph.json", graph, 6, known[1], "Robin: Gardens on a balcony.")
	whole.Talks = 1
	return []Layer{whole, loose("zep", "edges", "edges.json", toJSON([]any{edge(known[1], nil)}), 1, known[1])}
}
