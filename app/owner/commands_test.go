package owner_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"keepsake/app/localsocket"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// runner is what an owner of these tests runs: a command whose first word is a name of commands, or
// lists the memories.
type runner struct {
	ran      atomic.Int32
	commands map[string]func(ctx context.Context, c owner.Command, stdout, stderr io.Writer) int
}

func (r *runner) run(ctx context.Context, service *core.Service, c owner.Command, stdout, stderr io.Writer) int {
	r.ran.Add(1)
	if do := r.commands[c.Args[0]]; do != nil {
		return do(ctx, c, stdout, stderr)
	}
	page, err := service.Memories(ctx, core.MemoryQuery{})
	for _, m := range page.Items {
		fmt.Fprintln(stdout, m.Content)
	}
	fmt.Fprintln(stderr, err)
	return 7
}

func (h *house) ask(t *testing.T, words ...string) (out string, exit int, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit, err = owner.Ask(t.Context(), h.dir, h.key(t), owner.Command{Args: words}, &stdout, &stderr)
	return stdout.String() + stderr.String(), exit, err
}

// key is derived as another process does it.
func (h *house) key(t *testing.T) *core.ChannelKey {
	t.Helper()
	other, err := core.New(core.Config{VaultDir: h.dir, ScratchDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	key, err := other.DeriveChannelKey(t.Context(), core.Secret{Passphrase: passphrase})
	if err := errors.Join(err, other.Close()); err != nil {
		t.Fatal(err)
	}
	return key
}

// TestACommand gets its words and its input, and comes back with both outputs and the exit code,
// whatever their size.
func TestACommand(t *testing.T) {
	h, _ := open(t)
	if out, exit, err := h.ask(t, "list"); out != "Plays the oboe.\n<nil>\n" || exit != 7 || err != nil {
		t.Errorf("%q, %d, %v", out, exit, err)
	}
	h.runner.commands = map[string]func(context.Context, owner.Command, io.Writer, io.Writer) int{
		"echo": func(_ context.Context, c owner.Command, stdout, stderr io.Writer) int {
			_, _ = io.Copy(stdout, bytes.NewReader(c.Input))
			_, _ = io.WriteString(stderr, strings.Join(c.Args, " "))
			return 0
		},
		"much": func(_ context.Context, _ owner.Command, stdout, stderr io.Writer) int {
			for i := range 200_000 {
				fmt.Fprintln(stdout, "line", i, "of an answer")
			}
			_, _ = stderr.Write(bytes.Repeat([]byte("e"), 3<<20))
			return 1
		},
	}
	input := bytes.Repeat([]byte("0123456789"), 150_000)
	var stdout, stderr bytes.Buffer
	exit, err := owner.Ask(t.Context(), h.dir, h.key(t), owner.Command{Args: []string{"echo", "a b", ""}, Input: input}, &stdout, &stderr)
	if exit != 0 || err != nil || !bytes.Equal(stdout.Bytes(), input) || stderr.String() != "echo a b " {
		t.Errorf("%d bytes, %q, %d, %v", stdout.Len(), stderr.String(), exit, err)
	}
	if out, exit, err := h.ask(t, "much"); exit != 1 || err != nil || strings.Count(out, "of an answer") != 200_000 || strings.Count(out, "e") < 3<<20 {
		t.Errorf("%d bytes, %d, %v", len(out), exit, err)
	}
	_, _, err = h.ask(t, "list", strings.Repeat("x", 1<<20))
	if fault.From(err).Reason != "command-too-long" {
		t.Error(err)
	}
}

// raw is a client that need not keep to the protocol.
type raw struct {
	net.Conn
	lines    *bufio.Reader
	received bytes.Buffer
}

func (h *house) dial(t *testing.T) *raw {
	t.Helper()
	conn, err := localsocket.Dial("agents", h.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	return &raw{Conn: conn, lines: bufio.NewReaderSize(conn, 1<<20)}
}

func (r *raw) say(v any) {
	line, _ := json.Marshal(v)
	_, _ = r.Write(append(line, '\n')) // the owner may have gone
}

// line is the next line of the owner, nothing once it has closed the connection.
func (r *raw) line() map[string]any {
	line, _ := r.lines.ReadBytes('\n')
	r.received.Write(line)
	var v map[string]any
	_ = json.Unmarshal(line, &v)
	return v
}

type sealer interface{ Seal(plain []byte) []byte }

// hello begins a command with a nonce and returns the owner's.
func (r *raw) hello(t *testing.T, own [32]byte) (theirs [32]byte) {
	t.Helper()
	r.say(map[string]any{"keepsake": 1, "command": own[:]})
	line, _ := r.lines.ReadBytes('\n')
	var ch struct{ Nonce []byte }
	if err := json.Unmarshal(line, &ch); err != nil || len(ch.Nonce) != 32 {
		t.Fatalf("%q, %v", line, err)
	}
	return [32]byte(ch.Nonce)
}

func (r *raw) begin(t *testing.T, key *core.ChannelKey) sealer {
	t.Helper()
	own := [32]byte{1}
	ends, err := key.Channel(own, r.hello(t, own), false)
	if err != nil {
		t.Fatal(err)
	}
	return ends
}

func (r *raw) frame(s sealer, plain string) { r.say(map[string]any{"sealed": s.Seal([]byte(plain))}) }

// TestWithoutTheKey: without the vault's key no client runs a command or reads a byte of the vault: with another key, with none,
// as an agent, and with what somebody else has sent. Each is counted with the unlocks that failed.
func TestWithoutTheKey(t *testing.T) {
	h, c, id := allowed(t)
	if _, err := get(t, c, id); err != nil {
		t.Fatal(err)
	}
	key, own := h.key(t), [32]byte{1}
	ends, err := key.Channel(own, [32]byte{2}, false)
	if err != nil {
		t.Fatal(err)
	}
	recorded := [][]byte{ends.Seal([]byte(`a["list"]`)), ends.Seal([]byte("r"))}
	for name, say := range map[string]func(r *raw){
		"a key of zeros": func(r *raw) {
			s := r.begin(t, &core.ChannelKey{})
			r.frame(s, `a["list"]`)
			r.frame(s, "r")
		},
		"nothing sealed": func(r *raw) {
			r.begin(t, key)
			r.say(map[string]any{"sealed": []byte(`a["list"]`)})
		},
		"an agent's call": func(r *raw) {
			r.begin(t, key)
			r.say(map[string]any{"id": 1, "tool": "get_memory", "arguments": map[string]any{"id": id}})
		},
		"a proof of an agent": func(r *raw) {
			r.begin(t, key)
			r.say(map[string]any{"signature": make([]byte, 64)})
		},
		"the answer to another nonce": func(r *raw) {
			r.hello(t, own)
			for _, f := range recorded {
				r.say(map[string]any{"sealed": f})
			}
		},
	} {
		r := h.dial(t)
		say(r)
		if refused, _ := r.line()["error"].(map[string]any); refused["reason"] != "command-key" || r.line() != nil {
			t.Errorf("%s: %s", name, r.received.String())
		}
		if strings.Contains(r.received.String(), "oboe") {
			t.Errorf("%s is told of a memory", name)
		}
	}
	if n := h.runner.ran.Load(); n != 0 {
		t.Errorf("%d commands ran", n)
	}
	if tries, err := os.ReadFile(filepath.Join(h.dir, "vault.tries")); err != nil || bytes.Count(tries, []byte("\n")) != 5 {
		t.Errorf("%q, %v", tries, err)
	}
	if _, err := owner.Ask(t.Context(), h.dir, &core.ChannelKey{}, owner.Command{Args: []string{"list"}}, io.Discard, io.Discard); fault.From(err).Reason != "owner-other-key" {
		t.Error(err)
	}
}

// TestNothingReadableOnTheSocket: what a process between the two would see holds neither the command
// nor its answer.
func TestNothingReadableOnTheSocket(t *testing.T) {
	h, _ := open(t)
	r := h.dial(t)
	own := [32]byte{1}
	ends, err := h.key(t).Channel(own, r.hello(t, own), false)
	if err != nil {
		t.Fatal(err)
	}
	r.frame(ends, `a["list"]`)
	r.frame(ends, "r")
	var answer string
	for line := r.line(); line != nil; line = r.line() {
		text, _ := line["sealed"].(string)
		var sealed []byte
		if err := json.Unmarshal([]byte(`"`+text+`"`), &sealed); err != nil {
			t.Fatal(err)
		}
		plain, err := ends.Open(sealed)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(sealed, []byte("oboe")) {
			t.Error("the answer can be read")
		}
		answer += string(plain)
	}
	if !strings.Contains(answer, "oPlays the oboe.\n") || !strings.HasSuffix(answer, "x7") {
		t.Errorf("%q", answer)
	}
}

// TestMalformedCommands end their connection, and the next command is run.
func TestMalformedCommands(t *testing.T) {
	h, _ := open(t)
	key := h.key(t)
	for name, frames := range map[string][]string{
		"no words":       {"a7", "r"},
		"words twice":    {`a["list"]`, `a["list"]`, "r"},
		"another kind":   {`a["list"]`, "o", "r"},
		"an empty frame": {""},
		"too much input": append(slicesOf("i"+strings.Repeat("x", 64<<10), 33), "r"),
		"only the end":   {"r"},
	} {
		r := h.dial(t)
		s := r.begin(t, key)
		for _, f := range frames {
			r.frame(s, f)
		}
		for line := r.line(); line != nil; line = r.line() {
			if line["sealed"] != nil {
				t.Errorf("%s: answered", name)
			}
		}
	}
	for _, hello := range []string{`{"keepsake":1,"command":""}`, `{"keepsake":1,"command":"AAAA"}`, `{"keepsake":1,"command":7}`, `{"keepsake":1,"command":"` + strings.Repeat("A", 2<<20) + `"}`} {
		r := h.dial(t)
		_, _ = r.Write([]byte(hello + "\n"))
		if line := r.line(); line["nonce"] != nil {
			t.Errorf("%.40s: %v", hello, line)
		}
	}
	if n := h.runner.ran.Load(); n != 0 {
		t.Errorf("%d commands ran", n)
	}
	if _, exit, err := h.ask(t, "list"); exit != 7 || err != nil {
		t.Error(exit, err)
	}
}

func slicesOf(text string, n int) (all []string) {
	for range n {
		all = append(all, text)
	}
	return all
}

// TestACommandIsStopped by its client, by a lock and by the end of the owner; a client that reads
// nothing does not keep the vault from being locked.
func TestACommandIsStopped(t *testing.T) {
	h, _ := open(t)
	began, stopped := make(chan struct{}), make(chan struct{}, 1)
	h.runner.commands = map[string]func(context.Context, owner.Command, io.Writer, io.Writer) int{
		"wait": func(ctx context.Context, _ owner.Command, stdout, stderr io.Writer) int {
			began <- struct{}{}
			<-ctx.Done()
			stopped <- struct{}{}
			fmt.Fprint(stderr, "stopped")
			return 8
		},
		"flood": func(_ context.Context, _ owner.Command, stdout, _ io.Writer) int {
			began <- struct{}{}
			for {
				if _, err := stdout.Write(make([]byte, 1<<20)); err != nil {
					stopped <- struct{}{}
					return 8
				}
			}
		},
	}
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-began; leave() }()
	if _, err := owner.Ask(ctx, h.dir, h.key(t), owner.Command{Args: []string{"wait"}}, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left: %v", err)
	}
	<-stopped

	lock := func() {
		t.Helper()
		if err := h.Lock(t.Context()); err != nil {
			t.Error(err)
		}
	}
	go func() { <-began; lock() }()
	if out, exit, err := h.ask(t, "wait"); out != "stopped" || exit != 8 || err != nil {
		t.Errorf("a lock: %q, %d, %v", out, exit, err)
	}
	<-stopped
	if err := owner.Answers(h.dir); !errors.Is(err, owner.ErrNoOwner) {
		t.Errorf("a locked vault: %v", err)
	}
	if err := h.Unlock(t.Context(), passphrase); err != nil {
		t.Fatal(err)
	}

	r := h.dial(t)
	s := r.begin(t, h.key(t))
	r.frame(s, `a["flood"]`)
	r.frame(s, "r")
	<-began
	lock()
	<-stopped
	if err := h.Unlock(t.Context(), passphrase); err != nil {
		t.Fatal(err)
	}

	gone := make(chan struct{})
	go func() { <-began; h.stop(); close(gone) }()
	// What the command says of its end arrives, unless the connection is closed before it.
	if out, exit, err := h.ask(t, "wait"); err == nil && (out != "stopped" || exit != 8) || err != nil && fault.From(err).Reason != "owner-broke-off" {
		t.Errorf("an owner that ended: %q, %d, %v", out, exit, err)
	}
	<-gone
	if err := owner.Answers(h.dir); !errors.Is(err, owner.ErrNoOwner) {
		t.Errorf("no owner: %v", err)
	}
}

// TestAnOwnerOfAnotherVersion is said to be that: one of before commands finds no key in the hello.
func TestAnOwnerOfAnotherVersion(t *testing.T) {
	h, _ := open(t)
	r := h.dial(t)
	r.say(map[string]any{"keepsake": 1}) // what it reads of the hello of a command
	before := r.line()["error"]
	h.stop()
	for _, answer := range []any{before, map[string]any{"reason": "agent-protocol"}} {
		socket, err := localsocket.Listen("agents", h.dir)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer socket.Close()
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = bufio.NewReader(conn).ReadBytes('\n')
			_ = json.NewEncoder(conn).Encode(map[string]any{"keepsake": 1, "error": answer})
		}()
		if err := owner.Answers(h.dir); fault.From(err).Reason != "owner-other-version" {
			t.Errorf("%v: %v", answer, err)
		}
		for _, err := localsocket.Dial("agents", h.dir); err == nil; _, err = localsocket.Dial("agents", h.dir) {
			time.Sleep(time.Millisecond) // until it listens no more
		}
	}
}
