package chatbox

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the sessions of each file, and each thread as a conversation of its own.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	r.Whole = true
	return r.JSONFiles(r.element)
}

type reading struct{ *importer.Reading }

// element is all that is stored: an older file is read as a whole, too, since what stands
// beside the list must not be taken for sessions.
func (r *reading) element(it importer.Item) error {
	listed, isExport := 0, false
	for name, v := range jsonstream.Members(it.Raw) {
		_, isSession := strings.CutPrefix(name, "session:")
		var err error
		switch {
		case isSession:
			isExport, listed = true, listed-1
			err = r.session(it, v)
		case name == "chat-sessions":
			isExport = true
			for _, one := range jsonstream.Items(v) {
				if err == nil {
					err = r.session(it, one)
				}
			}
		case name == "chat-sessions-list":
			isExport = true
			for range jsonstream.Items(v) {
				listed++
			}
		case strings.HasPrefix(name, "__exported"):
			isExport = true
		case v.Kind() == '{', v.Kind() == '[':
			r.Sink.Skipped("tool") // settings with keys, copilots
		}
		if err != nil {
			return err
		}
	}
	for range max(0, listed) {
		r.Sink.Skipped(importer.EmptyConversation)
	}
	if !isExport {
		r.Sink.OtherFile(it.File)
	}
	return nil
}

// session gives the threads of a session, and then what is said in it now.
func (r *reading) session(it importer.Item, v jsontext.Value) error {
	id := importer.TextIn(v, "id")
	if v.Kind() != '{' || id == "" {
		r.Bad(it, true, fault.New(fault.Invalid, "chatbox-not-a-session", "A session of item {at} of {name} is none of Chatbox and was left out."))
		return nil
	}
	forks := map[string]jsontext.Value{}
	for name, fork := range jsonstream.Members(jsonstream.Member(v, "messageForksHash")) {
		forks[name] = jsonstream.Member(fork, "lists")
	}
	sum := importer.Sum(v)
	for _, thread := range jsonstream.Items(jsonstream.Member(v, "threads")) {
		t := talk{reading: r, forks: forks, list: jsonstream.Member(thread, "messages")}
		native := id + ":" + importer.FirstOf(importer.TextIn(thread, "id"), importer.Digest(string(t.list)))
		title := importer.FirstOf(importer.TextIn(thread, "name"), importer.TextIn(v, "name"))
		if err := t.give(it.File, native, title, sum, func(d *importer.ConversationDraft) {
			d.Temporal.CreatedAt = importer.TimeIn(thread, "createdAt")
			d.RawMetadata = importer.Rest(thread, "id", "name", "messages", "createdAt")
			importer.KeepText(&d.RawMetadata, "session", id)
		}); err != nil {
			return err
		}
	}
	t := talk{reading: r, forks: forks, list: jsonstream.Member(v, "messages"), all: true}
	return t.give(it.File, id, importer.TextIn(v, "name"), sum, func(d *importer.ConversationDraft) {
		d.Model = importer.TextIn(jsonstream.Member(v, "settings"), "modelId")
		d.RawMetadata = importer.Rest(v, "id", "name", "messages", "threads", "messageForksHash", "settings")
	})
}

// talk is a list of messages with what was said instead of some of them.
type talk struct {
	*reading
	forks map[string]jsontext.Value // lists of messages, by the message that they follow
	list  jsontext.Value
	all   bool // what follows no message of any list belongs here, too
}

// run is a list of messages, and what its first one follows.
type run struct {
	list   jsontext.Value
	parent string
}

func (t *talk) give(f intake.File, native, title string, sum [32]byte, describe func(*importer.ConversationDraft)) error {
	d, ok := t.Begin(platform, native, sum, f)
	if !ok {
		return nil
	}
	d.Title = importer.Line(title)
	describe(d)
	d.Messages = importer.Room(t.list)
	leaf, err := t.messages(d, t.list)
	if err != nil {
		return err
	}
	importer.Join(&d.Conversation, leaf, "parent")
	return t.Give(d)
}

