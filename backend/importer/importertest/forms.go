package importertest

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

// textForm writes a text file in another form of the same content; ok is false where it
// has none. kind is how the name ends: ".json", ".jsonl", …
type textForm struct {
	name   string
	change func(kind string, data []byte) (out []byte, ok bool)
	// torn says that something in it cannot be read, which must be told.
	torn bool
	// repeats says that lines stand in it twice.
	repeats bool
}

// textForms are what editors, shells and crashes make of an export.
func textForms() []textForm {
	return []textForm{
		{name: "with a mark", change: func(_ string, data []byte) ([]byte, bool) {
			return append([]byte("\xef\xbb\xbf"), data...), !hasMark(data)
		}},
		{name: "in UTF-16", change: inUTF16},
		{name: "with CRLF", change: withCRLF},
		{name: "escaped", change: onlyJSON(escaped)},
		{name: "indented", change: indented},
		{name: "members turned round", change: onlyJSON(turned)},
		{name: "lines joined", change: onlyLines(func(lines [][]byte) []byte { return bytes.Join(lines, nil) })},
		{name: "lines doubled", repeats: true, change: onlyLines(func(lines [][]byte) []byte {
			return bytes.Join(append(append([][]byte{}, lines...), lines...), []byte("\n"))
		})},
		{name: "lines apart", change: onlyLines(func(lines [][]byte) []byte { return bytes.Join(lines, []byte("\n\n \n")) })},
		{name: "a torn line", torn: true, change: onlyLines(func(lines [][]byte) []byte {
			middle := len(lines) / 2
			half := lines[middle][:len(lines[middle])/2]
			return bytes.Join(slices.Insert(slices.Clone(lines), middle, half), []byte("\n"))
		})},
	}
}

// checkForms holds that a reader finds the same in every form of an export.
func checkForms(t *testing.T, im importer.Importer, f Fixture, whole *Recording) {
	want := facts(whole)
	for _, form := range textForms() {
		other, ok := f.inForm(t, form.change)
		if !ok || f.Forms[form.name] != "" || form.repeats && saysTwice(whole) {
			continue
		}
		checkForm(t, im, form.name, other, want, form.torn)
	}
	if turned := (Fixture{Name: f.Name, Files: slices.Clone(f.Files)}); len(f.Files) > 1 {
		slices.Reverse(turned.Files)
		checkForm(t, im, "files turned round", turned, want, false)
	}
	if double, ok := f.doubled(); ok && f.Forms["doubled"] == "" {
		checkForm(t, im, "doubled", double, want, false)
	}
}

// saysTwice reports messages without an id and a time, of which two that are alike may
// both have been said.
func saysTwice(r *Recording) bool {
	return slices.ContainsFunc(r.Conversations, func(c Conversation) bool {
		return slices.ContainsFunc(c.Messages, func(m memory.Message) bool { return m.ProviderMessageID == "" && m.CreatedAt.IsZero() })
	})
}

func checkForm(t *testing.T, im importer.Importer, name string, f Fixture, want []string, torn bool) {
	t.Helper()
	m, err := im.Sniff(t.Context(), f.Tree(t))
	if err != nil || m.Certainty != importer.Certain {
		t.Errorf("%s: not recognised: %+v, %v", name, m, err)
		return
	}
	got := &Recording{}
	if err := im.Read(t.Context(), f.Tree(t), got.Sink()); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if diff := cmp.Diff(want, facts(got)); diff != "" {
		t.Errorf("%s: it reads otherwise (-before +%[1]s):\n%s", name, diff)
	}
	if torn && len(got.Problems) == 0 {
		t.Errorf("%s: nothing is said of it", name)
	}
}

