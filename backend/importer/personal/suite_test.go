package personal_test

import (
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/personal"
	"keepsake/backend/memory"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) {
	RunLayers(t, personal.Importer{}, CutJSON, gen.Personal())
}

// Promise: of a record of Keepsake all comes out that stands in it, of one of the
// specification's example what that has.
func TestWhatComesOut(t *testing.T) {
	all := gen.Personal()
	own := Read(t, personal.Importer{}, LayerFixture(all[0], CutJSON).Tree(t))
	if len(own.Records) != 3 || len(own.Relations) != 2 || own.Conversations[0].Title != "Tea" || len(own.Conversations[0].Messages) != 4 {
		t.Fatalf("%+v", own)
	}
	m := own.Records[2]
	importance, _ := m.Importance()
	if m.Type != memory.Custom || m.CustomType != "work_pattern" || importance != 0.85 || m.Use.Count != 12 || m.Use.Last.String() != "2026-04-15T14:30:00Z" ||
		m.Temporal.ValidUntil.String() != "2027-01-01T00:00:00Z" || m.Provenance.Platform != "claude" || m.Owner != "robin" {
		t.Errorf("%+v", m)
	}
	server := Read(t, personal.Importer{}, LayerFixture(all[1], CutJSON).Tree(t))
	if server.Skipped["deleted-there"] != 1 || server.Unknown["memory:embedding_vector"] != 1 || server.Records[0].Type != memory.Context || server.Records[0].Tags[1] != "q3" {
		t.Errorf("%+v", server)
	}
}

func TestRefusals(t *testing.T) {
	m, err := personal.Importer{}.Sniff(t.Context(), Loose("x.json", `{"export_version":"2.0","user_id":"u","categories":{"preference":{"count":0,"records":[]}}}`).Tree(t))
	if err != nil || m.Advice == nil || m.Advice.Reason != "personal-version" {
		t.Errorf("%+v, %v", m, err)
	}
	r := Read(t, personal.Importer{}, Loose("x.json", `{"export_version":"1.0","mood":1,"record_count":3,"categories":{"preference":{"count":3,"records":[
		{"memory_id":"a","content":"Likes tea","created_at":"2026-01-02T00:00:00Z"},{"memory_id":"b","content":"Likes tea"}]}},"user_id":"u"}`).Tree(t))
	if len(r.Records) != 1 || r.Records[0].Owner != "u" || len(r.Problems) != 2 || r.Problems[0].Reason != "personal-record" || r.Problems[1].Reason != "personal-count" || r.Unknown["document:mood"] != 1 {
		t.Errorf("%+v", r)
	}
}

// Promise: whatever was said, a transcript is read as what was written.
func TestTranscripts(t *testing.T) {
	for text, turns := range map[string]int{
		"user: Hi\n\nassistant: A\n\nB\n\nuser: Bye": 3, "user: one\n\n[other branches]\n\nuser: two": 2, "tool: x\n\n\nsystem: y": 2,
	} {
		quoted := strings.ReplaceAll(text, "\n", `\n`)
		r := Read(t, personal.Importer{}, Loose("x.json", `{"export_version":"1.0","user_id":"u","categories":{"conversation":{"records":[
			{"memory_id":"a","content_type":"transcript","content":"`+quoted+`","created_at":"2026-01-02T00:00:00Z"}]}}}`).Tree(t))
		if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != turns {
			t.Errorf("%q: %+v", text, r.Conversations)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.Personal() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, personal.Importer{}, "x.json")
}
