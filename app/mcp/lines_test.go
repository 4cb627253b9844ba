package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	door "keepsake/app/mcp"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// answer is a line of the server.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      *int            `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// serve gives text to a server and returns its answers, each of which is a line of JSON.
func serve(t *testing.T, in io.Reader) []answer {
	t.Helper()
	var out bytes.Buffer
	if err := door.Serve(t.Context(), newClient(t, newHome(t)), nil, io.NopCloser(in), nopCloser{&out}); err != nil {
		t.Errorf("it ended with %v", err)
	}
	var all []answer
	for line := range strings.Lines(out.String()) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.Version != "2.0" {
			t.Fatalf("%.200q: %v", line, err)
		}
		all = append(all, a)
	}
	return all
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// TestLinesThatAreNoMessages are each answered with the error of JSON-RPC, and what comes after is
// answered, too.
func TestLinesThatAreNoMessages(t *testing.T) {
	nested := func(levels int) string {
		return `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":` + strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + `}}`
	}
	for _, one := range []struct {
		line string
		code int // 0: it is none
	}{
		{"garbage", -32700}, {"{", -32700}, {"\x00\xff", -32700}, {`{"jsonrpc":"2.0","id":2,"method":"ping"} x`, -32700}, {`{"jsonrpc":"2.0","id":2,"method":"ping"}{}`, -32700},
		{"null", -32600}, {"[]", -32600}, {"7", -32600}, {"[" + initialized + "]", -32600}, {"{}", -32600},
		{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600}, {`{"jsonrpc":"2.0","id":2,"method":7}`, -32600},
		{nested(65), -32600}, {strings.Repeat("[", 1000) + strings.Repeat("]", 1000), -32600}, {strings.Repeat("{", 100_000), -32600},
		{`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, -32600},
		{nested(64), 0}, {`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20-100) + `"}}`, 0},
		{`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat(`[{\"`, 100) + `"}}`, 0},
		{"  \t" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "  \r", 0}, {"\n\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`, 0},
	} {
		for _, end := range []string{"\n", ""} { // the last line may have no end
			all := serve(t, strings.NewReader(initialize+"\n"+initialized+"\n"+one.line+"\n"+`{"jsonrpc":"2.0","id":3,"method":"ping"}`+end))
			byID := map[int]answer{}
			var wrong []answer
			for _, a := range all {
				if a.ID == nil {
					wrong = append(wrong, a)
				} else {
					byID[*a.ID] = a
				}
			}
			if byID[1].Result == nil || byID[3].Result == nil {
				t.Errorf("after %.60q: %+v", one.line, all)
			}
			if one.code != 0 && (len(wrong) != 1 || wrong[0].Error == nil || wrong[0].Error.Code != one.code || byID[2].ID != nil) {
				t.Errorf("%.60q: %+v, want %d", one.line, wrong, one.code)
			}
			if one.code == 0 && (len(wrong) > 0 || byID[2].Result == nil) {
				t.Errorf("%.60q: %+v", one.line, all)
			}
		}
	}
}

// TestEndOfInput: calls that came before it are answered, and an error of reading is told.
func TestEndOfInput(t *testing.T) {
	for range 50 {
		if all := serve(t, strings.NewReader(initialize+"\n"+initialized+"\n")); len(all) != 1 || all[0].Result == nil {
			t.Fatalf("%+v", all)
		}
	}
	broken := errors.New("the disk is gone")
	in := io.NopCloser(io.MultiReader(strings.NewReader(initialize+"\n"), failing{broken}))
	if err := door.Serve(t.Context(), newClient(t, newHome(t)), nil, in, nopCloser{io.Discard}); !errors.Is(err, broken) {
		t.Errorf("it ended with %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestManyMalformedLines: none ends the server or makes it grow, and a good call after them is
// answered.
func TestManyMalformedLines(t *testing.T) {
	const many = 10_000
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error, 1)
	client := newClient(t, newHome(t))
	go func() {
		err := door.Serve(t.Context(), client, nil, in, out)
		out.Close()
		ended <- err
	}()
	go func() {
		defer write.Close()
		to := bufio.NewWriter(write)
		fmt.Fprintln(to, initialize)
		fmt.Fprintln(to, initialized)
		random := rand.New(rand.NewPCG(1, 2))
		for range many {
			to.Write(malformedLine(random))
			to.WriteByte('\n')
		}
		fmt.Fprintln(to, `{"jsonrpc":"2.0","id":424242,"method":"ping"}`)
		to.Flush()
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answered := false
	answers := bufio.NewScanner(read)
	answers.Buffer(nil, 1<<20)
	for answers.Scan() {
		var a struct {
			ID     any             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(answers.Bytes(), &a); err != nil {
			t.Fatalf("%.200q: %v", answers.Text(), err)
		}
		answered = answered || a.ID == 424242.0 && a.Result != nil
	}
	if err := <-ended; err != nil || !answered {
		t.Errorf("answered: %t; it ended with %v", answered, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("%d bytes more are held", after.HeapAlloc-before.HeapAlloc)
	}
}

// malformedLine is what a message becomes when some of it is changed, left out or doubled.
func malformedLine(random *rand.Rand) []byte {
	messages := []string{
		initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"get_memory","arguments":{"id":"x"}}}`, `{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"keepsake://memory/x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`, strings.Repeat("[", 200), "null", "[]", "\xff\xfe",
	}
	line := []byte(messages[random.IntN(len(messages))])
	for range 1 + random.IntN(4) {
		at := random.IntN(len(line))
		switch random.IntN(4) {
		case 0:
			line[at] = byte(random.IntN(256))
		case 1:
			line = append(line[:at], line[min(len(line), at+1+random.IntN(8)):]...)
		case 2:
			line = append(line[:at:at], append([]byte(`[{"\,:}]`)[:1+random.IntN(8)], line[at:]...)...)
		default:
			if random.IntN(500) == 0 {
				line = append(line, bytes.Repeat([]byte("x"), 3<<20)...)
			}
		}
		if len(line) == 0 {
			return []byte("x")
		}
	}
	return line
}
