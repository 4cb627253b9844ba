package core_test

import (
	"bytes"
	"fmt"
	"maps"
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

// Promise: conversations that come along are reviewed as memories are, and what was
// counted before is what the file hides.
func TestConversationsAreRedactedToo(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].Title = "Ask ana@casa.example"
	b.Conversations[0].Lines[0].Text = "Call +351 912 345 678, ask ben@casa.example"
	k.imports(k.write("a.zip", b))
	for _, strip := range []bool{false, true} {
		o := core.ExportOptions{IncludeConversations: true, StripIDs: strip, RedactionOptions: core.RedactionOptions{Redact: to(true)}}
		p, all := ok(k.PreviewExport(ctx, o)), ok(k.ExportFindings(ctx, o, core.FindingQuery{}))
		r, _ := k.export(fmt.Sprintf("talks-%t.pam.zip", strip), o)
		k.valid(r.Path)
		if p.Findings < 3 || p.Hidden != p.Findings || all.Total != p.Findings || len(all.Items) != p.Findings || r.Hidden != p.Hidden {
			t.Errorf("%+v, %+v, %+v", p, all, r)
		}
		for name, text := range unpack(t, r.Path) {
			if bytes.Contains(text, []byte("@casa.example")) || bytes.Contains(text, []byte("912 345 678")) {
				t.Errorf("%s holds an address", name)
			}
		}
		at := slices.IndexFunc(all.Items, func(f core.Found) bool { return f.Text == "ben@casa.example" })
		if at < 0 || all.Items[at].In != core.InConversation || all.Items[at].Before != "Call +351 912 345 678, ask " {
			t.Fatalf("%d of %+v", at, all)
		}
		o.Keep = []string{all.Items[at].ID}
		r, _ = k.export(fmt.Sprintf("kept-%t.pam.zip", strip), o)
		whole := bytes.Join(slices.Collect(maps.Values(unpack(t, r.Path))), nil)
		if r.Hidden != p.Hidden-1 || !bytes.Contains(whole, []byte("ben@casa.example")) || bytes.Contains(whole, []byte("ana@casa.example")) {
			t.Errorf("kept: %+v", r)
		}
	}
	o := core.ExportOptions{RedactionOptions: core.RedactionOptions{Redact: to(true)}} // titles are in every store
	p := ok(k.PreviewExport(ctx, o))
	if r, text := k.export("titles.pam.json", o); p.Hidden != 1 || r.Hidden != 1 || bytes.Contains(text, []byte("@casa.example")) {
		t.Errorf("titles: %+v, %+v", p, r)
	}
	form := core.FormOptions{Form: core.HTML, ExportOptions: o}
	if p, f := ok(k.PreviewForm(ctx, form)), ok(k.ExportFindings(ctx, form, core.FindingQuery{})); p.Findings != 0 || f.Total != 0 {
		t.Errorf("a form without conversations: %+v, %+v", p, f)
	}
	form.IncludeConversations = true
	p = ok(k.PreviewForm(ctx, form))
	if r := ok(k.ExportForm(ctx, k.root+"/talks.html", form)); p.Findings < 3 || r.Hidden != p.Hidden {
		t.Errorf("a form with conversations: %+v, %+v", p, r)
	}
	if p = ok(k.PreviewExport(ctx, core.ExportOptions{IncludeConversations: true})); p.Findings != 1 || p.Unread != p.Conversations {
		t.Errorf("one's own: %+v", p)
	}
	o.IncludeConversations, o.IncludeAttachments = true, true
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
