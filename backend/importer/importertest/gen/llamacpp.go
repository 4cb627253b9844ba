package gen

import (
	"bytes"
	"maps"
)

// LlamaCpp makes a conversation of lines with two answers, a zip of two, and the list of
// before.
func LlamaCpp() []Layer {
	conversation := func(id string) (object, []any) {
		message := func(n, parent, role, content string, more object) any {
			o := object{"convId": id, "id": id + n, "parent": id + parent, "children": []any{}, "role": role, "content": content, "type": "text", "timestamp": 1783619815561}
			maps.Copy(o, more)
			return o
		}
		return object{"id": id, "name": "Tea\nor coffee", "lastModified": 1783620763176, "currNode": id + "c"}, []any{
			message("r", "", "system", "", object{"type": "root"}),
			message("a", "r", "user", "What is this?", object{"extra": []any{object{"type": "textFile", "name": "kettle.txt", "content": "steel"}, object{"type": "IMAGE", "name": "it.png", "base64Url": Picture}, object{"type": "quite_new"}}}),
			message("b", "a", "assistant", "A kettle.", nil),
			message("c", "a", "assistant", "A teapot.", object{"thinking": "Hm.", "model": "qwen", "timings": object{"predicted_n": 3},
				"toolCalls": `[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"tea\"}"}}]`}),
		}
	}
	written := func(id string) []byte {
		head, messages := conversation(id)
		maps.Copy(head, object{"type": "session", "harness": "llama.app"})
		all := []any{head}
		for _, m := range messages {
			all = append(all, object{"type": "message", "message": m})
		}
		return bytes.TrimSuffix(lines(all...), []byte("\n"))
	}
	const records = 3 + 1 + 1 // messages, a thought, the root
	zipped := Layer{Reader: "llama-cpp", Name: "zip", Talks: 2, Records: 2 * records, Files: []File{{Name: "conversations.zip", Data: Zip([]File{
		{Name: "tea.jsonl", Data: written("one")}, {Name: "coffee.jsonl", Data: written("two")}})}}}
	head, messages := conversation("old")
	older := toJSON([]any{object{"conv": head, "messages": messages}, object{"conv": object{"id": "none", "name": "Nothing", "currNode": ""}, "messages": []any{}}})
	return []Layer{talks("llama-cpp", "lines", "tea.jsonl", written("one"), records, 1), zipped, talks("llama-cpp", "list", "llama_conversations.json", older, records+1, 1)}
}
