package zep

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// speakerKey is the member of raw metadata that holds the name of who spoke.
const speakerKey = "keepsake_speaker"

// turn is what one speaker says in an episode. Who is "" where nobody is named.
type turn struct{ who, text string }

var (
	// speaker is a name before what it says: "Kendra: ", "Kendra(user): ", "(assistant): ".
	speaker = regexp.MustCompile(`(?m)^[ \t]*((\pL(?:[\pL\pN .\x27_-]*[\pL\pN.])?)?[ \t]*(?:\([a-z_]{2,12}\))?):[ \t]+`)
	// named is how the name of a second speaker is written; other words before a colon are
	// what the first one says.
	named = regexp.MustCompile(`^(?:\p{Lu}[\pL\pN.\x27_-]*(?: \p{Lu}[\pL\pN.\x27_-]*){0,2}|.*\([a-z_]+\))$`)
)

// longestName bounds the name of a speaker, in characters.
const longestName = 40

// asides are words before a colon that are nobody's name.
var asides = []string{"note", "notes", "ps", "p.s.", "todo", "update", "edit", "re", "subject", "warning", "example", "question", "answer", "summary", "tip", "source", "hint", "important", "reminder"}

// turns parts an episode by who speaks. The first name may be any; a later one begins a
// line, and is a role or looks like a name.
func turns(text string) (list []turn) {
	from, who := 0, ""
	for _, at := range speaker.FindAllStringSubmatchIndex(text, -1) {
		name := strings.TrimSpace(text[at[2]:at[3]])
		first := len(list) == 0 && strings.TrimSpace(text[:at[0]]) == ""
		isTooLong := at[4] >= 0 && utf8.RuneCountInString(text[at[4]:at[5]]) > longestName
		isAside := name == "" || isTooLong || slices.Contains(asides, strings.ToLower(name))
		if isAside || !first && roleOf(name) == "" && !named.MatchString(name) && !isAlike(name, who) {
			continue
		}
		if !first {
			list = append(list, turn{who, strings.TrimRight(text[from:at[0]], "\n")})
		}
		from, who = at[1], name
	}
	return append(list, turn{who, text[from:]})
}

// isAlike reports one word in lower case after a speaker who is written like that.
func isAlike(name, who string) bool {
	return roleOf(who) == "" && who != "" && who == strings.ToLower(who) && name == strings.ToLower(name) && !strings.Contains(name, " ")
}

// roleOf is the role that a name says by itself; "" where it says none.
func roleOf(name string) memory.Role {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c == ' ' || c == '_' || c == '-' || c == '(' || c == ')' })
	has := func(roles ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(roles, w) })
	}
	switch {
	case has("user", "human"):
		return memory.User
	case has("assistant", "ai", "bot", "chatbot", "agent", "model"), strings.HasSuffix(name, "Bot"), strings.Contains(strings.ToLower(name), "assistant"):
		return memory.Assistant
	case has("system"):
		return memory.System
	case has("tool", "function"):
		return memory.Tool
	}
	return ""
}

// cast are those who speak in a conversation and whose role is not said, in the order
// that they come.
type cast struct {
	names []string
	known map[string]bool
	user  bool // somebody is called the user
}

// messages are the turns of one episode. Who spoke stands in a member, or before the text;
// a document that was handed in was said by nobody.
func (c *cast) messages(v jsontext.Value) (list []memory.Message) {
	source, id := importer.TextIn(v, "source"), importer.TextIn(v, "uuid")
	who := importer.FirstText(v, "role_type", "role")
	said := []turn{{who, importer.TextIn(v, "content")}}
	if who == "" && source == "message" {
		said = turns(said[0].text)
	}
	for i, t := range said {
		m := memory.Message{
			ID: id, ProviderMessageID: id, Role: roleOf(t.who),
			CreatedAt: importer.TimeIn(v, "created_at"), Content: importer.PlainContent(t.text),
			RawMetadata: memory.RawMetadata{},
		}
		if i == 0 {
			m.RawMetadata = importer.Rest(v, "uuid", "content", "created_at")
		} else if id != "" {
			m.ID += "#" + strconv.Itoa(i+1)
			m.ProviderMessageID = m.ID
		}
		switch {
		case m.Role == memory.User:
			c.user = true
		case m.Role == "" && t.who == "" && (source == "text" || source == "json"):
			m.Role = memory.System
		case m.Role == "" && (t.who == "" || who != ""):
			m.Role = memory.User
		case m.Role == "":
			importer.KeepText(&m.RawMetadata, speakerKey, t.who)
			if !c.known[t.who] {
				c.names, c.known[t.who] = append(c.names, t.who), true
			}
		}
		list = append(list, m)
	}
	return list
}

// give names those whose role is not said: the first is the person, unless somebody is
// called the user; what others say is nothing that the person said.
func (c *cast) give(d *memory.Conversation) {
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role != "" {
			continue
		}
		name, _ := jsonstream.Text(jsontext.Value(m.RawMetadata[speakerKey]))
		if m.Role = memory.Assistant; !c.user && name == c.names[0] {
			m.Role = memory.User
		}
	}
	for i, name := range c.names {
		role := memory.Assistant
		if i == 0 && !c.user {
			role = memory.User
		}
		d.Participants = append(d.Participants, memory.Participant{Role: role, Name: name})
	}
}
