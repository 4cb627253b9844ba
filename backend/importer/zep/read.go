package zep

import (
	"context"
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

// How sure a statement is: a fact that was drawn from episodes, a summary of
// several facts.
const (
	sureFact    = 0.7
	sureSummary = 0.6
)

// Read gives facts, summaries and episodes.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), most: i.most}
	return r.Files(r.file, ".json")
}

func (r *reading) file(f intake.File) error {
	r.groups, r.group, r.size = nil, map[string]*group{}, importer.Session{Max: r.most}
	if err := r.Elements(f, r.element); err != nil {
		return err
	}
	return r.talks(f)
}

type reading struct {
	*importer.Reading
	most   int64             // as Importer has it
	groups []*group          // of the file at hand
	group  map[string]*group // by their ids
	size   importer.Session  // all of them
}

// group is episodes that belong together.
type group struct {
	id   string
	list []jsontext.Value
}

// element is an item of a list, or an object that holds lists.
func (r *reading) element(rec importer.Item) error {
	v := rec.Raw
	has := func(name string) bool { return jsonstream.Member(v, name) != nil }
	switch {
	case v.Kind() != '{':
		r.Bad(rec, false, fault.New(fault.Invalid, "zep-not-an-item", "Item {at} of {name} is no fact, node or episode and was left out."))
	case has("fact"):
		return r.fact(v)
	case has("summary") && has("labels"):
		return r.node(v)
	case has("content"):
		r.episode(rec)
	default:
		for name, list := range jsonstream.Members(v) {
			for i, item := range jsonstream.Items(list) {
				if item.Kind() != '{' {
					r.Sink.Unknown("record:" + name)
				} else if err := r.element(importer.Item{File: rec.File, At: i + 1, Raw: item}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *reading) fact(v jsontext.Value) error {
	content := strings.TrimSpace(importer.TextIn(v, "fact"))
	switch {
	case content == "":
		r.Sink.Skipped("empty")
		return nil
	case !importer.IsNothing(jsonstream.Member(v, "invalid_at")), !importer.IsNothing(jsonstream.Member(v, "expired_at")):
		r.Sink.Skipped("replaced-there")
		return nil
	}
	d := draft(v, content, sureFact)
	d.ValidFrom = importer.TimeIn(v, "valid_at")
	d.Metadata = importer.Facts(importer.Rest(v, "uuid", "fact", "created_at", "valid_at", "invalid_at", "expired_at", "fact_embedding"), "source", "Zep fact")
	return r.Remember(d)
}

func (r *reading) node(v jsontext.Value) error {
	summary, name := strings.TrimSpace(importer.TextIn(v, "summary")), importer.Line(importer.TextIn(v, "name"))
	if summary == "" {
		r.Sink.Skipped("node-without-summary")
		return nil
	}
	if name != "" && !strings.Contains(strings.ToLower(summary), strings.ToLower(name)) {
		summary = name + ": " + summary
	}
	d := draft(v, summary, sureSummary)
	d.Metadata = importer.Facts(importer.Rest(v, "uuid", "name", "summary", "labels", "created_at", "name_embedding"), "source", "Zep node", "entity", name)
	d.Tags = importer.TagsIn(nil, jsonstream.Member(v, "labels"))
	return r.Remember(d)
}

func draft(v jsontext.Value, content string, sure float64) importer.MemoryDraft {
	return importer.MemoryDraft{
		SourceKey: "zep:" + importer.FirstOf(importer.TextIn(v, "uuid"), importer.Digest(content)), Content: content,
		Method: memory.LLMInference, Confidence: sure, CreatedAt: importer.TimeIn(v, "created_at"),
	}
}

// episode notes one for the conversation of its group.
func (r *reading) episode(rec importer.Item) {
	v := rec.Raw
	if r.size.Over() {
		return
	}
	if !r.size.Hold(len(v)) {
		r.groups, r.group = nil, nil
		r.refuse(rec)
		return
	}
	id := importer.FirstText(v, "session_id", "thread_id", "group_id", "graph_id")
	g := r.group[id]
	if g == nil {
		g = &group{id: id}
		r.groups, r.group[id] = append(r.groups, g), g
	}
	g.list = append(g.list, v)
}

// refuse reports that the episodes of a file are more than is held of them.
func (r *reading) refuse(rec importer.Item) {
	r.Sink.Problem(importer.Problem{Path: rec.File.Path, At: "item " + strconv.Itoa(rec.At), Conversation: true,
		Fault: fault.New(fault.TooLarge, "episodes-too-large", "The episodes in {name} are larger than {limit} MiB together and were left out. Everything else was read.").
			With("name", rec.File.Path).With("limit", r.size.Limit()>>20).
			Advise("Write the episodes of each session into a file of its own, and import these together.")})
}

// talks gives a conversation for each group of episodes.
func (r *reading) talks(f intake.File) error {
	for _, g := range r.groups {
		native := importer.FirstOf(g.id, "episodes")
		d, ok := r.BeginPart(platform, native, jsonstream.SumOf(slices.Values(g.list)), f)
		if !ok {
			continue
		}
		d.Title = importer.Line(g.id)
		d.Messages = make([]memory.Message, 0, len(g.list))
		cast := cast{known: map[string]bool{}}
		for i, v := range g.list {
			d.Messages = append(d.Messages, cast.messages(v)...)
			g.list[i] = nil // of a long one what was read twice would be much
		}
		cast.give(&d.Conversation)
		importer.JoinInOrder(&d.Conversation)
		if err := r.Give(d); err != nil {
			return err
		}
	}
	return nil
}
