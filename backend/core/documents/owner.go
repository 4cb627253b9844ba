package documents

import (
	"encoding/json"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// MakeOwner stores the owner of a new vault, and a new signing key, from which the
// owner's DID is derived.
func MakeOwner(v *vault.Vault, id string, now memory.Time) error {
	key, err := pam.Generate()
	if err != nil {
		return err
	}
	secret, err := rows.EncodeJSON(signingKey{key.Seed(), keyFacts{Key: key.Public().Multibase(), CreatedAt: now}})
	if err != nil {
		return err
	}
	defer clear(secret)
	return library.PutOwner(v, library.Owner{ID: id, CreatedAt: now}, signingKeyID, secret)
}

// ReadOwner returns the owner of a vault; a zero Owner if none was stored yet.
func ReadOwner(v *vault.Vault) (who library.Owner, err error) {
	err = v.View(func(tx *vault.Tx) error {
		_, err := rows.FindJSON(tx, vault.Settings, library.OwnerID, "owner", &who)
		return err
	})
	return who, err
}

// OwnerIn returns the owner of a damaged vault, or a new one with an id from newID if the
// owner's record is not readable.
func OwnerIn(from *vault.Remains, newID func() string, now memory.Time) pam.Owner {
	var who library.Owner
	text, ok := from.Get(vault.Settings, library.OwnerID)
	if !ok || json.Unmarshal(text, &who) != nil {
		return pam.Owner{ID: newID(), CreatedAt: now}
	}
	return pam.Owner{ID: who.ID, CreatedAt: who.CreatedAt}
}

// Signer returns the vault's signing key, with its secret.
func Signer(v *vault.Vault) (key *pam.Key, err error) {
	err = v.View(func(tx *vault.Tx) error {
		own, err := readOwnKey(tx, signingKeyID)
		if err == nil {
			key = own.key
		}
		return err
	})
	return key, err
}

// PublicSigner returns the public part of the vault's signing key.
func PublicSigner(v *vault.Vault) (signs pam.Public, err error) {
	err = v.View(func(tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		signs = ring.signs
		return err
	})
	return signs, err
}
