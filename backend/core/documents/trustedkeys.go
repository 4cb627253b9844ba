package documents

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// KeySource is the source of somebody else's key: a did:key or another text form, a key
// file, or a document that the key signed.
type KeySource struct {
	Text  string // text form of the key; "": Input is used
	Input files.Input
}

// KeyReading is a key that a person reviews before giving it a name, with the statements
// in the same file about keys that they already know.
type KeyReading struct {
	KeyInfo
	Where string    `json:"where"`          // source, as KeptKey.Where
	Own   bool      `json:"own"`            // it is a key of the vault's owner
	Name  string    `json:"name,omitempty"` // name that it already has; "": none
	News  []KeyNews `json:"news"`
}

// KeyNews is one statement about a known key: that another key replaces it, or that it is
// revoked.
type KeyNews struct {
	Kind  string      `json:"kind"` // "rotation" or "revocation"
	Name  string      `json:"name"`
	Key   KeyInfo     `json:"key"`
	Next  *KeyInfo    `json:"next,omitempty"` // rotation: the new key
	At    memory.Time `json:"at"`             // when the statement was made
	Since memory.Time `json:"since,omitzero"` // revocation: signatures from then on do not count
	Fresh bool        `json:"fresh"`          // not applied to the keyring yet
}

// foundKey is a key read from a KeySource, before it is shown or stored.
type foundKey struct {
	card    pam.Card
	where   string  // base name of the file, "" for a text
	ownerID string  // owner of the document that it signed
	claims  Verdict // not "": the document names an owner whom the vault knows by another key
	name    string  // name of that owner
}

// ReadKey reads a key with its statements (KeyNews) for review. It changes nothing.
func (s *Service) ReadKey(ctx context.Context, from KeySource) (KeyReading, error) {
	read, err := s.findKey(ctx, from)
	if err != nil {
		return KeyReading{}, err
	}
	out := KeyReading{KeyInfo: keyInfo(read.card.Key), Where: read.where, News: []KeyNews{}}
	err = s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		ring, err := ReadKeySet(tx)
		if err != nil {
			return err
		}
		_, out.Own = ring.own[read.card.Key]
		out.Name = ring.known[read.card.Key].Name
		out.News, _, err = followKey(&ring, read.card.Statements, s.lib.Now())
		return err
	})
	return out, err
}

// maxCard is the largest file that is tried as a key file, in bytes. A larger one is read
// as a signed document.
const maxCard = 64 << 10

// findKey reads a key and the statements with it. It fails without an open vault, which
// every use of the key needs.
func (s *Service) findKey(ctx context.Context, from KeySource) (foundKey, error) {
	_, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return foundKey{}, err
	}
	leave()
	if from.Text != "" {
		key, err := pam.ParsePublic(strings.TrimSpace(from.Text))
		return foundKey{card: pam.Card{Key: key}}, err
	}
	source, err := s.files.Source(from.Input)
	if err != nil {
		return foundKey{}, err
	}
	if card, ok := s.cardIn(ctx, from.Input); ok {
		return foundKey{card: card, where: source.Name}, nil
	}
	report, err := s.Verify(ctx, from.Input, nil)
	if err != nil {
		return foundKey{}, err
	}
	read := foundKey{where: source.Name, ownerID: report.OwnerID}
	if report.Claims != "" {
		read.claims, read.name = report.Claims, report.Name
	}
	read.card.Key, err = signerOf(report, source.Name)
	return read, err
}

// cardIn reads a small file as a key card (a public key with statements). ok is false if
// it is not one.
func (s *Service) cardIn(ctx context.Context, in files.Input) (card pam.Card, ok bool) {
	tree, under, err := s.files.TreeOf(ctx, in)
	if err != nil {
		return card, false // reading it as a document reports the error
	}
	defer under()
	defer tree.Close()
	if len(tree.Files()) != 1 || tree.Files()[0].Size > maxCard {
		return card, false
	}
	text, err := tree.ReadAll(ctx, tree.Files()[0], maxCard)
	if err != nil {
		return card, false
	}
	card, err = pam.ReadCard(bytes.NewReader(text))
	return card, err == nil
}

// signerOf returns the key that signed a document. It returns an error if the document is
// unsigned, invalid, or changed after it was signed.
func signerOf(r VerifyReport, name string) (pam.Public, error) {
	switch {
	case !r.Document:
		return pam.Public{}, fault.New(fault.Invalid, "no-key-in-file", "{name} is neither a key nor a document that one signed.").With("name", name)
	case !r.Signed:
		return pam.Public{}, fault.New(fault.NotFound, "file-not-signed", "{name} is not signed, so there is no key in it.").With("name", name)
	case r.Verdict == pam.Invalid:
		return pam.Public{}, fault.New(fault.Refused, "key-of-invalid-file", "{name} is as it was signed, but not a valid document, so no key is taken from it.").With("name", name)
	case r.Verdict == pam.Broken, r.Verdict == pam.Uncheckable, !r.Valid && r.Claims == "":
		return pam.Public{}, fault.New(fault.Refused, "key-of-broken-file", "{name} is not as it was signed, so no key is taken from it.").With("name", name)
	}
	return pam.ParsePublic(r.PublicKey)
}

// TrustKey stores the key of somebody else under a name. It fails if another key has that
// name, or if the key comes from a file that claims an owner known by another key.
func (s *Service) TrustKey(ctx context.Context, from KeySource, name string) (KeptKey, error) {
	read, err := s.findKey(ctx, from)
	if err != nil {
		return KeptKey{}, err
	}
	if name, err = holderName(name); err != nil {
		return KeptKey{}, err
	}
	return s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		key := read.card.Key
		if err := ring.mayTrust(read, name); err != nil {
			return key, err
		}
		if _, known := ring.known[key]; known {
			return key, nil
		}
		return key, keepKnown(e, ring, key, keyFacts{Name: name, OwnerID: read.ownerID, Where: read.where, CreatedAt: e.Now}, library.LogKeyTrusted)
	})
}

