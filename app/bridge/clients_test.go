package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/app/bridge"
)

// clientsHome is a bridge for somebody with settings of Cursor, and the file of these.
func clientsHome(t *testing.T, host bridge.Host, text string) (*bridge.Bridge, string) {
	t.Helper()
	home := t.TempDir()
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(variable, home)
	}
	file := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, file, text)
	_, b := bridged(t, host)
	t.Cleanup(b.Close)
	return b, file
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, file, want string) {
	t.Helper()
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s holds %q: %v; want %q", filepath.Base(file), got, err, want)
	}
}

func reason(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), `"reason":"`+want+`"`) {
		t.Errorf("%v, want %s", err, want)
	}
}

// secret stands in the file, away from what changes.
const secret = "a secret of another program"

// Promise: a change is written once, exactly as the diff showed it, and the file is backed up. The page gets
// only the changed lines with their context, and can write no other change.
func TestAClientIsConnectedAsShown(t *testing.T) {
	before := "{\n  \"key\": \"" + secret + "\",\n  \"a\": 1,\n  \"b\": 2,\n  \"mcpServers\": {}\n}\n"
	b, file := clientsHome(t, &desk{}, before)
	plan, err := b.Clients.PlanConnect("cursor")
	if err != nil || plan.Token == "" || len(plan.Files) != 1 || !plan.Files[0].Exists {
		t.Fatalf("%+v: %v", plan, err)
	}
	holds(t, file, before)
	said := ""
	for _, l := range plan.Files[0].Lines {
		said += l.Op + l.Text + "\n"
	}
	if strings.Contains(said, secret) || !strings.Contains(said, `"--client", "cursor"`) {
		t.Errorf("shown:\n%s", said)
	}
	_, err = b.Clients.Write("another")
	reason(t, err, "client-plan-gone")
	holds(t, file, before)
	done, err := b.Clients.Write(plan.Token)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, done[0].Backup, before)
	if now, _ := os.ReadFile(file); !strings.Contains(string(now), `"--client", "cursor"`) || !strings.Contains(string(now), secret) {
		t.Errorf("written:\n%s", now)
	}
	_, err = b.Clients.Write(plan.Token)
	reason(t, err, "client-plan-gone")
}

// Promise: a file that another program changed after it was shown stays as that program left it.
func TestAClientsFileThatChangedIsNotWritten(t *testing.T) {
	b, file := clientsHome(t, &desk{}, "{}")
	plan, err := b.Clients.PlanConnect("cursor")
	if err != nil {
		t.Fatal(err)
	}
	put(t, file, `{"a": 1}`)
	_, err = b.Clients.Write(plan.Token)
	reason(t, err, "client-file-changed")
	holds(t, file, `{"a": 1}`)
}

// Promise: what Keepsake wrote is taken out again, and where nothing is to be done nothing can be.
func TestAClientIsDisconnected(t *testing.T) {
	b, file := clientsHome(t, &desk{}, `{"mcpServers": {"keepsake": {"command": "/usr/bin/keepsake-cli", "args": ["mcp", "--client", "cursor"]}}}`)
	plan, err := b.Clients.PlanDisconnect("cursor")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Clients.Write(plan.Token); err != nil {
		t.Fatal(err)
	}
	holds(t, file, `{"mcpServers": {}}`)
	again, err := b.Clients.PlanDisconnect("cursor")
	if err != nil || again.Token != "" || len(again.Files) != 1 || len(again.Files[0].Lines) > 0 {
		t.Errorf("%+v: %v", again, err)
	}
	_, err = b.Clients.Write("")
	reason(t, err, "client-plan-gone")
}

// Promise: an assistant is named by the page and no file is; another one is given lines under a
// name that can stand in settings.
func TestClientsAreNamed(t *testing.T) {
	b, _ := clientsHome(t, &desk{}, "{}")
	for _, id := range []string{"", "../cursor", "/etc/passwd"} {
		_, err := b.Clients.PlanConnect(id)
		reason(t, err, "client-unknown")
	}
	text, err := b.Clients.Snippet("", " My-Tool ")
	if err != nil || !strings.Contains(text, `"my-tool"`) {
		t.Errorf("%q: %v", text, err)
	}
	for _, name := range []string{"", "../x", `a"b`, strings.Repeat("a", 41)} {
		_, err := b.Clients.Snippet("", name)
		reason(t, err, "agent-name")
	}
	all, err := b.Clients.List()
	if err != nil || len(all) < 9 {
		t.Fatalf("%d clients: %v", len(all), err)
	}
	for _, c := range all {
		if c.Found != (c.ID == "cursor") || c.Connected || c.Problem != nil {
			t.Errorf("%+v", c)
		}
	}
}
