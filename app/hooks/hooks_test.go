package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/app/hooks"
	"keepsake/app/localsocket"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/importer/all"
	"keepsake/backend/memory"
)

var passphrase = []byte("correct horse battery staple")

// desk is a home folder with an assistant, and a vault with an owner that answers for it.
type desk struct {
	*core.Service
	at      hooks.Where
	session string // path of a session of Claude Code
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home, err := os.MkdirTemp("", "ks") // the name of a socket has an end at 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	d := &desk{at: hooks.Where{Vault: filepath.Join(t.TempDir(), "vault"), Agents: filepath.Join(t.TempDir(), "agents")}}
	if d.Service, err = core.New(core.Config{VaultDir: d.at.Vault, ScratchDir: t.TempDir(), Importers: all.Importers()}); err != nil {
		t.Fatal(err)
	}
	_, made := d.CreateVault(t.Context(), passphrase, "test")
	if err := errors.Join(made, d.AllowProposing(t.Context(), true)); err != nil {
		t.Fatal(err)
	}
	d.session = filepath.Join(home, ".claude", "projects", "-tea", "5f2c0a4e-0000-4000-8000-000000000001.jsonl")
	d.says(t, "u1", "", "I prefer trains to planes.")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		owner.Watch(ctx, d.Service, owner.Config{Folder: d.at.Agents, Failed: func(err error) { t.Errorf("nobody can ask: %v", err) }, Listening: func() {}})
	}()
	t.Cleanup(func() { cancel(); <-done; _ = d.Close() })
	d.until(t, "an owner listens", func() bool {
		conn, err := localsocket.Dial("agents", d.at.Vault)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
	return d
}

// says appends what the person says to the session.
func (d *desk) says(t *testing.T, id, parent, text string) {
	t.Helper()
	line, err := json.Marshal(map[string]any{
		"type": "user", "uuid": id, "parentUuid": parent, "sessionId": "5f2c0a4e-0000-4000-8000-000000000001", "timestamp": "2026-08-01T10:00:00.000Z",
		"cwd": "/home/robin/tea", "isSidechain": false, "message": map[string]any{"role": "user", "content": text},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(d.session), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(d.session, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
}

func (d *desk) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (d *desk) run(t *testing.T, name, path string) (out, line string) {
	t.Helper()
	event, err := json.Marshal(map[string]string{"hook_event_name": name, "session_id": "x", "transcript_path": path, "cwd": "/"})
	if err != nil {
		t.Fatal(err)
	}
	said, line := hooks.Run(t.Context(), d.at, "claude-code", event)
	return string(said), line
}

func (d *desk) allow(t *testing.T) {
	t.Helper()
	if _, err := d.AllowAgent(t.Context(), "claude-code", core.DefaultAgentGrant("work")); err != nil {
		t.Fatal(err)
	}
}

// proposed lists what waits in the Inbox.
func (d *desk) proposed(t *testing.T) (all []string) {
	t.Helper()
	page, err := d.Proposals(t.Context(), core.ProposalQuery{})
	if err != nil {
		return nil // locked
	}
	for _, p := range page.Items {
		all = append(all, p.Content)
	}
	return all
}

func (d *desk) calls(t *testing.T) (all []core.AgentCall) {
	t.Helper()
	page, err := d.AgentCalls(t.Context(), core.AgentCallQuery{Agent: "claude-code"})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// circle makes one with a memory in it.
func (d *desk) circle(t *testing.T, content string) {
	t.Helper()
	r, err := d.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: content})
	if err != nil {
		t.Fatal(err)
	}
	_, made := d.MakeCircle(t.Context(), core.Circle{Name: "Work"})
	_, joined := d.JoinCircle(t.Context(), "work", []string{r.ID}, true)
	if err := errors.Join(made, joined); err != nil {
		t.Fatal(err)
	}
}

// TestASessionIsTaken once the agent may propose: it is imported, what the person said is proposed, and
// each taking is one line of the log. A session that went on brings what is new, and no more.
func TestASessionIsTaken(t *testing.T) {
	d := newDesk(t)
	d.circle(t, "Plays the oboe.")
	if _, line := d.run(t, "PreCompact", d.session); !strings.Contains(line, "once Claude Code may propose") {
		t.Error(line)
	}
	d.allow(t)
	d.until(t, "the first session is taken", func() bool { return len(d.proposed(t)) == 1 })
	d.until(t, "it stands in the log", func() bool { return len(d.calls(t)) == 1 })
	d.says(t, "u2", "u1", "I live in Porto.")
	if _, line := d.run(t, "SessionEnd", d.session); line != "Keepsake takes this session." {
		t.Error(line)
	}
	d.until(t, "what came is taken", func() bool { return len(d.proposed(t)) == 2 })
	d.until(t, "it stands in the log, too", func() bool { return len(d.calls(t)) == 2 })
	for _, c := range d.calls(t) {
		if c.Tool != "session" || c.Refused != "" {
			t.Errorf("%+v", c)
		}
	}
	imports, err := d.Imports(t.Context())
	if err != nil || len(imports) != 2 || imports[0].Conversations.Updated != 1 || imports[1].Conversations.New != 1 {
		t.Errorf("%+v, %v", imports, err)
	}
}

// TestASessionWaitsForTheUnlock: while the vault is locked only its path is kept, beside the settings.
func TestASessionWaitsForTheUnlock(t *testing.T) {
	d := newDesk(t)
	d.circle(t, "Plays the oboe.")
	_, _ = d.run(t, "SessionStart", "") // asks for the first time
	d.allow(t)
	if err := d.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, line := d.run(t, "SessionStart", d.session); out != "" || !strings.Contains(line, "Keepsake is locked") {
		t.Errorf("%q, %q", out, line)
	}
	if _, line := d.run(t, "SessionEnd", d.session); !strings.Contains(line, "once it is unlocked") {
		t.Error(line)
	}
	kept, err := filepath.Glob(filepath.Join(d.at.Agents, "sessions-*", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	if text, err := os.ReadFile(kept[0]); err != nil || strings.Contains(string(text), "trains") || !strings.Contains(string(text), "5f2c0a4e") {
		t.Errorf("%s, %v", text, err)
	}
	if err := d.Unlock(t.Context(), passphrase); err != nil {
		t.Fatal(err)
	}
	d.until(t, "the session is taken", func() bool { return len(d.proposed(t)) == 1 })
	d.until(t, "nothing waits", func() bool {
		kept, _ := filepath.Glob(filepath.Join(d.at.Agents, "sessions-*", "*"))
		return len(kept) == 0
	})
}

// TestADigest: a session begins with what the circle of the agent has, in less than 2 KB, and with
// nothing before the person said what it may see.
func TestADigest(t *testing.T) {
	d := newDesk(t)
	d.circle(t, "Plays the oboe.")
	for i := range 60 {
		r, err := d.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: strings.Repeat("ü", 60) + string(rune('a'+i%26)) + strings.Repeat("x", i)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.JoinCircle(t.Context(), "work", []string{r.ID}, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: "canary outside of the circle"}); err != nil {
		t.Fatal(err)
	}
	if out, line := d.run(t, "SessionStart", ""); out != "" || !strings.Contains(line, "waits for permission") {
		t.Errorf("%q, %q", out, line)
	}
	d.allow(t)
	out, line := d.run(t, "SessionStart", "")
	if len(out) < 200 || len(out) > 2_000 || line != "" || strings.Contains(out, "canary") || !strings.Contains(out, "ü") {
		t.Errorf("%d bytes, %q: %s", len(out), line, out)
	}
	if !strings.HasSuffix(out, "x.") || strings.Contains(out, "\u00fc\n") {
		t.Errorf("a line is cut: %s", out)
	}
	gemini, line := hooks.Run(t.Context(), d.at, "gemini-cli", []byte(`{"hook_event_name":"SessionStart"}`))
	if len(gemini) > 0 || !strings.Contains(line, "gemini-cli waits") {
		t.Errorf("%s, %q", gemini, line)
	}
	if _, err := d.AllowAgent(t.Context(), "gemini-cli", core.DefaultAgentGrant("work")); err != nil {
		t.Fatal(err)
	}
	gemini, _ = hooks.Run(t.Context(), d.at, "gemini-cli", []byte(`{"hook_event_name":"SessionStart"}`))
	var told struct {
		Output struct {
			Event   string `json:"hookEventName"`
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(gemini, &told); err != nil || told.Output.Event != "SessionStart" || !strings.Contains(told.Output.Context, "ü") {
		t.Errorf("%s, %v", gemini, err)
	}
}

// TestWhatIsNoSession: a path of no session gives one line of output; it is neither queued nor imported.
func TestWhatIsNoSession(t *testing.T) {
	d := newDesk(t)
	_, _ = d.run(t, "SessionStart", "")
	d.allowEmpty(t)
	outside := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{outside, "/dev/zero", "", filepath.Dir(d.session)} {
		if out, line := d.run(t, "SessionEnd", path); out != "" || line == "" || strings.Contains(line, "\n") {
			t.Errorf("%q: %q, %q", path, out, line)
		}
	}
	for _, input := range []string{"", "[]", "null", `{"hook_event_name":7}`, strings.Repeat("[", 1000)} {
		if out, line := hooks.Run(t.Context(), d.at, "claude-code", []byte(input)); len(out) > 0 || strings.Contains(line, "\n") {
			t.Errorf("%q: %q, %q", input, out, line)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(d.at.Agents, "sessions-*", "*")); len(kept) > 0 {
		t.Errorf("%v wait", kept)
	}
	if imports, err := d.Imports(t.Context()); err != nil || len(imports) > 0 {
		t.Errorf("%v, %v", imports, err)
	}
}

func (d *desk) allowEmpty(t *testing.T) {
	t.Helper()
	if _, err := d.AllowAgent(t.Context(), "claude-code", core.DefaultAgentGrant("")); err != nil {
		t.Fatal(err)
	}
}

// TestASessionOfCodex is found by its id, and taken once no turn of it ended for two minutes.
func TestASessionOfCodex(t *testing.T) {
	d := newDesk(t)
	codex := t.TempDir()
	t.Setenv("CODEX_HOME", codex)
	id := "0198f3a2-0000-7000-8000-000000000001"
	path := filepath.Join(codex, "sessions", "2026", "08", "01", "rollout-2026-08-01T10-00-00-"+id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"timestamp":"2026-08-01T10:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-08-01T10:00:00.000Z","cwd":"/tea","source":"cli"}}
{"timestamp":"2026-08-01T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"I prefer trains to planes."}]}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(id string) string {
		event, err := json.Marshal(map[string]any{"type": "agent-turn-complete", "thread-id": id, "turn-id": "1", "cwd": "/tea", "input-messages": []string{"x"}, "last-assistant-message": "y"})
		if err != nil {
			t.Fatal(err)
		}
		out, line := hooks.Run(t.Context(), d.at, "codex", event)
		if len(out) > 0 {
			t.Errorf("%s", out)
		}
		return line
	}
	_ = run(id)
	if _, err := d.AllowAgent(t.Context(), "codex", core.DefaultAgentGrant("")); err != nil {
		t.Fatal(err)
	}
	if line := run("0198f3a2-0000-7000-8000-000000000002"); !strings.Contains(line, "no session with this id") {
		t.Error(line)
	}
	kept, err := filepath.Glob(filepath.Join(d.at.Agents, "sessions-*", "*.json"))
	if err != nil || len(kept) != 1 || len(d.proposed(t)) > 0 {
		t.Fatalf("%v, %v, %v", kept, d.proposed(t), err)
	}
	before := time.Now().Add(-3 * time.Minute)
	if err := os.Chtimes(kept[0], before, before); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Lock(t.Context()), d.Unlock(t.Context(), passphrase)); err != nil {
		t.Fatal(err)
	}
	d.until(t, "the session is taken", func() bool { return len(d.proposed(t)) == 1 })
}

// TestASessionIsOnlyThat: a document of memories in the place of a session brings none, and one of an
// agent that may not propose is not read.
func TestASessionIsOnlyThat(t *testing.T) {
	d := newDesk(t)
	_, _ = d.run(t, "SessionStart", "")
	g := core.DefaultAgentGrant("")
	g.Permissions = []core.AgentPermission{core.AgentMayRead}
	if _, err := d.AllowAgent(t.Context(), "claude-code", g); err != nil {
		t.Fatal(err)
	}
	_, _ = d.run(t, "SessionEnd", d.session)
	d.until(t, "it is refused", func() bool { return len(d.calls(t)) == 2 })
	if c := d.calls(t)[0]; c.Tool != "session" || c.Refused != "agent-not-permitted" {
		t.Errorf("%+v", c)
	}
	d.allowEmpty(t)
	mif := `{"mif_version":"1.0","memories":[{"id":"0198f3a2-0000-7000-8000-000000000009","content":"Canary.","type":"fact"}]}`
	if err := os.WriteFile(d.session, []byte(mif), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _ = d.run(t, "SessionEnd", d.session)
	d.until(t, "it is refused, too", func() bool { return len(d.calls(t)) == 3 })
	if c := d.calls(t)[0]; c.Refused == "" {
		t.Errorf("%+v", c)
	}
	if imports, err := d.Imports(t.Context()); err != nil || len(imports) > 0 || len(d.proposed(t)) > 0 {
		t.Errorf("%v, %v, %v", imports, d.proposed(t), err)
	}
}
