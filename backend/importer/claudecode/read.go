package claudecode

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the session of each file.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewPass(ctx, tree, sink)
	for _, f := range tree.Files() {
		if !importer.HasEnding(f, ".jsonl") && len(tree.Files()) > 1 {
			sink.Skipped("other-file")
			continue
		}
		s := &session{Pass: p, file: f, parents: map[string]string{}, seen: map[string]bool{}, kept: map[string]bool{}, answers: map[string]int{},
			size: importer.Session{Max: i.most}}
		if err := s.read(); err != nil {
			return err
		}
	}
	return p.End()
}

// session is one file under way.
type session struct {
	*importer.Pass
	file    intake.File
	native  string
	title   string
	first   jsontext.Value    // the first message: where and with what it was said
	rows    []jsontext.Value  // messages, in order
	parents map[string]string // of every line, those left out as well
	seen    map[string]bool
	kept    map[string]bool // ids of rows
	answers map[string]int  // on how many lines an answer stands, by its id
	unknown [][]byte        // lines of a kind that is not understood
	size    importer.Session
}

// notes are lines about a session, and not of it.
var notes = map[string]bool{
	"system": true, "agent-name": true, "pr-link": true, "attachment": true, "queue-operation": true, "file-history-snapshot": true,
	"file-history-delta": true, "last-prompt": true, "permission-mode": true, "mode": true, "bridge-session": true, "progress": true, "init": true,
}

func (s *session) read() error {
	sum := sha256.New()
	if err := s.Lines(s.file, func(rec importer.Record) error {
		if s.size.Over() {
			return nil
		}
		sum.Write(rec.Raw)
		s.line(rec)
		if s.size.Over() {
			s.Refuse(&s.size, s.file, rec.At)
			s.letGo()
		}
		return nil
	}); err != nil {
		return err
	}
	if len(s.rows) == 0 {
		return nil // every line is counted
	}
	native := s.FreeID(importer.FirstOf(s.native, strings.TrimSuffix(s.file.Base(), ".jsonl")), s.file)
	d, ok := s.Begin(platform, native, [32]byte(sum.Sum(nil)), s.file)
	if !ok {
		return nil
	}
	d.Title = importer.Line(s.title)
	for _, name := range []string{"cwd", "gitBranch", "version"} {
		importer.KeepRaw(&d.RawMetadata, name, importer.Member(s.first, name))
	}
	if len(s.unknown) > 0 {
		importer.KeepRaw(&d.RawMetadata, "unknown_lines", importer.List(s.unknown))
	}
	s.seen = nil
	d.Messages = make([]memory.Message, 0, len(s.rows))
	for i, v := range s.rows {
		if err := s.message(d, v); err != nil {
			return err
		}
		s.rows[i] = nil // of a long session what was read twice would be much
	}
	importer.Join(&d.Conversation, "", "parentUuid")
	return s.Give(d)
}

// letGo forgets the lines of a session that is not given.
func (s *session) letGo() {
	s.first, s.rows, s.unknown = nil, nil, nil
	s.parents, s.seen, s.kept, s.answers = nil, nil, nil, nil
}

// line sorts one line.
func (s *session) line(rec importer.Record) {
	v := rec.Raw
	kind, id := importer.TextIn(v, "type"), importer.TextIn(v, "uuid")
	if id != "" {
		if s.seen[id] {
			s.Sink.Skipped("duplicate")
			return
		}
		s.seen[id] = true
		s.parents[id] = importer.FirstOf(importer.TextIn(v, "parentUuid"), importer.TextIn(v, "logicalParentUuid"))
		s.size.Hold(len(id) + len(s.parents[id]))
	}
	switch {
	case kind == "user" || kind == "assistant":
		if reason := leftOut(v); reason != "" {
			s.Sink.Skipped(reason)
			return
		}
		if s.first == nil {
			s.first, s.native = v, importer.TextIn(v, "sessionId")
		}
		s.rows = append(s.rows, v)
		s.size.Hold(len(v))
		s.kept[id] = true
		s.answers[importer.TextIn(importer.Member(v, "message"), "id")]++
	case kind == "summary", kind == "ai-title", kind == "custom-title":
		s.title = importer.FirstOf(importer.TextIn(v, "customTitle"), importer.TextIn(v, "aiTitle"), importer.TextIn(v, "summary"), s.title)
		s.Sink.Skipped("session-note")
	case notes[kind]:
		s.Sink.Skipped("session-note")
	default:
		s.Sink.Unknown("record:" + importer.FirstOf(kind, "unnamed"))
		s.unknown = append(s.unknown, importer.Keep(v))
		s.size.Hold(len(v))
	}
}

