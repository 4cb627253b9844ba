package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/app/bridge"
)

// attempt is a request that has all that our page has but for one thing.
type attempt struct {
	method, path string
	header       map[string]string
	body         string
}

// TestNoRequestOfAnotherPageIsAnswered changes one thing at a time in a request that
// has the cookie and the secret of our own page.
func TestNoRequestOfAnotherPageIsAnswered(t *testing.T) {
	s := withVault(t)
	s.call(t, "Library.Add", `[{"type":"fact","customType":"","content":"CANARY keeps bees.","tags":[]}]`)
	port := s.base[strings.LastIndex(s.base, ":"):]
	got := 0
	all := append(headersOfOthers(port), append(methodsOfOthers(), pathsOutside()...)...)
	stranger := *s.browser
	stranger.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, a := range all {
		header := s.mark()
		for name, value := range a.header {
			header[name] = value
		}
		status, body, answer := s.do(t, &stranger, a.method, s.base+a.path, header, strings.NewReader(a.body))
		shown := strings.Contains(body, "CANARY") || strings.Contains(body, "root:")
		if status < 300 || shown || answer.Get("Access-Control-Allow-Origin") != "" || answer.Get("Content-Security-Policy") == "" {
			got++
			t.Errorf("%s %s %v gave %d %.80q %v", a.method, a.path, a.header, status, body, answer)
		}
	}
	t.Logf("%d tried, %d got through", len(all), got)
}

const listCall = `{"name":"Library.List","args":[{}]}`

// headersOfOthers are what a foreign page, a neighbour on another port or a rebound
// name sends.
func headersOfOthers(port string) (all []attempt) {
	for name, values := range map[string][]string{
		"Host": {
			"evil.example", "evil.example" + port, "127.0.0.1.evil.example" + port, "127.0.0.1", "127.0.0.1:1", "127.0.0.2" + port,
			"0.0.0.0" + port, "[::1]" + port, "localhost.evil.example" + port, "localhost." + port, "2130706433" + port, "127.1" + port,
			"127.0.0.1" + port + "0",
		},
		"Origin": {
			"null", "https://evil.example", "http://evil.example" + port, "http://127.0.0.1", "http://127.0.0.1:1", "https://127.0.0.1" + port,
			"http://localhost" + port, "http://127.0.0.1" + port + ".evil.example", "http://127.0.0.1" + port + "/", "file://", "http://x@127.0.0.1" + port,
		},
		"Sec-Fetch-Site": {"cross-site", "same-site", "unknown", "SAME-ORIGIN", "same-origin, cross-site"},
	} {
		for _, value := range values {
			header := map[string]string{name: value}
			all = append(all, attempt{"POST", "/api/call", header, listCall}, attempt{"GET", "/api/events", header, ""}, attempt{"GET", "/", header, ""})
		}
	}
	return all
}

func methodsOfOthers() (all []attempt) {
	for _, method := range []string{"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
		all = append(all, attempt{method, "/api/call", nil, listCall}, attempt{method, "/api/upload?name=x", nil, "x"})
	}
	asks := map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-keepsake", "Access-Control-Request-Private-Network": "true"}
	upgrade := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
	for _, path := range []string{"/api/call", "/api/upload", "/api/events", "/api/ticket", "/vault/x", "/download/x", "/"} {
		all = append(all, attempt{"OPTIONS", path, asks, ""})
	}
	return append(all, attempt{"GET", "/api/call", upgrade, ""}, attempt{"GET", "/vault/x", upgrade, ""}, attempt{"GET", "/download/x", upgrade, ""})
}

// pathsOutside lead to no built file, however they are spelled.
func pathsOutside() (all []attempt) {
	for _, path := range []string{
		"/../../../../../../etc/passwd", "/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/assets/../../../etc/passwd",
		"/assets/..%2f..%2f..%2fetc%2fpasswd", `/..%5c..%5cetc%5cpasswd`, "/....//....//etc/passwd", "/%252e%252e/etc/passwd", "//etc/passwd",
		"/assets//../../etc/passwd", "/%00/etc/passwd", "/assets/app.js%00.html", "/assets/", "/assets", "/.", "/..", "/%c0%ae%c0%ae/etc/passwd",
		"/vault/../assets/app.js", "/vault/..%2f..%2fvault.head", "/download/..%2f..%2fvault.head", "/vault/%00", "/etc/passwd", "/file:///etc/passwd",
	} {
		all = append(all, attempt{"GET", path, nil, ""})
	}
	return all
}

