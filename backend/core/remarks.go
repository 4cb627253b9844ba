package core

import (
	"encoding/json"
	"net/url"
	"strings"

	"keepsake/backend/memory"
)

// Rating is what the person thought of an answer when they read it.
type Rating struct {
	Good  bool
	Words string // what they wrote, or picked, beside it; "" for nothing
}

// Members of raw_metadata in which readers keep, as they stood, what was said of
// a message and of a conversation.
const (
	ratingsMember = "message_feedback"     // of ChatGPT: a list of rows
	sharesMember  = "shared_conversations" // of ChatGPT: a list of rows
	shareMember   = "share_link"           // of Grok: an address
)

// ratingOf is the last rating of a message, nil where there is none.
func ratingOf(raw memory.RawMetadata) *Rating {
	var rows []struct{ Rating, Content string }
	if json.Unmarshal(raw[ratingsMember], &rows) != nil {
		return nil
	}
	for i := len(rows) - 1; i >= 0; i-- {
		switch strings.ToLower(strings.ReplaceAll(rows[i].Rating, "_", "")) {
		case "thumbsup":
			return &Rating{true, ratingWords(rows[i].Content)}
		case "thumbsdown":
			return &Rating{false, ratingWords(rows[i].Content)}
		}
	}
	return nil
}

// ratingWords are those of a rating's content, which is a text of JSON.
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

// sharedLinks are the addresses under which a conversation was shown to others,
// each once. Nothing is ever fetched from them.
func sharedLinks(c *memory.Conversation) []string {
	links := []string{}
	seen := map[string]bool{"": true}
	add := func(link string) {
		if !seen[link] {
			seen[link] = true
			links = append(links, link)
		}
	}
	var rows []struct{ ID string }
	if json.Unmarshal(c.RawMetadata[sharesMember], &rows) == nil {
		for _, row := range rows {
			if row.ID != "" {
				add("https://chatgpt.com/share/" + url.PathEscape(row.ID))
			}
		}
	}
	for i := range c.Messages {
		var link string
		if json.Unmarshal(c.Messages[i].RawMetadata[shareMember], &link) == nil && strings.HasPrefix(link, "https://") {
			add(link)
		}
	}
	return links
}
