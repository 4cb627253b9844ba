package web_test

import (
	"runtime"
	"strings"
	"testing"
)

// TestCallsAreBoundedInTheirValues sends calls of up to 8 MiB: what they hold is counted
// before it is decoded, wherever in the arguments it stands.
func TestCallsAreBoundedInTheirValues(t *testing.T) {
	s := serve(t).open(t)
	list := func(of string, n int) string { return "[" + of + strings.Repeat(","+of, n-1) + "]" }
	const uuid = `"01234567-89ab-cdef-0123-456789abcdef"`
	for _, c := range []struct{ what, args, reason string }{
		{"three million arguments", list("0", 3_000_000), "call-too-large"},
		{"a list of three million", "[" + list("0", 3_000_000) + "]", "call-too-large"},
		{"two million empty objects", "[" + list("{}", 2_000_000) + "]", "call-too-large"},
		{"empty lists", list("[]", 2_000_000), "call-too-large"},
		{"empty texts", list(`""`, 2_000_000), "call-too-large"},
		{"members of an object", `[{"a":0` + strings.Repeat(`,"a":0`, 1_000_000) + "}]", "call-too-large"},
		{"lists in lists", strings.Repeat("[", 65) + strings.Repeat("]", 65), "call-too-large"},
		{"a million lists in lists", strings.Repeat("[", 4_000_000), "call-too-large"},
		{"as many ids as fit", "[" + list(uuid, 8<<20/(len(uuid)+1)-10) + "]", "wrong-argument"},
		{"a text of commas and brackets", `["` + strings.Repeat(`,[{\"\\`, 900_000) + `"]`, "wrong-argument"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, failed := s.call(t, "Library.List", c.args)
		runtime.ReadMemStats(&after)
		if failed.Reason != c.reason {
			t.Errorf("%s: %+v, want %s", c.what, failed, c.reason)
		}
		// both ends of the connection are in this process: the body is there several times
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; c.reason == "call-too-large" && took > 100 {
			t.Errorf("%s took %d MB", c.what, took)
		}
	}
}
