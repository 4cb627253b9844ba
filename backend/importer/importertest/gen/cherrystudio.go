package gen

// CherrySecret stands where Cherry Studio keeps the keys of providers; it must never be
// kept.
const CherrySecret = "sk-cherry-secret"

// CherryStudio makes a backup of version 1 with an upload, and a topic of version 2.
func CherryStudio() []Layer {
	at := "2026-05-01T10:00:00.000Z"
	message := func(id, role string, more object, blocks ...any) object {
		o := object{"id": id, "role": role, "topicId": "t1", "assistantId": "default", "createdAt": at, "status": "success", "blocks": blocks}
		for name, v := range more {
			o[name] = v
		}
		return o
	}
	block := func(id, kind, content string, more object) object {
		o := object{"id": id, "messageId": "m", "type": kind, "content": content, "createdAt": at, "status": "success"}
		for name, v := range more {
			o[name] = v
		}
		return o
	}
	text := func(v any) string { return string(toJSON(v)) }
	model := object{"model": object{"id": "gpt-x", "provider": "openai", "name": "GPT X"}, "askId": "m1"}
	kettle := object{"id": "0af3", "ext": ".png", "name": "0af3.png", "origin_name": "kettle.png", "size": 13}
	settings := text(object{
		"assistants": text(object{"assistants": []any{object{"id": "default", "name": "Default", "prompt": "Be kind.", "topics": []any{object{"id": "t1", "name": "Tea\nor coffee"}, object{"id": "t2", "name": "Nothing"}}}}}),
		"llm":        text(object{"providers": []any{object{"id": "openai", "apiKey": CherrySecret}}}),
		"settings":   text(object{"webdavPass": CherrySecret}), "mcp": text(object{"servers": []any{object{"env": object{"KEY": CherrySecret}}}})})
	backup := toJSON(object{"time": 1777600000000, "version": 5, "localStorage": object{"persist:cherry-studio": settings, "token": CherrySecret}, "indexedDB": object{
		"topics": []any{object{"id": "t1", "messages": []any{
			message("m1", "user", nil, "b1", "b2"), message("m2", "assistant", model, "b3", "b4", "b5", "b6"),
			message("m3", "assistant", model, "b7", "b8"), object{"id": "c", "role": "user", "type": "clear", "createdAt": at},
			message("m4", "user", object{"content": "Thank you."})}}, object{"id": "t2", "messages": []any{}}},
		"message_blocks": []any{block("b1", "main_text", "What is this?", nil), block("b2", "image", "", object{"file": kettle}),
			block("b3", "thinking", "Hm.", nil), block("b4", "tool", "found", object{"toolId": "c1", "toolName": "search", "arguments": object{"q": "tea"}}),
			block("b5", "code", "brew()", object{"language": "go"}), block("b6", "main_text", "A kettle.", nil),
			block("b7", "main_text", "A teapot.", nil), block("b8", "quite_new", "x", nil), block("b9", "main_text", "of nobody", nil)},
		"files": []any{kettle}, "settings": []any{object{"id": "key", "value": CherrySecret}}}})
	zipped := Layer{Reader: "cherry-studio", Name: "backup", Talks: 1, Records: 4 + 1 + 1 + 1 + 1 + 1 + 1, Rows: true, Files: []File{{Name: "cherry-studio.zip", Data: Zip([]File{
		{Name: "data.json", Data: backup}, {Name: "Data/Files/0af3.png", Data: []byte("\x89PNG\r\n\x1a\nsmall")}, {Name: "Data/Files/0af4.txt", Data: []byte("of nobody")}})}}}
	part := func(kind, s string) any { return object{"type": kind, "text": s} }
	topic := toJSON(object{"kind": "cherry-studio.topic", "version": 1, "exportedAt": at, "topic": object{"name": "Tea", "isNameManuallyEdited": true}, "assistant": object{"name": "Default"},
		"messages": []any{
			object{"sourceId": "u1", "role": "user", "parts": []any{part("text", "What is this?"), object{"type": "file", "mediaType": "image/png", "filename": "it.png", "url": Picture}}, "status": "success", "siblingsGroupId": 0},
			object{"sourceId": "a1", "parentSourceId": "u1", "role": "assistant", "parts": []any{part("text", "A kettle.")}, "siblingsGroupId": 1},
			object{"sourceId": "a2", "parentSourceId": "u1", "role": "assistant", "siblingsGroupId": 1, "messageSnapshot": object{"model": object{"id": "gpt-x"}}, "parts": []any{
				object{"type": "step-start"}, part("reasoning", "Hm."), object{"type": "tool-search", "toolCallId": "c1", "input": object{"q": "tea"}, "output": object{"found": 1}, "state": "output-available"},
				object{"type": "source-url", "url": "https://example.org/tea", "title": "Tea"}, part("quite-new", "x"), part("text", "A teapot.")}},
			object{"sourceId": "u2", "parentSourceId": "a1", "role": "user", "parts": []any{part("text", "Thank you.")}}},
		"activeSourceId": "u2"})
	return []Layer{zipped, talks("cherry-studio", "topic", "tea.cherry.json", topic, 5, 1)}
}
