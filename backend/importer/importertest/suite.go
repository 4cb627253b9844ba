package importertest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/intake"
)

// Update is the flag -update of every test that has golden files.
var Update = flag.Bool("update", false, "write the golden files anew; look at them before they are committed")

// Run holds a reader to what all readers promise. Own are exports it must
// read, others are exports it must leave to somebody else: none where own is a
// single case and not the whole suite of a room. Of a suite at least one fixture
// must say how many records it holds.
func Run(t *testing.T, im importer.Importer, own, others []Fixture) {
	t.Run("info", func(t *testing.T) { checkInfo(t, im.Info()) })
	if len(others) > 0 && !slices.ContainsFunc(own, func(f Fixture) bool { return f.Records > 0 }) {
		t.Error("no fixture says how many records it holds, so nothing holds the ledger to account for all of them")
	}
	for _, f := range others {
		t.Run("not mine/"+f.Name, func(t *testing.T) {
			if m, err := im.Sniff(t.Context(), f.Tree(t)); err != nil || m.Certainty != importer.None {
				t.Errorf("recognised: %+v, %v", m, err)
			}
		})
	}
	for _, f := range own {
		t.Run(f.Name, func(t *testing.T) { runOwn(t, im, f) })
		t.Run("mine alone/"+f.Name, func(t *testing.T) { checkNobodyElse(t, im.Info().ID, f) })
	}
}

// checkNobodyElse holds that every other reader leaves an export alone, so that
// their order decides nothing.
func checkNobodyElse(t *testing.T, id string, f Fixture) {
	for _, other := range all.Importers() {
		if other.Info().ID == id {
			continue
		}
		if m, err := other.Sniff(t.Context(), f.Tree(t)); err != nil || m.Certainty != importer.None {
			t.Errorf("%s takes it: %+v, %v", other.Info().ID, m, err)
		}
	}
}

// instructionFile is the reader of files that are known by their paths alone.
const instructionFile = "instruction-file"

func runOwn(t *testing.T, im importer.Importer, f Fixture) {
	m, err := im.Sniff(t.Context(), f.Tree(t))
	if err != nil || m.Certainty != importer.Certain || m.Advice != nil {
		t.Fatalf("not recognised: %+v, %v", m, err)
	}
	if f.Format != "" && m.Format != f.Format {
		t.Errorf("format %q, want %q", m.Format, f.Format)
	}
	whole := Read(t, im, f.Tree(t))
	if len(f.Files) == 1 && im.Info().ID != instructionFile {
		t.Run("renamed", func(t *testing.T) { checkRenamed(t, im, f) })
	}
	t.Run("drafts", func(t *testing.T) { CheckDrafts(t, im.Info(), whole) })
	t.Run("ledger", func(t *testing.T) { checkLedger(t, f, whole) })
	t.Run("union", func(t *testing.T) { checkUnions(t, whole) })
	t.Run("records", func(t *testing.T) { checkRecords(t, f, whole) })
	t.Run("twice the same", func(t *testing.T) { checkSame(t, whole, Read(t, im, f.Tree(t))) })
	t.Run("known already", func(t *testing.T) { checkKnown(t, im, f, whole) })
	t.Run("forms", func(t *testing.T) { checkForms(t, im, f, whole) })
	t.Run("truncated", func(t *testing.T) { checkTruncated(t, im, f, whole) })
	t.Run("cancelled", func(t *testing.T) { checkCancelled(t, im, f) })
	t.Run("in a vault", func(t *testing.T) { checkVault(t, f) })
	t.Run("refused by the sink", func(t *testing.T) { checkSinkErrors(t, im, f) })
	t.Run("progress", func(t *testing.T) { checkProgress(t, f.Tree(t), whole) })
	if !f.Packed {
		t.Run("unpacked", func(t *testing.T) { checkFolder(t, im, f, whole) })
		if im.Info().ID != instructionFile {
			t.Run("packed again", func(t *testing.T) { checkRepacked(t, im, f, whole) })
		}
	}
	if f.Golden {
		t.Run("golden", func(t *testing.T) { checkGolden(t, f, whole) })
	}
}

// form is a recording as text, to be compared.
func form(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func checkSame(t *testing.T, one, two *Recording) {
	t.Helper()
	if diff := cmp.Diff(string(form(t, one)), string(form(t, two))); diff != "" {
		t.Errorf("differs (-first +second):\n%s", diff)
	}
}

func checkGolden(t *testing.T, f Fixture, whole *Recording) {
	path := filepath.Join("testdata", "golden", f.Name+".json")
	got := form(t, whole)
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("differs from %s (-want +got):\n%s", path, diff)
	}
}

