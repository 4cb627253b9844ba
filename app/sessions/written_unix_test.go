//go:build !windows

package sessions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"keepsake/app/sessions"
)

// TestWhatWasWritten since a time are sessions alone, the oldest first. Of very many the oldest are told,
// and one call after the other tells each of them once, also where some have the same time.
func TestWhatWasWritten(t *testing.T) {
	places, session := home(t)
	project := filepath.Dir(session)
	mark := time.Now().Add(-time.Hour)
	at := func(path string, when time.Time) {
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	at(session, mark)
	const all = 10_000
	for i := range all {
		path := filepath.Join(project, fmt.Sprintf("%05d.jsonl", i))
		write(t, path, "")
		at(path, mark.Add(time.Duration(1+(all-i)/7)*time.Millisecond))
	}
	write(t, filepath.Join(project, "deep", "x.jsonl"), "")
	write(t, filepath.Join(project, "notes.txt"), "")
	if err := syscall.Mkfifo(filepath.Join(project, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.jsonl": session, "../linked": project} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := sessions.Named("claude-code")
	seen := map[string]bool{}
	for calls, more := 0, true; more; calls++ {
		var found []sessions.Written
		var err error
		found, more, err = a.WrittenSince(places, mark)
		if err != nil || len(found) == 0 || len(found) > 1_010 || calls > 10 {
			t.Fatalf("%d found in call %d: %v", len(found), calls, err)
		}
		for _, s := range found {
			if seen[s.Path] || !s.At.After(mark) {
				t.Fatalf("%s twice, or too old", s.Path)
			}
			seen[s.Path] = true
		}
		for i := range found[1:] {
			if found[i].At.After(found[i+1].At) {
				t.Fatal("not in their order")
			}
		}
		mark = found[len(found)-1].At
	}
	if len(seen) != all {
		t.Errorf("%d of %d", len(seen), all)
	}
}

// TestWhatWasWrittenNowhere: a folder that is not there has no sessions.
func TestWhatWasWrittenNowhere(t *testing.T) {
	places, _ := home(t)
	a, _ := sessions.Named("codex")
	if found, more, err := a.WrittenSince(places, time.Time{}); err != nil || more || len(found) > 0 {
		t.Errorf("%v, %t, %v", found, more, err)
	}
}
