package core_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// secretive is a vault with two memories that hold something to find, and one
// that does not.
func secretive(t *testing.T) *kit {
	k := fresh(t)
	k.add("My e-mail is ana@casa.example and my card is 4111 1111 1111 1111")
	k.add("password: Girassol#88")
	k.add("I drink green tea")
	return k
}

func TestFindingsAreCountedAndStayInOnesOwnExport(t *testing.T) {
	k := secretive(t)
	p := ok(k.PreviewExport(ctx, core.ExportOptions{}))
	if p.Findings != 3 || p.Hidden != 0 || p.FindingsByKind["email"] != 1 || p.FindingsByKind["credit_card"] != 1 || p.FindingsByKind["password"] != 1 {
		t.Errorf("preview: %+v", p)
	}
	r, text := k.export("own.pam.json", core.ExportOptions{})
	if !bytes.Contains(text, []byte("ana@casa.example")) || r.Hidden != 0 {
		t.Error("the own export was redacted without being asked")
	}
}

func TestARedactedExportVerifiesAndSaysSo(t *testing.T) {
	k := secretive(t)
	o := core.ExportOptions{RedactionOptions: core.RedactionOptions{Redact: to(true)}}
	before, _ := k.export("before.pam.json", core.ExportOptions{})
	r, text := k.export("redacted.pam.json", o)
	if r.Hidden != 3 || k.verdict(r.Path) != core.VerdictOwn {
		t.Errorf("result: %+v", r)
	}
	k.valid(r.Path)
	for _, secret := range []string{"ana@casa.example", "4111 1111", "Girassol"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s left", secret)
		}
	}
	s := readStore(t, text)
	for _, m := range s.Memories {
		if m.ContentHash != memory.ContentHash(m.Content) {
			t.Errorf("%s: not the hash of what it says", m.Content)
		}
		redactions, _ := m.Metadata["redactions"].([]any)
		if want := strings.Count(m.Content, "[REDACTED:"); len(redactions) != want {
			t.Errorf("%s tells of %d redactions", m.Content, len(redactions))
		}
		for _, x := range redactions {
			at := x.(map[string]any)
			if at["field"] != "content" || at["original_length"] == nil || at["position"] == nil {
				t.Errorf("redaction %v", at)
			}
		}
	}
	if after, _ := k.export("after.pam.json", core.ExportOptions{}); after.Checksum != before.Checksum {
		t.Error("a redacted export changed what is in the vault")
	}
}

func TestKeptFindingsLeaveAsTheyAre(t *testing.T) {
	k := secretive(t)
	on := core.RedactionOptions{Redact: to(true)}
	all := ok(k.ExportFindings(ctx, core.ExportOptions{RedactionOptions: on}, core.FindingQuery{}))
	if all.Total != 3 || all.Hidden != 3 || len(all.Items) != 3 {
		t.Fatalf("findings: %+v", all)
	}
	at := slices.IndexFunc(all.Items, func(f core.Found) bool { return f.Kind == "email" })
	mail := all.Items[at]
	if mail.Text != "ana@casa.example" || mail.Before != "My e-mail is " || mail.Kept {
		t.Errorf("finding: %+v", mail)
	}
	on.Keep = []string{mail.ID, "password"}
	r, text := k.export("kept.pam.json", core.ExportOptions{RedactionOptions: on})
	if r.Hidden != 1 || !bytes.Contains(text, []byte("ana@casa.example")) || !bytes.Contains(text, []byte("Girassol#88")) || bytes.Contains(text, []byte("4111 1111")) {
		t.Errorf("%+v: %s", r, text)
	}
	page := ok(k.ExportFindings(ctx, core.ExportOptions{RedactionOptions: on}, core.FindingQuery{Offset: 1, Limit: 1}))
	if page.Total != 3 || page.Hidden != 1 || len(page.Items) != 1 || page.Items[0].ID != all.Items[1].ID {
		t.Errorf("page: %+v", page)
	}
	on.Keep = []string{"everything"}
	_, err := k.PreviewExport(ctx, core.ExportOptions{RedactionOptions: on})
	wantFault(t, err, fault.Invalid, "unknown-finding")
}

func TestWhatIsMadeForSomebodyElseIsRedacted(t *testing.T) {
	k := secretive(t)
	ids := ok(k.Memories(ctx, core.MemoryQuery{})).Items
	for _, m := range ids {
		ok(k.Grant(ctx, m.ID, "doctor", []string{"read"}))
	}
	r, text := k.export("theirs.pam.json", core.ExportOptions{For: "doctor"})
	if r.Hidden != 3 || bytes.Contains(text, []byte("ana@casa.example")) {
		t.Errorf("result: %+v", r)
	}
	k.valid(r.Path)
	_, text = k.export("asked.pam.json", core.ExportOptions{For: "doctor", RedactionOptions: core.RedactionOptions{Redact: to(false)}})
	if !bytes.Contains(text, []byte("ana@casa.example")) {
		t.Error("redacted although the owner said no")
	}
}

func TestConversationsAreRedactedToo(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].Title = "Ask ana@casa.example"
	k.imports(k.write("a.zip", b))
	o := core.ExportOptions{IncludeConversations: true, RedactionOptions: core.RedactionOptions{Redact: to(true)}}
	r, _ := k.export("talks.pam.zip", o)
	k.valid(r.Path)
	for name, text := range unpack(t, r.Path) {
		if bytes.Contains(text, []byte("ana@casa.example")) {
			t.Errorf("%s holds the address", name)
		}
	}
	o.IncludeAttachments = true
	_, err := k.ExportPAM(ctx, k.root+"/x.zip", o)
	wantFault(t, err, fault.Invalid, "export-redact-attachments")
}

func TestAPreviewLooksAgainAtWhatChanged(t *testing.T) {
	k := secretive(t)
	if n := ok(k.PreviewExport(ctx, core.ExportOptions{})).Findings; n != 3 {
		t.Fatal(n)
	}
	tea := k.saying("I drink green tea").ID
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: to("I drink green tea, ask b@c.example")}))
	if n := ok(k.PreviewExport(ctx, core.ExportOptions{})).Findings; n != 4 {
		t.Errorf("%d findings", n)
	}
	ok(k.EditMemory(ctx, tea, core.MemoryEdit{Content: to("I drink tea")}))
	if n := ok(k.PreviewExport(ctx, core.ExportOptions{})).Findings; n != 3 {
		t.Errorf("%d findings", n)
	}
}
