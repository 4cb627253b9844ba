package web_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/app/web"
	"keepsake/backend/core"
)

// TestTickets open one object, for a while, once where it is a download, and not
// after the next unlock.
func TestTickets(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := web.NewSecrets(func() time.Time { return now })
	picture, file := s.Issue("/vault/a", false), s.Issue("/download/a", true)
	expect := func(what string, ticket, path string, want bool) {
		t.Helper()
		if s.Redeem(ticket, path) != want {
			t.Errorf("%s: %v", what, !want)
		}
	}
	expect("a picture", picture, "/vault/a", true)
	expect("another object", picture, "/vault/b", false)
	expect("a range of it", picture, "/vault/a", true)
	expect("none", "", "/vault/a", false)
	expect("a download", file, "/download/a", true)
	expect("a download once more", file, "/download/a", false)
	now = now.Add(4 * time.Minute)
	expect("while it plays", picture, "/vault/a", true)
	now = now.Add(4 * time.Minute)
	expect("while it plays on", picture, "/vault/a", true)
	now = now.Add(6 * time.Minute)
	expect("later", picture, "/vault/a", false)
	unused := s.Issue("/vault/a", false)
	s.Renew()
	expect("after the next unlock", unused, "/vault/a", false)
	first := s.Issue("/vault/a", false)
	for range 5000 {
		s.Issue("/vault/x", false)
	}
	expect("the oldest of very many", first, "/vault/a", false)
}

// TestASecretAtEachUnlock: an unlock makes the previous secret invalid, ends the event
// streams that were opened with it, and returns the new one to its caller only.
func TestASecretAtEachUnlock(t *testing.T) {
	s := serve(t).open(t)
	before := s.secret
	events := s.stream(t)
	if _, err := s.service.CreateVault(t.Context(), []byte("lantern harbor walnut copper"), "test"); err != nil {
		t.Fatal(err)
	}
	if _, failed := s.call(t, "Vault.Unlock", `["lantern harbor walnut copper"]`); failed.Code != "" {
		t.Fatal(failed)
	}
	if s.secret == before {
		t.Fatal("no new secret")
	}
	if _, err := readAll(events); err != nil {
		t.Errorf("the stream of before goes on: %v", err)
	}
	old := map[string]string{"X-Keepsake": before}
	for _, path := range []string{"/api/call", "/api/upload?name=x", "/api/ticket"} {
		if status, body, header := s.do(t, s.browser, "POST", s.base+path, old, strings.NewReader(`{"name":"Library.List","args":[{}]}`)); status != http.StatusUnauthorized || header.Get("X-Keepsake") != "" {
			t.Errorf("%s with the secret of before: %d %q", path, status, body)
		}
	}
	_, _, header := s.do(t, s.browser, "POST", s.base+"/api/call", s.mark(), strings.NewReader(`{"name":"Vault.State","args":[]}`))
	if header.Get("X-Keepsake") != "" {
		t.Error("another call is told a secret")
	}
	if _, failed := s.call(t, "Vault.Unlock", `["wrong"]`); failed.Code != "wrong_passphrase" {
		t.Error(failed)
	}
	is := s.secret
	if _, failed := s.call(t, "Vault.Unlock", `["lantern harbor walnut copper"]`); failed.Code != "" || s.secret == is {
		t.Errorf("%+v", failed)
	}
}

// TestANewAddressInTheTerminal: a page of our browser without the secret gets an
// address where only the person can read it, one at a time; a stranger gets none.
func TestANewAddressInTheTerminal(t *testing.T) {
	s := serve(t).open(t)
	for range 3 {
		s.do(t, &http.Client{}, "POST", s.base+"/api/call", nil, nil)
	}
	select {
	case address := <-s.printed:
		t.Errorf("a stranger had %s printed", address)
	default:
	}
	for range 3 {
		if _, body, _ := s.do(t, s.browser, "POST", s.base+"/api/call", nil, nil); strings.Contains(body, "/open/") && !strings.Contains(body, "printed") {
			t.Errorf("the answer tells an address: %q", body)
		}
	}
	s.opened = <-s.printed
	select {
	case more := <-s.printed:
		t.Errorf("one more: %s", more)
	default:
	}
	s.open(t)
	if _, failed := s.call(t, "Vault.State", `[]`); failed.Code != "" {
		t.Error(failed)
	}
}

