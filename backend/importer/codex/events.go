package codex

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// Events say once more what the items of a turn say, in other words of the program. Some
// sessions have events only, or for some turns. What an event says is taken where no item
// of its turn says it.

// heard are the texts that were read of a session, as items and as events.
type heard struct {
	is      map[hearing]bool
	turns   map[textSum][]string // in which items say a text
	pending []event              // in order, until the end of the session
	waiting map[hearing]int      // place in pending
}

// hearing is a text in a turn.
type hearing struct {
	as   source
	turn string
	text textSum
}

// source of a text. Events of items stand for items where there are none.
type source byte

const (
	asItem source = iota
	asItemEvent
	asEvent
)

type textSum [16]byte

// heardBytes is about what a text takes in memory that was heard.
const heardBytes = 100

// event is what was said by an event, and by no item so far.
type event struct {
	hearing
	at    int // line
	time  memory.Time
	model string
	v     jsontext.Value
	is    utterance
}

// utterance is what an event says.
type utterance struct {
	role      memory.Role
	texts     []string
	images    []string
	call      *memory.ToolCall
	isThought bool
}

// hear notes what an item says, in each of the forms in which an event may say it.
func (s *session) hear(of string, texts ...string) {
	all := append(slices.Clone(texts), strings.Join(texts, " "))
	for _, text := range texts {
		all = append(all, importer.Unwrap(text).Text)
	}
	for _, text := range all {
		h := hearing{asItem, s.turn, sumOf(of, text)}
		if s.heard.is[h] {
			continue
		}
		s.size.Hold(heardBytes)
		s.heard.is[h] = true
		s.heard.turns[h.text] = append(s.heard.turns[h.text], s.turn)
		for _, as := range []source{asItemEvent, asEvent} {
			h.as = as
			if i, waits := s.heard.waiting[h]; waits {
				s.repeats(i)
			}
		}
	}
}

// repeats drops an event that says what an item says.
func (s *session) repeats(i int) {
	e := &s.heard.pending[i]
	s.heard.is[e.hearing] = true
	delete(s.heard.waiting, e.hearing)
	s.size.Hold(-len(e.v))
	e.v, e.is = nil, utterance{}
	s.Sink.Skipped("repeated")
}

func sumOf(of, text string) textSum {
	sum := sha256.Sum256([]byte(of + "\x00" + strings.Join(strings.Fields(text), " ")))
	return textSum(sum[:16])
}

// of tells apart what texts are, and forms are those in which one is compared: a call by
// its id, or by what is searched for, and a message by its words.
func (u *utterance) of() string {
	switch {
	case u.call != nil:
		return ofCall
	case len(u.texts) == 0:
		return ofImage
	}
	return string(u.role)
}

const (
	ofCall  = "call"
	ofImage = "image"
)

func (u *utterance) forms() []string {
	if u.call != nil {
		return []string{importer.FirstOf(importer.TextIn(jsontext.Value(u.call.Input), "query"), u.call.ID)}
	}
	return u.texts
}

// event sorts what the program tells of a session.
func (s *session) event(line, payload jsontext.Value) {
	kind := importer.TextIn(payload, "type")
	if turn := importer.TextIn(payload, "turn_id"); strings.HasSuffix(kind, "_started") && turn != "" {
		s.turn = turn
	}
	e := event{hearing: hearing{as: asEvent, turn: s.turn}, at: s.at, time: importer.TimeIn(line, "timestamp"), model: s.model, v: payload}
	if kind == "item_completed" {
		e.as, e.v = asItemEvent, jsonstream.Member(payload, "item")
		e.turn = importer.FirstOf(importer.TextIn(payload, "turn_id"), s.turn)
		kind = importer.TextIn(e.v, "type")
	}
	is, known := utteranceOf(kind, e.v)
	switch {
	case kind == "thread_name_updated":
		s.name = importer.FirstOf(importer.TextIn(payload, "thread_name"), s.name)
		s.Sink.Skipped("session-note")
	case isNotice(kind):
		s.Sink.Skipped("notice")
	case known && s.subagent:
		s.Sink.Skipped("subagent")
	case known && is.call == nil && len(is.texts)+len(is.images) == 0:
		s.Sink.Skipped("session-note")
	case known:
		e.is = is
		e.text = sumOf(is.of(), strings.Join(is.forms(), " "))
		s.say(e)
	case strings.EqualFold(kind, "ContextCompaction"), kind == "context_compacted":
		s.Sink.Skipped("compaction")
	case e.as == asEvent && isNote(kind):
		s.Sink.Skipped("session-note")
	default:
		s.Sink.Unknown("event:" + importer.FirstOf(kind, "unnamed"))
		s.unknown = append(s.unknown, jsonstream.Keep(line))
	}
}

