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
	r := &reading{importer.NewReading(ctx, tree, sink)}
	return r.Files(r.read, endings...)
}

func (r *reading) read(f intake.File) error {
	_, head, err := importer.LookAt(r.Ctx, r.Tree, f)
	if err != nil {
		return err
	}
	if !agentInText.Match(head) {
		return r.Elements(f, r.file)
	}
	data, err := r.Tree.ReadText(r.Ctx, f, jsonstream.MaxElement)
	if err != nil {
		return r.Break(fmt.Errorf("read %s: %w", f.Path, err))
	}
	r.Begins(f)
	r.Progress()
	text, _ := jsonstream.Text(jsontext.Value(data))
	if !jsontext.Value(text).IsValid() {
		text = ""
	}
	return r.file(importer.Item{File: f, At: 1, Raw: jsontext.Value(text)})
}

type reading struct{ *importer.Reading }

// secrets are members whose elements must never be kept; the others hold what
// the agent can do, not what it knows.
var (
	secrets  = []string{"tool_exec_environment_variables", "secrets", "mcp_servers"}
	leftOut  = []string{"tools", "sources", "files", "groups", "skills", "tool_rules"}
	ofAgents = []string{"tool_exec_environment_variables", "secrets", "tool_rules"}
)

func (r *reading) file(rec importer.Item) error {
	v := rec.Raw
	if v.Kind() != '{' {
		r.Bad(rec, false, fault.New(fault.Invalid, "letta-not-an-agent", "Item {at} of {name} is no agent of Letta and was left out."))
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
		if err := r.agent(importer.Item{File: rec.File, At: i + 1, Raw: a}); err != nil {
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
	made, moved := importer.TimeIn(v, "created_at"), importer.TimeIn(v, "updated_at")
	for _, p := range importer.Paragraphs(value) {
		d := importer.MemoryDraft{
			SourceKey: "letta:" + importer.Digest(agent, label, p.Section, p.Text), Content: p.Text, Method: memory.LLMInference,
			Confidence: sureHuman, Tags: importer.AddTag(nil, label),
			Metadata:  importer.Facts(rest, "source", "Letta block", "block", label, "section", p.Section, "agent", agent),
			CreatedAt: made, UpdatedAt: moved,
		}
		if !human {
			d.Type, d.Confidence = memory.Context, sureOther
		}
		if err := r.Remember(d); err != nil {
			return err
		}
	}
	return nil
}

// agent gives the messages of one agent as a conversation.
func (r *reading) agent(rec importer.Item) error {
	v := rec.Raw
	r.count(v, ofAgents[:2], "secret")
	r.count(v, ofAgents[2:], "tool")
	messages := jsonstream.Member(v, "messages")
	if importer.IsNothing(messages) {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	// What holds secrets is left out of the sum as well: it must not be kept in any form.
	sum := importer.Sum(messages)
	name := importer.Line(importer.TextIn(v, "name"))
	native := importer.FirstOf(importer.TextIn(v, "id"), "agent") + ":" + importer.Digest(name, importer.TextIn(v, "created_at"))
	d, ok := r.BeginPart(platform, native, sum, rec.File)
	if !ok {
		return nil
	}
	d.Title, d.SystemInstruction = name, importer.TextIn(v, "system")
	d.Participants = []memory.Participant{{Role: memory.User}, {Role: memory.Assistant, Name: name}}
	d.Temporal.CreatedAt, d.Temporal.UpdatedAt = importer.TimeIn(v, "created_at"), importer.TimeIn(v, "updated_at")
	d.Messages = importer.Room(messages)
	for _, m := range jsonstream.Items(messages) {
		d.Messages = append(d.Messages, r.message(m)...)
	}
	importer.JoinInOrder(&d.Conversation)
	importer.Dates(d)
	return r.Sink.Conversation(r.Ctx, *d)
}
