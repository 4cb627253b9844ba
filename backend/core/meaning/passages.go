package meaning

import (
	"strings"
	"unicode/utf8"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// passage is a text that gets a vector of its own, and where in its record it begins.
type passage struct {
	part uint32 // the message's position; 0 in a memory
	text string
}

// Limits of what is embedded of a conversation.
const (
	mostPassages = 8
	passageBytes = 1200 // more than a vector tells apart
	turnBytes    = 600  // of one message
)

// passagesOf returns the texts of a record. Of a conversation they are its title with what
// the person wrote first, and what else the person wrote, in at most mostPassages parts.
func passagesOf(tx *vault.Tx, kind search.Kind, id string) ([]passage, error) {
	if kind == search.Memory {
		text, err := tx.Get(vault.Memories, id)
		if err != nil {
			return nil, err
		}
		m, err := pam.DecodeMemory(text)
		return inText(passage{text: m.Content}), err
	}
	head, err := tx.ConversationHead(id)
	if err != nil {
		return nil, err
	}
	turns, err := ownTurns(tx, head, id)
	if err != nil {
		return nil, err
	}
	return inText(join(head.Title, turns)...), nil
}

// ownTurns returns the beginnings of the messages that the person wrote.
func ownTurns(tx *vault.Tx, head vault.ConversationHead, id string) (turns []passage, err error) {
	seq, err := tx.Seq(vault.Conversations, id)
	if err != nil {
		return nil, err
	}
	texts := tx.Texts()
	for i := range head.MessageCount {
		m, err := texts.At(seq, i)
		if err != nil {
			return nil, err
		}
		if m.Role == memory.User {
			turns = append(turns, passage{uint32(i), clip(m.Content.PlainText(), turnBytes)})
		}
	}
	return turns, nil
}

// join puts neighbouring turns together, the title before the first.
func join(title string, turns []passage) []passage {
	if len(turns) == 0 {
		return []passage{{part: search.Title, text: title}}
	}
	size := (len(turns) + mostPassages - 1) / mostPassages
	var out []passage
	for i, turn := range turns {
		if i%size == 0 {
			out = append(out, passage{part: turn.part})
		}
		last := &out[len(out)-1]
		last.text = clip(last.text+"\n"+turn.text, passageBytes)
	}
	out[0].text = title + out[0].text
	return out
}

// inText leaves out passages without any text.
func inText(all ...passage) (out []passage) {
	for _, p := range all {
		if p.text = strings.TrimSpace(p.text); p.text != "" {
			out = append(out, p)
		}
	}
	return out
}

// clip returns the beginning of a text, in whole characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
