package grok

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// when reads a time in one of the three ways that Grok writes them.
func when(v jsontext.Value) memory.Time {
	switch v.Kind() {
	case '"':
		s, _ := jsonstream.Text(v)
		if t := importer.When(s); !t.IsZero() {
			return t
		}
		return sinceEpoch(s)
	case '0':
		return sinceEpoch(string(v))
	case '{':
		if date := jsonstream.Member(v, "$date"); date != nil {
			return when(date)
		}
		return sinceEpoch(importer.TextIn(v, "$numberLong"))
	}
	return memory.Time{}
}

// sinceEpoch reads milliseconds since 1970.
func sinceEpoch(s string) memory.Time {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return memory.Time{}
	}
	return memory.FromUnix(ms / 1000)
}

// uuid finds the ids of uploads inside links and lists.
var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// drawn are the tags that Grok's page draws in place of text.
var drawn = regexp.MustCompile(`(?s)\s*<grok:render\b[^>]*?(/>|>.*?</grok:render>)`)

// undrawn is a message without them.
func undrawn(text string) string {
	if !strings.Contains(text, "<grok:render") {
		return text
	}
	return strings.TrimSpace(drawn.ReplaceAllString(text, ""))
}

// about reads what a conversation says of itself, and returns the response that
// was shown last.
func (r *reading) about(c *memory.Conversation, v jsontext.Value) (leaf string) {
	for name, value := range jsonstream.Members(v) {
		text, _ := jsonstream.Text(value)
		switch name {
		case "id", "conversation_id":
			continue
		case "leaf_response_id":
			leaf = text
			continue
		case "user_id":
			c.Provider.AccountID = text
		case "title":
			if c.Title = importer.Line(text); c.Title != text {
				importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
			}
		case "create_time":
			c.Temporal.CreatedAt = when(value)
		case "modify_time":
			c.Temporal.UpdatedAt = when(value)
		default:
			importer.KeepRaw(&c.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	return leaf
}
