package exports

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// PastExport is the vault's record of an export that was made. It holds none of the
// exported texts.
type PastExport struct {
	ExportID     string      `json:"export_id"`
	ExportDate   memory.Time `json:"export_date"`
	ExportType   string      `json:"export_type"` // "full" or "incremental"
	BaseExportID string      `json:"base_export_id,omitempty"`
	Format       string      `json:"format"` // "pam", "mif", a Form, or "handoff"
	File         string      `json:"file"`   // base name of the written file; of a hand-off its target
	Bytes        int64       `json:"bytes"`
	Memories     int         `json:"memories"`
	Relations    int         `json:"relations"`
	// Conversations counts whole conversations in the export. It is 0 if only their index
	// was exported.
	Conversations int       `json:"conversations"`
	Embeddings    int       `json:"embeddings"`
	Checksum      string    `json:"checksum"`
	Signed        bool      `json:"signed"`
	Encrypted     bool      `json:"encrypted"`
	Selection     Selection `json:"selection"`
}

// keptExport is a PastExport with the vault's state at that time, which a later
// incremental export compares with.
type keptExport struct {
	PastExport
	Generation    uint64       `json:"generation"`      // change counter of the vault when it was exported
	NextRelations uint64       `json:"next_relations"`  // number of the first relation added after the export
	Given         rows.Numbers `json:"given,omitempty"` // the memories that left
}

// maxExports is the number of past exports of which the vault keeps a record.
const maxExports = 1000

// Exports lists past exports, newest first. Exports from a frozen (read-only) vault are
// missing, because they are only in the log.
func (s *Service) Exports(ctx context.Context) ([]PastExport, error) {
	all := []PastExport{}
	kept, err := library.ReadValue(ctx, s.lib, keptExports)
	for _, k := range kept {
		all = append(all, k.PastExport)
	}
	return all, err
}

// keptExports reads the stored records of past exports, newest first.
func keptExports(tx *vault.Tx) ([]keptExport, error) {
	all, err := library.Collect(rows.EachJSON[keptExport](tx, vault.Exports, "export"))
	slices.SortStableFunc(all, func(a, b keptExport) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), b.ExportDate.Compare(a.ExportDate))
	})
	return all, err
}

// noteExport stores the record of a finished export, unless the vault is frozen
// (read-only), and logs the export in any case.
func (s *Service) noteExport(v *library.Session, k keptExport) error {
	return s.lib.Update(v, func(e *library.Tx) error {
		if !v.Vault.Frozen() {
			if err := keepExport(e, k); err != nil {
				return err
			}
		}
		return e.Log(library.LogExport, k.ExportID, k.Memories)
	})
}

// keepExport stores the record of an export, and deletes the oldest records if there are
// more than maxExports.
func keepExport(e *library.Tx, k keptExport) error {
	if err := e.PutExport(k.ExportID, k.ExportDate, k); err != nil {
		return err
	}
	if e.VaultTx.Count(vault.Exports) <= maxExports {
		return nil
	}
	all, err := keptExports(e.VaultTx)
	if err != nil {
		return err
	}
	for _, old := range all[maxExports:] {
		if err := e.DropExport(old.ExportID); err != nil {
			return err
		}
	}
	return nil
}

// remembered returns the record that the vault keeps of a finished export.
func (x *export) remembered(bytes int64) keptExport {
	l := x.leaving
	kept := keptExport{
		PastExport: PastExport{
			ExportID: x.id, ExportDate: l.date, ExportType: pam.Full, Format: "pam", File: filepath.Base(x.Dest), Bytes: bytes,
			Memories: x.Summary.Memories, Relations: len(l.relations), Embeddings: len(l.embedded), Checksum: x.Summary.Checksum,
			Signed: x.Key != nil, Encrypted: x.options.Passphrase != nil, Selection: l.options.selection(),
		},
		Generation: l.generation, NextRelations: l.nextRelations, Given: givenOf(l.rows),
	}
	if l.withConversations() {
		kept.Conversations = len(l.index)
	}
	if l.base != nil {
		kept.ExportType, kept.BaseExportID = pam.Incremental, l.base.ExportID
	}
	return kept
}

// Selection states which memories an export contains. An incremental export needs a base
// with an equal Selection, so that both cover the same part of the vault.
type Selection struct {
	Statuses      []memory.Status     `json:"statuses,omitempty"`
	Types         []memory.Type       `json:"types,omitempty"`
	Tags          []string            `json:"tags,omitempty"`
	Platforms     []string            `json:"platforms,omitempty"`
	Conversations []string            `json:"conversations,omitempty"` // ids
	For           string              `json:"for,omitempty"`
	Categories    []personal.Category `json:"categories,omitempty"`
	StripIDs      bool                `json:"strip_ids,omitempty"`
	Redacted      bool                `json:"redacted,omitempty"`
}

func (o ExportOptions) selection() Selection {
	return Selection{
		Statuses: inOrder(o.Statuses), Types: inOrder(o.Types), Tags: inOrder(o.Tags), Platforms: inOrder(o.Platforms),
		Conversations: inOrder(o.Conversations), Categories: inOrder(o.Categories), For: o.For, StripIDs: o.StripIDs, Redacted: o.redacts(),
	}
}

// inOrder returns the values sorted and without duplicates, so that sets compare equal.
func inOrder[T cmp.Ordered](all []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

func (a Selection) equal(b Selection) bool {
	return slices.Equal(a.Statuses, b.Statuses) && slices.Equal(a.Types, b.Types) && slices.Equal(a.Tags, b.Tags) &&
		slices.Equal(a.Platforms, b.Platforms) && slices.Equal(a.Conversations, b.Conversations) && slices.Equal(a.Categories, b.Categories) && a.For == b.For && a.StripIDs == b.StripIDs && a.Redacted == b.Redacted
}

// narrows reports whether the selection filters memories. It ignores Categories.
func (a Selection) narrows() bool {
	return len(a.Statuses)+len(a.Types)+len(a.Tags)+len(a.Platforms)+len(a.Conversations) > 0 || a.For != ""
}

// baseOf returns the full export that an incremental one builds on: the one named in
// o.Base, or else the newest with the same selection. A base is always a full export
// (PAM §16.3), so every incremental export holds all changes since the full one.
func baseOf(tx *vault.Tx, o ExportOptions) (*keptExport, error) {
	all, err := keptExports(tx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		k := &all[i]
		switch {
		case k.Format != "pam":
			continue
		case o.Base == "" && k.ExportType == pam.Full && k.Selection.equal(o.selection()):
			return k, nil
		case o.Base == "" || k.ExportID != o.Base:
			continue
		case k.ExportType != pam.Full:
			return nil, fault.New(fault.Invalid, "export-base-not-full", "The export {id} is itself an incremental one; only a full one can be built on.").With("id", rows.ShortID(o.Base))
		case !k.Selection.equal(o.selection()):
			return nil, fault.New(fault.Conflict, "export-base-differs", "The export {id} chose other memories, so this one cannot build on it.").With("id", rows.ShortID(o.Base)).
				Advise("Choose the same memories as it did, or write a full export.")
		}
		return k, nil
	}
	if o.Base != "" {
		return nil, fault.New(fault.NotFound, "export-base-unknown", "This vault has made no export with the id {id}.").With("id", rows.ShortID(o.Base)).
			Advise("The exports command lists them.")
	}
	return nil, fault.New(fault.NotFound, "export-no-base", "There is no full export of these memories yet that an incremental one could build on.").
		Advise("Write a full export first.")
}

// SizeOf returns the size of a file in bytes, or the total of all files in a folder.
func SizeOf(path string) (n int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
