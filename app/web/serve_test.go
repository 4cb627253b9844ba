package web_test

import (
	"bufio"
	"bytes"
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
	secret  string      // as the page keeps it
	printed chan string // addresses after the first
	stop    func() error
}

// keychain stands in for the operating system's.
type keychain map[string][]byte

func (k keychain) Set(id string, secret []byte) error { k[id] = bytes.Clone(secret); return nil }
func (k keychain) Get(id string) ([]byte, error)      { return bytes.Clone(k[id]), nil }
func (k keychain) Delete(id string) error             { delete(k, id); return nil }

func serve(t *testing.T) *served {
	t.Helper()
	return serveAt(t, "127.0.0.1:0")
}

func serviceIn(dir string) (*core.Service, error) {
	return core.New(core.Config{
		VaultDir: filepath.Join(dir, "vault"), SettingsFile: filepath.Join(dir, "settings.json"), ScratchDir: filepath.Join(dir, "scratch"),
		Importers: all.Importers(), Keychain: keychain{},
	})
}

func assets() fstest.MapFS {
	return fstest.MapFS{
		"index.html":    {Data: []byte("<!doctype html><title>Keepsake</title>")},
		"assets/app.js": {Data: []byte("export {}")},
	}
}

func serveAt(t *testing.T, addr string) *served {
	t.Helper()
	service, err := serviceIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, service, assets(), addr, in) }()
	lines := bufio.NewScanner(out)
	lines.Scan()
	printed := make(chan string, 8)
	go func() {
		for lines.Scan() {
			if _, address, ok := strings.Cut(lines.Text(), " at "); ok {
				printed <- address
			}
		}
	}()
	_, address, ok := strings.Cut(lines.Text(), " at ")
	if !ok {
		t.Fatalf("no address in %q", lines.Text())
	}
	base, _, _ := strings.Cut(address, "/open/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &served{service: service, opened: address, base: base, browser: &http.Client{Jar: jar}, printed: printed}
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
	_, rest, _ := strings.Cut(body, `<meta name="keepsake-secret" content="`)
	if s.secret, _, _ = strings.Cut(rest, `"`); s.secret == "" {
		t.Fatalf("no secret in %q", body)
	}
	return s
}

// ticket is the address of a file as the page asks for it.
func (s *served) ticket(t *testing.T, address string) string {
	t.Helper()
	_, body, _ := s.do(t, s.browser, "POST", s.base+"/api/ticket", s.mark(), strings.NewReader(`{"url":"`+address+`"}`))
	var reply struct{ Result string }
	if err := json.Unmarshal([]byte(body), &reply); err != nil || reply.Result == "" {
		t.Fatalf("a ticket for %s gave %q", address, body)
	}
	return s.base + reply.Result
}

func (s *served) mark() map[string]string { return map[string]string{"X-Keepsake": s.secret} }

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
	status, body, header := s.do(t, s.browser, "POST", s.base+"/api/call", s.mark(),
		strings.NewReader(`{"name":"`+name+`","args":`+args+`}`))
	var reply struct {
		Result json.RawMessage
		Error  bridge.FaultView
	}
	if err := json.Unmarshal([]byte(body), &reply); err != nil || status != http.StatusOK {
		t.Fatalf("%s gave %d %q", name, status, body)
	}
	if renewed := header.Get("X-Keepsake"); renewed != "" {
		s.secret = renewed
	}
	return reply.Result, reply.Error
}

func TestTheTokenWorksOnce(t *testing.T) {
	s := serve(t).open(t)
	if status, _, _ := s.do(t, &http.Client{}, "GET", s.opened, nil, nil); status != http.StatusUnauthorized {
		t.Errorf("a second browser got %d", status)
	}
	if status, body, _ := s.do(t, s.browser, "GET", s.opened, nil, nil); status != http.StatusOK || strings.Contains(body, s.secret) {
		t.Errorf("the first browser, coming back, got %d %q", status, body)
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
		{"the cookie alone, a call", s.browser, "POST", "/api/call", nil, 401},
		{"the cookie and a header that is there", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": "1"}, 401},
		{"the cookie's value for the secret", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": cookieOf(t, s)}, 401},
		{"the secret as a cookie", s.browser, "POST", "/api/call", map[string]string{"Cookie": "keepsake=" + s.secret}, 401},
		{"the secret in the address", s.browser, "POST", "/api/call?X-Keepsake=" + s.secret, nil, 401},
		{"the cookie alone, the events", s.browser, "GET", "/api/events", nil, 401},
		{"the cookie alone, an upload", s.browser, "POST", "/api/upload?name=x", nil, 401},
		{"the cookie alone, a ticket", s.browser, "POST", "/api/ticket", nil, 401},
		{"the cookie alone, a file", s.browser, "GET", "/vault/x", nil, 401},
		{"the cookie alone, a download", s.browser, "GET", "/download/x", nil, 401},
		{"a file with a guessed ticket", s.browser, "GET", "/vault/x?ticket=x", s.mark(), 401},
		{"a guessed cookie", stranger, "GET", "/", map[string]string{"Cookie": "keepsake-" + port[1:] + "=x"}, 401},
		{"a rebound name", s.browser, "GET", "/", map[string]string{"Host": "evil.example" + port}, 403},
		{"a name that only begins right", s.browser, "GET", "/", map[string]string{"Host": "127.0.0.1.evil.example" + port}, 403},
		{"another port", s.browser, "GET", "/", map[string]string{"Host": "127.0.0.1:1"}, 403},
		{"a foreign origin", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": s.secret, "Origin": "https://evil.example"}, 403},
		{"an origin of no name", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": s.secret, "Origin": "null"}, 403},
		{"another server on this machine", s.browser, "POST", "/api/call", map[string]string{"X-Keepsake": s.secret, "Origin": "http://127.0.0.1:1"}, 403},
		{"a foreign page, told by the browser", s.browser, "GET", "/vault/x", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"a neighbour, told by the browser", s.browser, "GET", "/", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"a form of a foreign page", s.browser, "POST", "/api/call", map[string]string{"Origin": "https://evil.example"}, 403},
		{"our own page", s.browser, "GET", "/", map[string]string{"Origin": s.base, "Sec-Fetch-Site": "same-origin"}, 200},
	} {
		status, body, _ := s.do(t, attempt.client, attempt.method, s.base+attempt.path, attempt.header, nil)
		if status != attempt.status {
			t.Errorf("%s: %d %q, want %d", attempt.what, status, body, attempt.status)
		}
	}
}

func cookieOf(t *testing.T, s *served) string {
	t.Helper()
	at, err := url.Parse(s.base)
	if err != nil || len(s.browser.Jar.Cookies(at)) != 1 {
		t.Fatalf("the browser holds %v (%v)", s.browser.Jar.Cookies(at), err)
	}
	return s.browser.Jar.Cookies(at)[0].Value
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
	_, _, header := s.do(t, s.browser, "GET", s.ticket(t, "/vault/none"), nil, nil)
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

// stream opens the events as the page does.
func (s *served) stream(t *testing.T) *http.Response {
	t.Helper()
	request, err := http.NewRequest("GET", s.base+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Keepsake", s.secret)
	response, err := s.browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func readAll(r *http.Response) (string, error) {
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

func TestEventStreamsEndWithTheServer(t *testing.T) {
	s := serve(t).open(t)
	response := s.stream(t)
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
