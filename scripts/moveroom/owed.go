package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"sort"
	"strings"
)

// allowed is which room may import which, of those that are not packages yet.
var allowed = map[string]string{
	"documents": "", "exports": "documents", "imports": "documents", "lifecycle": "documents imports exports",
	"core": "exports imports documents lifecycle",
}

// owed prints the references between files of core that run against the walls of the
// packages that rooms.txt assigns them to, and the methods that are not where their type is.
func owed(root, roomsFile string) {
	mapText, _ := os.ReadFile(roomsFile)
	room := map[string]string{}
	for _, line := range strings.Split(string(mapText), "\n") {
		r, names, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		for _, n := range strings.Fields(names) {
			room[n] = strings.TrimSpace(r)
		}
	}
	l := load(root, "keepsake/backend/core")
	pkg, info := l.pkg, l.info
	var files []*ast.File
	lines := map[string]int{}
	for _, f := range l.files {
		name := l.base(f.Pos())
		if strings.HasSuffix(name, "_test") {
			continue
		}
		files = append(files, f)
		if room[name] == "" {
			fmt.Println("NO ROOM", name)
		}
		lines[room[name]] += strings.Count(l.src[l.file(f.Pos())], "\n")
	}
	fileOf := l.base
	roomOf := func(p token.Pos) string { return room[fileOf(p)] }
	ok := func(a, b string) bool {
		if a == b {
			return true
		}
		for _, x := range strings.Fields(allowed[a]) {
			if x == b {
				return true
			}
		}
		return false
	}
	fmt.Println(lines)
	// foreign methods
	foreign := map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			fd, is := d.(*ast.FuncDecl)
			if !is || fd.Recv == nil {
				continue
			}
			fn := info.Defs[fd.Name].(*types.Func)
			t := fn.Type().(*types.Signature).Recv().Type()
			if p, is := t.(*types.Pointer); is {
				t = p.Elem()
			}
			n := t.(*types.Named).Obj()
			if n.Name() == "Service" {
				continue
			}
			if a, b := roomOf(fd.Pos()), roomOf(n.Pos()); a != b {
				k := a + " has methods of " + b + "." + n.Name()
				foreign[k] = append(foreign[k], fileOf(fd.Pos())+"."+fd.Name.Name)
			}
		}
	}
	// uses
	up := map[string]map[string]int{}
	total, down := 0, 0
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || strings.HasSuffix(fileOf(id.Pos()), "_test") {
			continue
		}
		if fn, is := obj.(*types.Func); is {
			obj = fn.Origin()
			_ = fn
		}
		if v, is := obj.(*types.Var); is {
			obj = v.Origin()
		}
		switch o := obj.(type) {
		case *types.Var:
			if !o.IsField() && o.Parent() != pkg.Scope() {
				continue
			}
		case *types.Const:
			if o.Parent() != pkg.Scope() {
				continue
			}
		case *types.TypeName:
			if o.Parent() != pkg.Scope() {
				continue
			}
		case *types.Label:
			continue
		}
		a, b := roomOf(id.Pos()), roomOf(obj.Pos())
		if a == b {
			continue
		}
		total++
		if ok(a, b) {
			down++
			continue
		}
		// Service methods and name: receiver
		name := obj.Name()
		if fn, is := obj.(*types.Func); is {
			if r := fn.Type().(*types.Signature).Recv(); r != nil {
				t := r.Type()
				if p, is := t.(*types.Pointer); is {
					t = p.Elem()
				}
				if n, is := t.(*types.Named); is {
					name = n.Obj().Name() + "." + name
				}
			}
		}
		if name == "Service" {
			continue
		}
		k := a + " -> " + b
		if up[k] == nil {
			up[k] = map[string]int{}
		}
		up[k][fileOf(id.Pos())+" -> "+fileOf(obj.Pos())+"."+name]++
	}
	fmt.Println("cross", total, "down", down)
	print := func(m map[string]map[string]int) {
		var ks []string
		for k := range m {
			ks = append(ks, k)
		}
		sort.Strings(ks)
		for _, k := range ks {
			n := 0
			var l []string
			for x, c := range m[k] {
				n += c
				l = append(l, fmt.Sprintf("    %s (%d)", x, c))
			}
			sort.Strings(l)
			fmt.Println(k, n, "uses of", len(l), "pairs")
			fmt.Println(strings.Join(l, "\n"))
		}
	}
	print(up)
	var ks []string
	for k := range foreign {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		fmt.Println(k, len(foreign[k]), strings.Join(foreign[k], " "))
	}
}
