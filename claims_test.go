package main_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestClaimsHaveTheirTests compares "Claims" in docs/design.md with the sentences of the
// window, of the command line, of what writes files and of faults: each that asserts
// something about data has a row, and each row a sentence and a test that are there.
func TestClaimsHaveTheirTests(t *testing.T) {
	// A sentence with one of these is taken to assert something about data; faults have
	// more words for what was done and what was not.
	claim := regexp.MustCompile(`(?i)\b(found|nothing|noted|signed by|covers?|covered|left out|looked (at|for|through)|put away|newest|certain|twice)\b`)
	ofFault := regexp.MustCompile(`(?i)\b(kept|stays?|safe|lost|thrown away|is in the vault|only the first|(was|were) (read|taken)|(is|was|were) not (changed|imported|made|merged|opened|signed|taken|written))\b`)
	said := windowSays(t)
	if len(said) < 1500 {
		t.Fatalf("the window has only %d texts", len(said))
	}
	commands := codeSays(t)
	if len(commands) < 30 {
		t.Fatalf("only %d files of Go say something", len(commands))
	}
	maps.Copy(said, commands)
	faults := faultsSay(t)
	if len(faults) < 400 {
		t.Fatalf("only %d faults say something", len(faults))
	}
	maps.Copy(said, faults)

	_, page, found := strings.Cut(read(t, "docs/design.md"), "\n## Claims\n")
	page, _, _ = strings.Cut(page, "\n## ")
	page, others, hasOthers := strings.Cut(page, "\n### Not claims\n")
	if !found || !hasOthers {
		t.Fatal("docs/design.md has no Claims or no Not claims")
	}
	tests := named(repository(t, "_test.go"), regexp.MustCompile(`(?m)^func (Test\w+)\(`))
	listed := map[string]bool{}
	for _, row := range rowsOf(page) {
		where, sentence := row[0], row[1]
		texts := said[where]
		inFile := strings.HasSuffix(where, ".go") && strings.Contains(read(t, where), sentence) // or a piece of one
		if !inFile && !slices.Contains(texts, sentence) {
			t.Errorf("%s does not say %q any more", where, sentence)
		}
		if listed[where+sentence] {
			t.Errorf("%s has two rows for %q", where, sentence)
		}
		listed[where+sentence] = true
		if len(row) != 3 || !isTest(t, tests, row[2]) {
			t.Errorf("%s: there is no test %s", row[0], row[2:])
		}
	}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(others, -1) {
		texts, ok := said[m[1]]
		if !ok {
			t.Errorf("there is no text %s, which is called no claim", m[1])
			continue
		}
		for _, text := range texts {
			listed[m[1]+text] = true
		}
	}
	for where, texts := range said {
		apart := strings.HasSuffix(where, ".go") || strings.HasPrefix(where, "fault ")
		for _, text := range texts {
			row := where + texts[len(texts)-1] // a plural stands in the table as many
			if apart {
				row = where + text
			}
			if asserts := claim.MatchString(text) || strings.HasPrefix(where, "fault ") && ofFault.MatchString(text); asserts && !listed[row] {
				t.Errorf("docs/design.md has no row for what %s says: %q", where, text)
			}
		}
	}
}

// windowSays are the English texts of the window by their keys; of a plural the one
// for many is the last.
func windowSays(t *testing.T) map[string][]string {
	t.Helper()
	var texts map[string]string
	if err := json.Unmarshal([]byte(read(t, "frontend/src/lib/i18n/en.json")), &texts); err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for key, text := range texts {
		one, isOne := strings.CutSuffix(key, ".one")
		many, isMany := strings.CutSuffix(key, ".other")
		switch {
		case isOne && texts[one+".other"] != "":
		case isMany && texts[many+".one"] != "":
			said[many] = []string{texts[many+".one"], text}
		default:
			said[key] = []string{text}
		}
	}
	return said
}

