package mif

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Redaction says what was taken out of a content, and where it stood in the
// content as it was (§6.1), in Unicode code points.
type Redaction struct {
	Type           string `json:"type"`
	OriginalLength int    `json:"original_length"`
	Position       [2]int `json:"position"`
}

// Leaving is a memory that is written, with what goes with it.
type Leaving struct {
	Record     memory.Record
	Embedding  *Embedding
	Links      []Link
	Redactions []Redaction // of the content
	Hidden     bool        // something was taken out of it, there or elsewhere
}

// Piece is something that was kept as it stood; Name is as Taker.Piece has it.
type Piece struct {
	Name string
	Raw  jsontext.Value
}

// Edges is the name of a piece that is an edge.
const Edges = "graph.edges"

// OfGraph reports that it is of the graph between memories.
func (p Piece) OfGraph() bool {
	return strings.HasPrefix(p.Name, "graph.") || strings.HasPrefix(p.Name, "knowledge_graph.")
}

// IsElement reports that it is one element of a list, and no member of a document.
func (p Piece) IsElement() bool { return streamed[p.Name] }

// Source is what a document is made of. Memories and tasks are asked for more than
// once: the sum and the counts stand before them. What a list holds is asked for once.
// Nothing that is asked for one after the other is held.
type Source struct {
	Memories  iter.Seq2[Leaving, error]
	Todos     iter.Seq2[memory.Todo, error] // may be nil
	TodoCount int                           // how many Todos gives
	Members   []Piece                       // what is no element of a list
	Lists     map[string]List               // by the name of their pieces
	Hidden    []string                      // kinds of what was taken out of anything here
}

// List is what was kept of a list, or what its elements leave as: of Edges as
// EncodeEdge has it, or as they came.
type List struct {
	Count    int
	Elements iter.Seq2[jsontext.Value, error]
}

// Options say how a document is written.
type Options struct {
	Major     string // "1" or "2"
	Form      Form
	ExportID  string
	Date      memory.Time
	UserID    string
	Generator string // version of this program
	// NoEmbeddings leaves out what was kept of a vector in a form of its own, too.
	NoEmbeddings bool
	Rules        *schema.Set // what is written must be valid by; nil: what was kept leaves as it is
}

// Summary says what was written.
type Summary struct {
	Memories int
	Todos    int
	Edges    int
	Checksum string
	Redacted int // memories
}

// EncodeEdge is the edge that a relation of PAM leaves as.
func EncodeEdge(rel memory.Relation) jsontext.Value { return edgeOf(rel).text() }

// EncodeLabelled is EncodeEdge with the word that the source of the relation has for it.
func EncodeLabelled(rel memory.Relation, label string) jsontext.Value {
	e := edgeOf(rel)
	metadata := e.objectOrNew("metadata")
	metadata.put("label", label)
	e["metadata"] = metadata.text()
	return e.text()
}

// writing is one document being written.
type writing struct {
	Options
	source Source
	Summary
	earliest, latest memory.Time
	types            map[string]int
	redacted         []string
}

