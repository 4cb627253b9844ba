package bridge

import (
	"context"
	"path/filepath"
	"time"

	"keepsake/backend/core"
)

// ReadableView says what could be read of a damaged vault and what could not.
// Counted is absent where not even that can be read. URL is set where the file
// is fetched by the browser.
type ReadableView struct {
	Token           string       `json:"token"`
	URL             string       `json:"url"`
	Name            string       `json:"name"`
	Folder          string       `json:"folder"`
	Bytes           int64        `json:"bytes"`
	Memories        int          `json:"memories"`
	Relations       int          `json:"relations"`
	Conversations   int          `json:"conversations"`
	Messages        int          `json:"messages"`
	NotExportable   int          `json:"notExportable"`
	Incomplete      int          `json:"incomplete"` // conversations that lack messages
	MissingMessages int          `json:"missingMessages"`
	Unreadable      int          `json:"unreadable"` // sealed values that do not open
	Counted         *CountedView `json:"counted,omitempty"`
}

// CountedView is what a vault last said it holds.
type CountedView struct {
	At            string `json:"at"`
	Memories      int    `json:"memories"`
	Relations     int    `json:"relations"`
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
}

// ExportReadable asks where to write, and writes there what can be read of the
// vault in hand, however damaged it is. One of passphrase and recovery opens it;
// the vault is not changed.
func (v *Vault) ExportReadable(passphrase, recovery string) (ReadableView, error) {
	return call(v.k, func(ctx context.Context) (ReadableView, error) {
		secret := core.Secret{Passphrase: []byte(passphrase), Recovery: recovery}
		path, err := v.k.host.SaveFile("Keepsake", "keepsake-readable-"+time.Now().Format(time.DateOnly)+".pam.zip")
		if err != nil || path == "" {
			return ReadableView{}, orCancelled(err)
		}
		if filepath.Ext(path) == "" { // a name without an ending would be a folder
			path += ".pam.zip"
		}
		r, err := v.k.core.ExportReadable(ctx, path, secret)
		if err != nil {
			return ReadableView{}, err
		}
		offer := v.k.shelf.put(core.Input{Path: r.Path}, filepath.Base(r.Path), r.Bytes, false)
		view := readableView(r, offer)
		if view.URL = v.k.host.DownloadURL(offer.Token, r.Path); view.URL != "" {
			view.Folder = ""
		}
		return view, nil
	})
}

func readableView(r core.Readable, offer Offer) ReadableView {
	v := ReadableView{
		Token: offer.Token, Name: offer.Name, Folder: filepath.Dir(r.Path), Bytes: r.Bytes,
		Memories: r.Memories, Relations: r.Relations, Conversations: r.Conversations, Messages: r.Messages,
		NotExportable: r.Excluded["not-exportable"], Incomplete: r.Incomplete, MissingMessages: r.MissingMessages, Unreadable: r.Unreadable,
	}
	if c := r.Counted; c != nil {
		v.Counted = &CountedView{At: c.At.String(), Memories: c.Memories, Relations: c.Relations, Conversations: c.Conversations, Messages: c.Messages}
	}
	return v
}
