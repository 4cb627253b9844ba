package codex

import (
	"context"
	"crypto/sha256"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the session of each file, after the titles were looked up.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	p := importer.NewReading(ctx, tree, sink)
	titles := map[string]string{}
	for _, f := range tree.Match("session_index.jsonl") {
		if err := p.Lines(f, func(rec importer.Item) error {
			titles[importer.TextIn(rec.Raw, "id")] = importer.FirstText(rec.Raw, "thread_name", "title")
			p.Sink.Skipped("session-note")
			return nil
		}); err != nil {
			return err
		}
	}
	files, err := importer.ForksLast(ctx, tree, isFork)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Base() == "session_index.jsonl" && len(tree.Files()) > 1 {
			continue
		}
		shape, _, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		if formOf(shape) == "" && len(tree.Files()) > 1 && !importer.HasEnding(f, ".jsonl") {
			sink.OtherFile(f)
			continue
		}
		s := &session{Reading: p, file: f, sum: sha256.New(), titles: titles, inTurn: map[string]int{}, size: importer.Session{Max: i.most},
			heard: heard{is: map[hearing]bool{}, turns: map[textSum][]string{}, waiting: map[hearing]int{}}}
		if formOf(shape) == "object" {
			err = p.Elements(f, s.object)
		} else {
			err = p.Lines(f, s.Within(&s.size, s.held, s.letGo))
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

// isFork knows the beginning of a session that was forked off another.
var isFork = regexp.MustCompile(`"forked_from_id": ?"|"history_base": ?[{"]`)

// object is the oldest generation.
func (s *session) object(rec importer.Item) error {
	s.sum.Write(rec.Raw)
	s.begin(jsonstream.Member(rec.Raw, "session"))
	s.Sink.Skipped("session-note")
	for i, v := range jsonstream.Items(jsonstream.Member(rec.Raw, "items")) {
		s.at = i + 1
		s.item(v, memory.Time{})
	}
	return nil
}

// held is line, and counts what is held of it.
func (s *session) held(rec importer.Item) error {
	held := func() int { return len(s.messages) + len(s.unknown) + len(s.heard.pending) }
	before := held()
	err := s.line(rec)
	if held() != before {
		s.size.Hold(len(rec.Raw))
	}
	return err
}

// letGo forgets the lines of a session that is not given.
func (s *session) letGo() { s.messages, s.unknown, s.heard = nil, nil, heard{} }

// line is one of the others: an envelope, or the item itself.
func (s *session) line(rec importer.Item) error {
	v := rec.Raw
	s.at = rec.At
	if s.isRepeated(v) {
		s.Sink.Skipped("duplicate")
		return nil
	}
	s.sum.Write(v)
	payload, kind := jsonstream.Member(v, "payload"), importer.TextIn(v, "type")
	if payload == nil {
		if kind == "" {
			s.begin(v)
			s.Sink.Skipped("session-note") // the first line, or a note of state
			return nil
		}
		s.item(v, memory.Time{})
		return nil
	}
	switch kind {
	case "session_meta":
		s.begin(payload)
		s.Sink.Skipped("session-note")
	case "turn_context":
		s.model = importer.FirstOf(importer.TextIn(payload, "model"), s.model)
		s.turn = importer.FirstOf(importer.TextIn(payload, "turn_id"), s.turn)
		s.Sink.Skipped("session-note")
	case "response_item":
		s.item(payload, importer.TimeIn(v, "timestamp"))
	case "event_msg":
		s.event(v, payload)
	case "compacted":
		s.Sink.Skipped("compaction")
	case "world_state", "ghost_snapshot":
		s.Sink.Skipped("session-note")
	default:
		s.strange(kind, v)
	}
	return nil
}

// isRepeated reports a line that was there before, to the millisecond: a copy made while
// the file was put together. Without a time people may well have said it twice.
func (s *session) isRepeated(line jsontext.Value) bool {
	if importer.TextIn(line, "timestamp") == "" {
		return false
	}
	if s.lines == nil {
		s.lines = importer.KeySet{}
	}
	return !s.lines.Add(string(line))
}

// begin takes what stands about the session; the first one counts. What follows in a fork
// is about those that it was forked off.
func (s *session) begin(v jsontext.Value) {
	base := jsonstream.Member(v, "history_base")
	s.history = append(s.history, importer.TextIn(v, "forked_from_id"), importer.TextIn(base, "thread_id"), importer.TextIn(base, "id"))
	s.history = append(s.history, anyID.FindAllString(string(base), 10)...) // whatever the member that has it is called
	if s.native != "" {
		s.history = append(s.history, importer.TextIn(v, "id"))
	}
	if s.native != "" || importer.TextIn(v, "id") == "" {
		return
	}
	s.native, s.made = importer.TextIn(v, "id"), importer.TimeIn(v, "timestamp")
	source := importer.TextIn(jsonstream.Member(v, "source"), "subagent")
	s.subagent = importer.TextIn(v, "thread_source") == "subagent" || source != "" || jsonstream.Member(jsonstream.Member(v, "source"), "subagent") != nil
	s.rest = importer.Rest(v, "id", "timestamp", "instructions", "base_instructions")
	s.told = importer.FirstOf(importer.TextIn(v, "instructions"), importer.TextIn(jsonstream.Member(v, "base_instructions"), "text"))
}

func (s *session) give() error {
	s.unheard()
	if len(s.messages) == 0 {
		return nil // every line is counted
	}
	id := s.native
	if m := fileID.FindStringSubmatch(s.file.Base()); id == "" && m != nil {
		id = m[1]
	}
	if id == "" {
		id = s.FreeID(strings.TrimSuffix(s.file.Base(), ".jsonl"), s.file)
	}
	d, ok := s.BeginPart(platform, id, [32]byte(s.sum.Sum(nil)), s.file)
	if !ok {
		return nil
	}
	d.Title, d.Model, d.SystemInstruction = importer.Line(importer.FirstOf(s.name, s.titles[s.native])), s.model, s.told
	d.Temporal.CreatedAt = s.made
	d.RawMetadata = s.rest
	s.history = slices.DeleteFunc(s.history, func(id string) bool { return id == s.native })
	importer.KeepHistory(&d.RawMetadata, s.history...)
	if len(s.unknown) > 0 {
		importer.KeepRaw(&d.RawMetadata, "unknown_lines", importer.List(s.unknown))
	}
	d.Messages = make([]memory.Message, 0, len(s.messages))
	for i := range s.messages {
		m := s.messages[i]
		s.messages[i] = message{}
		for _, address := range m.images {
			a, err := s.StoreURL("", address)
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		}
		d.Messages = append(d.Messages, m.Message)
	}
	importer.JoinInOrder(&d.Conversation)
	return s.Give(d)
}

// fileID is how files are named.
var fileID = regexp.MustCompile(`rollout-[0-9T-]+-([0-9a-f-]{36})`)

// anyID is an id of a session, wherever it stands.
var anyID = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// number is the id of the message at hand.
func (s *session) number() string { return "l" + strconv.Itoa(s.at) }
