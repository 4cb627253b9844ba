package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/app/cli"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/importer/importertest/gen"
)

// owned is a vault and the folder of everything that its commands have.
type owned struct {
	t    *testing.T
	root string
}

// answered is what a command came back with.
type answered struct {
	stdout, stderr string
	exit           int
}

// newOwned makes a vault with the conversations and memories of a sample export, a circle, a task,
// and an agent that waits.
func newOwned(t *testing.T) *owned {
	t.Helper()
	root, err := os.MkdirTemp("", "ks") // the name of a socket has an end at 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	o := &owned{t, root}
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	for name, data := range map[string][]byte{
		"pass": []byte("correct horse battery staple\n"), "wrong": []byte("correct horse battery stable\n"), "export.zip": export,
	} {
		if err := os.WriteFile(o.path(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.must("init", "--kdf", "test")
	o.must("import", o.path("export.zip"))
	agent := o.start()
	o.ask(firstCall, "mcp", "--client", "cursor")
	end(agent)
	return o
}

// firstCall is what an assistant says when it asks for the first time.
const firstCall = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_memories","arguments":{}}}
`

func (o *owned) path(name string) string { return filepath.Join(o.root, name) }

func (o *owned) command(args ...string) *exec.Cmd {
	cmd := exec.Command("keepsake", args...)
	cmd.Env = append(os.Environ(), "HOME="+o.root, "USERPROFILE="+o.root, "APPDATA="+o.path("config"), "LOCALAPPDATA="+o.path("data"),
		"XDG_CONFIG_HOME="+o.path("config"), "XDG_DATA_HOME="+o.path("data"), "XDG_CACHE_HOME="+o.path("cache"),
		"KEEPSAKE_VAULT="+o.path("vault"), "KEEPSAKE_PASSPHRASE_FILE="+o.path("pass"))
	return cmd
}

func (o *owned) ask(stdin string, args ...string) answered {
	o.t.Helper()
	var out, err bytes.Buffer
	cmd := o.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &err
	ran := cmd.Run()
	if exit := (*exec.ExitError)(nil); ran != nil && !errors.As(ran, &exit) {
		o.t.Fatal(ran)
	}
	return answered{out.String(), err.String(), cmd.ProcessState.ExitCode()}
}

func (o *owned) must(args ...string) string {
	o.t.Helper()
	a := o.ask("", args...)
	if a.exit != 0 {
		o.t.Fatalf("%q: %+v", args, a)
	}
	return a.stdout
}

// start starts a process that has the vault open, and returns once it answers.
func (o *owned) start() *exec.Cmd {
	o.t.Helper()
	cmd := o.command("agent")
	lines, err := cmd.StderrPipe()
	if err != nil {
		o.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { end(cmd) })
	read := bufio.NewReader(lines)
	for {
		line, err := read.ReadString('\n')
		if err != nil {
			o.t.Fatalf("no owner: %q, %v", line, err)
		}
		if strings.HasPrefix(line, "Answering") {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	return cmd
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// ids are those of the first things that a list has.
func (o *owned) ids(what string) []string {
	var all []string
	for line := range strings.Lines(o.must("list", what)) {
		if id, _, ok := strings.Cut(line, "  "); ok {
			all = append(all, id)
		}
	}
	if len(all) < 3 {
		o.t.Fatalf("only %d %s", len(all), what)
	}
	return all
}

var (
	uuids   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	varying = regexp.MustCompile(`("(?:elapsed_ms|query_time_ms|generation)": |read |and )\d+( times?| entries in the log)?`)
)

// plain is an answer without what differs from run to run: how long it took, how often the vault was
// unlocked (a memory is read once in each time), ids that were made since
// (known are the others), and times of today.
func (a answered) plain(known string, made map[string]string) answered {
	today := regexp.MustCompile(`(` + time.Now().UTC().Add(-time.Hour).Format(time.DateOnly) + `|` + time.Now().UTC().Format(time.DateOnly) + `)T[0-9:.]+Z`)
	without := func(text string) string {
		text = uuids.ReplaceAllStringFunc(text, func(id string) string {
			if !strings.Contains(known, id) && made[id] == "" {
				made[id] = fmt.Sprint("id-", len(made))
			}
			if name := made[id]; name != "" {
				return name
			}
			return id
		})
		return today.ReplaceAllString(varying.ReplaceAllString(text, "${1}0"), "NOW")
	}
	return answered{without(a.stdout), without(a.stderr), a.exit}
}

// through is a command of the table, and what it is given.
type through struct {
	stdin string
	args  []string
}

func commandsOf(o *owned) (table []through) {
	m, c := o.ids("memories"), o.ids("conversations")
	add := func(lines ...string) {
		for _, line := range lines {
			line = strings.NewReplacer("M0", m[0], "M1", m[1], "M2", m[2], "C0", c[0]).Replace(line)
			words := strings.Split(line, " ")
			table = append(table, through{"", words})
		}
	}
	add("audit", "audit --id nothing --json", "audit --reading maybe", "status", "status --json",
		"list memories", "list memories --json", "list memories --limit 2 --type fact", "list memories --status nonsense", "list conversations", "list conversations --json",
		"list proposals", "list relations", "list memories --limit -1", "list nothing",
		"show M0", "show M0 --json", "show C0", "show C0 --json", "show C0 --active", "show nothing", "show nothing --json", "show",
		"search the", "search the --words --json", "search zzzzzz", "search the --mode none", "retrieve what is liked", "similar M0", "topics",
		"history M0", "insights", "insights --json", "report", "receipts", "imports", "imports --json", "exports", "index", "index update",
		"review", "review changes", "portrait", "portrait --json", "portrait --chapter you --left", "portrait --chapter none", "portrait --new", "portrait --delete-there --json", "review portrait", "watch list", "sensitive list", "compaction plan", "types list", "types list --json", "todos list", "handoff targets", "handoff claude", "handoff claude --json", "handoff claude -o -",
		"circles list", "circles show nobody", "circles history", "circles of M0", "agents list", "agents log", "agents log --call 7")
	add("circles make Work", "circles edit work --name Job", "circles add job M0 M1", "circles remove job M1", "circles give M2 job --permissions read,write", "circles take M2 job",
		"circles fill job", "circles confirm job", "circles show job", "circles list --json", "circles delete job",
		"edit M0 --tags one,two", "edit M0", "edit M0 --json --summary short", "set-status M1 archived", "undo-status M1", "retract M1", "archive M2", "supersede M0 --by M2", "undo",
		"relate M0 supports M2", "relate M0 nonsense M2", "unrelate nothing", "todos add buy --due 2027-01-31", "todos edit nothing --text x", "todos done nothing", "todos remove nothing", "todos list --json",
		"review true M0", "review move health M0", "review move - M0", "review wrong M2", "review asked chatgpt M2", "portrait --delete-there", "undo", "undo", "review ended M2 --since 2026-05-01", "undo", "review ended nothing", "split M0", "split M0 --fact Sails --fact Reads --yes", "undo", "split nothing", "watch add claude-code", "watch stop claude-code", "watch add nothing", "watch pass nothing",
		"types describe mood feeling", "types forget mood", "review pass M0 M1", "review merge M0 M0", "sensitive mark M0 health yes", "sensitive list --json",
		"propose on", "list proposals --json", "propose look", "accept nothing", "reject nothing", "merge-proposal nothing M0", "accept --all", "propose off",
		"compaction limits", "compaction apply nothing", "handoff rules claude --type fact",
		"circles make Other", "agents allow cursor --circle other", "agents list --json", "agents log --json", "agents pause cursor", "agents resume cursor", "agents remove cursor", "agents allow nobody --circle other", "agents refuse nobody", "agents pause", "agents resume", "agents remove nobody", "agents decline token",
		"history M0 --json")
	return append(table,
		through{"", []string{"add", "Sails on the lake.", "--tag", "hobby"}},
		through{"", []string{"add", "Sails on the lake."}},
		through{"Reads\nmaps.", []string{"add", "-", "--json"}},
		through{"Reads\ncharts.", []string{"edit", m[0], "--content", "-"}},
		through{strings.Repeat("x", 1<<20+1), []string{"add", "-"}},
		through{"", []string{"add", "", "--type", "nonsense"}},
		through{"", []string{"show", m[0]}},
		through{"", []string{"list", "memories", "--json"}})
}

// TestCommandsThroughTheOwner runs every command of the owner's list twice on the same vault, once
// directly and once while another process has the vault open, and compares every byte.
func TestCommandsThroughTheOwner(t *testing.T) {
	o := newOwned(t)
	table := commandsOf(o)
	for _, name := range cli.OwnerCommands() {
		if !slices.ContainsFunc(table, func(c through) bool { return strings.HasPrefix(strings.Join(c.args, " ")+" ", name+" ") }) {
			t.Errorf("%s is not in the table", name)
		}
	}
	known := fmt.Sprint(o.ids("memories"), o.ids("conversations"))
	if err := os.CopyFS(o.path("kept"), os.DirFS(o.path("vault"))); err != nil {
		t.Fatal(err)
	}
	var direct []answered
	made := map[string]string{}
	for _, c := range table {
		direct = append(direct, o.ask(c.stdin, c.args...).plain(known, made))
	}
	if err := errors.Join(os.RemoveAll(o.path("vault")), os.CopyFS(o.path("vault"), os.DirFS(o.path("kept")))); err != nil {
		t.Fatal(err)
	}
	o.start()
	made = map[string]string{}
	for i, c := range table {
		if got := o.ask(c.stdin, c.args...).plain(known, made); got != direct[i] {
			t.Errorf("%q through the owner:\n%+v\ndirectly:\n%+v", c.args, got, direct[i])
		}
	}
}

// TestWhatTheOwnerDoesNotRun says that the vault is busy and what to do, and has no effect; a wrong
// passphrase gives the same error as without an owner.
func TestWhatTheOwnerDoesNotRun(t *testing.T) {
	o := newOwned(t)
	o.start()
	out := o.path("out")
	for _, args := range [][]string{
		{"export", "pam", "-o", out}, {"handoff", "claude", "-o", out}, {"handoff", "claude-md", "--for", "x", "--keep", out}, {"rotate"}, {"import", o.path("export.zip")},
		{"freeze"}, {"check"}, {"forget", "--tag", "x", "--yes"}, {"compact"}, {"keys", "list"}, {"index", "rebuild"},
	} {
		a := o.ask("", args...)
		if a.exit != 4 || !strings.Contains(a.stderr, "Another Keepsake has this vault open.\nLock the vault there, close that window or wait for that command") || a.stdout != "" {
			t.Errorf("%q: %+v", args, a)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	wrong := o.ask("", "list", "memories", "--passphrase-file", o.path("wrong"))
	if wrong.exit != 3 || wrong.stdout != "" {
		t.Errorf("a wrong passphrase: %+v", wrong)
	}
	if a := o.ask("", "list", "memories", "--json", "--passphrase-file", o.path("wrong")); a.exit != 3 || !strings.Contains(a.stdout, `"wrong_passphrase"`) {
		t.Errorf("a wrong passphrase: %+v", a)
	}
	if a := o.ask("correct horse battery staple\n", "list", "memories", "--passphrase-file", "-"); a.exit != 0 || a.stdout == "" {
		t.Errorf("a passphrase on standard input: %+v", a)
	}
	if a := o.ask("AAAAA\n", "list", "memories", "--recovery-file", "-"); a.exit != 3 || a.stdout != "" {
		t.Errorf("a recovery key that is none: %+v", a)
	}
	if a := o.ask("", "list", "memories", "--keychain"); a.exit == 0 || a.stdout != "" {
		t.Errorf("no keychain: %+v", a)
	}
}

// openVault returns a service with an empty vault that is unlocked.
func openVault(t *testing.T) *core.Service {
	t.Helper()
	svc, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	if _, err := svc.CreateVault(t.Context(), []byte("correct horse battery staple"), "test"); err != nil {
		t.Fatal(err)
	}
	return svc
}

// TestTheOwnerRunsNothingElse: what asks need not have looked whether a command is one of the owner's.
func TestTheOwnerRunsNothingElse(t *testing.T) {
	svc := openVault(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		nil, {"nothing"}, {"--version"}, {"help"}, {"completion", "bash"}, {"__complete", "list", ""}, {"serve"}, {"agent"}, {"bench"}, {"mcp", "--client", "x"}, {"version"},
		{"export", "pam", "-o", out}, {"handoff", "claude", "-o", out}, {"handoff", "claude", "--out=" + out}, {"handoff", "claude-md", "--keep", out, "--for", "x"}, {"--json", "freeze"},
		{"destroy"}, {"forget", "--tag", "x", "--yes"}, {"keygen", "-o", out}, {"backup", out}, {"import", out}, {"agents", "connect", "cursor"}, {"init"},
	} {
		var stdout, stderr bytes.Buffer
		exit := cli.Run(t.Context(), args, cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, Opened: svc})
		if said := stdout.String() + stderr.String(); exit != 4 || !strings.Contains(said, "is not run by the Keepsake that has the vault open") {
			t.Errorf("%q: %d, %q", args, exit, said)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	ctx, lock := context.WithCancel(t.Context())
	lock() // as the vault's does at a lock, while a command is under way
	var said bytes.Buffer
	if exit := cli.Run(ctx, []string{"search", "x", "--words"}, cli.Env{Stdout: &said, Stderr: &said, Getenv: os.Getenv, Opened: svc}); exit != 7 || !strings.Contains(said.String(), "The vault was locked before the command was finished.") {
		t.Errorf("stopped by a lock: %d, %q", exit, said.String())
	}
	if state, err := svc.VaultState(t.Context()); err != nil || !state.Unlocked || state.Frozen {
		t.Errorf("%+v, %v", state, err)
	}
}

// TestAProcessThatAsksOrAnswersIsKilled: a command whose owner goes says so in one sentence, and the
// owner stops what a command that was killed has asked.
func TestAProcessThatAsksOrAnswersIsKilled(t *testing.T) {
	o := newOwned(t)
	t.Setenv("HOME", o.root)
	svc, err := core.New(core.Config{VaultDir: o.path("vault"), ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Close() })
	if err := svc.Unlock(t.Context(), []byte("correct horse battery staple")); err != nil {
		t.Fatal(err)
	}
	began, stopped, listening := make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)
	run := func(ctx context.Context, _ *core.Service, _ owner.Command, stdout, _ io.Writer) int {
		fmt.Fprintln(stdout, "begun")
		began <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return 0
	}
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		owner.Watch(ctx, svc, owner.Config{Folder: o.path("agents"), Run: run, Failed: func(err error) { t.Error(err) }, Listening: func() { listening <- struct{}{} }})
	}()
	<-listening
	killed := o.command("list", "memories")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	<-began
	end(killed)
	<-stopped
	left := o.command("list", "memories")
	said, err := left.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	left.Stderr = &stderr
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	<-began
	read := bufio.NewReader(said)
	first, _ := read.ReadString('\n') // what the owner has not sent yet ends with it
	leave()
	rest, _ := io.ReadAll(read)
	_ = left.Wait()
	if a := (answered{first + string(rest), stderr.String(), left.ProcessState.ExitCode()}); a.exit != 8 || a.stdout != "begun\n" || a.stderr != "keepsake: Keepsake stopped answering before the command was finished; what it was to do may have been done.\nLook whether Keepsake is still open, and look before you run the command again.\n" {
		t.Errorf("the owner ended: %+v", a)
	}
	<-ended
}
