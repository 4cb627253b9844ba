package gen

import (
	"bytes"
	"encoding/csv"
	"slices"
	"time"
)

// Copilot makes a table of n conversations, in format "a", "b" or "windows". Of
// "a", question and answer share a time, and two conversations share a title.
func Copilot(seed uint64, n int, format string) ([]byte, Truth) {
	m := newMaker(seed)
	var truth Truth
	var rows [][]string // oldest first
	add := func(title string, at time.Time, author, text string) {
		row := map[string][]string{
			"a":       {title, at.Format("2006-01-02T15:04:05"), author, text},
			"b":       {at.Format("1/2/2006 15:04:05 -07:00"), text, map[string]string{"Human": "user", "AI": "bot"}[author], title},
			"windows": {at.Format("2006-01-02T15:04:05Z"), "Notepad", text},
		}[format]
		rows = append(rows, row)
		truth.Messages++
	}
	for i := range n {
		began := day.Add(time.Duration(2*i) * time.Hour)
		planted := Talk{Title: m.sentence(3)}
		if i == n-1 && n > 2 {
			planted.Title = truth.Conversations[0].Title // that of the oldest, not its neighbour
		}
		title := planted.Title
		for turn := range 2 {
			at, said := began.Add(time.Duration(turn)*time.Minute), m.sentence(6)+"\nWith \"quotes\", and a second line."
			add(title, at, "Human", said)
			planted.Said, planted.Messages = append(planted.Said, said), planted.Messages+1
			if format != "windows" {
				add(title, at, "AI", m.sentence(9))
				planted.Messages++
			}
		}
		truth.Conversations = append(truth.Conversations, planted)
	}
	truth.Records = truth.Messages
	head := map[string][]string{"a": {"Conversation", "Time", "Author", "Message"}, "b": {"CreatedAt", "MessageContent", "Author", "ChatName"}, "windows": {"Timestamp", "ClientApp", "Prompt"}}[format]
	var out bytes.Buffer
	out.WriteString("\xEF\xBB\xBF")
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	must(w.Write(head))
	for _, row := range slices.Backward(rows) {
		must(w.Write(row))
	}
	w.Flush()
	return out.Bytes(), truth
}
