package claudecode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the sessions of each file. A file is named after the session that it was
// written for. What it holds of others, which that one went on from, is theirs.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewReading(ctx, tree, sink)
	files, err := importer.ForksLast(ctx, tree, isFork)
	if err != nil {
		return err
	}
	saved := savedIn(tree)
	var others []intake.File
	for _, f := range files {
		web := false
		if !importer.HasEnding(f, ".jsonl") && (importer.IsJSON(f.Path) || len(files) == 1) {
			shape, _, err := importer.LookAt(ctx, tree, f)
			if err != nil {
				return err
			}
			web = isWeb(shape)
		}
		if !web && !importer.HasEnding(f, ".jsonl") && len(files) > 1 {
			others = append(others, f)
			continue
		}
		s := &session{Reading: p, file: f, native: map[string]*talk{}, parents: map[string]string{}, seen: map[string]bool{}, kept: map[string]*talk{}, answers: map[string]int{}, answerOf: map[string]string{}, behind: map[string]string{}, leaves: map[string]leaf{}, saved: saved,
			isWeb: web, size: importer.Session{Max: i.most}}
		if err := s.read(); err != nil {
			return err
		}
	}
	for _, f := range others {
		if !saved.taken[f.Path] {
			sink.OtherFile(f)
		}
	}
	return p.End()
}

// isFork knows the beginning of a session that was forked off another.
var isFork = regexp.MustCompile(`"sessionKind": ?"bg"|"forkedFrom": ?\{`)

// session is one file under way.
type session struct {
	*importer.Reading
	file     intake.File
	isWeb    bool // one object with the lines in a list
	titles   []title
	talks    []*talk           // in the order in which they begin
	native   map[string]*talk  // by the id of the session
	parents  map[string]string // of every line, those left out as well
	seen     map[string]bool
	kept     map[string]*talk  // by the ids of their rows
	answers  map[string]int    // on how many lines an answer stands, by its id
	answerOf map[string]string // the id of the answer that a line is of, by its uuid
	behind   map[string]string // what was typed while the program was busy, by the line before it
	leaves   map[string]leaf   // by the id of the session
	saved    *saved
	claims   []intake.File // that results of this session were saved to
	claimed  int64         // their bytes
	unknown  [][]byte      // lines of a kind that is not understood
	size     importer.Session
}

// title is what a line calls a session. A summary is of the one that has the message leaf;
// files hold those of other sessions, too.
type title struct{ text, leaf string }

// title is the last one that is of this file.
func (s *session) title() string {
	for _, t := range slices.Backward(s.titles) {
		if _, here := s.parents[t.leaf]; here || t.leaf == "" {
			return importer.Line(t.text)
		}
	}
	return ""
}

// talk is what a file holds of one session.
type talk struct {
	native string           // sessionId of its lines, "" where they have none
	first  jsontext.Value   // its first message: where and with what it was said
	rows   []jsontext.Value // messages, in order
	last   string           // uuid of the last of them
}

// talk is the one that a line of a session belongs to.
func (s *session) talk(native string) *talk {
	t := s.native[native]
	if t == nil {
		t = &talk{native: native}
		s.talks, s.native[native] = append(s.talks, t), t
	}
	return t
}

// own is the session that the file was written for: the one that it is named after, else
// the last one that begins.
func (s *session) own() *talk {
	if t := s.native[s.name()]; t != nil {
		return t
	}
	return s.talks[len(s.talks)-1]
}

func (s *session) name() string {
	return strings.TrimSuffix(strings.TrimSuffix(s.file.Base(), ".jsonl"), ".json")
}

// sessionOf is the session of a line.
func sessionOf(v jsontext.Value) string {
	return importer.FirstText(v, "sessionId", "session_id")
}

// notes are lines about a session, and not of it.
var notes = map[string]bool{
	"system": true, "agent-name": true, "pr-link": true, "attachment": true, "queue-operation": true, "file-history-snapshot": true,
	"file-history-delta": true, "last-prompt": true, "permission-mode": true, "mode": true, "bridge-session": true, "progress": true, "init": true,
}

