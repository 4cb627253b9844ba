package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

type listed struct {
	ImportPath, Dir, Export, ForTest             string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
}

type edit struct {
	from, to int
	text     string
}

type loaded struct {
	fset    *token.FileSet
	files   []*ast.File
	info    *types.Info
	pkg     *types.Package
	src     map[string]string
	edits   map[string][]edit
	parents map[ast.Node]ast.Node
}

func goList(root string, args ...string) (all []listed) {
	cmd := exec.Command("go", append([]string{"list", "-pgo=off", "-json=ImportPath,Dir,Export,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		panic(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		all = append(all, p)
	}
}

// load checks a package with its internal tests.
func load(root, path string) *loaded {
	exports := map[string]string{}
	for _, p := range goList(root, "-deps", "-test", "-export", "-tags=headless", path) {
		if p.ForTest == "" && !strings.Contains(p.ImportPath, " [") {
			exports[p.ImportPath] = p.Export
		}
	}
	core := goList(root, "-tags=headless", path)[0]
	l := &loaded{fset: token.NewFileSet(), src: map[string]string{}, edits: map[string][]edit{}, parents: map[ast.Node]ast.Node{}}
	for _, n := range append(append([]string{}, core.GoFiles...), core.TestGoFiles...) {
		p := filepath.Join(core.Dir, n)
		text, _ := os.ReadFile(p)
		f, err := parser.ParseFile(l.fset, p, text, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		l.src[p] = string(text)
		l.files = append(l.files, f)
	}
	l.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(l.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	}), Error: func(err error) { fmt.Println("type error:", err) }}
	l.pkg, _ = conf.Check(path, l.fset, l.files, l.info)
	for _, f := range l.files {
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				l.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			return true
		})
	}
	return l
}

func (l *loaded) off(p token.Pos) int     { return l.fset.Position(p).Offset }
func (l *loaded) file(p token.Pos) string { return l.fset.Position(p).Filename }
func (l *loaded) base(p token.Pos) string {
	return strings.TrimSuffix(filepath.Base(l.file(p)), ".go")
}
func (l *loaded) replace(from, to token.Pos, text string) {
	f := l.file(from)
	l.edits[f] = append(l.edits[f], edit{l.off(from), l.off(to), text})
}
func (l *loaded) text(n ast.Node) string {
	return l.src[l.file(n.Pos())][l.off(n.Pos()):l.off(n.End())]
}

// write applies the edits; nested ones must not overlap.
func (l *loaded) write() (touched []string) {
	for f, es := range l.edits {
		sort.SliceStable(es, func(i, j int) bool { return es[i].from < es[j].from })
		var b strings.Builder
		at := 0
		for _, e := range es {
			if e.from < at {
				fmt.Println("OVERLAP", f, e)
				os.Exit(1)
			}
			b.WriteString(l.src[f][at:e.from])
			b.WriteString(e.text)
			at = e.to
		}
		b.WriteString(l.src[f][at:])
		os.WriteFile(f, []byte(b.String()), 0o644)
		touched = append(touched, f)
	}
	return touched
}

func recvName(fn *types.Func) string {
	r := fn.Type().(*types.Signature).Recv()
	if r == nil {
		return ""
	}
	t := r.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