// messages adds those of the list and of all forks of it, and gives the last of the list.
func (t *talk) messages(d *importer.ConversationDraft, list jsontext.Value) (leaf string, err error) {
	waiting := []run{{list: list}}
	for first := true; len(waiting) > 0; first = false {
		now := waiting[0]
		waiting = waiting[1:]
		last := now.parent
		for _, v := range jsonstream.Items(now.list) {
			if jsonstream.True(jsonstream.Member(v, "isSummary")) {
				t.Sink.Skipped("compaction")
				continue
			}
			if last, err = t.message(d, v, last); err != nil {
				return "", err
			}
			waiting = t.forksOf(last, waiting)
		}
		if first {
			leaf = last
		}
		if len(waiting) == 0 && t.all {
			for _, id := range slices.Sorted(maps.Keys(t.forks)) {
				waiting = t.forksOf(id, waiting)
			}
		}
	}
	return leaf, nil
}

// forksOf takes the forks of a message out of those that are left.
func (t *talk) forksOf(id string, waiting []run) []run {
	for _, fork := range jsonstream.Items(t.forks[id]) {
		waiting = append(waiting, run{jsonstream.Member(fork, "messages"), id})
	}
	delete(t.forks, id)
	return waiting
}

func (t *talk) message(d *importer.ConversationDraft, v jsontext.Value, parent string) (string, error) {
	id := importer.FirstOf(importer.TextIn(v, "id"), "x-"+importer.Digest(parent, importer.TextIn(v, "role"), importer.TextIn(v, "content")))
	m := memory.Message{
		ID: id, ProviderMessageID: importer.TextIn(v, "id"), ParentID: parent, Role: t.ChatRole(v), CreatedAt: importer.TimeIn(v, "timestamp"),
		RawMetadata: importer.Rest(v, "id", "role", "timestamp", "content", "contentParts", "reasoningContent", "pictures", "files", "model"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.TextIn(v, "model")
	}
	s := &importer.Said{}
	s.Thought(importer.TextIn(v, "reasoningContent"))
	for _, part := range jsonstream.Items(jsonstream.Member(v, "contentParts")) {
		if err := t.part(&m, s, part); err != nil {
			return "", err
		}
	}
	if len(s.Texts) == 0 { // of before there were parts
		s.Text(importer.TextIn(v, "content"))
	}
	for _, list := range []string{"pictures", "files"} {
		for _, file := range jsonstream.Items(jsonstream.Member(v, list)) {
			if err := t.attach(&m, file); err != nil {
				return "", err
			}
		}
	}
	s.AddTo(d, m)
	return id, nil
}

func (t *talk) part(m *memory.Message, s *importer.Said, part jsontext.Value) error {
	text := importer.TextIn(part, "text")
	switch kind := importer.TextIn(part, "type"); kind {
	case "text":
		s.Text(text)
	case "reasoning":
		s.Thought(text)
	case "image":
		return t.attach(m, part)
	case "tool-call":
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{ID: importer.TextIn(part, "toolCallId"), Name: importer.FirstOf(importer.TextIn(part, "toolName"), "tool"),
			Input: importer.CallInput(jsonstream.Member(part, "args")), Output: importer.Output(jsonstream.Member(part, "result"))})
	case "info":
		s.Keep(part)
	default:
		t.Sink.Unknown("part:" + kind)
		s.Keep(part)
	}
	return nil
}

// attach notes a file. Its bytes lie in Chatbox, unless its address holds them.
func (t *talk) attach(m *memory.Message, v jsontext.Value) error {
	a, err := t.StoreURL(importer.TextIn(v, "name"), importer.FirstText(v, "url", "storageKey", "id"))
	m.Attachments = append(m.Attachments, a)
	return err
}
