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