// say keeps an event until the end of the session, unless what it says was read.
func (s *session) say(e event) {
	item := e.hearing
	item.as = asItem
	_, waits := s.heard.waiting[e.hearing]
	if s.heard.is[item] || s.heard.is[e.hearing] || waits {
		s.heard.is[e.hearing] = true
		s.Sink.Skipped("repeated")
		return
	}
	s.heard.waiting[e.hearing] = len(s.heard.pending)
	s.heard.pending = append(s.heard.pending, e)
}

// unheard takes what only events say into the messages, in the order of the lines.
func (s *session) unheard() {
	taken := len(s.messages)
	for _, as := range []source{asItemEvent, asEvent} {
		for i := range s.heard.pending {
			e := s.heard.pending[i]
			switch {
			case e.as != as || e.v == nil:
			case s.isElsewhere(e.hearing):
				s.repeats(i)
			default:
				delete(s.heard.waiting, e.hearing)
				s.at, s.turn = e.at, e.turn
				s.hear(e.is.of(), e.is.forms()...)
				s.utter(&e)
			}
		}
	}
	if len(s.messages) > taken {
		slices.SortStableFunc(s.messages, func(a, b message) int { return a.at - b.at })
	}
}

// isElsewhere reports that an item says the text of an event and that no event of its own
// turn repeats it: it is not always certain in which turn an item stands.
func (s *session) isElsewhere(h hearing) bool {
	for _, turn := range s.heard.turns[h.text] {
		other := hearing{h.as, turn, h.text}
		if !s.heard.is[other] {
			s.heard.is[other] = true
			return true
		}
	}
	return false
}

// utter makes a message of what only an event says.
func (s *session) utter(e *event) {
	u := &e.is
	m := message{Message: memory.Message{ID: s.number(), ProviderMessageID: importer.TextIn(e.v, "id"), Role: u.role, CreatedAt: e.time, Model: e.model, IsThought: u.isThought}, images: u.images, at: e.at}
	if u.role == memory.User {
		m.Model = ""
	}
	m.RawMetadata = importer.Rest(e.v, "type", "id", "call_id", "turn_id", "content", "message", "text", "images", "local_images", "image_urls", "summary_text", "raw_content")
	if u.call != nil {
		m.ToolCalls = []memory.ToolCall{*u.call}
		m.RawMetadata = importer.Rest(e.v, slices.Concat([]string{"type", "id", "call_id", "turn_id"}, inCalls, outOfCalls)...)
	}
	var texts []string
	for _, text := range u.texts {
		texts = append(texts, s.Words(&m.Message, text)...)
	}
	if len(texts)+len(u.images)+len(m.ToolCalls) == 0 {
		s.Sink.Skipped("hidden-context")
		return
	}
	m.Content = importer.PlainContent(strings.Join(texts, "\n\n"))
	s.messages = append(s.messages, m)
}

