package clients

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"keepsake/backend/fault"
)

var update = flag.Bool("update", false, "write what comes out into testdata/files")

func client(t testing.TB, id string) Client {
	t.Helper()
	c, err := Named(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func entry(c Client) Entry {
	return Entry{"/usr/bin/keepsake-cli", []string{"mcp", "--client", c.ID}}
}

// write puts a file into a folder of its own.
func write(t testing.TB, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(path, text, 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// connected is a text with the entry, and disconnected one without.
func connected(c Client, text []byte) ([]byte, error) {
	after, _, err := c.edited(text, c.connecting(entry(c)))
	return after, err
}

func disconnected(c Client, text []byte) ([]byte, error) {
	after, _, err := c.edited(text, c.disconnecting())
	return after, err
}

// Promise: in a file of every shape the entry is what is written, and all of the rest is as
// it was, byte for byte; taken out again, it leaves the file as it was. Each file of
// testdata/files has the client in its first line, with what text files of a repository
// cannot show (crlf, bom, open for a last line without an end), then the file before and
// after, and, where that is not the one before, the file once disconnected.
func TestFilesOfEveryShape(t *testing.T) {
	files, err := filepath.Glob("testdata/files/*.txtar")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(string(archive.Comment))
			c := client(t, words[0])
			before := shaped(part(archive, "before"), words)
			after, err := connected(c, before)
			if err != nil {
				t.Fatal(err)
			}
			again, err := connected(c, after)
			if err != nil || !bytes.Equal(again, after) {
				t.Errorf("connected once more it becomes %q: %v", again, err)
			}
			removed, err := disconnected(c, after)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				rewrite(t, file, archive, words, after, removed)
				return
			}
			if want := shaped(part(archive, "after"), words); !bytes.Equal(after, want) {
				t.Errorf("connected:\n%s\nwant:\n%s", after, want)
			}
			want := before
			if slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "removed" }) {
				want = shaped(part(archive, "removed"), words)
			}
			if !bytes.Equal(removed, want) {
				t.Errorf("disconnected:\n%q\nwant:\n%q", removed, want)
			}
		})
	}
}

