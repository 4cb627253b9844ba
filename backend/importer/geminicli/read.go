package geminicli

import (
	"context"
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the session of each file.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewReading(ctx, tree, sink)
	for _, f := range tree.Files() {
		shape, _, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		if !i.reads(shape) && (!shape.Cut || i.web) && len(tree.Files()) > 1 {
			sink.OtherFile(f)
			continue
		}
		s := &session{Reading: p, of: i, file: f, sum: sha256.New(), at: map[string]int{}, info: map[string]jsontext.Value{}, size: importer.Session{Max: i.most}}
		take := s.Within(&s.size, s.line, s.letGo)
		if importer.HasEnding(f, ".json") {
			err = p.Elements(f, take)
		} else {
			err = p.Lines(f, take)
		}
		if err == nil {
			err = s.give()
		}
		if err != nil {
			return err
		}
	}
	return p.End()
}

// session is one file under way.
type session struct {
	*importer.Reading
	of      Importer
	file    intake.File
	sum     hash.Hash
	rows    []jsontext.Value
	at      map[string]int // of rows, by id
	info    map[string]jsontext.Value
	unknown [][]byte
	size    importer.Session
	greeted bool // the context that the program writes in the person's place was met
}

// letGo forgets the lines of a session that is not given.
func (s *session) letGo() { s.rows, s.at, s.info, s.unknown = nil, nil, nil, nil }

// line is the whole object of an older session, or a line of a log.
func (s *session) line(rec importer.Item) error {
	v := rec.Raw
	s.sum.Write(v)
	set, to := jsonstream.Member(v, "$set"), jsonstream.Member(v, "$rewindTo")
	switch {
	case to != nil:
		id, _ := jsonstream.Text(to)
		s.rewind(id)
		s.Sink.Skipped("session-note")
	case set != nil:
		s.know(set)
		s.Sink.Skipped("session-note")
	case jsonstream.Member(v, "sessionId") != nil:
		s.know(v)
		s.Sink.Skipped("session-note")
	case importer.TextIn(v, "type") != "" && importer.TextIn(v, "id") != "":
		s.put(v)
	default:
		s.Sink.Unknown("record:" + importer.FirstOf(importer.TextIn(v, "type"), "unnamed"))
		s.unknown = append(s.unknown, jsonstream.Keep(v))
		s.size.Hold(len(v))
	}
	return nil
}

// know takes what is said of the session. A list of messages is the whole anew.
func (s *session) know(v jsontext.Value) {
	for name, value := range jsonstream.Members(v) {
		if name != "messages" {
			s.size.Hold(len(value) - len(s.info[name]))
			s.info[name] = slices.Clone(value) // or its whole line would stay
			continue
		}
		for _, row := range s.rows {
			s.size.Hold(-len(row))
			s.Sink.Skipped("written-again")
		}
		s.rows = nil
		clear(s.at)
		for _, m := range jsonstream.Items(value) {
			s.put(m)
		}
	}
}

func (s *session) put(v jsontext.Value) {
	id := importer.TextIn(v, "id")
	if i, ok := s.at[id]; ok && id != "" {
		s.size.Hold(len(v) - len(s.rows[i]))
		s.rows[i] = v
		s.Sink.Skipped("written-again")
		return
	}
	s.at[id] = len(s.rows)
	s.rows = append(s.rows, v)
	s.size.Hold(len(v))
}

func (s *session) rewind(id string) {
	keep := s.at[id] // 0 for one that is not known: everything
	for _, v := range s.rows[keep:] {
		delete(s.at, importer.TextIn(v, "id"))
		s.size.Hold(-len(v))
		s.Sink.Skipped("taken-back")
	}
	s.rows = s.rows[:keep]
}

func (s *session) text(name string) string {
	t, _ := jsonstream.Text(s.info[name])
	return t
}

func (s *session) give() error {
	if s.text("kind") == "subagent" {
		for range s.rows {
			s.Sink.Skipped("subagent")
		}
		return nil
	}
	if len(s.rows) == 0 {
		return nil // every line is counted
	}
	native := s.text("sessionId")
	if native == "" {
		native = s.FreeID(strings.TrimSuffix(s.file.Base(), ".jsonl"), s.file)
	}
	d, ok := s.BeginPart(s.of.Info().Platform, native, [32]byte(s.sum.Sum(nil)), s.file)
	if !ok {
		return nil
	}
	if s.of.web { // an extension gives the words only: what Google itself exports says more
		d.Provider.ExportFormatVersion, d.Transcript = webFormat, true
	}
	d.Title = importer.Line(importer.FirstOf(s.text("summary"), s.text("title")))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.AnyTime(s.info["startTime"]), importer.AnyTime(s.info["lastUpdated"])
	for name, value := range s.info {
		if name != "sessionId" && name != "summary" && name != "startTime" && name != "lastUpdated" {
			importer.KeepRaw(&d.RawMetadata, name, jsonstream.Keep(value))
		}
	}
	if len(s.unknown) > 0 {
		importer.KeepRaw(&d.RawMetadata, "unknown_lines", importer.List(s.unknown))
	}
	d.Messages = make([]memory.Message, 0, len(s.rows))
	for i, v := range s.rows {
		if err := s.message(d, v); err != nil {
			return err
		}
		s.rows[i] = nil // of a long session what was read twice would be much
	}
	importer.JoinInOrder(&d.Conversation)
	return s.Give(d)
}

