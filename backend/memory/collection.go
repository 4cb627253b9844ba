package memory

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Collection is what leaves a vault to be read by people: the formats for that
// (Markdown, HTML, CSV) are made of it. Nothing in it is to be hidden any more.
type Collection struct {
	Made     Time
	Words    Wording
	Owner    string                   // id of whose they are
	Memories iter.Seq2[Record, error] // by type in the order of §5, the oldest first; may be walked more than once
	Types    map[Type]int             // how many memories of each

	Relations []Relation // between these memories

	// Use says how often a memory was read; nil where nobody counted.
	Use func(Record) (Use, error)

	// Talks are the conversations that leave, without messages; Conversations
	// streams them whole, in that order, but for what nobody reads of messages:
	// raw members, ids of a provider, and children, which parents tell as well.
	Talks         []Conversation
	Conversations iter.Seq2[*Conversation, error]
}

// maxTitle is in code points.
const maxTitle = 72

// Title is a memory in one short line: its summary, or the beginning of what it
// says.
func (r Record) Title() string {
	text := r.Summary
	if strings.TrimSpace(text) == "" {
		text = r.Content
	}
	return shortLine(text, maxTitle)
}

// Heading is the title of a conversation in one short line; "" where it has none.
func (c *Conversation) Heading() string { return shortLine(c.Title, maxTitle) }

// shortLine is the first line with anything on it, cut between words.
func shortLine(text string, limit int) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	text = strings.Join(strings.Fields(text), " ")
	at, points := 0, 0
	for at < len(text) && points < limit {
		_, size := utf8.DecodeRuneInString(text[at:])
		at, points = at+size, points+1
	}
	if at == len(text) {
		return text
	}
	if space := strings.LastIndexByte(text[:at], ' '); space > at/2 {
		at = space
	}
	return text[:at] + "…"
}

// Titles are those of the memories that others lead to, by id.
func (c Collection) Titles() (map[string]string, error) {
	titles := map[string]string{}
	for _, rel := range c.Relations {
		titles[rel.From], titles[rel.To] = "", ""
	}
	if len(titles) == 0 {
		return titles, nil
	}
	for m, err := range c.Memories {
		if err != nil {
			return nil, err
		}
		if _, wanted := titles[m.ID]; wanted {
			titles[m.ID] = m.Title()
		}
	}
	return titles, nil
}

// Link is a relation as it is seen from one of its ends.
type Link struct {
	Type    RelationType
	Inverse bool   // the relation leads from the other memory to this one
	ID      string // of the other memory
}

// Links are the relations of each memory, seen from it.
func (c Collection) Links() map[string][]Link {
	links := map[string][]Link{}
	for _, rel := range c.Relations {
		links[rel.From] = append(links[rel.From], Link{Type: rel.Type, ID: rel.To})
		links[rel.To] = append(links[rel.To], Link{Type: rel.Type, Inverse: true, ID: rel.From})
	}
	return links
}

// Reading is a conversation as people read it: the messages of the active path,
// first to last, and those of other branches as they stand.
func (c *Conversation) Reading() (path, others []*Message) {
	on := map[string]bool{}
	for _, at := range slices.Backward(c.activePositions()) {
		path = append(path, &c.Messages[at])
		on[c.Messages[at].ID] = true
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; !on[m.ID] {
			others = append(others, m)
		}
	}
	if len(path) == 0 {
		return others, nil
	}
	return path, others
}
