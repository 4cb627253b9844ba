package importer_test

import (
	"slices"
	"testing"

	"keepsake/backend/importer"
)

// TestPile holds that scattered rows come out whole, and what is too large never.
func TestPile(t *testing.T) {
	var p importer.Pile[int]
	rows := []struct {
		group string
		row   int
	}{{"a", 1}, {"b", 2}, {"a", 3}, {"c", 4}, {"b", 5}}
	for _, r := range rows {
		p.Expect(r.group)
	}
	p.Expect("c") // a row that does not come
	var got []int
	for _, r := range rows {
		whole, refused := p.Put(r.group, r.row, 1)
		if refused {
			t.Errorf("%d refused", r.row)
		}
		got = append(got, whole...)
	}
	if rest := p.Rest(); !slices.Equal(got, []int{1, 3, 2, 5}) || len(rest) != 1 || !slices.Equal(rest[0], []int{4}) || len(p.Rest()) != 0 {
		t.Errorf("%v, rest %v", got, rest)
	}
	small := importer.Pile[int]{Max: 2}
	for range 3 {
		small.Expect("big")
	}
	for i, want := range []bool{false, true, false} {
		if whole, refused := small.Put("big", i, 2); refused != want || whole != nil {
			t.Errorf("row %d: %v, %v", i, whole, refused)
		}
	}
}
