package owner_test

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"keepsake/app/localsocket"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

var passphrase = []byte("correct horse battery staple")

// house is a vault with an owner that answers for it.
type house struct {
	*core.Service
	dir, keys string
	runner    *runner
	stop      func()
}

// open makes a vault with one memory in a circle and starts its owner.
func open(t *testing.T) (*house, string) {
	t.Helper()
	short, err := os.MkdirTemp("", "ks") // the name of a socket has an end at 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	t.Setenv("HOME", short) // sockets are in it
	h := &house{dir: filepath.Join(t.TempDir(), "vault"), keys: filepath.Join(t.TempDir(), "agents"), runner: &runner{}}
	if h.Service, err = core.New(core.Config{VaultDir: h.dir, ScratchDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CreateVault(t.Context(), passphrase, "test"); err != nil {
		t.Fatal(err)
	}
	r, err := h.AddMemory(t.Context(), core.NewMemory{Type: memory.Fact, Content: "Plays the oboe."})
	if err != nil {
		t.Fatal(err)
	}
	_, made := h.MakeCircle(t.Context(), core.Circle{Name: "Work"})
	_, joined := h.JoinCircle(t.Context(), "work", []string{r.ID}, true)
	if err := errors.Join(made, joined); err != nil {
		t.Fatal(err)
	}
	h.start(t)
	t.Cleanup(func() { h.stop(); _ = h.Close() })
	return h, r.ID
}

// start starts an owner; stop waits for its end.
func (h *house) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		owner.Watch(ctx, h.Service, owner.Config{Folder: h.keys, Run: h.runner.run, Failed: func(err error) { t.Errorf("nobody can ask: %v", err) }, Listening: func() {}})
	}()
	h.stop = func() { cancel(); <-done }
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		conn, err := localsocket.Dial("agents", h.dir)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(until) {
			t.Fatal("no owner listens")
		}
	}
}

func (h *house) client(t *testing.T, name string) *owner.Client {
	t.Helper()
	return clientOf(t, h.dir, name, h.keys)
}

