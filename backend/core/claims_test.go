package core_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
)

// Promise (M3): MIF documents are unsigned, so the owner that one names is not verified. A document that
// claims to be from a trusted person is refused however the name is spelled. Imported
// after a confirmation, it replaces nothing. One that claims the owner's id is read, and
// the claim is named.
func TestMIFThatNamesSomebody(t *testing.T) {
	alice, me := person(t, 1), person(t, 2)
	ok(me.TrustKey(ctx, fileSource(alice.exportTo("alice.pam.json")), "Alice"))
	_, text := alice.mif("alice.mif.json", core.MIFOptions{ExportOptions: plain})
	id := alice.state().OwnerID
	tried := 0
	for _, name := range []string{id, strings.ToUpper(id), " " + id, strings.ReplaceAll(id, "-", "\u2010"), strings.ReplaceAll(id, "-", ""), alice.state().DID} {
		tried++
		path := me.file("claims.mif.json", bytes.ReplaceAll(text, []byte(strconv.Quote(id)), []byte(strconv.Quote(name))))
		if r := me.report(path); r.Valid || r.Claims != core.VerdictKnown || r.Name != "Alice" || r.Verdict != core.VerdictUnsigned {
			t.Errorf("%q: %+v", name, r)
		}
		_, err := me.Import(ctx, inputs(path), core.ImportOptions{AcceptBroken: true}, nil)
		wantFault(t, err, fault.Refused, "pam-claims-known")
	}
	other := me.file("two.zip", zipOf(t, map[string][]byte{"a.mif.json": bytes.ReplaceAll(text, []byte(strconv.Quote(id)), []byte(`"carol"`)), "b.mif.json": text}))
	if r := me.report(other); r.Valid {
		t.Errorf("the second of two: %+v", r)
	}
	report := ok(me.Import(ctx, inputs(me.file("claims.mif.json", text)), core.ImportOptions{AcceptUnsigned: true}, nil))
	if report.Memories.Updated != 0 || report.Problems[0].Reason != "pam-claims-known-taken" {
		t.Errorf("%+v", report)
	}
	if r := alice.report(me.file("own.mif.json", text)); !r.Valid || r.Claims != core.VerdictOwn {
		t.Errorf("one's own: %+v", r)
	}
	if report := alice.imports(me.file("own.mif.json", text)); report.Memories.Unchanged != 1 || report.Problems[0].Reason != "pam-claims-own" {
		t.Errorf("one's own: %+v", report)
	}
	t.Logf("%d spellings of a known owner, 0 taken for theirs", tried)
}

// Promise (L11): one's own bundle without its digest is told when it is imported, too,
// and its conversations replace nothing.
func TestBundleWithoutItsDigestIsTold(t *testing.T) {
	k := full(t)
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true})
	files := unzipped(t, r.Path)
	delete(files, pam.DigestName)
	path := k.file("stripped.zip", zipOf(t, files))
	if v := k.report(path); v.Whole || !v.Valid || v.Verdict != core.VerdictOwn || len(v.Warnings) == 0 {
		t.Errorf("%+v", v)
	}
	if report := k.imports(path); report.Changed || report.Problems[0].Reason != "pam-no-digest" {
		t.Errorf("%+v", report)
	}
}

// Promise (M2): a document of either format beside a signed bundle is one answer of
// verify and import; a folder of downloads is read file by file, and is no bundle.
func TestOneChoiceForVerifyAndImport(t *testing.T) {
	k := full(t)
	r, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true})
	_, mif := k.mif("beside.mif.json", core.MIFOptions{ExportOptions: plain})
	files := map[string][]byte{"beside.mif.json": mif}
	for name, content := range unzipped(t, r.Path) {
		files["signed/"+name] = content
	}
	path := k.file("mixed.zip", zipOf(t, files))
	if v := k.report(path); v.Verdict != core.VerdictBroken || v.Valid || v.Whole || v.Problems[0].Path != "beside.mif.json" {
		t.Errorf("%+v", v)
	}
	_, err := k.Import(ctx, inputs(path), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Refused, "pam-broken")

	there := other(t)
	there.file("downloads/mine.pam.zip", ok(os.ReadFile(r.Path)))
	there.file("downloads/chatgpt.zip", ok(os.ReadFile(there.write("chatgpt.zip", sampleBook()))))
	downloads := filepath.Join(there.root, "downloads")
	if v := there.report(downloads); v.Valid || v.Whole {
		t.Errorf("%+v", v)
	}
	if plan := ok(there.PlanImport(ctx, inputs(downloads), core.ImportOptions{})); len(plan.Sources) != 2 {
		t.Errorf("%d sources", len(plan.Sources))
	}
}

// Promise: no key is taken from a file that is not as it was signed, whoever it names.
func TestNoKeyFromABrokenFileThatNamesSomebody(t *testing.T) {
	alice, me := person(t, 1), person(t, 2)
	ok(me.TrustKey(ctx, fileSource(alice.exportTo("alice.pam.json")), "Alice"))
	_, text := alice.export("next.pam.json", core.ExportOptions{})
	broken := me.file("broken.pam.json", bytes.Replace(text, []byte("Porto"), []byte("Lisboa"), 1))
	_, err := me.ReadKey(ctx, fileSource(broken))
	wantFault(t, err, fault.Refused, "key-of-broken-file")
	alices := ok(alice.ExportKey(ctx, filepath.Join(me.root, "alice.json")))
	mallory := ok(person(t, 3).ExportKey(ctx, filepath.Join(me.root, "mallory.json")))
	spoofed := me.file("spoofed.pam.json", bytes.Replace(text, []byte(alices.PublicKey), []byte(mallory.PublicKey), 1))
	_, err = me.ReadKey(ctx, fileSource(spoofed))
	wantFault(t, err, fault.Refused, "key-of-broken-file")
}
