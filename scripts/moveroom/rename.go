package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func toks(s string) token.Pos { return token.Pos(len(s)) }

func rename(l *loaded, args []string) {
	want := pairs(args)
	objs := map[types.Object]string{}
	for old, name := range want {
		recv, m, is := strings.Cut(old, ".")
		o := l.pkg.Scope().Lookup(recv)
		if o == nil {
			fmt.Println("NOT FOUND", old)
			continue
		}
		if is {
			x, _, _ := types.LookupFieldOrMethod(types.NewPointer(o.Type()), true, l.pkg, m)
			if x == nil {
				fmt.Println("NOT FOUND", old)
				continue
			}
			o = x
		}
		objs[o] = name
	}
	applyRenames(l, objs)
}

func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return o
}

// applyRenames renames at declarations, uses, and the first word of doc comments.
func applyRenames(l *loaded, objs map[types.Object]string) {
	seen := map[token.Pos]bool{}
	do := func(id *ast.Ident, o types.Object) {
		name, ok := objs[origin(o)]
		if !ok || seen[id.Pos()] {
			return
		}
		seen[id.Pos()] = true
		l.replace(id.Pos(), id.End(), name)
	}
	for id, o := range l.info.Defs {
		if o != nil {
			do(id, o)
		}
	}
	for id, o := range l.info.Uses {
		do(id, o)
	}
	// embedded fields: the field object is named after the type; uses of the field follow the type
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			var doc *ast.CommentGroup
			var names []*ast.Ident
			switch n := n.(type) {
			case *ast.FuncDecl:
				doc, names = n.Doc, []*ast.Ident{n.Name}
			case *ast.GenDecl:
				if len(n.Specs) == 1 {
					doc = n.Doc
					switch s := n.Specs[0].(type) {
					case *ast.TypeSpec:
						names = []*ast.Ident{s.Name}
					case *ast.ValueSpec:
						names = s.Names
					}
				}
			case *ast.TypeSpec:
				doc, names = n.Doc, []*ast.Ident{n.Name}
			case *ast.ValueSpec:
				doc, names = n.Doc, n.Names
			case *ast.Field:
				doc, names = n.Doc, n.Names
			}
			if doc == nil || len(names) == 0 {
				return true
			}
			if name, ok := objs[l.info.Defs[names[0]]]; ok {
				c := doc.List[0]
				if strings.HasPrefix(c.Text, "// "+names[0].Name+" ") {
					p := c.Pos() + 3
					l.replace(p, p+toks(names[0].Name), name)
				}
			}
			return true
		})
	}
}
