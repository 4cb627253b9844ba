package bridge_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/app/clients"
	"keepsake/backend/core"
	"keepsake/backend/memory"
)

// Promise: hooks that the command line wrote, kept files and watched folders are in one list, and each is
// taken back from there. The page names no path.
func TestWhatRunsByItself(t *testing.T) {
	home := t.TempDir()
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(variable, home)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	svc, b := bridged(t, &desk{})
	t.Cleanup(b.Close)
	if _, err := svc.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	kept := filepath.Join(t.TempDir(), "CLAUDE.md")
	put(t, kept, "# Mine\n")
	keepIn(t, svc, kept)
	settings := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, settings, "{}\n")
	put(t, filepath.Join(home, ".claude.json"), "{}\n")
	connectWithHooks(t, settings)

	if err := errors.Join(b.Library.WatchSessions("claude-code", true), b.Library.WatchSessions("codex", true), b.Library.WatchSessions("codex", false)); err != nil {
		t.Fatal(err)
	}
	reason(t, b.Library.WatchSessions("cursor", true), "client-unknown")
	all, err := b.Library.ByItself()
	if err != nil || len(all.Watched) != 4 || len(all.Hooks) != 1 || len(all.Kept) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if w := all.Watched[0]; !w.On || !w.Found || w.Kind != "claude-code" || w.Folder != filepath.Join(home, ".claude", "projects") || all.Watched[1].On || all.Watched[1].Found {
		t.Errorf("%+v", all.Watched)
	}
	if k := all.Kept[0]; k.File != kept || k.Circle != "Work" || k.Memories != 1 || k.Stopped != nil {
		t.Errorf("%+v", k)
	}

	listed, err := b.Clients.List()
	if err != nil || !listed[1].Hooks || listed[2].Hooks {
		t.Errorf("%+v, %v", listed, err)
	}
	plan, err := b.Clients.PlanDisconnect("claude-code")
	if err != nil || len(plan.Files) != 2 || plan.Files[1].File != settings {
		t.Fatalf("%+v, %v", plan, err)
	}
	if written, err := b.Clients.Write(plan.Token); err != nil || len(written) != 2 {
		t.Errorf("%+v, %v", written, err)
	}
	holds(t, settings, "{}\n")
	holds(t, filepath.Join(home, ".claude.json"), "{}\n")
	connectWithHooks(t, settings)
	plan, err = b.Clients.PlanStopHooks("claude-code")
	if err != nil || len(plan.Files) != 1 || plan.Files[0].File != settings {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := b.Clients.Write(plan.Token); err != nil {
		t.Error(err)
	}
	holds(t, settings, "{}\n")
	plan, err = b.Clients.PlanStopHooks("cursor")
	if err != nil || plan.Token != "" {
		t.Errorf("%+v, %v", plan, err)
	}

	if stopped, err := b.Library.StopKeeping(all.Kept[0].ID); err != nil || stopped.Left != nil {
		t.Errorf("%+v, %v", stopped, err)
	}
	holds(t, kept, "# Mine\n")
	_, err = b.Library.StopKeeping(kept) // a path is none
	reason(t, err, "no-kept-file")
	if err := b.Library.WatchSessions("claude-code", false); err != nil {
		t.Fatal(err)
	}
	all, err = b.Library.ByItself()
	if err != nil || all.Watched[0].On || len(all.Hooks)+len(all.Kept) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// keepIn keeps the hand-off of a circle with one memory in a file.
func keepIn(t *testing.T, svc *core.Service, file string) {
	t.Helper()
	r, err := svc.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: "Plays the oboe."})
	if err != nil {
		t.Fatal(err)
	}
	_, made := svc.MakeCircle(t.Context(), core.Circle{Name: "Work"})
	_, joined := svc.JoinCircle(t.Context(), "work", []string{r.ID}, true)
	_, kept := svc.KeepHandoff(t.Context(), "claude-md", file, core.HandoffOptions{For: "work"})
	if err := errors.Join(made, joined, kept); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "oboe") {
		t.Fatalf("%s, %v", text, err)
	}
}

// connectWithHooks does what the command line does for Claude Code.
func connectWithHooks(t *testing.T, settings string) {
	t.Helper()
	client, err := clients.Named("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	places, err := clients.Here(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := client.NewEntry("/usr/bin/keepsake-cli", "")
	if err != nil {
		t.Fatal(err)
	}
	command, err := client.HookCommand(entry.Command, "")
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := client.ConnectHooks(settings, command)
	if err != nil {
		t.Fatal(err)
	}
	server, err := client.Connect(client.File(places), entry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []clients.Plan{hooks, server} {
		if _, err := p.Write(); err != nil {
			t.Fatal(err)
		}
	}
}
