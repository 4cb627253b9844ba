package gen

import "time"

// LeChat makes an export of n chats: the first has two files, one of them
// missing; every second answer was tried twice; every third came with a tool.
func LeChat(seed uint64, n int) ([]byte, Truth) {
	m := newMaker(seed)
	var truth Truth
	var files []File
	for i := range n {
		id, began := m.uuid(), day.Add(time.Duration(i)*time.Hour)
		said := m.sentence(7)
		planted := Talk{ID: id, Title: said, Said: []string{said}}
		asked, answered := m.uuid(), m.uuid()
		message := func(id, role string, version int, at time.Time, text string) object {
			planted.Messages++
			return object{"id": id, "version": version, "chatId": planted.ID, "content": text, "contentChunks": nil, "role": role,
				"createdAt": at.Format("2006-01-02T15:04:05.000Z"), "reaction": "neutral", "canvas": []any{}, "files": []any{}}
		}
		question := message(asked, "user", 0, began, said)
		if i == 0 {
			question["files"] = []any{object{"type": "image", "name": "photo.png"}, object{"type": "document", "name": "gone.pdf"}}
			files = append(files, File{Name: "chat-" + id + "-files/photo.png", Data: []byte("\x89PNG\r\n\x1a\npicture"), Store: true})
			truth.Attachments, truth.Missing = 1, 1
		}
		list := []any{question}
		if i%2 == 1 {
			list = append(list, message(answered, "assistant", 0, began.Add(time.Second), "An answer that was tried again."))
		}
		answer := message(answered, "assistant", 1, began.Add(2*time.Second), "")
		answer["contentChunks"] = []any{object{"type": "text", "text": m.sentence(5)}, object{"type": "text", "text": " And more."}}
		if i%3 == 2 {
			answer["contentChunks"] = append(answer["contentChunks"].([]any), object{"type": "tool_call", "name": "web_search", "arguments": object{"query": "example"}})
		}
		files = append(files, File{Name: "chat-" + id + ".json", Data: toJSON(append(list, answer))})
		truth.Conversations = append(truth.Conversations, planted)
		truth.Messages += planted.Messages
	}
	truth.Records = truth.Messages
	return Zip(files), truth
}
