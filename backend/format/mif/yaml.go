package mif

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// MaxYAML is the longest document in YAML that is read or written, in bytes.
const MaxYAML = 20 << 20

// maxYAMLPiece bounds what of it is taken apart at once: a parser of YAML takes
// some hundred times as much memory as it reads.
const maxYAMLPiece = 1 << 20

var (
	errYAML      = errors.New("not YAML that is read here")
	errYAMLAlias = fmt.Errorf("%w: anchors, aliases and tags", errYAML)
)

// ErrYAMLTooLarge says that a document is too long for YAML.
func ErrYAMLTooLarge() *fault.Error {
	return fault.New(fault.TooLarge, "mif-yaml-too-large", "In YAML a document has at most {limit} MiB.").With("limit", MaxYAML>>20).
		Advise("JSON, or lines of JSON, may be of any length.")
}

// leastYAML is fewer bytes than a text in JSON has as YAML, which needs no quotes and
// may write the six signs of an escape as the one that it stands for.
func leastYAML(text []byte) int {
	return len(text) - bytes.Count(text, []byte(`"`)) - 5*bytes.Count(text, []byte(`\`))
}

// walkYAML takes a document apart by the indentation that YAML cannot do
// without, and reads one piece at a time: a member of the root, or an element of
// a long list. Nothing a piece holds can reach into another, since anchors and
// aliases are refused.
func walkYAML(ctx context.Context, r io.Reader, to visitor) error {
	text, err := io.ReadAll(io.LimitReader(r, MaxYAML+1))
	if err != nil {
		return err
	}
	if len(text) > MaxYAML {
		return ErrYAMLTooLarge()
	}
	seen := map[string]bool{}
	for _, s := range sections(text, 0) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.walk("", seen, to); err != nil {
			return err
		}
	}
	return nil
}

// section is the text of one member of a mapping, its name included.
type section []byte

// sections cuts a mapping into its members: lines that stand at its indentation
// and begin none of the continuations that may stand there.
func sections(text []byte, indent int) (all []section) {
	start := 0
	for at := 0; at < len(text); {
		end := at + bytes.IndexByte(text[at:], '\n') + 1
		if end == at {
			end = len(text)
		}
		if begins(text[at:end], indent) && at > start {
			all = append(all, text[start:at])
			start = at
		}
		at = end
	}
	return append(all, text[start:])
}

// begins reports a line with a member of a mapping of that indentation.
func begins(line []byte, indent int) bool {
	if len(line) <= indent || len(bytes.TrimLeft(line[:indent], " ")) > 0 {
		return false
	}
	return !bytes.ContainsRune([]byte(" \t\r\n#-]}"), rune(line[indent]))
}

// walk gives the member, or what is in it where that is a long list.
func (s section) walk(inside string, seen map[string]bool, to visitor) error {
	body, name := s.body()
	long := name != "" && streamed[inside+name]
	nested := inside == "" && (name == "graph" || name == "knowledge_graph")
	if name == "" || body == nil || !long && !nested {
		return s.whole(inside, seen, to)
	}
	first := bytes.TrimLeft(body, " \r\n")
	indent := indentOf(body)
	if nested {
		if len(first) == 0 || first[0] == '{' || first[0] == '-' {
			return s.whole(inside, seen, to)
		}
		if err := once(seen, name); err != nil {
			return err
		}
		for _, in := range sections(body, indent) {
			if err := in.walk(name+".", seen, to); err != nil {
				return err
			}
		}
		return nil
	}
	if len(first) < 2 || first[0] != '-' {
		return s.whole(inside, seen, to)
	}
	if err := once(seen, inside+name); err != nil {
		return err
	}
	if err := to.member(inside+name, jsontext.Value("[]")); err != nil {
		return err
	}
	for i, item := range items(body, indent) {
		raw, err := fromYAML(item)
		if err != nil {
			return err
		}
		list := rawList(raw)
		if len(list) != 1 {
			return errYAML
		}
		if err := to.element(inside+name, i, list[0]); err != nil {
			return err
		}
	}
	return nil
}

// body is what stands below a plain name; nil where the value begins beside it.
func (s section) body() (body []byte, name string) {
	rest := []byte(s)
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if bare := strings.TrimSpace(string(line)); bare != "" && bare[0] != '#' && bare != "---" {
			name, value, ok := strings.Cut(bare, ":")
			if !ok || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
				return nil, ""
			}
			if value = strings.TrimSpace(value); value != "" && value[0] != '#' {
				return nil, name
			}
			return after, name
		}
		rest = after
	}
	return nil, ""
}

// indentOf is how far the first line that says something is indented.
func indentOf(text []byte) int {
	for line := range bytes.Lines(text) {
		bare := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(bare)) > 0 && bare[0] != '#' {
			return len(line) - len(bare)
		}
	}
	return 0
}

// items cuts a list into its items.
func items(text []byte, indent int) (all [][]byte) {
	start, at := 0, 0
	for line := range bytes.Lines(text) {
		isItem := len(line) > indent && len(bytes.TrimLeft(line[:indent], " ")) == 0 && line[indent] == '-' && (len(line) == indent+1 || bytes.ContainsRune([]byte(" \r\n"), rune(line[indent+1])))
		if isItem && len(bytes.TrimSpace(text[start:at])) > 0 && indentOf(text[start:at]) == indent && begun(text[start:at]) {
			all = append(all, text[start:at])
			start = at
		}
		at += len(line)
	}
	return append(all, text[start:])
}

// begun reports more than comments.
func begun(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bare := bytes.TrimSpace(line); len(bare) > 0 && bare[0] != '#' {
			return true
		}
	}
	return false
}

// whole reads a section at once and gives what it holds.
func (s section) whole(inside string, seen map[string]bool, to visitor) error {
	if !begun(s) || strings.TrimSpace(string(s)) == "---" {
		return nil
	}
	raw, err := fromYAML(s)
	if err != nil {
		return err
	}
	o, err := asObject(raw)
	if err != nil {
		return errYAML
	}
	for name, v := range o {
		if err := giveWhole(inside+name, v, seen, to); err != nil {
			return err
		}
	}
	return nil
}

// giveWhole gives a member that is held whole, as walking would.
func giveWhole(name string, v jsontext.Value, seen map[string]bool, to visitor) error {
	if err := once(seen, name); err != nil {
		return err
	}
	switch {
	case v.Kind() == '[' && streamed[name]:
		if err := to.member(name, jsontext.Value("[]")); err != nil {
			return err
		}
		for i, e := range rawList(v) {
			if err := to.element(name, i, e); err != nil {
				return err
			}
		}
		return nil
	case v.Kind() == '{' && (name == "graph" || name == "knowledge_graph"):
		in, err := asObject(v)
		if err != nil {
			return errYAML
		}
		for inner, v := range in {
			if err := giveWhole(name+"."+inner, v, seen, to); err != nil {
				return err
			}
		}
		return nil
	}
	return to.member(name, v)
}

// once refuses a member that stands twice.
func once(seen map[string]bool, name string) error {
	if seen[name] {
		return fmt.Errorf("%w: a name that stands twice", errYAML)
	}
	seen[name] = true
	return nil
}

// fromYAML makes JSON of one piece.
func fromYAML(text []byte) (jsontext.Value, error) {
	if len(text) > maxYAMLPiece {
		return nil, fmt.Errorf("%w: %w", errYAML, errTooLong)
	}
	if tooNested(text) {
		return nil, fmt.Errorf("%w: %w", errYAML, jcs.ErrDepth)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errYAML, err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, errYAML
	}
	var plain plainness
	ast.Walk(&plain, file.Docs[0].Body)
	if plain.broken {
		return nil, errYAMLAlias
	}
	var v any
	if err := yaml.NodeToValue(file.Docs[0].Body, &v, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%w: %w", errYAML, err)
	}
	out, err := yaml.MarshalWithOptions(v, yaml.JSON())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errYAML, err)
	}
	raw := jsontext.Value(bytes.TrimSpace(out))
	if !raw.IsValid() {
		return nil, errYAML
	}
	if jcs.IsTooDeep(raw) {
		return nil, fmt.Errorf("%w: %w", errYAML, jcs.ErrDepth)
	}
	return raw, nil
}

// plainness looks for what makes a small text a large one, or a text something
// else than it says.
type plainness struct{ broken bool }

// Visit implements ast.Visitor.
func (p *plainness) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.DirectiveNode:
		p.broken = true
	}
	return p
}

// tooNested reports brackets, or dashes and question marks on one line, nested
// deeper than is read. It takes text for structure, and so is stricter than it
// must be with texts of hundreds of brackets that do not close.
func tooNested(text []byte) bool {
	depth := 0
	for line := range bytes.Lines(text) {
		bare := bytes.TrimLeft(line, " ")
		if len(line)-len(bare) > 8*jcs.MaxDepth {
			return true
		}
		marks := 0
		for len(bare) > 1 && strings.IndexByte("-?:!&*", bare[0]) >= 0 {
			if marks++; marks > jcs.MaxDepth {
				return true
			}
			bare = bytes.TrimLeft(bare[1:], " ")
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				if depth++; depth > 4*jcs.MaxDepth {
					return true
				}
			case ']', '}':
				depth = max(0, depth-1)
			}
		}
	}
	return false
}
