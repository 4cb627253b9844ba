package imports

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// sourceOpener opens inputs and finds the reader of each.
type sourceOpener struct {
	files     *files.Opener
	importers importer.Registry
}

// group is the input of one call of one reader: an export, or all parts of one export.
type group struct {
	inputs []files.Input
	names  []string
	tree   *intake.Tree
	under  []func() // release the files that the tree reads from
	found  importer.Found
	fault  *fault.Error // why it cannot be read; tree may be nil then
	broke  bool         // reading broke off
	ended  bool         // it was read, and written, to its end
	ledger *groupLedger // counts of this group

	after  *group         // the group that reads the same tree before this one; nil: none
	next   *group         // the group that reads the files this one does not use; nil for the last
	beside []*intake.Tree // files of the same folder that no reader knows

	goOver func(file string) error // reads a file to its end; an error means that it is damaged
	files  map[string]bool         // by name: goOver found it undamaged; used by the writing goroutine only

	document *documents.PlanDocument // result of verifying a PAM document; of a MIF document only the owner that it names; nil: other formats
	base     memory.Time             // date of the export that an incremental document builds on; zero: unknown

	authority authority // what the document's signature allows it to change in the vault
}

func (g *group) name() string {
	if g.tree != nil {
		return g.tree.Name()
	}
	return g.names[0]
}

