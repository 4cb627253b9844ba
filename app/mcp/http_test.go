package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	door "keepsake/app/mcp"
	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// overHTTP is a server that answers over HTTP.
type overHTTP struct{ url, token, told string }

// listen serves a client over HTTP until the test ends.
func listen(t *testing.T, client *owner.Client) overHTTP {
	t.Helper()
	read, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- door.ServeHTTP(ctx, client, nil, "127.0.0.1:0", out)
		out.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	var s overHTTP
	lines := bufio.NewScanner(read)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Ctrl+C") {
		s.told += lines.Text() + "\n"
		if url, ok := strings.CutPrefix(lines.Text(), "Assistants can ask at "); ok {
			s.url = url
		}
		if path, ok := strings.CutPrefix(lines.Text(), "Their token is in "); ok {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s.token = strings.TrimSpace(string(text))
		}
	}
	if s.url == "" || s.token == "" {
		t.Fatalf("it told %q", s.told)
	}
	return s
}

// post sends a message with the token. Headers are changed to those given, "" leaves one out.
func (s overHTTP) post(t *testing.T, body string, headers map[string]string) (int, string, http.Header) {
	t.Helper()
	return s.send(t, http.MethodPost, s.url, strings.NewReader(body), headers)
}

func (s overHTTP) send(t *testing.T, method, url string, body io.Reader, headers map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

const (
	ping   = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	asking = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_context","arguments":{}}}`
)

// TestWhoIsNotLetIn: without the token, or from a page, or under another name nothing is answered, and
// nothing says that a page of another origin may read it.
func TestWhoIsNotLetIn(t *testing.T) {
	_, client, _ := open(t)
	s := listen(t, client)
	at := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	port := at[strings.LastIndex(at, ":"):]
	for _, one := range []struct {
		what    string
		headers map[string]string
		status  int
	}{
		{"as it should be", nil, 200},
		{"its other name", map[string]string{"Host": "localhost" + port}, 200},
		{"its own origin", map[string]string{"Origin": "http://" + at}, 200},
		{"a kind in other letters", map[string]string{"Authorization": "bearer " + s.token}, 200},
		{"no token", map[string]string{"Authorization": ""}, 401},
		{"an empty token", map[string]string{"Authorization": "Bearer "}, 401},
		{"a wrong token", map[string]string{"Authorization": "Bearer " + strings.Repeat("A", len(s.token))}, 401},
		{"a part of the token", map[string]string{"Authorization": "Bearer " + s.token[:len(s.token)-1]}, 401},
		{"more than the token", map[string]string{"Authorization": "Bearer " + s.token + "A"}, 401},
		{"the token in other letters", map[string]string{"Authorization": "Bearer " + strings.ToLower(s.token)}, 401},
		{"the token alone", map[string]string{"Authorization": s.token}, 401},
		{"the token as a password", map[string]string{"Authorization": "Basic " + s.token}, 401},
		{"the token as a cookie", map[string]string{"Authorization": "", "Cookie": "token=" + s.token}, 401},
		{"a rebound name", map[string]string{"Host": "evil.example" + port}, 403},
		{"another port", map[string]string{"Host": "127.0.0.1:1"}, 403},
		{"a foreign page", map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page of no origin", map[string]string{"Origin": "null"}, 403},
		{"a page of another server here", map[string]string{"Origin": "http://127.0.0.1:1"}, 403},
		{"a foreign page, told by the browser", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
	} {
		for _, method := range []string{"POST", "GET", "OPTIONS"} {
			status, body, header := s.send(t, method, s.url, strings.NewReader(asking), one.headers)
			want := one.status
			if method != "POST" && want == 200 {
				want = 405
			}
			if status != want || strings.Contains(body, "Rows on Sundays.") != (status == 200) {
				t.Errorf("%s, %s: %d %s, want %d", one.what, method, status, body, want)
			}
			for name := range header {
				if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" || name == "Mcp-Session-Id" {
					t.Errorf("%s, %s: %s: %s", one.what, method, name, header.Get(name))
				}
			}
			if (status == 401) != (header.Get("Www-Authenticate") == "Bearer") || strings.Contains(body, s.token) {
				t.Errorf("%s, %s: %v %s", one.what, method, header, body)
			}
		}
	}
	status, _, _ := s.send(t, "POST", strings.TrimSuffix(s.url, "mcp")+"?access_token="+s.token, strings.NewReader(asking), map[string]string{"Authorization": ""})
	if status != 401 {
		t.Errorf("the token in the address: %d", status)
	}
	if strings.Contains(s.told, s.token) {
		t.Errorf("the token is told: %s", s.told)
	}
}

// TestWhatIsNoMessageOverHTTP: other paths, methods and kinds are refused, and what is too long, too
// deep or no message is answered with the error that a line gets.
func TestWhatIsNoMessageOverHTTP(t *testing.T) {
	s := listen(t, newClient(t, newHome(t)))
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "HEAD"} {
		if status, _, header := s.send(t, method, s.url, nil, nil); status != 405 || header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, %v", method, status, header)
		}
	}
	for _, path := range []string{"/", "/mcp/", "/mcp/x", "/api/call", "/.well-known/oauth-protected-resource"} {
		if status, _, _ := s.send(t, "POST", strings.TrimSuffix(s.url, "/mcp")+path, strings.NewReader(ping), nil); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	nested := func(levels int) string {
		return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_context","arguments":{"topic":"x","more":` + strings.Repeat("[", levels-3) + strings.Repeat("]", levels-3) + `}}}`
	}
	long := func(bytes int) string {
		return ping[:len(ping)-1] + strings.Repeat(" ", bytes-len(ping)) + "}"
	}
	for _, one := range []struct {
		body         string
		status, code int
	}{
		{ping, 200, 0}, {"\n " + ping + " \r\n", 200, 0}, {long(1 << 20), 200, 0}, {nested(64), 200, 0},
		{long(1<<20 + 1), 413, -32600}, {long(8 << 20), 413, -32600}, {nested(65), 400, -32600}, {strings.Repeat("[", 1<<20), 400, -32600}, {strings.Repeat("{\"a\":", 100_000), 400, -32600},
		{"", 400, -32700}, {"garbage", 400, -32700}, {ping + ping, 400, -32700}, {"[" + ping + "]", 400, -32600}, {"null", 400, -32600}, {"{}", 400, -32600},
		{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, 400, -32600},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(one.body)
			if chunked {
				body = io.MultiReader(body) // whose length is not known
			}
			status, text, header := s.send(t, "POST", s.url, body, nil)
			var a answer
			if err := json.Unmarshal([]byte(text), &a); err != nil || a.Version != "2.0" || header.Get("Content-Type") != "application/json" {
				t.Errorf("%.60q: %d %.200s, %v", one.body, status, text, err)
				continue
			}
			if status != one.status || one.code != 0 && (a.Error == nil || a.Error.Code != one.code || a.ID != nil) || one.code == 0 && a.ID == nil {
				t.Errorf("%.60q: %d %.200s, want %d %d", one.body, status, text, one.status, one.code)
			}
		}
	}
	if status, _, _ := s.post(t, ping, map[string]string{"Content-Type": "text/plain"}); status != 415 {
		t.Errorf("a form of a page: %d", status)
	}
}

