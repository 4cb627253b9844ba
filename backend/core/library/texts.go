package library

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"keepsake/backend/core/rows"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// keptOfMIF is the field of a memory with the JSON that a document of the Memory
// Interchange Format had about it.
const keptOfMIF = "metadata." + mif.Kept

// Seeing is called with the name of a field and its text, and returns the text that
// replaces it.
type Seeing func(field, text string) string

// EachText replaces every text of a memory that a person may have written by the result of
// see. It replaces the Metadata map by a copy, because others may hold the old map.
func EachText(r *memory.Record, see Seeing) {
	r.Content, r.Summary = see("content", r.Content), see("summary", r.Summary)
	if who := r.Provenance.PlatformUserID; who != "" && see("platform_user_id", who) != who {
		r.Provenance.PlatformUserID = ""
	}
	if r.Metadata != nil {
		r.Metadata, _ = eachString(r.Metadata, "metadata", func(field, text string) string {
			if field == keptOfMIF { // JSON in a string: see gets the strings in it, not its names or numbers
				return string(EachTextOfJSON([]byte(text), field, see))
			}
			return see(field, text)
		}).(map[string]any)
	}
}

// eachString returns a copy of a JSON value in which see has replaced every string. The
// names of members stay.
func eachString(value any, path string, see Seeing) any {
	switch v := value.(type) {
	case string:
		return see(path, v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = eachString(v[i], path+"."+strconv.Itoa(i), see)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[name] = eachString(v[name], path+"."+name, see)
		}
		return out
	}
	return value
}

// EachTextOfJSON calls see for every string in a JSON text; a text that is not JSON is
// passed to see as a whole. If nothing changes, it returns raw itself.
func EachTextOfJSON(raw []byte, path string, see Seeing) []byte {
	value, ok := ValueOf(raw)
	if !ok {
		return []byte(see(path, string(raw)))
	}
	changed := false
	out := eachString(value, path, func(field, s string) string {
		is := see(field, s)
		changed = changed || is != s
		return is
	})
	if !changed {
		return raw
	}
	text, err := rows.EncodeJSON(out)
	if err != nil { // cannot happen: out was decoded from JSON
		return nil
	}
	return text
}

// ValueOf decodes a JSON value. Numbers become json.Number, so that they are encoded again
// as they were written.
func ValueOf(raw []byte) (value any, ok bool) {
	from := json.NewDecoder(bytes.NewReader(raw))
	from.UseNumber()
	return value, from.Decode(&value) == nil && !from.More()
}

// EachTextOfConversation calls see for every text of a stored conversation, except for
// RawMetadata (members that only the provider knows). What see returns is discarded.
func EachTextOfConversation(tx *vault.Tx, id string, see Seeing) error {
	h, err := tx.ConversationHead(id)
	if err != nil {
		return err
	}
	EachTextOfHead(&h.Conversation, see)
	i := 0
	for m, err := range tx.Messages(id) {
		if err != nil {
			return err
		}
		EachTextOfMessage(&m, MessageField(i), see)
		i++
	}
	return nil
}

// EachTextOfHead calls see for every text of a conversation outside its messages.
func EachTextOfHead(c *memory.Conversation, see Seeing) {
	c.Title, c.SystemInstruction = see(TitleField, c.Title), see("system_instruction", c.SystemInstruction)
	for i := range c.Participants {
		at, p := "participants."+strconv.Itoa(i), &c.Participants[i]
		p.Name, p.ProviderID = see(at+".name", p.Name), see(at+".provider_id", p.ProviderID)
	}
	c.Provider.AccountID = see("provider.account_id", c.Provider.AccountID)
}

// TitleField is the field name with which a Seeing is called for a conversation's title.
const TitleField = "title"

// MessageField is the beginning of the field names of message i, as passed to a Seeing.
func MessageField(i int) string { return "messages." + strconv.Itoa(i) }

// EachTextOfMessage replaces every text of a message by the result of see. at is the
// beginning of the field names, from MessageField.
func EachTextOfMessage(m *memory.Message, at string, see Seeing) {
	if m.Content != nil {
		m.Content.Text = see(at+".content", m.Content.Text)
		for i := range m.Content.Parts {
			m.Content.Parts[i].Text = see(at+".content."+strconv.Itoa(i), m.Content.Parts[i].Text)
		}
	}
	for i := range m.Attachments {
		m.Attachments[i].Name = see(at+".attachments."+strconv.Itoa(i), m.Attachments[i].Name)
	}
	for i := range m.Citations {
		at, q := at+".citations."+strconv.Itoa(i), &m.Citations[i]
		q.Title, q.Snippet = see(at+".title", q.Title), see(at+".snippet", q.Snippet)
		if see(at+".url", q.URL) != q.URL { // a changed URL would lead nowhere, so it is dropped
			q.URL = ""
		}
	}
	for i := range m.ToolCalls {
		at, call := at+".tool_calls."+strconv.Itoa(i), &m.ToolCalls[i]
		if _, ok := ValueOf(call.Input); ok {
			call.Input = EachTextOfJSON(call.Input, at+".input", see)
		} else {
			call.Input = nil
		}
		call.Output = see(at+".output", call.Output)
	}
}

// EachTextOfTodo replaces every text of a task by the result of see.
func EachTextOfTodo(t *memory.Todo, see Seeing) {
	t.Content, t.Notes, t.Project = see("content", t.Content), see("notes", t.Notes), see("project", t.Project)
	t.Contexts, t.Tags = eachOf(t.Contexts, "contexts", see), eachOf(t.Tags, "tags", see)
	if t.MIF != "" {
		t.MIF = string(EachTextOfJSON([]byte(t.MIF), "mif", see))
	}
}

func eachOf(all []string, field string, see Seeing) []string {
	out := slices.Clone(all)
	for i := range out {
		out[i] = see(field, out[i])
	}
	return out
}
