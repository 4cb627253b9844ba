package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
)

// extract ROOM [-dry] files... -- Old=New ...
func extract(l *loaded, root string, args []string) {
	room, args := args[0], args[1:]
	dry := false
	var files []string
	special := map[string]string{}
	for _, a := range args {
		switch {
		case a == "-dry":
			dry = true
		case strings.Contains(a, "="):
			o, n, _ := strings.Cut(a, "=")
			special[o] = n
		default:
			files = append(files, strings.TrimSuffix(a, ".go"))
		}
	}
	isMovedFile := map[string]bool{}
	for _, f := range files {
		isMovedFile[f] = true
	}
	moved := func(p token.Pos) bool { return isMovedFile[l.base(p)] }
	// owner of fields, for special names and messages
	owner := map[types.Object]string{}
	embedded := map[types.Object]*types.TypeName{}
	for _, n := range l.pkg.Scope().Names() {
		tn, ok := l.pkg.Scope().Lookup(n).(*types.TypeName)
		if !ok {
			continue
		}
		var visit func(t types.Type)
		visit = func(t types.Type) {
			switch t := t.(type) {
			case *types.Struct:
				for i := range t.NumFields() {
					f := t.Field(i)
					if owner[f] == "" {
						owner[f] = n
					}
					if f.Embedded() {
						ft := f.Type()
						if p, ok := ft.(*types.Pointer); ok {
							ft = p.Elem()
						}
						if nt, ok := ft.(*types.Named); ok {
							embedded[f] = nt.Origin().Obj()
						}
					}
					visit(f.Type())
				}
			case *types.Pointer:
				visit(t.Elem())
			case *types.Slice:
				visit(t.Elem())
			case *types.Map:
				visit(t.Elem())
			}
		}
		visit(tn.Type().Underlying())
	}
	isPkgLevel := func(o types.Object) bool { return o.Parent() == l.pkg.Scope() }
	isMember := func(o types.Object) bool {
		switch o := o.(type) {
		case *types.Var:
			return o.IsField()
		case *types.Func:
			return o.Type().(*types.Signature).Recv() != nil
		}
		return false
	}
	key := func(o types.Object) string {
		if fn, ok := o.(*types.Func); ok {
			if r := recvName(fn); r != "" {
				return r + "." + o.Name()
			}
		}
		if owner[o] != "" {
			return owner[o] + "." + o.Name()
		}
		return o.Name()
	}
	objs := map[types.Object]string{}
	bad := 0
	// what the rest uses of it
	for id, o := range l.info.Uses {
		o = origin(o)
		if o.Pkg() != l.pkg || !(isPkgLevel(o) || isMember(o)) {
			continue
		}
		if moved(id.Pos()) {
			if !moved(o.Pos()) {
				fmt.Println("UPWARD", l.fset.Position(id.Pos()), key(o))
				bad++
			}
			continue
		}
		if moved(o.Pos()) && !ast.IsExported(o.Name()) {
			objs[o] = ""
		}
	}
	for f, tn := range embedded { // an embedded field has its type's name
		if _, ok := objs[tn]; ok {
			objs[f] = ""
		}
	}
	var keys []string
	for o := range objs {
		if embedded[o] != nil {
			continue
		}
		name := special[key(o)]
		if name == "" {
			name = special[o.Name()]
		}
		if name == "" {
			r := []rune(o.Name())
			r[0] = unicode.ToUpper(r[0])
			name = string(r)
			for a, b := range map[string]string{"Id": "ID", "Utf8": "UTF8"} {
				if name == a {
					name = b
				}
			}
		}
		objs[o] = name
		keys = append(keys, key(o)+" -> "+name)
	}
	for o := range objs {
		if tn := embedded[o]; tn != nil {
			objs[o] = objs[tn]
		}
	}
	sort.Strings(keys)
	fmt.Println(len(keys), "names become exported")
	if dry {
		fmt.Println(strings.Join(keys, "\n"))
	}
	// methods elsewhere
	for _, f := range l.files {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv == nil {
				continue
			}
			n := l.pkg.Scope().Lookup(recvName(l.info.Defs[fd.Name].(*types.Func)))
			if n != nil && moved(n.Pos()) != moved(fd.Pos()) {
				fmt.Println("METHOD APART", l.fset.Position(fd.Pos()))
				bad++
			}
		}
	}
	// struct literals without keys elsewhere, json
	for _, f := range l.files {
		if moved(f.Pos()) {
			ast.Inspect(f, func(n ast.Node) bool {
				st, ok := n.(*ast.StructType)
				if !ok {
					return true
				}
				tags := false
				for _, fl := range st.Fields.List {
					tags = tags || fl.Tag != nil && strings.Contains(fl.Tag.Value, "json:")
				}
				for _, fl := range st.Fields.List {
					for _, n := range fl.Names {
						if _, ok := objs[l.info.Defs[n]]; ok && fl.Tag == nil && tags {
							fmt.Println("JSON", l.fset.Position(n.Pos()), n.Name)
						}
					}
				}
				return true
			})
		}
	}
	// shadowing of the room's name
	prefix := map[token.Pos]bool{}
	needs := map[string]bool{}
	for id, o := range l.info.Uses {
		o = origin(o)
		if o.Pkg() != l.pkg || !isPkgLevel(o) || !moved(o.Pos()) || moved(id.Pos()) {
			continue
		}
		if sel, ok := l.parents[id].(*ast.SelectorExpr); ok && sel.Sel == id {
			continue
		}
		prefix[id.Pos()] = true
		needs[l.file(id.Pos())] = true
		var f *ast.File
		for _, x := range l.files {
			if l.file(x.Pos()) == l.file(id.Pos()) {
				f = x
			}
		}
		sc := l.info.Scopes[f].Innermost(id.Pos())
		if sc == nil {
			continue
		}
		if _, other := sc.LookupParent(room, id.Pos()); other != nil {
			if _, ok := objs[other]; ok && other.Parent() == l.pkg.Scope() {
				continue // it is renamed itself
			}
			if _, ok := other.(*types.PkgName); ok {
				delete(needs, l.file(id.Pos())) // imported before
				continue
			}
			fmt.Println("SHADOWED", l.fset.Position(id.Pos()), l.fset.Position(other.Pos()))
			bad++
		}
	}
	if bad > 0 || dry {
		fmt.Println(bad, "to be settled first")
		os.Exit(1)
	}
	// the edits
	applyRenames(l, objs)
	for f, es := range l.edits {
		for i, e := range es {
			for p := range prefix {
				if l.file(p) == f && l.off(p) == e.from {
					es[i].text = room + "." + e.text
					delete(prefix, p)
				}
			}
		}
	}
	for p := range prefix { // exported before
		l.replace(p, p, room+".")
	}
	dir := filepath.Dir(l.file(l.files[0].Pos()))
	imp := "keepsake/backend/core/" + room
	for _, f := range l.files {
		name := l.file(f.Pos())
		if moved(f.Pos()) {
			l.replace(f.Name.Pos(), f.Name.End(), room)
		} else if needs[name] {
			at := f.Name.End()
			l.replace(at, at, "\n\nimport \""+imp+"\"\n")
		}
	}
	touched := l.write()
	os.MkdirAll(filepath.Join(dir, room), 0o755)
	gi := os.ExpandEnv("$HOME/go/bin/goimports")
	var now []string
	for _, f := range touched {
		if isMovedFile[strings.TrimSuffix(filepath.Base(f), ".go")] {
			to := filepath.Join(dir, room, filepath.Base(f))
			if err := exec.Command("git", "-C", dir, "mv", f, to).Run(); err != nil {
				os.Rename(f, to)
			}
			now = append(now, to)
		} else {
			mergeImport(f)
			now = append(now, f)
		}
	}
	cmd := exec.Command(gi, append([]string{"-local", "keepsake", "-w"}, now...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Run()
}

// mergeImport puts the lone import of before into the block that follows.
func mergeImport(path string) {
	text, _ := os.ReadFile(path)
	s := string(text)
	i := strings.Index(s, "\n\nimport \"keepsake/")
	if i < 0 {
		return
	}
	j := i + 2 + strings.IndexByte(s[i+2:], '\n')
	line := strings.TrimPrefix(s[i+2:j], "import ")
	rest := s[j+1:]
	if k := strings.Index(rest, "import ("); k >= 0 && k < 400 && !strings.Contains(rest[:k], "func ") {
		end := k + strings.Index(rest[k:], "\n)")
		rest = rest[:end] + "\n\t" + line + rest[end:]
		os.WriteFile(path, []byte(s[:i]+rest), 0o644)
	}
}
