package web

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"keepsake/app/loopback"
)

// secretHeader carries the secret of the page: with every call, upload and event
// stream of the page to us, and from us with the answer that renews it. A cookie
// goes to every port of this host; a header goes where the page sends it.
const secretHeader = "X-Keepsake"

// ticketParam is the parameter of an address that holds a ticket.
const ticketParam = "ticket"

// ticketLife is how long a ticket works after it was made or last used.
const ticketLife = 5 * time.Minute

// maxTickets bounds how many tickets are remembered; the oldest goes first.
const maxTickets = 4096

// secrets are what lets a request in. The page keeps the secret in sessionStorage,
// which belongs to one origin, port included.
type secrets struct {
	now func() time.Time

	mu      sync.Mutex
	token   string // of the address that was printed last; "" once it was opened
	secret  string
	tickets map[string]*ticket
	order   []string // of the tickets, as they were made
}

// ticket opens one object for elements that cannot send a header: pictures, sound,
// video and downloads.
type ticket struct {
	path    string
	once    bool
	expires time.Time
}

func newSecrets(now func() time.Time) *secrets {
	return &secrets{now: now, token: rand.Text(), secret: rand.Text(), tickets: map[string]*ticket{}}
}

// exchange gives the secret for the token, once.
func (s *secrets) exchange(token string) (secret string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" || !loopback.IsSame(token, s.token) {
		return "", false
	}
	s.token = ""
	return s.secret, true
}

// another makes a new token where the last one was used; "" where it still works.
func (s *secrets) another() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" {
		return ""
	}
	s.token = rand.Text()
	return s.token
}

// admits reports that a request carries the secret.
func (s *secrets) admits(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return loopback.IsSame(r.Header.Get(secretHeader), s.secret)
}

// renew makes a new secret. The one before and all tickets work no more.
func (s *secrets) renew() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secret, s.tickets, s.order = rand.Text(), map[string]*ticket{}, nil
	return s.secret
}

// issue makes a ticket for a path.
func (s *secrets) issue(path string, once bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) >= maxTickets {
		delete(s.tickets, s.order[0])
		s.order = s.order[1:]
	}
	id := rand.Text()
	s.tickets[id], s.order = &ticket{path, once, s.now().Add(ticketLife)}, append(s.order, id)
	return id
}

// redeem reports that a ticket opens a path now. One for further ranges of a picture
// or of media lives on; one for a download is used up.
func (s *secrets) redeem(id, path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tickets[id]
	if !ok || t.path != path || s.now().After(t.expires) {
		return false
	}
	if t.once {
		delete(s.tickets, id)
	}
	t.expires = s.now().Add(ticketLife)
	return true
}
