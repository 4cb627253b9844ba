package sessions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"keepsake/app/sessions"
)

func paths(t *testing.T, w sessions.Waiting) (all []string) {
	t.Helper()
	waiting, err := w.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range waiting {
		all = append(all, s.Path)
	}
	slices.Sort(all)
	return all
}

func add(t *testing.T, w sessions.Waiting, path string) {
	t.Helper()
	if err := w.Add("claude-code", path); err != nil {
		t.Fatal(err)
	}
}

// TestWaiting: a session waits once, for one vault, until it was taken; one that is added while it is
// being read waits anew, and one that a killed owner was reading is not lost.
func TestWaiting(t *testing.T) {
	folder, vault := t.TempDir(), t.TempDir()
	w := sessions.NewWaiting(folder, vault)
	if len(paths(t, w)) != 0 {
		t.Error("something waits in a folder that is not there")
	}
	for _, path := range []string{"/a", "/b", "/a"} {
		add(t, w, path)
	}
	if got := paths(t, w); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("%v wait", got)
	}
	if other := paths(t, sessions.NewWaiting(folder, t.TempDir())); len(other) != 0 {
		t.Errorf("%v wait for another vault", other)
	}
	all, err := w.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		taken, err := w.Take(s)
		if err != nil {
			t.Fatal(err)
		}
		if s.Path == "/a" {
			add(t, w, "/a") // the hook ran again meanwhile
			w.Remove(taken)
		}
	}
	if got := paths(t, w); !slices.Equal(got, []string{"/a", "/b"}) { // of /b the owner was killed
		t.Errorf("%v wait", got)
	}
	all, _ = w.All()
	for _, s := range all {
		taken, err := w.Take(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Return(taken); err != nil {
			t.Fatal(err)
		}
	}
	if got := paths(t, w); !slices.Equal(got, []string{"/a", "/b"}) {
		t.Errorf("%v wait", got)
	}
}

// TestWaitingIsBounded, readable by this account alone, and a file that is none of ours is dropped.
func TestWaitingIsBounded(t *testing.T) {
	folder := t.TempDir()
	w := sessions.NewWaiting(folder, t.TempDir())
	for i := range 510 {
		add(t, w, fmt.Sprintf("/%d", i))
	}
	if got := paths(t, w); len(got) != 500 {
		t.Errorf("%d wait", len(got))
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(files) != 500 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range append(files, filepath.Dir(files[0])) {
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Fatalf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := os.WriteFile(files[0], []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := paths(t, w); len(got) != 499 {
		t.Errorf("%d wait", len(got))
	}
	if _, err := os.Stat(files[0]); err == nil {
		t.Error("what is no session stays")
	}
}