func (s *session) read() error {
	sum := sha256.New()
	lines := s.Lines
	if s.isWeb {
		lines = func(f intake.File, take func(importer.Item) error) error { return s.Elements(f, take, "loglines") }
	}
	take := func(rec importer.Item) error {
		sum.Write(rec.Raw)
		known := len(s.claims)
		s.line(rec)
		for _, f := range s.claims[known:] {
			fmt.Fprintf(sum, "%s %d\n", f.Base(), f.Size)
		}
		return nil
	}
	if err := lines(s.file, s.Within(&s.size, take, s.letGo)); err != nil {
		return err
	}
	s.seen = nil
	for _, t := range s.talks {
		if err := s.give(t, [32]byte(sum.Sum(nil))); err != nil {
			return err
		}
	}
	return nil
}

// give hands a talk over.
func (s *session) give(t *talk, sum [32]byte) error {
	native := t.native
	if native == "" {
		native = s.FreeID(s.name(), s.file)
	}
	d, ok := s.BeginPart(platform, native, sum, s.file)
	if !ok {
		return nil
	}
	for _, name := range []string{"cwd", "gitBranch", "version"} {
		importer.KeepRaw(&d.RawMetadata, name, jsonstream.Member(t.first, name))
	}
	importer.KeepHistory(&d.RawMetadata, importer.TextIn(t.first, "uuid"), importer.TextIn(jsonstream.Member(t.first, "forkedFrom"), "sessionId"), s.before(t))
	if importer.TextIn(t.first, "sessionKind") == "bg" || jsonstream.Member(t.first, "forkedFrom").Kind() == '{' {
		importer.KeepRaw(&d.RawMetadata, importer.ForkMember, []byte("true"))
	}
	if t == s.own() {
		d.Title = s.title()
		if len(s.unknown) > 0 {
			importer.KeepRaw(&d.RawMetadata, "unknown_lines", importer.List(s.unknown))
		}
	}
	d.Messages = make([]memory.Message, 0, len(t.rows))
	end, isNamed := s.leaves[t.native]
	from := 0 // messages that stood above the line that names the leaf
	for i, v := range t.rows {
		if err := s.message(t, d, v); err != nil {
			return err
		}
		if i < end.rows {
			from = len(d.Messages)
		}
		t.rows[i] = nil // of a long session what was read twice would be much
	}
	s.mend(d.Messages)
	leaf := ""
	if isNamed {
		leaf = s.leaf(end.uuid, d.Messages, from)
	}
	importer.Join(&d.Conversation, leaf, "parentUuid")
	return s.Give(d)
}

// leaf is what a line of a session names as the end of its active path.
type leaf struct {
	uuid string
	rows int // of the session, above that line
}

// leaf is the message at the end of the active path: the one that is named, or the
// nearest above it that was not left out, and what was said behind it since.
func (s *session) leaf(named string, messages []memory.Message, since int) string {
	if s.kept[named] == nil {
		named = s.above(named)
	}
	for _, m := range messages[min(since, len(messages)):] {
		if m.ParentID == named && named != "" {
			named = m.ID
		}
	}
	return named
}

// before is the session that one went on from, whose lines stand in the same file.
func (s *session) before(t *talk) string {
	id := importer.TextIn(t.first, "uuid")
	if _, named := s.parents[id]; !named {
		return ""
	}
	if other := s.kept[s.above(id)]; other != nil && other != t {
		return other.native
	}
	return ""
}

// letGo forgets the lines of a session that is not given.
func (s *session) letGo() {
	for _, f := range s.claims {
		delete(s.saved.taken, f.Path)
	}
	s.talks, s.native, s.titles, s.unknown, s.leaves, s.claims = nil, map[string]*talk{}, nil, nil, nil, nil
	s.parents, s.seen, s.kept, s.answers, s.answerOf, s.behind = nil, nil, nil, nil, nil, nil
}

