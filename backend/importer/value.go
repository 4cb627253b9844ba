package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
)

// layouts are how times are written besides RFC 3339; without a zone UTC is meant.
var layouts = []string{
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999-07",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
}

// AnyTime reads a time as tools write it: seconds, milli-, micro- or nanoseconds
// since 1970 as a number or in quotes, or a date with or without a zone. What is
// none, or before 1971 as unset fields are, is unknown.
func AnyTime(v jsontext.Value) memory.Time {
	if n, ok := jsonstream.Number(v); ok {
		return sinceEpoch(n)
	}
	s, _ := jsonstream.Text(v)
	return ParseAnyTime(s)
}

// ParseAnyTime is AnyTime of a text.
func ParseAnyTime(s string) memory.Time {
	s = strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(s, 64); err == nil && len(s) >= 9 {
		return sinceEpoch(n)
	}
	at, err := memory.ParseTime(s)
	for _, layout := range layouts {
		if err == nil {
			break
		}
		var t time.Time
		t, err = time.Parse(layout, s)
		at = memory.At(t)
	}
	if err != nil || at.Year() <= 1970 {
		return memory.Time{}
	}
	return at
}

// sinceEpoch takes the unit from the size: seconds stay below 1e11 until the
// year 5138.
func sinceEpoch(n float64) memory.Time {
	for range 3 {
		if math.Abs(n) < 1e11 {
			break
		}
		n /= 1000
	}
	if at := memory.FromUnix(n); at.Year() > 1970 {
		return at
	}
	return memory.Time{}
}

// FirstOf is the first text that is not empty.
func FirstOf(list ...string) string { return cmp.Or(list...) }

// Digest is a short hash of texts, for ids of what has none.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p))
	}
	return hex.EncodeToString(h.Sum(nil)[:10])
}

// AddTag adds the tag of a name, unless it is there or nothing is left of it.
func AddTag(tags []string, name string) []string {
	tag := Tag(name)
	for _, t := range tags {
		if t == tag {
			return tags
		}
	}
	if tag == "" {
		return tags
	}
	return append(tags, tag)
}

// Rest is the members of an object that have no place of their own, in the form
// of open metadata; nil where there are none.
func Rest(v jsontext.Value, taken ...string) memory.RawMetadata {
	raw := memory.RawMetadata{}
	for name, value := range jsonstream.Members(jsontext.Value(jsonstream.Without(v, taken...))) {
		raw[name] = jsonstream.Keep(value)
	}
	return raw
}

// Facts is open metadata of a memory: what is empty is left out, and rest goes
// in verbatim under "raw".
func Facts(rest memory.RawMetadata, pairs ...string) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	for name, value := range rest {
		if string(value) == "null" || string(value) == "[]" || string(value) == "{}" || string(value) == `""` {
			delete(rest, name)
		}
	}
	if len(rest) > 0 {
		m["raw"] = rest
	}
	return m
}

// Edge is a relation of a graph as a sentence: "Alex works at Acme".
func Edge(from, kind, to string) string {
	return from + " " + strings.ToLower(strings.Join(strings.FieldsFunc(kind, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")) + " " + to
}

// DataURL decodes an address that holds its own bytes.
func DataURL(s string) (mime string, data []byte, ok bool) {
	head, body, ok := strings.Cut(strings.TrimPrefix(s, "data:"), ",")
	mime, is64 := strings.CutSuffix(head, ";base64")
	if !ok || !is64 || !strings.HasPrefix(s, "data:") || len(mime) > 100 {
		return "", nil, false
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(body))
	if err != nil {
		data, err = base64.RawStdEncoding.DecodeString(strings.TrimSpace(body))
	}
	return FirstOf(mime, "application/octet-stream"), data, err == nil && len(data) > 0
}

// Ending is how a file of that kind is called, "" where that is not known.
func Ending(mime string) string {
	switch mime {
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	case "application/pdf":
		return ".pdf"
	case "text/plain":
		return ".txt"
	case "audio/mpeg":
		return ".mp3"
	case "audio/wav":
		return ".wav"
	case "video/mp4":
		return ".mp4"
	}
	return ""
}

// PlainContent is a content of one text.
func PlainContent(text string) *memory.Content { return &memory.Content{Type: "text", Text: text} }

// List makes an array of values.
func List(values [][]byte) []byte {
	out := append([]byte{'['}, bytes.Join(values, []byte{','})...)
	return append(out, ']')
}
