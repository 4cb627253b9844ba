package pam

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// conversationMembers are the members of a companion file's root (§25).
var conversationMembers = []string{
	"schema", "schema_version", "id", "provider", "title", "participants", "model", "system_instruction", "is_archived", "tags",
	"temporal", "messages", "raw_metadata", "import_metadata",
}

// conversationFacts is what the store's index is compared with.
type conversationFacts struct {
	id, platform, version string
	messages              int
}

// node is one message of the graph.
type node struct {
	i          int // in the array
	at, parent string
	created    time.Time
	timed      bool
	children   []string // nil where the member is absent
}

// at joins a file of the bundle and a pointer into it.
func at(prefix, pointer string) string {
	if prefix == "" {
		return pointer
	}
	return prefix + "#" + pointer
}

// graph is the messages of one conversation. They are small beside what they
// say, so their graph is held.
type graph struct {
	prefix   string
	nodes    map[string]node
	order    []string
	messages int
}

// conversation checks one companion file, or a conversation alone.
func (v *validator) conversation(ctx context.Context, f intake.File, prefix string) (*conversationFacts, error) {
	g := &graph{prefix: prefix, nodes: map[string]node{}}
	root, whole, err := v.walkDocument(ctx, f, prefix, conversationMembers, visitor{element: func(array string, i int, raw jsontext.Value) error {
		if array == "messages" {
			v.message(g, i, raw)
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if !whole {
		return nil, nil
	}
	v.conformsRoot(schema.Conversation, at(prefix, ""), root)
	v.conversationRoot(root, prefix)
	v.graph(g)
	var provider struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(root["provider"], &provider) != nil {
		return nil, nil // its form is the schema's finding
	}
	return &conversationFacts{textOf(root, "id"), provider.Name, textOf(root, "schema_version"), g.messages}, nil
}

// conversationRoot checks the times of the root.
func (v *validator) conversationRoot(root map[string]jsontext.Value, prefix string) {
	var temporal struct {
		CreatedAt stated `json:"created_at"`
		UpdatedAt stated `json:"updated_at"`
	}
	if json.Unmarshal(root["temporal"], &temporal) == nil {
		v.ordered(at(prefix, "/temporal"), createdUpdated, span{temporal.CreatedAt, temporal.UpdatedAt})
	}
	var imported struct {
		ImportedAt stated `json:"imported_at"`
	}
	if raw, ok := root["import_metadata"]; ok && json.Unmarshal(raw, &imported) == nil {
		v.instant(at(prefix, "/import_metadata/imported_at"), imported.ImportedAt)
	}
}

// messageView is the part of a message that the deep checks look at.
type messageView struct {
	ID          string   `json:"id"`
	ParentID    string   `json:"parent_id"`
	ChildrenIDs []string `json:"children_ids"`
	CreatedAt   stated   `json:"created_at"`
	Attachments []struct {
		Ref string `json:"ref"`
	} `json:"attachments"`
	Citations []struct {
		URL stated `json:"url"`
	} `json:"citations"`
	Content struct {
		Parts []struct {
			Ref string `json:"ref"`
		} `json:"parts"`
	} `json:"content"`
}

func (v *validator) message(g *graph, i int, raw jsontext.Value) {
	path := at(g.prefix, pointer("messages", i))
	g.messages++
	var m messageView
	if !v.conforms(schema.Message, path, raw) || json.Unmarshal(raw, &m) != nil {
		return
	}
	v.out.ChecksRun++
	before, twice := g.nodes[m.ID]
	if twice {
		v.fail(ruleMessageID.twin(before.i).found(path+"/id", m.ID))
	}
	created, timed := v.instant(path+"/created_at", m.CreatedAt)
	if !twice {
		g.order = append(g.order, m.ID)
	}
	g.nodes[m.ID] = node{i, path, m.ParentID, created, timed, m.ChildrenIDs}
	for i, a := range m.Attachments {
		v.attachment(path+pointer("attachments", i)+"/ref", a.Ref)
	}
	for i, c := range m.Citations {
		v.advise(isURI(c.URL), ruleURI, path+pointer("citations", i)+"/url", string(c.URL))
	}
	for i, p := range m.Content.Parts {
		v.attachment(path+pointer("content/parts", i)+"/ref", p.Ref)
	}
}

// attachment checks that a file named inside the bundle is there, and that no path
// leads out of it, which a careless reader would follow. References elsewhere (a
// provider's own name, a URI) are free text for the schema.
func (v *validator) attachment(path, ref string) {
	if !isInside(ref) && !isURI(stated(ref)) {
		v.advise(false, ruleAttachmentLeaves, path, ref)
		return
	}
	if !strings.HasPrefix(ref, attachmentFolder) {
		return
	}
	_, ok := sibling(v.tree, v.store, ref)
	v.advise(ok, ruleAttachment, path, ref)
}

// graph checks parents, children and cycles (§25.3): every edge that one end
// names, the other end must name too, where it names any.
func (v *validator) graph(g *graph) {
	for _, id := range g.order {
		n := g.nodes[id]
		for i, child := range n.children {
			c, ok := g.nodes[child]
			v.check(ok && c.parent == id, ruleChild, n.at+pointer("children_ids", i), child)
		}
		if n.parent == "" {
			continue
		}
		_, ok := g.nodes[n.parent]
		v.check(ok, ruleParent, n.at+"/parent_id", n.parent)
	}
	v.unlisted(g)
	v.check(!g.hasCycle(), ruleCycle, at(g.prefix, "/messages"), "a circle")
	if g.isLinear() {
		v.inOrder(g)
	}
}

// unlisted checks that a parent which lists children lists all of them.
func (v *validator) unlisted(g *graph) {
	listed := ids{}
	for _, id := range g.order {
		for _, child := range g.nodes[id].children {
			listed[child] = true
		}
	}
	for _, id := range g.order {
		n := g.nodes[id]
		if p, ok := g.nodes[n.parent]; ok && len(p.children) > 0 {
			v.check(listed[id], ruleNotListed, n.at+"/parent_id", n.parent)
		}
	}
}

// isLinear reports a conversation without branches.
func (g *graph) isLinear() bool {
	named := ids{}
	for _, n := range g.nodes {
		if n.parent != "" && named[n.parent] {
			return false
		}
		named[n.parent] = true
	}
	return true
}

func (v *validator) inOrder(g *graph) {
	var before time.Time
	for _, id := range g.order {
		n := g.nodes[id]
		if !n.timed {
			continue
		}
		if n.created.Before(before) {
			v.remark(ruleMessageOrder.expects(before.Format(time.RFC3339Nano)).found(n.at+"/created_at", n.created.Format(time.RFC3339Nano)))
		}
		v.out.ChecksRun++
		before = n.created
	}
}

// hasCycle walks up from every message; a walk that meets itself is a cycle.
func (g *graph) hasCycle() bool {
	done := map[string]bool{}
	for id := range g.nodes {
		walk := map[string]bool{}
		for id != "" && !done[id] {
			if walk[id] {
				return true
			}
			walk[id] = true
			id = g.nodes[id].parent
		}
		for seen := range walk {
			done[seen] = true
		}
	}
	return false
}
