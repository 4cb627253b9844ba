package lifecycle

import (
	"context"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// ChannelKey is the key of channels between two processes that can open the same vault.
type ChannelKey = seal.ChannelKey

// HoldChannelKey returns the key of the unlocked vault, which the caller clears. The
// context bound ends with ctx, at release or when the vault is locked.
func (s *Service) HoldChannelKey(ctx context.Context) (key *ChannelKey, bound context.Context, release func(), err error) {
	v, bound, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if key, err = v.Vault.ChannelKey(); err != nil {
		release()
		return nil, nil, nil, err
	}
	return key, bound, release, nil
}

// DeriveChannelKey returns the same key while another process has the vault open. It opens
// nothing but the header with the secret.
func (s *Service) DeriveChannelKey(ctx context.Context, secret Secret) (*ChannelKey, error) {
	try := secret.opening(ctx)
	if secret.Keychain {
		stored, err := s.keychainKey()
		if err != nil {
			return nil, err
		}
		defer clear(stored)
		try = vault.ByKeychain(ctx, stored)
	}
	key, err := vault.ChannelKeyOf(s.lib.VaultDir(), try)
	if fault.CodeOf(err) == fault.WrongPassphrase {
		s.NoteNoChannelKey()
	}
	return key, err
}

// NoteNoChannelKey counts somebody who did not have the key like an unlock that failed.
func (s *Service) NoteNoChannelKey() { vault.NoteTry(s.lib.VaultDir(), s.lib.Clock()) }
