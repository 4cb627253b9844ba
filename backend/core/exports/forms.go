package exports

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/csv"
	"keepsake/backend/format/html"
	"keepsake/backend/format/markdown"
	"keepsake/backend/format/pam"
	"keepsake/backend/format/personal"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Form is an export format for people to read. PAM and MIF, for programs, are not Forms.
type Form string

const (
	CSV      Form = "csv"      // a table of memories; a zip or folder also has tables of relations and messages
	HTML     Form = "html"     // one page
	Markdown Form = "markdown" // one file for each memory and conversation
	Obsidian Form = "obsidian" // the same, with links in the syntax of Obsidian

	Personal         Form = "personal"          // the JSON of the Personal Memory Specification
	PersonalMarkdown Form = "personal-markdown" // the same categories on one page of Markdown
)

// FormOptions are the options of an export in a Form. The ExportOptions for signing,
// increments, attachments and embeddings are ignored.
type FormOptions struct {
	ExportOptions
	Form       Form
	NoMetadata bool   // write the records without metadata; only for Personal and PersonalMarkdown
	Language   string // of headings: "en" or "pt-BR"; "" = "en"
}

// IsPersonal reports whether the form is one of the Personal Memory Specification.
func (o FormOptions) IsPersonal() bool { return o.Form == Personal || o.Form == PersonalMarkdown }

// FormResult describes a finished export in a Form.
type FormResult struct {
	Path          string         `json:"path"`
	Bytes         int64          `json:"bytes"`
	ExportID      string         `json:"export_id"`
	ExportDate    memory.Time    `json:"export_date"`
	Format        Form           `json:"format"`
	Memories      int            `json:"memories"`
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"`
	Excluded      map[string]int `json:"excluded"`
	Hidden        int            `json:"hidden"` // places in the texts that redaction hid
	// Checksum is the SHA-256 of the file before encryption. For a folder, it is the
	// SHA-256 of lines "<SHA-256>  <name>", one for each file, sorted by name.
	Checksum  string `json:"checksum"`
	Encrypted bool   `json:"encrypted"`
}

// creator creates the next file of an export. The writer of the previous file must not be
// used any more.
type creator func(name string) (io.Writer, error)

// formWriter writes a form. one is nil if the form always needs several files, many if it
// is always a single file.
type formWriter struct {
	one    func(io.Writer, memory.Collection) error
	many   func(memory.Collection, creator) error
	ending string // extension of the suggested file name
	all    string // the extension if conversations are exported
}

func formWriterOf(o FormOptions) (formWriter, error) {
	notes := func(flavour markdown.Flavour) func(memory.Collection, creator) error {
		return func(c memory.Collection, create creator) error { return markdown.Write(c, flavour, create) }
	}
	switch o.Form {
	case CSV:
		return formWriter{
			one:    func(w io.Writer, c memory.Collection) error { return csv.WriteMemories(w, c.Memories) },
			many:   func(c memory.Collection, create creator) error { return csv.Write(c, create) },
			ending: ".csv", all: "-csv.zip",
		}, nil
	case HTML:
		return formWriter{one: html.Write, ending: ".html", all: ".html"}, nil
	case Markdown:
		return formWriter{many: notes(markdown.Plain), ending: "-markdown.zip", all: "-markdown.zip"}, nil
	case Obsidian:
		return formWriter{many: notes(markdown.Obsidian), ending: "-obsidian.zip", all: "-obsidian.zip"}, nil
	case Personal:
		return formWriter{
			one: func(w io.Writer, c memory.Collection) error {
				return personal.WriteJSON(w, c, personal.Options{Metadata: !o.NoMetadata})
			},
			ending: ".personal.json", all: ".personal.json",
		}, nil
	case PersonalMarkdown:
		return formWriter{
			one: func(w io.Writer, c memory.Collection) error {
				return personal.WriteMarkdown(w, c, personal.Options{Metadata: !o.NoMetadata})
			},
			ending: ".personal.md", all: ".personal.md",
		}, nil
	}
	return formWriter{}, fault.New(fault.Invalid, "form-unknown", "Nothing is written as {form}.").With("form", rows.ShortID(string(o.Form))).
		Advise("There are csv, html, markdown, obsidian, personal and personal-markdown.")
}

// shapeOf derives the shape from dest: a folder if dest ends in a slash or is a folder, a
// zip if it ends in .zip (before .age), otherwise one file if the form has a single-file
// version or dest ends in .md, else a folder. It fails if the form has no such shape.
func (p formWriter) shapeOf(dest string) (documents.Shape, error) {
	as, bare := documents.AsFolder, strings.TrimSuffix(strings.ToLower(dest), ".age")
	info, err := os.Stat(dest)
	isFolder := strings.HasSuffix(dest, "/") || strings.HasSuffix(dest, string(filepath.Separator)) || err == nil && info.IsDir()
	switch {
	case !isFolder && filepath.Ext(bare) == ".zip":
		as = documents.AsZip
	case !isFolder && (p.one != nil || filepath.Ext(bare) == ".md"):
		as = documents.AsFile
	}
	switch {
	case as == documents.AsFile && p.one == nil:
		return as, fault.New(fault.Invalid, "form-many-files", "Notes are many files, so {file} cannot hold them.").With("file", filepath.Base(dest)).
			Advise("Name a folder, or a file that ends in .zip.")
	case as != documents.AsFile && p.many == nil:
		return as, fault.New(fault.Invalid, "form-one-file", "This is written as one file, and {file} would be a folder or an archive.").With("file", filepath.Base(dest)).
			Advise("Name a file, without .zip.")
	}
	return as, nil
}

