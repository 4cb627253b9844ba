package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"keepsake/app/cli"
	"keepsake/backend/core"
	"keepsake/backend/importer/all"
)

// hostile is what names, ids and texts from outside may hold: what moves the cursor,
// rings, colours, turns the direction of writing, hides, and makes another line.
const hostile = "b\x1b[31m\x07\x9b\u0085\u202e\u2066\u200b\u00ad\ufeff\u2028\u061c\U000e0041\nkeepsake: forged"

var acted = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

// terminal runs commands of one vault and looks at all that they print.
type terminal struct {
	t   *testing.T
	dir string
	n   int
}

func (x *terminal) run(args ...string) string {
	x.t.Helper()
	var out, err bytes.Buffer
	cli.Run(context.Background(), args, cli.Env{
		Stdin: strings.NewReader("lantern harbor walnut copper\n"), Stdout: &out, Stderr: &err,
		Getenv: func(name string) string {
			if name == "KEEPSAKE_PASSPHRASE_FILE" {
				return filepath.Join(x.dir, "pass")
			}
			return ""
		},
		NewService: func(string) (*core.Service, error) {
			return core.New(core.Config{VaultDir: filepath.Join(x.dir, "vault"), SettingsFile: filepath.Join(x.dir, "settings.json"),
				ScratchDir: filepath.Join(x.dir, "scratch"), Importers: all.Importers()})
		},
	})
	x.n++
	printed := out.String() + err.String()
	if bad := acted.FindAllString(printed, -1); len(bad) > 0 {
		x.t.Errorf("%q prints %q", args, bad)
	}
	return printed
}

// Promise (L2): nothing that came from outside reaches a terminal as it is, whatever
// command prints it: names of files, ids, values of flags, and what memories say. The
// answer of canonicalize is data: the very bytes of RFC 8785.
func TestNothingFromOutsideActsOnATerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can be called so there")
	}
	x := &terminal{t: t, dir: t.TempDir()}
	file := filepath.Join(x.dir, hostile+".zip")
	for path, text := range map[string]string{
		filepath.Join(x.dir, "pass"): "lantern harbor walnut copper\n", file: "PK\x03\x04cut off",
		filepath.Join(x.dir, hostile+".json"): `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":` + quoted(t, hostile) + `},"memories":[{"id":` + quoted(t, hostile) + `}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.run("init", "--kdf", "test")
	x.run("add", hostile, "--tag", hostile)
	for _, path := range []string{file, filepath.Join(x.dir, hostile+".json"), filepath.Join(x.dir, hostile), filepath.Join(x.dir, hostile, hostile)} {
		for _, args := range [][]string{
			{"import", path}, {"import", path, "--dry-run"}, {"detect", path}, {"verify", path}, {"validate", path}, {"inspect", path}, {"diff", path, path},
			{"merge", path, path, "-o", path}, {"convert", path, "-o", path}, {"sign", path, "--key", path}, {"restore", path}, {"backup", "verify", path}, {"backup", path},
			{"keys", "trust", path, "--name", hostile}, {"verify", path, "--trust", path}, {"export", "pam", "-o", filepath.Join(path, "x.json")}, {"hash", path},
			{"keygen", "-o", filepath.Join(path, "k")}, {"handoff", "claude-md", "-o", filepath.Join(path, "x")},
		} {
			if said := x.run(args...); strings.Contains(said, "\nkeepsake: forged") || strings.HasPrefix(said, "keepsake: forged") {
				t.Errorf("%q makes a line of its own: %q", args, said)
			}
			x.run(append(args, "--json")...)
		}
	}
	for _, args := range [][]string{
		{"show", hostile}, {"edit", hostile, "--content", "x"}, {"retract", hostile}, {"archive", hostile}, {"supersede", hostile, "--by", hostile}, {"relate", hostile, hostile, hostile},
		{"unrelate", hostile}, {"history", hostile}, {"undo-import", hostile}, {"undo-status", hostile}, {"reread", hostile}, {"accept", hostile}, {"reject", hostile}, {"forget", "--id", hostile}, {"forget", "--tag", hostile},
		{"set-status", hostile, hostile}, {"destroy", "--confirm", hostile}, {"list", hostile}, {"list", "memories", "--type", hostile}, {"list", "memories", "--since", hostile},
		{"import", file, "--provider", hostile}, {"import", file, "--only", hostile}, {"import", file, "--on-conflict", hostile}, {"import", file, "--account", hostile}, {"export", hostile},
		{"export", "pam", "-o", filepath.Join(x.dir, "x"), "--for", hostile}, {"handoff", hostile}, {"keys", "revoke", hostile}, {"todos", "done", hostile}, {"types", "describe", hostile, hostile},
		{"grants", "give", hostile, hostile}, {hostile}, {"--" + hostile}, {"show", "--" + hostile}, {"search", hostile}, {"add", "x", "--type", hostile},
	} {
		if said := x.run(args...); strings.Contains(said, "\nkeepsake: forged") {
			t.Errorf("%q makes a line of its own: %q", args, said)
		}
		x.run(append(args, "--json")...)
	}
	for _, args := range [][]string{{"list", "memories"}, {"search", "forged"}, {"insights"}, {"audit"}, {"imports"}, {"status"}, {"types"}, {"grants"}, {"report"}, {"export", "markdown", "-o", filepath.Join(x.dir, "md")}} {
		x.run(args...)
		if said := x.run(append(args, "--json")...); strings.HasPrefix(strings.TrimSpace(said), "{") && !json.Valid([]byte(said[:strings.LastIndex(said, "}")+1])) {
			t.Errorf("%q prints JSON that is none: %q", args, said)
		}
	}
	t.Logf("%d runs, 0 reach the terminal", x.n)
}

// Promise: show prints a text with the lines it has; only what stands in a sentence is
// put on one line.
func TestShowKeepsTheLinesOfAText(t *testing.T) {
	x := &terminal{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(x.dir, "pass"), []byte("lantern harbor walnut copper\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.run("init", "--kdf", "test")
	added := regexp.MustCompile(`Added (\S+)\.`).FindStringSubmatch(x.run("add", "First line.\nSecond line."))
	if added == nil {
		t.Fatal("nothing was added")
	}
	if said := x.run("show", added[1]); !strings.Contains(said, "First line.\nSecond line.\n") {
		t.Errorf("show prints %q", said)
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Promise (L2): what a shell asks to be completed reaches no terminal as it is; cobra
// prints what it cannot read of that by itself.
func TestCompletionPrintsNothingAsItIs(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	x := &terminal{t: t, dir: t.TempDir()}
	for _, command := range []string{"__complete", "__completeNoDesc"} {
		x.run(command, "show", "--"+hostile, "x")
	}
	os.Stderr = stderr
	write.Close()
	printed, err := io.ReadAll(read)
	if err != nil || len(printed) == 0 {
		t.Fatalf("cobra printed %q, %v", printed, err)
	}
	if bad := acted.FindAllString(string(printed), -1); len(bad) > 0 || strings.Contains(string(printed), "\nkeepsake: forged") {
		t.Errorf("printed: %q", printed)
	}
}
