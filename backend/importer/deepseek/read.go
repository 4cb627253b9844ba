package deepseek

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams the conversations.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := importer.SurveyTree(ctx, tree, 0, kindOf)
	if err != nil {
		return fmt.Errorf("look at files: %w", err)
	}
	r := &reading{Reading: importer.NewReading(ctx, tree, sink)}
	if len(s.Accounts) == 1 { // the conversations do not say whose they are
		r.account = s.Accounts[0]
	}
	if err := r.EachElement(s.Files[talks], r.conversation); err != nil {
		return err
	}
	for range s.Files[user] {
		sink.Skipped("account")
	}
	return r.ReadCut(s)
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	account string
}

// conversation gives one conversation.
func (r *reading) conversation(it importer.Item) error {
	id := importer.TextIn(it.Raw, "id")
	if id == "" {
		r.Bad(it, true, fault.New(fault.Invalid, "deepseek-not-a-conversation", "Item {at} of {name} is not a conversation of DeepSeek and was left out."))
		return nil
	}
	nodes := nodesOf(jsonstream.Member(it.Raw, "mapping"))
	if !slices.ContainsFunc(nodes, node.speaks) {
		r.Sink.Skipped(importer.EmptyConversation)
		return nil
	}
	d, ok := r.Begin(platform, id, importer.Sum(it.Raw), it.File)
	if !ok {
		return nil
	}
	d.Provider.AccountID, d.Provider.ExportFormatVersion = r.account, "export"
	r.about(&d.Conversation, it.Raw)
	r.thread(d, nodes)
	return r.Sink.Conversation(r.Ctx, *d)
}

func (r *reading) about(c *memory.Conversation, v jsontext.Value) {
	title := importer.TextIn(v, "title")
	if c.Title = importer.Line(title); c.Title != title {
		importer.KeepText(&c.RawMetadata, "title", title)
	}
	c.Temporal.CreatedAt = importer.When(importer.TextIn(v, "inserted_at"))
	c.Temporal.UpdatedAt = importer.When(importer.TextIn(v, "updated_at"))
	importer.KeepOthers(&c.RawMetadata, v, "id", "title", "mapping", "inserted_at", "updated_at")
}

// node is one node of a mapping.
type node struct {
	id, parent string
	message    jsontext.Value
}

func (n node) speaks() bool { return n.message.Kind() == '{' }

// nodesOf lists the nodes of a mapping: numbered ones by number, since the order
// of a mapping says nothing.
func nodesOf(mapping jsontext.Value) []node {
	var nodes []node
	for id, v := range jsonstream.Members(mapping) {
		nodes = append(nodes, node{id, importer.TextIn(v, "parent"), jsonstream.Member(v, "message")})
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(number(a.id), number(b.id)) })
	return nodes
}

func number(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return -1
	}
	return n
}

// thread joins the nodes to a graph.
func (r *reading) thread(d *importer.ConversationDraft, nodes []node) {
	silent := map[string]string{} // nodes without a message, and their parents
	for _, n := range nodes {
		if !n.speaks() {
			silent[n.id] = n.parent
		}
	}
	d.Messages = make([]memory.Message, 0, len(nodes))
	t := importer.NewThread(d)
	depth := map[string]int{}
	for _, n := range nodes {
		if !n.speaks() {
			r.Sink.Skipped("node-without-message")
			continue
		}
		for steps := 0; steps <= len(silent); steps++ {
			up, ok := silent[n.parent]
			if !ok {
				break
			}
			n.parent = up
		}
		depth[n.id] = depth[n.parent] + 1
		r.add(t, &d.Conversation, n, depth[n.id])
	}
	t.Join("", "parent")
}

// add appends the messages of one node. Depth counts from 1.
func (r *reading) add(t *importer.Thread, c *memory.Conversation, n node, depth int) {
	base := memory.Message{ParentID: n.parent, Model: importer.TextIn(n.message, "model"), CreatedAt: importer.When(importer.TextIn(n.message, "inserted_at"))}
	if base.Model != "" {
		c.Model = base.Model
	}
	runs := r.runs(n.message, depth)
	for i, m := range runs {
		m.ParentID, m.Model, m.CreatedAt = base.ParentID, base.Model, base.CreatedAt
		m.ID = n.id + "#" + strconv.Itoa(i+1)
		if i == len(runs)-1 {
			m.ID, m.ProviderMessageID = n.id, n.id
			for _, f := range jsonstream.Items(jsontext.Value(m.RawMetadata["fragments"])) {
				list := jsonstream.Member(f, "files")
				if importer.IsNothing(list) && importer.TextIn(f, "file_name") != "" {
					list = importer.List([][]byte{f})
				}
				r.files(&m, list)
			}
			r.files(&m, jsonstream.Member(n.message, "files"))
			importer.KeepOthers(&m.RawMetadata, n.message, "fragments", "content", "reasoning_content", "role", "model", "inserted_at")
		}
		base.ParentID = t.Add(m)
	}
}

