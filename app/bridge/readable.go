package bridge

import (
	"context"

	"keepsake/backend/core"
	"keepsake/backend/product"
)

// ReadableView says what could be read of a damaged vault and what could not.
// Counted is absent where not even that can be read.
type ReadableView struct {
	Saved           SavedView    `json:"saved"`
	Bytes           int64        `json:"bytes"`
	Memories        int          `json:"memories"`
	Relations       int          `json:"relations"`
	Conversations   int          `json:"conversations"`
	Messages        int          `json:"messages"`
	Attachments     int          `json:"attachments"`
	NotExportable   int          `json:"notExportable"`
	Incomplete      int          `json:"incomplete"` // conversations that lack messages
	MissingMessages int          `json:"missingMessages"`
	Unreadable      int          `json:"unreadable"`      // sealed values that do not open
	LostAttachments int          `json:"lostAttachments"` // that a message names
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
func (c *Care) ExportReadable(passphrase, recovery string) (ReadableView, error) {
	return long(c, func(ctx context.Context) (ReadableView, error) {
		path, err := c.saveAs(product.Program+"-readable-", ".pam.zip")
		if err != nil {
			return ReadableView{}, err
		}
		r, err := c.k.core.ExportReadable(ctx, path, secret(passphrase, recovery))
		if err != nil {
			return ReadableView{}, err
		}
		return readableView(r, c.k.saved(r.Path, r.Bytes)), nil
	})
}

func readableView(r core.Readable, saved SavedView) ReadableView {
	v := ReadableView{
		Saved: saved, Bytes: r.Bytes,
		Memories: r.Memories, Relations: r.Relations, Conversations: r.Conversations, Messages: r.Messages, Attachments: r.Attachments,
		NotExportable: r.Excluded["not-exportable"], Incomplete: r.Incomplete, MissingMessages: r.MissingMessages, Unreadable: r.Unreadable, LostAttachments: r.LostAttachments,
	}
	if c := r.Counted; c != nil {
		v.Counted = &CountedView{At: c.At.String(), Memories: c.Memories, Relations: c.Relations, Conversations: c.Conversations, Messages: c.Messages}
	}
	return v
}
