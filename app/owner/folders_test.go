//go:build !windows

package owner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
	"keepsake/backend/importer/importertest/gen"
)

// desk is a home folder in which Claude Code keeps sessions, and a vault that has them watched.
type desk struct {
	*core.Service
	home, dir, agents string
	saving            atomic.Bool
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	home, err := os.MkdirTemp("", "ks") // the name of a socket has an end at 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	d := &desk{home: home, dir: filepath.Join(t.TempDir(), "vault"), agents: filepath.Join(t.TempDir(), "agents")}
	if d.Service, err = core.New(core.Config{VaultDir: d.dir, ScratchDir: t.TempDir(), Importers: all.Importers()}); err != nil {
		t.Fatal(err)
	}
	_, made := d.CreateVault(t.Context(), passphrase, "test")
	if err := errors.Join(made, d.AllowProposing(t.Context(), true)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		owner.Watch(ctx, d.Service, owner.Config{
			Folder: d.agents, SavesPower: d.saving.Load, SettledFor: 100 * time.Millisecond,
			Failed: func(err error) { t.Errorf("nobody can ask: %v", err) }, Listening: func() {},
		})
	}()
	t.Cleanup(func() { cancel(); <-done; _ = d.Close() })
	return d
}

func (d *desk) watch(t *testing.T) {
	t.Helper()
	if _, err := d.WatchFolder(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) path(project, session string) string {
	return filepath.Join(d.home, ".claude", "projects", project, session+".jsonl")
}

// says appends what the person says to a session.
func (d *desk) says(t *testing.T, path, text string) {
	t.Helper()
	id := fmt.Sprintf("u%d", time.Now().UnixNano())
	line, err := json.Marshal(map[string]any{
		"type": "user", "uuid": id, "parentUuid": "", "sessionId": strings.TrimSuffix(filepath.Base(path), ".jsonl"), "timestamp": "2026-08-01T10:00:00.000Z",
		"cwd": "/home/robin/tea", "isSidechain": false, "message": map[string]any{"role": "user", "content": text},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	// It polls: an import is triggered by a file notification and runs in the background.
	for end := time.Now().Add(60 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// watched is how the folder of Claude Code stands.
func (d *desk) watched(t *testing.T) core.Watched {
	t.Helper()
	all, err := d.WatchedFolders(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0]
}

func (d *desk) untilTaken(t *testing.T, sessions int) {
	t.Helper()
	until(t, fmt.Sprintf("%d sessions are taken", sessions), func() bool { return d.watched(t).Taken == sessions })
}

func (d *desk) untilWatched(t *testing.T) {
	t.Helper()
	until(t, "the folder is watched", func() bool { return d.watched(t).Problem == nil })
}

func has(f *fault.Error, reason string) bool { return f != nil && f.Reason == reason }

// has reports whether the conversations of the vault say a text.
func (d *desk) has(t *testing.T, text string) bool {
	t.Helper()
	if err := d.WaitForIndex(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := d.Search(t.Context(), core.SearchQuery{Text: text, In: "messages"})
	if err != nil {
		t.Fatal(err)
	}
	return found.Total > 0
}

// earlier makes a session one of an hour ago.
func (d *desk) earlier(t *testing.T, path, text string) {
	t.Helper()
	d.says(t, path, text)
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

const first = "5f2c0a4e-0000-4000-8000-000000000001"

// TestSessionsOfAWatchedFolder are taken once they rest, without their assistant being allowed anything; what
// was there before the watching began is not, and the log says that nobody but the folder did it.
func TestSessionsOfAWatchedFolder(t *testing.T) {
	d := newDesk(t)
	d.earlier(t, d.path("-old", "00000000-0000-4000-8000-000000000009"), "I collect stamps of Peru.")
	d.watch(t)
	d.untilWatched(t)
	d.says(t, d.path("-old", first), "I prefer trains to planes.")
	d.untilTaken(t, 1)
	d.says(t, d.path("-new", "5f2c0a4e-0000-4000-8000-000000000002"), "I live in Porto.")
	d.untilTaken(t, 2)
	page, err := d.Proposals(t.Context(), core.ProposalQuery{})
	if err != nil || len(page.Items) != 2 {
		t.Errorf("%+v, %v", page, err)
	}
	if d.has(t, "stamps") {
		t.Error("what was there before was taken")
	}
	if agents, err := d.Agents(t.Context()); err != nil || len(agents) > 0 {
		t.Errorf("%v, %v", agents, err)
	}
	log, err := d.Log(t.Context(), core.LogQuery{})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for _, e := range log.Entries {
		by[e.Actor+": "+e.Action]++
	}
	if by["watched folder: session-taken"] != 2 || by["watched folder: store"] != 2 || by["you: store"] > 0 {
		t.Errorf("%v", by)
	}
	if err := d.StopWatching(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	d.earlier(t, d.path("-new", "5f2c0a4e-0000-4000-8000-000000000003"), "I play the lute.")
	d.watch(t) // from now on: what was written while nobody was to watch is not taken
	d.says(t, d.path("-new", "5f2c0a4e-0000-4000-8000-000000000004"), "I sing.")
	until(t, "what came after is taken", func() bool { return d.has(t, "sing") })
	if d.has(t, "lute") {
		t.Error("what was written while the folder was not watched was taken")
	}
}

// TestWatchingEndsAtTheLock: what is written while the vault is locked is found after the unlock, and until
// then nothing of it is written anywhere.
func TestWatchingEndsAtTheLock(t *testing.T) {
	d := newDesk(t)
	d.watch(t)
	d.untilWatched(t)
	d.says(t, d.path("-canary-project", first), "I prefer canaries to planes.")
	if err := d.Lock(t.Context()); err != nil { // while it is pending
		t.Fatal(err)
	}
	d.says(t, d.path("-canary-project", "5f2c0a4e-0000-4000-8000-000000000002"), "I own a canary.")
	time.Sleep(500 * time.Millisecond) // several times as long as a session has to rest
	d.noneOnDisk(t, "canar")
	if err := d.Unlock(t.Context(), passphrase); err != nil {
		t.Fatal(err)
	}
	until(t, "both are taken", func() bool { return d.has(t, "canaries") && d.has(t, "canary") })
	d.noneOnDisk(t, "canar")
}

// noneOnDisk looks for a text in every file and name outside of the assistant's own folder.
func (d *desk) noneOnDisk(t *testing.T, text string) {
	t.Helper()
	for _, root := range []string{filepath.Dir(d.dir), filepath.Dir(d.agents), filepath.Join(d.home, ".local"), filepath.Join(d.home, ".config")} {
		_ = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			content, err := os.ReadFile(path)
			if strings.Contains(strings.ToLower(string(content)+path), text) {
				t.Errorf("%s (%v)", path, err)
			}
			return nil
		})
	}
}

// TestWatchingWaits while the assistant is paused, and while the computer saves power.
func TestWatchingWaits(t *testing.T) {
	d := newDesk(t)
	key, err := owner.NewClient(d.dir, "claude-code", d.agents)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	until(t, "the agent asked", func() bool {
		_, err := key.Ready(t.Context())
		agents, _ := d.Agents(t.Context())
		return err == nil && len(agents) == 1
	})
	if err := d.PauseAgents(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	d.watch(t)
	d.untilWatched(t)
	d.says(t, d.path("-tea", first), "I prefer trains to planes.")
	time.Sleep(500 * time.Millisecond) // several times as long as a session has to rest
	if got := d.watched(t).Taken; got != 0 {
		t.Errorf("%d taken of a paused assistant", got)
	}
	if err := d.PauseAgents(t.Context(), "", false); err != nil {
		t.Fatal(err)
	}
	d.untilTaken(t, 1)
	d.saving.Store(true)
	d.says(t, d.path("-tea", "5f2c0a4e-0000-4000-8000-000000000002"), "I live in Porto.")
	time.Sleep(500 * time.Millisecond) // several times as long as a session has to rest
	if got := d.watched(t).Taken; got != 1 {
		t.Errorf("%d taken while power is saved", got)
	}
	d.saving.Store(false)
	if err := d.PauseAgents(t.Context(), "", false); err != nil { // says that it is time to look, which a minute does as well
		t.Fatal(err)
	}
	d.untilTaken(t, 2)
}

// TestAWatchedFolderThatComesAndGoes: one that is not there is watched once it is, and found again.
func TestAWatchedFolderThatComesAndGoes(t *testing.T) {
	d := newDesk(t)
	d.watch(t)
	until(t, "it is not there", func() bool { return has(d.watched(t).Problem, "watch-not-there") })
	d.says(t, d.path("-tea", first), "I prefer trains to planes.")
	d.untilTaken(t, 1)
	d.untilWatched(t)
	if err := os.RemoveAll(filepath.Join(d.home, ".claude")); err != nil {
		t.Fatal(err)
	}
	until(t, "it is gone", func() bool { return has(d.watched(t).Problem, "watch-not-there") })
	d.says(t, d.path("-tea", "5f2c0a4e-0000-4000-8000-000000000002"), "I live in Porto.")
	d.untilTaken(t, 2)
}

// TestOnlySessionsAreTakenFromAFolder: what is a link, a pipe or a device is not looked at, what belongs to
// another account or holds memories is refused, and none of it stops what comes behind it.
func TestOnlySessionsAreTakenFromAFolder(t *testing.T) {
	d := newDesk(t)
	project := filepath.Join(d.home, ".claude", "projects", "-tea")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	d.watch(t)
	d.untilWatched(t)
	secret := filepath.Join(d.home, "secret.jsonl")
	d.says(t, secret, "I hide a canary.")
	in := func(name string) string { return filepath.Join(project, name) }
	mif := `{"mif_version":"1.0","memories":[{"id":"0198f3a2-0000-7000-8000-000000000009","content":"Canary.","type":"fact"}]}`
	if err := errors.Join(os.Symlink(secret, in("link.jsonl")), os.Symlink("/dev/zero", in("device.jsonl")), syscall.Mkfifo(in("pipe.jsonl"), 0o600),
		os.Mkdir(in("folder.jsonl"), 0o700), os.Symlink(filepath.Dir(secret), filepath.Join(d.home, ".claude", "projects", "linked")),
		os.WriteFile(in("memories.jsonl"), []byte(mif), 0o600)); err != nil {
		t.Fatal(err)
	}
	until(t, "the document is refused", func() bool { return d.watched(t).Refused != nil })
	if os.Getuid() == 0 { // only root can give a file away
		d.says(t, in("foreign.jsonl"), "I am a canary of somebody else.")
		if err := os.Chown(in("foreign.jsonl"), 12345, -1); err != nil {
			t.Fatal(err)
		}
		until(t, "it is refused", func() bool { return has(d.watched(t).Refused, "session-foreign") })
	}
	d.says(t, d.path("-tea", first), "I prefer trains to planes.")
	d.untilTaken(t, 1)
	if d.has(t, "canary") {
		t.Error("what is no session was taken")
	}
}

// TestManySessionsAtOnce are all taken, in their order and each once.
func TestManySessionsAtOnce(t *testing.T) {
	d := newDesk(t)
	d.watch(t)
	d.untilWatched(t)
	for i := range 40 {
		d.says(t, d.path(fmt.Sprintf("-p%d", i%7), fmt.Sprintf("5f2c0a4e-0000-4000-8000-%012d", i)), fmt.Sprintf("I own boat number %d.", i))
	}
	d.untilTaken(t, 40)
	imports, err := d.Imports(t.Context())
	if err != nil || len(imports) != 40 || slices.ContainsFunc(imports, func(r core.ImportReport) bool { return r.Conversations.New != 1 }) {
		t.Errorf("%d imports, %v", len(imports), err)
	}
}

// Promise: a file that comes into the downloads folder is reported as an event, and not imported.
func TestDownloadsAreTold(t *testing.T) {
	d := newDesk(t)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(d.home, ".config"))
	folder := filepath.Join(d.home, "Downloads")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	told := make(chan struct{}, 100)
	defer d.Subscribe(func(e core.Event) {
		if e.Name == core.EventAgents {
			told <- struct{}{}
		}
	})()
	if _, err := d.WatchFolder(t.Context(), "downloads"); err != nil {
		t.Fatal(err)
	}
	<-told // that it is watched
	<-told // that it was looked at for the first time
	export, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1})
	if err := os.WriteFile(filepath.Join(folder, "export.zip"), export, 0o600); err != nil {
		t.Fatal(err)
	}
	<-told
	if reports, err := d.Imports(t.Context()); err != nil || len(reports) != 0 {
		t.Errorf("%+v, %v", reports, err)
	}
}
