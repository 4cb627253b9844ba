package bridge

import (
	"context"
	"path/filepath"

	"keepsake/backend/core"
)

func formOptions(v ExportOptionsView) core.FormOptions {
	o := core.FormOptions{ExportOptions: exportOptions(v), Form: core.Form(v.Format), NoMetadata: v.Bare, Language: v.Language}
	if o.IsPersonal() {
		o.Categories = typed[core.Category](v.Categories)
	}
	return o
}

// writeForm asks where to write and writes an export to be read there.
func (k *kit) writeForm(ctx context.Context, chosen core.FormOptions) (ExportResultView, error) {
	defer clear(chosen.Passphrase)
	preview, err := k.core.PreviewForm(ctx, chosen)
	if err != nil {
		return ExportResultView{}, err
	}
	path, err := k.saveAs(preview.FileName, filepath.Ext(preview.FileName))
	if err != nil {
		return ExportResultView{}, err
	}
	r, err := k.core.ExportForm(ctx, path, chosen)
	if err != nil {
		return ExportResultView{}, err
	}
	offer := k.shelf.put(core.Input{Path: r.Path}, filepath.Base(r.Path), r.Bytes, false)
	return k.placed(ExportResultView{
		Token: offer.Token, Name: offer.Name, Bytes: r.Bytes, ExportID: r.ExportID, ExportDate: r.ExportDate.String(),
		Memories: r.Memories, Excluded: tally(r.Excluded), Checksum: r.Checksum, Encrypted: r.Encrypted, Hidden: r.Hidden,
		Words: []string{}, Covers: []string{}, NotCovered: []string{}, Verdict: string(core.VerdictUnsigned), Format: string(r.Format),
	}, r.Path), nil
}
