package exports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/product"
	"keepsake/backend/schema"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// MIFOptions are the options of an export in the Memory Interchange Format. The
// ExportOptions for conversations, signing and increments are ignored.
type MIFOptions struct {
	ExportOptions
	Version      string   // "1" or "2"; "" = 1
	Format       mif.Form // "" = JSON
	NoEmbeddings bool
	NoGraph      bool
}

// MIFPreview counts what a MIF export would contain, and the memories it would exclude.
type MIFPreview struct {
	Memories   int `json:"memories"`
	Edges      int `json:"edges"`
	Todos      int `json:"todos"`
	Embeddings int `json:"embeddings"`
	// KeptEmbeddings counts all embeddings in the vault, exported or not.
	KeptEmbeddings int            `json:"kept_embeddings"`
	Excluded       map[string]int `json:"excluded"`
	FileName       string         `json:"file_name"`
	Findings       int            `json:"findings"`         // in memories, tasks and document content
	FindingsByKind map[string]int `json:"findings_by_kind"` // kind of redaction → n
	Hidden         int            `json:"hidden"`           // findings that redaction would hide
	// Sensitive counts the exported memories that are about sensitive topics.
	Sensitive sensitivity.Listing `json:"sensitive"`
}

// MIFResult describes a finished MIF export.
type MIFResult struct {
	Path       string         `json:"path"`
	Bytes      int64          `json:"bytes"`
	ExportID   string         `json:"export_id"`
	ExportDate memory.Time    `json:"export_date"`
	Version    string         `json:"version"`
	Format     mif.Form       `json:"format"`
	Memories   int            `json:"memories"`
	Edges      int            `json:"edges"`
	Todos      int            `json:"todos"`
	Redacted   int            `json:"redacted"` // memories in which something was hidden
	Hidden     int            `json:"hidden"`   // places that redaction hid, in the whole document
	Excluded   map[string]int `json:"excluded"`
	Checksum   string         `json:"checksum"`
	Encrypted  bool           `json:"encrypted"`
}

// settle fills in defaults, clears options that MIF ignores, and returns an error for
// unknown values.
func (o *MIFOptions) settle() error {
	o.Incremental, o.Base, o.IncludeConversations, o.IncludeAttachments = false, "", false, false
	o.IncludeEmbeddings, o.noIndex = !o.NoEmbeddings, true
	if o.Redact == nil {
		on := true
		o.Redact = &on
	}
	if o.Version == "" {
		o.Version = "1"
	}
	if o.Format == "" {
		o.Format = mif.JSON
	}
	switch {
	case o.Version != "1" && o.Version != "2":
		return fault.New(fault.Invalid, "mif-no-version", "The Memory Interchange Format is written in versions 1 and 2, not {version}.").With("version", o.Version)
	case !slices.Contains(mif.Forms(), o.Format):
		return fault.New(fault.Invalid, "mif-no-form", "The Memory Interchange Format is written as json, yaml or jsonl, not {form}.").With("form", string(o.Format))
	case o.Passphrase != nil:
		return seal.CheckPassphrase(o.Passphrase)
	}
	return nil
}

func (o MIFOptions) settled() (FormatOptions, error) {
	err := o.settle()
	return o, err
}

// suggestedName returns a file name with no .age extension even for an encrypted export:
// MIF encryption wraps the document in an envelope of its own, not in an age file.
func (o MIFOptions) suggestedName(date memory.Time) string {
	return product.Program + "-" + date.Format(time.DateOnly) + ".mif." + string(o.Format)
}

// PreviewMIF counts what a MIF export would contain, and the memories that it would
// exclude, by reason. It writes nothing.
func (s *Service) PreviewMIF(ctx context.Context, o MIFOptions) (p MIFPreview, err error) {
	if err := o.settle(); err != nil {
		return p, err
	}
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		x, err := s.interchanging(ctx, v, tx, o, s.lib.Now())
		if err != nil {
			return err
		}
		f, err := x.counted(ctx, v, tx)
		if err != nil {
			return err
		}
		topics, err := sensitivity.ListingOf(ctx, s.lib, v, tx, x.rows)
		if err != nil {
			return err
		}
		p = MIFPreview{
			Memories: len(x.rows), Edges: x.kept.counts[mif.Edges], Todos: x.todos, Embeddings: len(x.embedded), KeptEmbeddings: tx.Count(vault.Embeddings),
			Excluded: x.excluded, FileName: o.suggestedName(x.date),
			Findings: f.Total, FindingsByKind: f.ByKind, Hidden: f.Hidden, Sensitive: topics,
		}
		return nil
	})
	return p, err
}

