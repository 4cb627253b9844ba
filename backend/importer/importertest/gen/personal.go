package gen

import "maps"

// Personal makes exports of the Personal Memory Specification: one as Keepsake
// writes it, and one as a server would, with the members of the record schema.
func Personal() []Layer {
	m := newMaker(23)
	ids := m.uuids(len(known))
	at := "2026-04-12T09:15:00Z"
	record := func(i int, as string, metadata object) object {
		return object{"memory_id": ids[i], "content_type": as, "content": known[i], "content_hash": "sha256:" + m.hex(16), "topic_tags": []any{"home"}, "created_at": at,
			"updated_at": "2026-04-13T09:15:00Z", "metadata": metadata}
	}
	pattern := record(0, "pattern", object{"importance_score": 0.85, "access_count": 12, "last_accessed": "2026-04-15T14:30:00Z", "ttl": "2027-01-01T00:00:00Z",
		"type": "custom", "custom_type": "work_pattern", "status": "active", "platform": "claude", "compacted_from": []any{ids[1]},
		"relations": []any{object{"type": "supports", "memory_id": ids[2]}}})
	preference := record(1, "preference", object{"ttl": nil, "type": "instruction", "status": "archived", "platform": "chatgpt", "summary": "Tea"})
	fact := record(2, "fact", object{"ttl": nil, "type": "skill", "status": "active", "platform": "manual"})
	talk := m.uuid()
	transcript := object{"memory_id": talk, "content_type": "transcript", "session_id": talk, "topic_tags": []any{}, "created_at": at,
		"content": "user: Which tea?\n\nassistant: Black.\n\nOr green.\n\nuser: Thanks\n\n[other branches]\n\nuser: Which coffee?", "metadata": object{"title": "Tea", "platform": "chatgpt", "ttl": nil}}
	list := func(records ...any) object { return object{"count": len(records), "records": records} }
	export := func(count int, categories object) object {
		return object{"export_version": "1.0", "user_id": "robin", "exported_at": "2026-05-01T00:00:00Z", "record_count": count, "categories": categories}
	}
	own := loose("personal", "own", "keepsake.personal.json", toJSON(export(4, object{"conversation": list(transcript), "work_pattern": list(pattern),
		"preference": list(preference), "learned_context": list(fact)})), 3+2+4, known[2], known[1], known[0])
	own.Talks = 1
	row := func(text, category, as string, more object) object {
		o := object{"memory_id": "mem_" + m.uuid(), "user_id": "robin", "org_id": "org_1", "category": category, "content_type": as, "content": text, "created_at": at, "deleted_at": nil,
			"source": object{"session_id": "ses_1", "channel": "slack", "message_id": "msg_1", "timestamp": at}, "metadata": object{"topic_tags": []any{"Pipeline", "Q3"}, "importance_score": 0.5, "access_count": 0, "ttl": nil}}
		maps.Copy(o, more)
		return o
	}
	server := loose("personal", "server", "export.json", toJSON(export(3, object{
		"conversation": list(row(known[0], "conversation", "summary", object{"embedding_vector": []any{0.012, -0.034}})),
		"preference":   list(row(known[1], "preference", "preference", nil)), "learned_context": list(row(known[2], "learned_context", "fact", object{"deleted_at": at}))})), 3, known[0], known[1])
	return []Layer{own, server}
}