// checkLedger holds that every conversation element came out somewhere.
func checkLedger(t *testing.T, f Fixture, whole *Recording) {
	if f.Conversations == 0 {
		return
	}
	lost := whole.Skipped["duplicate"] + whole.Skipped["empty"]
	for _, p := range whole.Problems {
		if p.At != "" { // an item, not a file
			lost++
		}
	}
	if got := len(whole.Conversations) - f.Others + lost; got != f.Conversations {
		t.Errorf("%d conversations accounted for, the export holds %d", got, f.Conversations)
	}
}

// checkRecords holds that every record of the files came out somewhere.
func checkRecords(t *testing.T, f Fixture, whole *Recording) {
	if f.Records == 0 {
		return
	}
	if sum := whole.accounted(); sum != f.Records {
		t.Errorf("%d records accounted for, the export holds %d (skipped %v, unknown %v)", sum, f.Records, whole.Skipped, whole.Unknown)
	}
}

// checkKnown reads again what the vault holds already.
func checkKnown(t *testing.T, im importer.Importer, f Fixture, whole *Recording) {
	again := &Recording{Known: whole.Learn()}
	if err := im.Read(t.Context(), f.Tree(t), again.Sink()); err != nil {
		t.Fatal(err)
	}
	if len(again.Conversations) != 0 || again.Unchanged != len(whole.Conversations) {
		t.Errorf("%d given again, %d unchanged, want 0 and %d", len(again.Conversations), again.Unchanged, len(whole.Conversations))
	}
}

// checkFolder holds that ids and contents do not depend on the packing.
func checkFolder(t *testing.T, im importer.Importer, f Fixture, whole *Recording) {
	folder := Read(t, im, f.Folder(t))
	if diff := cmp.Diff(gist(whole), gist(folder)); diff != "" {
		t.Errorf("an unpacked folder reads otherwise (-packed +folder):\n%s", diff)
	}
}

// checkRepacked is checkFolder for what macOS makes of a folder: one more folder
// around it, and files of its own beside each file.
func checkRepacked(t *testing.T, im importer.Importer, f Fixture, whole *Recording) {
	junk := []byte("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X")
	files := []gen.File{{Name: "My export/.DS_Store", Data: junk}}
	for _, file := range f.Files {
		entries := []gen.File{file}
		below := "My export/"
		if isZip(file) {
			entries = gen.Unzip(file.Data)
			if len(f.Files) > 1 {
				below += strings.TrimSuffix(file.Name, ".zip") + "/"
			}
		}
		for _, e := range entries {
			dir, base := path.Split(below + e.Name)
			files = append(files, gen.File{Name: dir + base, Data: e.Data}, gen.File{Name: "__MACOSX/" + dir + "._" + base, Data: junk})
		}
	}
	packed := Fixture{Name: f.Name, Files: []gen.File{{Name: "My export.zip", Data: gen.Zip(files)}}}
	m, err := im.Sniff(t.Context(), packed.Tree(t))
	if err != nil || m.Certainty != importer.Certain {
		t.Fatalf("not recognised: %+v, %v", m, err)
	}
	if diff := cmp.Diff(gist(whole), gist(Read(t, im, packed.Tree(t)))); diff != "" {
		t.Errorf("packed again it reads otherwise (-before +packed again):\n%s", diff)
	}
}

// checkRenamed holds that a file is known by what it holds.
func checkRenamed(t *testing.T, im importer.Importer, f Fixture) {
	other := Fixture{Name: "download", Files: []gen.File{{Name: "download", Data: f.Files[0].Data}}}
	if m, err := im.Sniff(t.Context(), other.Tree(t)); err != nil || m.Certainty != importer.Certain {
		t.Errorf("not recognised under another name: %+v, %v", m, err)
	}
}

// gist is what of a recording must not depend on how it was handed over.
func gist(r *Recording) map[string]string {
	all := map[string]string{}
	for _, c := range r.Conversations {
		all["conversation "+c.ID] = said(c)
	}
	for _, m := range r.Memories {
		all["memory "+m.SourceKey] = string(m.Type) + ": " + m.Content
	}
	return all
}

// said is the graph of a conversation and its texts.
func said(c Conversation) string {
	var b bytes.Buffer
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "%s < %s %s: %s\n", m.ID, m.ParentID, m.Role, m.Content.PlainText())
	}
	return b.String()
}

func checkProgress(t *testing.T, tree *intake.Tree, whole *Recording) {
	last := int64(0)
	for _, done := range whole.Progressed {
		if done < last || done > tree.Size() {
			t.Fatalf("%d bytes after %d, of %d", done, last, tree.Size())
		}
		last = done
	}
	if len(whole.Progressed) == 0 {
		t.Error("nothing reported")
	}
}
