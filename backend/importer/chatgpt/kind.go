package chatgpt

import (
	"bytes"
	"path"
	"strings"
)

// magic is how the files that chats hold begin. skip bytes come before.
var magic = []struct {
	skip       int
	bytes, typ string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png"},
	{0, "\xff\xd8\xff", "image/jpeg"},
	{0, "GIF87a", "image/gif"},
	{0, "GIF89a", "image/gif"},
	{0, "%PDF-", "application/pdf"},
	{0, "ID3", "audio/mpeg"},
	{0, "\xff\xfb", "audio/mpeg"},
	{0, "\xff\xf3", "audio/mpeg"},
	{0, "OggS", "audio/ogg"},
	{0, "fLaC", "audio/flac"},
	{0, "\x1aE\xdf\xa3", "video/webm"},
	{4, "ftypM4A", "audio/mp4"},
	{4, "ftypheic", "image/heic"},
	{4, "ftypavif", "image/avif"},
	{4, "ftyp", "video/mp4"},
}

// sniff tells a MIME type from the first bytes, "" when they say nothing. Both
// WebP and WAV begin with RIFF; bytes 8 to 11 tell them apart.
func sniff(head []byte) string {
	if bytes.HasPrefix(head, []byte("RIFF")) && len(head) >= 12 {
		switch string(head[8:12]) {
		case "WEBP":
			return "image/webp"
		case "WAVE":
			return "audio/wav"
		}
		return ""
	}
	for _, m := range magic {
		if len(head) >= m.skip && bytes.HasPrefix(head[m.skip:], []byte(m.bytes)) {
			return m.typ
		}
	}
	return ""
}

// byExtension is used where the bytes say nothing: text and packed documents.
var byExtension = map[string]string{
	".txt": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".json": "application/json",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".zip":  "application/zip",
}

// mimeType trusts the bytes first, then what the export says, then the name.
func mimeType(head []byte, declared, name string) string {
	if t := sniff(head); t != "" {
		return t
	}
	if strings.Contains(declared, "/") {
		return declared
	}
	if t := byExtension[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "application/octet-stream"
}

// attachmentType is PAM's word for a file: image, audio, video, document, file.
func attachmentType(mime, guess string) string {
	family, _, _ := strings.Cut(mime, "/")
	switch {
	case family == "image", family == "audio", family == "video":
		return family
	case mime == "application/pdf", strings.HasPrefix(mime, "text/"), strings.Contains(mime, "officedocument"):
		return "document"
	case guess == "":
		return "file"
	}
	return guess
}
