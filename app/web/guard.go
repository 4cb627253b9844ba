package web

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"keepsake/app/bridge"
	"keepsake/backend/product"
)

// openPath is followed by the token that works once.
const openPath = "/open/"

// cookie is the name of our cookie, which opens the built files and nothing else.
// Browsers do not tell ports apart in cookies: a program on another port of this
// host can read it, and two servers would otherwise take each other's away.
func (s *server) cookie() string { return product.Program + "-" + strconv.Itoa(s.address.Port) }

// guard lets a request through that comes from the page we served: one with the
// secret for what is asked and told, one with a ticket for files, one with the
// cookie for the page itself.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bridge.SecurePage(w.Header())
		switch {
		case !s.ownHost(r.Host):
			refuse(w, "Keepsake answers only to its own address.", http.StatusForbidden)
		case !s.sameOrigin(r):
			refuse(w, "Keepsake answers only its own page.", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, openPath):
			s.open(w, r)
		case !s.admits(r):
			refuse(w, "Open the address that `keepsake serve` printed last. It works once.", http.StatusUnauthorized)
			s.invite(r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// admits reports that a request may have what it asks for.
func (s *server) admits(r *http.Request) bool {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		return s.secrets.admits(r)
	case isFile(r.URL.Path):
		return s.secrets.redeem(r.URL.Query().Get(ticketParam), r.URL.Path)
	}
	return s.isOurBrowser(r)
}

// isFile reports an address that a ticket opens.
func isFile(path string) bool {
	return strings.HasPrefix(path, bridge.AttachmentPath) || strings.HasPrefix(path, downloadPath)
}

// hosts are the names under which a browser reaches a listener; the first is printed.
// Browsers leave out the port of plain HTTP.
func hosts(at *net.TCPAddr) []string {
	names := []string{at.IP.String()}
	if at.IP.To4() == nil {
		names = []string{"[" + at.IP.String() + "]"}
	}
	if at.IP.Equal(net.IPv4(127, 0, 0, 1)) || at.IP.Equal(net.IPv6loopback) {
		names = append(names, "localhost")
	}
	var all []string
	for _, name := range names {
		all = append(all, name+":"+strconv.Itoa(at.Port))
		if at.Port == 80 {
			all = append(all, name)
		}
	}
	return all
}

// ownHost refuses names that somebody else made point here.
func (s *server) ownHost(host string) bool {
	return slices.ContainsFunc(hosts(s.address), func(own string) bool { return strings.EqualFold(host, own) })
}

func (s *server) sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	case "cross-site", "same-site":
		// A link to the printed address may stand anywhere; it changes nothing.
		return r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, openPath)
	}
	return false
}

// open exchanges the token for the cookie and the secret. A browser that only looks
// ahead does not use it up.
func (s *server) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" {
		refuse(w, "not now", http.StatusForbidden)
		return
	}
	secret, ok := s.secrets.exchange(strings.TrimPrefix(r.URL.Path, openPath))
	switch {
	case ok:
		http.SetCookie(w, &http.Cookie{
			Name: s.cookie(), Value: s.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		s.index(w, secret)
	case s.isOurBrowser(r):
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		refuse(w, "This address was used already. Start `keepsake serve` again for a new one.", http.StatusUnauthorized)
	}
}

// refusedTimeout is how long the body of a refused request may take.
const refusedTimeout = time.Second

// refuse answers and closes the connection: who may not ask holds none open, neither
// idle nor by a body that never comes, which net/http would wait for.
func refuse(w http.ResponseWriter, text string, status int) {
	w.Header().Set("Connection", "close")
	// httptest's recorder has no deadline, a real connection always has.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTimeout))
	http.Error(w, text, status)
}

func (s *server) isOurBrowser(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(s.cookie()), func(c *http.Cookie) bool { return same(c.Value, s.session) })
}

// invite prints a new address for a page of our browser that has lost the secret, in
// the terminal, which no other program's page can read. There is one at a time.
func (s *server) invite(r *http.Request) {
	if !s.isOurBrowser(r) || !strings.HasPrefix(r.URL.Path, "/api/") {
		return
	}
	if token := s.secrets.another(); token != "" {
		s.announce(token)
	}
}
