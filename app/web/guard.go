package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"keepsake/app/bridge"
	"keepsake/app/loopback"
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
		case !loopback.IsOwnHost(r, s.address):
			loopback.Refuse(w, "Keepsake answers only to its own address.", http.StatusForbidden)
		case !loopback.IsOwnPage(r) && !isLink(r):
			loopback.Refuse(w, "Keepsake answers only its own page.", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, openPath):
			s.open(w, r)
		case !s.admits(r):
			loopback.Refuse(w, "Open the address that `keepsake serve` printed last. It works once.", http.StatusUnauthorized)
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

// isLink reports a link to the printed address, which may stand on any page: it changes nothing.
func isLink(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, openPath) && r.Header.Get("Origin") == "" &&
		slices.Contains([]string{"cross-site", "same-site"}, r.Header.Get("Sec-Fetch-Site"))
}

// open exchanges the token for the cookie and the secret. A browser that only looks
// ahead does not use it up.
func (s *server) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" {
		loopback.Refuse(w, "not now", http.StatusForbidden)
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
		loopback.Refuse(w, "This address was used already. Start `keepsake serve` again for a new one.", http.StatusUnauthorized)
	}
}

func (s *server) isOurBrowser(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(s.cookie()), func(c *http.Cookie) bool { return loopback.IsSame(c.Value, s.session) })
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
