package agents

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
	"keepsake/backend/vault"
)

// Export is which memories an agent wants as a document of the Memory Interchange Format.
type Export struct {
	Form         mif.Form // "": JSON
	NoEmbeddings bool
	NoGraph      bool
	Since        memory.Time // created after it; zero: all
	Redact       bool        // also where the grant hides nothing
}

// Document is a document of the Memory Interchange Format, whole by itself: the oldest memories that
// have room in it.
type Document struct {
	Text     string      `json:"document"`
	Memories int         `json:"memories"`
	Edges    int         `json:"edges"`
	Redacted int         `json:"redacted"`            // memories in which something was hidden
	LeftOut  int         `json:"left_out,omitempty"`  // newer memories, for which there was no room
	Next     memory.Time `json:"next_since,omitzero"` // since of the document that goes on
}

// Bounds of documents of the Memory Interchange Format.
const (
	mostExported    = 400    // memories; about as many fit without embeddings
	largestDocument = 60_000 // bytes
	mostImported    = 200    // memories
	largestImport   = 500_000
)

// AgentExport writes memories that the agent may see as a document (MIF §8, export_memory).
func (s *Service) AgentExport(ctx context.Context, name string, ask Export) (Document, error) {
	return answer(ctx, s, name, "export_memory", Read, func(ctx context.Context, q *question) (d Document, err error) {
		if ask.Form == "" {
			ask.Form = mif.JSON
		}
		if !slices.Contains(mif.Forms(), ask.Form) {
			return d, fault.New(fault.Invalid, "mif-no-form", "The Memory Interchange Format is written as json, yaml or jsonl, not {form}.").With("form", rows.ShortID(string(ask.Form)))
		}
		err = q.see(ctx, func(sees *sight) error {
			list, err := sees.createdAfter(ask.Since)
			if err != nil {
				return err
			}
			var shown []*rows.Memory
			if d, shown, err = sees.fitting(s.lib, list, ask); err != nil {
				return err
			}
			for _, row := range shown {
				q.give(row)
			}
			return nil
		})
		return d, err
	})
}

// createdAfter lists the memories that the agent may see and that were created after a time, the
// oldest first.
func (s *sight) createdAfter(since memory.Time) ([]*rows.Memory, error) {
	list, err := s.newestFirst(Scope{})
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if since.IsZero() {
		return list, nil
	}
	return slices.DeleteFunc(list, func(row *rows.Memory) bool { return row.Created <= rows.MicroOf(since) }), nil
}

// fitting writes as many memories of a list as have room, from its beginning, and returns them.
// Those of one instant stay together, so that Document.Next names where the next document begins.
func (s *sight) fitting(lib *library.Library, list []*rows.Memory, ask Export) (Document, []*rows.Memory, error) {
	for n := min(len(list), mostExported); ; {
		for n > 0 && n < len(list) && list[n].Created == list[n-1].Created {
			n--
		}
		d, err := s.document(lib, list[:n], ask)
		if err != nil {
			return d, nil, err
		}
		if fits := len(d.Text) <= largestDocument; fits && (n > 0 || len(list) == 0) {
			if d.LeftOut = len(list) - n; d.LeftOut > 0 {
				d.Next = rows.TimeOf(list[n-1].Created)
			}
			return d, list[:n], nil
		}
		if n <= 1 {
			return d, nil, fault.New(fault.TooLarge, "agent-export-too-large", "The memories of one moment are too many for one answer.").
				Advise("Ask without embeddings, or list them in pages.")
		}
		n = max(1, min(n-1, n*largestDocument/len(d.Text)))
	}
}

// document writes a list of memories.
func (s *sight) document(lib *library.Library, list []*rows.Memory, ask Export) (d Document, err error) {
	rules, err := lib.Rules()
	if err != nil {
		return d, err
	}
	var leaving []mif.Leaving
	kinds := map[string]bool{}
	for _, row := range list {
		l, err := s.leaving(row, ask, kinds)
		if err != nil {
			return d, err
		}
		leaving = append(leaving, l)
	}
	if !ask.NoEmbeddings {
		if err := s.embeddings(list, leaving, lib.Now()); err != nil {
			return d, err
		}
	}
	source := mif.Source{Memories: eachOf(leaving), Hidden: slices.Sorted(maps.Keys(kinds)), Lists: map[string]mif.List{}}
	if !ask.NoGraph {
		edges := s.edges(list)
		source.Lists[mif.Edges] = mif.List{Count: len(edges), Elements: eachOf(edges)}
	}
	var text strings.Builder
	sum, err := mif.Write(&text, source, mif.Options{
		Major: "1", Form: ask.Form, ExportID: lib.NewID(), Date: lib.Now(), UserID: s.v.Owner.ID, Generator: library.Version, NoEmbeddings: ask.NoEmbeddings, Rules: rules,
	})
	return Document{Text: text.String(), Memories: sum.Memories, Edges: sum.Edges, Redacted: sum.Redacted}, err
}

