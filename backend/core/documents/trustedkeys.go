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

// KeySource is where a key of somebody else is read from: a did:key or another
// text form, a key file, or a file that the key signed.
type KeySource struct {
	Text  string // wins over Input
	Input files.Input
}

// KeyReading is a key that a person looks at before they give it a name, and
// what stands beside it about keys that they know.
type KeyReading struct {
	KeyInfo
	Where string    `json:"where"`          // as KeptKey has it
	Own   bool      `json:"own"`            // it is one's own
	Name  string    `json:"name,omitempty"` // under which it is known already
	News  []KeyNews `json:"news"`
}

// KeyNews is one statement about a key that is known.
type KeyNews struct {
	Kind  string      `json:"kind"` // "rotation" or "revocation"
	Name  string      `json:"name"`
	Key   KeyInfo     `json:"key"`
	Next  *KeyInfo    `json:"next,omitempty"` // the new key
	At    memory.Time `json:"at"`             // when the statement was made
	Since memory.Time `json:"since,omitzero"` // of a revocation
	Fresh bool        `json:"fresh"`          // it is not followed yet
}

// foundKey is what ReadKey and those who act on it have in common.
type foundKey struct {
	card    pam.Card
	where   string  // base name of the file, "" for a text
	ownerID string  // of the document that it signed
	claims  Verdict // of a document that says it is from somebody whose key is another
	name    string  // of that somebody
}

// ReadKey looks at a key and at what it says, and changes nothing.
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

// maxCard is how large a file may be that is read as a key first, in bytes.
const maxCard = 64 << 10

// findKey reads a key and the statements beside it. It wants an open vault,
// since nobody has use for a key otherwise.
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

// cardIn reads a small file as a key.
func (s *Service) cardIn(ctx context.Context, in files.Input) (card pam.Card, ok bool) {
	tree, under, err := s.files.TreeOf(ctx, in)
	if err != nil {
		return card, false // whoever reads it as a document says why
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

// signerOf is the key that signed a document which is as it was signed.
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

// TrustKey keeps the key of somebody else under a name. A name that another key
// has, and a file that claims to be from somebody else, are refused.
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

// freeName refuses a name that another key has, unless rotation statements link the two
// keys.
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

// linked reports that statements lead from one of the keys to the other.
func (r *keySet) linked(a, b pam.Public) bool { return r.handsOver(a, b) || r.handsOver(b, a) }

func (r *keySet) handsOver(from, to pam.Public) bool {
	for range r.known { // the bound also ends a cycle of successors
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

// Predecessors are the key and those that it took the place of by their own
// statements, as multibase.
func (r *keySet) Predecessors(key pam.Public) []string {
	all := []string{key.Multibase()}
	for other := range r.known {
		if other != key && r.handsOver(other, key) {
			all = append(all, other.Multibase())
		}
	}
	return all
}

// sameName reports names that a person could take for one another.
func sameName(a, b string) bool { return memory.FoldName(a) == memory.FoldName(b) }

// maxHolderName bounds a name, in characters.
const maxHolderName = 80

func holderName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	hidden := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
	if name == "" || utf8.RuneCountInString(name) > maxHolderName || !utf8.ValidString(name) || hidden {
		return "", fault.New(fault.Invalid, "holder-name", "A name has from 1 to {limit} characters that can be seen.").With("limit", maxHolderName)
	}
	return name, nil
}

// keepKnown writes a key of somebody else.
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

// knownKey finds a key of somebody else by any of its texts.
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

// RenameKey gives somebody else's key another name, and with it those that it
// took the place of or that took its place.
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

// RemoveKey takes the name from somebody else's key: it is not known any more.
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
