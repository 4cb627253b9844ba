package bridge

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

// Exports writes memories to open formats and checks files of that kind.
type Exports struct{ k *kit }

// Preview says what an export would hold and what stays.
func (e *Exports) Preview(options ExportOptionsView) (ExportPreviewView, error) {
	return call(e.k, func(ctx context.Context) (ExportPreviewView, error) {
		switch o := optionsOf(options).(type) {
		case core.MIFOptions:
			preview, err := e.k.core.PreviewMIF(ctx, o)
			return mifPreviewView(preview), err
		case core.FormOptions:
			preview, err := e.k.core.PreviewForm(ctx, o)
			return exportPreviewView(preview), err
		}
		preview, err := e.k.core.PreviewExport(ctx, exportOptions(options))
		return exportPreviewView(preview), err
	})
}

// Findings lists what was found in what would leave, 50 from offset on.
func (e *Exports) Findings(options ExportOptionsView, offset int) (FindingsView, error) {
	return call(e.k, func(ctx context.Context) (FindingsView, error) {
		found, err := e.k.core.ExportFindings(ctx, optionsOf(options), core.FindingQuery{Offset: offset, Limit: 50})
		return findingsView(found), err
	})
}

// Start asks where to write and writes an export there, checked before it gets
// its name. A dialog that was closed is the fault "dialog-closed".
func (e *Exports) Start(options ExportOptionsView) (ExportResultView, error) {
	return call(e.k, func(ctx context.Context) (ExportResultView, error) {
		chosen := optionsOf(options)
		name, err := e.k.core.SuggestedName(chosen)
		if err != nil {
			return ExportResultView{}, err
		}
		_, ending, _ := strings.Cut(name, ".")
		path, err := e.k.saveAs(name, "."+ending)
		if err != nil {
			return ExportResultView{}, err
		}
		view, file, err := e.k.export(ctx, path, chosen)
		if err != nil {
			clear(file.Passphrase)
			return ExportResultView{}, err
		}
		view.Name = filepath.Base(file.Path)
		view.Token = e.k.shelf.put(file, view.Name, view.Bytes, false).Token
		view.Folder, view.URL = e.k.place(view.Token, file.Path)
		return view, nil
	})
}

// export writes an export to dest and returns the file as it can be verified later. The
// passphrase of a form is not kept: nothing in the app reads such a file again.
func (k *kit) export(ctx context.Context, dest string, chosen core.FormatOptions) (ExportResultView, core.Input, error) {
	switch o := chosen.(type) {
	case core.MIFOptions:
		r, err := k.core.ExportMIF(ctx, dest, o)
		return mifResultView(r), core.Input{Path: r.Path, Passphrase: o.Passphrase}, err
	case core.FormOptions:
		defer clear(o.Passphrase)
		r, err := k.core.ExportForm(ctx, dest, o)
		return formResultView(r), core.Input{Path: r.Path}, err
	}
	o := chosen.(core.ExportOptions)
	r, err := k.core.ExportPAM(ctx, dest, o)
	return exportResultView(r), core.Input{Path: r.Path, Passphrase: o.Passphrase}, err
}

// saveAs asks where to write a file. A name without an ending, which may be that of a
// folder, gets this one. A dialog that was closed is the fault "dialog-closed".
func (k *kit) saveAs(name, ending string) (string, error) {
	path, err := k.host.SaveFile(product.Name, name)
	if err != nil || path == "" {
		return "", orCancelled(err)
	}
	if filepath.Ext(path) == "" {
		path += ending
	}
	return path, nil
}

// place is the folder of a finished file, or the address it is fetched from.
func (k *kit) place(token, path string) (folder, url string) {
	if url = k.host.DownloadURL(token, path); url == "" {
		return filepath.Dir(path), ""
	}
	k.shelf.passes(token)
	return "", url
}

// List gives the exports that were made, newest first; the first 200.
func (e *Exports) List() ([]PastExportView, error) {
	return call(e.k, func(ctx context.Context) ([]PastExportView, error) {
		all, err := e.k.core.Exports(ctx)
		return list(first(all), pastExportView), err
	})
}

// Given lists what was given, newest first: to a circle, "" for anybody, and of a memory, "" for any.
func (e *Exports) Given(circle, memory string) ([]PastExportView, error) {
	return call(e.k, func(ctx context.Context) ([]PastExportView, error) {
		all, err := e.k.core.Given(ctx, core.GivenQuery{Circle: circle, Memory: memory})
		return list(all, pastExportView), err
	})
}

// Reveal shows a file behind a token in its folder.
func (e *Exports) Reveal(token string) error {
	return do(e.k, func(context.Context) error {
		item, err := e.k.shelf.get(token)
		if err != nil {
			return err
		}
		return e.k.host.Reveal(item.input.Path)
	})
}

