package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
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
	if tag := Tag(name); tag != "" && !slices.Contains(tags, tag) {
		tags = append(tags, tag)
	}
	return tags
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
	maps.DeleteFunc(rest, func(_ string, value json.RawMessage) bool { return IsNothing(jsontext.Value(value)) })
	if len(rest) > 0 {
		m["raw"] = rest
	}
	return m
}

// Edge is a relation of a graph as a sentence: "Alex works at Acme".
func Edge(from, kind, to string) string {
	return from + " " + strings.Join(wordsOf(kind), " ") + " " + to
}

// wordsOf are the words of a name like WORKS_AT, in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
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

// fileEndings are how files of a kind are called.
var fileEndings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf", "text/plain": ".txt",
	"audio/mpeg": ".mp3", "audio/wav": ".wav", "video/mp4": ".mp4",
}

// Ending is how a file of that kind is called, "" where that is not known.
func Ending(mime string) string { return fileEndings[mime] }

// CallInput is what a call was given, in the form that PAM has for it: an object or a
// text, nil for anything else.
func CallInput(v jsontext.Value) json.RawMessage {
	if v.Kind() == '{' || v.Kind() == '"' {
		return jsonstream.Keep(v)
	}
	return nil
}

// Thought is what was thought before a message was said, as a message of its own.
func Thought(m memory.Message, text string) memory.Message {
	t := memory.Message{ProviderMessageID: m.ProviderMessageID, Role: m.Role, ParentID: m.ParentID, CreatedAt: m.CreatedAt, Model: m.Model,
		IsThought: true, Content: PlainContent(text)}
	if m.ID != "" {
		t.ID = m.ID + "#1"
	}
	return t
}

// AddCitation adds a page that an answer names; one without title and address is none.
func AddCitation(list []memory.Citation, title, address, snippet string) []memory.Citation {
	c := memory.Citation{Title: title, URL: WebAddress(address), Snippet: snippet}
	if c.Title == "" && c.URL == "" {
		return list
	}
	return append(list, c)
}

// TimeIn is a member that holds a time, as AnyTime reads it.
func TimeIn(v jsontext.Value, name string) memory.Time { return AnyTime(jsonstream.Member(v, name)) }

// TagsIn adds the tags of the names in a list.
func TagsIn(tags []string, list jsontext.Value) []string {
	for _, item := range jsonstream.Items(list) {
		name, _ := jsonstream.Text(item)
		tags = AddTag(tags, name)
	}
	return tags
}

// PlainContent is a content of one text.
func PlainContent(text string) *memory.Content { return &memory.Content{Type: "text", Text: text} }

// List makes an array of values.
func List(values [][]byte) []byte {
	out := append([]byte{'['}, bytes.Join(values, []byte{','})...)
	return append(out, ']')
}