// Write writes a document.
func Write(w io.Writer, s Source, o Options) (Summary, error) {
	d := &writing{Options: o, source: s, types: map[string]int{}, redacted: []string{}}
	if err := d.survey(); err != nil {
		return Summary{}, err
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := &sticky{w: buffered}
	switch o.Form {
	case YAML:
		out.most = MaxYAML
		d.yaml(out)
	case JSONL:
		d.lines(out)
	default:
		d.json(out)
	}
	if out.err != nil {
		return Summary{}, out.err
	}
	return d.Summary, buffered.Flush()
}

// encode is a memory in canonical JSON, in the words of the version, and its type
// in those of version 1.
func (d *writing) encode(l Leaving) (text []byte, kind string, err error) {
	m := keptOver(l.Record)
	switch {
	case l.Embedding != nil:
		putEmbedding(m, l.Record, *l.Embedding)
	case d.NoEmbeddings || l.Hidden || m.object("embedding")["vector"] == nil:
		delete(m, "embedding") // what was said of a vector that does not leave
	}
	putLinks(m, l.Links)
	if len(l.Redactions) > 0 {
		m.put("redactions", l.Redactions)
	}
	if d.Major != "2" {
		if d.Rules != nil {
			typedEntities(m)
		}
		m = d.withBase(l.Record, m)
	}
	kind = m.string("type")
	m = withLost(m, l.Record)
	if d.Major == "2" {
		m = d.withBase(l.Record, memoryToTwo(m))
	}
	if text, err = jcs.Fast(m.text()); err != nil {
		return nil, "", fmt.Errorf("write memory: %w", err)
	}
	return text, kind, nil
}

// survey sums and counts what is written. What will not fit in YAML is refused here,
// as soon as that is certain.
func (d *writing) survey() error {
	sum, least := newSummer(), 0
	for l, err := range d.source.Memories {
		if err != nil {
			return err
		}
		text, kind, err := d.encode(l)
		if err != nil {
			return err
		}
		sum.add(text)
		if least += leastYAML(text); d.Form == YAML && least > MaxYAML {
			return ErrYAMLTooLarge()
		}
		d.Memories++
		d.types[kind]++
		at := l.Record.Temporal.CreatedAt
		if d.earliest.IsZero() || at.Compare(d.earliest) < 0 {
			d.earliest = at
		}
		if at.Compare(d.latest) > 0 {
			d.latest = at
		}
		d.note(l)
	}
	d.Checksum, d.Todos, d.Edges = sum.sum(), d.source.TodoCount, d.source.Lists[Edges].Count
	return nil
}

// maxRedactedFields bounds how many memories the metadata name in which something was
// hidden: they are one piece of the document, which readers hold. Each memory says it
// of itself, too.
const maxRedactedFields = 100_000

func (d *writing) note(l Leaving) {
	if l.Hidden {
		if d.Redacted++; d.Redacted <= maxRedactedFields {
			d.redacted = append(d.redacted, mifID(ofMemory, l.Record.ID))
		}
	}
}

// secretKinds are kinds of redactions that MIF calls secrets (§6.1); the others
// are of a person.
var secretKinds = []string{"api_key", "password", "private_key", "token"}

// member of a document or of an object in it: a value, a list whose elements are
// streamed, or an object with such lists in it.
type member struct {
	name     string
	raw      jsontext.Value
	elements iter.Seq2[jsontext.Value, error]
	inside   []member
}

// head is the document without its memories.
func (d *writing) head() []member {
	two := d.Major == "2"
	secret := func(kind string) bool { return slices.Contains(secretKinds, kind) }
	personal := func(kind string) bool { return !secret(kind) }
	privacy := object{
		"pii_detected": value(slices.ContainsFunc(d.source.Hidden, personal)), "secrets_detected": value(slices.ContainsFunc(d.source.Hidden, secret)),
		"redacted_fields": value(d.redacted),
	}
	export := object{"id": quoted(d.exportID()), "created_at": quoted(d.Date.String()), "user_id": quoted(d.UserID), "checksum": quoted(d.Checksum)}
	var all []member
	add := func(name string, raw jsontext.Value) { all = append(all, member{name: name, raw: raw}) }
	if !two {
		add("$schema", quoted("https://shodh-memory.dev/schemas/mif-v1.json"))
	}
	add("mif_version", quoted(d.Major+".0"))
	add("generator", object{"name": quoted("keepsake"), "version": quoted(d.Generator)}.text())
	if two {
		export["privacy"] = privacy.text()
		add("export_meta", export.text())
	} else {
		add("export", export.text())
	}
	return d.fitRoot(append(all, d.body(privacy)...))
}

// exportID is of the form that the schema of version 1 asks for.
func (d *writing) exportID() string {
	if d.Major == "2" {
		return d.ExportID
	}
	return "exp_" + strings.ReplaceAll(d.ExportID, "-", "")
}

// metadata is the block of §7: what is counted, over what was kept of it.
func (d *writing) metadata(kept jsontext.Value, privacy object) object {
	m := object{"metadata": kept}.objectOrNew("metadata")
	m["total_memories"], m["total_todos"], m["memory_types"], m["privacy"] = value(d.Memories), value(d.Todos), value(d.types), privacy.text()
	delete(m, "date_range")
	if d.Memories > 0 {
		m["date_range"] = object{"earliest": quoted(d.earliest.String()), "latest": quoted(d.latest.String())}.text()
	}
	return m
}

// body puts together what was kept: of each list its elements, of anything else the
// last that was said.
func (d *writing) body(privacy object) (all []member) {
	top, inside := map[string]member{}, map[string]map[string]member{}
	put := func(m member) {
		outer, inner, nested := strings.Cut(m.name, ".")
		if !nested {
			top[m.name] = m
			return
		}
		if inside[outer] == nil {
			inside[outer] = map[string]member{}
		}
		m.name = inner
		inside[outer][inner] = m
	}
	for _, p := range d.source.Members {
		put(member{name: p.Name, raw: p.Raw})
	}
	for name, list := range d.source.Lists {
		if name == Edges {
			list.Elements = d.fitEdges(list.Elements)
		}
		if list.Count > 0 {
			put(member{name: name, elements: list.Elements})
		}
	}
	if inside["graph"] != nil {
		if d.Edges == 0 {
			put(member{name: Edges, raw: jsontext.Value("[]")})
		}
		put(member{name: "graph.format", raw: quoted("adjacency_list")})
		put(member{name: "graph.edge_count", raw: value(d.Edges)})
		put(member{name: "graph.node_count", raw: value(max(d.Memories, d.source.Lists["graph.nodes"].Count))})
	}
	for name, o := range inside {
		top[name] = member{name: name, inside: inOrder(o)}
	}
	d.required(put, top, privacy)
	return inOrder(top)
}

// required puts what a version asks for.
func (d *writing) required(put func(member), top map[string]member, privacy object) {
	two := d.Major == "2"
	if kept := top["metadata"].raw; !two || kept != nil {
		put(member{name: "metadata", raw: d.metadata(kept, privacy).text()})
	}
	if two {
		if top["vendor_extensions"].raw == nil {
			put(member{name: "vendor_extensions", raw: jsontext.Value("{}")})
		}
		if top["reminders"].elements == nil {
			put(member{name: "reminders", raw: jsontext.Value("[]")})
		}
		put(member{name: "projects", elements: d.projects()})
	}
	if two || d.Todos > 0 {
		put(member{name: "todos", elements: d.tasks()})
	}
}

func inOrder(all map[string]member) []member {
	return slices.SortedFunc(maps.Values(all), func(a, b member) int { return strings.Compare(a.name, b.name) })
}

// whole writes a member with all that is in it.
func (d *writing) whole(out *sticky, m member) {
	switch {
	case m.elements != nil:
		d.list(out, m.elements)
		return
	case m.inside == nil:
		out.put(string(m.raw))
		return
	}
	before := "{"
	for _, in := range m.inside {
		out.put(before, string(quoted(in.name)), ":")
		d.whole(out, in)
		before = ","
	}
	out.put("}")
}

func (d *writing) list(out *sticky, elements iter.Seq2[jsontext.Value, error]) {
	out.put("[")
	before := ""
	for e, err := range elements {
		text := e.Clone() // which is changed where it lies
		if err == nil {
			if err = text.Compact(); err != nil { // it stands on a line, where the form has lines
				err = fmt.Errorf("write element of a list: %w", err)
			}
		}
		if out.fail(err); out.err != nil {
			return
		}
		out.put(before, string(text))
		before = ","
	}
	out.put("]")
}

// projects are those kept, and those that tasks name.
func (d *writing) projects() iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		seen := map[string]bool{}
		if kept := d.source.Lists["projects"]; kept.Count > 0 {
			for raw, err := range kept.Elements {
				if o, bad := asObject(raw); err == nil && bad == nil {
					seen[o.string("id")] = true
				}
				if !yield(raw, err) || err != nil {
					return
				}
			}
		}
		for t, err := range d.todos() {
			p := task(t).object("project")
			if err == nil && (p == nil || seen[projectID(p)]) {
				continue
			}
			seen[projectID(p)] = true
			named := object{"id": quoted(projectID(p)), "name": quoted(p.string("name")), "prefix": quoted(p.string("prefix")),
				"status": quoted("active"), "created_at": quoted(t.CreatedAt.String())}
			if !yield(named.text(), err) || err != nil {
				return
			}
		}
	}
}

