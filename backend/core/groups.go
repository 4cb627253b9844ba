package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// group is what one reader reads at once: an export, or the parts of one.
type group struct {
	inputs []Input
	names  []string
	tree   *intake.Tree
	under  []func() // lets go of what lies under the tree
	found  importer.Found
	fault  *fault.Error // why it cannot be read; tree may be nil then
	broke  bool         // reading broke off
	ended  bool         // it was read, and written, to its end
	book   *groupBook   // of the reading

	goOver func(file string) error // to its end; an error says that it is damaged
	files  map[string]bool         // gone over, and whether they are sound; of the writing side

	document *PlanDocument // of Portable AI Memory: the verdict on it
	base     memory.Time   // when what it builds on was made; zero where that is not known

	authority authority // of a document over what is here
}

func (g *group) close() {
	if g.tree != nil {
		_ = g.tree.Close()
	}
	for _, done := range g.under {
		done()
	}
}

func closeAll(groups []*group) {
	for _, g := range groups {
		g.close()
	}
}

// groups opens inputs, finds the reader of each, and joins parts that were
// handed over together. What cannot be read is a group of its own, with the
// reason. Only a cancelled context and a reader that nobody knows are errors.
func (s *Service) groups(ctx context.Context, inputs []Input, provider string) ([]*group, error) {
	if len(inputs) == 0 {
		return nil, fault.New(fault.Invalid, "no-input", "Nothing was given to read.")
	}
	if _, ok := s.cfg.Importers.ByID(provider); !ok && provider != "" {
		return nil, s.errNoReader(provider)
	}
	inputs, err := withAccounts(inputs)
	if err != nil {
		return nil, err
	}
	var all []*group
	wrong := &wrongTries{}
	for _, in := range inputs {
		in.wrong = wrong
		all = append(all, s.openGroups(ctx, in, provider)...)
		if err := ctx.Err(); err != nil {
			closeAll(all)
			return nil, err
		}
	}
	all = s.joined(ctx, all, provider)
	for _, g := range all {
		g.judgeAccount()
	}
	return all, nil
}

func (s *Service) errNoReader(id string) error {
	var known []string
	for _, im := range s.cfg.Importers {
		known = append(known, im.Info().ID)
	}
	return fault.New(fault.Invalid, "no-reader", "Keepsake has no reader called {provider}; it has {known}.").
		With("provider", shortID(id)).With("known", strings.Join(known, ", "))
}

// maxZips bounds how many archives of one folder are opened as if they had been
// given one by one.
const maxZips = 256

// openGroups opens an input. A folder that holds archives, and that nobody reads
// as it is, stands for the files in it: people collect downloads in one. So does
// one in which there is nothing else, of which somebody knows a file beside
// archives that are exports.
func (s *Service) openGroups(ctx context.Context, in Input, provider string) []*group {
	g := s.openGroup(ctx, in, provider)
	if in.Upload != "" {
		return []*group{g}
	}
	known := g.fault == nil && g.found.Match.Certainty != importer.None
	paths, all := filesBesideZips(in.Path)
	if len(paths) == 0 || known && !all {
		return []*group{g}
	}
	var inside []*group
	packed := false
	for _, path := range paths {
		one := s.openGroup(ctx, Input{Path: path, Passphrase: in.Passphrase, Account: in.Account, wrong: in.wrong}, provider)
		packed = packed || isArchive(path) && one.fault == nil && one.found.Match.Certainty == importer.Certain
		inside = append(inside, one)
	}
	if known && !packed { // an export that was unpacked, and holds archives that are none
		closeAll(inside)
		return []*group{g}
	}
	g.close()
	return inside
}

// nameOthers tells of sources that hold exports of several providers that one
// reader takes its own part of them only.
func (r *run) nameOthers(groups []*group) {
	for _, g := range groups {
		for _, p := range g.others() {
			r.books.problem(p)
		}
	}
}

// others tells what of a group is left because it is of another provider than the
// one whose reader reads it.
func (g *group) others() []importer.Problem {
	if g.fault != nil || len(g.found.Others) == 0 {
		return nil
	}
	return []importer.Problem{{Path: g.names[0], Fault: fault.New(fault.Unsupported, "holds-others",
		"{name} is read as an export of {provider}; it holds one of {others}, too, which is not read.").
		With("name", g.names[0]).With("provider", g.found.Importer.Info().Name).With("others", strings.Join(g.found.Others, ", ")).
		Advise("Unpack it, and drop what belongs to one provider by itself.")}}
}

// loneFiles are what exports are besides archives.
var loneFiles = []string{".json", ".csv", ".xlsx"}