// TestOverHTTP: an assistant is answered as over standard input and output, also where it was told of a
// tool before, and while the vault is locked or nobody has it open.
func TestOverHTTP(t *testing.T) {
	service, client, id := open(t)
	s := listen(t, client)
	session := s.connect(t)
	lines := connect(t, client)
	// both returns the text that a tool answers with on either way, which is the same.
	both := func(tool string, arguments any) string {
		t.Helper()
		var texts []string
		for _, one := range []*mcp.ClientSession{session, lines} {
			got, err := one.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				t.Fatalf("%s: %v", tool, err)
			}
			texts = append(texts, got.Content[0].(*mcp.TextContent).Text)
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: %s\nover lines: %s", tool, texts[0], texts[1])
		}
		return texts[0]
	}
	if text := both("get_memory", owner.GetInput{ID: id}); !strings.Contains(text, "Rows on Sundays.") {
		t.Error(text)
	}
	g := core.DefaultAgentGrant("work")
	g.Permissions = core.AgentPermissions()
	if _, err := service.AllowAgent(t.Context(), "cursor", g); err != nil {
		t.Fatal(err)
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget_memories", Arguments: owner.ForgetInput{Tags: []string{"boat-trips"}}})
	if err != nil || got.IsError {
		t.Errorf("a tool that was not shown: %+v, %v", got, err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(tools.Tools, func(one *mcp.Tool) bool { return one.Name == "forget_memories" }) {
		t.Errorf("%+v, %v", tools, err)
	}
	if err := service.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh := listen(t, client).connect(t) // it has not shown the tool yet
	got, err = fresh.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget_memories", Arguments: owner.ForgetInput{IDs: []string{id}}})
	if err != nil || !got.IsError || got.Content[0].(*mcp.TextContent).Text != both("get_memory", owner.GetInput{ID: id}) {
		t.Errorf("%+v, %v", got, err)
	}
	if text := both("get_memory", owner.GetInput{ID: id}); text != "Keepsake is locked. Unlock it in its window, then ask again." {
		t.Error(text)
	}
}

// connect lets a client of the SDK ask over HTTP.
func (s overHTTP) connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer(s.token)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestAddressesForHTTP: where other computers could ask nothing is served, and no token is made.
func TestAddressesForHTTP(t *testing.T) {
	home := newHome(t)
	for addr, reason := range map[string]string{"0.0.0.0:0": "not-loopback", ":0": "not-loopback", "192.0.2.1:80": "not-loopback", "example.com:80": "not-loopback", "8765": "bad-address"} {
		err := door.ServeHTTP(t.Context(), newClient(t, home), nil, addr, io.Discard)
		if f := fault.From(err); f == nil || f.Reason != reason {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if _, err := os.Stat(home + "/keys"); err == nil {
		t.Error("a token was made")
	}
}