// line sorts one line.
func (s *session) line(rec importer.Item) {
	v := rec.Raw
	kind, id := importer.TextIn(v, "type"), importer.TextIn(v, "uuid")
	if id != "" {
		if s.seen[id] {
			s.Sink.Skipped("duplicate")
			return
		}
		s.seen[id] = !isMessage(kind) || jsonstream.Member(v, "message").Kind() == '{' // an intact line may follow
		s.parents[id] = importer.FirstText(v, "parentUuid", "logicalParentUuid")
		s.size.Hold(len(id) + len(s.parents[id]))
	}
	switch {
	case isMessage(kind):
		if reason := leftOut(v); reason != "" {
			s.Sink.Skipped(reason)
			return
		}
		s.keep(id, v)
		s.answers[importer.TextIn(jsonstream.Member(v, "message"), "id")]++
	case kind == "attachment" && importer.TextIn(jsonstream.Member(v, "attachment"), "type") == "queued_command":
		s.queued(v)
	case kind == "summary", kind == "ai-title", kind == "custom-title":
		t := title{importer.FirstText(v, "customTitle", "aiTitle", "summary"), importer.TextIn(v, "leafUuid")}
		if t.text != "" && s.size.Hold(len(t.text)+len(t.leaf)) {
			s.titles = append(s.titles, t)
		}
		s.Sink.Skipped("session-note")
	case notes[kind]:
		if end := importer.TextIn(v, "leafUuid"); kind == "last-prompt" && end != "" {
			s.end(sessionOf(v), end)
		}
		s.Sink.Skipped("session-note")
	default:
		s.Sink.Unknown("record:" + importer.FirstOf(kind, "unnamed"))
		s.unknown = append(s.unknown, jsonstream.Keep(v))
		s.size.Hold(len(v))
	}
}

// end notes which message the active path of a session ends with. The last one counts.
func (s *session) end(native, uuid string) {
	if native == "" && len(s.talks) > 0 {
		native = s.own().native
	}
	l := leaf{uuid: uuid}
	if t := s.native[native]; t != nil {
		l.rows = len(t.rows)
	}
	s.leaves[native] = l
}

func isMessage(kind string) bool { return kind == "user" || kind == "assistant" }

// keep holds a message until the end of the file.
func (s *session) keep(id string, v jsontext.Value) {
	t := s.talk(sessionOf(v))
	if t.first == nil {
		t.first = v
	}
	t.rows, t.last = append(t.rows, v), id
	s.claim(v)
	s.size.Hold(len(v))
	s.kept[id] = t
}

// queued keeps what a person typed while the program was busy. Such lines have no id and
// no parent: they stand behind the line before them.
func (s *session) queued(v jsontext.Value) {
	prompt := jsonstream.Member(jsonstream.Member(v, "attachment"), "prompt")
	session, at := sessionOf(v), importer.TextIn(v, "timestamp")
	sum := sha256.Sum256([]byte(session + "\x00" + at + "\x00" + string(prompt)))
	id := "queued-" + hex.EncodeToString(sum[:8])
	before := s.talk(session).last
	if s.seen[id] || importer.IsNothing(prompt) {
		s.Sink.Skipped("duplicate")
		return
	}
	s.seen[id], s.parents[id] = true, before
	if before != "" {
		s.behind[before] = id
	}
	line, err := json.Marshal(map[string]any{
		"type": "user", "uuid": id, "parentUuid": before, "sessionId": session, "timestamp": at, "attachment": jsonstream.Member(v, "attachment"),
		"message": map[string]any{"role": "user", "content": prompt},
	}, json.Deterministic(true))
	if err != nil {
		s.Sink.Skipped("empty")
		return
	}
	s.keep(id, line)
}

// leftOut says why a message is none of the conversation, "" for one that is.
func leftOut(v jsontext.Value) string {
	is := func(name string) bool { return jsonstream.True(jsonstream.Member(v, name)) }
	switch {
	case is("isSidechain"):
		return "subagent"
	case is("isCompactSummary"):
		return "compaction"
	case is("isMeta"):
		return "hidden-context"
	case is("isApiErrorMessage"), importer.TextIn(jsonstream.Member(v, "message"), "model") == "<synthetic>":
		return "notice"
	case jsonstream.Member(v, "message").Kind() != '{':
		return "empty"
	case importer.TextIn(v, "type") == "user":
		return programOnly(jsonstream.Member(jsonstream.Member(v, "message"), "content"))
	}
	return ""
}