// TestEveryPrintedAddressAnswers: what is printed is one of our own names.
func TestEveryPrintedAddressAnswers(t *testing.T) {
	addresses := []string{"127.0.0.1:0", "127.0.0.2:0", "localhost:0"}
	if probe, err := net.Listen("tcp", "[::1]:0"); err == nil {
		probe.Close()
		addresses = append(addresses, "[::1]:0")
	}
	for _, addr := range addresses {
		serveAt(t, addr).open(t)
	}
}

// TestARefusedConnectionIsClosed at once, also where it owes the rest of a body.
func TestARefusedConnectionIsClosed(t *testing.T) {
	s := serve(t)
	at := strings.TrimPrefix(s.base, "http://")
	for _, sent := range []string{
		"GET / HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"GET /open/x HTTP/1.1\r\nHost: " + at + "\r\n\r\n",
		"POST /api/call HTTP/1.1\r\nHost: " + at + "\r\nContent-Length: 100\r\n\r\n{",
		"POST /api/upload?name=x HTTP/1.1\r\nHost: " + at + "\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{",
	} {
		if got := untilClosed(t, at, sent); !strings.HasPrefix(got, "HTTP/1.1 40") || !strings.Contains(got, "\r\nConnection: close\r\n") {
			t.Errorf("%q: %q", sent, got)
		}
	}
}

// untilClosed sends a text and reads until the server closes the connection.
func untilClosed(t *testing.T, address, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, sent); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%q: %v", sent, err)
	}
	return string(got)
}

// TestEveryWayOfOpeningRenewsTheSecret: whatever the lock screen calls.
func TestEveryWayOfOpeningRenewsTheSecret(t *testing.T) {
	s := serve(t).open(t)
	const pass = `"lantern harbor walnut copper"`
	do := func(name, args string) json.RawMessage {
		t.Helper()
		result, failed := s.call(t, name, args)
		if failed.Code != "" {
			t.Fatalf("%s: %+v", name, failed)
		}
		return result
	}
	made, err := s.service.CreateVault(t.Context(), []byte("lantern harbor walnut copper"), "test")
	if err != nil {
		t.Fatal(err)
	}
	do("Keys.AllowKeychain", "["+pass+"]")
	key := `"` + made.RecoveryKey + `"`
	for _, way := range []struct{ name, args string }{
		{"Vault.Unlock", "[" + pass + "]"}, {"Vault.UnlockRecovery", "[" + key + "]"},
		{"Keys.UseRecovery", "[" + key + "," + pass + "]"}, {"Keys.UnlockKeychain", "[]"},
	} {
		do("Vault.Lock", "[]")
		before := s.secret
		do(way.name, way.args)
		if s.secret == before {
			t.Errorf("%s keeps the secret of before", way.name)
		}
	}
}

// TestAFailedRecoveryRenewsTheSecret: where the recovery key opened the vault and the new
// passphrase could not be set, the vault is open, and the secret of before is dead.
func TestAFailedRecoveryRenewsTheSecret(t *testing.T) {
	s := serve(t).open(t)
	made, err := s.service.CreateVault(t.Context(), []byte("lantern harbor walnut copper"), "test")
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.service.VaultState(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := s.call(t, "Vault.Lock", "[]"); failed.Code != "" {
		t.Fatal(failed)
	}
	before := s.secret
	cancel := s.service.Subscribe(func(e core.Event) { // at the unlock: the header can be written no more
		head := filepath.Join(state.Dir, "vault.head.bak")
		if e.Name == core.EventVault && os.Remove(head) == nil {
			_ = os.MkdirAll(filepath.Join(head, "x"), 0o700)
		}
	})
	_, failed := s.call(t, "Keys.UseRecovery", `["`+made.RecoveryKey+`","another harbor walnut copper"]`)
	cancel()
	if failed.Code == "" {
		t.Fatal("the control: the passphrase was set")
	}
	if s.secret == before {
		t.Error("the secret of before goes on")
	}
	if _, failed := s.call(t, "Library.List", `[{}]`); failed.Code != "" {
		t.Errorf("the vault that was opened: %+v", failed)
	}
	old := map[string]string{"X-Keepsake": before}
	if status, body, _ := s.do(t, s.browser, "POST", s.base+"/api/call", old, strings.NewReader(`{"name":"Library.List","args":[{}]}`)); status != http.StatusUnauthorized {
		t.Errorf("with the secret of before: %d %q", status, body)
	}
}
