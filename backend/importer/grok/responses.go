package grok

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// parentMember is where a parent that is not in the export stays.
const parentMember = "parent_response_id"

// responses joins the responses of a conversation to a graph.
func (r *reading) responses(d *importer.ConversationDraft, list jsontext.Value, leaf string) error {
	c := &d.Conversation
	d.Messages = importer.Room(list)
	t := importer.NewThread(d)
	for n, wrapped := range jsonstream.Items(list) {
		v := jsonstream.Member(wrapped, "response")
		if v == nil {
			v = wrapped
		}
		if v.Kind() != '{' {
			r.Sink.Unknown("record:" + v.Kind().String())
			importer.KeepRaw(&c.RawMetadata, fmt.Sprintf("responses_%d", n), jsonstream.Keep(wrapped))
			continue
		}
		m, thoughts, err := r.response(v)
		if err != nil {
			return err
		}
		if link := jsonstream.Member(wrapped, "share_link"); !importer.IsNothing(link) {
			importer.KeepRaw(&m.RawMetadata, "share_link", jsonstream.Keep(link))
		}
		if m.Role == memory.Assistant && m.Model != "" {
			c.Model = m.Model
		}
		addWithThoughts(t, m, thoughts)
	}
	t.Join(leaf, parentMember)
	return nil
}

// addWithThoughts puts thoughts before the message that they led to.
func addWithThoughts(t *importer.Thread, m memory.Message, thoughts []string) {
	for i, thought := range thoughts {
		m.ParentID = t.Add(memory.Message{ID: m.ID + "#" + strconv.Itoa(i+1), ParentID: m.ParentID, Role: m.Role, Model: m.Model,
			CreatedAt: m.CreatedAt, IsThought: true, Content: importer.Words(thought)})
	}
	t.Add(m)
}

// response translates one response.
func (r *reading) response(v jsontext.Value) (m memory.Message, thoughts []string, err error) {
	sender, said := "", ""
	for name, value := range jsonstream.Members(v) {
		text, _ := jsonstream.Text(value)
		switch name {
		case "_id", "response_id":
			m.ID, m.ProviderMessageID = text, text
		case "conversation_id":
		case parentMember:
			m.ParentID = text
		case "sender":
			sender = text
		case "message":
			said = text
		case "model":
			m.Model = text
		case "create_time":
			if m.CreatedAt = when(value); m.CreatedAt.IsZero() && !importer.IsNothing(value) {
				importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
			}
		case "thinking_trace", "agent_thinking_traces":
			thoughts = append(thoughts, traces(value)...)
			if value.Kind() != '"' && !importer.IsNothing(value) {
				importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
			}
		case "cited_web_search_results":
			m.Citations = cited(value)
			fallthrough
		default:
			if !importer.IsNothing(value) && string(value) != "false" {
				importer.KeepRaw(&m.RawMetadata, name, jsonstream.Keep(value))
			}
		}
	}
	m.Role = r.role(&m, sender)
	if shown := undrawn(said); shown != said {
		importer.KeepText(&m.RawMetadata, "message", said)
		said = shown
	}
	m.Content = importer.Words(said)
	m.Attachments, err = r.attached(v)
	return m, thoughts, err
}

// role translates the sender, which may be the name of a model.
func (r *reading) role(m *memory.Message, sender string) memory.Role {
	switch low := strings.ToLower(sender); {
	case low == "human", low == "user":
		return memory.User
	case low == "assistant", low == "agent":
		return memory.Assistant
	case strings.HasPrefix(low, "grok"):
		if m.Model == "" {
			m.Model = sender
		}
		return memory.Assistant
	case low == "system":
		return memory.System
	}
	r.Sink.Unknown("sender:" + sender)
	importer.KeepText(&m.RawMetadata, "sender", sender)
	return memory.System
}

// traces are the texts of thoughts: one text, or a list of texts or objects.
func traces(v jsontext.Value) (all []string) {
	add := func(s string) {
		if strings.TrimSpace(s) != "" {
			all = append(all, s)
		}
	}
	if s, ok := jsonstream.Text(v); ok {
		add(s)
	}
	for _, item := range jsonstream.Items(v) {
		if s, ok := jsonstream.Text(item); ok {
			add(s)
		} else {
			add(importer.FirstText(item, "thinking_trace", "trace", "text", "message"))
		}
	}
	return all
}

// cited are the pages that an answer names.
func cited(v jsontext.Value) (all []memory.Citation) {
	for _, item := range jsonstream.Items(v) {
		all = importer.AddCitation(all, importer.TextIn(item, "title"), importer.TextIn(item, "url"), importer.TextIn(item, "preview"))
	}
	return all
}

// attached are the files of a response: uploads, and pictures that were made.
func (r *reading) attached(v jsontext.Value) (all []memory.Attachment, err error) {
	seen := map[string]bool{}
	for _, member := range []string{"file_attachments", "image_attachments", "generated_image_urls"} {
		for _, item := range jsonstream.Items(jsonstream.Member(v, member)) {
			id := r.fileID(string(item))
			if id == "" || seen[id] {
				continue
			}
			seen[id] = true
			a, err := r.upload(id)
			if err != nil {
				return nil, err
			}
			a.ProviderID = id
			all = append(all, a)
		}
	}
	return all, nil
}

// fileID is the id of an upload inside a link or an object: the one that the
// export holds, else the last, which is the file's own.
func (r *reading) fileID(text string) (id string) {
	for _, id = range uuid.FindAllString(text, -1) {
		if _, ok := r.assets[id]; ok {
			return id
		}
	}
	return id
}

func (r *reading) upload(id string) (memory.Attachment, error) {
	f, ok := r.assets[id]
	if !ok {
		return r.Absent(id), nil
	}
	r.used[id] = true
	return r.Attach(f, id)
}