// isArchive goes by the name of a file.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// filesBesideZips lists the archives of a folder and the files of exports beside
// them, nothing where there is no archive. all says that there is nothing else.
func filesBesideZips(dir string) (paths []string, all bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false
	}
	zips := 0
	all = true
	for _, e := range entries {
		ending := strings.ToLower(filepath.Ext(e.Name()))
		packed := isArchive(e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !e.Type().IsRegular() || !packed && !slices.Contains(loneFiles, ending) {
			all = false
			continue
		}
		if packed {
			zips++
		}
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	if zips == 0 || zips > maxZips {
		return nil, false
	}
	return paths, all
}

func (s *Service) openGroup(ctx context.Context, in Input, provider string) *group {
	g := &group{inputs: []Input{in}, names: []string{filepath.Base(in.Path)}}
	if source, err := s.source(in); err == nil {
		g.names[0] = source.Name
	}
	tree, under, err := s.treeOf(ctx, in)
	if err == nil {
		g.tree, g.under = tree, []func(){under}
		g.found, err = s.matchOr(ctx, g, provider)
	}
	g.judge(err)
	return g
}

// judge notes why a group cannot be read: an error, or advice about a file
// that is known and holds nothing by itself.
func (g *group) judge(err error) {
	g.fault = fault.From(err)
	if err == nil && g.found.Match.Advice != nil {
		g.fault = g.found.Match.Advice
	}
}

// matchOr is match with the reader to fall back on that all inputs name.
func (s *Service) matchOr(ctx context.Context, g *group, provider string) (importer.Found, error) {
	found, err := s.match(ctx, g.tree, provider)
	last := g.inputs[0].Fallback
	for _, in := range g.inputs {
		if in.Fallback != last {
			last = ""
		}
	}
	if last != "" && fault.CodeOf(err) == fault.Unsupported {
		return s.match(ctx, g.tree, last)
	}
	return found, err
}

// match finds the reader of a tree. One that a person named reads it whatever
// it looks like.
func (s *Service) match(ctx context.Context, tree *intake.Tree, provider string) (found importer.Found, err error) {
	defer recovered(&err)
	if provider == "" {
		return s.cfg.Importers.Match(ctx, tree)
	}
	im, ok := s.cfg.Importers.ByID(provider)
	if !ok {
		return found, s.errNoReader(provider)
	}
	m, err := im.Sniff(ctx, tree)
	if err != nil {
		return found, fmt.Errorf("sniff %s: %w", provider, err)
	}
	found = importer.Found{Importer: im, Match: m}
	if m.Certainty == importer.None && !isText(tree) {
		looks, err := s.cfg.Importers.Match(ctx, tree)
		if err == nil && looks.Match.Certainty == importer.Certain {
			return found, errOtherReader(tree.Name(), im.Info(), looks.Importer.Info())
		}
	}
	return found, ctx.Err()
}

// isText says that a tree holds nothing but texts, which can be read as more than
// one thing.
func isText(tree *intake.Tree) bool {
	return !slices.ContainsFunc(tree.Files(), func(f intake.File) bool {
		return !importer.HasEnding(f, ".md", ".mdc", ".txt")
	})
}

// errOtherReader is for a reader that a person named, and that does not know what
// another one is certain of.
func errOtherReader(name string, named, knows importer.Info) error {
	return fault.New(fault.Invalid, "other-reader", "{name} is an export of {provider}, which the importer {reader} reads, and not one for {named}.").
		With("name", name).With("provider", knows.Name).With("reader", knows.ID).With("named", named.ID).
		Advise("Import it without naming an importer.")
}

// recovered turns a panic of a reader into an error: hostile files are read
// here, and a panic must never look like success. Only its type is kept; a
// value could hold content.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fault.New(fault.Internal, "reader-failed", "The reader of this export failed; nothing of the item at hand was kept.").
			Advise("Report it with the details; they hold no content.").
			Because(fmt.Errorf("panic of type %T", p))
	}
}

// joined merges groups that are parts of one export.
func (s *Service) joined(ctx context.Context, all []*group, provider string) []*group {
	var out []*group
	for _, g := range all {
		i := slices.IndexFunc(out, func(o *group) bool { return o.takes(g) })
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].join(g)
	}
	for i, g := range out {
		if len(g.inputs) > 1 {
			g.found, g.fault = importer.Found{}, nil
			found, err := s.matchOr(ctx, g, provider)
			g.found = found
			g.judge(err)
		}
		out[i] = g
	}
	return out
}

func (g *group) join(other *group) {
	g.inputs = append(g.inputs, other.inputs...)
	g.names = append(g.names, other.names...)
	g.tree = intake.Join(g.tree, other.tree)
	g.under = append(g.under, other.under...)
}

// takes reports whether other is part of the same export: the same reader and
// no other account, or a part that nobody recognises by itself and that is
// named like the rest.
func (g *group) takes(other *group) bool {
	if g.tree == nil || other.tree == nil || g.given() != other.given() {
		return false
	}
	a, b := g.found.Importer, other.found.Importer
	if a != nil && a.Info().Documents || b != nil && b.Info().Documents {
		return false // each is whole by itself
	}
	if a != nil && b != nil {
		return a.Info().ID == b.Info().ID && sameAccount(g.found.Match.Accounts, other.found.Match.Accounts)
	}
	unknown := func(f *fault.Error) bool { return f != nil && f.Code == fault.Unsupported }
	if a == nil && !unknown(g.fault) || b == nil && !unknown(other.fault) {
		return false
	}
	return slices.ContainsFunc(g.names, func(n string) bool { return stem(n) == stem(other.names[0]) })
}

func sameAccount(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) })
}

// counter is how providers and browsers number parts and copies.
var counter = regexp.MustCompile(`(?i)([-_ .]*(part|batch)?[-_ .]*\(?\d+( ?of ?\d+)?\)?)+$`)

// stem is a name without its ending and its numbering.
func stem(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, filepath.Ext(name)), ".tar")
	if cut := counter.ReplaceAllString(name, ""); cut != "" {
		name = cut
	}
	return strings.ToLower(name)
}

// advised are the faults of groups that none could be read for, as one error.
func allFailed(groups []*group) error {
	var first error
	for _, g := range groups {
		if g.fault == nil {
			return nil
		}
		if first == nil {
			first = g.fault
		}
	}
	return errors.Join(first)
}