func part(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func shaped(text []byte, words []string) []byte {
	if slices.Contains(words, "open") {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if slices.Contains(words, "crlf") {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if slices.Contains(words, "bom") {
		text = append([]byte(byteOrderMark), text...)
	}
	return text
}

func rewrite(t *testing.T, file string, a *txtar.Archive, words []string, after, removed []byte) {
	t.Helper()
	before := shaped(part(a, "before"), words)
	a.Files = []txtar.File{{Name: "before", Data: part(a, "before")}, {Name: "after", Data: plain(after)}}
	if !bytes.Equal(removed, before) {
		a.Files = append(a.Files, txtar.File{Name: "removed", Data: plain(removed)})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func plain(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(text, []byte(byteOrderMark)), []byte("\r\n"), []byte("\n"))
}

// Promise: what cannot be edited with certainty is refused, with a sentence that names the
// file and what is wrong.
func TestWhatIsRefused(t *testing.T) {
	deep := strings.Repeat("[", 4<<20)
	foreign := `{"mcpServers": {"keepsake": {"command": "npx", "args": ["mcp"]}}}`
	for _, c := range []struct{ client, text, reason string }{
		{"cursor", `{"mcpServers": `, "client-file-syntax"},
		{"cursor", `{"mcpServers": {}} {}`, "client-file-syntax"},
		{"cursor", deep, "client-file-syntax"},
		{"cursor", `{"a": ` + deep[:2000] + strings.Repeat("]", 2000) + `}`, "client-file-syntax"},
		{"cursor", `// no end`, "client-file-syntax"},
		{"cursor", "\xff\xfe{\x00}\x00", "client-file-syntax"},
		{"cursor", `[]`, "client-file-form"},
		{"cursor", `null`, "client-file-form"},
		{"cursor", `{"mcpServers": null}`, "client-file-form"},
		{"cursor", `{"mcpServers": ["keepsake"]}`, "client-file-form"},
		{"cursor", `{"mcpServers": {}, "mcpServers": {}}`, "client-file-form"},
		{"cursor", `{"mcpServers": {}, "mcp\u0053ervers": {}}`, "client-file-form"},
		{"cursor", foreign, "client-entry-foreign"},
		{"cursor", strings.Replace(foreign, "npx", "/opt/mykeepsake", 1), "client-entry-foreign"},
		{"cursor", `{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["serve"]}}}`, "client-entry-foreign"},
		{"cursor", `{"mcpServers": {"keepsake": {"url": "http://127.0.0.1"}}}`, "client-entry-foreign"},
		{"cursor", `{"mcpServers": {"keepsake": "keepsake mcp"}}`, "client-entry-foreign"},
		{"cursor", `{"mcpServers": {"keepsake": {"command": "keepsake", "args": ["mcp"], "args": ["mcp"]}}}`, "client-file-form"},
		{"codex", "a = \n", "client-file-syntax"},
		{"codex", "a = " + deep[:3<<20], "client-file-syntax"},
		{"codex", "a = 1\na = 2\n", "client-file-syntax"},
		{"codex", "mcp_servers = {}\n", "client-file-form"},
		{"codex", "mcp_servers.other.command = \"x\"\n", "client-file-form"},
		{"codex", "[[mcp_servers]]\na = 1\n", "client-file-form"},
		{"codex", "mcp_servers = 3\n", "client-file-form"},
		{"codex", "[mcp_servers]\nkeepsake = {command = \"keepsake\", args = [\"mcp\"]}\n", "client-file-form"},
		{"codex", "[mcp_servers]\nkeepsake.command = \"keepsake\"\nkeepsake.args = [\"mcp\"]\n", "client-file-form"},
		{"codex", "[mcp_servers.keepsake]\ncommand = \"npx\"\nargs = []\n", "client-entry-foreign"},
		{"codex", "[mcp_servers.keepsake.env]\nA = \"b\"\n", "client-entry-foreign"},
	} {
		client := client(t, c.client)
		path := write(t, []byte(c.text))
		_, err := client.Connect(path, Entry{"/usr/bin/keepsake-cli", []string{"mcp", "--client", "new"}})
		if f := fault.From(err); f == nil || f.Reason != c.reason || f.Args["name"] != "settings" {
			t.Errorf("connecting %.80q: %v (%+v), want %s", c.text, err, f, c.reason)
		}
		_, err = client.Disconnect(path)
		if f := fault.From(err); f != nil && f.Reason != c.reason {
			t.Errorf("disconnecting %.80q: %v", c.text, err)
		}
		if got, _ := os.ReadFile(path); string(got) != c.text {
			t.Errorf("the refused file became %.80q", got)
		}
	}
}

// Promise: a mistake is told by its line.
func TestMistakesAreToldByTheirLine(t *testing.T) {
	for id, text := range map[string]string{"cursor": "{\n\"a\": 1,\n}x", "codex": "a = 1\n\nb =\n"} {
		_, err := client(t, id).Connect(write(t, []byte(text)), Entry{})
		if got := fault.From(err).Args["line"]; got != "3" {
			t.Errorf("%s: line %s (%v)", id, got, err)
		}
	}
}

// Promise: each client's file is where its makers say, on every system.
func TestWhereTheFilesAre(t *testing.T) {
	none := func(string) string { return "" }
	for _, p := range []struct {
		places Places
		want   map[string]string
	}{
		{Places{"linux", "/home/a", "/home/a/.config", none}, map[string]string{
			"claude-desktop": "/home/a/.config/Claude/claude_desktop_config.json", "claude-code": "/home/a/.claude.json",
			"cursor": "/home/a/.cursor/mcp.json", "vscode": "/home/a/.config/Code/User/mcp.json", "codex": "/home/a/.codex/config.toml",
			"gemini-cli": "/home/a/.gemini/settings.json", "antigravity": "/home/a/.gemini/config/mcp_config.json",
			"lm-studio": "/home/a/.lmstudio/mcp.json", "zed": "/home/a/.config/zed/settings.json",
		}},
		{Places{"darwin", "/Users/a", "/Users/a/Library/Application Support", none}, map[string]string{
			"claude-desktop": "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
			"vscode":         "/Users/a/Library/Application Support/Code/User/mcp.json", "zed": "/Users/a/.config/zed/settings.json",
			"claude-code": "/Users/a/.claude.json",
		}},
		{Places{"windows", "/C/a", "/C/a/AppData/Roaming", none}, map[string]string{
			"claude-desktop": "/C/a/AppData/Roaming/Claude/claude_desktop_config.json", "vscode": "/C/a/AppData/Roaming/Code/User/mcp.json",
			"zed": "/C/a/AppData/Roaming/Zed/settings.json", "cursor": "/C/a/.cursor/mcp.json",
		}},
		{Places{"linux", "/home/a", "/home/a/.config", func(name string) string {
			return map[string]string{"CODEX_HOME": "/srv/codex", "CLAUDE_CONFIG_DIR": "/srv/claude"}[name]
		}}, map[string]string{"codex": "/srv/codex/config.toml", "claude-code": "/srv/claude/.claude.json"}},
	} {
		for id, want := range p.want {
			if got := filepath.ToSlash(client(t, id).File(p.places)); got != want {
				t.Errorf("%s on %s: %s, want %s", id, p.places.System, got, want)
			}
		}
	}
	if _, err := Named("other"); fault.From(err).Reason != "client-unknown" {
		t.Error(err)
	}
}

// Promise: clients start the console program where that lies beside the one that runs.
func TestWhichProgramIsStarted(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	started, console := filepath.Join(dir, "keepsake"), filepath.Join(dir, "keepsake-cli")
	if runtime.GOOS == "windows" {
		started, console = started+".exe", console+".exe"
	}
	for _, exe := range []string{started, console} {
		if err := os.WriteFile(exe, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		if got := consoleProgram(started); got != exe {
			t.Errorf("%s, want %s", got, exe)
		}
	}
}

// Promise: an entry names a vault only where one was named, and by a path that holds
// wherever the client starts it.
func TestTheVaultOfAnEntry(t *testing.T) {
	c := client(t, "zed")
	if e, err := c.NewEntry("/bin/keepsake", ""); err != nil || !slices.Equal(e.Args, []string{"mcp", "--client", "zed"}) {
		t.Errorf("%q, %v", e, err)
	}
	t.Chdir(t.TempDir())
	here, _ := os.Getwd()
	e, err := c.NewEntry("/bin/keepsake", "my vault")
	if err != nil || !slices.Equal(e.Args, []string{"mcp", "--client", "zed", "--vault", filepath.Join(here, "my vault")}) {
		t.Errorf("%q, %v", e, err)
	}
}

// Promise: whatever wrote it, the entry is told by what it starts.
func TestWhichEntriesAreOurs(t *testing.T) {
	for command, want := range map[string]bool{
		"keepsake": true, "/usr/bin/keepsake-cli": true, `C:\Program Files\Keepsake\Keepsake-CLI.exe`: true, "keepsake.exe": true,
		"npx": false, "": false, "/usr/bin/keepsake-cli/other": false, "keepsake-client": false,
	} {
		if got := isOurs(map[string]any{"command": command, "args": []any{"mcp", "--client", "x"}}); got != want {
			t.Errorf("%q: %t", command, got)
		}
	}
}

// Promise: what is to be put in by hand is what would be written into a file with nothing in it,
// also for an assistant that is not known.
func TestSnippets(t *testing.T) {
	for _, c := range All() {
		after, err := connected(c, nil)
		if err != nil || strings.TrimSpace(string(after)) != strings.TrimSpace(c.Snippet(entry(c))) {
			t.Errorf("%s: %s: %v", c.ID, after, err)
		}
	}
	other, cursor := Other("cursor"), client(t, "cursor")
	if other.Snippet(entry(other)) != cursor.Snippet(entry(cursor)) {
		t.Error(other.Snippet(entry(other)))
	}
}