// eachOf gives the elements of a list, without an error.
func eachOf[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range list {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// leaving is a memory as a document has it: what get_memory tells, and no more, because the rest of a
// record names other circles and places. It adds to kinds what was hidden.
func (s *sight) leaving(row *rows.Memory, ask Export, kinds map[string]bool) (l mif.Leaving, err error) {
	stored, err := rows.NeedMemory(s.tx, row.ID)
	if err != nil {
		return l, err
	}
	r := stored.Record
	l.Record = memory.Record{
		ID: r.ID, Type: r.Type, CustomType: r.CustomType, Content: r.Content, Summary: r.Summary, Status: r.Status, Tags: r.Tags, Temporal: r.Temporal, Confidence: r.Confidence,
		Provenance: memory.Provenance{Platform: r.Provenance.Platform, ExtractionMethod: r.Provenance.ExtractionMethod, ExtractedAt: r.Provenance.ExtractedAt},
	}
	if ask.Redact || !s.agent.Grant.Unredacted {
		l.Record.Content, l.Redactions = hidden(r.Content)
		all := slices.Clone(l.Redactions)
		l.Record.Tags = slices.Clone(r.Tags)
		texts := []*string{&l.Record.Summary, &l.Record.CustomType, &l.Record.Provenance.Platform}
		for i := range l.Record.Tags {
			texts = append(texts, &l.Record.Tags[i])
		}
		for _, text := range texts {
			shown, more := hidden(*text)
			*text, all = shown, append(all, more...)
		}
		l.Hidden = len(all) > 0
		for _, place := range all {
			kinds[place.Type] = true
		}
	}
	return l, nil
}

// hidden is redact.Hide in the terms of a document.
func hidden(text string) (string, []mif.Redaction) {
	out, places := redact.Hide(text, redact.Find(text, redact.Default()), nil)
	var all []mif.Redaction
	for _, p := range places {
		all = append(all, mif.Redaction{Type: string(p.Type), OriginalLength: p.OriginalLength, Position: p.Position})
	}
	return out, all
}

// embeddings adds to memories the vectors that the built-in model made of them. One in which something
// was hidden has none, because its vector tells of it.
func (s *sight) embeddings(list []*rows.Memory, leaving []mif.Leaving, now memory.Time) error {
	vectors, err := meaning.Of(s.v).CurrentVectors()
	if err != nil {
		return err
	}
	for i, row := range list {
		if vectors.Has(row.Seq) && !leaving[i].Hidden {
			numbers := vectors.Of(row.Seq)
			leaving[i].Embedding = &mif.Embedding{ID: "embedding-" + row.ID, Model: vectors.Model, Dimensions: len(numbers), CreatedAt: now, Vector: numbers}
		}
	}
	return nil
}

// edges lists the relations between memories of a list.
func (s *sight) edges(list []*rows.Memory) (all []jsontext.Value) {
	in := map[string]bool{}
	for _, row := range list {
		in[row.ID] = true
	}
	s.v.Rows.RLock()
	defer s.v.Rows.RUnlock()
	for _, row := range list {
		for _, rel := range s.v.Rows.RelationsOf(row.ID) {
			if rel.From == row.ID && in[rel.To] {
				all = append(all, mif.EncodeEdge(rel))
			}
		}
	}
	return all
}

// Import is a document of the Memory Interchange Format that an agent sends.
type Import struct {
	Text  string
	Merge Merge // "": SkipDuplicates
}

// Merge says what becomes of a memory that is there already.
type Merge string

// Values of Import.Merge (MIF §8).
const (
	SkipDuplicates Merge = "skip_duplicates"
	Overwrite      Merge = "overwrite" // the one with its id, with permission to write
	Rename         Merge = "rename"    // a memory beside the one that is there
)

// Imported is what became of the memories of a document.
type Imported struct {
	Proposed int `json:"proposed"` // wait for the person
	Changed  int `json:"changed"`
	Skipped  int `json:"skipped"`   // known already
	NotTaken int `json:"not_taken"` // pieces that are no memory, and tasks and relations
}

// AgentImport takes the memories of a document (MIF §8, import_memory): each waits in the Inbox like one
// that was proposed. Only a memory that the agent may see and change is overwritten.
func (s *Service) AgentImport(ctx context.Context, name string, ask Import) (Imported, error) {
	return answer(ctx, s, name, "import_memory", Propose, func(ctx context.Context, q *question) (d Imported, err error) {
		if ask.Merge == "" {
			ask.Merge = SkipDuplicates
		}
		if !slices.Contains([]Merge{SkipDuplicates, Overwrite, Rename}, ask.Merge) {
			return d, fault.New(fault.Invalid, "agent-merge", "Memories are merged by skip_duplicates, overwrite or rename, not by {merge}.").With("merge", rows.ShortID(string(ask.Merge)))
		}
		list, notTaken, err := memoriesIn(ctx, ask.Text)
		if err != nil {
			return d, err
		}
		var p importPlan
		err = q.see(ctx, func(sees *sight) (err error) {
			if p, err = sees.plan(list, ask.Merge); err != nil || len(p.corrections) == 0 {
				return err
			}
			return sees.mayChange(len(p.corrections), q.lib.Now())
		})
		if err != nil {
			return d, err
		}
		if _, err := s.suggest(ctx, q, p.suggestions...); err != nil {
			return d, err
		}
		for id, c := range p.corrections {
			changed, err := q.change(ctx, []string{id}, func(ctx context.Context, shown []Item) (bool, error) { return s.correct(ctx, c, id, shown[0]) })
			if err != nil {
				return d, err
			}
			if changed {
				d.Changed++
			}
		}
		d.Proposed, d.Skipped, d.NotTaken = len(p.suggestions), p.skipped, notTaken+p.invalid
		return d, nil
	})
}

// memoriesIn reads the memories of a document, and counts its other pieces.
func memoriesIn(ctx context.Context, text string) (list []memory.Record, others int, err error) {
	none := fault.New(fault.Invalid, "agent-no-document", "What was sent is no document of the Memory Interchange Format.").
		Advise("Send the document itself: Keepsake opens no file that an assistant names.")
	if len(text) > largestImport {
		return nil, 0, fault.New(fault.TooLarge, "agent-document-too-large", "A document that an assistant sends has {limit} bytes at most.").With("limit", largestImport).Advise("Send it in parts.")
	}
	if !mif.Looks([]byte(text)) {
		return nil, 0, none
	}
	tree, err := intake.Open(ctx, []intake.Source{intake.FromReaderAt("document", int64(len(text)), strings.NewReader(text))}, intake.Options{})
	if err != nil {
		return nil, 0, err
	}
	defer tree.Close()
	if len(tree.Files()) != 1 {
		return nil, 0, none
	}
	head, err := mif.Glance(ctx, tree, tree.Files()[0])
	if err != nil {
		return nil, 0, err
	}
	if refused := head.Refused("document"); refused != nil {
		return nil, 0, refused
	}
	tree.Rewind()
	_, err = mif.Take(ctx, tree, tree.Files()[0], head, mif.Taker{
		Memory: func(m mif.Memory) error {
			others += len(m.Relations)
			if list = append(list, m.Record); len(list) > mostImported {
				return fault.New(fault.TooLarge, "agent-document-too-many", "A document that an assistant sends has {limit} memories at most.").With("limit", mostImported).Advise("Send it in parts.")
			}
			return nil
		},
		Todo: func(memory.Todo) error { others++; return nil },
		Edge: func(mif.Edge) error { others++; return nil },
		Bad:  func(string, *fault.Error) error { others++; return nil },
	})
	return list, others, err
}

// importPlan is what an import would do.
type importPlan struct {
	suggestions []Suggestion
	corrections map[string]Correction // by id
	skipped     int
	invalid     int
}

// plan decides what becomes of each memory of a document. An id in it is no authority: one that the
// agent may not see is as good as none.
func (s *sight) plan(list []memory.Record, merge Merge) (importPlan, error) {
	p := importPlan{corrections: map[string]Correction{}}
	for _, r := range list {
		if library.CheckRecord(r) != nil {
			p.invalid++
			continue
		}
		same, err := s.sees(r.ID)
		if err != nil {
			return p, err
		}
		known := same
		if id, linked := s.tx.Linked(vault.Memories, rows.ByContent(memory.ContentHash(strings.TrimSpace(r.Content)))); linked && !known {
			if known, err = s.sees(id); err != nil {
				return p, err
			}
		}
		switch {
		case merge == Overwrite && same && slices.Contains(s.agent.Grant.Permissions, Write):
			p.corrections[r.ID] = Correction{Content: &r.Content, Tags: &r.Tags}
		case known && merge == SkipDuplicates:
			p.skipped++
		default:
			if r.Type == memory.Custom {
				r.Type = memory.Fact
			}
			p.suggestions = append(p.suggestions, Suggestion{Content: r.Content, Type: r.Type, Tags: r.Tags, Reason: importReason})
		}
	}
	return p, nil
}

// importReason stands with proposals that came in a document.
const importReason = "import_memory"

// sees reports whether the agent may see the memory with an id.
func (s *sight) sees(id string) (bool, error) {
	_, err := s.row(id)
	if rows.IsAbsent(err) {
		return false, nil
	}
	return err == nil, err
}
