// Structure measures how the Go code hangs together and holds it to limits, for
// docs/architecture.md: lines of each package, the largest knot of files in it, names
// that the glossary replaces, where a dry run is asked for, subjects of commits.
//
//	go run ./scripts/structure
//
// It exits 1 where a limit is passed.
package main

import (
	"encoding/json"
	"errors"
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
	"regexp"
	"slices"
	"strings"
)

// Limits. Those of today's code are named as such; they only fall.
const (
	mostLines     = 7_500  // of a package of core
	mostOfCore    = 4_500  // lines of core itself
	mostElsewhere = 10_300 // of any other package; today's
	mostTied      = 25     // files in a knot of a package of core
	mostTiedOfPAM = 7      // the same of format/pam, whose files are in four layers
	mostDryRuns   = 0      // places that ask whether this is a dry run: the unit of work has two bodies
	mostOldNames  = 0      // files and identifiers that the glossary has another word for
	longestHeader = 72     // characters of a commit's subject
)

// core is where names, knots and dry runs are looked at.
const (
	core = "keepsake/backend/core"
	pam  = "keepsake/backend/format/pam"
)

// oldNames are words of before that the glossary replaces. edit is a feature as well, and
// stream, scan, pass and table are standard terms for what they name.
var oldNames = []string{
	"recent", "sketch", "keeper", "ahead", "early", "waiting", "gist", "spell", "wish", "rowtext", "witness", "many", "care", "stands", "tongue", "tongues",
	"tally", "seen", "mend", "beside", "armour", "parcel", "cargo", "paper", "holders", "follow", "side", "lighten", "judge", "sound", "lookthrough", "naming", "sure",
}

// listed is a package as the go command describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	Standard                bool
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	all, err := list()
	if err != nil {
		return err
	}
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	var over []error
	limit := func(what string, n, most int) {
		if n > most {
			over = append(over, fmt.Errorf("%s: %d, at most %d", what, n, most))
		}
	}
	fmt.Fprintln(out, "lines  files  largest knot  package")
	dryRuns, writes, old := 0, []string{}, []string{}
	for _, p := range all {
		if !strings.HasPrefix(p.ImportPath, "keepsake/") {
			continue
		}
		checked, err := check(p, exports)
		if err != nil {
			return err
		}
		knot := checked.largestKnot()
		fmt.Fprintf(out, "%5d  %5d  %12d  %s\n", checked.lines, len(checked.files), knot, p.ImportPath)
		limit("lines of "+p.ImportPath, checked.lines, linesOf(p.ImportPath))
		if p.ImportPath == pam {
			limit("files in one knot of "+pam, knot, mostTiedOfPAM)
		}
		if isOfCore(p.ImportPath) {
			limit("files in one knot of "+p.ImportPath, knot, mostTied)
			dryRuns += checked.comparisons("dryRun", "DryRun")
			if p.ImportPath != core+"/library" && p.ImportPath != core+"/rows" { // rows are derived, and made anew
				writes = append(writes, checked.writes()...)
			}
			old = append(old, checked.named(oldNames)...)
		}
	}
	slices.Sort(old)
	fmt.Fprintf(out, "%d places ask whether this is a dry run\n%d names of before: %s\n", dryRuns, len(old), strings.Join(old, " "))
	limit("places that ask whether this is a dry run", dryRuns, mostDryRuns)
	fmt.Fprintf(out, "%d writes through vault.Tx outside of the library: %s\n", len(writes), strings.Join(writes, " "))
	limit("writes through vault.Tx outside of the library", len(writes), 0)
	limit("names of before", len(old), mostOldNames)
	long, err := longSubjects()
	if err != nil {
		return err
	}
	for _, subject := range long {
		fmt.Fprintln(out, "longer than a subject may be:", subject)
	}
	limit("subjects of commits that are too long", len(long), 0)
	return errors.Join(over...)
}

func isOfCore(path string) bool { return path == core || strings.HasPrefix(path, core+"/") }

// linesOf is how many lines a package may have.
func linesOf(path string) int {
	switch {
	case path == core:
		return mostOfCore
	case isOfCore(path):
		return mostLines
	}
	return mostElsewhere
}

// list is every package of ours and all that they import, compiled.
func list() (all []listed, err error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-pgo=off", "-tags=headless", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,Standard", "./backend/...", "./app/...")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listed
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("list packages: %w", err)
		}
		all = append(all, p)
	}
}

// sources is one package with its types. Tests and generated files are not part of it.
type sources struct {
	fset  *token.FileSet
	files []*ast.File
	lines int
	info  *types.Info
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func check(p listed, exports map[string]string) (*sources, error) {
	s := &sources{fset: token.NewFileSet(), info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	var all []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		all = append(all, file)
		if !generated.Match(text) {
			s.files = append(s.files, file)
			s.lines += strings.Count(string(text), "\n")
		}
	}
	compiled := importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	conf := types.Config{Importer: compiled, FakeImportC: true}
	if _, err := conf.Check(p.ImportPath, s.fset, all, s.info); err != nil {
		return nil, fmt.Errorf("check %s: %w", p.ImportPath, err)
	}
	return s, nil
}

// largestKnot is how many files each lead to each other by the identifiers that they use
// of one another: the largest strongly connected component. No file, or none that leads
// back, is 1.
func (s *sources) largestKnot() int {
	declared := map[types.Object]string{}
	for _, file := range s.files {
		name := s.fset.File(file.Pos()).Name()
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && s.info.Defs[id] != nil {
				declared[s.info.Defs[id]] = name
			}
			return true
		})
	}
	uses := map[string]map[string]bool{}
	for id, object := range s.info.Uses {
		from, to := s.fset.File(id.Pos()).Name(), declared[origin(object)]
		if to == "" || from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	return max(1, largestComponent(uses))
}

