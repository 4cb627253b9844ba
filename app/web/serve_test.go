package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"keepsake/app/bridge"
	"keepsake/app/web"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
)

// served is a running server and a browser that holds its cookie.
type served struct {
	service *core.Service
	opened  string // the address that was printed
	base    string
	browser *http.Client
	stop    func() error
}

func serve(t *testing.T) *served {
	t.Helper()
	dir := t.TempDir()
	service, err := core.New(core.Config{
		VaultDir: filepath.Join(dir, "vault"), SettingsFile: filepath.Join(dir, "settings.json"), ScratchDir: filepath.Join(dir, "scratch"),
		Importers: all.Importers(),
	})
	if err != nil {
		t.Fatal(err)
	}
	assets := fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html><title>Keepsake</title>")},
		"assets/app.js": {Data: []byte("export {}")},
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, service, assets, "127.0.0.1:0", in) }()
	lines := bufio.NewScanner(out)
	lines.Scan()
	go io.Copy(io.Discard, out)
	_, address, ok := strings.Cut(lines.Text(), " at ")
	if !ok {
		t.Fatalf("no address in %q", lines.Text())
	}
	base, _, _ := strings.Cut(address, "/open/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{service: service, opened: address, base: base, browser: &http.Client{Jar: jar}}
	s.stop = func() error {
		cancel()
		err := <-ended
		ended <- nil
		return err
	}
	t.Cleanup(func() {
		_ = s.stop()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// open lets the browser exchange the token.
func (s *served) open(t *testing.T) *served {
	t.Helper()
	status, body, _ := s.do(t, s.browser, "GET", s.opened, nil, nil)
	if status != http.StatusOK || !strings.Contains(body, "<title>Keepsake") {
		t.Fatalf("opening gave %d %q", status, body)
	}
	return s
}

func (s *served) do(t *testing.T, client *http.Client, method, address string, header map[string]string, body io.Reader) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		if name == "Host" {
			request.Host = value
			continue
		}
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
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

// call asks as the page does.
func (s *served) call(t *testing.T, name, args string) (result json.RawMessage, failed bridge.FaultView) {
	t.Helper()
	status, body, _ := s.do(t, s.browser, "POST", s.base+"/api/call", map[string]string{"X-Keepsake": "1"},
		strings.NewReader(`{"name":"`+name+`","args":`+args+`}`))
	var reply struct {
		Result json.RawMessage
		Error  bridge.FaultView
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil || status != http.StatusOK {
		t.Fatalf("%s gave %d %q", name, status, body)
	}
	return reply.Result, reply.Error
}

func TestTheTokenWorksOnce(t *testing.T) {
	s := serve(t).open(t)
	if status, _, _ := s.do(t, &http.Client{}, "GET", s.opened, nil, nil); status != http.StatusUnauthorized {
		t.Errorf("a second browser got %d", status)
	}
	if status, _, _ := s.do(t, s.browser, "GET", s.opened, nil, nil); status != http.StatusOK {
		t.Errorf("the first browser, coming back, got %d", status)
	}
}

func TestTwoServersDoNotTakeEachOthersCookie(t *testing.T) {
	first, second := serve(t), serve(t)
	second.browser = first.browser
	first.open(t)
	second.open(t)
	for _, s := range []*served{first, second} {
		if status, _, _ := s.do(t, s.browser, "GET", s.base+"/", nil, nil); status != http.StatusOK {
			t.Errorf("%s: %d", s.base, status)
		}
	}
}

func TestALookAheadDoesNotUseTheTokenUp(t *testing.T) {
	s := serve(t)
	if status, _, _ := s.do(t, s.browser, "GET", s.opened, map[string]string{"Sec-Purpose": "prefetch"}, nil); status != http.StatusForbidden {
		t.Errorf("prefetch got %d", status)
	}
	s.open(t)
}

func TestAWrongTokenOpensNothing(t *testing.T) {
	s := serve(t)
	if status, _, _ := s.do(t, s.browser, "GET", s.base+"/open/GUESSED", nil, nil); status != http.StatusUnauthorized {
		t.Errorf("got %d", status)
	}
	s.open(t)
}

func TestOnlyOurOwnPageIsAnswered(t *testing.T) {
	s := serve(t).open(t)
	port := s.base[strings.LastIndex(s.base, ":"):]
	stranger := &http.Client{}
	for _, attempt := range []struct {
		what         string
		client       *http.Client
		method, path string
		header       map[string]string
		status       int
	}{
		{"no cookie", stranger, "GET", "/", nil, 401},
		{"no cookie, a call", stranger, "POST", "/api/call", map[string]string{"X-Keepsake": "1"}, 401},
		{"no cookie, the events", stranger, "GET", "/api/events", nil, 401},
		{"no cookie, a file", stranger, "GET", "/vault/x", nil, 401},
		{"a guessed cookie", stranger, "GET", "/", map[string]string{"Cookie": "keepsake-" + port[1:] + "=x"}, 401},
		{"a rebound name", s.browser, "GET", "/", map[string]string{"Host": "evil.example" + port}, 403},
		{"a name that only begins right", s.browser, "GET", "/", map[string]string{"Host": "127.0.0.1.evil.example" + port}, 403},
		{"another port", s.browser, "GET", "/", map[string]string{"Host": "127.0.0.1:1"}, 403},
		{"a foreign origin", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": "1", "Origin": "https://evil.example"}, 403},
		{"an origin of no name", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": "1", "Origin": "null"}, 403},
		{"another server on this machine", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": "1", "Origin": "http://127.0.0.1:1"}, 403},
		{"a foreign page, told by the browser", s.browser, "GET", "/vault/x", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"a neighbour, told by the browser", s.browser, "GET", "/", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"a form of a foreign page", s.browser, "POST", "/api/call", nil, 403},
		{"an upload without the header", s.browser, "POST", "/api/upload?name=x", nil, 403},
		{"our own page", s.browser, "GET", "/", map[string]string{"Origin": s.base, "Sec-Fetch-Site": "same-origin"}, 200},
	} {
		status, body, _ := s.do(t, attempt.client, attempt.method, s.base+attempt.path, attempt.header, nil)
		if status != attempt.status {
			t.Errorf("%s: %d %q, want %d", attempt.what, status, body, attempt.status)
		}
	}
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	s := serve(t).open(t)
	for _, path := range []string{"/", "/assets/app.js", "/missing", "/open/x", "/download/x"} {
		_, _, header := s.do(t, s.browser, "GET", s.base+path, nil, nil)
		if header.Get("Content-Security-Policy") != bridge.PagePolicy || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, header)
		}
	}
	_, _, header := s.do(t, s.browser, "GET", s.base+"/vault/none", nil, nil)
	if policy := header.Get("Content-Security-Policy"); policy != "sandbox; default-src 'none'" {
		t.Errorf("an attachment has the policy %q", policy)
	}
}

func TestThePageAllowsNothingFromOutside(t *testing.T) {
	for _, word := range []string{"unsafe", "http:", "https:", "data:", "*"} {
		if strings.Contains(bridge.PagePolicy, word) {
			t.Errorf("the policy allows %s", word)
		}
	}
	for _, word := range []string{"default-src 'none'", "frame-src 'none'", "form-action 'none'", "base-uri 'none'"} {
		if !strings.Contains(bridge.PagePolicy, word) {
			t.Errorf("the policy lacks %s", word)
		}
	}
}

func TestCallsAreAnsweredInOneForm(t *testing.T) {
	s := serve(t).open(t)
	var about bridge.AboutView
	result, failed := s.call(t, "Settings.About", `[]`)
	if err := json.Unmarshal(result, &about); err != nil || about.Version != core.Version || failed.Code != "" {
		t.Errorf("%s %+v %v", result, failed, err)
	}
	for _, wrong := range []struct{ name, args, reason string }{
		{"Vault.Nothing", `[]`, "no-method"},
		{"kit.vault", `[]`, "no-method"},
		{"Bridge.Offer", `[["/etc/passwd"]]`, "no-method"},
		{"Library.Get", `[]`, "wrong-argument-count"},
		{"Library.Get", `[7]`, "wrong-argument"},
		{"Imports.Plan", `[["no such token"]]`, "offer-gone"},
		{"Imports.Choose", `[]`, "no-native-dialog"},
		{"Exports.Reveal", `["/etc/passwd"]`, "offer-gone"},
		{"Conversations.OpenLink", `["smb://host/share"]`, "link-refused"},
		{"Settings.Save", `[{"language":"xx","theme":"dark"}]`, "unknown-preference"},
	} {
		if _, failed := s.call(t, wrong.name, wrong.args); failed.Reason != wrong.reason {
			t.Errorf("%s %s: %+v, want %s", wrong.name, wrong.args, failed, wrong.reason)
		}
	}
}

func TestBuiltFilesAreServedAndNothingElse(t *testing.T) {
	s := serve(t).open(t)
	if status, body, header := s.do(t, s.browser, "GET", s.base+"/assets/app.js", nil, nil); status != 200 || body != "export {}" ||
		!strings.HasPrefix(header.Get("Content-Type"), "text/javascript") {
		t.Errorf("%d %q %v", status, body, header)
	}
	for _, path := range []string{"/assets", "/assets/", "/../go.mod", "/%2e%2e/go.mod", "/nothing"} {
		if status, body, _ := s.do(t, s.browser, "GET", s.base+path, nil, nil); status != 404 {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
}

func TestEventStreamsEndWithTheServer(t *testing.T) {
	s := serve(t).open(t)
	response, err := s.browser.Get(s.base + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("the stream is %s", kind)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(response.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestOnlyTheLoopbackIsListenedOn(t *testing.T) {
	for addr, reason := range map[string]string{
		"0.0.0.0:0": "not-loopback", "[::]:0": "not-loopback", ":0": "not-loopback", "192.0.2.1:80": "not-loopback",
		"example.com:80": "not-loopback", "nonsense": "bad-address", "127.0.0.1:99999": "address-taken",
	} {
		err := web.Serve(context.Background(), nil, fstest.MapFS{}, addr, io.Discard)
		if f := fault.From(err); f == nil || f.Reason != reason {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestThePrintedAddressIsOnTheLoopback(t *testing.T) {
	u, err := url.Parse(serve(t).opened)
	if err != nil || u.Hostname() != "127.0.0.1" || u.Scheme != "http" {
		t.Errorf("%v %v", u, err)
	}
}
