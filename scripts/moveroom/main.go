// Moveroom moves code between files and packages by its types, while backend/core becomes
// several packages. It goes when they are there.
//
//	go run ./scripts/moveroom ROOT owed ROOMS.txt            what keeps rooms from being packages
//	go run ./scripts/moveroom ROOT decl FILE.go NAME...      declarations to a file of the package
//	go run ./scripts/moveroom ROOT fn RECV.METHOD=FUNC...    methods become functions
//	go run ./scripts/moveroom ROOT rename OLD=NEW...         names of a package, RECV.MEMBER among them
//	go run ./scripts/moveroom ROOT unembed TYPE.FIELD=NAME   an embedded field gets a name
//	go run ./scripts/moveroom ROOT keyed                     literals of other packages name their fields
//	go run ./scripts/moveroom ROOT extract ROOM [-dry] FILE... OLD=NEW...   files become a package
//
// ROOT is the folder of the module. PKG names another package than backend/core. It needs
// goimports in ~/go/bin.
package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root, verb, args := os.Args[1], os.Args[2], os.Args[3:]
	pkg := "keepsake/backend/core"
	if p := os.Getenv("PKG"); p != "" {
		pkg = p
	}
	switch verb {
	case "owed":
		owed(root, args[0])
		return
	case "decl":
		moveDecls(filepath.Join(root, strings.TrimPrefix(pkg, "keepsake/")), args[0], args[1:])
		return
	}
	l := load(root, pkg)
	switch verb {
	case "fn":
		toFuncs(l, args)
	case "keyed":
		keyed(l)
	case "unembed":
		unembed(l, args)
	case "rename":
		rename(l, args)
	case "extract":
		extract(l, root, args)
		return
	}
	l.write()
}

// pairs reads OLD=NEW.
func pairs(args []string) map[string]string {
	want := map[string]string{}
	for _, a := range args {
		old, name, _ := strings.Cut(a, "=")
		want[old] = name
	}
	return want
}

func toFuncs(l *loaded, args []string) {
	want := pairs(args)
	done := map[string]int{}
	isWanted := func(o types.Object) string {
		fn, ok := o.(*types.Func)
		if !ok || fn.Pkg() != l.pkg {
			return ""
		}
		return want[recvName(fn)+"."+fn.Name()]
	}
	for _, f := range l.files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv == nil {
				continue
			}
			name := isWanted(l.info.Defs[fd.Name])
			if name == "" {
				continue
			}
			done[fd.Name.Name]++
			rf := fd.Recv.List[0]
			rname := "_"
			if len(rf.Names) > 0 {
				rname = rf.Names[0].Name
			}
			sep := ", "
			if len(fd.Type.Params.List) == 0 {
				sep = ""
			}
			l.replace(fd.Recv.Pos(), fd.Type.Params.Opening+1, name+"("+rname+" "+l.text(rf.Type)+sep)
			if fd.Doc != nil { // the doc names what it is of
				c := fd.Doc.List[0]
				if strings.HasPrefix(c.Text, "// "+fd.Name.Name+" ") && name != fd.Name.Name {
					l.replace(c.Pos(), c.Pos()+3+0+toks(fd.Name.Name), "// "+name)
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name := isWanted(l.info.Uses[sel.Sel])
			if name == "" {
				return true
			}
			call, ok := l.parents[sel].(*ast.CallExpr)
			if !ok || call.Fun != sel {
				if _, isType := l.info.Types[sel.X]; isType && l.info.Types[sel.X].IsType() { // method expression
					l.replace(sel.Pos(), sel.End(), name)
					return true
				}
				fmt.Println("NOT A CALL", l.fset.Position(sel.Pos()))
				return true
			}
			s := l.info.Selections[sel]
			path := ""
			t := l.info.Types[sel.X].Type
			for _, i := range s.Index()[:len(s.Index())-1] { // the embedded fields on the way
				if p, ok := t.Underlying().(*types.Pointer); ok {
					t = p.Elem()
				}
				field := t.Underlying().(*types.Struct).Field(i)
				path += "." + field.Name()
				t = field.Type()
			}
			// X.m( -> name(X, ; keep X's own edits by inserting around it
			amp := ""
			fn := l.info.Uses[sel.Sel].(*types.Func)
			_, wantsPtr := fn.Type().(*types.Signature).Recv().Type().(*types.Pointer)
			_, isPtr := t.(*types.Pointer)
			if wantsPtr && !isPtr {
				amp = "&"
			}
			if !wantsPtr && isPtr {
				amp = "*"
			}
			l.replace(sel.Pos(), sel.Pos(), name+"("+amp)
			sep := ", "
			if len(call.Args) == 0 {
				sep = ""
			}
			l.replace(sel.X.End(), call.Lparen+1, path+sep)
			return true
		})
	}
	for old := range want {
		_, m, _ := strings.Cut(old, ".")
		if done[m] == 0 {
			fmt.Println("NOT FOUND", old)
		}
	}
}

// unembed TYPE.FIELD=NAME gives an embedded field a name: what was promoted through it is
// asked of it.
func unembed(l *loaded, args []string) {
	old, name, _ := strings.Cut(args[0], "=")
	typ, field, _ := strings.Cut(old, ".")
	st := l.pkg.Scope().Lookup(typ).Type().Underlying().(*types.Struct)
	var target *types.Var
	for i := range st.NumFields() {
		if f := st.Field(i); f.Name() == field && f.Embedded() {
			target = f
		}
	}
	if target == nil {
		fmt.Println("NOT FOUND", old)
		os.Exit(1)
	}
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				s := l.info.Selections[n]
				if s == nil {
					return true
				}
				if l.info.Uses[n.Sel] == types.Object(target) {
					l.replace(n.Sel.Pos(), n.Sel.End(), name)
					return true
				}
				t := l.info.Types[n.X].Type
				for _, i := range s.Index()[:len(s.Index())-1] {
					if p, ok := t.Underlying().(*types.Pointer); ok {
						t = p.Elem()
					}
					fd := t.Underlying().(*types.Struct).Field(i)
					if fd == target {
						l.replace(n.X.End(), n.X.End(), "."+name)
					}
					t = fd.Type()
				}
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && l.info.Uses[id] == types.Object(target) {
					l.replace(id.Pos(), id.End(), name)
				}
			case *ast.StructType:
				for _, fl := range n.Fields.List {
					if len(fl.Names) == 0 && fl.Type.End() >= target.Pos() && fl.Type.Pos() <= target.Pos() {
						l.replace(fl.Type.Pos(), fl.Type.Pos(), name+" ")
					}
				}
			}
			return true
		})
	}
}

// keyed names the fields in literals of other packages' structs.
func keyed(l *loaded) {
	for _, f := range l.files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || len(lit.Elts) == 0 {
				return true
			}
			t := l.info.Types[lit].Type
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			named, ok := types.Unalias(t).(*types.Named)
			if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() == l.pkg || !strings.HasPrefix(named.Obj().Pkg().Path(), "keepsake/backend/core/") {
				return true
			}
			st, ok := named.Underlying().(*types.Struct)
			if _, is := lit.Elts[0].(*ast.KeyValueExpr); !ok || is {
				return true
			}
			for i, e := range lit.Elts {
				l.replace(e.Pos(), e.Pos(), st.Field(i).Name()+": ")
			}
			return true
		})
	}
}