// message adds what one row says, its thoughts before it.
func (s *session) message(d *importer.ConversationDraft, v jsontext.Value) error {
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), Role: memory.Assistant, CreatedAt: importer.TimeIn(v, "timestamp"),
		Model:       importer.TextIn(v, "model"),
		RawMetadata: importer.Rest(v, "id", "type", "content", "timestamp", "model", "thoughts", "toolCalls"),
	}
	switch kind := importer.TextIn(v, "type"); kind {
	case "user":
		m.Role = memory.User
	case "gemini":
		d.Model = importer.FirstOf(d.Model, m.Model)
		m.TokenCount = jsonstream.Count(jsonstream.Member(jsonstream.Member(v, "tokens"), "output"))
	case "info", "error", "warning":
		s.Sink.Skipped("notice")
		return nil
	default:
		s.Sink.Unknown("record:" + kind)
		importer.KeepRaw(&d.RawMetadata, "unknown_message", jsonstream.Keep(v))
		return nil
	}
	text, err := s.content(&m, jsonstream.Member(v, "content"))
	if err != nil {
		return err
	}
	words := s.Words(&m, text)
	if len(words)+len(m.Attachments)+len(m.ToolCalls) == 0 || s.greeted && text == greeting {
		s.greeted = m.Role == memory.User
		s.Sink.Skipped("hidden-context")
		return nil
	}
	text = strings.Join(words, "")
	m.Content = importer.PlainContent(text)
	for _, c := range jsonstream.Items(jsonstream.Member(v, "toolCalls")) {
		m.ToolCalls = append(m.ToolCalls, toolCall(c))
	}
	if thought := thoughts(jsonstream.Member(v, "thoughts")); thought != "" {
		t := importer.Thought(m, thought)
		t.ID, t.TokenCount = m.ID+"#1", jsonstream.Count(jsonstream.Member(jsonstream.Member(v, "tokens"), "thoughts"))
		d.Messages = append(d.Messages, t)
	}
	d.Messages = append(d.Messages, m)
	return nil
}

// greeting is what older versions answered to the context that they wrote in the person's
// place.
const greeting = "Got it. Thanks for the context!"

// content is a text, a part, or a list of parts.
func (s *session) content(m *memory.Message, v jsontext.Value) (string, error) {
	if text, ok := jsonstream.Text(v); ok {
		return text, nil
	}
	parts := []jsontext.Value{}
	if v.Kind() == '{' {
		parts = append(parts, v)
	}
	for _, part := range jsonstream.Items(v) {
		parts = append(parts, part)
	}
	var texts []string
	for _, part := range parts {
		data := jsonstream.Member(part, "inlineData")
		if text, ok := jsonstream.Text(part); ok {
			texts = append(texts, text)
		} else if text, ok := jsonstream.Text(jsonstream.Member(part, "text")); ok {
			texts = append(texts, text)
		} else if data != nil {
			a, err := s.StoreURL("", "data:"+importer.TextIn(data, "mimeType")+";base64,"+importer.TextIn(data, "data"))
			if err != nil {
				return "", err
			}
			m.Attachments = append(m.Attachments, a)
		} else {
			s.Sink.Unknown("content:part")
			importer.KeepRaw(&m.RawMetadata, "content", jsonstream.Keep(v))
		}
	}
	return strings.Join(texts, ""), nil
}

func thoughts(list jsontext.Value) string {
	var texts []string
	for _, v := range jsonstream.Items(list) {
		texts = append(texts, strings.TrimSpace("**"+importer.TextIn(v, "subject")+"**\n"+importer.TextIn(v, "description")))
	}
	return strings.Join(texts, "\n\n")
}

func toolCall(v jsontext.Value) memory.ToolCall {
	c := memory.ToolCall{ID: importer.TextIn(v, "id"), Name: importer.FirstOf(importer.TextIn(v, "name"), "tool"),
		Input: importer.CallInput(jsonstream.Member(v, "args")), Output: importer.TextIn(v, "resultDisplay")}
	if result := jsonstream.Member(v, "result"); !importer.IsNothing(result) {
		c.Output = importer.FirstOf(function(result), string(result))
	}
	return c
}

// function is the text of what a function answered.
func function(result jsontext.Value) string {
	if s, ok := jsonstream.Text(result); ok {
		return s
	}
	for _, part := range jsonstream.Items(result) {
		if s := importer.TextIn(jsonstream.Member(jsonstream.Member(part, "functionResponse"), "response"), "output"); s != "" {
			return s
		}
	}
	return ""
}