func clientOf(t *testing.T, vaultDir, name, keys string) *owner.Client {
	t.Helper()
	c, err := owner.NewClient(vaultDir, name, keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// allowed opens a vault of which one agent may read a memory, after it asked in vain.
func allowed(t *testing.T) (h *house, c *owner.Client, id string) {
	t.Helper()
	h, id = open(t)
	c = h.client(t, "cursor")
	_, err := get(t, c, id)
	wantReason(t, err, "agent-waiting")
	h.allow(t, "cursor")
	return h, c, id
}

func (h *house) allow(t *testing.T, name string) {
	t.Helper()
	if _, err := h.AllowAgent(t.Context(), name, core.DefaultAgentGrant("work")); err != nil {
		t.Fatal(err)
	}
}

// get asks for one memory.
func get(t *testing.T, c *owner.Client, id string) (d core.AgentMemoryDetail, err error) {
	err = c.Call(t.Context(), "get_memory", owner.GetInput{ID: id}, &d)
	return d, err
}

func wantReason(t *testing.T, err error, reason string) {
	t.Helper()
	var told *owner.Error
	if !errors.As(err, &told) || told.Reason != reason {
		t.Errorf("%v, want %s", err, reason)
	}
}

// TestAnAgentIsAnswered from its first call on: while it waits, once it is allowed, while the vault
// is locked, after the owner was closed, and by the next owner.
func TestAnAgentIsAnswered(t *testing.T) {
	h, c, id := allowed(t)
	if d, err := get(t, c, id); err != nil || d.Content != "Plays the oboe." {
		t.Errorf("%+v, %v", d, err)
	}
	ready, err := c.Ready(t.Context())
	if err != nil || len(ready.Tools) != 14 {
		t.Errorf("%v, %v", ready, err)
	}
	var done core.AgentDone
	if err := c.Call(t.Context(), "update_memory", owner.UpdateInput{ID: id, Tags: &[]string{"music"}}, &done); err != nil || done != (core.AgentDone{Status: "proposed"}) {
		t.Errorf("without permission to write: %+v, %v", done, err)
	}
	other := clientOf(t, h.dir, "cursor", filepath.Join(t.TempDir(), "other")) // without the key
	_, err = get(t, other, id)
	wantReason(t, err, "agent-key-differs")
	if err := h.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	told := make(chan any, 10)
	defer h.Subscribe(func(e core.Event) {
		if e.Name == core.EventLockedOut {
			told <- e.Payload
		}
	})()
	if ready, err := c.Ready(t.Context()); err == nil {
		t.Errorf("a locked vault is ready: %v", ready)
	}
	_, err = get(t, c, id)
	wantReason(t, err, "vault-locked")
	if len(told) != 1 || <-told != "cursor" { // what is asked by starting an assistant is no call
		t.Errorf("the person is told of %d calls, not of cursor's alone", len(told))
	}
	if strings.Contains(err.Error(), h.dir) {
		t.Errorf("%v names a path", err)
	}
	if err := h.Unlock(t.Context(), passphrase); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, c, id); err != nil {
		t.Error(err)
	}
	h.stop()
	_, err = get(t, c, id)
	wantReason(t, err, "agent-no-owner")
	h.start(t)
	if _, err := get(t, c, id); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(h.keys, "cursor.key")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestManyCallsAtOnce: calls of several agents under way at once each get their own answer.
func TestManyCallsAtOnce(t *testing.T) {
	h, id := open(t)
	var all sync.WaitGroup
	for n := range 3 {
		c := h.client(t, fmt.Sprint("agent-", n))
		_, err := get(t, c, id)
		wantReason(t, err, "agent-waiting")
		g := core.DefaultAgentGrant("work")
		g.Memories, g.Bytes = 0, 0
		if _, err := h.AllowAgent(t.Context(), fmt.Sprint("agent-", n), g); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			all.Go(func() {
				if i%2 == 0 {
					if d, err := get(t, c, id); err != nil || d.ID != id {
						t.Errorf("%+v, %v", d, err)
					}
					return
				}
				_, err := get(t, c, fmt.Sprint("never ", i))
				wantReason(t, err, "no-memory")
			})
		}
	}
	all.Wait()
	calls, err := h.AgentCalls(t.Context(), core.AgentCallQuery{Limit: 1000})
	if err != nil || calls.Total != 63 {
		t.Errorf("%d calls, %v", calls.Total, err)
	}
}

// TestCallsOfWhatWasPaused: nobody has an answer while all are paused.
func TestCallsOfWhatWasPaused(t *testing.T) {
	h, c, id := allowed(t)
	if err := h.PauseAgents(t.Context(), "", true); err != nil {
		t.Fatal(err)
	}
	_, err := get(t, c, id)
	wantReason(t, err, "agent-paused")
}

// TestBadArguments are refused in words, and each such call is in the log.
func TestBadArguments(t *testing.T) {
	h, c, id := allowed(t)
	for tool, reason := range map[string]string{"get_memory": "agent-arguments", "nothing": "agent-tool", "update_memory": "agent-arguments"} {
		for _, arguments := range []any{map[string]any{"id": 7}, map[string]any{"more": true}, []int{1}, strings.Repeat("[", 10_000)} {
			wantReason(t, c.Call(t.Context(), tool, arguments, new(any)), reason)
		}
	}
	wantReason(t, c.Call(t.Context(), "complete", map[string]any{"prefix": 7}, new(any)), "agent-arguments")
	wantReason(t, c.Call(t.Context(), "search_memories", owner.SearchInput{Query: "x", Since: "yesterday"}, new(any)), "agent-date")
	calls, err := h.AgentCalls(t.Context(), core.AgentCallQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	logged := map[string]int{}
	for _, one := range calls.Items {
		logged[one.Tool+" "+one.Refused]++
	}
	if want := map[string]int{"get_memory agent-waiting": 1, "get_memory agent-arguments": 4, "unknown agent-tool": 4, "update_memory agent-arguments": 4, "search_memories agent-date": 1, "complete agent-arguments": 1}; !maps.Equal(logged, want) {
		t.Errorf("in the log: %v, want %v", logged, want)
	}
	big := c.Call(t.Context(), "get_memory", owner.GetInput{ID: strings.Repeat("x", 2<<20)}, new(any))
	wantReason(t, big, "agent-arguments-too-large")
	if _, err := get(t, c, id); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// TestMalformedFrames: what is none of the protocol ends its own connection, and nothing else.
func TestMalformedFrames(t *testing.T) {
	h, c, id := allowed(t)
	before := runtime.NumGoroutine()
	frames := []string{"", "{", "null", "[]", `{"keepsake":1}`, `{"keepsake":"1"}`, `{"keepsake":1,"client":"cursor","key":"-----BEGIN"}`, "\x00\xff\xfe", strings.Repeat("{", 5000), `{"id":1,"tool":"get_memory"}`}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 10_000 / len(frames) {
		conn, err := localsocket.Dial("agents", h.dir)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		for range len(frames) {
			line := frames[random.IntN(len(frames))]
			if _, err := conn.Write([]byte(line + "\n")); err != nil {
				break // it was closed before
			}
		}
		if i%100 == 0 {
			_, _ = bufio.NewReader(conn).ReadString('\n')
		}
		conn.Close()
	}
	for until := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before+5; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
	if _, err := get(t, c, id); err != nil {
		t.Error(err)
	}
}

// TestWhoAsksProvesIt: a client of another version, without a key, or with a signature of another
// one gets no further.
func TestWhoAsksProvesIt(t *testing.T) {
	h, _ := open(t)
	public, private, _ := ed25519.GenerateKey(nil)
	der, _ := x509.MarshalPKIXPublicKey(public)
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	talk := func(hello map[string]any, sign func(nonce []byte) []byte) (first map[string]any, answered bool) {
		conn, err := localsocket.Dial("agents", h.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		in, out := json.NewDecoder(conn), json.NewEncoder(conn)
		if err := out.Encode(hello); err != nil {
			t.Fatal(err)
		}
		var c struct{ Nonce []byte }
		var raw json.RawMessage
		if in.Decode(&raw) != nil {
			return nil, false
		}
		_ = json.Unmarshal(raw, &c)
		_ = json.Unmarshal(raw, &first)
		_ = out.Encode(map[string]any{"signature": sign(c.Nonce)})
		_ = out.Encode(map[string]any{"id": 1, "tool": "ready"})
		var answer map[string]any
		return first, in.Decode(&answer) == nil
	}
	good := func(nonce []byte) []byte {
		return ed25519.Sign(private, append([]byte("keepsake agent x\x00"), nonce...))
	}
	if _, answered := talk(map[string]any{"keepsake": 1, "client": "x", "key": key}, good); !answered {
		t.Error("who proves it is not answered")
	}
	for what, sign := range map[string]func([]byte) []byte{
		"no signature": func([]byte) []byte { return nil },
		"of another name": func(nonce []byte) []byte {
			return ed25519.Sign(private, append([]byte("keepsake agent y\x00"), nonce...))
		},
		"of the nonce only": func(nonce []byte) []byte { return ed25519.Sign(private, nonce) },
	} {
		if _, answered := talk(map[string]any{"keepsake": 1, "client": "x", "key": key}, sign); answered {
			t.Errorf("%s: it is answered", what)
		}
	}
	for _, hello := range []map[string]any{{"keepsake": 2, "client": "x", "key": key}, {"keepsake": 1, "client": "x", "key": "none"}} {
		if first, answered := talk(hello, good); answered || first["error"] == nil {
			t.Errorf("%v: %v", hello, first)
		}
	}
}

// TestOneOwner: a second process leaves a vault to the one that answers for it and says so once, and
// takes over when that one ends.
func TestOneOwner(t *testing.T) {
	h, id := open(t)
	second, err := core.New(core.Config{VaultDir: h.dir, ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	ctx, cancel := context.WithCancel(t.Context())
	told, done := make(chan error, 100), make(chan struct{})
	go func() {
		defer close(done)
		owner.Watch(ctx, second, owner.Config{Folder: t.TempDir(), Failed: func(err error) { told <- err }, Listening: func() {}})
	}()
	defer func() { cancel(); <-done }()
	if err := <-told; !errors.Is(err, localsocket.ErrTaken) {
		t.Errorf("a second owner: %v", err)
	}
	time.Sleep(2500 * time.Millisecond) // it tries again meanwhile
	if len(told) > 0 {
		t.Errorf("it says more than once: %v", <-told)
	}
	c := h.client(t, "cursor")
	_, err = get(t, c, id)
	wantReason(t, err, "agent-waiting")
	h.stop()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		_, err := get(t, c, id)
		if err.(*owner.Error).Reason == "vault-locked" {
			return // the second has not unlocked it
		}
		if time.Now().After(until) {
			t.Fatalf("nobody takes over: %v", err)
		}
	}
}

// TestAStaleSocket: what a killed process left is only a file.
func TestAStaleSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe leaves no file")
	}
	h, _ := open(t)
	name := socket(t)
	h.stop()
	stale, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	h.start(t)
}

// socket finds the socket of an owner.
func socket(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("HOME"), "*", "*", "*", "run", "agents-*.sock"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return found[0]
}

// TestAVaultByALink: a client that names the vault through a link asks its owner.
func TestAVaultByALink(t *testing.T) {
	h, id := open(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(h.dir, link); err != nil {
		t.Skip(err) // Windows without the right to
	}
	_, err := get(t, clientOf(t, link, "cursor", h.keys), id)
	wantReason(t, err, "agent-waiting")
}

// TestOfADestroyedVault nothing is told, neither where it was.
func TestOfADestroyedVault(t *testing.T) {
	h, c, id := allowed(t)
	state, err := h.VaultState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.DestroyVault(t.Context(), state.VaultID, core.Secret{Passphrase: passphrase}, "", false); err != nil {
		t.Fatal(err)
	}
	_, err = get(t, c, id)
	wantReason(t, err, "no-vault")
	if strings.ContainsAny(err.Error(), `/\`) {
		t.Errorf("%v names a path", err)
	}
}

// TestTheVaultThatWasTurnedTo: a client is answered from the vault that it names and from no other.
func TestTheVaultThatWasTurnedTo(t *testing.T) {
	h, _ := open(t)
	first := h.client(t, "cursor")
	other := filepath.Join(t.TempDir(), "other")
	if err := h.Select(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CreateVault(t.Context(), passphrase, "test"); err != nil {
		t.Fatal(err)
	}
	second := clientOf(t, other, "cursor", h.keys)
	for range 3 {
		for dir, asked := range map[string]*owner.Client{h.dir: first, other: second} {
			if err := h.Select(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			awaitReason(t, asked, "vault-locked")
			for _, c := range []*owner.Client{first, second} {
				if c != asked {
					awaitReason(t, c, "agent-no-owner")
				}
			}
		}
	}
}

// awaitReason waits until a call of a client is refused for a reason.
func awaitReason(t *testing.T, c *owner.Client, reason string) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, err := get(t, c, "")
		var told *owner.Error
		if errors.As(err, &told) && told.Reason == reason {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%v, want %s", err, reason)
		}
	}
}

// TestNamesOfClients are those that an agent may have, whatever their case, so that the file of a key
// is in its folder.
func TestNamesOfClients(t *testing.T) {
	h, id := open(t)
	for _, bad := range []string{"", "../../evil", "a/b", `a\b`, ".hidden", "a b", "you", strings.Repeat("a", 41)} {
		if _, err := owner.NewClient(h.dir, bad, h.keys); fault.From(err) == nil || fault.From(err).Reason != "agent-name" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, name := range []string{"Cursor", "cursor", " CURSOR "} {
		_, err := get(t, h.client(t, name), id)
		wantReason(t, err, "agent-waiting")
	}
	keys, err := os.ReadDir(h.keys)
	if err != nil || len(keys) != 1 || keys[0].Name() != "cursor.key" {
		t.Errorf("%v, %v", keys, err)
	}
}

// TestAKeyThatOthersCouldRead is theirs no more once it was used.
func TestAKeyThatOthersCouldRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder decides there")
	}
	h, id := open(t)
	_, err := get(t, h.client(t, "cursor"), id)
	wantReason(t, err, "agent-waiting")
	file := filepath.Join(h.keys, "cursor.key")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = get(t, h.client(t, "cursor"), id)
	wantReason(t, err, "agent-waiting")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestTooManyConnections: the next one is told, and answered once there is room.
func TestTooManyConnections(t *testing.T) {
	h, id := open(t)
	time.Sleep(50 * time.Millisecond) // until the owner noticed that start went away
	var open []net.Conn
	for range 64 {
		conn, err := localsocket.Dial("agents", h.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		open = append(open, conn)
	}
	c := h.client(t, "cursor")
	_, err := get(t, c, id)
	wantReason(t, err, "agent-too-many-connections")
	for _, conn := range open {
		conn.Close()
	}
	awaitReason(t, c, "agent-waiting")
}

// TestKeptFilesAreWritten when a memory comes, while the vault is unlocked; what came while nobody
// watched is written at the next unlock.
func TestKeptFilesAreWritten(t *testing.T) {
	h, id := open(t)
	file := filepath.Join(t.TempDir(), "AGENTS.md")
	if _, err := h.KeepHandoff(t.Context(), "agents-md", file, core.HandoffOptions{For: "work"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.EditMemory(t.Context(), id, core.MemoryEdit{Content: new("Plays the cello.")}); err != nil {
		t.Fatal(err)
	}
	h.untilKept(t, file, "cello")
	h.stop()
	if _, err := h.EditMemory(t.Context(), id, core.MemoryEdit{Content: new("Plays the lute.")}); err != nil {
		t.Fatal(err)
	}
	h.start(t)
	if err := errors.Join(h.Lock(t.Context()), h.Unlock(t.Context(), passphrase)); err != nil {
		t.Fatal(err)
	}
	h.untilKept(t, file, "lute")
}

func (h *house) untilKept(t *testing.T, file, word string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), word) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never %q: %s, %v", word, text, err)
		}
	}
}
