package core_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// Promise: what is refused with a sentence that says that nothing was written leaves no
// file, no part of one and no folder.
func TestARefusedExportWritesNothing(t *testing.T) {
	k := full(t)
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Fact, Content: "Sees a doctor"}))
	base, text := k.export("base.json", core.ExportOptions{})
	if err := k.SetHandoffRules(ctx, "gemini", core.HandoffRules{Types: []memory.Type{memory.Goal}}); err != nil {
		t.Fatal(err)
	}
	d := parse(t, text)
	unsound := k.file("unsound.json", d.delta("d1", "another").text(k))
	out := filepath.Join(k.root, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	pam := func(name string, o core.ExportOptions) error {
		_, err := k.ExportPAM(ctx, filepath.Join(out, name)+tail(name), o)
		return err
	}
	_, handed := k.HandOff(ctx, "gemini", core.HandoffOptions{Part: "import", Dest: filepath.Join(out, "a.txt")})
	_, merged := k.MergeFiles(ctx, core.Input{Path: base.Path}, core.Input{Path: unsound}, filepath.Join(out, "a.json"), core.MergeOptions{})
	for reason, err := range map[string]error{
		"export-nothing-new":        pam("a.json", core.ExportOptions{Incremental: true}),
		"export-shares-nothing":     pam("a/", core.ExportOptions{For: "nobody"}),
		"export-selects-nothing":    pam("a.zip", core.ExportOptions{Statuses: []memory.Status{memory.Deprecated}}),
		"export-no-such-target":     pam("a.json", core.ExportOptions{Tags: []string{"nothing"}}),
		"export-redact-attachments": pam("b.zip", core.ExportOptions{RedactionOptions: core.RedactionOptions{Redact: to(true)}, IncludeConversations: true, IncludeAttachments: true}),
		"handoff-nothing":           handed,
		"merge-base":                merged,
	} {
		if fault.From(err).Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
	}
	if left := ok(os.ReadDir(out)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Promise: where a folder that is not empty is refused, what lies in it stays, and
// nothing comes to it.
func TestAFolderThatIsNotEmptyStaysAsItIs(t *testing.T) {
	k := full(t)
	out := filepath.Join(k.root, "out")
	if err := os.MkdirAll(out, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := k.file("out/memory-store.json", []byte("mine"))
	_, err := k.ExportPAM(ctx, out, core.ExportOptions{IncludeConversations: true})
	wantFault(t, err, fault.Conflict, "export-folder-not-empty")
	if left := ok(os.ReadDir(out)); len(left) != 1 || string(ok(os.ReadFile(mine))) != "mine" {
		t.Errorf("it holds %v", left)
	}
}

// Promise: of a document that is refused nothing is in the vault.
func TestARefusedDocumentChangesNothing(t *testing.T) {
	alice, me := person(t, 1), person(t, 2)
	path := alice.exportTo("alice.pam.json")
	text := ok(os.ReadFile(path))
	ok(me.TrustKey(ctx, fileSource(path), "Alice"))
	d := parse(t, text)
	d["owner"] = map[string]any{"id": "carol"}
	delta := d.delta("d1", "an export that nobody knows").text(me)
	for name, c := range map[string]struct {
		reason string
		data   []byte
	}{
		"unsigned": {"pam-claims-known", parse(t, text).text(me)},
		"changed":  {"pam-broken", bytes.Replace(text, []byte("I live in Porto"), []byte("I live in Faro"), 1)},
		"delta":    {"pam-unknown-base", delta},
		"cut":      {"pam-not-whole-at", text[:len(text)-9]},
		"cut soon": {"pam-not-whole", text[:bytes.Index(text, []byte(`"owner"`))+3]},
	} {
		generation := me.state().Generation
		_, err := me.Import(ctx, inputs(me.file(name+".pam.json", c.data)), core.ImportOptions{}, nil)
		if fault.From(err).Reason != c.reason {
			t.Errorf("%s: %v", name, err)
		}
		if now := me.state(); now.Generation != generation || now.Memories != 1 {
			t.Errorf("%s: the vault was written to: %+v", name, now)
		}
	}
}
