package exports

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/core/sensitivity"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/product"
	"keepsake/backend/vault"
)

// needsBundle reports whether the export has more files than the memory store (the one
// with memories and relations), so that it must be written as a zip or a folder.
func (o ExportOptions) needsBundle() bool {
	return o.IncludeConversations || o.IncludeAttachments || o.IncludeEmbeddings || o.OwnEmbeddings
}

// maxNamed limits ExportOptions.Conversations, because the vault stores that list with
// its record of each export.
const maxNamed = 500

// FormatOptions are the options of an export in any format: ExportOptions, MIFOptions or
// FormOptions.
type FormatOptions interface {
	// settled returns the options with defaults filled in, and an error if a value is
	// unknown or options contradict each other.
	settled() (FormatOptions, error)
	suggestedName(date memory.Time) string
	// findings lists the sensitive places in the texts to export. It must be called on
	// options that settled returned.
	findings(ctx context.Context, s *Service, q FindingQuery) (Findings, error)
}

func (o ExportOptions) settled() (FormatOptions, error) { return o, o.check() }

// check returns an error if options contradict each other.
func (o ExportOptions) check() error {
	switch {
	case o.For != "" && (o.IncludeConversations || o.IncludeAttachments):
		return fault.New(fault.Invalid, "export-for-conversations", "Conversations are shared with nobody, so none leaves for {entity}.").With("entity", rows.ShortID(o.For)).
			Advise("Export without the conversations, or for yourself.")
	case o.WithoutTitles && (o.IncludeConversations || o.IncludeAttachments):
		return fault.New(fault.Invalid, "export-titles-needless", "Whole conversations leave with their titles.").
			Advise("Export without the conversations, or with the titles.")
	case o.Base != "" && !o.Incremental:
		return fault.New(fault.Invalid, "export-base-needless", "Only an incremental export builds on another one.").
			Advise("Say --incremental as well.")
	case len(o.Conversations) > maxNamed:
		return fault.New(fault.TooLarge, "export-conversations", "An export names at most {limit} conversations.").With("limit", maxNamed).
			Advise("Choose fewer, or export all of them.")
	}
	if o.redacts() && o.IncludeAttachments {
		return fault.New(fault.Invalid, "export-redact-attachments", "Attachments are files that nobody looked through, so a redacted export holds none.").
			Advise("Export without the attachments, or without redaction.")
	}
	return nil
}

// PreviewExport counts the memories, relations and conversations that an export would
// contain, and the memories that it would exclude, by reason. It writes nothing.
func (s *Service) PreviewExport(ctx context.Context, o ExportOptions) (ExportPreview, error) {
	var p ExportPreview
	if err := o.check(); err != nil {
		return p, err
	}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		l, err := s.leaving(ctx, v, tx, o, s.lib.Now())
		if err != nil {
			return err
		}
		f, err := l.counted(ctx, v, tx)
		if err != nil {
			return err
		}
		topics, err := sensitivity.ListingOf(ctx, s.lib, v, tx, l.rows)
		if err != nil {
			return err
		}
		p = ExportPreview{
			Memories: len(l.rows), Relations: len(l.relations), Conversations: len(l.index), Titles: l.titles, Embeddings: len(l.embedded), KeptEmbeddings: tx.Count(vault.Embeddings),
			Excluded: l.excluded, FileName: o.suggestedName(l.date), ExportType: pam.Full,
			Findings: f.Total, FindingsByKind: f.ByKind, Hidden: f.Hidden, Unread: f.Unread, Sensitive: topics,
		}
		if l.base != nil {
			p.ExportType, p.BaseExportID, p.Since = pam.Incremental, l.base.ExportID, l.base.ExportDate
		}
		return nil
	})
	return p, err
}

// SuggestedName returns a file name for an export with these options, made today. It
// reads no memory, and fails only if the options are unknown or contradictory.
func (s *Service) SuggestedName(o FormatOptions) (string, error) {
	o, err := o.settled()
	if err != nil {
		return "", err
	}
	return o.suggestedName(s.lib.Now()), nil
}

// suggestedName returns a file name whose extension shows the content: .pam.json for the
// memory store alone, .pam.zip for a bundle.
func (o ExportOptions) suggestedName(date memory.Time) string {
	name, ending := "", ".pam.json"
	if o.Incremental {
		name = "-incremental"
	}
	if o.needsBundle() {
		ending = ".pam.zip"
	}
	return o.named(date, name+ending)
}

// named returns a file name with the date, and with .age if the file is encrypted.
func (o ExportOptions) named(date memory.Time, ending string) string {
	if o.Passphrase != nil {
		ending += ".age"
	}
	return product.Program + "-" + date.Format(time.DateOnly) + ending
}

// ExportPAM writes an export to dest. The file or folder gets that name only after the
// finished bytes were read back and verified.
func (s *Service) ExportPAM(ctx context.Context, dest string, o ExportOptions) (ExportResult, error) {
	if err := o.check(); err != nil {
		return ExportResult{}, err
	}
	if err := s.makeVectors(ctx, o); err != nil {
		return ExportResult{}, err
	}
	v, ctx, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return ExportResult{}, err
	}
	defer leave()
	x := &export{service: s, session: v, options: o}
	if x.Output, err = documents.NewOutput(s.lib, s.files, dest); err != nil {
		return ExportResult{}, err
	}
	x.Passphrase = o.Passphrase
	if o.needsBundle() && x.Shape == documents.AsFile {
		return ExportResult{}, errNeedsBundle()
	}
	if err := x.CheckEncryption(); err != nil {
		return ExportResult{}, err
	}
	if !o.Unsigned {
		if x.Key, err = documents.Signer(v.Vault); err != nil {
			return ExportResult{}, err
		}
	}
	result, err := x.run(ctx)
	return result, files.WriteFault(dest, err)
}

