package pam

import (
	"context"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// conversationFacts is what the store's index is compared with.
type conversationFacts struct {
	id, platform, version string
	messages              int
}

// node is one message of the graph.
type node struct {
	at, parent, created string
	children            []string
}

// at joins a file of the bundle and a pointer into it.
func at(prefix, pointer string) string {
	if prefix == "" {
		return pointer
	}
	return prefix + "#" + pointer
}

// conversation checks one companion file, or a conversation alone. Its
// messages are small beside the store's memories, so their graph is held.
func (v *validator) conversation(ctx context.Context, f intake.File, prefix string) (*conversationFacts, error) {
	nodes := map[string]node{}
	var order []string
	messages := 0
	root, whole, err := v.walkDocument(ctx, f, prefix, func(array string, i int, raw jsontext.Value) error {
		if array == "messages" {
			v.message(nodes, &order, at(prefix, pointer(array, i)), raw)
			messages++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.conformsRoot(schema.Conversation, at(prefix, ""), root)
	if !whole {
		return nil, nil
	}
	v.graph(nodes, order)
	var provider struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(root["provider"], &provider) // its form is the schema's finding
	return &conversationFacts{textOf(root, "id"), provider.Name, textOf(root, "schema_version"), messages}, nil
}

func (v *validator) message(nodes map[string]node, order *[]string, path string, raw jsontext.Value) {
	var m struct {
		ID          string   `json:"id"`
		ParentID    string   `json:"parent_id"`
		ChildrenIDs []string `json:"children_ids"`
		CreatedAt   string   `json:"created_at"`
	}
	if !v.conforms(schema.Message, path, raw) || json.Unmarshal(raw, &m) != nil {
		return
	}
	_, twice := nodes[m.ID]
	v.check(!twice, "message-id", path+"/id", "stands twice")
	v.instant(path+"/created_at", m.CreatedAt)
	nodes[m.ID] = node{path, m.ParentID, m.CreatedAt, m.ChildrenIDs}
	*order = append(*order, m.ID)
}

// graph checks parents, children and cycles (§25.3).
func (v *validator) graph(nodes map[string]node, order []string) {
	linear := true
	for _, id := range order {
		n := nodes[id]
		if n.parent != "" {
			linear = false
			_, ok := nodes[n.parent]
			v.check(ok, "message-parent", n.at+"/parent_id", "is not a message of this conversation")
		}
		for _, child := range n.children {
			c, ok := nodes[child]
			v.check(ok && c.parent == id, "message-children", n.at+"/children_ids", "lists a message that does not name it as its parent")
		}
	}
	v.check(!hasCycle(nodes), "message-cycle", "/messages", "go round in a circle")
	if linear {
		v.inOrder(nodes, order)
	}
}

func (v *validator) inOrder(nodes map[string]node, order []string) {
	before := ""
	for _, id := range order {
		n := nodes[id]
		a, okA := v.instant(n.at+"/created_at", before)
		b, okB := v.instant(n.at+"/created_at", n.created)
		v.advise(!okA || !okB || !b.Before(a), "message-order", n.at+"/created_at", "is before the message above it")
		before = n.created
	}
}

// hasCycle walks up from every message; a walk that meets itself is a cycle.
func hasCycle(nodes map[string]node) bool {
	done := map[string]bool{}
	for id := range nodes {
		walk := map[string]bool{}
		for id != "" && !done[id] {
			if walk[id] {
				return true
			}
			walk[id] = true
			id = nodes[id].parent
		}
		for seen := range walk {
			done[seen] = true
		}
	}
	return false
}

// embeddingFacts is what the store's memories are compared with.
type embeddingFacts struct {
	version  string
	memoryOf map[string]string // embedding id → memory id
}

func (v *validator) embeddings(ctx context.Context, f intake.File, prefix string) (*embeddingFacts, error) {
	facts := &embeddingFacts{memoryOf: map[string]string{}}
	memories := ids{}
	root, whole, err := v.walkDocument(ctx, f, prefix, func(array string, i int, raw jsontext.Value) error {
		if array == "embeddings" {
			v.embedding(facts, memories, at(prefix, pointer(array, i)), raw)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.conformsRoot(schema.Embeddings, at(prefix, ""), root)
	facts.version = textOf(root, "schema_version")
	if !whole {
		return nil, nil
	}
	return facts, nil
}

func (v *validator) embedding(facts *embeddingFacts, memories ids, path string, raw jsontext.Value) {
	var e struct {
		ID         string            `json:"id"`
		MemoryID   string            `json:"memory_id"`
		Dimensions int               `json:"dimensions"`
		CreatedAt  string            `json:"created_at"`
		Vector     []json.RawMessage `json:"vector"`
	}
	if !v.conforms(schema.Embedding, path, raw) || json.Unmarshal(raw, &e) != nil {
		return
	}
	_, twice := facts.memoryOf[e.ID]
	v.check(!twice, "embedding-id", path+"/id", "stands twice")
	v.unique(memories, e.MemoryID, "embedding-memory", path+"/memory_id")
	v.instant(path+"/created_at", e.CreatedAt)
	v.check(e.Vector == nil || len(e.Vector) == e.Dimensions, "embedding-dimensions", path+"/dimensions", "is not the length of the vector")
	facts.memoryOf[e.ID] = e.MemoryID
}
