package web

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"

	"keepsake/app/bridge"
)

// openPath is followed by the token that works once.
const openPath = "/open/"

// cookie is the name of our cookie. Browsers do not tell ports apart in
// cookies, so that two servers would otherwise take each other's away.
func (s *server) cookie() string { return "keepsake-" + strconv.Itoa(s.port) }

// changeHeader must stand in every request that changes something: a page of
// another origin cannot send it without being asked first, and it is not.
const changeHeader = "X-Keepsake"

// guard lets a request through that comes from the page we served, in the
// browser that held the token.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bridge.SecurePage(w.Header())
		switch {
		case !s.ownHost(r.Host):
			http.Error(w, "Keepsake answers only to its own address.", http.StatusForbidden)
		case !s.sameOrigin(r):
			http.Error(w, "Keepsake answers only its own page.", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, openPath):
			s.open(w, r)
		case !s.known(r):
			http.Error(w, "Open the address that `keepsake serve` printed. It works once; start it again for a new one.", http.StatusUnauthorized)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Header.Get(changeHeader) == "":
			http.Error(w, "The header "+changeHeader+" is missing.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// ownHost refuses names that somebody else made point here.
func (s *server) ownHost(host string) bool {
	port := ":" + strconv.Itoa(s.port)
	return host == "127.0.0.1"+port || host == "localhost"+port || host == "[::1]"+port
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

// open exchanges the token for the cookie. A browser that only looks ahead
// does not use it up.
func (s *server) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" {
		http.Error(w, "not now", http.StatusForbidden)
		return
	}
	given := strings.TrimPrefix(r.URL.Path, openPath)
	if subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1 || !s.used.CompareAndSwap(false, true) {
		if s.known(r) {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		http.Error(w, "This address was used already. Start `keepsake serve` again for a new one.", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie(), Value: s.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *server) known(r *http.Request) bool {
	for _, cookie := range r.CookiesNamed(s.cookie()) {
		if subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(s.session)) == 1 {
			return true
		}
	}
	return false
}