func (r *keySet) mayTrust(read foundKey, name string) error {
	key := read.card.Key
	if _, own := r.own[key]; own {
		return fault.New(fault.Conflict, "key-is-own", "This is a key of your own.")
	}
	if known, ok := r.known[key]; ok && !sameName(known.Name, name) {
		return fault.New(fault.Conflict, "key-known-as", "This key is known as {name} already.").With("name", known.Name).Advise("Rename it if that is not right.")
	}
	switch read.claims {
	case VerdictOwn:
		return fault.New(fault.Conflict, "claims-own", "The file says that it is from you, and is signed by a key that is not yours.").
			Advise("Do not import it before you know who made it.")
	case VerdictKnown:
		return fault.New(fault.Conflict, "claims-known", "The file says that it is from {name}, whose key is another one.").With("name", read.name).
			Advise("Ask {name} before anything else. Somebody who has a new key can hand you a note that the old key signed.")
	}
	return r.freeName(name, key)
}

// freeName returns an error if another key has this name, unless one of the two replaced
// the other according to rotation statements.
func (r *keySet) freeName(name string, key pam.Public) error {
	for other, facts := range r.known {
		if other == key || !sameName(facts.Name, name) || r.linked(key, other) {
			continue
		}
		return fault.New(fault.Conflict, "name-has-key", "{name} is known by another key, since {date}. This one may be from somebody who only calls themselves so.").
			With("name", facts.Name).With("date", facts.CreatedAt.Format("2006-01-02")).
			Advise("Ask {name} before anything else. Somebody who has a new key can hand you a note that the old key signed.")
	}
	return nil
}

// linked reports whether a chain of rotation statements leads from one key to the other.
func (r *keySet) linked(a, b pam.Public) bool { return r.handsOver(a, b) || r.handsOver(b, a) }

func (r *keySet) handsOver(from, to pam.Public) bool {
	for range r.known { // at most one step per key, which also ends a cycle of successors
		next := r.known[from].Successor
		if next == "" {
			return false
		}
		if next == to.DID() {
			return true
		}
		var err error
		if from, err = pam.ParsePublic(next); err != nil {
			return false
		}
	}
	return false
}

// Predecessors returns the key and the known keys that it replaced according to their own
// rotation statements, as multibase.
func (r *keySet) Predecessors(key pam.Public) []string {
	all := []string{key.Multibase()}
	for other := range r.known {
		if other != key && r.handsOver(other, key) {
			all = append(all, other.Multibase())
		}
	}
	return all
}

// sameName reports whether a person could confuse the two names.
func sameName(a, b string) bool { return memory.FoldName(a) == memory.FoldName(b) }

// maxHolderName limits the name of a key's holder, in characters.
const maxHolderName = 80

func holderName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	hidden := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
	if name == "" || utf8.RuneCountInString(name) > maxHolderName || !utf8.ValidString(name) || hidden {
		return "", fault.New(fault.Invalid, "holder-name", "A name has from 1 to {limit} characters that can be seen.").With("limit", maxHolderName)
	}
	return name, nil
}

// keepKnown stores a key of somebody else, and logs action.
func keepKnown(e *library.Tx, ring *keySet, key pam.Public, facts keyFacts, action string) error {
	facts.Key = key.Multibase()
	ring.known[key] = facts
	text, err := rows.EncodeJSON(facts)
	if err != nil {
		return err
	}
	if err := e.PutKey(knownKeyID+facts.Key, facts.CreatedAt, text); err != nil {
		return err
	}
	return e.Log(action, key.DID(), 1)
}

// knownKey finds a key of somebody else by its did:key or any other text form.
func (r *keySet) knownKey(did string) (pam.Public, keyFacts, error) {
	key, err := pam.ParsePublic(did)
	if err != nil {
		return key, keyFacts{}, err
	}
	facts, ok := r.known[key]
	if !ok {
		return key, facts, fault.New(fault.NotFound, "no-such-key", "This key is not among those that were given a name.")
	}
	return key, facts, nil
}

// RenameKey renames somebody else's key, and all keys that rotation statements link to it.
func (s *Service) RenameKey(ctx context.Context, did, name string) (KeptKey, error) {
	return s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		key, facts, err := ring.knownKey(did)
		if err != nil {
			return key, err
		}
		name, err := holderName(name)
		if err != nil {
			return key, err
		}
		if err := ring.freeName(name, key); err != nil {
			return key, err
		}
		for other, linked := range maps.Clone(ring.known) {
			if other == key || !ring.linked(key, other) {
				continue
			}
			linked.Name = name
			if err := keepKnown(e, ring, other, linked, library.LogKeyRenamed); err != nil {
				return key, err
			}
		}
		facts.Name = name
		return key, keepKnown(e, ring, key, facts, library.LogKeyRenamed)
	})
}

// RemoveKey deletes somebody else's key from the keyring.
func (s *Service) RemoveKey(ctx context.Context, did string) error {
	_, err := s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		key, facts, err := ring.knownKey(did)
		if err != nil {
			return key, err
		}
		delete(ring.known, key)
		if err := e.DropKey(knownKeyID + facts.Key); err != nil {
			return key, err
		}
		return key, e.Log(library.LogKeyRemoved, key.DID(), 1)
	})
	return err
}
