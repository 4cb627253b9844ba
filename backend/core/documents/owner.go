package documents

import (
	"encoding/json"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// MakeOwner gives a new vault its owner and the key behind the owner's DID.
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

// ReadOwner is empty where there is none yet.
func ReadOwner(v *vault.Vault) (who library.Owner, err error) {
	err = v.View(func(tx *vault.Tx) error {
		_, err := rows.FindJSON(tx, vault.Settings, library.OwnerID, "owner", &who)
		return err
	})
	return who, err
}

// OwnerIn is the owner in what can be read of a damaged vault, a new one where there
// is none.
func OwnerIn(from *vault.Remains, newID func() string, now memory.Time) pam.Owner {
	var who library.Owner
	text, ok := from.Get(vault.Settings, library.OwnerID)
	if !ok || json.Unmarshal(text, &who) != nil {
		return pam.Owner{ID: newID(), CreatedAt: now}
	}
	return pam.Owner{ID: who.ID, CreatedAt: who.CreatedAt}
}

// Signer is the key that signs, with its secret.
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

// PublicSigner is the public side of the key that signs.
func PublicSigner(v *vault.Vault) (signs pam.Public, err error) {
	err = v.View(func(tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		signs = ring.signs
		return err
	})
	return signs, err
}
