package importer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// kindBytes of a file tell its kind.
const kindBytes = 512

// Attach stores a file of the tree and gives it as an attachment of a message.
// Its kind is told by its first bytes, then by its name. A file that cannot be
// read is a problem of its own, and an attachment without bytes.
func (r *Reading) Attach(f intake.File, name string) (memory.Attachment, error) {
	head, err := Head(r.Ctx, r.Tree, f, kindBytes)
	if err != nil {
		return r.lost(f, name, err)
	}
	a := memory.Attachment{Name: name, MIMEType: MIMEType(head, "", name), SizeBytes: &f.Size}
	a.Type = AttachmentType(a.MIMEType)
	var unread error
	if a.Ref, unread, err = HandOver(r.Ctx, r.Sink, r.Tree, f, AttachmentDraft{Name: name, MIMEType: a.MIMEType}); unread != nil {
		return r.lost(f, name, unread)
	}
	return a, err
}

// HandOver gives a file of the tree to the sink. Unread says why it could not be read, to
// tell that from an error of the receiving side.
func HandOver(ctx context.Context, sink Sink, tree *intake.Tree, f intake.File, d AttachmentDraft) (ref string, unread, err error) {
	watch := &watched{}
	d.Size = f.Size
	d.Open = func() (io.ReadCloser, error) {
		watch.ReadCloser, watch.failed = tree.Open(ctx, f)
		return watch, watch.failed
	}
	if ref, err = sink.Attachment(ctx, d); err != nil {
		unread = watch.failed
	}
	return ref, unread, err
}

// Store keeps bytes that stand inside a message sealed.
func (r *Reading) Store(name, mime string, data []byte) (memory.Attachment, error) {
	a := memory.Attachment{Type: AttachmentType(mime), Name: name, MIMEType: mime}
	return r.Seal(a, bytes.NewReader(data))
}

// sized is a bytes.Reader or a strings.Reader.
type sized interface {
	io.Reader
	Size() int64
}

// Seal hands over the bytes of an attachment.
func (r *Reading) Seal(a memory.Attachment, data sized) (memory.Attachment, error) {
	size := data.Size()
	a.SizeBytes = &size
	var err error
	a.Ref, err = r.Sink.Attachment(r.Ctx, AttachmentDraft{Name: a.Name, MIMEType: a.MIMEType, Size: size,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(data), nil }})
	return a, err
}

// Absent is an attachment that the export names and does not hold; it is counted.
func (r *Reading) Absent(name string) memory.Attachment {
	r.Sink.Missing(name)
	mime := MIMEType(nil, "", name)
	a := memory.Attachment{Type: AttachmentType(mime), Name: name}
	if mime != unknownBytes {
		a.MIMEType = mime
	}
	return a
}

// Head is the first bytes of a file, at most n.
func Head(ctx context.Context, tree *intake.Tree, f intake.File, n int) ([]byte, error) {
	body, err := tree.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	head := make([]byte, n)
	n, err = io.ReadFull(body, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// lost reports a file that is there and cannot be read.
func (r *Reading) lost(f intake.File, name string, err error) (memory.Attachment, error) {
	if r.Ctx.Err() != nil {
		return memory.Attachment{}, r.Ctx.Err()
	}
	r.Notice(f, fault.From(err))
	return memory.Attachment{Type: "file", Name: name}, nil
}

// watched remembers whether reading failed, to tell it from storing.
type watched struct {
	io.ReadCloser
	failed error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.failed = err
	}
	return n, err
}

// magic is how the files that chats hold begin. skip bytes come before.
var magic = []struct {
	skip       int
	bytes, typ string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"},
	{0, "\xff\xd8\xff", "image/jpeg"},
	{0, "GIF8", "image/gif"},
	{8, "WEBP", "image/webp"}, // RIFF….WEBP
	{8, "WAVE", "audio/wav"},  // RIFF….WAVE
	{0, "%PDF-", "application/pdf"},
	{0, "ID3", "audio/mpeg"},
	{0, "\xff\xfb", "audio/mpeg"},
	{0, "OggS", "audio/ogg"},
	{0, "\x1aE\xdf\xa3", "video/webm"},
	{4, "ftypM4A", "audio/mp4"},
	{4, "ftypheic", "image/heic"},
	{4, "ftypavif", "image/avif"},
	{4, "ftyp", "video/mp4"},
}

// byEnding is used where the bytes say nothing.
var byEnding = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".m4a": "audio/mp4", ".mp4": "video/mp4", ".webm": "video/webm",
	".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".html": "text/html", ".json": "application/json",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".zip":  "application/zip",
}

// unknownBytes is the type of what nobody knows.
const unknownBytes = "application/octet-stream"

// MIMEType trusts the first bytes of a file, then what the export says of it,
// then its name.
func MIMEType(head []byte, declared, name string) string {
	for _, m := range magic {
		if len(head) >= m.skip && strings.HasPrefix(string(head[m.skip:]), m.bytes) {
			return m.typ
		}
	}
	if strings.Contains(declared, "/") {
		return declared
	}
	if t := byEnding[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return unknownBytes
}

// AttachmentType is PAM's word for a file: image, audio, video, document, file.
func AttachmentType(mime string) string {
	family, _, _ := strings.Cut(mime, "/")
	switch {
	case family == "image", family == "audio", family == "video":
		return family
	case mime == "application/pdf", family == "text", strings.Contains(mime, "officedocument"):
		return "document"
	}
	return "file"
}