// tasks are the tasks in the words of the version.
func (d *writing) tasks() iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for t, err := range d.todos() {
			if !yield(d.task(t).text(), err) || err != nil {
				return
			}
		}
	}
}

// task is one in the words of the version.
func (d *writing) task(t memory.Todo) object {
	o, base := task(t), baseTask(t)
	if d.Major == "2" {
		o, base = todoToTwo(o), todoToTwo(base)
	}
	if t.MIF == "" {
		return o
	}
	fitted := d.fit("todos", o, base)
	if id := o.string("id"); fitted.string("id") != id && d.Major != "2" {
		fitted.put(mifIDMember, id)
	}
	return fitted
}

func (d *writing) todos() iter.Seq2[memory.Todo, error] {
	if d.source.Todos == nil {
		return func(func(memory.Todo, error) bool) {}
	}
	return d.source.Todos
}

// json writes one memory a line inside one document.
func (d *writing) json(out *sticky) {
	out.put("{")
	for _, m := range d.head() {
		out.put("\n", string(quoted(m.name)), ": ")
		d.whole(out, m)
		out.put(",")
	}
	out.put("\n\"memories\": [")
	before := ""
	d.each(out, func(text []byte) {
		out.put(before, "\n", string(text))
		before = ","
	})
	out.put("\n]\n}\n")
}

