package browse

import (
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// GraphNode is a memory as a node of the graph. Label is the beginning of its text.
type GraphNode struct {
	ID       string        `json:"id"`
	Type     memory.Type   `json:"type"`
	Status   memory.Status `json:"status"`
	Platform string        `json:"platform"`
	Label    string        `json:"label"`
	Topic    string        `json:"topic"`  // the name of its topic; "" if it is in none
	Degree   int           `json:"degree"` // number of relations, including those to memories outside the query
}

// GraphEdge joins two of the nodes.
type GraphEdge struct {
	From string   `json:"from"`
	To   string   `json:"to"`
	Type EdgeType `json:"type"`
}

// EdgeType is a memory.RelationType, or one of the derived types below.
type EdgeType string

// Derived edge types. Two memories have such an edge only if no relation joins them.
const (
	SameConversation EdgeType = "same_conversation" // they came from one
	NearInMeaning    EdgeType = "near_in_meaning"
)

// Graph is one page of the memories that a query selects, and one page of the edges among
// all of them, relations first. Both pages use the query's Offset and Limit.
type Graph struct {
	Nodes      []GraphNode `json:"nodes"`
	Edges      []GraphEdge `json:"edges"`
	TotalNodes int         `json:"total_nodes"`
	TotalEdges int         `json:"total_edges"`
}

// labelBytes limits the text of a memory in a label, in bytes.
const labelBytes = 120

// Graph returns the memories that a query selects as nodes, those with most relations
// first, and as edges the relations among them and what else is known to join them. With
// HasRelations memories that are joined to none and in no topic are left out, unless all are.
func (s *Service) Graph(ctx context.Context, q MemoryQuery) (Graph, error) {
	g := Graph{Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return g, err
	}
	defer leave()
	joinedOnly := q.HasRelations
	q.HasRelations = false
	list, err := Rows(ctx, v, q, s.lib.Now())
	if err != nil {
		return g, err
	}
	known, err := s.known(ctx, v)
	if err != nil {
		return g, err
	}
	degrees, edges := edgesBetween(v.Rows, list)
	edges = append(edges, known.between(degrees, edges)...)
	if joinedOnly {
		list = known.joined(list, degrees, edges)
	}
	slices.SortStableFunc(list, func(a, b *rows.Memory) int { return degrees[b.ID] - degrees[a.ID] })
	g.TotalNodes, g.TotalEdges = len(list), len(edges)
	g.Edges = append(g.Edges, library.Page(edges, q.Offset, q.Limit)...)
	for _, row := range library.Page(list, q.Offset, q.Limit) {
		g.Nodes = append(g.Nodes, GraphNode{ID: row.ID, Type: row.Kind, Status: row.Status, Platform: row.Platform, Topic: known.topics[row.ID], Degree: degrees[row.ID]})
	}
	return g, v.View(func(tx *vault.Tx) error { return label(tx, g.Nodes) })
}

// edgesBetween counts the relations of each node, and lists the relations between two of
// the nodes, oldest first.
func edgesBetween(r *rows.Rows, nodes []*rows.Memory) (degrees map[string]int, edges []GraphEdge) {
	r.RLock()
	defer r.RUnlock()
	degrees = make(map[string]int, len(nodes))
	for _, row := range nodes {
		degrees[row.ID] = len(r.Touching[row.ID])
	}
	inside := []memory.Relation{}
	for _, rel := range r.Relations {
		_, from := degrees[rel.From]
		if _, to := degrees[rel.To]; from && to {
			inside = append(inside, rel)
		}
	}
	slices.SortFunc(inside, rows.OldestRelation)
	for _, rel := range inside {
		edges = append(edges, GraphEdge{rel.From, rel.To, EdgeType(rel.Type)})
	}
	return degrees, edges
}

func label(tx *vault.Tx, nodes []GraphNode) error {
	for i := range nodes {
		text, err := tx.Get(vault.Memories, nodes[i].ID)
		if err != nil {
			return err
		}
		var m memory.Record
		if err := pam.DecodeMemoryInto(text, &m); err != nil {
			return err
		}
		nodes[i].Label = m.Content
		if len(m.Content) > labelBytes {
			nodes[i].Label = library.Cut(m.Content, labelBytes) + "…"
		}
	}
	return nil
}

// Rows returns all rows that a query selects, in the order of q.Sort. It ignores Offset
// and Limit.
func Rows(ctx context.Context, v *library.Session, q MemoryQuery, now memory.Time) (list []*rows.Memory, err error) {
	q.Offset, q.Limit = 0, 0
	err = v.View(func(tx *vault.Tx) error {
		list, _, err = sortedRows(v, ctx, tx, q, now)
		return err
	})
	return slices.Clone(list), err
}
