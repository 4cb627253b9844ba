package core_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// keptHome is a vault with a circle of one memory, and a file of the person's own.
func keptHome(t *testing.T) (svc *core.Service, id, file string) {
	t.Helper()
	svc = fresh(t).Service
	id = addTo(t, svc, "Plays the oboe. Write to robin@example.org.", false)
	if _, err := svc.MakeCircle(t.Context(), core.Circle{Name: "Work"}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.JoinCircle(t.Context(), "work", []string{id}, true); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "CLAUDE.md")
	if err := os.WriteFile(file, []byte("# Mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	return svc, id, file
}

func addTo(t *testing.T, svc *core.Service, content string, join bool) string {
	t.Helper()
	r, err := svc.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: content})
	if err != nil {
		t.Fatal(err)
	}
	if join {
		if _, err := svc.JoinCircle(t.Context(), "work", []string{r.ID}, true); err != nil {
			t.Fatal(err)
		}
	}
	return r.ID
}

func wantFile(t *testing.T, path string, with, without []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# Mine") {
		t.Fatalf("%s, %v", text, err)
	}
	for _, want := range with {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in it:\n%s", want, text)
		}
	}
	for _, not := range without {
		if strings.Contains(string(text), not) {
			t.Errorf("%q is in it:\n%s", not, text)
		}
	}
}

// TestAKeptFile follows the circle that it is for: what comes, changes and goes there, and nothing of
// the rest; each time it is a line of the log. Stopped, it is as it was.
func TestAKeptFile(t *testing.T) {
	svc, id, file := keptHome(t)
	addTo(t, svc, "Canary outside.", false)
	k, err := svc.KeepHandoff(t.Context(), "claude-md", file, core.HandoffOptions{For: "work"})
	if err != nil || k.Memories != 1 {
		t.Fatalf("%+v, %v", k, err)
	}
	wantFile(t, file, []string{"Plays the oboe", "keepsake:begin"}, []string{"Canary", "robin@example.org"})
	lines := func() int { return countLog(t, svc, "handoff") }
	before := lines()
	rewrite(t, svc)
	if lines() != before {
		t.Error("what did not change was written")
	}
	second := addTo(t, svc, "Lives in Porto.", true)
	rewrite(t, svc)
	wantFile(t, file, []string{"Plays the oboe", "Porto"}, []string{"Canary"})
	if lines() != before+1 {
		t.Errorf("%d lines, %d before", lines(), before)
	}
	if _, err := svc.JoinCircle(t.Context(), "work", []string{id}, false); err != nil {
		t.Fatal(err)
	}
	rewrite(t, svc)
	wantFile(t, file, []string{"Porto"}, []string{"oboe"})
	if _, err := svc.SetStatus(t.Context(), second, memory.Retracted, ""); err != nil {
		t.Fatal(err)
	}
	rewrite(t, svc)
	wantFile(t, file, []string{"keepsake:begin"}, []string{"Porto", "oboe"})
	if left, err := svc.StopKeeping(t.Context(), file, false); err != nil || left != nil {
		t.Fatalf("%q, %v", left, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "# Mine" {
		t.Errorf("%q, %v", text, err)
	}
	if all, err := svc.KeptFiles(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	_, err = svc.StopKeeping(t.Context(), file, false)
	wantKept(t, err, "no-kept-file")
}

func wantKept(t *testing.T, err error, reason string) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Reason != reason {
		t.Errorf("%v, want %s", err, reason)
	}
}

func rewrite(t *testing.T, svc *core.Service) {
	t.Helper()
	if err := svc.RewriteKept(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func countLog(t *testing.T, svc *core.Service, action string) (n int) {
	t.Helper()
	page, err := svc.Log(t.Context(), core.LogQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		if e.Action == action {
			n++
		}
	}
	return n
}

// TestAKeptFileIsStopped with one sentence, and stays as it is, where its markers are not one pair, the
// block or the circle is gone, or a link stands in its place.
func TestAKeptFileIsStopped(t *testing.T) {
	for what, spoil := range map[string]func(t *testing.T, svc *core.Service, file string){
		"kept-markers": func(t *testing.T, _ *core.Service, file string) {
			text, _ := os.ReadFile(file)
			overwriteFile(t, file, string(text)+"<!-- keepsake:begin -->\n")
		},
		"kept-block-gone": func(t *testing.T, _ *core.Service, file string) { overwriteFile(t, file, "# Mine\n") },
		"kept-not-plain": func(t *testing.T, _ *core.Service, file string) {
			if err := os.Rename(file, file+"2"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(file+"2", file); err != nil {
				t.Skip("no links here: ", err)
			}
		},
		"kept-circle-gone": func(t *testing.T, svc *core.Service, _ string) {
			if _, err := svc.DropCircle(t.Context(), "work"); err != nil {
				t.Fatal(err)
			}
			if _, err := svc.MakeCircle(t.Context(), core.Circle{Name: "Work"}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			svc, _, file := keptHome(t)
			if _, err := svc.KeepHandoff(t.Context(), "agents-md", file, core.HandoffOptions{For: "work"}); err != nil {
				t.Fatal(err)
			}
			spoil(t, svc, file)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, svc)
			all, err := svc.KeptFiles(t.Context())
			if err != nil || len(all) != 1 || all[0].Stopped == nil || all[0].Stopped.Reason != what {
				t.Fatalf("%+v, %v", all, err)
			}
			addTo(t, svc, "Lives in Porto.", false)
			rewrite(t, svc)
			if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
				t.Errorf("%s, %v", after, err)
			}
			if _, err := svc.StopKeeping(t.Context(), file, true); err != nil {
				t.Error(err)
			}
		})
	}
}

func overwriteFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWhatIsNotKept: a target of several texts, no circle, what is for one time only; and a file that
// was made for the block goes with it.
func TestWhatIsNotKept(t *testing.T) {
	svc, id, file := keptHome(t)
	for reason, ask := range map[string]struct {
		target string
		o      core.HandoffOptions
	}{
		"kept-target":    {"chatgpt", core.HandoffOptions{For: "work"}},
		"unknown-target": {"other", core.HandoffOptions{For: "work"}},
		"kept-no-circle": {"claude-md", core.HandoffOptions{}},
		"kept-once":      {"claude-md", core.HandoffOptions{For: "work", Without: []string{id}}},
	} {
		_, err := svc.KeepHandoff(t.Context(), ask.target, file, ask.o)
		wantKept(t, err, reason)
	}
	_, err := svc.KeepHandoff(t.Context(), "claude-md", file, core.HandoffOptions{For: "nobody"})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	made := filepath.Join(filepath.Dir(file), "AGENTS.md")
	for range 2 { // kept twice it is kept once
		if _, err := svc.KeepHandoff(t.Context(), "agents-md", made, core.HandoffOptions{For: "work"}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := svc.KeptFiles(t.Context()); err != nil || len(all) != 1 || !all[0].Made {
		t.Errorf("%+v, %v", all, err)
	}
	if left, err := svc.StopKeeping(t.Context(), made, false); err != nil || left != nil {
		t.Errorf("%q, %v", left, err)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the file that was made for it stays")
	}
}