// mifExport is the state of one MIF export in progress.
type mifExport struct {
	*selection
	tx     *vault.Tx
	whole  bool            // the export also has tasks and the stored document content
	kept   keptInterchange // its counts also include edges written for the vault's relations
	said   []saidAs        // how each relation is written, by index in relations
	byFrom []int32         // indexes in relations, sorted by the From memory
	todos  int
}

// saidAs is a set of flags: the notations in which MIF writes a relation. Only if asEdges
// or asLinks is set, the relation's stored notations are read again when it is written.
type saidAs uint8

const (
	asEdges  saidAs = 1 << iota // as edges with the text of imported documents, which the vault stores
	asLinks                     // as the target's id in the memory that the relation leads from
	asItself                    // as an edge made from the relation's own fields
)

func (s *Service) interchanging(ctx context.Context, v *library.Session, tx *vault.Tx, o MIFOptions, date memory.Time) (x mifExport, err error) {
	x.tx = tx
	if x.selection, err = s.leaving(ctx, v, tx, o.ExportOptions, date); err != nil {
		return x, err
	}
	if err := x.holdsSomething(); err != nil {
		return x, err
	}
	// Tasks and stored document content belong to no memory: only a full export has them.
	x.kept.counts = map[string]int{}
	if x.whole = o.For == "" && !o.StripIDs && !o.selection().narrows() && o.Since.IsZero(); x.whole {
		if x.kept, err = readInterchange(tx); err != nil {
			return x, err
		}
	}
	if o.NoGraph {
		x.kept.members = slices.DeleteFunc(x.kept.members, mif.Piece.OfGraph)
		maps.DeleteFunc(x.kept.counts, func(list string, _ int) bool { return mif.Piece{Name: list}.OfGraph() })
	}
	if err := x.learn(); err != nil {
		return x, err
	}
	return x, x.lookBeside(o.NoGraph)
}

// learn fills x.said (how each relation is written) and x.byFrom (relations by From).
func (x *mifExport) learn() error {
	x.said, x.byFrom = make([]saidAs, len(x.relations)), make([]int32, len(x.relations))
	for i, rel := range x.relations {
		x.byFrom[i] = int32(i)
		ways, err := x.ways(rel.ID)
		if err != nil {
			return err
		}
		for _, way := range ways {
			switch way {
			case mif.Related, mif.Parent:
				x.said[i] |= asLinks
			case "":
				x.said[i] |= asItself
			default:
				x.said[i] |= asEdges
			}
		}
	}
	slices.SortStableFunc(x.byFrom, func(a, b int32) int { return strings.Compare(x.relations[a].From, x.relations[b].From) })
	return nil
}

// ways returns a relation's notations in documents; "": an edge made from its own fields.
func (x *mifExport) ways(relation string) ([]string, error) {
	if !x.whole {
		return []string{""}, nil
	}
	ways, err := library.TextsIn(x.tx, library.SaidOf(relation))
	if ways == nil {
		ways = []string{""}
	}
	return ways, err
}

// eachEdge calls give with every edge: first those of relations, then those stored with
// memories, then those stored with documents. An edge from a document is given as the
// document had it.
func (x *mifExport) eachEdge(give func(edge []byte) error) error {
	for i, rel := range x.relations {
		if err := x.edgesOf(rel, x.said[i], give); err != nil {
			return err
		}
	}
	if !x.whole {
		return nil
	}
	for _, row := range x.rows {
		edges, err := library.TextsIn(x.tx, library.EdgesOf(row.ID))
		if err != nil {
			return err
		}
		for _, edge := range edges {
			if err := give([]byte(edge)); err != nil {
				return err
			}
		}
	}
	return x.kept.eachElement(x.tx, mif.Edges, give)
}

