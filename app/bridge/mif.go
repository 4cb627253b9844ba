package bridge

import (
	"context"
	"path/filepath"

	"keepsake/backend/core"
)

// Formats in the options of an export; all others are forms of core.
const (
	formatPAM = ""
	formatMIF = "mif"
)

func mifOptions(v ExportOptionsView) core.MIFOptions {
	return core.MIFOptions{ExportOptions: exportOptions(v), Version: v.Version, Format: core.MIFForm(v.Form), NoEmbeddings: !v.IncludeEmbeddings}
}

func mifPreviewView(p core.MIFPreview) ExportPreviewView {
	return ExportPreviewView{
		Kinds: tally(p.FindingsByKind), Hidden: p.Hidden, Memories: p.Memories, Relations: p.Edges, Todos: p.Todos, Embeddings: p.Embeddings, HasEmbeddings: p.KeptEmbeddings > 0,
		Excluded: tally(p.Excluded), FileName: p.FileName, Findings: p.Findings}
}

// writeMIF asks where to write and writes an export there.
func (k *kit) writeMIF(ctx context.Context, chosen core.MIFOptions) (ExportResultView, error) {
	defer clear(chosen.Passphrase)
	preview, err := k.core.PreviewMIF(ctx, chosen)
	if err != nil {
		return ExportResultView{}, err
	}
	path, err := k.host.SaveFile("Keepsake", preview.FileName)
	if err != nil || path == "" {
		return ExportResultView{}, orCancelled(err)
	}
	r, err := k.core.ExportMIF(ctx, path, chosen)
	if err != nil {
		return ExportResultView{}, err
	}
	offer := k.shelf.put(core.Input{Path: r.Path, Passphrase: append([]byte(nil), chosen.Passphrase...)}, filepath.Base(r.Path), r.Bytes, false)
	return k.placed(ExportResultView{
		Token: offer.Token, Name: offer.Name, Bytes: r.Bytes, ExportID: r.ExportID, ExportDate: r.ExportDate.String(),
		Memories: r.Memories, Todos: r.Todos, Hidden: r.Hidden, Excluded: tally(r.Excluded), Checksum: r.Checksum, Encrypted: r.Encrypted,
		Words: []string{}, Covers: []string{}, NotCovered: []string{}, Verdict: string(core.VerdictUnsigned), Format: formatMIF,
	}, r.Path), nil
}
