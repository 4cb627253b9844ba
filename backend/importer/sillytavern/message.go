package sillytavern

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// line is a message with its versions.
type line struct {
	memory.Message
	versions []version
	at       int    // which version is selected
	name     string // of who speaks
	assumed  bool   // the zone of its time is
}

// version is one of the texts of a message.
type version struct {
	text, thought, model string
	at                   memory.Time
}

// message reads one line. What is hidden from the model, and what the narrator says, is
// neither the person's nor the assistant's.
func (c *chat) message(v jsontext.Value) (*line, error) {
	l := &line{name: importer.TextIn(v, "name")}
	l.Role = memory.Assistant
	switch {
	case jsonstream.True(jsonstream.Member(v, "is_user")):
		l.Role = memory.User
	case jsonstream.True(jsonstream.Member(v, "is_system")):
		l.Role = memory.System
	}
	extra := jsonstream.Member(v, "extra")
	l.CreatedAt, l.assumed = timeOf(jsonstream.Member(v, "send_date"))
	l.RawMetadata = importer.Rest(v, "is_user", "send_date", "mes", "swipes", "swipe_id", "swipe_info")
	told := version{importer.TextIn(v, "mes"), importer.TextIn(extra, "reasoning"), importer.TextIn(extra, "model"), l.CreatedAt}
	l.versions = c.versions(v)
	n, _ := jsonstream.Number(jsonstream.Member(v, "swipe_id"))
	l.at = slices.IndexFunc(l.versions, func(other version) bool { return other.text == told.text })
	if i := int(n); i >= 0 && i < len(l.versions) && l.versions[i].text == told.text {
		l.at = i
	}
	if l.at < 0 {
		l.versions, l.at = append(l.versions, told), len(l.versions)
	}
	l.versions[l.at] = told
	for _, picture := range []string{"image", "file"} {
		if err := c.attach(&l.Message, jsonstream.Member(extra, picture)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// versions are the swipes of a message.
func (c *chat) versions(v jsontext.Value) (all []version) {
	var about []jsontext.Value
	for _, info := range jsonstream.Items(jsonstream.Member(v, "swipe_info")) {
		about = append(about, info)
	}
	for i, swipe := range jsonstream.Items(jsonstream.Member(v, "swipes")) {
		text, _ := jsonstream.Text(swipe)
		one := version{text: text}
		if i < len(about) {
			extra := jsonstream.Member(about[i], "extra")
			one.thought, one.model = importer.TextIn(extra, "reasoning"), importer.TextIn(extra, "model")
			one.at, _ = timeOf(jsonstream.Member(about[i], "send_date"))
		}
		all = append(all, one)
	}
	return all
}

// attach notes a picture or a file, which lies elsewhere in the folder of SillyTavern.
func (c *chat) attach(m *memory.Message, v jsontext.Value) error {
	name, _ := jsonstream.Text(v)
	if name = importer.FirstOf(name, importer.FirstText(v, "url", "name")); name == "" {
		return nil
	}
	a, err := c.StoreURL("", name)
	m.Attachments = append(m.Attachments, a)
	return err
}

func (l *line) selected() string { return l.versions[l.at].text }

// addTo adds the versions below the message before, and gives the id of the selected one.
// Ids are made of what was said up to there, so that the lines of a branch have those of
// the chat that it was made of.
func (l *line) addTo(d *importer.ConversationDraft, parent string) (id string) {
	for i, v := range l.versions {
		m := l.Message
		m.ID = importer.Digest(parent, string(m.Role), l.name, v.text)
		m.ParentID = parent
		if i != l.at {
			m.Attachments = nil
			m.CreatedAt = v.at
		} else {
			id = m.ID
		}
		if m.Role == memory.Assistant {
			m.Model = v.model
		}
		s := &importer.Said{}
		s.Text(v.text)
		s.Thought(v.thought)
		m.RawMetadata = maps.Clone(l.RawMetadata)
		s.AddTo(d, m)
	}
	return id
}
