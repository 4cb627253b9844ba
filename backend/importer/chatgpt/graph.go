package chatgpt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// node is one node of a conversation. Links are positions in graph.nodes.
type node struct {
	id       string
	wire     *wireNode
	parent   int // -1: none
	children []int
	odd      bool // the parent it names could not be used; it is kept raw
}

// graph is a conversation's mapping made whole: every link leads to a node,
// parents and children agree, and there is no cycle.
type graph struct {
	nodes []*node
	at    map[string]int
	twice int // nodes under an id that came again; the last one stands
}

const noParent = -1

func newGraph(nodes wireNodes) *graph {
	g := &graph{nodes: make([]*node, 0, len(nodes)), at: make(map[string]int, len(nodes))}
	all := make([]node, len(nodes))
	for i := range nodes {
		all[i] = node{id: nodes[i].key, wire: &nodes[i], parent: noParent}
		g.add(&all[i])
	}
	g.link()
	g.cutCycles()
	g.order()
	return g
}

// find is the position of the node that v names.
func (g *graph) find(v jsontext.Value) (i int, ok bool) {
	if id, plain := jsonstream.Plain(v); plain {
		i, ok = g.at[string(id)]
		return i, ok
	}
	i, ok = g.at[text(v)]
	return i, ok
}

func (g *graph) add(n *node) {
	if n.id == "" {
		n.id = cmp.Or(text(n.wire.ID), fmt.Sprintf("node-%d", len(g.nodes)))
	}
	if i, taken := g.at[n.id]; taken {
		g.nodes[i] = n
		g.twice++
		return
	}
	g.at[n.id] = len(g.nodes)
	g.nodes = append(g.nodes, n)
}

// link finds each parent: the one the node names, else the one that names it
// as a child. Older exports have both, slim ones only the first.
func (g *graph) link() {
	listed := slices.Repeat([]int{noParent}, len(g.nodes)) // under which node each is
	for i, n := range g.nodes {
		for _, child := range jsonstream.Items(n.wire.Children) {
			if c, ok := g.find(child); ok && c != i && listed[c] == noParent {
				listed[c] = i
			}
		}
	}
	for i, n := range g.nodes {
		p, ok := g.find(n.wire.Parent)
		if !ok || p == i {
			n.odd = !importer.IsNothing(n.wire.Parent)
			p = listed[i]
		}
		n.parent = p
	}
}

// cutCycles makes a root of the first node in the file of each cycle. Every
// node is walked over once.
func (g *graph) cutCycles() {
	seen := make([]int, len(g.nodes)) // number of the walk that came by, from 1
	for start := range g.nodes {
		i := start
		for i != noParent && seen[i] == 0 {
			seen[i] = start + 1
			i = g.nodes[i].parent
		}
		if i == noParent || seen[i] != start+1 {
			continue
		}
		first := i
		for j := g.nodes[i].parent; j != i; j = g.nodes[j].parent {
			first = min(first, j)
		}
		g.nodes[first].parent, g.nodes[first].odd = noParent, true
	}
}

// order fills in the children: in the order the parent lists them, those it
// does not list after them, by time and place in the file.
func (g *graph) order() {
	for i, n := range g.nodes {
		if n.parent != noParent {
			p := g.nodes[n.parent]
			p.children = append(p.children, i)
		}
	}
	for _, n := range g.nodes {
		if len(n.children) < 2 {
			continue
		}
		rank := map[string]int{}
		for k, child := range jsonstream.Items(n.wire.Children) {
			rank[text(child)] = k + 1
		}
		place := func(i int) int {
			if r := rank[g.nodes[i].id]; r > 0 {
				return r
			}
			return len(g.nodes) + 1
		}
		slices.SortStableFunc(n.children, func(a, b int) int {
			return cmp.Or(cmp.Compare(place(a), place(b)), g.nodes[a].wire.at().Compare(g.nodes[b].wire.at()), cmp.Compare(a, b))
		})
	}
}

// walk lists all nodes, parents before their children, branches one after the
// other. The order of map keys, which changes between exports, plays no part
// but among several roots.
func (g *graph) walk() []*node {
	all := make([]*node, 0, len(g.nodes))
	var open []int
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if g.nodes[i].parent == noParent {
			open = append(open, i)
		}
	}
	for len(open) > 0 {
		n := g.nodes[open[len(open)-1]]
		open = open[:len(open)-1]
		all = append(all, n)
		for k := len(n.children) - 1; k >= 0; k-- {
			open = append(open, n.children[k])
		}
	}
	return all
}

// leaf is the end of the active path: current_node, or where that leads
// nowhere the leaf with the greatest time, of equal ones the last in the file.
func (g *graph) leaf(current string) string {
	if i, ok := g.at[current]; ok && g.nodes[i].wire.isSpoken() {
		return current
	}
	best, last := -1, memory.Time{}
	for i, n := range g.nodes {
		if !n.wire.isSpoken() || slices.ContainsFunc(n.children, func(c int) bool { return g.nodes[c].wire.isSpoken() }) {
			continue
		}
		if at := n.wire.at(); best < 0 || at.Compare(last) >= 0 {
			best, last = i, at
		}
	}
	if best < 0 {
		return ""
	}
	return g.nodes[best].id
}

// earliest is the time of the first message that has one.
func (g *graph) earliest() (first memory.Time) {
	for _, n := range g.nodes {
		if at := n.wire.at(); !at.IsZero() && (first.IsZero() || at.Before(first.Time)) {
			first = at
		}
	}
	return first
}

// hasMessages reports whether anything was said at all.
func (g *graph) hasMessages() bool {
	return slices.ContainsFunc(g.nodes, func(n *node) bool { return n.wire.isSpoken() })
}
