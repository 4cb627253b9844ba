package core_test

import (
	"os"
	"slices"
	"testing"

	"keepsake/backend/core"
)

// TestWindow15APlanTellsHowFarItIs in the bytes of all files that it looks at.
func TestWindow15APlanTellsHowFarItIs(t *testing.T) {
	k := fresh(t)
	size := func(path string) int64 { return ok(os.Stat(path)).Size() }
	one := k.write("one.json", book{Account: "ana", Conversations: []talk{{ID: "a", Title: "Tea", At: dayOne, Updated: dayOne, Lines: []line{{ID: "1", Role: "user", Text: "Which tea?", At: dayOne}}}}})
	two := k.write("two.json", book{Account: "rui", Conversations: []talk{{ID: "b", Title: "Coffee", At: dayOne, Updated: dayOne, Lines: []line{{ID: "1", Role: "user", Text: "Which coffee, then?", At: dayOne}}}}})
	var told [][2]int64
	plan, err := k.PlanImport(ctx, inputs(one, two), core.ImportOptions{
		OnLook: func(done, total int64) { told = append(told, [2]int64{done, total}) },
	})
	if err != nil || len(plan.Sources) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	total := size(one) + size(two)
	if last := told[len(told)-1]; len(told) < 3 || told[0][0] > size(one) || last != [2]int64{total, total} {
		t.Errorf("%v, of %d bytes and %d", told, size(one), size(two))
	}
	if !slices.ContainsFunc(told, func(at [2]int64) bool { return at[0] >= size(one) && at[0] < total }) {
		t.Errorf("%v: nothing is told between the two files", told)
	}
	if !slices.IsSortedFunc(told, func(a, b [2]int64) int { return int(a[0] - b[0]) }) {
		t.Errorf("%v goes back", told)
	}
}