func (g *group) close() {
	if g.after != nil {
		return // another group uses the same tree and closes it
	}
	for _, t := range g.beside {
		_ = t.Close()
	}
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

// sizeOf returns the total bytes of the groups' trees, each tree counted once.
func sizeOf(groups []*group) (n int64) {
	for _, g := range groups {
		if g.fault == nil && g.after == nil {
			n += g.tree.Size()
		}
	}
	return n
}

// open opens inputs, finds the reader of each, and joins parts of one export that were
// given together. An unreadable input becomes a group of its own, with the reason in its
// fault. open fails only for no input, a bad account name, a cancelled context, or a
// provider without a reader.
func (s *sourceOpener) open(ctx context.Context, inputs []files.Input, provider string) ([]*group, error) {
	if len(inputs) == 0 {
		return nil, fault.New(fault.Invalid, "no-input", "Nothing was given to read.")
	}
	if _, ok := s.importers.ByID(provider); !ok && provider != "" {
		return nil, s.errNoReader(provider)
	}
	inputs, err := withAccounts(inputs)
	if err != nil {
		return nil, err
	}
	var all []*group
	wrong := &files.WrongTries{}
	for _, in := range inputs {
		in.Wrong = wrong
		all = append(all, s.openGroups(ctx, in, provider)...)
		if err := ctx.Err(); err != nil {
			closeAll(all)
			return nil, err
		}
	}
	all = splitByReader(s.joined(ctx, all, provider))
	for _, g := range all {
		g.judgeAccount()
	}
	return all, nil
}

func (s *sourceOpener) errNoReader(id string) error {
	var known []string
	for _, im := range s.importers {
		known = append(known, im.Info().ID)
	}
	return fault.New(fault.Invalid, "no-reader", "Keepsake has no reader called {provider}; it has {known}.").
		With("provider", rows.ShortID(id)).With("known", strings.Join(known, ", "))
}

// maxOpened is the most archives of one folder, and the most files beside those archives,
// that are opened as separate inputs (see openGroups).
const maxOpened = 256

// openGroups opens an input. A folder with archives that are exports is opened as if each
// archive, and each file beside them, had been given alone: people collect downloads in
// one folder. The same applies to a folder with archives that no reader knows as a whole.
func (s *sourceOpener) openGroups(ctx context.Context, in files.Input, provider string) []*group {
	g := s.openGroup(ctx, in, provider)
	if in.Upload != "" {
		return []*group{g}
	}
	archives, lone := filesOf(in.Path)
	inside := s.openEach(ctx, in, archives, provider)
	switch {
	case slices.ContainsFunc(inside, (*group).isExport):
		return s.apart(ctx, g, append(inside, s.openEach(ctx, in, lone, provider)...), provider)
	case len(inside) == 0 || g.fault == nil && g.found.Match.Certainty != importer.None:
		closeAll(inside) // an unpacked export; the archives in it are no exports themselves
		return []*group{g}
	}
	g.close()
	return append(inside, s.openEach(ctx, in, lone, provider)...)
}

// openEach opens files of a folder as if they had been given one by one.
func (s *sourceOpener) openEach(ctx context.Context, folder files.Input, paths []string, provider string) (all []*group) {
	for _, path := range paths {
		all = append(all, s.openGroup(ctx, files.Input{Path: path, Passphrase: folder.Passphrase, Account: folder.Account, Wrong: folder.Wrong}, provider))
	}
	return all
}

// isExport reports whether a reader recognises the group with certainty.
func (g *group) isExport() bool {
	return g.fault == nil && g.found.Match.Certainty == importer.Certain
}

// apart splits a folder into groups, each read by one reader. Each archive, and each
// document of Portable AI Memory, is a group of its own. All other files together form
// one group if a reader recognises them with certainty. An archive that no reader knows,
// and that is not named like a part of an export, counts as one of the other files.
func (s *sourceOpener) apart(ctx context.Context, folder *group, inside []*group, provider string) (all []*group) {
	own := map[string]bool{} // names of files that form a group (input of one reader) of their own
	for _, one := range inside {
		name := filepath.Base(one.inputs[0].Path)
		isPart := slices.ContainsFunc(inside, func(g *group) bool { return g.isExport() && stem(g.names[0]) == stem(name) })
		unknown := one.found.Importer == nil && one.fault != nil && one.fault.Code == fault.Unsupported && !isPart
		document := one.isExport() && one.found.Importer.Info().Documents
		if isArchive(name) && !unknown || document {
			own[name] = true
			all = append(all, one)
			continue
		}
		one.close()
	}
	if folder.tree == nil {
		return append(all, folder)
	}
	rest := folder.tree.Only(func(f intake.File) bool { return !own[f.Path] })
	folder.tree = rest
	var err error
	folder.found, err = s.matchOr(ctx, folder, provider)
	if folder.judge(err); folder.found.Match.Certainty == importer.Certain {
		return append(all, folder)
	}
	last := all[len(all)-1]
	last.beside, last.under = append(last.beside, rest), append(last.under, folder.under...)
	return all
}

// splitByReader adds a group for each further reader that surely recognizes a tree. That
// reader gets the files that the readers before it did not use. Readers of documents
// (PAM, MIF) are excluded, because documents must be verified as a whole before anything
// is read; these documents are only reported.
func splitByReader(groups []*group) (all []*group) {
	for _, g := range groups {
		all = append(all, g)
		if g.fault != nil {
			continue
		}
		for _, other := range g.found.Others {
			if isJudged(other) {
				continue
			}
			before := all[len(all)-1]
			next := &group{inputs: g.inputs, names: g.names, tree: g.tree, found: other, after: before}
			before.next = next
			all = append(all, next)
		}
	}
	return all
}

// isJudged reports whether the reader's documents (PAM or MIF) are verified as a whole
// before any item of them is read.
func isJudged(f importer.Found) bool {
	info := f.Importer.Info()
	return info.Documents || info.ID == library.MIFReader
}

// others reports the documents in a group that are not read because they are in the same
// source as a provider's export.
func (g *group) others() (all []importer.Problem) {
	if g.fault != nil {
		return nil
	}
	for _, other := range g.found.Others {
		if isJudged(other) {
			all = append(all, g.unread(other.Importer))
		}
	}
	return all
}

// unread returns the problem that the files of g also contain data for the reader other,
// and that this data is not read.
func (g *group) unread(other importer.Importer) importer.Problem {
	first := g
	for first.after != nil {
		first = first.after
	}
	return importer.Problem{Path: g.names[0], Fault: fault.New(fault.Unsupported, "holds-others",
		"{name} is read as an export of {provider}; it holds one of {others}, too, which is not read.").
		With("name", g.names[0]).With("provider", first.found.Importer.Info().Name).With("others", other.Info().Name).
		Advise("Unpack it, and drop what belongs to one provider by itself.")}
}

// loneFiles are the file name endings that exports have if they are not archives.
var loneFiles = []string{".json", ".csv", ".xlsx"}

// isArchive reports whether a file is an archive, judging by its name only.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".zip") || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// filesOf lists the archives of a folder and the files beside them that may be exports.
func filesOf(dir string) (archives, lone []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular():
		case isArchive(e.Name()):
			archives = append(archives, path)
		case slices.Contains(loneFiles, strings.ToLower(filepath.Ext(e.Name()))):
			lone = append(lone, path)
		}
	}
	if len(archives) > maxOpened {
		return nil, nil
	}
	return archives, lone[:min(len(lone), maxOpened)]
}

func (s *sourceOpener) openGroup(ctx context.Context, in files.Input, provider string) *group {
	g := &group{inputs: []files.Input{in}, names: []string{filepath.Base(in.Path)}}
	if source, err := s.files.Source(in); err == nil {
		g.names[0] = source.Name
	}
	tree, under, err := s.files.TreeOf(ctx, in)
	if err == nil {
		g.tree, g.under = tree, []func(){under}
		g.found, err = s.matchOr(ctx, g, provider)
	}
	g.judge(err)
	return g
}

// judge sets the fault of a group that cannot be read: err, or the reader's advice about
// a file that it recognises but that holds no data by itself.
func (g *group) judge(err error) {
	g.fault = fault.From(err)
	if err == nil && g.found.Match.Advice != nil {
		g.fault = g.found.Match.Advice
	}
}

