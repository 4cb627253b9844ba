//go:build !windows

package sessions_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"keepsake/app/clients"
	"keepsake/app/sessions"
	"keepsake/backend/fault"
)

// home makes a home folder with a session of Claude Code, and returns its path.
func home(t *testing.T) (places clients.Places, session string) {
	t.Helper()
	dir := t.TempDir()
	session = filepath.Join(dir, ".claude", "projects", "-tea", "5f2c0a4e.jsonl")
	write(t, session, "a line\n")
	return clients.Places{Home: dir, Getenv: func(string) string { return "" }}, session
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, id string, places clients.Places, path string) (string, error) {
	t.Helper()
	a, ok := sessions.Named(id)
	if !ok {
		t.Fatal(id)
	}
	f, err := a.Open(places, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f.Content())
	return string(text), err
}

// TestOnlySessionsAreOpened: whatever path another program names, only a plain file of this account
// where the assistant keeps its sessions is opened, and nothing is waited for.
func TestOnlySessionsAreOpened(t *testing.T) {
	places, session := home(t)
	project, secret := filepath.Dir(session), filepath.Join(places.Home, ".ssh", "id.jsonl")
	write(t, secret, "secret")
	in := func(name string) string { return filepath.Join(project, name) }
	if err := os.Mkdir(in("folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.jsonl": secret, "near.jsonl": session, "none.jsonl": in("nothing"), "device.jsonl": "/dev/zero", "../linked": project} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, in("large.jsonl"), "")
	if err := os.Truncate(in("large.jsonl"), 256<<20+1); err != nil {
		t.Fatal(err)
	}
	write(t, in("deep/inside.jsonl"), "x")
	write(t, in("notes.txt"), "x")
	if text, err := open(t, "claude-code", places, session); err != nil || text != "a line\n" {
		t.Errorf("%q, %v", text, err)
	}
	for path, reason := range map[string]string{
		secret: "session-outside", "/dev/zero": "session-outside", "": "session-outside", filepath.Base(session): "session-outside",
		in("../../../.ssh/id.jsonl"): "session-outside", in("deep/inside.jsonl"): "session-outside", in("notes.txt"): "session-outside",
		in("folder.jsonl"): "session-not-plain", in("pipe.jsonl"): "session-not-plain", in("link.jsonl"): "session-not-plain", in("near.jsonl"): "session-not-plain",
		in("none.jsonl"): "session-not-plain", in("device.jsonl"): "session-not-plain", in("../linked/" + filepath.Base(session)): "session-not-plain",
		in("large.jsonl"): "session-file-too-large", in("gone.jsonl"): "session-unreadable", in("a\x00b.jsonl"): "session-unreadable",
	} {
		if text, err := open(t, "claude-code", places, path); fault.From(err) == nil || fault.From(err).Reason != reason {
			t.Errorf("%q: %q, %v, want %s", path, text, err, reason)
		}
	}
}

// TestSessionsOfOthers are refused, however they came into the folder. Only root can give a file away.
func TestSessionsOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another account")
	}
	places, session := home(t)
	if err := os.Chown(session, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if text, err := open(t, "claude-code", places, session); fault.From(err) == nil || fault.From(err).Reason != "session-foreign" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestLinkedFolders: the person may keep the folder of an assistant elsewhere.
func TestLinkedFolders(t *testing.T) {
	places, session := home(t)
	elsewhere := filepath.Join(t.TempDir(), "dotfiles")
	if err := os.Rename(filepath.Join(places.Home, ".claude"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(places.Home, ".claude")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{session, filepath.Join(elsewhere, "projects", "-tea", "5f2c0a4e.jsonl")} {
		if text, err := open(t, "claude-code", places, path); err != nil || text != "a line\n" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}

// TestSessionsOfCodexAreFound by their id, in the folder that a variable names too.
func TestSessionsOfCodexAreFound(t *testing.T) {
	dir := t.TempDir()
	id := "0198f3a2-0000-7000-8000-000000000001"
	session := filepath.Join(dir, "sessions", "2026", "08", "01", "rollout-2026-08-01T10-00-00-"+id+".jsonl")
	write(t, session, "x")
	places := clients.Places{Home: t.TempDir(), Getenv: func(name string) string { return map[string]string{"CODEX_HOME": dir}[name] }}
	a, _ := sessions.Named("codex")
	found, err := a.Find(places, id)
	if err != nil || found != session {
		t.Errorf("%s, %v", found, err)
	}
	if text, err := open(t, "codex", places, found); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
	for _, id := range []string{"", "*", "../../../x", "0198f3a2-0000-7000-8000-000000000002", "[a-z]*"} {
		if found, err := a.Find(places, id); fault.From(err) == nil || fault.From(err).Reason != "session-unknown" {
			t.Errorf("%q: %q, %v", id, found, err)
		}
	}
}
