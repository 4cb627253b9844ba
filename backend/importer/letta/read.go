package letta

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// How sure a statement is: the agent wrote it down about the person, or for its
// own work.
const (
	sureHuman = 0.8
	sureOther = 0.6
)

// Read gives the statements of the blocks, then the messages of each agent.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewPass(ctx, tree, sink)}
	for _, f := range tree.Files() {
		if !importer.HasEnding(f, endings...) && len(tree.Files()) > 1 {
			sink.OtherFile(f)
			continue
		}
		if err := r.read(ctx, f); err != nil {
			return err
		}
	}
	return r.End()
}

func (r *reading) read(ctx context.Context, f intake.File) error {
	_, head, err := importer.LookAt(ctx, r.Tree, f)
	if err != nil {
		return err
	}
	if !agentInText.Match(head) {
		return r.Elements(f, "", r.file)
	}
	data, err := r.Tree.ReadText(ctx, f, jsonstream.MaxElement)
	if err != nil {
		return r.Breaks(fmt.Errorf("read %s: %w", f.Path, err))
	}
	r.Begins(f)
	r.Sink.Progress(r.Tree.Consumed())
	text, _ := jsonstream.Text(jsontext.Value(data))
	if !jsontext.Value(text).IsValid() {
		text = ""
	}
	return r.file(importer.Record{File: f, At: 1, Raw: jsontext.Value(text)})
}

type reading struct{ *importer.Pass }

// secrets are members whose elements must never be kept; the others hold what
// the agent can do, not what it knows.
var (
	secrets  = []string{"tool_exec_environment_variables", "secrets", "mcp_servers"}
	leftOut  = []string{"tools", "sources", "files", "groups", "skills", "tool_rules"}
	ofAgents = []string{"tool_exec_environment_variables", "secrets", "tool_rules"}
)

func (r *reading) file(rec importer.Record) error {
	v := rec.Raw
	if v.Kind() != '{' {
		r.Problem(rec, fault.New(fault.Invalid, "letta-not-an-agent", "Item {at} of {name} is no agent of Letta and was left out."))
		return nil
	}
	blocks, agents := jsonstream.Member(v, "blocks"), jsonstream.Member(v, "agents")
	if agents == nil { // the first form is one agent
		blocks, agents = jsonstream.Member(v, "core_memory"), jsontext.Value("["+string(v)+"]")
	} else {
		r.count(v, secrets, "secret")
		r.count(v, leftOut, "tool")
	}
	owner := owners(agents)
	for _, b := range jsonstream.Items(blocks) {
		if err := r.block(b, owner[importer.TextIn(b, "id")]); err != nil {
			return err
		}
	}
	for i, a := range jsonstream.Items(agents) {
		if err := r.agent(importer.Record{File: rec.File, At: i + 1, Raw: a}); err != nil {
			return err
		}
	}
	return nil
}

// count counts elements that are left out: of an array, or members of an object.
func (r *reading) count(v jsontext.Value, members []string, reason string) {
	for _, name := range members {
		list := jsonstream.Member(v, name)
		for range jsonstream.Items(list) {
			r.Sink.Skipped(reason)
		}
		for range jsonstream.Members(list) {
			r.Sink.Skipped(reason)
		}
	}
}

// owners says which agent a block belongs to.
func owners(agents jsontext.Value) map[string]string {
	of := map[string]string{}
	for _, a := range jsonstream.Items(agents) {
		for _, id := range jsonstream.Items(jsonstream.Member(a, "block_ids")) {
			s, _ := jsonstream.Text(id)
			of[s] = importer.TextIn(a, "name")
		}
	}
	return of
}

func (r *reading) block(v jsontext.Value, agent string) error {
	label, value := importer.TextIn(v, "label"), importer.TextIn(v, "value")
	parts := strings.Split(strings.ToLower(label), "/")
	switch {
	case slices.Contains(parts, "persona"):
		r.Sink.Skipped("persona")
		return nil
	case strings.TrimSpace(value) == "":
		r.Sink.Skipped("empty")
		return nil
	}
	human := slices.Contains(parts, "human")
	rest := importer.Rest(v, "id", "label", "value", "limit", "tags", "metadata", "is_template", "read_only", "created_at", "updated_at")
	made, moved := importer.AnyTime(jsonstream.Member(v, "created_at")), importer.AnyTime(jsonstream.Member(v, "updated_at"))
	for _, p := range importer.Paragraphs(value) {
		d := importer.MemoryDraft{
			SourceKey: "letta:" + importer.Digest(agent, label, p.Section, p.Text), Content: p.Text, Type: memory.Context, Method: memory.LLMInference,
			Confidence: sureOther, Tags: importer.AddTag(nil, label),
			Metadata:  importer.Facts(rest, "source", "Letta block", "block", label, "section", p.Section, "agent", agent),
			CreatedAt: made, UpdatedAt: moved,
		}
		if human {
			d.Type, d.Confidence = importer.GuessType(p.Text), sureHuman
		}
		d.Decay = importer.DecayOf(d.Type)
		if err := r.Remember(d); err != nil {
			return err
		}
	}
	return nil
}

// agent gives the messages of one agent as a conversation.
func (r *reading) agent(rec importer.Record) error {
	v := rec.Raw
	r.count(v, ofAgents[:2], "secret")
	r.count(v, ofAgents[2:], "tool")
	messages := jsonstream.Member(v, "messages")
	if importer.IsNothing(messages) || messages == nil {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	// What holds secrets is left out of the sum as well: it must not be kept in any form.
	d := importer.ConversationDraft{Sum: importer.Sum(messages), File: rec.File.Base()}
	name := importer.Line(importer.TextIn(v, "name"))
	native := importer.FirstOf(importer.TextIn(v, "id"), "agent") + ":" + importer.Digest(name, importer.TextIn(v, "created_at"))
	if r.Sink.Unchanged(native, d.Sum) {
		return nil
	}
	d.ID, d.Title, d.SystemInstruction = importer.ConversationID(platform, native), name, importer.TextIn(v, "system")
	d.Provider = memory.Provider{Name: platform, ConversationID: native}
	d.Participants = []memory.Participant{{Role: memory.User}, {Role: memory.Assistant, Name: name}}
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.AnyTime(jsonstream.Member(v, "created_at")), importer.AnyTime(jsonstream.Member(v, "updated_at"))
	d.Messages = importer.Room(messages)
	for _, m := range jsonstream.Items(messages) {
		d.Messages = append(d.Messages, r.message(m)...)
	}
	importer.JoinInOrder(&d.Conversation)
	importer.Dates(&d)
	return r.Sink.Conversation(r.Ctx, d)
}
