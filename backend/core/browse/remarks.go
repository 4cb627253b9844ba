package browse

import (
	"encoding/json"
	"net/url"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// Members of raw_metadata in which importers store the ratings and share links of an
// export unchanged.
const (
	ratingsMember = "message_feedback"     // ChatGPT: a list of ratings
	sharesMember  = "shared_conversations" // ChatGPT: a list of share links
	shareMember   = "share_link"           // Grok: one share link
)

// ratingOf returns the last rating that the person gave a message, nil if there is none.
func ratingOf(raw memory.RawMetadata) *library.Rating {
	var rows []struct{ Rating, Content string }
	if json.Unmarshal(raw[ratingsMember], &rows) != nil {
		return nil
	}
	for i := len(rows) - 1; i >= 0; i-- {
		switch strings.ToLower(strings.ReplaceAll(rows[i].Rating, "_", "")) {
		case "thumbsup":
			return &library.Rating{Good: true, Words: ratingWords(rows[i].Content)}
		case "thumbsdown":
			return &library.Rating{Good: false, Words: ratingWords(rows[i].Content)}
		}
	}
	return nil
}

// ratingWords returns the text and tags in a rating's content, which is a JSON string.
func ratingWords(content string) string {
	var said struct {
		Text string
		Tags []string
	}
	if json.Unmarshal([]byte(content), &said) != nil {
		return ""
	}
	if said.Text != "" {
		said.Tags = append([]string{said.Text}, said.Tags...)
	}
	return strings.Join(said.Tags, " · ")
}

// links collects the share links of a conversation, each once. Nothing is ever fetched
// from them.
type links struct {
	all  []string
	seen map[string]bool
}

// newLinks returns the share links in the raw metadata of a conversation. The caller adds
// the links of its messages by calling links.of for each message.
func newLinks(raw memory.RawMetadata) *links {
	l := &links{all: []string{}, seen: map[string]bool{"": true}}
	var rows []struct{ ID string }
	if json.Unmarshal(raw[sharesMember], &rows) == nil {
		for _, row := range rows {
			if row.ID != "" {
				l.add("https://chatgpt.com/share/" + url.PathEscape(row.ID))
			}
		}
	}
	return l
}

// of adds the https share link in the raw metadata of a message, if there is one.
func (l *links) of(m *memory.Message) {
	var link string
	if raw, has := m.RawMetadata[shareMember]; has && json.Unmarshal(raw, &link) == nil && strings.HasPrefix(link, "https://") {
		l.add(link)
	}
}

func (l *links) add(link string) {
	if !l.seen[link] {
		l.seen[link] = true
		l.all = append(l.all, link)
	}
}

// ContinuedOf returns the earlier conversation, and the message in it, that a
// conversation continues according to its raw_metadata; empty if it continues none.
func ContinuedOf(raw memory.RawMetadata) (c library.Continued) {
	_ = json.Unmarshal(raw[library.ContinuesMember], &c) // missing or malformed: c stays empty
	return c
}
