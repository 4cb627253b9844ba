package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"keepsake/backend/atomicfile"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// MIFOptions of an export in the Memory Interchange Format. What ExportOptions
// says of conversations, signing and increments has no place in it.
type MIFOptions struct {
	ExportOptions
	Version      string   // "1" or "2"; "" = 1
	Format       mif.Form // "" = JSON
	NoEmbeddings bool
	NoGraph      bool
	Plain        bool // contents leave as they are, without looking for secrets
}

// MIFPreview says what would leave.
type MIFPreview struct {
	Memories   int `json:"memories"`
	Edges      int `json:"edges"`
	Todos      int `json:"todos"`
	Embeddings int `json:"embeddings"`
	// KeptEmbeddings are in the vault, whether they leave or not.
	KeptEmbeddings int            `json:"kept_embeddings"`
	Excluded       map[string]int `json:"excluded"`
	FileName       string         `json:"file_name"`
	Findings       map[string]int `json:"findings"` // personal data and secrets, hidden or not, by kind
}

// MIFResult is the certificate of a finished export.
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
	Excluded   map[string]int `json:"excluded"`
	Checksum   string         `json:"checksum"`
	Encrypted  bool           `json:"encrypted"`
}

// settle fills in what is not said and refuses what is not known.
func (o *MIFOptions) settle() error {
	o.Incremental, o.Base, o.IncludeConversations, o.IncludeAttachments = false, "", false, false
	o.IncludeEmbeddings = !o.NoEmbeddings
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

// PreviewMIF says what an export would hold and what would stay.
func (s *Service) PreviewMIF(ctx context.Context, o MIFOptions) (MIFPreview, error) {
	p := MIFPreview{Findings: map[string]int{}}
	if err := o.settle(); err != nil {
		return p, err
	}
	err := s.read(ctx, func(v *session, tx *vault.Tx) error {
		x, err := s.interchanging(ctx, v, tx, o, s.now())
		if err != nil {
			return err
		}
		x.options.Plain = false // they are counted in any case
		source, err := x.source(ctx, tx)
		if err != nil {
			return err
		}
		for l, err := range source.Memories {
			if err != nil {
				return err
			}
			for _, r := range l.Redactions {
				p.Findings[r.Type]++
			}
		}
		p.Memories, p.Todos, p.Embeddings, p.Excluded = len(x.rows), len(source.Todos), len(x.embedded), x.excluded
		p.KeptEmbeddings = tx.Count(vault.Embeddings)
		if !o.NoGraph {
			p.Edges = len(source.Edges)
		}
		p.FileName = "keepsake-" + x.date.Format("2006-01-02") + ".mif." + string(o.Format)
		return nil
	})
	return p, err
}

// interchanging is an export under way.
type interchanging struct {
	*leaving
	rowsOf  *rows
	options MIFOptions
	kept    interchange
	todos   []memory.Todo
}

func (s *Service) interchanging(ctx context.Context, v *session, tx *vault.Tx, o MIFOptions, date memory.Time) (x interchanging, err error) {
	x = interchanging{options: o, rowsOf: v.rows}
	chosen, off := o.ExportOptions, false
	chosen.Redact = &off // what is hidden is told as MIF does, below
	if x.leaving, err = s.leaving(ctx, v, tx, chosen, date); err != nil {
		return x, err
	}
	if err := x.holdsSomething(); err != nil {
		return x, err
	}
	if o.For != "" || o.StripIDs || o.selection().narrows() || !o.Since.IsZero() {
		return x, nil // tasks, and what documents said, are of the whole vault
	}
	if x.kept, err = readInterchange(tx); err != nil {
		return x, err
	}
	x.todos, err = readTodos(tx)
	return x, err
}

// source is what is written.
func (x *interchanging) source(ctx context.Context, tx *vault.Tx) (mif.Source, error) {
	s := mif.Source{}
	for _, p := range x.kept.pieces {
		p.Raw = x.cleanJSON(p.Raw)
		s.Pieces = append(s.Pieces, p)
	}
	links := map[string][]mif.Link{}
	for _, rel := range x.relations {
		ways := x.kept.said[rel.ID]
		if ways == nil {
			ways = []string{""}
		}
		for _, way := range ways {
			switch way {
			case mif.Related, mif.Parent:
				links[rel.From] = append(links[rel.From], mif.Link{To: rel.To, How: way})
			case "":
				s.Edges = append(s.Edges, mif.EncodeEdge(rel))
			default:
				s.Edges = append(s.Edges, []byte(way))
			}
		}
	}
	for _, row := range x.rows {
		for _, edge := range x.kept.edges[row.id] {
			s.Edges = append(s.Edges, []byte(edge))
		}
	}
	for _, t := range x.todos {
		t.Related = slices.DeleteFunc(slices.Clone(t.Related), func(id string) bool { return tx.Has(vault.Memories, id) && !x.holds(id) })
		s.Todos = append(s.Todos, x.clean(t))
	}
	s.Memories = x.each(ctx, tx, links)
	return s, nil
}

// clean is a task without what is hidden.
func (x *interchanging) clean(t memory.Todo) memory.Todo {
	if x.options.Plain {
		return t
	}
	for _, text := range []*string{&t.Content, &t.Notes} {
		*text = hidden(*text)
	}
	t.MIF = string(x.cleanJSON([]byte(t.MIF)))
	return t
}

func hidden(text string) string {
	text, _ = redact.Hide(text, redact.Find(text, redact.Default()), nil)
	return text
}

// cleanJSON is a JSON text with nothing that is hidden in its texts. What holds
// none stays as it is.
func (x *interchanging) cleanJSON(raw []byte) []byte {
	var v any
	if x.options.Plain || len(redact.Find(string(raw), redact.Default())) == 0 || json.Unmarshal(raw, &v) != nil {
		return raw
	}
	clean, err := encode(cleanValue(v))
	if err != nil {
		return raw
	}
	return clean
}

func cleanValue(v any) any {
	switch x := v.(type) {
	case string:
		return hidden(x)
	case []any:
		for i := range x {
			x[i] = cleanValue(x[i])
		}
	case map[string]any:
		for name, in := range x {
			x[name] = cleanValue(in)
		}
	}
	return v
}

// each streams the memories that leave.
func (x *interchanging) each(ctx context.Context, tx *vault.Tx, links map[string][]mif.Link) iter.Seq2[mif.Leaving, error] {
	return func(yield func(mif.Leaving, error) bool) {
		i := 0
		for text, err := range x.memories(ctx, tx) {
			var l mif.Leaving
			if err == nil {
				l, err = x.leavingAs(tx, x.rows[i], text)
			}
			l.Links = links[x.rows[i].id]
			if !yield(l, err) || err != nil {
				return
			}
			i++
		}
	}
}

func (x *interchanging) leavingAs(tx *vault.Tx, row *memoryRow, text []byte) (l mif.Leaving, err error) {
	if l.Record, err = pam.DecodeMemory(text); err != nil {
		return l, err
	}
	x.hide(&l)
	if id := x.embedded[row.id]; id != "" && len(l.Redactions) == 0 { // a vector tells of the words it was made of
		e, err := readEmbedding(tx, row.id)
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

// hide takes secrets out of the copy that leaves, and notes where they were.
func (x *interchanging) hide(l *mif.Leaving) {
	if x.options.Plain {
		return
	}
	r := &l.Record
	content, found := redact.Hide(r.Content, redact.Find(r.Content, redact.Default()), nil)
	for _, h := range found {
		l.Redactions = append(l.Redactions, mif.Redaction{Type: string(h.Type), OriginalLength: h.OriginalLength, Position: h.Position})
	}
	if len(found) > 0 {
		r.Content, r.ContentHash = content, memory.ContentHash(content)
	}
	r.Summary = hidden(r.Summary)
	for name, v := range r.Metadata {
		if text, ok := v.(string); ok && name == mif.Kept {
			r.Metadata[name] = string(x.cleanJSON([]byte(text)))
		} else {
			r.Metadata[name] = cleanValue(v)
		}
	}
}

// ExportMIF writes an export to dest, which gets its name only once the finished
// bytes were read again.
func (s *Service) ExportMIF(ctx context.Context, dest string, o MIFOptions) (MIFResult, error) {
	if err := o.settle(); err != nil {
		return MIFResult{}, err
	}
	v, ctx, leave, err := s.enter(ctx)
	if err != nil {
		return MIFResult{}, err
	}
	defer leave()
	path, err := filepath.Abs(dest)
	if err != nil {
		return MIFResult{}, errDest(dest, err)
	}
	result := MIFResult{Path: path, ExportID: s.cfg.NewID(), ExportDate: s.now(), Version: o.Version, Format: o.Format, Encrypted: o.Passphrase != nil}
	var kept keptExport
	err = v.vault.View(func(tx *vault.Tx) error {
		x, err := s.interchanging(ctx, v, tx, o, result.ExportDate)
		if err != nil {
			return err
		}
		source, err := x.source(ctx, tx)
		if err != nil {
			return err
		}
		sum, err := s.writeMIF(ctx, path, source, o, mif.Options{
			Major: o.Version, Form: o.Format, ExportID: result.ExportID, Date: result.ExportDate, UserID: v.owner.ID, Generator: Version, NoGraph: o.NoGraph,
		})
		result.Memories, result.Edges, result.Todos, result.Redacted, result.Checksum, result.Excluded = sum.Memories, sum.Edges, sum.Todos, sum.Redacted, sum.Checksum, x.excluded
		kept = keptExport{Generation: x.generation, NextRelations: x.nextRelations, PastExport: PastExport{
			ExportID: result.ExportID, ExportDate: result.ExportDate, ExportType: pam.Full, Format: "mif", File: filepath.Base(path), Memories: sum.Memories,
			Relations: sum.Edges, Embeddings: len(x.embedded), Checksum: sum.Checksum, Encrypted: result.Encrypted, Selection: o.selection(),
		}}
		return err
	})
	if err != nil {
		return MIFResult{}, writing(path, err)
	}
	if result.Bytes, err = sizeOf(path); err != nil {
		return MIFResult{}, err
	}
	kept.Bytes = result.Bytes
	return result, s.noteExport(v, kept)
}

func (s *Service) writeMIF(ctx context.Context, path string, source mif.Source, o MIFOptions, as mif.Options) (mif.Summary, error) {
	f, err := atomicfile.Create(path, 0o600)
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
	if err := s.verifyMIF(ctx, intake.FromReaderAt(filepath.Base(path), size, f), o.Passphrase, sum); err != nil {
		return sum, err
	}
	return sum, f.Commit()
}

// writeEnvelope encrypts a document as one.
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

// limitedBuffer holds as much as one envelope takes.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > mif.MaxEncrypted {
		return 0, mif.ErrEncryptedTooLarge()
	}
	return b.Buffer.Write(p)
}

// verifyMIF reads the finished bytes as a stranger would.
func (s *Service) verifyMIF(ctx context.Context, source intake.Source, passphrase []byte, want mif.Summary) error {
	source, done, err := s.decrypted(source, passphrase)
	defer done()
	if err != nil {
		return fmt.Errorf("open export again: %w", err)
	}
	tree, err := intake.Open(ctx, []intake.Source{source}, s.intakeOptions())
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
	if err != nil {
		return fmt.Errorf("verify export: %w", err)
	}
	if bad > 0 || got.Sum != mif.FitsOwn || got.Memories != want.Memories || got.Todos != want.Todos || got.Edges != want.Edges {
		return fault.New(fault.Internal, "export-not-verified", "The finished export did not verify, so it was thrown away.").
			Advise("Try again. If it happens again, report it with the details; they hold no content.")
	}
	return nil
}

// openEnvelope gives what is in an encrypted document. It is held in memory:
// nothing readable gets to the disk.
func openEnvelope(at io.ReaderAt, size int64, name string, passphrase []byte) (intake.Source, error) {
	e, err := mif.ReadEnvelope(io.NewSectionReader(at, 0, size), name)
	if err != nil {
		return intake.Source{}, err
	}
	if passphrase == nil {
		return intake.Source{}, pam.ErrEncrypted(name)
	}
	bound, err := e.Bound()
	if err != nil {
		return intake.Source{}, err
	}
	f := seal.Foreign{KDF: seal.KDF{MemoryKiB: e.KDF.MemoryKiB, Time: e.KDF.Time, Threads: e.KDF.Threads}, Salt: e.KDF.Salt, IV: e.IV}
	plain, err := f.Open(passphrase, e.Payload, e.Tag, bound)
	if err != nil {
		return intake.Source{}, err
	}
	if len(plain) == 0 {
		return intake.Source{}, errEncryptedFile(name, io.ErrUnexpectedEOF)
	}
	return intake.FromReaderAt(strings.TrimSuffix(name, ".enc"), int64(len(plain)), bytes.NewReader(plain)), nil
}

// MIFForm is how a document is written down: json, yaml or jsonl.
type MIFForm = mif.Form
