package bridge

import (
	"context"
	"strings"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/product"
)

// Signers is what a page may do with signing keys: one's own, and those of
// people one knows. The ways into the vault are Keys.
type Signers struct{ k *kit }

// List is every signing key that the vault knows.
func (s *Signers) List() (SignersView, error) { return call(s.k, s.list) }

func (s *Signers) list(ctx context.Context) (SignersView, error) {
	ring, err := s.k.core.Keyring(ctx)
	return SignersView{Own: list(first(ring.Own), signerView), Known: list(first(ring.Known), signerView)}, err
}

// Read looks at a key before it gets a name, and at what it says about keys that
// are known. Nothing is changed.
func (s *Signers) Read(from KeySourceView) (KeyReadingView, error) {
	return call(s.k, func(ctx context.Context) (KeyReadingView, error) {
		source, err := s.source(from)
		if err != nil {
			return KeyReadingView{}, err
		}
		read, err := s.k.core.ReadKey(ctx, source)
		return keyReadingView(read), err
	})
}

func (s *Signers) source(from KeySourceView) (core.KeySource, error) {
	if text := strings.TrimSpace(from.Text); text != "" || from.Token == "" {
		if text == "" {
			return core.KeySource{}, fault.New(fault.Invalid, "no-key", "No key was given.")
		}
		return core.KeySource{Text: text}, nil
	}
	item, err := s.k.shelf.get(from.Token)
	return core.KeySource{Input: item.input}, err
}

// Trust gives somebody else's key a name.
func (s *Signers) Trust(from KeySourceView, name string) (SignersView, error) {
	return s.change(from, func(ctx context.Context, source core.KeySource) error {
		_, err := s.k.core.TrustKey(ctx, source, name)
		return err
	})
}

// Follow takes over what somebody who is known says about their keys.
func (s *Signers) Follow(from KeySourceView) (SignersView, error) {
	return s.change(from, func(ctx context.Context, source core.KeySource) error {
		_, err := s.k.core.FollowKey(ctx, source)
		return err
	})
}

// change does something with a key, and lists all keys as they are then.
func (s *Signers) change(from KeySourceView, act func(context.Context, core.KeySource) error) (SignersView, error) {
	return s.then(func(ctx context.Context) error {
		source, err := s.source(from)
		if err != nil {
			return err
		}
		return act(ctx, source)
	})
}

// Rename gives somebody else's key another name.
func (s *Signers) Rename(did, name string) (SignersView, error) {
	return s.then(func(ctx context.Context) error {
		_, err := s.k.core.RenameKey(ctx, did, name)
		return err
	})
}

// Remove knows a key of somebody else no more.
func (s *Signers) Remove(did string) (SignersView, error) {
	return s.then(func(ctx context.Context) error { return s.k.core.RemoveKey(ctx, did) })
}

// Rotate signs with a new key from now on.
func (s *Signers) Rotate() (SignersView, error) {
	return s.then(func(ctx context.Context) error {
		_, err := s.k.core.RotateSigningKey(ctx)
		return err
	})
}

// Revoke says that what a key of one's own signed from a day on, "" for now,
// does not count.
func (s *Signers) Revoke(did, since string) (SignersView, error) {
	return s.then(func(ctx context.Context) error {
		var from memory.Time
		if since != "" {
			var err error
			if from, err = memory.ParseTime(since); err != nil {
				return fault.New(fault.Invalid, "no-such-day", "This is not a day.").Because(err)
			}
		}
		_, err := s.k.core.RevokeSigningKey(ctx, did, from)
		return err
	})
}

func (s *Signers) then(act func(context.Context) error) (SignersView, error) {
	return call(s.k, func(ctx context.Context) (SignersView, error) {
		if err := act(ctx); err != nil {
			return SignersView{}, err
		}
		return s.list(ctx)
	})
}

// Save asks where to write the public key, for others, and writes it there.
func (s *Signers) Save() (SavedView, error) {
	return call(s.k, func(ctx context.Context) (SavedView, error) {
		path, err := s.k.host.SaveFile(product.Name, product.Program+"-public-key.json")
		if err != nil || path == "" {
			return SavedView{}, orCancelled(err)
		}
		if _, err := s.k.core.ExportKey(ctx, path); err != nil {
			return SavedView{}, err
		}
		return s.k.saved(path, 0), nil
	})
}
