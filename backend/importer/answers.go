package importer

import (
	"strings"

	"keepsake/backend/memory"
)

// AnswersWithoutText counts the messages of an assistant that have no text, by what they
// hold instead: "call", "thought", "image", "audio", "video", "file", "source", "metadata"
// or "nothing". Most are as they should be; one that holds metadata only may be an answer
// that stands where its reader does not look.
func AnswersWithoutText(messages []memory.Message) map[string]int {
	counts := map[string]int{}
	for i := range messages {
		if m := &messages[i]; m.Role == memory.Assistant && strings.TrimSpace(m.Content.PlainText()) == "" {
			counts[heldInstead(m)]++
		}
	}
	return counts
}

// heldInstead names the first of what a message without text holds.
func heldInstead(m *memory.Message) string {
	media := ""
	for _, a := range m.Attachments {
		media = FirstOf(media, a.Type)
	}
	if m.Content != nil {
		for _, p := range m.Content.Parts {
			media = FirstOf(media, p.Type)
		}
	}
	switch {
	case len(m.ToolCalls) > 0:
		return "call"
	case m.IsThought:
		return "thought"
	case media == "image" || media == "audio" || media == "video":
		return media
	case media != "":
		return "file"
	case len(m.Citations) > 0:
		return "source"
	case len(m.RawMetadata) > 0:
		return "metadata"
	}
	return "nothing"
}
