package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// cut is a range of a source, in bytes.
type cut struct {
	from, to int
	text     string
}

// moveDecls moves declarations (Name or Recv.Name) of the package in a folder to a file of
// it, with their comments. A file that is left empty goes.
func moveDecls(dir, dest string, names []string) {
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	cuts := map[string][]cut{}
	srcs := map[string]string{}
	moved := map[string]string{}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") && !strings.HasSuffix(dest, "_test.go") || filepath.Base(p) == dest {
			continue
		}
		text, _ := os.ReadFile(p)
		src := string(text)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, text, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		off := func(pos token.Pos) int { return fset.Position(pos).Offset }
		lineEnd := func(o int) int {
			if i := strings.IndexByte(src[o:], '\n'); i >= 0 {
				return o + i + 1
			}
			return len(src)
		}
		lineStart := func(o int) int { return strings.LastIndexByte(src[:o], '\n') + 1 }
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				n := d.Name.Name
				if d.Recv != nil {
					t := d.Recv.List[0].Type
					if s, ok := t.(*ast.StarExpr); ok {
						t = s.X
					}
					if x, ok := t.(*ast.IndexExpr); ok {
						t = x.X
					}
					if x, ok := t.(*ast.IndexListExpr); ok {
						t = x.X
					}
					n = t.(*ast.Ident).Name + "." + n
				}
				if !want[n] {
					continue
				}
				from := d.Pos()
				if d.Doc != nil {
					from = d.Doc.Pos()
				}
				a, b := off(from), lineEnd(off(d.End()))
				cuts[p] = append(cuts[p], cut{a, b, src[a:b]})
				moved[n] = p
			case *ast.GenDecl:
				for _, sp := range d.Specs {
					n := ""
					var doc *ast.CommentGroup
					switch sp := sp.(type) {
					case *ast.TypeSpec:
						n, doc = sp.Name.Name, sp.Doc
					case *ast.ValueSpec:
						n, doc = sp.Names[0].Name, sp.Doc
					}
					whole := d.Lparen == token.NoPos || func() bool {
						for _, o := range d.Specs {
							m := ""
							switch o := o.(type) {
							case *ast.TypeSpec:
								m = o.Name.Name
							case *ast.ValueSpec:
								m = o.Names[0].Name
							}
							if !want[m] {
								return false
							}
						}
						return true
					}()
					if !want[n] || moved[n] != "" {
						continue
					}
					if whole {
						from := d.Pos()
						if d.Doc != nil {
							from = d.Doc.Pos()
						}
						a, b := off(from), lineEnd(off(d.End()))
						cuts[p] = append(cuts[p], cut{a, b, src[a:b]})
						for _, o := range d.Specs {
							switch o := o.(type) {
							case *ast.TypeSpec:
								moved[o.Name.Name] = p
							case *ast.ValueSpec:
								moved[o.Names[0].Name] = p
							}
						}
						continue
					}
					from := sp.Pos()
					if doc != nil {
						from = doc.Pos()
					}
					a, b := lineStart(off(from)), lineEnd(off(sp.End()))
					docText := ""
					if doc != nil {
						docText = strings.TrimRight(src[off(doc.Pos()):off(sp.Pos())], " \t\n") + "\n"
					}
					cuts[p] = append(cuts[p], cut{a, b, docText + d.Tok.String() + " " + src[off(sp.Pos()):b]})
					moved[n] = p
				}
			}
		}
		srcs[p] = src
	}
	for n := range want {
		if moved[n] == "" {
			fmt.Println("NOT FOUND", n)
			os.Exit(1)
		}
	}
	var out strings.Builder
	target := filepath.Join(dir, dest)
	old, err := os.ReadFile(target)
	abs, _ := filepath.Abs(dir)
	pkg := filepath.Base(abs)
	if err != nil {
		out.WriteString("package " + pkg + "\n")
	} else {
		out.Write(old)
	}
	touched := []string{target}
	for p, cs := range cuts {
		sort.Slice(cs, func(i, j int) bool { return cs[i].from < cs[j].from })
		src := srcs[p]
		var left strings.Builder
		at := 0
		for _, c := range cs {
			left.WriteString(src[at:c.from])
			at = c.to
			out.WriteString("\n" + c.text)
		}
		left.WriteString(src[at:])
		os.WriteFile(p, []byte(left.String()), 0o644)
		touched = append(touched, p)
	}
	os.WriteFile(target, []byte(out.String()), 0o644)
	cmd := exec.Command(os.ExpandEnv("$HOME/go/bin/goimports"), append([]string{"-local", "keepsake", "-w"}, touched...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(1)
	}
	for _, p := range touched { // nothing left but the package clause
		text, _ := os.ReadFile(p)
		fset := token.NewFileSet()
		f, _ := parser.ParseFile(fset, p, text, parser.ParseComments)
		if f != nil && len(f.Decls) == 0 && len(f.Comments) == 0 {
			os.Remove(p)
			fmt.Println("removed", p)
		}
	}
}