func (x *mifExport) edgesOf(rel memory.Relation, said saidAs, give func(edge []byte) error) error {
	ways := []string{""}
	switch said {
	case asLinks:
		return nil
	case asItself:
	default:
		var err error
		if ways, err = x.ways(rel.ID); err != nil {
			return err
		}
	}
	for _, way := range ways {
		var edge []byte
		switch way {
		case mif.Related, mif.Parent:
			continue
		case "":
			edge = mif.EncodeEdge(rel)
		default:
			edge = []byte(way)
			if label, own := library.LabelOf(way); own {
				edge = mif.EncodeLabelled(rel, label)
			}
		}
		if err := give(edge); err != nil {
			return err
		}
	}
	return nil
}

// linksOf returns the ids that MIF writes in a memory itself: those of related memories,
// and ids from documents that no memory in the vault has.
func (x *mifExport) linksOf(id string) (links []mif.Link, err error) {
	if links, err = x.relationsOf(id); err != nil || !x.whole {
		return links, err
	}
	for _, how := range mif.Links() {
		ids, err := library.TextsIn(x.tx, library.NamedBy(id, how))
		if err != nil {
			return nil, err
		}
		for _, to := range ids {
			links = append(links, mif.Link{To: to, How: how})
		}
	}
	return links, nil
}

func (x *mifExport) relationsOf(id string) (links []mif.Link, err error) {
	from, _ := slices.BinarySearchFunc(x.byFrom, id, func(i int32, id string) int { return strings.Compare(x.relations[i].From, id) })
	for _, i := range x.byFrom[from:] {
		rel := &x.relations[i]
		if rel.From != id {
			break
		}
		if x.said[i]&asLinks == 0 {
			continue
		}
		ways, err := x.ways(rel.ID)
		if err != nil {
			return nil, err
		}
		for _, way := range ways {
			if mif.IsLink(way) {
				links = append(links, mif.Link{To: rel.To, How: way})
			}
		}
	}
	return links, nil
}

// documentID is the id under which findings in the stored content of MIF documents are
// listed. That content has no id of its own, as memories and tasks have.
const documentID = "mif"

// seeingOf returns a callback for one item (a task, or the stored document content). The
// callback gets each text of the item, and returns the text to write instead.
type seeingOf func(in ThingKind, id string) library.Seeing

// eachTodo calls give with each task. Before that, it passes each text of the task to the
// callback that of() returns for this task, and replaces the text by the result.
func (x *mifExport) eachTodo(of seeingOf, give func(memory.Todo) error) error {
	if !x.whole {
		return nil
	}
	for e, err := range x.tx.Each(vault.Todos) {
		if err != nil {
			return err
		}
		t, err := rows.DecodeJSON[memory.Todo](e.Plain, "task")
		if err != nil {
			return err
		}
		t.Related = slices.DeleteFunc(t.Related, func(id string) bool { return x.tx.Has(vault.Memories, id) && !x.holds(id) })
		library.EachTextOfTodo(&t, of(InTask, t.ID))
		if err := give(t); err != nil {
			return err
		}
	}
	return nil
}

// eachElement calls give with each element of a list of the document. Before that, the
// function that of returns replaces every text of the element.
func (x *mifExport) eachElement(list string, of seeingOf, give func(raw []byte) error) error {
	see := of(InDocument, documentID)
	if list != mif.Edges {
		return x.kept.eachElement(x.tx, list, func(raw []byte) error { return give(library.EachTextOfJSON(raw, list, see)) })
	}
	i := -1
	return x.eachEdge(func(edge []byte) error {
		i++
		return give(library.EachTextOfJSON(edge, list+"."+strconv.Itoa(i), see))
	})
}

// lists returns the names of the lists that have elements to write. The elements are from
// imported documents; edges may also be from the vault's relations.
func (x *mifExport) lists() []string { return slices.Sorted(maps.Keys(x.kept.counts)) }

