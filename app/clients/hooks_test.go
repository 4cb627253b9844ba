package clients

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/fault"
)

const (
	hookCommand = "/opt/keepsake/keepsake-cli hook claude-code"
	otherPlace  = "'/home/it'\\''s me/keepsake' hook claude-code --vault /v"
)

// Promise: with the hooks of Keepsake and without them again, settings are as they were, byte for byte;
// in between nothing of them is missing, and hooks that start another Keepsake are changed and not added.
func TestRoundTripOfHooks(t *testing.T) {
	for seed := range uint64(3_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := generator{r, hooksTable, r.IntN(3) > 0, r.IntN(2) == 0, []string{"  ", "\t", "    "}[r.IntN(3)], []string{"\n", "\r\n"}[r.IntN(2)]}
		before := g.settings()
		text := before
		for _, command := range []string{hookCommand, hookCommand, otherPlace} {
			after, _, err := hooksEdited(text, command)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if n := bytes.Count(after, quotedBytes(command)); n != len(hookEvents()) {
				t.Fatalf("seed %d: the command stands %d times\n%s", seed, n, after)
			}
			if command == hookCommand && bytes.Contains(text, quotedBytes(command)) && !bytes.Equal(after, text) {
				t.Fatalf("seed %d: connected twice\n%s", seed, after)
			}
			text = after
		}
		again, connected, err := hooksEdited(text, "")
		if err != nil || !connected || !bytes.Equal(again, before) {
			t.Fatalf("seed %d: %v, %v\n--- before\n%s\n--- connected\n%s\n--- after\n%s", seed, connected, err, before, text, again)
		}
	}
}

func quotedBytes(text string) []byte { return []byte(quoted(text).text("", "", "")) }

// TestHooksOfOthers: a hook of ours among those of somebody else is taken out alone, and a group that
// holds no other goes with it.
func TestHooksOfOthers(t *testing.T) {
	ours := `{"type": "command", "command": "` + hookCommand + `"}`
	for before, want := range map[string]string{
		`{"hooks": {"SessionEnd": [{"matcher": "x", "hooks": [{"command": "a"}, ` + ours + `, {"command": "b"}]}]}}`: `{"hooks": {"SessionEnd": [{"matcher": "x", "hooks": [{"command": "a"}, {"command": "b"}]}]}}`,
		`{"hooks": {"SessionEnd": [{"matcher": "x", "hooks": [` + ours + `]}, {"hooks": [{"command": "b"}]}]}}`:      `{"hooks": {"SessionEnd": [{"hooks": [{"command": "b"}]}]}}`,
		`{"hooks": {"Stop": [{"hooks": [` + ours + `]}]}}`:                                                           `{"hooks": {"Stop": [{"hooks": [` + ours + `]}]}}`,
		`{"hooks": {"SessionEnd": [{"hooks": [` + ours + `, ` + ours + `]}]}}`:                                       `{"hooks": {"SessionEnd": []}}`,
	} {
		after, _, err := hooksEdited([]byte(before), "")
		if err != nil || string(after) != want {
			t.Errorf("%s: %v\n%s", before, err, after)
		}
	}
}

// TestWhichHooksAreOurs: a command of ours is recognized with and without quotes and a vault.
func TestWhichHooksAreOurs(t *testing.T) {
	c := client(t, "claude-code")
	for _, program := range []string{"/usr/bin/keepsake-cli", "/home/it's me/keepsake", "C:/Program Files/Keepsake/keepsake-cli.exe", "keepsake"} {
		for _, dir := range []string{"", "/a vault"} {
			if command, err := c.HookCommand(program, dir); err != nil || !isOurHook(command) {
				t.Errorf("%s: %v", command, err)
			}
		}
	}
	for _, other := range []string{"", "hook claude-code", "keepsake", "keepsake hook", "keepsake mcp hook x", "notkeepsake hook claude-code", "echo keepsake hook x", "keepsake-cli  hook", "rm -rf /; keepsake hook x"} {
		if isOurHook(other) {
			t.Errorf("%s is taken for ours", other)
		}
	}
}

// TestHooksThatAreNotEdited are refused with a sentence, and the file stays.
func TestHooksThatAreNotEdited(t *testing.T) {
	c := client(t, "claude-code")
	path := filepath.Join(t.TempDir(), "settings.json")
	for text, reason := range map[string]string{
		`{"hooks": []}`: "client-hooks-form", `{"hooks": {"SessionEnd": {}}}`: "client-hooks-form", `{"hooks": {"SessionEnd": [1]}}`: "client-hooks-form",
		`{"hooks": {"SessionEnd": [{"hooks": 1}]}}`: "client-hooks-form", `{"hooks": {}, "hooks": {}}`: "client-hooks-form", `{"hooks": {`: "client-file-syntax", `[]`: "client-hooks-form",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := c.ConnectHooks(path, hookCommand); fault.From(err) == nil || fault.From(err).Reason != reason {
			t.Errorf("%s: %v\n%s", text, err, p.After)
		}
	}
}

// TestHooksOfAFileThatIsNotThere are written as the snippet is, with a folder.
func TestHooksOfAFileThatIsNotThere(t *testing.T) {
	c := client(t, "claude-code")
	home := t.TempDir()
	path := c.HooksFile(Places{Home: home, Getenv: func(string) string { return "" }})
	p, err := c.ConnectHooks(path, hookCommand)
	if err != nil || string(p.After) != c.HooksSnippet(hookCommand) || !strings.Contains(string(p.After), `"SessionStart": [`) {
		t.Fatalf("%v\n%s\n%s", err, p.After, c.HooksSnippet(hookCommand))
	}
	if _, err := p.Write(); err != nil {
		t.Fatal(err)
	}
	again, err := c.DisconnectHooks(path)
	if err != nil || !again.Connected || strings.TrimSpace(string(again.After)) != "{}" {
		t.Errorf("%v\n%s", err, again.After)
	}
}
