package claude

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// attach takes what came with a message: attachments with the text Claude read
// out of them, which is a part of the message, too, as it was in what Claude was
// told, and files of which the export has only the names. Every attachment is a
// file too; such pairs are taken once.
func (r *reading) attach(u *run, m wireMessage) error {
	paired := map[string][]memory.Attachment{}
	var left [][]byte
	for _, v := range jsonstream.Items(m.attached) {
		a, body, err := r.extracted(v)
		if err != nil {
			return err
		}
		if body != "" {
			u.parts = append(u.parts, memory.Part{Type: "file", Text: body, MIMEType: a.MIMEType, Ref: a.Ref})
		}
		paired[importer.TextIn(v, "file_name")] = append(paired[importer.TextIn(v, "file_name")], a)
		u.attachments = append(u.attachments, a)
		left = append(left, orEmpty(jsonstream.Without(v, "file_name", "extracted_content")))
	}
	keepList(m.raw, "attachments", left)
	left = nil
	for _, v := range jsonstream.Items(m.files) {
		name := importer.TextIn(v, "file_name")
		if n := len(paired[name]); n > 0 {
			paired[name] = paired[name][:n-1]
			identify(u.attachments, name, importer.TextIn(v, "file_uuid"))
		} else {
			u.attachments = append(u.attachments, memory.Attachment{
				Type: fileType(name), Name: name, ProviderID: importer.TextIn(v, "file_uuid"),
			})
			r.Sink.Missing(importer.FirstOf(name, importer.TextIn(v, "file_uuid"), "file"))
		}
		left = append(left, orEmpty(jsonstream.Without(v, "file_name", "file_uuid")))
	}
	keepList(m.raw, "files", left)
	return nil
}

func orEmpty(v []byte) []byte {
	if v == nil {
		return []byte("{}")
	}
	return v
}

// keepList keeps the rests of a list where one of them holds something.
func keepList(raw memory.RawMetadata, name string, list [][]byte) {
	if slices.ContainsFunc(list, func(v []byte) bool { return string(v) != "{}" }) {
		raw[name] = importer.List(list)
	}
}

// identify gives the id of a file to the attachment of the same name.
func identify(list []memory.Attachment, name, id string) {
	for i := range list {
		if list[i].Name == shownName(name) && list[i].ProviderID == "" {
			list[i].ProviderID = id
			return
		}
	}
}

// extracted stores the text of one attachment sealed; body is "" where there is none.
func (r *reading) extracted(v jsontext.Value) (a memory.Attachment, body string, err error) {
	name := importer.TextIn(v, "file_name")
	body = importer.TextIn(v, "extracted_content")
	a = memory.Attachment{Type: "document", Name: shownName(name)}
	if body == "" {
		a.Type = fileType(name)
		r.Sink.Missing(a.Name)
		return a, "", nil
	}
	a.MIMEType = "text/plain"
	a, err = r.Seal(a, strings.NewReader(body))
	return a, body, err
}

// shownName names text that was pasted instead of attached.
func shownName(name string) string { return importer.FirstOf(name, "pasted.txt") }

// fileType sorts a file by its ending (PAM §25: file, image, audio, video, document).
func fileType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".svg", ".bmp":
		return "image"
	case ".mp3", ".wav", ".m4a", ".ogg", ".flac":
		return "audio"
	case ".mp4", ".mov", ".webm", ".mkv":
		return "video"
	case ".pdf", ".doc", ".docx", ".odt", ".rtf", ".txt", ".md", ".html", ".csv", ".xlsx", ".pptx":
		return "document"
	}
	return "file"
}

// artifact is a published page: its files, from one or several parts.
type artifact struct {
	files []intake.File
	used  bool
}

// artifacts groups files by the artifact they belong to. One that two parts
// both hold counts once.
func artifacts(files []intake.File) map[string]*artifact {
	pages := map[string]*artifact{}
	seen := map[string]bool{}
	for _, f := range files {
		id := artifactID(f.Path)
		if id == "" || seen[id+"/"+f.Base()] {
			continue
		}
		seen[id+"/"+f.Base()] = true
		if pages[id] == nil {
			pages[id] = &artifact{}
		}
		pages[id].files = append(pages[id].files, f)
	}
	for _, p := range pages {
		slices.SortFunc(p.files, func(a, b intake.File) int { return strings.Compare(a.Path, b.Path) })
	}
	return pages
}

// publishedID is the member that leads from a conversation to an artifact.
const publishedID = "published_artifact_id"

// published lists the artifacts a value names, in order.
func published(v jsontext.Value) []string {
	var ids []string
	for name, value := range jsonstream.Members(v) {
		if s, ok := jsonstream.Text(value); ok && name == publishedID {
			ids = append(ids, s)
		} else {
			ids = append(ids, published(value)...)
		}
	}
	for _, value := range jsonstream.Items(v) {
		ids = append(ids, published(value)...)
	}
	return ids
}

// publish attaches the artifact that a block shows.
func (b *blocks) publish(u *run, v jsontext.Value) error {
	for _, id := range published(jsonstream.Member(v, "display_content")) {
		page := b.r.pages[id]
		if page == nil {
			b.r.Sink.Missing(id)
			continue
		}
		page.used = true
		for _, f := range page.files {
			a, err := b.r.page(f, id)
			if err != nil {
				return err
			}
			u.attachments = append(u.attachments, a)
		}
	}
	return nil
}

func (r *reading) page(f intake.File, id string) (memory.Attachment, error) {
	a := memory.Attachment{Type: "document", Name: f.Base(), MIMEType: mediaType(f.Base()), ProviderID: id, SizeBytes: &f.Size}
	var err error
	a.Ref, _, err = importer.HandOver(r.Ctx, r.Sink, r.Tree, f, importer.AttachmentDraft{Name: a.Name, MIMEType: a.MIMEType})
	return a, err
}

func mediaType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return "application/json"
	case ".html":
		return "text/html"
	case ".md":
		return "text/markdown"
	}
	return "text/plain"
}
