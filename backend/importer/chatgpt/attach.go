package chatgpt

import (
	"cmp"
	"context"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

type wireAttachment struct {
	ID, Name, MIME, MIMEType, Size jsontext.Value
}

func (w *wireAttachment) read(v jsontext.Value) bool {
	return pick(v, fields{"id": &w.ID, "name": &w.Name, "mime_type": &w.MIME, "mimeType": &w.MIMEType, "size": &w.Size})
}

type wireRun struct {
	Messages jsontext.Value
}

func (w *wireRun) read(v jsontext.Value) bool {
	return pick(v, fields{"messages": &w.Messages})
}

type wireOutput struct {
	ImageURL jsontext.Value
}

func (w *wireOutput) read(v jsontext.Value) bool {
	return pick(v, fields{"image_url": &w.ImageURL})
}

// pointersOf lists the files that metadata names: uploads, and pictures that
// python drew.
func pointersOf(m *wireMetadata) []pointer {
	var all []pointer
	for _, v := range jsonstream.Items(m.Attachments) {
		var a wireAttachment
		a.read(v)
		mime := text(a.MIME)
		if mime == "" {
			mime = text(a.MIMEType)
		}
		all = append(all, pointer{id: assetID(text(a.ID)), name: fileName(text(a.Name)), mime: mime, size: size(a.Size), kind: "", part: -1})
	}
	if isEmpty(m.AggregateResult) {
		return all
	}
	var run wireRun
	run.read(m.AggregateResult)
	for _, v := range jsonstream.Items(run.Messages) {
		var o wireOutput
		o.read(v)
		if id := assetID(text(o.ImageURL)); id != "" {
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
	if p.name != "" {
		a.Name = p.name
	}
	if a.SizeBytes == nil {
		a.SizeBytes = p.size
	}
	if a.MIMEType == "" {
		a.MIMEType = p.mime
	}
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
		if a.Name == "" {
			a.Name = s.name
		}
	}
	if a.Name == "" {
		a.Name = r.shelf.library[p.id].name
	}
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
	head, err := at.head(ctx)
	if err != nil {
		return sealed{}, r.damaged(ctx, at, err)
	}
	s := sealed{name: r.shelf.displayName(p, at), size: at.file.Size}
	s.mime = mimeType(head, p.mime, s.name)
	watch := &watched{}
	s.ref, err = r.sink.Attachment(ctx, importer.AttachmentDraft{
		Name: s.name, MIMEType: s.mime, Size: at.file.Size,
		Open: func() (io.ReadCloser, error) {
			opened, err := at.tree.Open(ctx, at.file)
			watch.ReadCloser, watch.failed = opened, err
			return watch, err
		},
	})
	if err != nil && watch.failed != nil {
		return sealed{}, r.damaged(ctx, at, watch.failed)
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

// watched remembers whether reading failed, to tell it from storing.
type watched struct {
	io.ReadCloser
	failed error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		w.failed = err
	}
	return n, err
}