// boundMethods are the names a page can call with the number of their arguments.
func boundMethods() map[string]int {
	all := map[string]int{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[bridge.Bridge]()) {
		if !field.IsExported() {
			continue
		}
		for i := range field.Type.NumMethod() {
			method := field.Type.Method(i)
			all[field.Type.Elem().Name()+"."+method.Name] = method.Type.NumIn() - 1
		}
	}
	return all
}

// ask sends a call and gives the whole answer.
func (s *served) ask(t *testing.T, name string, args []string) (answer string, failed bridge.FaultView) {
	t.Helper()
	result, failed := s.call(t, name, "["+strings.Join(args, ",")+"]")
	view, err := json.Marshal(failed)
	if err != nil {
		t.Fatal(err)
	}
	return string(result) + string(view), failed
}

// TestNoMethodShowsALockedVault calls every bound method of a locked vault, with nothing
// and with the id of a memory for every argument.
func TestNoMethodShowsALockedVault(t *testing.T) {
	s := withVault(t)
	id := must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"fact","customType":"","content":"CANARY keeps bees.","tags":["CANARY"]}]`).ID
	if _, failed := s.call(t, "Vault.Lock", `[]`); failed.Code != "" {
		t.Fatal(failed)
	}
	tried, got := 0, 0
	for name, arguments := range boundMethods() {
		for _, value := range []string{"null", `"` + id + `"`} {
			args := make([]string, arguments)
			for i := range args {
				args[i] = value
			}
			tried++
			if answer, failed := s.ask(t, name, args); strings.Contains(answer, "CANARY") || failed.Code == "internal" {
				got++
				t.Errorf("%s(%s) gave %.200s", name, value, answer)
			}
			// The sample takes the place of the locked vault until it is locked itself.
			if name == "Vault.TrySample" {
				s.call(t, "Vault.Lock", `[]`)
			}
		}
	}
	if state := must[bridge.VaultView](t, s, "Vault.Unlock", `["six words nobody else would pick"]`); state.Memories != 1 {
		t.Errorf("%d memories after the calls", state.Memories)
	}
	t.Logf("%d calls of %d methods, %d got through", tried, len(boundMethods()), got)
}

// randomCalls is how many calls are tried, and how many in a soak.
func randomCalls() int {
	if os.Getenv("KEEPSAKE_SOAK") != "" {
		return 20_000
	}
	return 700
}

// hostileValues are arguments of the wrong type, of no sense, or of somebody who hopes
// that a text is a path, a pattern or a page.
var hostileValues = []string{
	"null", "true", "-1", "1e308", "9223372036854775808", "0.5", `""`, `"\u0000"`, `"\ud800"`, `"../../etc/passwd"`, `"/etc/passwd"`, `"/dev/zero"`, `"file:///etc/passwd"`,
	`"' OR 1=1 --"`, `"<script>alert(1)</script>"`, `"\u202egnp.exe"`, `"(((((((("`, `"type: -- :: \" ("`, "[]", "[[]]", "[null]", `["/etc/passwd"]`, `[{}]`, "{}",
	`{"text":7}`, `{"text":"\u0000","limit":-9223372036854775808,"offset":9223372036854775807}`, `{"__proto__":{}}`, `{"id":"x","ids":["",""],"content":"","type":"custom"}`,
	`{"language":"../x","theme":""}`, `"` + strings.Repeat("a", 70_000) + `"`, strings.Repeat("[", 60) + strings.Repeat("]", 60),
}

// TestNoCallEndsTheProgram calls methods at random with hostile arguments, open and then
// locked: none panics, none ends in a fault that has no sentence of its own.
func TestNoCallEndsTheProgram(t *testing.T) {
	s := withVault(t)
	random := rand.New(rand.NewPCG(35, 2))
	methods := boundMethods()
	lock := methods["Vault.Lock"]
	delete(methods, "Vault.Lock")
	names := slices.Sorted(maps.Keys(methods))
	tried, got := 0, 0
	for i := range randomCalls() {
		if i == randomCalls()/2 {
			names = append(names, "Vault.Lock")
			methods["Vault.Lock"] = lock
			s.call(t, "Vault.Lock", `[]`)
		}
		name := names[random.IntN(len(names))]
		args := make([]string, methods[name])
		for i := range args {
			args[i] = hostileValues[random.IntN(len(hostileValues))]
		}
		tried++
		if answer, failed := s.ask(t, name, args); failed.Code == "internal" || strings.Contains(answer, "root:x:0") {
			got++
			t.Errorf("%s gave %.300s", fmt.Sprint(name, args), answer)
		}
	}
	t.Logf("%d calls of %d methods, %d got through", tried, len(names), got)
}
