package jsonstream

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

// Where each answer stands inside the message before it a conversation is as deep as it
// is long. Such objects are taken out of each other before anything is checked, in one
// pass: each is then as shallow as any other, and all of them together cost no more than
// their bytes.

// Nests says where an element holds objects inside objects.
type Nests struct {
	Under []string // members of the element whose lists hold such objects
	Name  string   // the member of such an object whose list holds further ones
	Depth int      // levels that an element may have with them
}

// Node is one of these objects. In its own list, and in those of the element, {} stands
// for each that was taken out.
type Node struct {
	Parent int // its place among the nodes, -1 where it stands right in the element
	Value  jsontext.Value
}

// Nodes takes the objects out of an element, in the order in which they begin. One that
// holds no other lies inside v.
func (n *Nests) Nodes(v jsontext.Value) []Node {
	_, nodes, _ := n.unnest(v)
	return nodes
}

// unnest also gives what is left of the element, and how many levels the deepest of all
// these parts has. Only the brackets of the text need be right in number: what is wrong
// with it is wrong with one of the parts.
func (n *Nests) unnest(v []byte) (rest jsontext.Value, nodes []Node, levels int) {
	u := unnester{nests: n, v: v, open: []opened{{place: -1, depth: 1}}}
	for i := 0; i < len(v); i++ {
		switch classes[v[i]] {
		case space:
			continue
		case quote:
			end, _ := stringEnd(v, i+1)
			u.name, i = v[i:min(end, len(v))], end-1
		case colon:
			u.named = true
			continue
		case opening:
			u.begin(i)
		case closing:
			u.end(i)
		}
		u.named = false
	}
	return u.open[0].upTo(v, len(v)), u.nodes, u.levels
}

type unnester struct {
	nests  *Nests
	v      []byte
	depth  int
	name   jsontext.Value // the text that was met last
	named  bool           // a colon came behind it, and nothing since
	open   []opened       // the element, and the nodes that have not ended
	nodes  []Node
	levels int
}

// opened is the element or a node on the way.
type opened struct {
	place int      // among the nodes, -1 for the element
	depth int      // of its own bracket
	list  int      // depth of the list of nodes in it that is open, 0 for none
	from  int      // where its text goes on behind the node that ended last
	text  [][]byte // what stands before that, cut where a node was
}

// upTo is its text where that ends there.
func (o *opened) upTo(v []byte, to int) jsontext.Value {
	if o.text == nil {
		return v[o.from:to:to]
	}
	return bytes.Join(append(o.text, v[o.from:to]), []byte("{}"))
}

// begin takes an opening bracket.
func (u *unnester) begin(i int) {
	top := &u.open[len(u.open)-1]
	switch {
	case u.v[i] == '{' && top.list > 0 && top.list == u.depth:
		top.text = append(top.text, u.v[top.from:i])
		u.nodes = append(u.nodes, Node{Parent: top.place})
		u.open = append(u.open, opened{place: len(u.nodes) - 1, depth: u.depth + 1, from: i})
	case u.v[i] == '[' && u.named && top.depth == u.depth && slices.ContainsFunc(u.lists(top), u.called):
		top.list = u.depth + 1
	}
	u.depth++
	u.levels = max(u.levels, u.depth+1-u.open[len(u.open)-1].depth)
}

// lists are the names of the lists of nodes in it.
func (u *unnester) lists(o *opened) []string {
	if o.place < 0 {
		return u.nests.Under
	}
	return []string{u.nests.Name}
}

func (u *unnester) called(name string) bool { return Says(u.name, name) }

// end takes a closing bracket.
func (u *unnester) end(i int) {
	top := &u.open[len(u.open)-1]
	if top.list == u.depth {
		top.list = 0
	}
	if top.place >= 0 && top.depth == u.depth {
		u.nodes[top.place].Value = top.upTo(u.v, i+1)
		*top = opened{}
		u.open = u.open[:len(u.open)-1]
		u.open[len(u.open)-1].from = i + 1
	}
	u.depth--
}

// checked is the function of that name for an element that is deeper than others may be:
// each of its parts is checked by itself. What stands in it twice cannot be kept with it,
// because a later one may stand for nodes.
func (n *Nests) checked(raw []byte) (rest jsontext.Value, nodes []Node, m mending, bad *fault.Error) {
	rest, nodes, levels := n.unnest(raw)
	if levels > maxDepth {
		return nil, nil, m, tooDeep()
	}
	if rest, m, bad = checked(rest, nil); bad != nil {
		return nil, nil, mending{}, bad
	}
	for i := range nodes {
		v, more, bad := checked(nodes[i].Value, nil)
		if bad != nil {
			return nil, nil, mending{}, bad
		}
		nodes[i].Value = v
		m.add(more)
	}
	if m.doubled > 0 {
		return nil, nil, mending{}, fault.New(fault.Invalid, "item-deep-doubled", "Item {at} of {name} is nested deeper than {limit} levels and holds a name twice in one object; it was left out.").
			With("limit", maxDepth)
	}
	return rest, nodes, m, nil
}

func tooDeep() *fault.Error {
	return fault.New(fault.TooLarge, "item-too-deep", "Item {at} of {name} is nested deeper than {limit} levels and was left out.").
		With("limit", maxDepth)
}

// tooDeep is what is to be said of an element that is deeper than even these may be.
func (n *Nests) tooDeep() *fault.Error {
	return fault.New(fault.TooLarge, "item-nested-too-deep", "Item {at} of {name} holds answers inside answers, more than {limit} levels deep, and was left out.").
		With("limit", n.Depth).
		Advise("Export it again with its messages one after another: in LibreChat, without the option Recursive.")
}

// sizeOf is how many bytes nodes have.
func sizeOf(nodes []Node) (size int) {
	for _, n := range nodes {
		size += len(n.Value)
	}
	return size
}
