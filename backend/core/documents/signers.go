package documents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/atomicfile"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// KeptKey is a signing key that the vault knows: a key of its owner, or a key of somebody
// else that the owner gave a name.
type KeptKey struct {
	KeyInfo
	Name      string      `json:"name,omitempty"`  // holder, as the vault's owner typed it; "" for own keys
	Where     string      `json:"where,omitempty"` // source: a file name, "rotation", or "" for text; only for keys of others
	Since     memory.Time `json:"since"`           // when it was created; for keys of others: first seen
	InUse     bool        `json:"in_use"`          // exports are signed with it
	RetiredAt memory.Time `json:"retired_at,omitzero"`
	RevokedAt memory.Time `json:"revoked_at,omitzero"` // signatures from then on do not count
	Successor string      `json:"successor,omitempty"` // did:key of the key that replaced it
}

// Keyring lists every signing key that the vault knows, the newest first: those of its
// owner (Own) and those of others (Known).
type Keyring struct {
	Own   []KeptKey `json:"own"`
	Known []KeptKey `json:"known"`
}

// keyFacts is the vault's encrypted record of a public key and its holder. The record of a
// key of the vault's owner (signingKey) also holds the seed.
type keyFacts struct {
	Key        string          `json:"key"` // multibase
	Name       string          `json:"name,omitempty"`
	OwnerID    string          `json:"owner_id,omitempty"` // owner id in the documents of the key's holder
	Where      string          `json:"where,omitempty"`
	CreatedAt  memory.Time     `json:"created_at"` // for keys of others: first seen
	RetiredAt  memory.Time     `json:"retired_at,omitzero"`
	RevokedAt  memory.Time     `json:"revoked_at,omitzero"`
	Successor  string          `json:"successor,omitempty"`
	Statements []pam.Statement `json:"statements,omitempty"` // signed by the key about itself: rotation, revocation
}

// Ids of key records. signingKeyID is the id of the key in use. The others are prefixes
// before the key's multibase: earlier keys of the owner, and keys of others.
const (
	signingKeyID = "signing"
	retiredKeyID = "retired "
	knownKeyID   = "known "
)

// keySet holds the records (keyFacts) of all keys in the vault, without secrets, as one
// transaction sees them.
type keySet struct {
	signs pam.Public
	own   map[pam.Public]keyFacts
	known map[pam.Public]keyFacts
}

// ReadKeySet reads the record of every key that the vault knows, without secrets.
func ReadKeySet(tx *vault.Tx) (keySet, error) {
	ring := keySet{own: map[pam.Public]keyFacts{}, known: map[pam.Public]keyFacts{}}
	for e, err := range tx.Each(vault.Keys) {
		if err != nil {
			return ring, err
		}
		err = ring.add(e)
		clear(e.Plain)
		if err != nil {
			return ring, fmt.Errorf("read key: %w", err)
		}
	}
	return ring, nil
}

func (r *keySet) add(e vault.Entry) error {
	var facts keyFacts
	if err := json.Unmarshal(e.Plain, &facts); err != nil {
		return err
	}
	key, err := pam.ParsePublic(facts.Key)
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(e.ID, knownKeyID):
		r.known[key] = facts
		return nil
	case e.ID == signingKeyID:
		r.signs = key
	}
	r.own[key] = facts
	return nil
}

func (r *keySet) kept(key pam.Public, f keyFacts) KeptKey {
	return KeptKey{
		KeyInfo: keyInfo(key), Name: f.Name, Where: f.Where, Since: f.CreatedAt, InUse: key == r.signs,
		RetiredAt: f.RetiredAt, RevokedAt: f.RevokedAt, Successor: f.Successor,
	}
}

// list returns the keys sorted: the key in use first, then the newest first.
func (r *keySet) list(all map[pam.Public]keyFacts) []KeptKey {
	out := make([]KeptKey, 0, len(all))
	for key, facts := range all {
		out = append(out, r.kept(key, facts))
	}
	slices.SortFunc(out, func(a, b KeptKey) int {
		if a.InUse {
			return -1
		}
		if b.InUse {
			return 1
		}
		return cmp.Or(b.Since.Compare(a.Since), strings.Compare(a.DID, b.DID))
	})
	return out
}

