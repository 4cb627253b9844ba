package chatgpt

import (
	"cmp"
	"context"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// pointersOf lists the files that metadata names: uploads, and pictures that
// python drew.
func pointersOf(m *wireMetadata) []pointer {
	var all []pointer
	for _, v := range jsonstream.Items(m.Attachments) {
		all = append(all, pointer{id: assetID(importer.TextIn(v, "id")), name: fileName(importer.TextIn(v, "name")),
			mime: importer.FirstText(v, "mime_type", "mimeType"), size: size(jsonstream.Member(v, "size")), part: -1})
	}
	for _, v := range jsonstream.Items(jsonstream.Member(m.AggregateResult, "messages")) {
		if id := assetID(importer.TextIn(v, "image_url")); id != "" {
			all = append(all, pointer{id: id, kind: "image", part: -1})
		}
	}
	return all
}

// sealed is a file of the export that the receiving side has taken.
type sealed struct {
	ref, mime, name string
	size            int64
}

// attach hands every file of a message to the sink, each once: an upload
// stands both in metadata and in the parts.
func (r *reader) attach(ctx context.Context, b *body) ([]memory.Attachment, error) {
	var all []memory.Attachment
	place := map[string]int{}
	for _, p := range b.pointers {
		i, again := place[p.id]
		if !again || p.id == "" {
			a, err := r.attachment(ctx, p)
			if err != nil {
				return nil, err
			}
			i = len(all)
			place[p.id] = i
			all = append(all, a)
		} else {
			all[i] = merged(all[i], p)
		}
		if p.part >= 0 {
			b.parts[p.part].Ref, b.parts[p.part].MIMEType = all[i].Ref, all[i].MIMEType
		}
	}
	return all, nil
}

// merged adds what a second pointer to the same file knows.
func merged(a memory.Attachment, p pointer) memory.Attachment {
	a.Name, a.MIMEType, a.SizeBytes = cmp.Or(p.name, a.Name), cmp.Or(a.MIMEType, p.mime), cmp.Or(a.SizeBytes, p.size)
	return a
}

func (r *reader) attachment(ctx context.Context, p pointer) (memory.Attachment, error) {
	a := memory.Attachment{Name: p.name, MIMEType: p.mime, SizeBytes: p.size, ProviderID: p.id}
	s, ok, err := r.seal(ctx, p)
	if err != nil {
		return a, err
	}
	if ok {
		a.Ref, a.MIMEType, a.SizeBytes = s.ref, s.mime, &s.size
		a.Name = cmp.Or(a.Name, s.name)
	}
	a.Name = cmp.Or(a.Name, r.shelf.library[p.id].name)
	a.Type = attachmentType(a.MIMEType, p.kind)
	return a, nil
}

// seal gives a file to the sink once; ok is false where the export does not
// hold it or it cannot be read.
func (r *reader) seal(ctx context.Context, p pointer) (sealed, bool, error) {
	if s, done := r.sealed[p.id]; done {
		return s, s.ref != "", nil
	}
	at, ok := r.shelf.find(p.id)
	if !ok || p.id == "" {
		r.sealed[p.id] = sealed{}
		r.sink.Missing(cmp.Or(p.id, p.name))
		return sealed{}, false, nil
	}
	s, err := r.hand(ctx, p, at)
	if err != nil {
		return sealed{}, false, err
	}
	r.sealed[p.id] = s
	return s, s.ref != "", nil
}

// hand gives the bytes over. A damaged file is a problem of its own; an error
// is the receiving side's, or the end of the reading.
func (r *reader) hand(ctx context.Context, p pointer, at located) (sealed, error) {
	r.handed[at.spot()] = true
	head, err := importer.Head(ctx, at.tree, at.file, peekBytes)
	if err != nil {
		return sealed{}, r.damaged(ctx, at, err)
	}
	s := sealed{name: r.shelf.displayName(p, at), size: at.file.Size}
	s.mime = mimeType(head, p.mime, s.name)
	var unread error
	s.ref, unread, err = importer.HandOver(ctx, r.sink, at.tree, at.file, importer.AttachmentDraft{Name: s.name, MIMEType: s.mime})
	if unread != nil {
		return sealed{}, r.damaged(ctx, at, unread)
	}
	return s, err
}

// damaged reports a file that cannot be read; the others go on.
func (r *reader) damaged(ctx context.Context, at located, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.sink.Problem(importer.Problem{Path: at.file.Path, Fault: fault.From(err)})
	return nil
}