// utteranceOf is what an event says; false for one that says nothing.
func utteranceOf(kind string, v jsontext.Value) (u utterance, says bool) {
	u.role = memory.Assistant
	switch kind = strings.ToLower(strings.ReplaceAll(kind, "_", "")); kind {
	case "usermessage":
		u.role = memory.User
	case "agentmessage", "plan":
	case "reasoning", "agentreasoning", "agentreasoningrawcontent":
		u.isThought = true
	default:
		u.call = callOf(kind, v)
		return u, u.call != nil
	}
	u.add(jsonstream.Member(v, "message"), jsonstream.Member(v, "text"))
	for _, name := range []string{"content", "summary_text", "raw_content"} {
		for _, part := range jsonstream.Items(jsonstream.Member(v, name)) {
			u.add(part, jsonstream.Member(part, "text"))
			u.addImage(importer.FirstOf(importer.TextIn(part, "image_url"), importer.TextIn(part, "path")))
		}
	}
	for _, name := range []string{"images", "local_images"} {
		for _, image := range jsonstream.Items(jsonstream.Member(v, name)) {
			address, _ := jsonstream.Text(image)
			u.addImage(address)
		}
	}
	return u, true
}

func (u *utterance) add(texts ...jsontext.Value) {
	for _, v := range texts {
		if text, _ := jsonstream.Text(v); strings.TrimSpace(text) != "" {
			u.texts = append(u.texts, text)
		}
	}
}

func (u *utterance) addImage(address string) {
	if address != "" {
		u.images = append(u.images, address)
	}
}

// calls are the names of tools, by the events that tell of a call and its result.
var calls = map[string]string{
	"commandexecution": "exec_command", "execcommandend": "exec_command", "filechange": "apply_patch", "patchapplyend": "apply_patch",
	"mcptoolcall": "mcp", "mcptoolcallend": "mcp", "websearch": "web_search", "websearchend": "web_search",
	"imagegeneration": "image_generation", "imagegenerationend": "image_generation",
}

// Members of events that are what a tool was given, and what it gave back.
var (
	inCalls    = []string{"command", "cwd", "changes", "arguments", "invocation", "query", "action", "revised_prompt"}
	outOfCalls = []string{"aggregated_output", "formatted_output", "stdout", "stderr", "result", "error"}
)

// callOf is the call that an event tells of, nil for none.
func callOf(kind string, v jsontext.Value) *memory.ToolCall {
	if calls[kind] == "" {
		return nil
	}
	c := &memory.ToolCall{ID: importer.FirstOf(importer.TextIn(v, "call_id"), importer.TextIn(v, "id")), Name: importer.FirstOf(importer.TextIn(v, "tool"), calls[kind])}
	input := map[string]jsontext.Value{}
	for _, name := range inCalls {
		if in := jsonstream.Member(v, name); !importer.IsNothing(in) {
			input[name] = in
		}
	}
	c.Input, _ = json.Marshal(input, json.Deterministic(true))
	for _, name := range outOfCalls {
		if out := jsonstream.Member(v, name); c.Output == "" && !importer.IsNothing(out) {
			c.Output = output(out)
		}
	}
	return c
}

// isNotice knows what the program says of itself.
func isNotice(kind string) bool {
	return slices.Contains([]string{"error", "warning", "stream_error", "deprecation_notice"}, kind)
}

// isNote knows events about a session that say nothing of it.
func isNote(kind string) bool {
	return slices.Contains(notes, kind) || strings.HasPrefix(kind, "collab_") || strings.HasPrefix(kind, "realtime_") ||
		slices.ContainsFunc(noteEnds, func(end string) bool { return strings.HasSuffix(kind, end) })
}

var (
	notes = []string{"token_count", "turn_diff", "turn_aborted", "thread_rolled_back", "session_configured", "agent_reasoning_section_break", "terminal_interaction",
		"view_image_tool_call", "entered_review_mode", "exited_review_mode", "raw_response_item", "skills_update_available", "request_user_input", "request_permissions",
		"background_event", "guardian_assessment", "model_reroute", "model_verification"}
	noteEnds = []string{"_begin", "_delta", "_started", "_complete", "_completed", "_request", "_response", "_update"}
)
