package search_test

import (
	"testing"

	"keepsake/backend/search"
)

// TestNarrow: a filter from outside binds whatever was typed, also alternatives.
func TestNarrow(t *testing.T) {
	q, err := search.Parse("tea OR coffee")
	if err != nil {
		t.Fatal(err)
	}
	if same := q.Narrow("platform"); same.Empty() || same.String() != q.String() {
		t.Error("no value changed the query")
	}
	if search.Query.Narrow(search.Query{}, "platform", "claude").Empty() {
		t.Error("a filter alone is a query")
	}
}
