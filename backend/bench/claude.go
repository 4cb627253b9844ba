package bench

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// claudeDay is when the first conversation began.
var claudeDay = time.Date(2025, 9, 1, 8, 0, 0, 0, time.UTC)

// noParent is what the first message of a conversation hangs on.
const noParent = "00000000-0000-4000-8000-000000000000"

// WriteClaude writes a Claude export to path, as its site does: raw UTF-8, a
// tree of messages with blocks. It holds no memories.
func WriteClaude(path string, size Size) (Truth, error) {
	size.Memories = 0
	return writeZip(path, size, func(w *writer, z *zip.Writer) error {
		account := w.id()
		if err := w.all(func() { w.talk(account) }); err != nil {
			return err
		}
		users, err := z.Create("users.json")
		if err == nil {
			_, err = io.WriteString(users, `[{"uuid":"`+account+`","full_name":"Sam Example","email_address":"sam@example.org","verified_phone_number":null}]`)
		}
		return err
	})
}

func stamp(t time.Time) string { return `"` + t.Format("2006-01-02T15:04:05.000000Z") + `"` }

func (w *writer) talk(account string) {
	at := claudeDay.Add(time.Duration(w.truth.Conversations) * 17 * time.Minute)
	w.raw(`{"uuid":"` + w.id() + `","name":` + raw(w.text(4)) + `,"summary":"","created_at":` + stamp(at) + `,"updated_at":` + stamp(at.Add(time.Hour)) +
		`,"account":{"uuid":"` + account + `"},"chat_messages":[`)
	parent := noParent
	for i := range 2 + w.rand.IntN(46) {
		if i > 0 {
			w.raw(",")
		}
		id, sender, mean := w.id(), "human", userWords
		if i%2 == 1 {
			sender, mean = "assistant", assistantWords
		}
		said := w.text(w.length(mean))
		w.truth.Text += int64(len(said))
		text, when := raw(said), stamp(at.Add(time.Duration(i)*time.Minute))
		w.raw(fmt.Sprintf(`{"uuid":"%s","text":%s,"content":[{"start_timestamp":%s,"stop_timestamp":%s,"flags":null,"type":"text","text":%s,"citations":[]}],`+
			`"sender":"%s","created_at":%s,"updated_at":%s,"attachments":[],"files":[],"parent_message_uuid":"%s"}`, id, text, when, when, text, sender, when, when, parent))
		parent = id
		w.truth.Messages++
	}
	w.raw("]}")
	w.truth.Conversations++
}

// raw writes a string as it is, but for what JSON must escape.
func raw(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
