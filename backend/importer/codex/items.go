package codex

import (
	"hash"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// session is one file under way.
type session struct {
	*importer.Reading
	file     intake.File
	sum      hash.Hash
	titles   map[string]string // of threads, by their ids
	name     string            // of this thread, as its last event says
	at       int               // line, or item
	lines    importer.KeySet   // those with a time
	native   string
	history  []string // ids of sessions that it was forked off
	made     memory.Time
	model    string
	turn     string         // that the lines belong to, as far as one can tell
	inTurn   map[string]int // how many messages of a turn there are
	heard    heard
	told     string // instructions of the program
	subagent bool
	rest     memory.RawMetadata
	messages []message
	unknown  [][]byte
	size     importer.Session
}

// message waits until it is known that the session is not in the vault.
type message struct {
	memory.Message
	images []string
	at     int // line, or item
}

// strange keeps a line of a kind that is not understood.
func (s *session) strange(kind string, v jsontext.Value) {
	s.Sink.Unknown("record:" + importer.FirstOf(kind, "unnamed"))
	s.unknown = append(s.unknown, jsonstream.Keep(v))
}

// item is what was said, thought, called or given back.
func (s *session) item(v jsontext.Value, at memory.Time) {
	if s.subagent {
		s.Sink.Skipped("subagent")
		return
	}
	m := message{Message: memory.Message{ID: s.number(), Role: memory.Assistant, CreatedAt: at, Model: s.model}, at: s.at}
	switch kind := importer.TextIn(v, "type"); {
	case kind == "message":
		s.said(m, v)
	case kind == "reasoning":
		s.thought(m, v)
	case strings.HasSuffix(kind, "_call_output"), kind == "tool_search_output":
		m.Role, m.Model = memory.Tool, ""
		m.Content = importer.PlainContent(output(jsonstream.Member(v, "output")))
		m.RawMetadata = importer.Rest(v, "type", "output")
		s.add(m)
	case strings.HasSuffix(kind, "_call"):
		m.ToolCalls = []memory.ToolCall{toolCall(kind, v)}
		m.Content = importer.PlainContent("")
		m.RawMetadata = importer.Rest(v, "type", "name", "arguments", "input", "action", "call_id")
		s.hear(ofCall, importer.FirstOf(importer.TextIn(v, "call_id"), importer.TextIn(jsonstream.Member(v, "action"), "query"), importer.TextIn(v, "id")))
		s.add(m)
	case kind == "compaction", kind == "compaction_summary":
		s.Sink.Skipped("compaction")
	case kind == "ghost_snapshot", jsonstream.Member(v, "record_type") != nil:
		s.Sink.Skipped("session-note")
	default:
		s.strange(kind, v)
	}
}

func (s *session) said(m message, v jsontext.Value) {
	switch importer.TextIn(v, "role") {
	case "user":
		m.Role, m.Model = memory.User, ""
	case "assistant":
	case "developer", "system":
		s.Sink.Skipped("hidden-context")
		return
	default:
		s.Sink.Unknown("role:" + importer.TextIn(v, "role"))
	}
	var texts, forms []string
	for _, part := range jsonstream.Items(jsonstream.Member(v, "content")) {
		switch kind := importer.TextIn(part, "type"); kind {
		case "input_text", "output_text", "text":
			forms = append(forms, importer.TextIn(part, "text"))
			texts = append(texts, s.Words(&m.Message, importer.TextIn(part, "text"))...)
		case "input_image":
			m.images = append(m.images, importer.TextIn(part, "image_url"))
		default:
			s.Sink.Unknown("content:" + kind)
			importer.KeepRaw(&m.RawMetadata, "content", jsonstream.Keep(part))
		}
	}
	if plain, ok := jsonstream.Text(jsonstream.Member(v, "content")); ok {
		forms = append(forms, plain)
		texts = append(texts, s.Words(&m.Message, plain)...)
	}
	if s.hear(string(m.Role), forms...); len(m.images) > 0 {
		s.hear(ofImage)
	}
	if m.Role == memory.User && len(texts)+len(m.images)+len(m.ToolCalls) == 0 && m.RawMetadata != nil {
		s.Sink.Skipped("hidden-context")
		return
	}
	m.Content = importer.PlainContent(strings.Join(texts, "\n\n"))
	for name, value := range importer.Rest(v, "type", "role", "content") {
		importer.KeepRaw(&m.RawMetadata, name, value)
	}
	s.add(m)
}

// add takes a message. Its place in its turn is the same in all copies of a session.
func (s *session) add(m message) {
	if s.turn != "" {
		s.inTurn[s.turn]++
		m.ProviderMessageID = s.turn + "#" + strconv.Itoa(s.inTurn[s.turn])
	}
	s.messages = append(s.messages, m)
}

// thought is a summary of thinking; without one there is nothing to read.
func (s *session) thought(m message, v jsontext.Value) {
	var texts []string
	for _, list := range []string{"summary", "content"} {
		for _, part := range jsonstream.Items(jsonstream.Member(v, list)) {
			if t := importer.TextIn(part, "text"); t != "" {
				texts = append(texts, t)
			}
		}
	}
	if len(texts) == 0 {
		s.Sink.Skipped("encrypted")
		return
	}
	s.hear(string(m.Role), texts...)
	m.IsThought, m.Content = true, importer.PlainContent(strings.Join(texts, "\n\n"))
	s.add(m)
}

// toolCall reads any kind of call.
func toolCall(kind string, v jsontext.Value) memory.ToolCall {
	c := memory.ToolCall{ID: importer.TextIn(v, "call_id"), Name: importer.FirstOf(importer.TextIn(v, "name"), strings.TrimSuffix(kind, "_call"), "tool")}
	for _, name := range []string{"arguments", "input", "action"} {
		if in := importer.CallInput(jsonstream.Member(v, name)); in != nil {
			c.Input = in
		}
	}
	return c
}

// output is the text of a result: a text, parts, or an object that holds one.
func output(v jsontext.Value) string {
	if s, ok := jsonstream.Text(v); ok {
		return s
	}
	var texts []string
	for _, part := range jsonstream.Items(v) {
		texts = append(texts, importer.TextIn(part, "text"))
	}
	return importer.FirstOf(strings.Join(texts, "\n\n"), importer.TextIn(v, "content"), string(v))
}
