package gen

import (
	"bufio"
	"fmt"
	"io"
	"maps"
)

// MIF makes documents of the Memory Interchange Format: of version 1 as JSON,
// lines and YAML, and of version 2.
func MIF() []Layer {
	m := newMaker(17)
	ids := m.uuids(len(known))
	at := "2026-01-02T14:30:00.000Z"
	export := object{"id": "exp_a1b2c3d4", "created_at": "2026-02-03T00:00:00Z", "user_id": "robin"}
	var one, two []any
	for i, text := range known {
		one = append(one, object{"id": "mem_" + ids[i], "content": text, "type": "Observation", "importance": 0.5, "created_at": at, "tags": []any{"home"},
			"source": object{"type": "conversation", "agent": "claude-code"}, "entities": []any{object{"text": "Robin", "type": "PERSON"}}})
		two = append(two, object{"id": ids[i], "content": text, "memory_type": "observation", "created_at": at, "tags": []any{}, "entities": []any{}, "metadata": object{}, "version": 1})
	}
	two[1].(object)["related_memory_ids"] = []any{ids[0]}
	two[0].(object)["embeddings"] = object{"model": "m", "dimensions": 2, "vector": []any{0.5, 0.25}, "normalized": true}
	todo := object{"id": "todo_" + m.uuid(), "content": "Water the plants", "status": "todo", "priority": "low", "created_at": at, "related_memory_ids": []any{"mem_" + ids[0]}}
	graph := object{"format": "adjacency_list", "node_count": 3, "edge_count": 2, "hebbian_config": object{"learning_rate": 0.1},
		"edges": []any{object{"source": "mem_" + ids[0], "target": "mem_" + ids[1], "weight": 0.7, "type": "semantic_association", "created_at": at},
			object{"source": "mem_" + ids[2], "target": "entity:piano", "weight": 0.9, "type": "entity_mention"}}}
	generator := object{"name": "shodh-memory", "version": "0.1.61"}
	first := object{"mif_version": "1.0", "generator": generator, "export": export, "todos": []any{todo}, "graph": graph,
		"consent": object{"purpose": "backup"}, "metadata": object{"total_memories": 3}}
	whole := object{"memories": one}
	maps.Copy(whole, first)
	yaml := "# exported\nmif_version: \"1.0\"\nexport:\n  id: exp_1\n  created_at: 2026-02-03T00:00:00Z\n  user_id: robin\nmemories:\n"
	for i, text := range known {
		yaml += fmt.Sprintf("  - id: mem_%s\n    content: >-\n      %s\n    type: Learning\n    created_at: 2026-01-02T14:30:00Z\n    tags: [home]\n", ids[i], text)
	}
	second := object{"mif_version": "2.0", "generator": generator, "export_meta": object{"id": m.uuid(), "created_at": at, "user_id": "robin", "checksum": ""},
		"memories": two, "todos": []any{}, "projects": []any{object{"id": m.uuid(), "name": "Home"}}, "reminders": []any{}, "vendor_extensions": object{"shodh-memory": object{"a": 1}},
		"knowledge_graph": object{"entities": []any{object{"id": m.uuid(), "name": "Robin", "created_at": at, "last_seen_at": at}}, "relationships": []any{}, "episodes": []any{}}}
	// Memories, edges, vectors, tasks and every other piece is a record.
	return []Layer{
		loose("mif", "version 1", "export.mif.json", toJSON(whole), 9, known...),
		loose("mif", "lines", "export.mif.jsonl", lines(first, one[0], one[1], one[2]), 9, known...),
		loose("mif", "yaml", "export.mif.yaml", []byte(yaml), 3, known...),
		loose("mif", "version 2", "mif.json", toJSON(second), 8, known...),
	}
}

// LargeMIF writes a document of version 1 with n memories, an edge of the graph for
// each and a task for every thousandth, as one document or as lines. Every memory
// names the one before it and one that comes later.
func LargeMIF(w io.Writer, seed uint64, n int, asLines bool) error {
	m := newMaker(seed)
	out := bufio.NewWriterSize(w, 1<<20)
	id := func(i int) string {
		return fmt.Sprintf("%08x-%04x-4000-8000-%012x", uint32(i)*0x9E3779B1, seed&0xffff, i)
	}
	list := func(name string, n int, one func(i int)) {
		fmt.Fprintf(out, "%q:[", name)
		for i := range n {
			if i > 0 {
				out.WriteByte(',')
			}
			one(i)
		}
		out.WriteByte(']')
	}
	kinds := []string{"Observation", "Decision", "Learning", "Pattern", "Context", "Task"}
	memory := func(i int) {
		fmt.Fprintf(out, `{"id":"mem_%s","content":"%s No. %d.","type":%q,"importance":0.%d,"created_at":"2026-01-%02dT%02d:%02d:00Z","access_count":%d,"tags":["t%d"],`+
			`"source":{"type":"conversation","agent":"claude-code"},"entities":[{"text":"E%d","type":"CONCEPT"}],"relations":{"related_memories":["mem_%s","mem_%s"]}}`,
			id(i), m.sentence(10), i, kinds[i%len(kinds)], 1+i%9, 1+i%28, i%24, i%60, i%50, i%97, i%1000, id(max(0, i-1)), id((i*7+1)%n))
	}
	out.WriteString(`{"mif_version":"1.0","generator":{"name":"shodh-memory","version":"0.1.61"},"export":{"id":"exp_1","created_at":"2026-02-03T00:00:00Z","user_id":"robin"},`)
	if !asLines {
		list("memories", n, func(i int) {
			out.WriteByte('\n')
			memory(i)
		})
		out.WriteByte(',')
	}
	list("todos", n/1000, func(i int) {
		fmt.Fprintf(out, `{"id":"todo_%s","content":"Task %d","status":"todo","created_at":"2026-01-01T00:00:00Z","related_memory_ids":["mem_%s"]}`, id(n+i), i, id(i))
	})
	out.WriteString(`,"graph":{"format":"adjacency_list",`)
	list("edges", n, func(i int) {
		fmt.Fprintf(out, `{"source":"mem_%s","target":"mem_%s","weight":0.%d,"type":"semantic_association","created_at":"2026-01-02T00:00:00Z"}`, id(i), id((i+3)%n), 1+i%9)
	})
	out.WriteString("}}\n")
	for i := 0; asLines && i < n; i++ {
		memory(i)
		out.WriteByte('\n')
	}
	return out.Flush()
}