// matchOr is match, but if match finds no reader, it tries the fallback reader, provided
// that all inputs name the same one.
func (s *sourceOpener) matchOr(ctx context.Context, g *group, provider string) (importer.Found, error) {
	found, err := s.match(ctx, g.tree, provider)
	last := g.inputs[0].Fallback
	isAgreed := !slices.ContainsFunc(g.inputs, func(in files.Input) bool { return in.Fallback != last })
	if last == "" || !isAgreed || fault.CodeOf(err) != fault.Unsupported {
		return found, err
	}
	other, failed := s.match(ctx, g.tree, last)
	isNamed := fault.From(err).Reason != "unknown-provider"
	if advice := other.Match.Advice; isNamed && failed == nil && advice != nil && advice.Code == fault.Unsupported {
		return found, err // err already names the kind of file
	}
	return other, failed
}

// match finds the reader of a tree. A reader that the person named (provider) is used
// even if it does not recognise the tree, unless another reader is certain of it.
func (s *sourceOpener) match(ctx context.Context, tree *intake.Tree, provider string) (found importer.Found, err error) {
	defer recovered(&err)
	if provider == "" {
		return s.importers.Match(ctx, tree)
	}
	im, ok := s.importers.ByID(provider)
	if !ok {
		return found, s.errNoReader(provider)
	}
	m, err := im.Sniff(ctx, tree)
	if err != nil {
		return found, fmt.Errorf("sniff %s: %w", provider, err)
	}
	found = importer.Found{Importer: im, Match: m}
	if m.Certainty == importer.None && !isText(tree) {
		looks, err := s.importers.Match(ctx, tree)
		if err == nil && looks.Match.Certainty == importer.Certain {
			return found, errOtherReader(tree.Name(), im.Info(), looks.Importer.Info())
		}
	}
	return found, ctx.Err()
}

// isText reports whether a tree holds only text files, which more than one reader may
// read.
func isText(tree *intake.Tree) bool {
	return !slices.ContainsFunc(tree.Files(), func(f intake.File) bool {
		return !importer.HasEnding(f, ".md", ".mdc", ".txt")
	})
}

// errOtherReader is returned if the person named a reader that does not recognise a
// source, while another reader is certain of it.
func errOtherReader(name string, named, knows importer.Info) error {
	return fault.New(fault.Invalid, "other-reader", "{name} is an export of {provider}, which the importer {reader} reads, and not one for {named}.").
		With("name", name).With("provider", knows.Name).With("reader", knows.ID).With("named", named.ID).
		Advise("Import it without naming an importer.")
}

// recovered turns a panic of a reader into an error: readers parse hostile files, and a
// panic must never look like success. The error names only the type of the panic value;
// the value could hold content.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fault.New(fault.Internal, "reader-failed", "The reader of this export failed; nothing of the item at hand was kept.").
			Advise("Report it with the details; they hold no content.").
			Because(library.PanicFault(p))
	}
}

// joined merges groups (inputs of one reader each) that are parts of one export.
func (s *sourceOpener) joined(ctx context.Context, all []*group, provider string) []*group {
	var out []*group
	for _, g := range all {
		i := slices.IndexFunc(out, func(o *group) bool { return o.takes(g) })
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].join(g)
	}
	for _, g := range out {
		if len(g.inputs) > 1 {
			var err error
			g.found, err = s.matchOr(ctx, g, provider)
			g.judge(err)
		}
	}
	return out
}

func (g *group) join(other *group) {
	g.inputs = append(g.inputs, other.inputs...)
	g.names = append(g.names, other.names...)
	g.beside = append(g.beside, other.beside...)
	g.tree = intake.Join(g.tree, other.tree)
	g.under = append(g.under, other.under...)
}

// takes reports whether other is part of the same export as g: both have the same reader
// and no different accounts, or one is a part that no reader recognises by itself and
// that is named like the other.
func (g *group) takes(other *group) bool {
	if g.tree == nil || other.tree == nil || g.given() != other.given() {
		return false
	}
	a, b := g.found.Importer, other.found.Importer
	if a != nil && a.Info().Documents || b != nil && b.Info().Documents {
		return false // documents are not split into parts
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

// counter matches the numbering that providers and browsers add to the names of parts
// and copies.
var counter = regexp.MustCompile(`(?i)([-_ .]*(part|batch)?[-_ .]*\(?\d+( ?of ?\d+)?\)?)+$`)

// stem returns a lowercase file name without extension and without part or copy number.
func stem(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, filepath.Ext(name)), ".tar")
	if cut := counter.ReplaceAllString(name, ""); cut != "" {
		name = cut
	}
	return strings.ToLower(name)
}

// allFailed returns the fault of the first group if all groups have one, else nil.
func allFailed(groups []*group) error {
	if len(groups) == 0 || slices.ContainsFunc(groups, func(g *group) bool { return g.fault == nil }) {
		return nil
	}
	return groups[0].fault
}
