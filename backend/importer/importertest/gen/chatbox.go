package gen

import "maps"

// ChatboxSecret stands where Chatbox keeps the keys of providers; it must never be kept.
const ChatboxSecret = "sk-chatbox-secret"

// Chatbox makes an export with a thread, a fork, a session that is only listed and all
// kinds of parts, and an older one.
func Chatbox() []Layer {
	message := func(id, role string, more object, parts ...any) object {
		o := object{"id": id, "role": role, "timestamp": 1777600000000, "contentParts": parts}
		maps.Copy(o, more)
		return o
	}
	text := func(s string) any { return object{"type": "text", "text": s} }
	answer := object{"model": "gpt-x", "aiProvider": "openai", "tokenCount": 3}
	settings := object{"openaiKey": ChatboxSecret, "providers": object{"openai": object{"apiKey": ChatboxSecret}}}
	session := object{"id": "s1", "name": "Tea\nor coffee", "type": "chat", "settings": object{"modelId": "gpt-x", "openaiKey": ChatboxSecret}, "threads": []any{
		object{"id": "t1", "name": "Before", "createdAt": 1777500000000, "messages": []any{message("p1", "user", nil, text("Before that."))}}},
		"messages": []any{
			message("m0", "system", nil, text("Be kind.")),
			message("m1", "user", object{"files": []any{object{"id": "f1", "name": "kettle.txt"}}}, text("What is this?"), object{"type": "image", "storageKey": "picture:1"}),
			message("m2", "assistant", answer, object{"type": "reasoning", "text": "Hm."}, object{"type": "tool-call", "state": "result", "toolCallId": "c1", "toolName": "search", "args": object{"q": "tea"}, "result": object{"found": 1}},
				object{"type": "info", "text": "searched"}, object{"type": "quite_new"}, text("A teapot.")),
			message("m3", "assistant", object{"isSummary": true}, text("They spoke of tea."))},
		"messageForksHash": object{"m1": object{"position": 1, "lists": []any{object{"id": "l1", "messages": []any{message("m4", "assistant", answer, text("A kettle."))}}, object{"id": "l2", "messages": []any{}}}}}}
	export := toJSON(object{"settings": settings, "configs": object{"uuid": "x"}, "configVersion": 12, "myCopilots": []any{}, "__exported_items": []any{"conversations", "settings"}, "__exported_at": "2026-05-01T10:00:00.000Z",
		"chat-sessions-list": []any{object{"id": "s1", "name": "Tea"}, object{"id": "s2", "name": "Gone"}}, "session:s1": session})
	older := toJSON(object{"settings": settings, "chat-sessions": []any{object{"id": "o1", "name": "Old", "messages": []any{
		object{"id": "a", "role": "user", "content": "What is this?", "timestamp": 1777600000000}, object{"id": "b", "role": "assistant", "content": "A teapot.", "reasoningContent": "Hm.", "model": "gpt-3", "timestamp": 1777600001000}}},
		object{"id": "o2", "name": "Nothing", "messages": []any{}}}})
	return []Layer{talks("chatbox", "sessions", "chatbox-exported-data-2026-5-1.json", export, 6+3+1+1, 2), talks("chatbox", "list", "chats.json", older, 3+1+1, 1)}
}
