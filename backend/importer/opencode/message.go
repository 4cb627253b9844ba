package opencode

import (
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// session gives one conversation. That of a subagent was between programs.
func (r *reading) session(s session) error {
	if importer.TextIn(s.info, "parentID") != "" {
		r.Sink.Skipped("subagent")
		return nil
	}
	d, ok := r.Begin(platform, importer.TextIn(s.info, "id"), s.sum, s.file)
	if !ok {
		return nil
	}
	at := jsonstream.Member(s.info, "time")
	d.Title = importer.Line(importer.TextIn(s.info, "title"))
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.TimeIn(at, "created"), importer.TimeIn(at, "updated")
	d.RawMetadata = importer.Rest(s.info, "id", "title")
	for name, value := range s.rest {
		importer.KeepRaw(&d.RawMetadata, name, value)
	}
	d.Messages = make([]memory.Message, 0, len(s.messages))
	for _, said := range s.messages {
		if err := r.message(d, said); err != nil {
			return err
		}
	}
	importer.JoinInOrder(&d.Conversation)
	return r.Give(d)
}

// message reads one; what it thought goes before it as one of its own.
func (r *reading) message(d *importer.ConversationDraft, said spoken) error {
	v := said.info
	m := memory.Message{
		ID: importer.TextIn(v, "id"), ProviderMessageID: importer.TextIn(v, "id"), Role: r.ChatRole(v),
		CreatedAt:   importer.TimeIn(jsonstream.Member(v, "time"), "created"),
		RawMetadata: importer.Rest(v, "id", "sessionID", "role", "modelID"),
	}
	if m.Role == memory.Assistant {
		m.Model = importer.FirstOf(importer.TextIn(v, "modelID"), importer.TextIn(jsonstream.Member(v, "model"), "modelID"))
	}
	var s importer.Said
	for _, part := range said.parts {
		text := importer.TextIn(part, "text")
		switch kind := importer.TextIn(part, "type"); kind {
		case "text":
			if jsonstream.True(jsonstream.Member(part, "synthetic")) { // what the program says to the model
				s.Keep(part)
				continue
			}
			s.Text(text)
		case "reasoning":
			s.Thought(text)
		case "tool":
			m.ToolCalls = append(m.ToolCalls, toolCall(part))
			s.Kept = append(s.Kept, unsaid(part)...)
		case "file":
			a, err := r.StoreURL(importer.TextIn(part, "filename"), importer.TextIn(part, "url"))
			if err != nil {
				return err
			}
			m.Attachments = append(m.Attachments, a)
		case "step-start", "step-finish", "snapshot", "patch", "agent", "subtask", "retry", "compaction":
			s.Keep(part)
		default:
			r.Sink.Unknown("part:" + kind)
			s.Keep(part)
		}
	}
	if len(said.parts) > 0 && len(s.Texts)+len(s.Thoughts)+len(m.ToolCalls)+len(m.Attachments) == 0 && m.Role == memory.User {
		r.Sink.Skipped("hidden-context") // all of it is the program's
		return nil
	}
	s.AddTo(d, m)
	return nil
}

func toolCall(part jsontext.Value) memory.ToolCall {
	state := jsonstream.Member(part, "state")
	output := importer.FirstText(state, "output", "error")
	return memory.ToolCall{ID: importer.TextIn(part, "callID"), Name: importer.FirstOf(importer.TextIn(part, "tool"), "tool"),
		Input: importer.CallInput(jsonstream.Member(state, "input")), Output: output}
}

// unsaid is what a call holds beside its input and output, none where that is nothing.
func unsaid(part jsontext.Value) [][]byte {
	state := jsonstream.Without(jsonstream.Member(part, "state"), "input", "output", "error")
	if importer.IsNothing(jsontext.Value(state)) {
		return nil
	}
	object := jsonstream.AppendMember(nil, "id", jsonstream.Member(part, "id"))
	return [][]byte{append(jsonstream.AppendMember(object, "state", jsontext.Value(state)), '}')}
}
