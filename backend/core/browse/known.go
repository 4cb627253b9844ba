package browse

import (
	"cmp"
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
)

// Limits of edges by conversation.
const (
	nextInConversation    = 3      // each memory is joined to so many that follow it in its conversation
	mostFromConversations = 10_000 // those of the newest memories
)

// known is what joins memories without a relation.
type known struct {
	edges  []GraphEdge       // by conversation first
	topics map[string]string // the topic of a memory, by its id
}

// known returns what joins the memories of a vault. Without the built-in language model it is
// only their conversations.
func (s *Service) known(ctx context.Context, v *library.Session) (known, error) {
	k := known{topics: map[string]string{}}
	k.edges, _ = library.Kept[answers](v).conversations.GetOr("", v.Rows.Version(), func() ([]GraphEdge, error) { return conversationEdges(v.Rows), nil })
	near, err := meaning.NearPairs(ctx, v)
	if meaning.IsUnavailable(err) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	k.edges = slices.Clone(k.edges)
	for _, p := range near {
		k.edges = append(k.edges, GraphEdge{p[0], p[1], NearInMeaning})
	}
	topics, err := meaning.TopicsOf(ctx, s.lib, v)
	for _, t := range topics {
		for _, id := range t.Memories {
			k.topics[id] = t.Name
		}
	}
	return k, err
}

// conversationEdges joins memories of the same conversation, in the order of their creation.
func conversationEdges(r *rows.Rows) (edges []GraphEdge) {
	r.RLock()
	defer r.RUnlock()
	of := map[string][]*rows.Memory{} // by conversation
	var order []string                // conversations, that of the newest memory first
	for _, row := range slices.Backward(r.Memories.BySeq) {
		if row == nil {
			continue
		}
		for _, id := range conversationsOf(row) {
			if of[id] == nil {
				order = append(order, id)
			}
			of[id] = append(of[id], row)
		}
	}
	for _, id := range order {
		members := of[id]
		slices.SortStableFunc(members, func(a, b *rows.Memory) int {
			return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.Seq, b.Seq))
		})
		for i, row := range members {
			for _, next := range members[i+1 : min(i+1+nextInConversation, len(members))] {
				edges = append(edges, GraphEdge{row.ID, next.ID, SameConversation})
			}
		}
		if len(edges) >= mostFromConversations {
			return edges[:mostFromConversations]
		}
	}
	return edges
}

// conversationsOf lists the conversations that a memory came from, each once.
func conversationsOf(row *rows.Memory) []string {
	all := append([]string{row.Conversation}, row.Sources...)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id string) bool { return id == "" })
}

// between returns the edges between two nodes that none of the edges joins already, one a pair.
func (k known) between(nodes map[string]int, edges []GraphEdge) (more []GraphEdge) {
	type pair [2]string
	pairOf := func(e GraphEdge) pair { return pair{min(e.From, e.To), max(e.From, e.To)} }
	joined := make(map[pair]bool, len(edges))
	for _, e := range edges {
		joined[pairOf(e)] = true
	}
	for _, e := range k.edges {
		_, from := nodes[e.From]
		if _, to := nodes[e.To]; from && to && !joined[pairOf(e)] {
			joined[pairOf(e)] = true
			more = append(more, e)
		}
	}
	return more
}

// joined leaves out the memories that have no edge and no topic, unless all are such.
func (k known) joined(list []*rows.Memory, degrees map[string]int, edges []GraphEdge) []*rows.Memory {
	has := map[string]bool{}
	for _, e := range edges {
		has[e.From], has[e.To] = true, true
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(row *rows.Memory) bool {
		return degrees[row.ID] == 0 && !has[row.ID] && k.topics[row.ID] == ""
	})
	if len(kept) == 0 {
		return list
	}
	return kept
}