// lookBeside searches the tasks and the stored content of imported documents for
// sensitive places, and counts tasks and edges.
func (x *mifExport) lookBeside(noGraph bool) error {
	at := map[string]int{}
	look := func(in ThingKind, id string) library.Seeing {
		return func(field, s string) string {
			for _, p := range x.hiding.places(id, func(see library.Seeing) { see(field, s) }) {
				if _, there := at[id]; !there {
					at[id] = len(x.beside)
					x.beside = append(x.beside, leavingItem{in, id, nil, x.textsBeside(in, id)})
				}
				x.beside[at[id]].places = append(x.beside[at[id]].places, p)
			}
			return s
		}
	}
	if err := x.eachTodo(look, func(memory.Todo) error { x.todos++; return nil }); err != nil {
		return err
	}
	edges := 0
	if !noGraph {
		x.kept.counts[mif.Edges] = 0
	}
	if err := x.eachTextOfDocuments(look(InDocument, documentID), func(list string) {
		if list == mif.Edges {
			edges++
		}
	}); err != nil {
		return err
	}
	if x.kept.counts[mif.Edges] = edges; edges == 0 {
		delete(x.kept.counts, mif.Edges)
	}
	return nil
}

// eachTextOfDocuments calls see with each text of the stored document content, and
// element after each element of a list.
func (x *mifExport) eachTextOfDocuments(see library.Seeing, element func(list string)) error {
	for _, p := range x.kept.members {
		library.EachTextOfJSON(p.Raw, p.Name, see)
	}
	for _, list := range x.lists() {
		if err := x.eachElement(list, always(see), func([]byte) error { element(list); return nil }); err != nil {
			return err
		}
	}
	return nil
}

func always(see library.Seeing) seeingOf {
	return func(ThingKind, string) library.Seeing { return see }
}

func (x *mifExport) textsBeside(in ThingKind, id string) func(see library.Seeing) error {
	return func(see library.Seeing) error {
		if in == InDocument {
			return x.eachTextOfDocuments(see, func(string) {})
		}
		t, err := library.NeedTodo(x.tx, id)
		if err == nil {
			library.EachTextOfTodo(&t, see)
		}
		return err
	}
}

// source returns the content of the MIF document as streams, redacted if redaction is on.
func (x *mifExport) source(ctx context.Context, tx *vault.Tx) mif.Source {
	of := always(func(_, s string) string { return s })
	if x.options.redacts() {
		of = func(_ ThingKind, id string) library.Seeing { return x.hiding.in(id, new([]hiddenPlace)) }
		for _, t := range x.beside {
			places := slices.DeleteFunc(slices.Clone(t.places), func(p place) bool { return !x.hiding.hidesPlace(p) })
			x.hides(t.id, len(places))
		}
	}
	s := mif.Source{Memories: x.each(ctx, tx), TodoCount: x.todos, Hidden: x.hiddenKinds(), Lists: map[string]mif.List{}}
	s.Todos = streamed(ctx, func(give func(memory.Todo) error) error { return x.eachTodo(of, give) })
	for _, p := range x.kept.members {
		s.Members = append(s.Members, mif.Piece{Name: p.Name, Raw: library.EachTextOfJSON(p.Raw, p.Name, of(InDocument, documentID))})
	}
	for _, list := range x.lists() {
		s.Lists[list] = mif.List{Count: x.kept.counts[list], Elements: streamed(ctx, func(give func(jsontext.Value) error) error {
			return x.eachElement(list, of, func(raw []byte) error { return give(raw) })
		})}
	}
	return s
}