// leftOut says why a message is none of the conversation, "" for one that is.
func leftOut(v jsontext.Value) string {
	is := func(name string) bool { return importer.True(importer.Member(v, name)) }
	text, isText := importer.Text(importer.Member(importer.Member(v, "message"), "content"))
	text = strings.TrimSpace(text)
	switch {
	case is("isSidechain"):
		return "subagent"
	case is("isCompactSummary"):
		return "compaction"
	case is("isMeta"):
		return "hidden-context"
	case isText && (strings.HasPrefix(text, "<command-name>") || strings.HasPrefix(text, "<local-command-") || strings.HasPrefix(text, "<system-reminder>") || strings.HasPrefix(text, "<command-message>")):
		return "command"
	case importer.Member(v, "message").Kind() != '{':
		return "empty"
	}
	return ""
}

// above is the nearest line above that was not left out. What was walked once
// leads there directly; a walk in a circle leads nowhere.
func (s *session) above(id string) string {
	var walked []string
	at := s.parents[id]
	for at != "" && !s.kept[at] {
		if len(walked) > len(s.parents) {
			at = ""
			break
		}
		if _, known := s.parents[at]; !known {
			break // of another file: what it named is kept with the message
		}
		walked = append(walked, at)
		at = s.parents[at]
	}
	for _, w := range walked {
		s.parents[w] = at
	}
	return at
}

// message adds the messages of one line.
func (s *session) message(d *importer.ConversationDraft, v jsontext.Value) error {
	inner := importer.Member(v, "message")
	m := memory.Message{
		ID: importer.TextIn(v, "uuid"), Role: memory.User, CreatedAt: importer.AnyTime(importer.Member(v, "timestamp")), ProviderMessageID: importer.TextIn(v, "uuid"),
		RawMetadata: s.rest(v),
	}
	if importer.TextIn(v, "type") == "assistant" {
		m.Role, m.Model = memory.Assistant, importer.TextIn(inner, "model")
		d.Model = importer.FirstOf(d.Model, m.Model)
	}
	importer.KeepRaw(&m.RawMetadata, "message", importer.Without(inner, "role", "content", "model", "type"))
	m.ParentID = s.above(m.ID)
	b := blocks{s: s, m: &m}
	if err := b.read(importer.Member(inner, "content")); err != nil {
		return err
	}
	if b.thought != "" && b.said == "" && len(m.ToolCalls) == 0 {
		m.IsThought, b.said, b.thought = true, b.thought, ""
	}
	m.Content = importer.PlainContent(b.said)
	if b.thought != "" {
		t := memory.Message{ID: m.ID + "#1", ProviderMessageID: m.ID, Role: m.Role, ParentID: m.ParentID, CreatedAt: m.CreatedAt, Model: m.Model,
			IsThought: true, Content: importer.PlainContent(b.thought)}
		m.ParentID = t.ID
		d.Messages = append(d.Messages, t)
	} else if s.answers[importer.TextIn(inner, "id")] == 1 { // of what became several messages nobody tells how many are whose
		m.TokenCount = importer.Count(importer.Member(importer.Member(inner, "usage"), "output_tokens"))
	}
	d.Messages = append(d.Messages, m)
	return nil
}

// rest is what else a line says, without what the whole session says already.
func (s *session) rest(v jsontext.Value) memory.RawMetadata {
	taken := []string{"uuid", "parentUuid", "sessionId", "timestamp", "message", "type", "isSidechain", "userType"}
	for _, name := range []string{"cwd", "gitBranch", "version"} {
		if string(importer.Member(v, name)) == string(importer.Member(s.first, name)) {
			taken = append(taken, name)
		}
	}
	return importer.Rest(v, taken...)
}