// origin is the generic object that an instance was made of.
func origin(object types.Object) types.Object {
	switch o := object.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return object
}

// largestComponent is Tarjan's algorithm.
func largestComponent(uses map[string]map[string]bool) (largest int) {
	index, low := map[string]int{}, map[string]int{}
	onStack := map[string]bool{}
	var stack []string
	var visit func(name string)
	visit = func(name string) {
		index[name] = len(index) + 1
		low[name] = index[name]
		stack, onStack[name] = append(stack, name), true
		for next := range uses[name] {
			if index[next] == 0 {
				visit(next)
				low[name] = min(low[name], low[next])
			} else if onStack[next] {
				low[name] = min(low[name], index[next])
			}
		}
		if low[name] != index[name] {
			return
		}
		from := slices.Index(stack, name)
		for _, other := range stack[from:] {
			onStack[other] = false
		}
		largest = max(largest, len(stack)-from)
		stack = stack[:from]
	}
	for name := range uses {
		if index[name] == 0 {
			visit(name)
		}
	}
	return largest
}

// comparisons counts where a field of one of these names is compared with nil.
func (s *sources) comparisons(fields ...string) (n int) {
	for _, file := range s.files {
		ast.Inspect(file, func(node ast.Node) bool {
			c, ok := node.(*ast.BinaryExpr)
			if !ok || c.Op != token.EQL && c.Op != token.NEQ {
				return true
			}
			selector, isField := c.X.(*ast.SelectorExpr)
			null, isNil := c.Y.(*ast.Ident)
			if isField && isNil && slices.Contains(fields, selector.Sel.Name) && null.Name == "nil" {
				n++
			}
			return true
		})
	}
	return n
}

// vaultWrites are the methods of vault.Tx and of vault.Vault that change the vault's records.
var vaultWrites = []string{
	"Tx.Audit", "Tx.PutConversation", "Tx.TakeConversation", "Tx.DeleteConversation", "Tx.Forgetting", "Tx.PutKept", "Tx.Put", "Tx.Delete", "Tx.Link",
	"Tx.Unlink", "Tx.PutRow", "Tx.Direct", "Vault.Update",
}

// writes are the places that write through a transaction of the vault.
func (s *sources) writes() (places []string) {
	for id, object := range s.info.Uses {
		fn, isFunc := object.(*types.Func)
		if !isFunc || fn.Pkg() == nil || fn.Pkg().Path() != "keepsake/backend/vault" {
			continue
		}
		recv := fn.Signature().Recv()
		if recv == nil {
			continue
		}
		t := recv.Type()
		if p, isPointer := t.(*types.Pointer); isPointer {
			t = p.Elem()
		}
		if named, isNamed := t.(*types.Named); isNamed && slices.Contains(vaultWrites, named.Obj().Name()+"."+fn.Name()) {
			at := s.fset.Position(id.Pos())
			places = append(places, fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line))
		}
	}
	slices.Sort(places)
	return places
}

// named are the files and the identifiers of the package that are called one of these
// words.
func (s *sources) named(words []string) (found []string) {
	is := func(name string) bool { return slices.Contains(words, strings.ToLower(name)) }
	for _, file := range s.files {
		base := strings.TrimSuffix(filepath.Base(s.fset.File(file.Pos()).Name()), ".go")
		if bare, _, _ := strings.Cut(base, "_"); is(bare) {
			found = append(found, base+".go")
		}
		for _, d := range file.Decls {
			for _, name := range declares(d) {
				if is(name) {
					found = append(found, name)
				}
			}
		}
	}
	return found
}

// declares are the names that a declaration gives to the package.
func declares(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// longSubjects are the subjects of commits, since this script came, that are too long.
func longSubjects() (long []string, err error) {
	git := func(args ...string) (string, error) {
		text, err := exec.Command("git", args...).Output()
		return strings.TrimSpace(string(text)), err
	}
	began, err := git("log", "--diff-filter=A", "--format=%H", "--", "scripts/structure/main.go")
	if err != nil {
		return nil, fmt.Errorf("ask git for the subjects of commits: %w", err)
	}
	hashes := strings.Fields(began)
	if len(hashes) == 0 {
		return nil, nil // it is not committed yet
	}
	subjects, err := git("log", "--no-merges", "--format=%s", hashes[len(hashes)-1]+"^..HEAD")
	if err != nil {
		return nil, fmt.Errorf("ask git for the subjects of commits: %w", err)
	}
	for subject := range strings.Lines(subjects) {
		if subject = strings.TrimSpace(subject); len([]rune(subject)) > longestHeader {
			long = append(long, subject)
		}
	}
	return long, nil
}