// trust converts the key set to the form that pam.Verify needs.
func (r *keySet) trust(ownerID string) pam.Trust {
	t := pam.Trust{Holders: map[pam.Public]pam.Holder{}}
	for key, f := range r.own {
		f.OwnerID = ownerID
		t.Own, t.Holders[key] = append(t.Own, key), f.holder()
	}
	for key, f := range r.known {
		t.Known, t.Holders[key] = append(t.Known, key), f.holder()
	}
	return t
}

func (f keyFacts) holder() pam.Holder {
	return pam.Holder{Name: f.Name, OwnerID: f.OwnerID, Since: f.CreatedAt.Time, Retired: f.RetiredAt.Time, Revoked: f.RevokedAt.Time}
}

// Trust returns the keys that the open vault knows, and none if no vault is open.
func Trust(ctx context.Context, lib *library.Library) (t pam.Trust, err error) {
	v, _, leave, err := lib.Enter(ctx)
	if err != nil {
		return t, nil // locked or absent vault: no holder of a key is known
	}
	defer leave()
	err = v.View(func(tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		t = ring.trust(v.Owner.ID)
		return err
	})
	return t, err
}

// Keyring lists the signing keys that the vault knows.
func (s *Service) Keyring(ctx context.Context) (Keyring, error) {
	var out Keyring
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		out = Keyring{Own: ring.list(ring.own), Known: ring.list(ring.known)}
		return err
	})
	return out, err
}

// ExportKey writes the owner's public key to path, with the rotation and revocation
// statements of all the owner's keys. The file is meant to be given to others.
func (s *Service) ExportKey(ctx context.Context, path string) (KeyInfo, error) {
	var card pam.Card
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		card.Key = ring.signs
		for _, key := range slices.SortedFunc(maps.Keys(ring.own), func(a, b pam.Public) int {
			return ring.own[a].CreatedAt.Compare(ring.own[b].CreatedAt)
		}) {
			card.Statements = append(card.Statements, ring.own[key].Statements...)
		}
		return err
	})
	if err != nil {
		return KeyInfo{}, err
	}
	err = atomicfile.WriteNew(path, 0o600, func(w io.Writer) error { return card.Write(w) })
	return keyInfo(card.Key), files.WriteFault(path, err)
}

// RotateSigningKey creates a new signing key. The old key signs a statement that the new
// one replaces it, and still counts as a key of the owner.
func (s *Service) RotateSigningKey(ctx context.Context) (KeptKey, error) {
	return s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		old, err := readOwnKey(e.VaultTx, signingKeyID)
		if err != nil {
			return pam.Public{}, err
		}
		next, err := pam.Generate()
		if err != nil {
			return pam.Public{}, err
		}
		said, err := pam.Rotate(old.key, next, e.Now)
		if err != nil {
			return pam.Public{}, err
		}
		old.facts.Successor, old.facts.Statements = next.DID(), append(old.facts.Statements, said)
		return replaceSigner(e, ring, old, next, library.LogKeyRotated)
	})
}

// RevokeSigningKey signs a statement that signatures of an owner's key from since on do
// not count. A zero since means now. An empty did means the key in use, which a new key
// replaces. The revoked key makes no rotation statement for the new key, because a thief
// of the key could make one, too.
func (s *Service) RevokeSigningKey(ctx context.Context, did string, since memory.Time) (KeptKey, error) {
	return s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		key, id, err := ring.ownID(did)
		if err != nil {
			return key, err
		}
		old, err := readOwnKey(e.VaultTx, id)
		if err != nil {
			return key, err
		}
		if err := old.revoke(e.Now, since); err != nil {
			return key, err
		}
		if id != signingKeyID {
			return key, keepSigners(e, ring, id, key, old, library.LogKeyRevoked)
		}
		next, err := pam.Generate()
		if err != nil {
			return key, err
		}
		return replaceSigner(e, ring, old, next, library.LogKeyRevoked)
	})
}

// ownID returns the owner's key with this DID and the id of its record. An empty did means
// the key in use.
func (r *keySet) ownID(did string) (pam.Public, string, error) {
	if did == "" {
		return r.signs, signingKeyID, nil
	}
	key, err := pam.ParsePublic(did)
	if err != nil {
		return key, "", err
	}
	if _, own := r.own[key]; !own {
		return key, "", fault.New(fault.NotFound, "not-own-key", "This is not a key of yours, so it cannot be revoked here.").
			Advise("Only who holds a key can revoke it.")
	}
	if key == r.signs {
		return key, signingKeyID, nil
	}
	return key, retiredKeyID + key.Multibase(), nil
}

