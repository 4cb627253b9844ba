package loopback

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestHosts: a listener is known by its address, and as localhost where that is what localhost means.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		ip   string
		port int
		want string
	}{
		{"127.0.0.1", 4000, "127.0.0.1:4000 localhost:4000"},
		{"127.0.0.1", 80, "127.0.0.1:80 127.0.0.1 localhost:80 localhost"},
		{"127.0.0.2", 4000, "127.0.0.2:4000"},
		{"::1", 4000, "[::1]:4000 localhost:4000"},
	} {
		at := &net.TCPAddr{IP: net.ParseIP(c.ip), Port: c.port}
		if got := strings.Join(Hosts(at), " "); got != c.want {
			t.Errorf("%s %d: %s", c.ip, c.port, got)
		}
		for _, foreign := range []string{"", "evil.example", "127.0.0.1:1", "127.0.0.1.evil.example:4000", strings.Fields(c.want)[0] + "0"} {
			if IsOwnHost(&http.Request{Host: foreign}, at) {
				t.Errorf("%s %d: %s is taken for it", c.ip, c.port, foreign)
			}
		}
	}
}

// TestOwnPage: what a browser says of another page is believed.
func TestOwnPage(t *testing.T) {
	const host = "127.0.0.1:4000"
	for _, c := range []struct {
		origin, site string
		own          bool
	}{
		{"", "", true}, {"http://" + host, "same-origin", true}, {"", "none", true},
		{"null", "", false}, {"https://" + host, "", false}, {"http://127.0.0.1:1", "", false}, {"https://evil.example", "", false},
		{"", "cross-site", false}, {"", "same-site", false}, {"http://" + host, "cross-site", false}, {"", "whatever", false},
	} {
		r := httptest.NewRequest("POST", "http://"+host+"/", nil)
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Sec-Fetch-Site", c.site)
		if IsOwnPage(r) != c.own {
			t.Errorf("%q, %q: %t", c.origin, c.site, !c.own)
		}
	}
}

// TestIdleConnectionsAreClosed: one that asks nothing is, and one between two requests.
func TestIdleConnectionsAreClosed(t *testing.T) {
	if headerTimeout > time.Minute || idleTimeout > time.Minute {
		t.Errorf("a silent connection stays %v, an idle one %v", headerTimeout, idleTimeout)
	}
	for _, c := range []struct {
		sent         string
		header, idle time.Duration
	}{
		{"", time.Millisecond, time.Hour},
		{"GET / HTTP/1.1\r\n", time.Millisecond, time.Hour},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", time.Hour, time.Millisecond},
	} {
		listener, err := Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		h := server(http.NotFoundHandler(), c.header, c.idle)
		t.Cleanup(func() { h.Close() })
		go func() { _ = h.Serve(listener) }()
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, c.sent); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil { // until the server closes it
			t.Errorf("%q: %v", c.sent, err)
		}
	}
}
