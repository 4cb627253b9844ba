package exports

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/memory"
)

// removedID replaces a provider's id in a text.
const removedID = "[id]"

// stripMemory removes every id that a provider gave, and all metadata that neither PAM
// nor Keepsake defines, because it may hold more ids. In the texts it replaces the ids
// that it removed from r.Provenance, and from: the ids of the memory's conversation.
func stripMemory(r *memory.Record, from []string) {
	known := cleanerOf(append([]string{r.Provenance.PlatformUserID, r.Provenance.MessageRef}, from...))
	if clean := known.text(r.Content); clean != r.Content {
		r.Content, r.ContentHash = clean, memory.ContentHash(clean)
	}
	r.Summary = known.text(r.Summary)
	r.Provenance.PlatformUserID, r.Provenance.MessageRef = "", ""
	kept := map[string]any{}
	for _, name := range []string{"language", library.DomainKey, memory.CreatedFromKey, memory.ReviewKey, memory.ChapterKey, memory.AskedKey, redactionsMember} {
		if value, ok := r.Metadata[name]; ok {
			kept[name] = value
		}
	}
	r.Metadata = kept
}

// idStripper removes every id of a provider from a conversation: those of the account,
// the conversation, its messages, files and tool calls, wherever they occur in texts, too.
// It also drops raw metadata and the source file's name, which may hold more ids. Messages
// get numbers as ids, so that replies still refer to each other.
type idStripper struct {
	cleaner
	numbers map[string]string // message id → new id
}

// newIDStripper collects the ids in a conversation; call it before any id is removed.
func newIDStripper(c *memory.Conversation, all browse.Messages) (idStripper, error) {
	ids := []string{c.ID, c.Provider.ConversationID, c.Provider.AccountID}
	for _, p := range c.Participants {
		ids = append(ids, p.ProviderID)
	}
	numbers := map[string]string{}
	n := 0
	for m, err := range all {
		if err != nil {
			return idStripper{}, err
		}
		n++
		numbers[m.ID] = "m" + strconv.Itoa(n)
		ids = append(ids, m.ID, m.ProviderMessageID)
		for _, a := range m.Attachments {
			ids = append(ids, a.ProviderID)
		}
		for _, call := range m.ToolCalls {
			ids = append(ids, call.ID)
		}
	}
	return idStripper{cleanerOf(ids), numbers}, nil
}

// head strips the ids from a conversation, except from its messages.
func (s idStripper) head(c *memory.Conversation) {
	c.Provider.ConversationID, c.Provider.AccountID = "", ""
	c.RawMetadata = ownMembers(c.RawMetadata)
	c.Title, c.SystemInstruction = s.text(c.Title), s.text(c.SystemInstruction)
	if c.ImportMetadata != nil {
		made := *c.ImportMetadata
		made.SourceFile, made.SourceChecksum = "", ""
		c.ImportMetadata = &made
	}
	for i := range c.Participants {
		p := &c.Participants[i]
		if p.ProviderID = ""; p.Role == memory.User {
			p.Name = "" // a user's name is the name of the account, so it identifies the account
		}
	}
	c.Leaf = s.numbers[c.Leaf]
}

// ownMembers returns raw_metadata with only the member memory.TimeSource, nil if there is
// none: what the provider wrote may hold ids.
func ownMembers(raw memory.RawMetadata) memory.RawMetadata {
	if from, ok := raw[memory.TimeSource]; ok {
		return memory.RawMetadata{memory.TimeSource: from}
	}
	return nil
}

// message strips the ids from one message of the conversation.
func (s idStripper) message(m *memory.Message) {
	m.ID, m.ParentID, m.ProviderMessageID, m.RawMetadata = s.numbers[m.ID], s.numbers[m.ParentID], "", nil
	children := m.ChildrenIDs[:0:0]
	for _, id := range m.ChildrenIDs {
		if n := s.numbers[id]; n != "" {
			children = append(children, n)
		}
	}
	m.ChildrenIDs = children
	for i := range m.Attachments {
		m.Attachments[i].ProviderID = ""
	}
	for i := range m.ToolCalls {
		m.ToolCalls[i].ID = ""
	}
	s.cleanse(m)
}

// cleaner replaces the ids in a given list, wherever they occur in texts, by removedID.
type cleaner struct{ replacer *strings.Replacer }

func cleanerOf(ids []string) cleaner {
	var pairs []string
	seen := map[string]bool{}
	for _, id := range ids {
		for _, form := range []string{id, path.Base(id)} { // such as file-service://file-123 and file-123
			if looksLikeID(form) && !seen[form] {
				seen[form] = true
				pairs = append(pairs, form, removedID)
			}
		}
	}
	return cleaner{strings.NewReplacer(pairs...)}
}

// shortestID is the least length of an id that is replaced in texts. Shorter ones, such
// as "m1", also occur inside ordinary words.
const shortestID = 8

// looksLikeID reports whether replacing s in texts is safe, that is, would not match
// words or break JSON: s is long, has a digit, and consists of plain characters only.
func looksLikeID(s string) bool {
	digit := false
	for _, r := range s {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.:@/", r)
		if r >= '0' && r <= '9' {
			digit = true
		} else if !plain {
			return false
		}
	}
	return digit && len(s) >= shortestID
}

func (c cleaner) text(s string) string { return c.replacer.Replace(s) }

// cleanse replaces the ids that c knows, such as provider ids, in all texts of a message.
func (c cleaner) cleanse(m *memory.Message) {
	if m.Content != nil {
		m.Content.Text = c.text(m.Content.Text)
		for i := range m.Content.Parts {
			m.Content.Parts[i].Text = c.text(m.Content.Parts[i].Text)
		}
	}
	for i := range m.Attachments {
		m.Attachments[i].Name = c.text(m.Attachments[i].Name)
	}
	for i := range m.Citations {
		q := &m.Citations[i]
		q.Title, q.URL, q.Snippet = c.text(q.Title), c.link(q.URL), c.text(q.Snippet)
	}
	for i := range m.ToolCalls {
		call := &m.ToolCalls[i]
		call.Input, call.Output = c.json(call.Input), c.text(call.Output)
	}
}

// link returns url, or "" if it contains an id: without the id it would be a dead link.
func (c cleaner) link(url string) string {
	if c.text(url) != url {
		return ""
	}
	return url
}

// json removes ids from a JSON value. It returns nil if the result is not valid JSON, for
// example because an id was a number.
func (c cleaner) json(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	if clean := json.RawMessage(c.text(string(raw))); json.Valid(clean) {
		return clean
	}
	return nil
}
