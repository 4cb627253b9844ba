package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
)

const others = "{\n  \"mcpServers\": {\n    \"a\": {\"env\": {\"KEY\": \"sk-1\"}}\n  }\n}\n"

func connect(t *testing.T, path string) Plan {
	t.Helper()
	c := client(t, "cursor")
	p, err := c.Connect(path, entry(c))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Promise: the file becomes what the plan says, with the permissions it had, and what it was
// lies beside it under a name that was free; nothing else is left.
func TestWriting(t *testing.T) {
	path := write(t, []byte(others))
	taken := path + ".keepsake-backup"
	if err := os.WriteFile(taken, []byte("of before"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := connect(t, path)
	if p.Connected || !p.Exists || !p.Changes() {
		t.Errorf("planned: %+v", p)
	}
	backup, err := p.Write()
	if err != nil {
		t.Fatal(err)
	}
	if backup != p.Path+".keepsake-backup-2" || read(t, backup) != others || read(t, taken) != "of before" {
		t.Errorf("the backup %s is %q", backup, read(t, backup))
	}
	if read(t, path) != string(p.After) {
		t.Errorf("written: %q", read(t, path))
	}
	for _, f := range []string{path, backup} {
		if info, err := os.Stat(f); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
	}
	if p = connect(t, path); !p.Connected || p.Changes() || p.Lines() != nil {
		t.Errorf("planned once more: %+v", p)
	}
	p, err = p.Client.Disconnect(path)
	if err != nil || !p.Connected {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := p.Write(); err != nil || read(t, path) != others {
		t.Errorf("disconnected: %q, %v", read(t, path), err)
	}
	want := []string{"settings", "settings.keepsake-backup", "settings.keepsake-backup-2", "settings.keepsake-backup-3"}
	if all := names(t, filepath.Dir(path)); !slices.Equal(all, want) {
		t.Errorf("beside it: %v", all)
	}
}

// Promise: a file that does not exist is made, for this account alone, with its folder where
// the client is installed.
func TestMakingTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".cursor", "mcp.json")
	p := connect(t, path)
	if p.Exists || len(p.Lines()) != 8 {
		t.Errorf("planned: %+v", p.Lines())
	}
	if backup, err := p.Write(); err != nil || backup != "" {
		t.Fatalf("%q, %v", backup, err)
	}
	if read(t, path) != client(t, "cursor").Snippet(entry(p.Client)) {
		t.Errorf("written: %q", read(t, path))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	_, err := connect(t, filepath.Join(dir, "none", "User", "mcp.json")).Write()
	if f := fault.From(err); f == nil || f.Reason != "client-not-installed" || f.Args["client"] != "Cursor" {
		t.Error(err)
	}
	if all := names(t, dir); !slices.Equal(all, []string{".cursor"}) {
		t.Errorf("made: %v", all)
	}
}

// Promise: what another program wrote meanwhile is not overwritten.
func TestChangedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	there, none, gone, empty := filepath.Join(dir, "there"), filepath.Join(dir, "none"), filepath.Join(dir, "gone"), filepath.Join(dir, "empty")
	for _, path := range []string{there, gone} {
		if err := os.WriteFile(path, []byte(others), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plans := []Plan{connect(t, there), connect(t, none), connect(t, gone), connect(t, empty)}
	for _, path := range []string{there, none} {
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Remove(gone), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if _, err := p.Write(); fault.From(err) == nil || fault.From(err).Reason != "client-file-changed" {
			t.Errorf("%s: %v", p.Path, err)
		}
	}
	if all := names(t, dir); !slices.Equal(all, []string{"empty", "none", "there"}) || read(t, there)+read(t, none) != "{}{}" {
		t.Errorf("left: %v", all)
	}
}

// Promise: a file that nobody may write is not replaced, though its folder would allow it.
func TestAFileThatMayNotBeWritten(t *testing.T) {
	path := write(t, []byte(others))
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(path, 0o600) })
	if _, err := connect(t, path).Write(); fault.From(err) == nil || fault.From(err).Reason != "client-file-unwritable" {
		t.Error(err)
	}
	if all := names(t, filepath.Dir(path)); len(all) != 1 {
		t.Errorf("left: %v", all)
	}
}

// Promise: 4 MiB are read, and not a byte more; a file that would become larger is refused.
func TestHowLargeAFileMayBe(t *testing.T) {
	c := client(t, "cursor")
	for size, want := range map[int]string{mostBytes - 1024: "", mostBytes: "client-file-too-large", mostBytes + 1: "client-file-too-large"} {
		text := append([]byte(`{"a":"`), bytes.Repeat([]byte("x"), size-8)...)
		_, err := c.Connect(write(t, append(text, `"}`...)), entry(c))
		if f := fault.From(err); f == nil && want != "" || f != nil && f.Reason != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := c.Disconnect(write(t, bytes.Repeat([]byte(" "), mostBytes))); err != nil {
		t.Error(err)
	}
}

// Promise: what is shown is what changes, with two lines around it, and no more of the file
// than that, also of one that is a single line.
func TestLines(t *testing.T) {
	c := client(t, "cursor")
	lines := connect(t, write(t, []byte(others))).Lines()
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.Op + l.Text + "\n")
	}
	want := "   \"mcpServers\": {\n" +
		"-    \"a\": {\"env\": {\"KEY\": \"sk-1\"}}\n+    \"a\": {\"env\": {\"KEY\": \"sk-1\"}},\n+    \"keepsake\": {\n" +
		"+      \"command\": \"/usr/bin/keepsake-cli\",\n+      \"args\": [\"mcp\", \"--client\", \"cursor\"]\n+    }\n   }\n }\n"
	if text.String() != " {\n"+want {
		t.Errorf("shown:\n%s", text.String())
	}
	long := `{"secret":"` + strings.Repeat("é", 50_000) + `","mcpServers":{},"after":"` + strings.Repeat("z", 50_000) + `"}`
	lines = connect(t, write(t, []byte(long))).Lines()
	if len(lines) != 2 || lines[0].Op+lines[1].Op != "-+" || !strings.Contains(lines[1].Text, `{"keepsake": {"command": "/usr/bin/keepsake-cli"`) {
		t.Errorf("of a long line: %q", lines)
	}
	for _, l := range lines {
		if len(l.Text) > longestLine+10 || !strings.HasPrefix(l.Text, "…") || !strings.HasSuffix(l.Text, "…") {
			t.Errorf("of a long line: %d bytes, %q", len(l.Text), l.Text)
		}
	}
	if got := (Plan{Before: nil, After: []byte(c.Snippet(entry(c)))}).Lines(); len(got) != 8 || got[0] != (Line{"+", "{"}) {
		t.Errorf("of a new file: %q", got)
	}
}