// lines writes the document on the first line, without memories.
func (d *writing) lines(out *sticky) {
	d.whole(out, member{inside: d.head()})
	out.put("\n")
	d.each(out, func(text []byte) { out.put(string(text), "\n") })
}

// yaml writes one piece after the other, each made of its JSON.
func (d *writing) yaml(out *sticky) {
	for _, m := range d.head() {
		var text bytes.Buffer
		whole := &sticky{w: &text, most: 2 * MaxYAML} // twice as long in JSON at most, or nearly
		if d.whole(whole, m); whole.err != nil {
			out.fail(whole.err)
			return
		}
		out.yaml(object{m.name: text.Bytes()}.text())
	}
	if d.Memories == 0 {
		out.put("memories: []\n")
		return
	}
	out.put("memories:\n")
	d.each(out, func(text []byte) { out.yaml(append(append([]byte("["), text...), ']')) })
}

// each gives the memories as they are written to out, as long as that works.
func (d *writing) each(out *sticky, give func(text []byte)) {
	for l, err := range d.source.Memories {
		var text []byte
		if err == nil {
			text, _, err = d.encode(l)
		}
		if out.fail(err); out.err != nil {
			return
		}
		give(text)
	}
}

// sticky remembers the first error of a writer.
type sticky struct {
	w    io.Writer
	n    int
	most int // bytes, 0 for any number
	err  error
}

func (s *sticky) put(texts ...string) {
	for _, t := range texts {
		if s.err != nil {
			return
		}
		if s.n += len(t); s.most > 0 && s.n > s.most {
			s.err = ErrYAMLTooLarge()
			return
		}
		_, s.err = io.WriteString(s.w, t)
	}
}

// fail takes an error of what should have been written; nil is none.
func (s *sticky) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// yaml writes JSON as YAML.
func (s *sticky) yaml(text []byte) {
	out, err := yaml.JSONToYAML(text)
	if err != nil {
		s.fail(fmt.Errorf("write YAML: %w", err))
		return
	}
	s.put(string(out))
}

// Key names what a piece says: of two with the same one the later counts. The
// elements of lists have their id, or all that they say.
func (p Piece) Key() string {
	if !streamed[p.Name] {
		return p.Name
	}
	o, err := asObject(p.Raw)
	if id := o.string("id"); err == nil && id != "" {
		return p.Name + "\x00" + id
	}
	return p.Name + "\x00\x00" + string(p.Raw)
}
