package mem0

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// How sure a statement is: mem0 drew it from a chat; a free export was filled
// by a model a second time.
const (
	sureDrawn = 0.7
	sureFree  = 0.5
)

// firstPage is how many memories get_all gives unless asked for more.
const firstPage = 20

// Read gives the memories of each file, then the relations of its graph.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	return r.Files(r.file, endings...)
}

type reading struct{ *importer.Reading }

func (r *reading) file(f intake.File) error {
	shape, _, err := importer.LookAt(r.Ctx, r.Tree, f)
	if err != nil {
		return err
	}
	count := 0
	counted := func(rec importer.Item) error {
		count++
		return r.memory(rec)
	}
	switch list := listOf(shape); {
	case list == "result.points":
		err = r.Elements(f, r.points)
	case shape.Kind != '{' || list != "":
		err = r.Elements(f, counted, importer.FirstOf(list, "results"))
	case pointsIn(shape, ""):
		return r.Lines(f, r.memory)
	default:
		err = r.Elements(f, func(rec importer.Item) error { return r.free(rec.Raw, "") }, "results")
	}
	if err != nil {
		return err
	}
	if shape.ItemText("next") != "" || count == firstPage && !shape.Has("count") {
		r.Notice(f, fault.New(fault.Invalid, "mem0-first-page",
			"{name} holds {count} memories, which is one page of mem0; there are probably more.").With("name", f.Base()).With("count", count).
			Advise("Ask mem0 again with a larger limit, or for the next page, and import that as well."))
	}
	if !shape.Has("relations") {
		return nil
	}
	return r.Elements(f, r.relation, "relations")
}

// points are those of an answer of a vector store.
func (r *reading) points(rec importer.Item) error {
	for i, v := range jsonstream.Items(jsonstream.Member(jsonstream.Member(rec.Raw, "result"), "points")) {
		if err := r.memory(importer.Item{File: rec.File, At: i + 1, Raw: v}); err != nil {
			return err
		}
	}
	return nil
}

// memory is one item of a list, or the payload of a point.
func (r *reading) memory(rec importer.Item) error {
	v, id := rec.Raw, importer.TextIn(rec.Raw, "id")
	if payload := jsonstream.Member(v, "payload"); payload.Kind() == '{' {
		v = payload
	}
	content := strings.TrimSpace(importer.FirstText(v, "memory", "text", "data"))
	state := importer.TextIn(v, "lifecycle_state")
	switch {
	case v.Kind() != '{':
		r.Bad(rec, false, fault.New(fault.Invalid, "mem0-not-a-memory", "Item {at} of {name} is not a memory of mem0 and was left out."))
		return nil
	case content == "":
		r.Sink.Skipped("empty")
		return nil
	case state == "deleted" || importer.TextIn(v, "event") == "DELETE":
		r.Sink.Skipped("deleted-there")
		return nil
	case !importer.IsNothing(jsonstream.Member(v, "replaced_by")):
		r.Sink.Skipped("replaced-there")
		return nil
	}
	d := importer.MemoryDraft{
		Content: content, Method: memory.LLMInference, Confidence: sureDrawn, PlatformUserID: importer.TextIn(v, "user_id"),
		Tags:      importer.TagsIn(nil, jsonstream.Member(v, "categories")),
		CreatedAt: importer.TimeIn(v, "created_at"), UpdatedAt: importer.TimeIn(v, "updated_at"),
		Metadata: importer.Facts(importer.Rest(v, "id", "memory", "text", "data", "hash", "user_id", "created_at", "updated_at", "categories"), "source", "mem0"),
	}
	d.SourceKey = "mem0:" + importer.FirstOf(id, importer.Digest(content, d.PlatformUserID))
	return r.Remember(d)
}

// relation is an edge of the graph beside the memories.
func (r *reading) relation(rec importer.Item) error {
	v := rec.Raw
	from, to := importer.TextIn(v, "source"), importer.FirstText(v, "target", "destination")
	kind := importer.FirstText(v, "relationship", "relation")
	if from == "" || to == "" || kind == "" {
		r.Sink.Skipped("empty")
		return nil
	}
	return r.Remember(importer.MemoryDraft{
		SourceKey: "mem0:relation:" + importer.Digest(from, kind, to), Content: importer.Edge(from, kind, to), Type: memory.Relationship,
		Method: memory.LLMInference, Confidence: sureDrawn,
		Metadata: importer.Facts(importer.Rest(v, "source", "target", "destination", "relationship", "relation"), "source", "mem0 graph"),
	})
}

// free takes every text of an export in a schema of somebody's own; its place
// says what it is about.
func (r *reading) free(v jsontext.Value, place string) error {
	if s, ok := jsonstream.Text(v); ok {
		return r.said(strings.TrimSpace(s), place)
	}
	for name, value := range jsonstream.Members(v) {
		if name == jsonstream.Doubled {
			continue // told already
		}
		if err := r.free(value, strings.TrimPrefix(place+" / "+strings.ReplaceAll(name, "_", " "), " / ")); err != nil {
			return err
		}
	}
	for _, value := range jsonstream.Items(v) {
		if err := r.free(value, place); err != nil {
			return err
		}
	}
	return nil
}

func (r *reading) said(s, place string) error {
	if s == "" {
		r.Sink.Skipped("empty")
		return nil
	}
	if place != "" && len(s) < 60 {
		s = place + ": " + s // a lone word says nothing
	}
	return r.Remember(importer.MemoryDraft{
		SourceKey: "mem0:free:" + importer.Digest(place, s), Content: s,
		Method: memory.LLMInference, Confidence: sureFree, Tags: importer.AddTag(nil, place),
		Metadata: importer.Facts(nil, "source", "mem0 export", "section", place),
	})
}
