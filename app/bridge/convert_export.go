package bridge

import (
	"slices"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func exportOptions(v ExportOptionsView) core.ExportOptions {
	options := core.ExportOptions{
		Unsigned: v.Unsigned, IncludeConversations: v.IncludeConversations,
		IncludeAttachments: v.IncludeAttachments, Statuses: typed[memory.Status](v.Statuses),
		Types: typed[memory.Type](v.Types), Tags: v.Tags, Platforms: v.Platforms, Conversations: v.Conversations, For: v.For, StripIDs: v.StripIDs, WithoutTitles: v.WithoutTitles,
		IncludeEmbeddings: v.IncludeEmbeddings, Incremental: v.Incremental, Base: v.Base,
		RedactionOptions: redaction(v.Redact, v.Keep, v.Addresses),
	}
	if v.Passphrase != "" {
		options.Passphrase = []byte(v.Passphrase)
	}
	return options
}

// Formats in the options of an export; all others are forms of core.
const (
	formatPAM = ""
	formatMIF = "mif"
)

// optionsOf are the options as the format takes them.
func optionsOf(v ExportOptionsView) core.FormatOptions {
	o := exportOptions(v)
	switch v.Format {
	case formatPAM:
		return o
	case formatMIF:
		return core.MIFOptions{ExportOptions: o, Version: v.Version, Format: core.MIFForm(v.Form), NoEmbeddings: !v.IncludeEmbeddings}
	}
	form := core.FormOptions{ExportOptions: o, Form: core.Form(v.Format), NoMetadata: v.Bare, Language: v.Language}
	if form.IsPersonal() {
		form.Categories = typed[core.Category](v.Categories)
	}
	return form
}

func mifPreviewView(p core.MIFPreview) ExportPreviewView {
	return ExportPreviewView{
		Kinds: tally(p.FindingsByKind), Hidden: p.Hidden, Memories: p.Memories, Relations: p.Edges, Todos: p.Todos, Embeddings: p.Embeddings, HasEmbeddings: p.KeptEmbeddings > 0,
		Excluded: tally(p.Excluded), FileName: p.FileName, Findings: p.Findings, Sensitive: sensitiveView(p.Sensitive)}
}

func mifResultView(r core.MIFResult) ExportResultView {
	return ExportResultView{
		Bytes: r.Bytes, ExportID: r.ExportID, ExportDate: r.ExportDate.String(),
		Memories: r.Memories, Todos: r.Todos, Hidden: r.Hidden, Excluded: tally(r.Excluded), Checksum: r.Checksum, Encrypted: r.Encrypted,
		Words: []string{}, Covers: []string{}, NotCovered: []string{}, Verdict: string(core.VerdictUnsigned), Format: formatMIF,
	}
}

func formResultView(r core.FormResult) ExportResultView {
	return ExportResultView{
		Bytes: r.Bytes, ExportID: r.ExportID, ExportDate: r.ExportDate.String(),
		Memories: r.Memories, Excluded: tally(r.Excluded), Checksum: r.Checksum, Encrypted: r.Encrypted, Hidden: r.Hidden,
		Words: []string{}, Covers: []string{}, NotCovered: []string{}, Verdict: string(core.VerdictUnsigned), Format: string(r.Format),
	}
}

func exportPreviewView(p core.ExportPreview) ExportPreviewView {
	return ExportPreviewView{
		Memories: p.Memories, Relations: p.Relations, Conversations: p.Conversations, Titles: p.Titles,
		Excluded: tally(p.Excluded), FileName: p.FileName, Findings: p.Findings, Kinds: tally(p.FindingsByKind), Hidden: p.Hidden, Unread: p.Unread, Embeddings: p.Embeddings,
		HasEmbeddings: p.KeptEmbeddings > 0, BaseID: p.BaseExportID, Since: p.Since.String(), Sensitive: sensitiveView(p.Sensitive),
	}
}

func pastExportView(p core.PastExport) PastExportView {
	s := p.Selection
	chosen := words(slices.Concat(words(s.Statuses), words(s.Types), words(s.Categories), s.Tags, s.Platforms, s.Conversations))
	return PastExportView{
		ID: p.ExportID, At: p.ExportDate.String(), Format: p.Format, Incremental: p.BaseExportID != "", BaseID: p.BaseExportID, Name: p.File, Bytes: p.Bytes,
		Memories: p.Memories, Relations: p.Relations, Conversations: p.Conversations, Embeddings: p.Embeddings,
		Checksum: p.Checksum, Signed: p.Signed, Encrypted: p.Encrypted, Selection: chosen, For: s.For,
	}
}

func exportResultView(r core.ExportResult) ExportResultView {
	return ExportResultView{
		Bytes: r.Bytes, ExportID: r.ExportID, ExportDate: r.ExportDate.String(), Incremental: r.BaseExportID != "", Since: r.Since.String(), Memories: r.Memories, Titles: r.Titles,
		Excluded: tally(r.Excluded), Checksum: r.Checksum, Signed: r.Signed, Encrypted: r.Encrypted, Hidden: r.Hidden,
		DID: r.DID, Fingerprint: r.Fingerprint, Words: words(r.Words), Covers: words(r.Covers),
		NotCovered: words(r.NotCovered), Verdict: r.Verdict,
	}
}