// settle clears the options that a Form ignores, and checks the others.
func (o *FormOptions) settle() error {
	o.Unsigned, o.Incremental, o.Base, o.IncludeAttachments, o.IncludeEmbeddings = true, false, "", false, false
	o.noIndex = !o.IncludeConversations
	return o.check()
}

// PreviewForm counts what an export in a Form would contain, and the memories that it
// would exclude, by reason. It writes nothing.
func (s *Service) PreviewForm(ctx context.Context, o FormOptions) (ExportPreview, error) {
	if err := o.settle(); err != nil {
		return ExportPreview{}, err
	}
	preview, err := s.PreviewExport(ctx, o.ExportOptions)
	if err == nil {
		preview.FileName, err = s.SuggestedName(o)
	}
	if err != nil {
		return ExportPreview{}, err
	}
	if !o.IncludeConversations {
		preview.Conversations = 0
	}
	return preview, nil
}

func (o FormOptions) settled() (FormatOptions, error) {
	err := o.settle()
	if err == nil {
		_, err = formWriterOf(o)
	}
	return o, err
}

func (o FormOptions) suggestedName(date memory.Time) string {
	w, _ := formWriterOf(o) // no error: the method settled has checked that the form exists
	if o.IncludeConversations {
		return o.named(date, w.all)
	}
	return o.named(date, w.ending)
}

// ExportForm writes an export in a Form to dest. The file or folder gets that name only
// after the finished bytes were read back.
func (s *Service) ExportForm(ctx context.Context, dest string, o FormOptions) (FormResult, error) {
	x := formExport{Output: documents.Output{Files: s.files, Passphrase: o.Passphrase}, service: s, result: FormResult{Format: o.Form, Encrypted: o.Passphrase != nil}}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return FormResult{}, err
	}
	defer leave()
	if err := o.settle(); err != nil {
		return FormResult{}, err
	}
	if x.writer, err = formWriterOf(o); err != nil {
		return FormResult{}, err
	}
	if x.Shape, err = x.writer.shapeOf(dest); err != nil {
		return FormResult{}, err
	}
	if x.isTable() && o.IncludeConversations {
		return FormResult{}, errNeedsBundle()
	}
	if x.Dest, err = filepath.Abs(dest); err != nil {
		return FormResult{}, files.ErrDestination(dest, err)
	}
	if err := x.CheckEncryption(); err != nil {
		return FormResult{}, err
	}
	x.result.Path, x.result.ExportID, x.result.ExportDate = x.Dest, s.lib.NewID(), s.lib.Now()
	if err := x.run(ctx, v, o); err != nil {
		return FormResult{}, files.WriteFault(dest, err)
	}
	return x.result, nil
}

// formExport is the state of one export in a Form, in progress.
type formExport struct {
	documents.Output
	service *Service
	writer  formWriter
	result  FormResult
}

// isTable reports whether a Form that can also be several files (CSV) is exported as one
// file. That file then holds only the table of memories.
func (x *formExport) isTable() bool { return x.Shape == documents.AsFile && x.writer.many != nil }

func (x *formExport) run(ctx context.Context, v *library.Session, o FormOptions) error {
	var kept keptExport
	var selected Selection
	r := &x.result
	err := v.View(func(tx *vault.Tx) error {
		l, err := x.service.leaving(ctx, v, tx, o.ExportOptions, r.ExportDate)
		if err != nil {
			return err
		}
		if err := l.holdsSomething(); err != nil {
			return err
		}
		r.Memories, r.Relations, r.Excluded = len(l.rows), len(l.relations), l.excluded
		if x.isTable() {
			r.Relations = 0
		}
		if o.IncludeConversations {
			r.Conversations = len(l.index)
		}
		kept.Generation, kept.NextRelations, kept.Given = l.generation, l.nextRelations, givenOf(l.rows)
		selected = l.options.selection()
		c := l.collection(ctx, v, tx)
		c.Owner, c.Words = v.Owner.ID, memory.WordingIn(o.Language)
		r.Checksum, err = x.write(ctx, c)
		r.Hidden = l.hiddenInAll()
		return err
	})
	if err != nil {
		return err
	}
	if r.Bytes, err = SizeOf(x.Dest); err != nil {
		return err
	}
	kept.PastExport = PastExport{
		ExportID: r.ExportID, ExportDate: r.ExportDate, ExportType: pam.Full, Format: string(r.Format), File: filepath.Base(x.Dest), Bytes: r.Bytes,
		Memories: r.Memories, Relations: r.Relations, Conversations: r.Conversations, Checksum: r.Checksum, Encrypted: r.Encrypted, Selection: selected,
	}
	return x.service.noteExport(v, kept)
}

