package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWalksExist holds that every file that docs/architecture.md names exists, and that
// each function named after one in the walks is declared there.
func TestWalksExist(t *testing.T) {
	page := read(t, "docs/architecture.md")
	_, walks, found := strings.Cut(page, "\n## Five walks\n")
	walks, _, _ = strings.Cut(walks, "\n## ")
	if !found || strings.Count(walks, "\n### ") != 5 {
		t.Fatal("docs/architecture.md has no five walks")
	}
	code := regexp.MustCompile("`([^`]+)`")
	file := regexp.MustCompile(`^[\w./-]+\.go$`)
	for _, m := range code.FindAllStringSubmatch(page, -1) {
		if name := m[1]; file.MatchString(name) && strings.Contains(name, "/") {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("there is no file %s", name)
			}
		}
	}
	functions := 0
	for line := range strings.Lines(walks) {
		if line[0] < '1' || line[0] > '9' { // each step is an item of a numbered list
			continue
		}
		var declared map[string]bool
		for _, m := range code.FindAllStringSubmatch(line, -1) {
			switch name := m[1]; {
			case file.MatchString(name):
				declared = functionsOf(t, name)
			case declared == nil:
				t.Errorf("%s stands in a walk without its file", name)
			case strings.HasPrefix(name, "vault."): // of another package
			case !declared[name]:
				t.Errorf("there is no function %s in: %s", name, line)
			default:
				functions++
			}
		}
	}
	if functions < 40 {
		t.Errorf("the walks name only %d functions", functions)
	}
}

// functionsOf are the functions of a file, methods as Type.Method.
func functionsOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, d := range f.Decls {
		fn, is := d.(*ast.FuncDecl)
		if !is {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			recv := fn.Recv.List[0].Type
			if p, isPointer := recv.(*ast.StarExpr); isPointer {
				recv = p.X
			}
			if id, isIdent := recv.(*ast.Ident); isIdent {
				name = id.Name + "." + name
			}
		}
		all[name] = true
	}
	return all
}
