package claude

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// root is the parent of messages that have none.
const root = "00000000-0000-4000-8000-000000000000"

// wireMessage is one element of chat_messages.
type wireMessage struct {
	uuid     string
	parent   string // "" for none
	linked   bool   // it names a parent, or that it has none
	sender   string
	text     string
	content  jsontext.Value
	attached jsontext.Value
	files    jsontext.Value
	created  memory.Time
	raw      memory.RawMetadata
}

func (r *reading) message(v jsontext.Value) wireMessage {
	m := wireMessage{raw: memory.RawMetadata{}}
	for name, value := range jsonstream.Members(v) {
		s, isText := jsonstream.Text(value)
		switch {
		case name == "uuid" && isText:
			m.uuid = s
		case name == "parent_message_uuid":
			m.linked = true
			if s != root {
				m.parent = s
			}
		case name == "sender" && isText:
			m.sender = s
		case name == "text" && isText:
			m.text = s
		case name == "content" && value.Kind() == '[':
			m.content = value
		case name == "attachments" && value.Kind() == '[':
			m.attached = value
		case name == "files" && value.Kind() == '[':
			m.files = value
		case name == "created_at":
			m.created = r.time(m.raw, name, value)
		default:
			importer.KeepRaw(&m.raw, name, jsonstream.Keep(value))
		}
	}
	return m
}

// nativeID is the provider's id; where there is none, a hash of what does not
// change from one export to the next.
func nativeID(raw jsontext.Value) string {
	if id := importer.TextIn(raw, "uuid"); id != "" {
		return id
	}
	h := sha256.New()
	for _, part := range []string{importer.TextIn(raw, "created_at"), importer.TextIn(raw, "name")} {
		h.Write([]byte(part + "\x00"))
	}
	for _, m := range jsonstream.Items(jsonstream.FirstMember(raw, "chat_messages", "messages")) {
		h.Write([]byte(importer.TextIn(m, "uuid") + importer.TextIn(m, "text")))
		break
	}
	return "x-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// when reads a time. Claude writes RFC 3339 with up to nine digits; where the
// zone is missing UTC is meant. What is no time, or in 1970, is unknown.
func when(v jsontext.Value) memory.Time {
	s, ok := jsonstream.Text(v)
	if !ok {
		return memory.Time{}
	}
	t, err := memory.ParseTime(s)
	if err != nil {
		t, err = memory.ParseTime(s + "Z")
	}
	if err != nil || t.Year() <= 1970 {
		return memory.Time{}
	}
	return t
}
