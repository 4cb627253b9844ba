package bridge

import (
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// AttachmentPath is where a shell serves the sealed files of the vault.
const AttachmentPath = "/vault/"

// PagePolicy is the Content-Security-Policy of the page: nothing from outside,
// no inline code, no frames. The same text stands in index.html.
const PagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-src 'none'; child-src 'none'; " +
	"worker-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'"

// filePolicy takes every power from a file of somebody else's making.
const filePolicy = "sandbox; default-src 'none'"

// shown lists the types that a page may show; everything else is only saved.
var shown = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true,
	"audio/mpeg": true, "audio/wave": true, "audio/aiff": true, "application/ogg": true,
	"video/mp4": true, "video/webm": true,
}

// SecurePage sets the headers that every answer of a shell carries.
func SecurePage(h http.Header) {
	h.Set("Content-Security-Policy", PagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// ServeAttachment answers GET /vault/<ref> with the bytes of a sealed file.
// What they are is found out from the bytes, never from what an export says.
func (b *Bridge) ServeAttachment(w http.ResponseWriter, r *http.Request) {
	SecurePage(w.Header())
	w.Header().Set("Content-Security-Policy", filePolicy)
	ref := strings.TrimPrefix(r.URL.Path, AttachmentPath)
	if (r.Method != http.MethodGet && r.Method != http.MethodHead) || ref == "" {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	file, _, err := b.kit.core.OpenAttachment(r.Context(), ref)
	if err != nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	defer file.Close()
	kind, err := sniff(file)
	if err != nil {
		http.Error(w, "unreadable", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", disposition(kind, r.URL.Query().Get("name")))
	http.ServeContent(w, r, "", time.Time{}, file)
}

// sniff names the type of a file the page may show, and calls everything else
// plain bytes.
func sniff(file io.ReadSeeker) (string, error) {
	var head [512]byte
	n, err := io.ReadFull(file, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if kind := http.DetectContentType(head[:n]); shown[kind] {
		return kind, nil
	}
	return "application/octet-stream", nil
}

func disposition(kind, name string) string {
	how := "attachment"
	if shown[kind] {
		how = "inline"
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return how
	}
	if header := mime.FormatMediaType(how, map[string]string{"filename": name}); header != "" {
		return header
	}
	return how
}
