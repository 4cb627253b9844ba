package importertest

import (
	"strings"
	"testing"

	"keepsake/backend/importer"
)

// CheckLimit holds a reader of sessions to its limit: what limited reads has a session in
// text that is over it and left out, with a sentence and counted once, and what stands in
// the other files is read.
func CheckLimit(t *testing.T, im, limited importer.Importer, name, text string, others Fixture) {
	t.Helper()
	want := len(Read(t, im, others.Tree(t)).Conversations)
	alone := Read(t, limited, others.Tree(t))
	if want == 0 || len(alone.Conversations) != want || len(alone.Problems) > 0 {
		t.Fatalf("without it: %d conversations of %d, %+v", len(alone.Conversations), want, alone.Problems)
	}
	both := others
	both.Files = append(both.Files[:len(both.Files):len(both.Files)], Loose(name, text).Files...)
	r := Read(t, limited, both.Tree(t))
	if len(r.Conversations) != want {
		t.Errorf("%d conversations, want %d", len(r.Conversations), want)
	}
	if len(r.Problems) != 1 || !r.Problems[0].Conversation || r.Problems[0].Path != name || !strings.HasPrefix(r.Problems[0].At, "line ") {
		t.Fatalf("problems %+v", r.Problems)
	}
	if p := r.Problems[0]; p.Reason != "session-too-large" || !strings.Contains(p.Message, "The session in "+name+" is larger") {
		t.Errorf("%s: %s", p.Reason, p.Message)
	}
}
