package importer

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer/jsonstream"
)

// MaxText is the largest text file that is read whole, in bytes.
const MaxText = 16 << 20

// PlainText decodes a text file: UTF-8, or UTF-16 with a byte order mark, with
// plain line ends and without NUL. It counts what had to be replaced.
func PlainText(data []byte) (text string, mended int) {
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("\xFE\xFF")):
		data = fromUTF16(data)
	default:
		data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	}
	var b strings.Builder
	b.Grow(len(data))
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			mended++
			b.WriteRune(r)
		case r == 0:
			mended++
		case r == '\r' && (n == len(data) || data[1] != '\n'):
			b.WriteByte('\n')
		case r != '\r':
			b.WriteRune(r)
		}
		data = data[n:]
	}
	return b.String(), mended
}

func fromUTF16(data []byte) []byte {
	low, high := 0, 1
	if data[0] == 0xFE {
		low, high = 1, 0
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// LooksLikeText reports whether the beginning of a file is text that a person
// could read: no JSON, no page, no NUL.
func LooksLikeText(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) {
		return true
	}
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")))
	if len(head) == 0 || bytes.IndexByte(head, 0) >= 0 || head[0] == '<' || head[0] == '{' {
		return false
	}
	for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); i++ {
		head = head[:len(head)-1] // the look may end in the middle of a letter
	}
	return utf8.Valid(head)
}

// maxFrontMatter bounds the head of a Markdown file, in bytes.
const maxFrontMatter = 64 << 10

// FrontMatter parts the YAML head of a Markdown file from its body. The head is
// a JSON object; one that is no YAML is read line by line, cut at the first
// colon. It is nil where there is none.
func FrontMatter(text string) (head jsontext.Value, body string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	raw, body, closed := strings.Cut("\n"+rest, "\n---")
	if !ok || !closed || len(raw) > maxFrontMatter || body != "" && body[0] != '\n' {
		return nil, text
	}
	body = strings.TrimPrefix(body, "\n")
	if !anchor.MatchString(raw) { // a small head may not unfold into a huge one
		if v, err := yaml.YAMLToJSON([]byte(raw)); err == nil {
			if v := jsontext.Value(bytes.TrimSpace(v)); v.IsValid() && v.Kind() == '{' {
				return v, body
			}
		}
	}
	return plainHead(raw), body
}

// anchor is a name that YAML repeats a value by.
var anchor = regexp.MustCompile(`(?:^|[\s\[{,])[&*][\w-]`)

func plainHead(raw string) jsontext.Value {
	var head []byte
	seen := map[string]bool{}
	for line := range strings.SplitSeq(raw, "\n") {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || seen[name] {
			continue
		}
		seen[name] = true
		quoted, _ := jsontext.AppendQuote(nil, strings.Trim(strings.TrimSpace(value), `"'`))
		head = jsonstream.AppendMember(head, name, quoted)
	}
	if head == nil {
		return nil
	}
	return append(head, '}')
}
