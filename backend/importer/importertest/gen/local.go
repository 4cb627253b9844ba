package gen

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
)

// Local are small exports of tools that run on one's own computer.
func Local() []Layer { return slices.Concat(OpenWebUI(), LibreChat(), LMStudio(), Jan()) }

// talks is a layer of conversations.
func talks(reader, name, file string, data []byte, records, talks int) Layer {
	l := loose(reader, name, file, data, records)
	l.Talks = talks
	return l
}

// Picture is a small image as tools write it into a message.
var Picture = "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nsmall"))

// OpenWebUI makes an export with two answers to one question, a thought, an
// image and both units of time, and an older one.
func OpenWebUI() []Layer {
	m := newMaker(21)
	node := func(id, parent, role, content string, children ...any) object {
		o := object{"id": id, "parentId": nil, "childrenIds": children, "role": role, "content": content, "timestamp": 1744577557}
		if parent != "" {
			o["parentId"] = parent
		}
		if role == "assistant" {
			o["model"], o["done"] = "llama3", true
		}
		return o
	}
	thinking := "<details type=\"reasoning\" done=\"true\" duration=\"3\">\n<summary>Thought for 3 seconds</summary>\n&gt; Tea &lt;or&gt; coffee?\n</details>\n"
	chat := object{"title": "Tea\nor coffee", "models": []any{"llama3"}, "params": object{}, "system": "Be kind.", "timestamp": 1744577557127, "files": []any{}, "tags": []any{"drinks"},
		"history": object{"currentId": "c", "messages": object{
			"a": node("a", "", "user", "What is this? ![it]("+Picture+")", "b", "c"),
			"b": node("b", "a", "assistant", "A kettle."),
			"c": node("c", "a", "assistant", thinking+"A teapot."),
		}}, "messages": []any{node("a", "", "user", "What is this?"), node("gone", "a", "assistant", "Only on the path.")}}
	whole := toJSON([]any{object{"id": m.uuid(), "user_id": m.uuid(), "title": "Tea\nor coffee", "chat": chat, "meta": object{"tags": []any{"x"}}, "pinned": true, "archived": true,
		"folder_id": nil, "created_at": 1744577557, "updated_at": 1744577600, "share_id": nil},
		object{"id": m.uuid(), "title": "Empty", "chat": object{"history": object{"messages": object{}, "currentId": nil}, "messages": []any{}}}})
	return []Layer{talks("open-webui", "chats", "chat-export-1744577557.json", whole, 4+1+1, 1), talks("open-webui", "inner", "chat.json", toJSON(chat), 4+1, 1)}
}

// LibreChat makes a flat conversation with a branch, and a nested one.
func LibreChat() []Layer {
	m := newMaker(22)
	message := func(id, parent string, user bool, text string) object {
		return object{"messageId": id, "parentMessageId": parent, "conversationId": "c", "sender": "x", "isCreatedByUser": user, "text": text, "createdAt": "2026-01-02T03:04:05.000Z", "model": "gpt", "error": false}
	}
	none := "00000000-0000-0000-0000-000000000000"
	parts := message("b2", "a", false, "")
	parts["content"] = []any{object{"type": "think", "think": "Hm."}, object{"type": "text", "text": object{"value": "A teapot."}},
		object{"type": "tool_call", "tool_call": object{"id": "t", "name": "search", "args": `{"q":"tea"}`, "output": "found"}}}
	flat := toJSON(object{"conversationId": m.uuid(), "endpoint": "openAI", "title": "Tea", "exportAt": "2026-01-03", "branches": true, "recursive": false, "options": object{"model": "gpt", "promptPrefix": "Be kind."},
		"messages": []any{message("a", none, true, "What is this?"), message("b", "a", false, "A kettle."), parts}})
	top := message("a", none, true, "What is this?")
	top["children"] = []any{object{"messageId": "b", "isCreatedByUser": false, "text": "A kettle.", "children": []any{object{"messageId": "c", "isCreatedByUser": true, "text": "No.", "children": []any{}}}}}
	nested := toJSON(object{"conversationId": m.uuid(), "title": "Nested", "exportAt": "2026-01-03", "recursive": true, "messages": []any{top}})
	tree := toJSON(object{"conversationId": m.uuid(), "title": "Tree", "exportAt": "2026-01-03", "recursive": true, "messagesTree": []any{top}})
	return []Layer{talks("librechat", "flat", "tea.json", flat, 4, 1), talks("librechat", "nested", "nested.json", nested, 3, 1), talks("librechat", "tree", "tree.json", tree, 3, 1)}
}