// streamed converts each, which passes values to a callback, into an iterator over them.
func streamed[T any](ctx context.Context, each func(give func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		enough := errors.New("enough")
		err := each(func(v T) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !yield(v, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			var none T
			yield(none, err)
		}
	}
}

// hiddenKinds returns the kinds of the findings (sensitive texts) that x hides, sorted.
func (x *mifExport) hiddenKinds() []string {
	kinds := map[string]bool{}
	note := func(places []place) {
		for _, p := range places {
			if x.options.redacts() && x.hiding.hidesPlace(p) {
				kinds[string(p.Kind)] = true
			}
		}
	}
	for _, places := range x.places {
		note(places)
	}
	for _, t := range x.beside {
		note(t.places)
	}
	return slices.Sorted(maps.Keys(kinds))
}

// each streams the selected memories in the form in which MIF writes them.
func (x *mifExport) each(ctx context.Context, tx *vault.Tx) iter.Seq2[mif.Leaving, error] {
	return func(yield func(mif.Leaving, error) bool) {
		i := 0
		for m, err := range x.memoriesIn(ctx, tx, x.rows) {
			var l mif.Leaving
			if err == nil {
				l, err = x.leavingAs(tx, x.rows[i], m.Canonical)
			}
			if err == nil {
				l.Links, err = x.linksOf(x.rows[i].ID)
			}
			if !yield(l, err) || err != nil {
				return
			}
			i++
		}
	}
}

func (x *mifExport) leavingAs(tx *vault.Tx, row *rows.Memory, text []byte) (l mif.Leaving, err error) {
	if l.Record, err = pam.DecodeMemory(text); err != nil {
		return l, err
	}
	if l.Hidden = x.hidden[row.ID] > 0; l.Hidden {
		if err := moveRedactions(&l); err != nil {
			return l, err
		}
	}
	if id := x.embedded[row.ID]; id != "" {
		e, err := x.embedding(tx, row)
		if err != nil {
			return l, err
		}
		l.Embedding = &mif.Embedding{ID: id, Model: e.Model, Dimensions: e.Dimensions, CreatedAt: e.CreatedAt, Vector: e.Vector}
		if e.Storage != nil {
			l.Embedding.StorageType, l.Embedding.StorageRef = e.Storage.Type, e.Storage.Ref
		}
	}
	return l, nil
}

// moveRedactions moves the redactions of the content from the metadata to the member that
// MIF has for them. Redactions of other texts stay in the metadata.
func moveRedactions(l *mif.Leaving) error {
	text, err := rows.EncodeJSON(l.Record.Metadata[redactionsMember])
	if err != nil {
		return err
	}
	var all, others []hiddenPlace
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, p := range all {
		if p.Field == "content" {
			l.Redactions = append(l.Redactions, mif.Redaction{Type: string(p.Type), OriginalLength: p.OriginalLength, Position: p.Position})
		} else {
			others = append(others, p)
		}
	}
	if l.Record.Metadata[redactionsMember] = others; others == nil {
		delete(l.Record.Metadata, redactionsMember)
	}
	return nil
}

// ExportMIF writes an export to dest. The file gets that name only after the finished
// bytes were read back and verified.
func (s *Service) ExportMIF(ctx context.Context, dest string, o MIFOptions) (MIFResult, error) {
	if err := o.settle(); err != nil {
		return MIFResult{}, err
	}
	if err := s.makeVectors(ctx, o.ExportOptions); err != nil {
		return MIFResult{}, err
	}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return MIFResult{}, err
	}
	defer leave()
	path, err := filepath.Abs(dest)
	if err != nil {
		return MIFResult{}, files.ErrDestination(dest, err)
	}
	result := MIFResult{Path: path, ExportID: s.lib.NewID(), ExportDate: s.lib.Now(), Version: o.Version, Format: o.Format, Encrypted: o.Passphrase != nil}
	var kept keptExport
	err = v.View(func(tx *vault.Tx) error {
		x, err := s.interchanging(ctx, v, tx, o, result.ExportDate)
		if err != nil {
			return err
		}
		sum, err := s.writeMIF(ctx, path, x.source(ctx, tx), o, mif.Options{
			Major: o.Version, Form: o.Format, ExportID: result.ExportID, Date: result.ExportDate, UserID: v.Owner.ID, Generator: library.Version, NoEmbeddings: o.NoEmbeddings,
		})
		result.Memories, result.Edges, result.Todos, result.Redacted, result.Checksum, result.Excluded = sum.Memories, sum.Edges, sum.Todos, sum.Redacted, sum.Checksum, x.excluded
		result.Hidden = x.hiddenInAll()
		kept = keptExport{Generation: x.generation, NextRelations: x.nextRelations, Given: givenOf(x.rows), PastExport: PastExport{
			ExportID: result.ExportID, ExportDate: result.ExportDate, ExportType: pam.Full, Format: "mif", File: filepath.Base(path), Memories: sum.Memories,
			Relations: sum.Edges, Embeddings: len(x.embedded), Checksum: sum.Checksum, Encrypted: result.Encrypted, Selection: x.options.selection(),
		}}
		return err
	})
	if err != nil {
		return MIFResult{}, files.WriteFault(path, err)
	}
	if result.Bytes, err = SizeOf(path); err != nil {
		return MIFResult{}, err
	}
	kept.Bytes = result.Bytes
	return result, s.noteExport(v, kept)
}