// changeKeys runs fn, which changes the keyring, in one transaction. fn returns a public
// key, and changeKeys returns the entry that the keyring then has for it.
func (s *Service) changeKeys(ctx context.Context, fn func(*library.Tx, *keySet) (pam.Public, error)) (KeptKey, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return KeptKey{}, err
	}
	var changed pam.Public
	var ring keySet
	err = s.lib.Update(v, func(e *library.Tx) error {
		if ring, err = ReadKeySet(e.VaultTx); err != nil {
			return err
		}
		changed, err = fn(e, &ring)
		return err
	})
	if err == nil {
		v.Signs.Store(&ring.signs)
	}
	leave()
	if err != nil {
		return KeptKey{}, err
	}
	s.lib.Emit(library.EventVault, nil)
	if facts, own := ring.own[changed]; own {
		return ring.kept(changed, facts), nil
	}
	return ring.kept(changed, ring.known[changed]), nil
}

// ownKey is a signing key of the vault's owner, with its secret.
type ownKey struct {
	key   *pam.Key
	facts keyFacts
}

// signingKey is the form in which an owner's key is stored, encrypted, in the vault.
type signingKey struct {
	Seed []byte `json:"seed"` // Ed25519, 32 bytes
	keyFacts
}

// readOwnKey reads the owner's key in the record with this id, with its secret.
func readOwnKey(tx *vault.Tx, id string) (*ownKey, error) {
	text, err := tx.Get(vault.Keys, id)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	var record signingKey
	if err := json.Unmarshal(text, &record); err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	defer clear(record.Seed)
	key, err := pam.FromSeed(record.Seed)
	return &ownKey{key, record.keyFacts}, err
}

func (o *ownKey) revoke(now, since memory.Time) error {
	if since.IsZero() {
		since = now
	}
	switch {
	case since.Compare(now) > 0:
		return fault.New(fault.Invalid, "revoked-ahead", "A key cannot be revoked from a time that has not come yet.")
	case !o.facts.RevokedAt.IsZero() && since.Compare(o.facts.RevokedAt) >= 0:
		return fault.New(fault.Conflict, "revoked-before", "This key is revoked already, since {date}.").With("date", o.facts.RevokedAt.Format("2006-01-02"))
	}
	note, err := pam.Revoke(o.key, now, since)
	o.facts.RevokedAt, o.facts.Statements = since, append(o.facts.Statements, note)
	return err
}

// replaceSigner retires the key in use and makes next the signing key.
func replaceSigner(e *library.Tx, ring *keySet, old *ownKey, next *pam.Key, action string) (pam.Public, error) {
	was := old.key.Public()
	old.facts.RetiredAt = e.Now
	if err := keepSigners(e, ring, retiredKeyID+was.Multibase(), was, old, action); err != nil {
		return was, err
	}
	is := &ownKey{next, keyFacts{Key: next.Public().Multibase(), CreatedAt: e.Now}}
	ring.signs = next.Public()
	return ring.signs, keepSigners(e, ring, signingKeyID, ring.signs, is, "")
}

// keepSigners stores a key of the owner with its secret. If action is "", it adds no log
// entry.
func keepSigners(e *library.Tx, ring *keySet, id string, key pam.Public, o *ownKey, action string) error {
	ring.own[key] = o.facts
	seed := o.key.Seed()
	defer clear(seed)
	text, err := rows.EncodeJSON(signingKey{seed, o.facts})
	if err != nil {
		return err
	}
	defer clear(text)
	if err := e.PutKey(id, o.facts.CreatedAt, text); err != nil || action == "" {
		return err
	}
	return e.Log(action, keyInfo(key).DID, 1)
}

func keyInfo(p pam.Public) KeyInfo {
	return KeyInfo{DID: p.DID(), Kind: string(p.Kind()), PublicKey: p.Multibase(), Fingerprint: p.Fingerprint(), Words: p.Words()}
}

// KeyInfo is the public part of a signing key, in the forms that people compare.
type KeyInfo struct {
	DID         string   `json:"did"`
	Kind        string   `json:"kind"` // "Ed25519", "P-256", "P-384" or "RSA"
	PublicKey   string   `json:"public_key"`
	Fingerprint string   `json:"fingerprint"`
	Words       []string `json:"words"`
}