// facts is what of a recording must not depend on the form of the files: conversations
// with their messages, and memories, sorted.
func facts(r *Recording) []string {
	all := map[string]bool{}
	for _, c := range r.Conversations {
		told := map[string]string{} // by id, which may be that of a line where the provider gives none
		for _, m := range c.Messages {
			told[m.ID] = fmt.Sprintf("%s %s %s: %s", m.ProviderMessageID, m.CreatedAt, m.Role, m.Content.PlainText())
		}
		times := map[string]int{}
		for _, m := range c.Messages {
			times[told[m.ID]]++
			all[fmt.Sprintf("message %s %s, %d, after %s", c.ID, told[m.ID], times[told[m.ID]], told[m.ParentID])] = true
		}
		all["conversation "+c.ID+" "+c.Title] = true
	}
	for _, m := range r.Memories {
		all["memory "+m.SourceKey+" "+string(m.Type)+": "+m.Content] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// inForm is the fixture with every text in it changed; ok is false where none was.
func (f Fixture) inForm(t *testing.T, change func(kind string, data []byte) ([]byte, bool)) (Fixture, bool) {
	t.Helper()
	changed := false
	one := func(file gen.File) gen.File {
		switch kind := strings.ToLower(path.Ext(file.Name)); kind {
		case ".json", ".jsonl", ".md", ".txt", ".csv", ".html", ".js", ".af":
			if data, ok := change(kind, file.Data); ok {
				file.Data, changed = data, true
			}
		}
		return file
	}
	other := Fixture{Name: f.Name}
	for _, file := range f.Files {
		if !isZip(file) {
			other.Files = append(other.Files, one(file))
			continue
		}
		var entries []gen.File
		for _, e := range gen.Unzip(file.Data) {
			entries = append(entries, one(e))
		}
		other.Files = append(other.Files, gen.File{Name: file.Name, Data: gen.Zip(entries)})
	}
	return other, changed
}

// doubled is the fixture with a copy of each file beside it, as a browser downloads one
// twice; ok is false of a zip, which is an export of its own.
func (f Fixture) doubled() (Fixture, bool) {
	other := Fixture{Name: f.Name, Files: slices.Clone(f.Files)}
	for _, file := range f.Files {
		if isZip(file) {
			return other, false
		}
		ext := path.Ext(file.Name)
		other.Files = append(other.Files, gen.File{Name: strings.TrimSuffix(file.Name, ext) + " (1)" + ext, Data: file.Data})
	}
	return other, true
}

func hasMark(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// inUTF16 is what PowerShell's > makes of a text.
func inUTF16(_ string, data []byte) ([]byte, bool) {
	if hasMark(data) || !utf8.Valid(data) {
		return nil, false
	}
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(data))) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out, true
}

func withCRLF(kind string, data []byte) ([]byte, bool) {
	if kind == ".csv" || kind == ".html" || kind == ".js" || bytes.Contains(data, []byte("\r")) || hasMark(data) { // a cell may hold lines
		return nil, false
	}
	return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), true
}

// onlyJSON is a form of JSON values, whole or one a line.
func onlyJSON(change func(value []byte) ([]byte, bool)) func(kind string, data []byte) ([]byte, bool) {
	return func(kind string, data []byte) ([]byte, bool) {
		switch {
		case hasMark(data):
		case (kind == ".json" || kind == ".af") && jsontext.Value(data).IsValid():
			return change(data)
		case kind == ".jsonl":
			lines := valuesOf(data)
			for i, line := range lines {
				var ok bool
				if lines[i], ok = change(line); !ok {
					return nil, false
				}
			}
			return bytes.Join(lines, []byte("\n")), len(lines) > 0
		}
		return nil, false
	}
}

// onlyLines is a form of files that hold a JSON value a line.
func onlyLines(change func(lines [][]byte) []byte) func(kind string, data []byte) ([]byte, bool) {
	return func(kind string, data []byte) ([]byte, bool) {
		lines := valuesOf(data)
		if kind != ".jsonl" || len(lines) == 0 {
			return nil, false
		}
		return append(change(lines), '\n'), true
	}
}

// valuesOf are the lines, none where one of them is no JSON.
func valuesOf(data []byte) (lines [][]byte) {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !jsontext.Value(line).IsValid() {
			return nil
		}
		lines = append(lines, line)
	}
	return lines
}

// escaped writes what is not ASCII as \u, which stands in strings only.
func escaped(value []byte) ([]byte, bool) {
	var out bytes.Buffer
	for _, r := range string(value) {
		switch {
		case r < utf8.RuneSelf:
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes(), true
}

func indented(kind string, data []byte) ([]byte, bool) {
	value := jsontext.Value(bytes.Clone(data))
	if kind != ".json" || hasMark(data) || !value.IsValid() {
		return nil, false
	}
	return value, value.Indent() == nil
}

// turned writes the members of every object last to first.
func turned(value []byte) ([]byte, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(value))
	out, err := turnedValue(dec)
	return out, err == nil
}

func turnedValue(dec *jsontext.Decoder) ([]byte, error) {
	if kind := dec.PeekKind(); kind != '{' && kind != '[' {
		value, err := dec.ReadValue()
		return bytes.Clone(value), err
	}
	open, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	isObject := open.Kind() == '{'
	var items [][]byte
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		var item []byte
		if isObject {
			name, err := dec.ReadValue()
			if err != nil {
				return nil, err
			}
			item = append(bytes.Clone(name), ':')
		}
		inner, err := turnedValue(dec)
		if err != nil {
			return nil, err
		}
		items = append(items, append(item, inner...))
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if isObject {
		slices.Reverse(items)
		return append(append([]byte{'{'}, bytes.Join(items, []byte{','})...), '}'), nil
	}
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']'), nil
}