// files are named only: the export holds none.
func (r *reading) files(m *memory.Message, list jsontext.Value) {
	for _, v := range jsonstream.Items(list) {
		name := importer.FirstText(v, "file_name", "name", "id")
		if s, ok := jsonstream.Text(v); ok {
			name = s
		}
		id := importer.FirstText(v, "id", "file_id")
		if slices.ContainsFunc(m.Attachments, func(a memory.Attachment) bool { return a.Name == name && a.ProviderID == id }) {
			continue // a fragment names it, too
		}
		a := r.Absent(name)
		a.ProviderID = id
		m.Attachments = append(m.Attachments, a)
	}
}

// runs are the messages that a node consists of, at least one.
func (r *reading) runs(v jsontext.Value, depth int) (runs []memory.Message) {
	fragments := jsonstream.Member(v, "fragments")
	if fragments.Kind() != '[' {
		return older(v, depth)
	}
	var rest [][]byte // fragments before there is a message to keep them
	upload := false
	for _, f := range jsonstream.Items(fragments) {
		kind, text := strings.ToUpper(importer.TextIn(f, "type")), importer.TextIn(f, "content")
		role, thought := memory.Assistant, false
		switch kind {
		case "REQUEST":
			role = memory.User
		case "THINK":
			thought = true
		case "RESPONSE":
		default:
			if upload = upload || kind == "FILE"; kind != "SEARCH" && kind != "FILE" {
				r.Sink.Unknown("fragment:" + kind)
			}
			rest = append(rest, f)
			continue
		}
		last := len(runs) - 1
		if last >= 0 && runs[last].Role == role && runs[last].IsThought == thought {
			runs[last].Content = importer.Words(strings.TrimSpace(runs[last].Content.PlainText() + "\n\n" + text))
		} else {
			runs = append(runs, memory.Message{Role: role, IsThought: thought, Content: importer.Words(text)})
		}
		if left := jsonstream.Without(f, "type", "content"); left != nil {
			rest = append(rest, f)
		}
	}
	if len(runs) == 0 {
		runs = []memory.Message{{Role: memory.Assistant}}
		if upload {
			runs[0].Role = memory.User
		}
	}
	last := &runs[len(runs)-1]
	last.Citations = found(rest)
	if len(rest) > 0 {
		importer.KeepRaw(&last.RawMetadata, "fragments", importer.List(rest))
	}
	return runs
}

// older reads a node of exports that had no fragments yet. Who speaks it says by
// role; where it does not, people and assistant take turns.
func older(v jsontext.Value, depth int) (runs []memory.Message) {
	m := memory.Message{Role: memory.Assistant, Content: importer.Words(importer.TextIn(v, "content"))}
	switch role := strings.ToLower(importer.TextIn(v, "role")); {
	case role == "user", role == "" && depth%2 == 1:
		m.Role = memory.User
	case role == "system", role == "tool":
		m.Role = memory.Role(role)
	}
	if importer.TextIn(v, "role") == "" {
		importer.KeepText(&m.RawMetadata, "keepsake_role_source", "turn")
	}
	if thought := importer.TextIn(v, "reasoning_content"); thought != "" {
		runs = append(runs, memory.Message{Role: memory.Assistant, IsThought: true, Content: importer.Words(thought)})
	}
	return append(runs, m)
}

// found are the pages that a search names.
func found(fragments [][]byte) (all []memory.Citation) {
	for _, f := range fragments {
		for _, v := range jsonstream.Items(jsonstream.Member(f, "results")) {
			all = importer.AddCitation(all, importer.TextIn(v, "title"), importer.TextIn(v, "url"), importer.TextIn(v, "snippet"))
		}
	}
	return all
}
