package gen

// TypingMindSecret stands where TypingMind keeps the keys of providers; it must never be
// kept.
const TypingMindSecret = "sk-typingmind-secret"

// TypingMind makes an export with a picture, a call, a folder and settings, and the same in
// a zip.
func TypingMind() []Layer {
	message := func(id, role string, content any) object {
		return object{"uuid": id, "role": role, "content": content, "createdAt": "2025-11-01T10:00:00.000Z"}
	}
	called := message("m2", "assistant", "Let me look.")
	called["model"], called["tool_calls"] = "gpt-x", []any{object{"id": "c1", "type": "function", "function": object{"name": "search", "arguments": `{"q":"tea"}`}}}
	result := message("m3", "tool", "found")
	result["tool_call_id"] = "c1"
	data := toJSON(object{"data": object{
		"chats": []any{
			object{"id": "t1", "chatID": "t1", "chatTitle": "Tea\nor coffee", "model": "gpt-x", "folderID": "f1", "createdAt": "2025-11-01T10:00:00.000Z", "updatedAt": "2025-11-01T10:05:00.000Z", "messages": []any{
				message("m1", "user", []any{object{"type": "text", "text": "What is this?"}, object{"type": "image_url", "image_url": object{"url": Picture}}}), called, result,
				message("m4", "assistant", []any{object{"type": "text", "text": "A teapot."}, object{"type": "quite_new"}})}},
			object{"id": "t2", "chatTitle": "Nothing", "messages": []any{}}},
		"folders": []any{object{"id": "f1", "title": "Drinks"}}, "userPrompts": []any{object{"id": "p", "title": "Be kind"}},
		"userCharacters": []any{}, "settings": []any{object{"openaiKey": TypingMindSecret}}, "apiKey": TypingMindSecret}})
	zipped := talks("typingmind", "zip", "typingmind.zip", Zip([]File{{Name: "typingmind.json", Data: data}, {Name: "attachments/1.blob", Data: []byte("x")}}), 4+1+2+1, 1)
	return []Layer{talks("typingmind", "chats", "typingmind_chats.json", data, 4+1+2, 1), zipped}
}