// ChooseToVerify asks for one file.
func (e *Exports) ChooseToVerify() (Offer, error) { return call(e.k, e.k.chooseFile) }

// chooseFile asks for one file.
func (k *kit) chooseFile(context.Context) (Offer, error) {
	paths, err := k.host.OpenFiles(product.Name)
	if err != nil || len(paths) == 0 {
		return Offer{}, orCancelled(err)
	}
	return k.shelf.path(paths[0]), nil
}

// Compare tells memory by memory how a file stands to the vault, or to another
// file where its token is not "", and how both stand to a third that they come from
// where its token is not "".
func (e *Exports) Compare(token, with, base string, offset int) (CompareView, error) {
	return call(e.k, func(ctx context.Context) (CompareView, error) {
		item, err := e.k.shelf.get(token)
		if err != nil {
			return CompareView{}, err
		}
		names := []string{item.offer.Name}
		var second *core.Input
		if with != "" {
			other, err := e.k.shelf.get(with)
			if err != nil {
				return CompareView{}, err
			}
			second, names = &other.input, append(names, other.offer.Name)
		}
		common, name, err := e.k.common(base)
		if err != nil {
			return CompareView{}, err
		}
		c, err := e.k.core.Compare(ctx, item.input, second, common)
		return compareView(c, names, name, offset), err
	})
}

// common is the file that two come from and its name, nil where its token is "".
func (k *kit) common(token string) (in *core.Input, name string, err error) {
	if token == "" {
		return nil, "", nil
	}
	item, err := k.shelf.get(token)
	if err != nil {
		return nil, "", err
	}
	return &item.input, item.offer.Name, nil
}

// Merge asks where to write, and writes there what the first file becomes with the
// second as a person picked, memory by memory: "keep" is as the first has it,
// "theirs" as the second has it, and so left out where that has none; what is not
// named is taken of both, by the file that both come from where there is one. beside says that a bundle is needed for all of it. What
// comes of an encrypted file is encrypted with its passphrase. A dialog that was
// closed is the fault "dialog-closed".
func (e *Exports) Merge(token, with, base string, beside bool, picks []PickView) (MergedView, error) {
	return call(e.k, func(ctx context.Context) (MergedView, error) {
		first, err := e.k.shelf.get(token)
		if err != nil {
			return MergedView{}, err
		}
		second, err := e.k.shelf.get(with)
		if err != nil {
			return MergedView{}, err
		}
		common, _, err := e.k.common(base)
		if err != nil {
			return MergedView{}, err
		}
		options := core.MergeOptions{Choices: mergeChoices(picks), Common: common, Passphrase: first.input.Passphrase}
		if options.Passphrase == nil {
			options.Passphrase = second.input.Passphrase
		}
		ending := mergedEnding(beside, options.Passphrase != nil)
		path, err := e.k.host.SaveFile(product.Name, "merged-"+time.Now().Format(time.DateOnly)+ending)
		if err != nil || path == "" {
			return MergedView{}, orCancelled(err)
		}
		if !strings.HasSuffix(strings.ToLower(path), filepath.Ext(ending)) {
			path += ending
		}
		merged, err := e.k.core.MergeFiles(ctx, first.input, second.input, path, options)
		if err != nil {
			return MergedView{}, err
		}
		size := int64(0)
		if info, err := os.Stat(path); err == nil {
			size = info.Size()
		}
		offer := e.k.shelf.put(core.Input{Path: path, Passphrase: options.Passphrase}, filepath.Base(path), size, false)
		view := mergedView(merged, offer, options.Passphrase != nil)
		view.Folder, view.URL = e.k.place(view.Token, path)
		return view, nil
	})
}

// GivePassphrase lets an encrypted file behind a token be read by whatever is
// asked of it next. Whether it is the right one shows then.
func (e *Exports) GivePassphrase(token, passphrase string) error {
	return do(e.k, func(context.Context) error { return e.k.shelf.givePassphrase(token, []byte(passphrase)) })
}

// Verify checks the signature of a file and then everything else about it.
func (e *Exports) Verify(token string) (VerifyView, error) {
	return call(e.k, func(ctx context.Context) (VerifyView, error) {
		item, err := e.k.shelf.get(token)
		if err != nil {
			return VerifyView{}, err
		}
		report, err := e.k.core.Verify(ctx, item.input, nil)
		if err != nil {
			return VerifyView{}, err
		}
		validation, err := e.k.core.Validate(ctx, item.input)
		return verifyView(item.offer.Name, report, validation), err
	})
}