func (s *Service) writeMIF(ctx context.Context, path string, source mif.Source, o MIFOptions, as mif.Options) (mif.Summary, error) {
	rules, err := s.lib.Rules()
	if err != nil {
		return mif.Summary{}, err
	}
	as.Rules = rules
	f, err := atomicfile.New(path, 0o600)
	if err != nil {
		return mif.Summary{}, err
	}
	defer f.Abort()
	var sum mif.Summary
	if o.Passphrase == nil {
		sum, err = mif.Write(f, source, as)
	} else {
		sum, err = writeEnvelope(f, source, o.Passphrase, as)
	}
	if err != nil {
		return sum, err
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return sum, err
	}
	if err := s.verifyMIF(ctx, intake.FromReaderAt(filepath.Base(path), size, f), o.Passphrase, sum, rules); err != nil {
		return sum, err
	}
	return sum, f.Commit()
}

// writeEnvelope writes a document encrypted, as one MIF envelope. It builds the whole
// plaintext in RAM and clears it at the end.
func writeEnvelope(w io.Writer, source mif.Source, passphrase []byte, as mif.Options) (mif.Summary, error) {
	plain := &limitedBuffer{}
	defer func() { clear(plain.Bytes()) }()
	sum, err := mif.Write(plain, source, as)
	if err != nil {
		return sum, err
	}
	f := seal.NewForeign(seal.DefaultKDF())
	e := mif.NewEnvelope(as.Major+".0", f.KDF.MemoryKiB, f.KDF.Time, f.KDF.Threads, f.Salt, f.IV)
	bound, err := e.Bound()
	if err != nil {
		return sum, err
	}
	if e.Payload, e.Tag, err = f.Seal(passphrase, plain.Bytes(), bound); err != nil {
		return sum, err
	}
	return sum, e.Write(w)
}

// limitedBuffer is a buffer whose Write fails if it would hold more than mif.MaxEncrypted
// bytes, the largest content of one envelope.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > mif.MaxEncrypted {
		return 0, mif.ErrEncryptedTooLarge()
	}
	return b.Buffer.Write(p)
}

// verifyMIF reads the finished bytes as an outsider would: it imports them without
// storing anything, and validates them by the schema of their version.
func (s *Service) verifyMIF(ctx context.Context, source intake.Source, passphrase []byte, want mif.Summary, rules *schema.Set) error {
	source, done, err := s.files.Decrypted(source, files.Input{Passphrase: passphrase})
	defer done()
	if err != nil {
		return fmt.Errorf("open export again: %w", err)
	}
	tree, err := intake.Open(ctx, []intake.Source{source}, s.files.IntakeOptions())
	if err != nil {
		return fmt.Errorf("read export again: %w", err)
	}
	defer tree.Close()
	bad := 0
	head, err := mif.Glance(ctx, tree, tree.Files()[0])
	var got mif.Taking
	if err == nil {
		got, err = mif.Take(ctx, tree, tree.Files()[0], head, mif.Taker{
			Memory: func(mif.Memory) error { return nil }, Todo: func(memory.Todo) error { return nil }, Edge: func(mif.Edge) error { return nil },
			Bad: func(string, *fault.Error) error { bad++; return nil },
		})
	}
	var v mif.Validation
	if err == nil {
		tree.Rewind()
		v, err = mif.Validate(ctx, tree, tree.Files()[0], rules)
	}
	if err != nil {
		return fmt.Errorf("verify export: %w", err)
	}
	if len(v.Errors) > 0 || bad > 0 || got.Sum != mif.FitsOwn || got.Memories != want.Memories || got.Todos != want.Todos || got.Edges != want.Edges {
		return fault.New(fault.Internal, "export-not-verified", "The finished export did not verify, so it was thrown away.").
			Advise("Try again. If it happens again, report it with the details; they hold no content.")
	}
	return nil
}

// MIFForm is the syntax of a MIF document: json, yaml or jsonl.
type MIFForm = mif.Form
