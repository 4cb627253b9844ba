package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"keepsake/backend/fault"
)

// Promise: the status of each client is right: no trace of it, a folder without settings,
// settings without us, an entry of another program, ours, and a file that cannot be edited.
func TestHowClientsStand(t *testing.T) {
	home := t.TempDir()
	p := Places{runtime.GOOS, home, filepath.Join(home, "config"), func(string) string { return "" }}
	put := func(text string, path ...string) {
		t.Helper()
		file := filepath.Join(append([]string{home}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ours := client(t, "gemini-cli")
	put("", ".claude", "history.jsonl")
	put(`{"mcpServers": {"other": {"command": "npx"}}}`, ".cursor", "mcp.json")
	put(ours.Snippet(entry(ours)), ".gemini", "settings.json")
	put(client(t, "lm-studio").Snippet(Entry{"/elsewhere/keepsake-cli", []string{"mcp"}}), ".lmstudio", "mcp.json")
	put("a = \n", ".codex", "config.toml")
	want := map[string]Status{
		"claude-code": {Found: true},
		"cursor":      {Found: true, Exists: true},
		"gemini-cli":  {Found: true, Exists: true, Connected: true, Current: true},
		"lm-studio":   {Found: true, Exists: true, Connected: true},
		"codex":       {Found: true, Exists: true},
	}
	for _, c := range All() {
		s := c.look(p, entry(c))
		w := want[c.ID]
		if s.Found != w.Found || s.Exists != w.Exists || s.Connected != w.Connected || s.Current != w.Current {
			t.Errorf("%s: %+v", c.ID, s)
		}
		if problem := fault.From(s.Problem); (c.ID == "codex") != (problem != nil && problem.Reason == "client-file-syntax") {
			t.Errorf("%s: %v", c.ID, s.Problem)
		}
		if s.File != c.File(p) {
			t.Errorf("%s has its settings in %s", c.ID, s.File)
		}
	}
}
