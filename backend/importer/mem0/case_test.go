package mem0_test

import (
	"slices"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/mem0"
)

// TestCase43FirstPageAndOwnSchema is §13.43: a dump with only the first page, and an export in a
// schema of the caller's own that is no list.
func TestCase43FirstPageAndOwnSchema(t *testing.T) {
	parts := func(text string) int {
		n := 0
		for _, p := range Read(t, mem0.Importer{}, Loose("mem0.json", text).Tree(t)).Problems {
			if p.Reason == "mem0-first-page" {
				n++
			}
		}
		return n
	}
	if parts(`{"count":30,"next":"https://example.org/?page=2","results":[{"id":"1","memory":"Likes tea","user_id":"u"}]}`) != 1 {
		t.Error("a page that names the next one is taken for the whole")
	}
	if parts(`{"count":1,"next":null,"results":[{"id":"1","memory":"Likes tea","user_id":"u"}]}`) != 0 {
		t.Error("the last page is called a part")
	}
	free := Loose("export.json", `{"full_name":"Robin","hobbies":["tea","piano"],"job":{"title":"gardener","years":7}}`)
	r := Read(t, mem0.Importer{}, free.Tree(t))
	if want := []string{"full name: Robin", "hobbies: tea", "hobbies: piano", "job / title: gardener"}; !slices.Equal(r.Contents(), want) {
		t.Errorf("%q, want %q", r.Contents(), want)
	}
}

// TestField16NearRelatives: exports in a wrapper, and points of the vector store that mem0
// keeps its memories in, as an answer, a list or lines.
func TestField16NearRelatives(t *testing.T) {
	const item = `{"id":"i1","memory":"Drinks oat milk","hash":"aa","user_id":"pat","created_at":"2026-05-01T10:00:00Z"}`
	const point = `{"id":"i1","payload":{"data":"Drinks oat milk","hash":"aa","user_id":"pat","created_at":"2026-05-01T10:00:00Z"},"vector":null}`
	for name, text := range map[string]string{
		"a.json": `{"version":"1.0","exported_at":"2026-06-01T10:00:00Z","memories":[` + item + `]}`,
		"b.json": `{"result":{"points":[` + point + `],"next_page_offset":null},"status":"ok"}`,
		"c.json": `{"points":[` + point + `]}`, "d.json": "[" + point + "]", "e.jsonl": point + "\n" + `{"id":"i2","payload":{"data":"Lives in a shed","hash":"b"}}` + "\n",
	} {
		f := Loose(name, text)
		if m, err := (mem0.Importer{}).Sniff(t.Context(), f.Tree(t)); err != nil || m.Format == "" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		r := Read(t, mem0.Importer{}, f.Tree(t))
		if len(r.Memories) == 0 || r.Memories[0].Content != "Drinks oat milk" || r.Memories[0].SourceKey != "mem0:i1" || r.Memories[0].PlatformUserID != "pat" ||
			r.Memories[0].CreatedAt.String() != "2026-05-01T10:00:00Z" || name == "e.jsonl" != (len(r.Memories) == 2) {
			t.Errorf("%s: %+v, %+v", name, r.Memories, r.Problems)
		}
	}
}
