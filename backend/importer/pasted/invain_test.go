package pasted

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Promise: what a text takes grows with its length, also where each of its lines begins
// with a bracket that is no JSON, or none that ends.
func TestBracketsAreNotReadToTheEndEachTime(t *testing.T) {
	const lines = 20_000
	var dates strings.Builder
	for i := range lines {
		fmt.Fprintf(&dates, "[2026-01-%02d] - Passed the gate on walk number %d\n", 1+i%28, i)
	}
	for name, c := range map[string]struct {
		text    string
		entries int
	}{
		"dates":    {dates.String(), lines},
		"objects":  {strings.Repeat("{\"a\":\n", lines), 0},
		"lists":    {strings.Repeat("[[\n", lines), 0},
		"sections": {strings.Repeat("{\"a\":[\"b\",\n", lines), 0},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found := parse(c.text)
		runtime.ReadMemStats(&after)
		each := (after.TotalAlloc - before.TotalAlloc) / lines
		t.Logf("%s: %d bytes of memory a line", name, each)
		if c.entries > 0 && len(found.entries) != c.entries || each > 64<<10 {
			t.Errorf("%s: %d entries, %d bytes of memory a line", name, len(found.entries), each)
		}
	}
}
