package jan_test

import (
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/jan"
)

// TestTooLargeThread: a thread that is more than is held of one.
func TestTooLargeThread(t *testing.T) {
	row := func(thread, text string) string {
		return `{"id":"","object":"thread.message","thread_id":"` + thread + `","role":"user","content":[{"type":"text","text":{"value":"` + text + `"}}]}` + "\n"
	}
	CheckLimit(t, jan.Importer{}, jan.Holding(1000), "long.jsonl", strings.Repeat(row("long", strings.Repeat("x", 200)), 20),
		Loose("small.jsonl", row("small", "said")))
}
