package bridge

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"keepsake/app/downloads"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// DownloadView is an export in the downloads folder.
type DownloadView struct {
	ID       string `json:"id"`
	File     string `json:"file"`     // name without folders
	Provider string `json:"provider"` // id
	Name     string `json:"name"`     // of the provider
	Written  string `json:"written"`
}

// Downloads lists the exports that came into the downloads folder since it is watched, the newest first,
// and that were not imported or passed over.
func (i *Imports) Downloads() ([]DownloadView, error) {
	return call(i.k, func(ctx context.Context) ([]DownloadView, error) {
		found, err := downloads.Look(ctx, i.k.core, os.Getenv)
		return list(found, func(f downloads.Found) DownloadView {
			return DownloadView{fileID(f.Path), filepath.Base(f.Path), f.Provider, f.Name, memory.At(f.Written).String()}
		}), err
	})
}

// download finds one of the list.
func (i *Imports) download(ctx context.Context, id string) (downloads.Found, error) {
	found, err := downloads.Look(ctx, i.k.core, os.Getenv)
	if err != nil {
		return downloads.Found{}, err
	}
	n := slices.IndexFunc(found, func(f downloads.Found) bool { return fileID(f.Path) == id })
	if n < 0 {
		return downloads.Found{}, fault.New(fault.NotFound, "download-gone", "This file is not in the downloads folder any more, or it was imported.").Advise("Choose it where it is now.")
	}
	return found[n], nil
}

// TakeDownload hands over one of them, to be planned as a file that was chosen is.
func (i *Imports) TakeDownload(id string) ([]Offer, error) {
	return call(i.k, func(ctx context.Context) ([]Offer, error) {
		f, err := i.download(ctx, id)
		if err != nil {
			return nil, err
		}
		return i.k.shelf.paths([]string{f.Path}, false), nil
	})
}

// PassDownload has one of them offered no more. The file stays.
func (i *Imports) PassDownload(id string) error {
	return do(i.k, func(ctx context.Context) error {
		f, err := i.download(ctx, id)
		if err != nil {
			return err
		}
		return i.k.core.PassFile(ctx, downloads.Kind, filepath.Base(f.Path))
	})
}