// programOnly says why a line in the person's place holds nothing of theirs, "" where it
// does.
func programOnly(content jsontext.Value) string {
	reason := ""
	only := func(text string) bool {
		s := importer.Unwrap(text)
		if s.Command != "" {
			reason = "command"
		} else if reason == "" && len(s.Program) > 0 {
			reason = "hidden-context"
		}
		return s.Text == "" && s.Shell == ""
	}
	if text, ok := jsonstream.Text(content); ok {
		if only(text) {
			return reason
		}
		return ""
	}
	for _, v := range jsonstream.Items(content) {
		if importer.TextIn(v, "type") != "text" || !only(importer.TextIn(v, "text")) {
			return ""
		}
	}
	return reason
}

// above is the nearest line above that was not left out. What was walked once
// leads there directly; a walk in a circle leads nowhere.
func (s *session) above(id string) string {
	var walked []string
	at := s.parents[id]
	for at != "" && s.kept[at] == nil {
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
func (s *session) message(t *talk, d *importer.ConversationDraft, v jsontext.Value) error {
	inner := jsonstream.Member(v, "message")
	m := memory.Message{
		ID: importer.TextIn(v, "uuid"), Role: memory.User, CreatedAt: importer.TimeIn(v, "timestamp"), ProviderMessageID: importer.TextIn(v, "uuid"),
		RawMetadata: t.rest(v),
	}
	if importer.TextIn(v, "type") == "assistant" {
		m.Role, m.Model = memory.Assistant, importer.TextIn(inner, "model")
		s.answerOf[m.ID] = importer.TextIn(inner, "id")
		d.Model = importer.FirstOf(d.Model, m.Model)
	}
	importer.KeepRaw(&m.RawMetadata, "message", jsonstream.Without(inner, "role", "content", "model", "type"))
	m.ParentID = s.above(m.ID)
	if n := len(d.Messages); jsonstream.Member(v, "parentUuid") == nil && m.ParentID == "" && n > 0 { // where no line names one, each answers the one before
		m.ParentID = d.Messages[n-1].ID
	}
	if m.ID == "" {
		m.ID = "n" + strconv.Itoa(len(d.Messages)+1)
	}
	b := blocks{s: s, m: &m, isPerson: m.Role == memory.User}
	if err := b.read(jsonstream.Member(inner, "content")); err != nil {
		return err
	}
	if b.thought != "" && b.said == "" && len(m.ToolCalls) == 0 {
		m.IsThought, b.said, b.thought = true, b.thought, ""
	}
	m.Content = importer.PlainContent(b.said)
	if b.typed != "" {
		result := m
		result.ID += "#1"
		d.Messages = append(d.Messages, result)
		m = memory.Message{ID: m.ID, ProviderMessageID: m.ProviderMessageID, Role: memory.User, ParentID: result.ID, CreatedAt: m.CreatedAt, Content: importer.PlainContent(b.typed)}
	}
	if b.thought != "" {
		thought := importer.Thought(m, b.thought)
		thought.ProviderMessageID = m.ID
		m.ParentID = thought.ID
		d.Messages = append(d.Messages, thought)
	} else if s.answers[importer.TextIn(inner, "id")] == 1 { // of what became several messages nobody tells how many are whose
		m.TokenCount = jsonstream.Count(jsonstream.Member(jsonstream.Member(inner, "usage"), "output_tokens"))
	}
	d.Messages = append(d.Messages, m)
	return nil
}

// rest is what else a line says, without what the whole session says already.
func (t *talk) rest(v jsontext.Value) memory.RawMetadata {
	taken := []string{"uuid", "parentUuid", "sessionId", "timestamp", "message", "type", "isSidechain", "userType"}
	for _, name := range []string{"cwd", "gitBranch", "version"} {
		if string(jsonstream.Member(v, name)) == string(jsonstream.Member(t.first, name)) {
			taken = append(taken, name)
		}
	}
	return importer.Rest(v, taken...)
}