// collection returns the selected memories in the order in which people read them: by
// type, then oldest first. It adds the conversations if the export includes them.
func (l *selection) collection(ctx context.Context, v *library.Session, tx *vault.Tx) memory.Collection {
	place := map[memory.Type]int{}
	for i, kind := range memory.Types() {
		place[kind] = i
	}
	list := slices.Clone(l.rows)
	slices.SortStableFunc(list, func(a, b *rows.Memory) int {
		return cmp.Or(cmp.Compare(place[a.Kind], place[b.Kind]), cmp.Compare(a.Created, b.Created))
	})
	c := memory.Collection{Made: l.date, Types: map[memory.Type]int{}, Relations: l.relations}
	for _, row := range list {
		c.Types[row.Kind]++
	}
	if l.options.For == "" { // how often memories are read is private to the owner
		c.Use = func(r memory.Record) (memory.Use, error) { return v.UseOf(tx, r) }
	}
	c.Memories = func(yield func(memory.Record, error) bool) {
		for m, err := range l.memoriesIn(ctx, tx, list) {
			var r memory.Record
			if err == nil {
				r, err = pam.DecodeMemory(m.Canonical)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
	if !l.options.IncludeConversations {
		return c
	}
	for _, entry := range l.index {
		head := memory.Conversation{ID: entry.ID, Title: entry.Title, Provider: memory.Provider{Name: entry.Platform}, Temporal: entry.Temporal}
		if entry.Undated {
			head.Temporal = memory.ConversationTemporal{}
		}
		c.Talks = append(c.Talks, head)
	}
	c.Conversations = l.eachConversation(ctx, tx)
	return c
}

// write writes a collection as a file, zip or folder and returns its checksum. It reads
// the result back and returns an error if it differs from the bytes written.
func (x *formExport) write(ctx context.Context, c memory.Collection) (string, error) {
	if x.Shape == documents.AsFolder {
		return x.folder(ctx, c)
	}
	sum := sha256.New()
	err := x.Fill(func(to documents.Target) error {
		w := io.MultiWriter(to.File, sum)
		if x.Shape == documents.AsZip {
			return zipped(w, c, x.writer.many)
		}
		return x.writer.one(w, c)
	}, func(source intake.Source) error {
		again := sha256.New()
		if _, err := io.Copy(again, files.UntilDone(ctx, io.NewSectionReader(source.At, 0, source.Size))); err != nil {
			return fmt.Errorf("read export again: %w", err)
		}
		if !bytes.Equal(sum.Sum(nil), again.Sum(nil)) {
			return errNotWhole()
		}
		return nil
	})
	return checksumOf(sum), err
}

// zipped writes the files that many creates into one zip archive.
func zipped(w io.Writer, c memory.Collection, many func(memory.Collection, creator) error) error {
	z := zip.NewWriter(w)
	err := many(c, func(name string) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: c.Made.Time})
	})
	return errors.Join(err, z.Close())
}

func errNotWhole() error {
	return fault.New(fault.Internal, "form-not-whole", "What was read back is not what was written, so it was thrown away.").
		Advise("Try again, or choose another disk.")
}

func checksumOf(sum hash.Hash) string { return "sha256:" + hex.EncodeToString(sum.Sum(nil)) }

// folder writes the files into a temporary folder, reads them back to verify their
// checksums, and moves the folder to x.Dest.
func (x *formExport) folder(ctx context.Context, c memory.Collection) (checksum string, err error) {
	err = documents.WriteFolder(x.Dest, func(temp string) error {
		f := folderWriter{dir: temp, sums: map[string]string{}}
		if err := errors.Join(x.writer.many(c, f.next), f.finish()); err != nil {
			return err
		}
		sum := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(f.sums)) {
			again, err := sumOfFile(ctx, filepath.Join(temp, filepath.FromSlash(name)))
			if err != nil {
				return fmt.Errorf("read export again: %w", err)
			}
			if again != f.sums[name] {
				return errNotWhole()
			}
			fmt.Fprintf(sum, "%s  %s\n", again, name)
		}
		checksum = checksumOf(sum)
		return nil
	})
	return checksum, err
}

func sumOfFile(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, files.UntilDone(ctx, f))
	return hex.EncodeToString(sum.Sum(nil)), err
}

// folderWriter creates the files of a folder, one after the other, and computes the
// SHA-256 of each.
type folderWriter struct {
	dir  string
	name string // name of the open file
	file *os.File
	sum  hash.Hash
	sums map[string]string // SHA-256 in hex, by file name
}

func (f *folderWriter) next(name string) (io.Writer, error) {
	if err := f.finish(); err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	f.name, f.file, f.sum = name, file, sha256.New()
	return io.MultiWriter(file, f.sum), nil
}

// finish closes the open file, if any, and records its sum.
func (f *folderWriter) finish() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.sums[f.name], f.file = hex.EncodeToString(f.sum.Sum(nil)), nil
	return err
}
