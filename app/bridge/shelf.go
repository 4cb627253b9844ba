package bridge

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// shelf keeps what was handed over under tokens, so that a page can speak of a
// file without ever naming a path.
type shelf struct {
	mu    sync.Mutex
	items map[string]shelved
	fresh []string // tokens the page has not been told about
}

type shelved struct {
	offer   Offer
	input   core.Input
	passing bool // the host keeps the file for a while only
}

// put registers an input and returns what the page may know of it.
func (s *shelf) put(in core.Input, name string, size int64, folder bool) Offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	offer := Offer{Token: rand.Text(), Name: name, Size: size, Folder: folder}
	if s.items == nil {
		s.items = map[string]shelved{}
	}
	s.items[offer.Token] = shelved{offer: offer, input: in}
	return offer
}

// path registers a path a person handed over. What cannot be looked at is
// registered all the same: planning it says why.
func (s *shelf) path(path string) Offer {
	path, err := filepath.Abs(path)
	if err != nil {
		return s.put(core.Input{Path: path}, filepath.Base(path), 0, false)
	}
	return s.again(core.Input{Path: path}, filepath.Base(path))
}

// again registers an input of an earlier import.
func (s *shelf) again(in core.Input, name string) Offer {
	info, err := os.Stat(in.Path)
	if err != nil { // an upload, or what cannot be looked at
		return s.put(in, name, 0, false)
	}
	size := info.Size()
	if info.IsDir() {
		size = 0
	}
	return s.put(in, name, size, info.IsDir())
}

// paths registers several; fresh ones are also kept for Opened.
func (s *shelf) paths(paths []string, fresh bool) []Offer {
	offers := make([]Offer, 0, len(paths))
	for _, path := range paths {
		if path == "" {
			continue
		}
		offer := s.path(path)
		offers = append(offers, offer)
		if fresh {
			s.mu.Lock()
			s.fresh = append(s.fresh, offer.Token)
			s.mu.Unlock()
		}
	}
	return offers
}

// passes says that the host keeps a file until the page has fetched it, and not
// longer than the vault is open.
func (s *shelf) passes(token string) {
	_ = s.change(token, func(item *shelved) { item.passing = true }) // what is gone is kept no longer
}

// change changes what is registered under a token.
func (s *shelf) change(token string, change func(*shelved)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, err := s.find(token)
	if err != nil {
		return err
	}
	change(&item)
	s.items[token] = item
	return nil
}

// takeFresh hands over what came in before the page listened, once.
func (s *shelf) takeFresh() []Offer {
	s.mu.Lock()
	defer s.mu.Unlock()
	offers := make([]Offer, 0, len(s.fresh))
	for _, token := range s.fresh {
		offers = append(offers, s.items[token].offer)
	}
	s.fresh = nil
	return offers
}

// givePassphrase keeps what opens an encrypted file, until the vault is locked.
func (s *shelf) givePassphrase(token string, passphrase []byte) error {
	return s.change(token, func(item *shelved) { item.input.Passphrase = passphrase })
}

// nameAccount keeps whose exports offers are, as the person says.
func (s *shelf) nameAccount(token, account string) error {
	return s.change(token, func(item *shelved) { item.input.Account = account })
}

// forgetSecrets drops every passphrase. Their bytes are left to whoever is
// reading with them.
func (s *shelf) forgetSecrets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token, item := range s.items {
		item.input.Passphrase = nil
		s.items[token] = item
	}
}

func (s *shelf) get(token string) (shelved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(token)
}

// find is get while the shelf is locked.
func (s *shelf) find(token string) (shelved, error) {
	item, ok := s.items[token]
	if ok && item.passing {
		if _, err := os.Lstat(item.input.Path); err != nil {
			delete(s.items, token)
			ok = false
		}
	}
	if !ok {
		return shelved{}, fault.New(fault.NotFound, "offer-gone", "This file is no longer at hand.").
			Advise("Choose or drop it again.")
	}
	return item, nil
}

// take removes an item and returns it.
func (s *shelf) take(token string) (shelved, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item, ok := s.items[token]
	delete(s.items, token)
	s.fresh = slices.DeleteFunc(s.fresh, func(t string) bool { return t == token })
	return item, ok
}

func (s *shelf) inputs(tokens []string) ([]core.Input, error) {
	inputs := make([]core.Input, 0, len(tokens))
	for _, token := range tokens {
		item, err := s.get(token)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, item.input)
	}
	return inputs, nil
}
