package mcpmemory

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

// sure is how sure a statement is that an assistant wrote down to keep it.
const sure = 0.8

// Read gives each observation, and each relation between what they are about.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	for _, f := range tree.Files() {
		shape, head, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		switch {
		case isService(shape):
			err = r.Elements(f, r.statement, "memories")
		case shape.Has("entities") || shape.Has("relations"):
			err = r.Elements(f, r.graph)
		case isResult(shape, head):
			err = r.Elements(f, r.result)
		case formOf(f, shape, nil) != "" || importer.HasEnding(f, endings...) || len(tree.Files()) == 1:
			err = r.Lines(f, r.line)
		default:
			sink.OtherFile(f)
		}
		if err != nil {
			return err
		}
	}
	return r.End()
}

type reading struct{ *importer.Reading }

func (r *reading) graph(rec importer.Item) error {
	for _, v := range jsonstream.Items(jsonstream.Member(rec.Raw, "entities")) {
		if err := r.entity(v); err != nil {
			return err
		}
	}
	for _, v := range jsonstream.Items(jsonstream.Member(rec.Raw, "relations")) {
		if err := r.relation(v); err != nil {
			return err
		}
	}
	return nil
}

// result is that of a tool: in the answer of a server, or by itself, or one of the texts of it.
func (r *reading) result(rec importer.Item) error {
	v := rec.Raw
	if inner := jsonstream.Member(v, "result"); inner != nil {
		v = inner
	}
	if is := jsonstream.Member(v, "structuredContent"); is.Kind() == '{' {
		return r.graph(importer.Item{File: rec.File, At: rec.At, Raw: is})
	}
	texts := []string{importer.TextIn(v, "text")}
	for _, item := range jsonstream.Items(jsonstream.Member(v, "content")) {
		texts = append(texts, importer.TextIn(item, "text"))
	}
	for _, text := range texts {
		is := jsontext.Value(strings.TrimSpace(text))
		switch {
		case len(is) == 0:
		case is.IsValid() && is.Kind() == '{':
			if err := r.graph(importer.Item{File: rec.File, At: rec.At, Raw: is}); err != nil {
				return err
			}
		default:
			r.Bad(rec, false, fault.New(fault.Invalid, "mcp-not-a-graph", "Item {at} of {name} holds a text that is no graph and was left out."))
		}
	}
	return nil
}

func (r *reading) line(rec importer.Item) error {
	switch kind := importer.TextIn(rec.Raw, "type"); kind {
	case "entity":
		return r.entity(rec.Raw)
	case "relation":
		return r.relation(rec.Raw)
	case aim:
		r.Sink.Skipped("session-note")
	case "":
		r.Bad(rec, false, fault.New(fault.Invalid, "mcp-not-a-record", "Line {at} of {name} is neither an entity nor a relation and was left out."))
	default:
		r.Sink.Unknown("record:" + kind)
	}
	return nil
}

// statement is one that mcp-memory-service keeps.
func (r *reading) statement(rec importer.Item) error {
	v := rec.Raw
	content := strings.TrimSpace(importer.TextIn(v, "content"))
	if content == "" {
		r.Sink.Skipped("empty")
		return nil
	}
	return r.Remember(importer.MemoryDraft{
		SourceKey: "mcp:service:" + importer.FirstOf(importer.TextIn(v, "content_hash"), importer.Digest(content)), Content: content,
		Method: memory.APIExport, Confidence: sure, Tags: importer.TagsIn(nil, jsonstream.Member(v, "tags")),
		CreatedAt: importer.TimeIn(v, "created_at"), UpdatedAt: importer.TimeIn(v, "updated_at"),
		Metadata: importer.Facts(importer.Rest(v, "content", "content_hash", "tags", "created_at", "created_at_iso", "updated_at", "updated_at_iso"), "source", "MCP memory service"),
	})
}

func (r *reading) entity(v jsontext.Value) error {
	name, kind := importer.TextIn(v, "name"), importer.TextIn(v, "entityType")
	rest := importer.Rest(v, "type", "name", "entityType", "observations")
	given := 0
	for _, item := range jsonstream.Items(jsonstream.Member(v, "observations")) {
		said := strings.TrimSpace(sentence(item))
		if said == "" {
			continue
		}
		given++
		err := r.Remember(importer.MemoryDraft{
			SourceKey: "mcp:" + importer.Digest(name, said), Content: about(name, said), Method: memory.APIExport, Confidence: sure,
			Tags: importer.AddTag(importer.AddTag(nil, kind), name), CreatedAt: importer.TimeIn(item, "timestamp"),
			Metadata: importer.Facts(rest, "source", "MCP memory", "entity", name, "entity_type", kind),
			Entity:   name,
		})
		if err != nil {
			return err
		}
	}
	if given == 0 {
		r.Sink.Skipped("entity-without-observation")
	}
	return nil
}

// sentence is an observation: a text, or in forks of the server an object.
func sentence(v jsontext.Value) string {
	if s, ok := jsonstream.Text(v); ok {
		return s
	}
	return importer.FirstText(v, "content", "text")
}

// about puts the name before a statement that would not say whom it is about.
func about(name, said string) string {
	if name == "" || strings.Contains(strings.ToLower(said), strings.ToLower(strings.ReplaceAll(name, "_", " "))) || strings.Contains(said, name) {
		return said
	}
	return strings.ReplaceAll(name, "_", " ") + ": " + said
}

func (r *reading) relation(v jsontext.Value) error {
	from, kind, to := importer.TextIn(v, "from"), importer.TextIn(v, "relationType"), importer.TextIn(v, "to")
	if from == "" || kind == "" || to == "" {
		r.Sink.Skipped("empty")
		return nil
	}
	sentence := importer.MemoryDraft{
		SourceKey: "mcp:relation:" + importer.Digest(from, kind, to), Content: importer.Edge(strings.ReplaceAll(from, "_", " "), kind, strings.ReplaceAll(to, "_", " ")),
		Type: memory.Relationship, Method: memory.APIExport, Confidence: sure,
		Tags:     importer.AddTag(nil, from),
		Metadata: importer.Facts(importer.Rest(v, "type", "from", "to", "relationType"), "source", "MCP memory", "entity", from, "other_entity", to),
	}
	if from == to {
		return r.Remember(sentence)
	}
	return r.Relate(importer.Between{From: from, To: to, Word: kind, Otherwise: sentence})
}
