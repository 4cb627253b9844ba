// Package keychain keeps one secret a vault where the operating system keeps
// those of other programs: the login keychain, the Credential Manager, the
// Secret Service. Whoever is signed in can then open the vault without its
// passphrase; it is for the person to say whether they want that.
package keychain

import (
	"encoding/base64"
	"errors"

	"github.com/zalando/go-keyring"

	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// service is the name under which the system lists our entries.
const service = product.Name

// System is the keychain of this computer's account.
type System struct{}

// Set keeps a secret for a vault, in the place of any other.
func (System) Set(vaultID string, secret []byte) error {
	return said(keyring.Set(service, vaultID, base64.RawStdEncoding.EncodeToString(secret)))
}

// Get returns the secret of a vault. It is NotFound keychain-empty when there
// is none, Unsupported no-keychain when there is no keychain.
func (System) Get(vaultID string) ([]byte, error) {
	text, err := keyring.Get(service, vaultID)
	if err != nil {
		return nil, said(err)
	}
	secret, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, errEmpty(err)
	}
	return secret, nil
}

// Delete removes the secret of a vault; where there is none it does nothing.
func (System) Delete(vaultID string) error {
	err := keyring.Delete(service, vaultID)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return said(err)
}

func said(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errEmpty(err)
	}
	return fault.New(fault.Unsupported, "no-keychain", "This computer offers Keepsake no keychain, or did not let it in.").
		Advise("Open the vault with its passphrase. Nothing was changed.").Because(err)
}

func errEmpty(cause error) error {
	return fault.New(fault.NotFound, "keychain-empty", "The keychain of this account holds nothing for this vault.").
		Advise("Open it with its passphrase, then allow the keychain again in Settings.").Because(cause)
}
