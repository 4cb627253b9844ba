package pam

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Kinds of statements.
const (
	Rotation   = "rotation"   // another key takes the place of this one
	Revocation = "revocation" // what this key signed from a time on does not count
)

// Statement is what a key says about itself. A did:key has no place where it
// could be looked up, so a statement counts only for who was handed it.
//
// Signatures are over the canonical JSON of the statement with both signatures
// empty. A rotation is signed by both keys: by the old one, which hands over,
// and by the new one, so that nobody can pass off a stranger's key as theirs.
// Both are Ed25519 keys.
type Statement struct {
	Kind      string `json:"keepsake_statement"`
	DID       string `json:"did"`                 // of the key that speaks
	Successor string `json:"successor,omitempty"` // did:key of the new key; of a rotation
	At        string `json:"at"`                  // when it was made; RFC 3339
	Since     string `json:"since,omitempty"`     // from when on; of a revocation

	Signature          string `json:"signature"`
	SuccessorSignature string `json:"successor_signature,omitempty"`
}

// Rotate says that next takes the place of old.
func Rotate(old, next *Key, at memory.Time) (Statement, error) {
	s := Statement{Kind: Rotation, DID: old.DID(), Successor: next.DID(), At: at.String()}
	payload, err := s.payload()
	if err != nil {
		return s, err
	}
	s.Signature, s.SuccessorSignature = base64url(old.sign(payload)), base64url(next.sign(payload))
	return s, nil
}

// Revoke says that what key signed from since on does not count.
func Revoke(key *Key, at, since memory.Time) (Statement, error) {
	s := Statement{Kind: Revocation, DID: key.DID(), At: at.String(), Since: since.String()}
	payload, err := s.payload()
	if err != nil {
		return s, err
	}
	s.Signature = base64url(key.sign(payload))
	return s, nil
}

func (s Statement) payload() ([]byte, error) {
	s.Signature, s.SuccessorSignature = "", ""
	text, err := jcs.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("build statement: %w", err)
	}
	return text, nil
}

// Told is a statement whose signatures hold. Next and Since are zero in the
// kind that does not have them.
type Told struct {
	Kind  string
	Key   Public
	Next  Public
	At    time.Time
	Since time.Time
}

// Check holds that the keys it names signed the statement.
func (s Statement) Check() (t Told, err error) {
	bad := fault.New(fault.Refused, "statement-broken", "A statement about a key is not as it was signed, so nothing was taken from it.")
	t.Kind = s.Kind
	if t.Key, err = ParsePublic(s.DID); err != nil {
		return t, bad.Because(err)
	}
	payload, err := s.payload()
	if err != nil {
		return t, bad.Because(err)
	}
	at, ok := parseInstant(s.At)
	t.At = at
	ok = ok && verifies(t.Key, payload, s.Signature)
	switch s.Kind {
	case Rotation:
		t.Next, err = ParsePublic(s.Successor)
		ok = ok && err == nil && s.Since == "" && t.Next != t.Key && verifies(t.Next, payload, s.SuccessorSignature)
	case Revocation:
		since, isTime := parseInstant(s.Since)
		t.Since = since
		ok = ok && isTime && s.Successor == "" && s.SuccessorSignature == ""
	default:
		ok = false
	}
	if !ok {
		return Told{}, bad
	}
	return t, nil
}

func verifies(key Public, payload []byte, signature string) bool {
	value, err := unbase64url(signature)
	return err == nil && key.kind == Ed25519 && key.verifies(0, payload, value)
}

// Card is what a person hands to others: their public key, and what their keys
// said about themselves.
type Card struct {
	Key        Public
	Statements []Statement
}

// Write writes a key file without a secret.
func (c Card) Write(w io.Writer) error {
	text, err := json.MarshalIndent(keyFile{Kind: "1", Algorithm: string(c.Key.kind), DID: c.Key.DID(), Statements: c.Statements}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode key: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