// codeSays are the sentences of the command line, and of the rooms that write files and
// reports, by their files of Go: every text of more than one word. What stands beside
// others is one sentence, with … for values.
func codeSays(t *testing.T) map[string][]string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"app/cli/*.go", "backend/core/*.go", "backend/extract/*.go", "backend/handoff/*.go", "backend/memory/*.go", "backend/format/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	said := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(code, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field: // paths, and the names of JSON
				return false
			case *ast.KeyValueExpr:
				key, ok := n.Key.(*ast.Ident)
				return !ok || key.Name != "Short" && key.Name != "Long" // help
			case *ast.CallExpr:
				switch name := called(n); {
				case name == "parent":
					n.Args = n.Args[2:] // its name and its help
				case strings.HasSuffix(name, "Var"), strings.HasSuffix(name, "VarP"): // a flag and its help
					return false
				case slices.Contains([]string{"New", "Advise", "Errorf"}, name): // faults, which have their own list (faults.pt-BR.json)
					return false
				}
			case *ast.BasicLit, *ast.BinaryExpr:
				text := strings.TrimSpace(sentence(n))
				if strings.Contains(text, " ") {
					said[file] = append(said[file], text)
				}
				_, whole := n.(*ast.BasicLit)
				return !whole && text == "…"
			}
			return true
		})
	}
	return said
}

// faultsSay are the sentences of the faults by their codes: what happened, and what to
// do about it.
func faultsSay(t *testing.T) map[string][]string {
	t.Helper()
	said := map[string][]string{}
	say := func(code, text string) {
		if key := "fault " + code; !slices.Contains(said[key], text) {
			said[key] = append(said[key], text)
		}
	}
	for path, text := range repository(t, ".go") {
		if strings.HasSuffix(path, "_test.go") || !strings.HasPrefix(path, "backend/") && !strings.HasPrefix(path, "app/") {
			continue
		}
		code, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(code, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if made := newFault(call); made == call {
				say(sentence(made.Args[1]), sentence(made.Args[2]))
			} else if called(call) == "Advise" && made == nil {
				t.Errorf("%s: it cannot be seen of which fault %q is the advice", path, sentence(call.Args[0]))
			} else if called(call) == "Advise" {
				say(sentence(made.Args[1]), sentence(call.Args[0]))
			}
			return true
		})
	}
	ofThePage := regexp.MustCompile(`reason: '([^']+)',\s*message: '([^']+)',\s*hint: '([^']*)'`)
	for _, m := range ofThePage.FindAllStringSubmatch(read(t, "frontend/src/lib/backend/fault.ts"), -1) {
		say(m[1], m[2])
		say(m[1], m[3])
	}
	return said
}

// newFault is the call of fault.New at the beginning of a chain of calls, or nil.
func newFault(call *ast.CallExpr) *ast.CallExpr {
	for called(call) != "New" || len(call.Args) != 3 || sentence(call.Args[1]) == "…" {
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		if call, ok = method.X.(*ast.CallExpr); !ok {
			return nil
		}
	}
	return call
}

// called is the name of the function that is called, without where it is from.
func called(n *ast.CallExpr) string {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// sentence joins what a text is put together from.
func sentence(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD {
			return strings.ReplaceAll(sentence(n.X)+sentence(n.Y), "……", "…")
		}
	}
	return "…"
}

// rowsOf are the cells of a table, the place without its quotes.
func rowsOf(table string) (rows [][]string) {
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		cells[0] = strings.Trim(cells[0], "`")
		rows = append(rows, cells)
	}
	return rows
}

// isTest says whether a cell names a test of Go, or words that stand in a file of tests.
func isTest(t *testing.T, tests []string, cell string) bool {
	t.Helper()
	name, words, inFile := strings.Cut(cell, "`: ")
	name = strings.Trim(name, "`")
	if inFile {
		return words != "" && strings.Contains(read(t, name), words)
	}
	return slices.Contains(tests, name)
}