// LMStudio makes a conversation with two versions of an answer.
func LMStudio() []Layer {
	text := func(s string) []any { return []any{object{"type": "text", "text": s}} }
	data := toJSON(object{"name": "Tea", "createdAt": 1744577557127, "systemPrompt": "", "pinned": false,
		"perChatPredictionConfig": object{"fields": []any{object{"key": "llm.prediction.systemPrompt", "value": "Be kind."}}},
		"messages": []any{
			object{"versions": []any{object{"role": "user", "type": "singleStep", "content": append(text("What is this?"), object{"type": "file", "fileIdentifier": "1.png", "fileType": "image", "sizeBytes": 3})}}, "currentlySelected": 0},
			object{"versions": []any{
				object{"role": "assistant", "type": "singleStep", "content": text("A kettle.")},
				object{"role": "assistant", "type": "multiStep", "senderInfo": object{"senderName": "q"}, "steps": []any{
					object{"type": "contentBlock", "content": text("Hm."), "style": object{"type": "thinking"}, "genInfo": object{"identifier": "qwen"}},
					object{"type": "contentBlock", "content": []any{object{"type": "toolCallRequest", "callId": 1, "name": "look", "parameters": object{"at": "it"}}, object{"type": "toolCallResult", "toolCallId": 1, "content": "a pot"}}},
					object{"type": "contentBlock", "content": text("A teapot.")}}}}, "currentlySelected": 1},
			object{"versions": []any{object{"role": "user", "type": "singleStep", "content": text("Thank you.")}}, "currentlySelected": 0},
		}})
	return []Layer{talks("lm-studio", "conversations", "1744577557127.conversation.json", data, 5, 1)}
}

// Jan makes a data folder with two threads, one of them empty, and a file of
// messages alone.
func Jan() []Layer {
	thread := func(id, title string) File {
		return File{Name: "jan/threads/" + id + "/thread.json", Data: toJSON(object{"id": id, "object": "thread", "title": title, "assistants": []any{object{"assistant_id": "jan", "model": object{"id": "qwen"}}}, "created": 1744577557, "updated": 1744577600, "metadata": object{}})}
	}
	message := func(i int, role string, at int64, parts ...any) object {
		return object{"id": fmt.Sprintf("msg%d", i), "object": "thread.message", "thread_id": "t1", "role": role, "content": parts, "status": "ready", "created_at": at, "metadata": object{}}
	}
	part := func(kind, s string) object {
		return object{"type": kind, "text": object{"value": s, "annotations": []any{}}}
	}
	rows := lines(message(1, "user", 1744577557, part("text", "What is this?"), object{"type": "image_url", "image_url": object{"url": Picture}}),
		message(2, "assistant", 1744577558123, part("reasoning", "Hm."), part("text", "A teapot.")))
	rows = bytes.TrimSuffix(rows, []byte("\n"))
	folder := Layer{Reader: "jan", Name: "threads", Records: 4, Talks: 1, Files: []File{{Name: "jan.zip", Data: Zip([]File{
		thread("t1", "Tea"), {Name: "jan/threads/t1/messages.jsonl", Data: rows}, thread("t2", "Nothing")})}}}
	return []Layer{folder, talks("jan", "messages", "messages.jsonl", rows, 3, 1)}
}