func errNeedsBundle() error {
	return fault.New(fault.Invalid, "export-needs-bundle", "Conversations, attachments and embeddings do not fit into one file.").
		Advise("Name a file that ends in .zip, or a folder.")
}

// export is the state of one PAM export in progress.
type export struct {
	documents.Output
	service *Service
	session *library.Session
	options ExportOptions
	leaving *selection
	id      string
}

func (x *export) run(ctx context.Context) (ExportResult, error) {
	x.id = x.service.lib.NewID()
	date := x.service.lib.Now()
	err := x.session.View(func(tx *vault.Tx) (err error) {
		if x.leaving, err = x.service.leaving(ctx, x.session, tx, x.options, date); err != nil {
			return err
		}
		if err := x.leaving.holdsSomething(); err != nil {
			return err
		}
		return x.Write(ctx, documents.Payload{
			Source:  pam.Source{Memories: x.leaving.memoriesIn(ctx, tx, x.leaving.rows), Relations: x.leaving.relations, Index: x.leaving.index},
			Bundle:  x.leaving.bundle(ctx, x.session, tx),
			Options: x.pamOptions(),
		})
	})
	if err != nil {
		return ExportResult{}, err
	}
	size, err := SizeOf(x.Dest)
	if err != nil {
		return ExportResult{}, err
	}
	if err := x.service.noteExport(x.session, x.remembered(size)); err != nil {
		return ExportResult{}, err
	}
	return x.result(size), nil
}

// holdsSomething returns an error if the selection makes the export empty. A full export
// of an empty vault is allowed, and so is one whose categories include conversations.
func (l *selection) holdsSomething() error {
	kept := 0
	for _, n := range l.excluded {
		kept += n
	}
	switch o := l.options; {
	case len(l.rows) > 0 || (l.base != nil || len(o.Conversations) > 0) && l.withConversations() && len(l.index) > 0:
		return nil
	case l.base != nil && (kept == 0 || l.excluded[unchanged] > 0):
		return fault.New(fault.NotFound, "export-nothing-new", "Nothing is new or changed since the export of {date}, so nothing was written.").
			With("date", l.base.ExportDate.Format("2006-01-02"))
	case kept == 0:
		return nil
	case o.For != "":
		return fault.New(fault.Refused, "export-shares-nothing", "No memory may leave for {entity}, so nothing was written.").With("entity", rows.ShortID(o.For)).
			Advise("A memory leaves for somebody else only where it is public or shared with them.")
	case o.selection().narrows() || len(o.Categories) > 0 && !o.IncludeConversations:
		return fault.New(fault.NotFound, "export-selects-nothing", "No memory was selected by this, so nothing was written.")
	}
	return nil
}

func (x *export) pamOptions() pam.Options {
	who := pam.Owner{ID: x.session.Owner.ID, CreatedAt: x.session.Owner.CreatedAt}
	if x.Key != nil { // without a signature a DID proves nothing and only prevents signing with another key
		who.DID = x.Key.DID()
	}
	o := pam.Options{ExportID: x.id, Date: x.leaving.date, ExportedBy: library.Extractor, Signer: x.Key, Owner: who}
	if base := x.leaving.base; base != nil {
		o.BaseExportID, o.Since = base.ExportID, base.ExportDate
	}
	if x.leaving.ownTypes {
		o.TypeRegistry = pam.TypeRegistry
	}
	return o
}

func (x *export) result(size int64) ExportResult {
	r := ExportResult{
		Path: x.Dest, Bytes: size, ExportID: x.id, ExportDate: x.leaving.date, ExportType: pam.Full, Memories: x.Summary.Memories,
		Excluded: x.leaving.excluded, Checksum: x.Summary.Checksum, Encrypted: x.options.Passphrase != nil,
		Covers: x.Report.Covers, NotCovered: x.Report.NotCovered, Verdict: string(x.Report.Verdict), Words: []string{}, Hidden: x.leaving.hiddenInAll(),
	}
	if !x.options.WithoutTitles {
		r.Titles = x.leaving.titles
	}
	if x.Key != nil {
		public := x.Key.Public()
		r.Signed, r.DID, r.Fingerprint, r.Words = true, public.DID(), public.Fingerprint(), public.Words()
	}
	if base := x.leaving.base; base != nil {
		r.ExportType, r.BaseExportID, r.Since = pam.Incremental, base.ExportID, base.ExportDate
	}
	return r
}

func attachmentIn(v *library.Session, ref string) pam.Attachment {
	return pam.Attachment{Ref: ref, Open: func() (io.ReadCloser, error) {
		r, _, err := v.Vault.OpenBlob(ref)
		return r, err
	}}
}

// MayWrite returns an error if the parent folder of dest does not exist. Call it before
// anything is written.
func MayWrite(dest string) error {
	info, err := os.Stat(filepath.Dir(filepath.Clean(dest)))
	if err == nil && !info.IsDir() {
		err = fs.ErrInvalid
	}
	if err != nil {
		return files.ErrDestination(dest, err)
	}
	return nil
}
