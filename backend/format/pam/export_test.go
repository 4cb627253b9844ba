package pam

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// DecodeQuickly is DecodeMemory for what stands in canonical form.
var DecodeQuickly = decodeQuickly

// WalkWithin walks a document with a limit of bytes for each piece.
func WalkWithin(r io.Reader, limit int64) error {
	return walkWithin(context.Background(), r, limit, visitor{
		member:  func(string, jsontext.Value) error { return nil },
		element: func(string, int, jsontext.Value) error { return nil },
	})
}

// Pieces lists the pieces that walk finds; quick lets a verification take what
// it knows at a glance.
func Pieces(r io.Reader, quick bool) (pieces []string, err error) {
	v := visitor{
		member: func(name string, raw jsontext.Value) error {
			pieces = append(pieces, name+":"+string(raw))
			return nil
		},
		element: func(array string, i int, raw jsontext.Value) error {
			pieces = append(pieces, fmt.Sprint(array, " ", i, ":")+string(raw))
			return nil
		},
	}
	if known := newVerification(nil).known; quick {
		v.known = func(array string, i int, b []byte) int {
			n := known(array, i, b)
			if n > 0 {
				pieces = append(pieces, fmt.Sprint(array, " ", i, ":")+string(b[:n]))
			}
			return n
		}
	}
	return pieces, walk(context.Background(), r, v)
}

// IsStreamed reports an array that may be long.
func IsStreamed(name string) bool { return streamed[name] }

// Look reports whether the quick look takes a whole text as a memory.
func Look(raw []byte) bool {
	_, n := look(raw)
	return n > 0 && n == len(raw)
}

// LookRelation and LookEntry are Look for those.
func LookRelation(raw []byte) bool { n := lookRelation(raw); return n > 0 && n == len(raw) }
func LookEntry(raw []byte) bool    { n := lookEntry(raw); return n > 0 && n == len(raw) }

// WordList is the list of the fingerprints.
func WordList() []string { return wordList() }

// CheckEd25519 is how a signature of an export is verified.
func CheckEd25519(key string, payload, value []byte) error {
	return CheckForeign("Ed25519", key, payload, value)
}

// CheckForeign is how a signature of any algorithm is verified.
func CheckForeign(algorithm, key string, payload, value []byte) error {
	_, broken, ok := checkSignature(Signature{Algorithm: algorithm, PublicKey: key, Value: base64url(value)}, payload)
	if !ok {
		return errors.New(broken.message)
	}
	return nil
}

// IsSameKey compares two keys in any form that a signature block may hold.
func IsSameKey(a, b string) bool {
	one, errOne := ParsePublic(a)
	two, errTwo := ParsePublic(b)
	return errOne == nil && errTwo == nil && one == two
}

// Raw is a key without its prefix.
func Raw(p Public) []byte { return []byte(p.bytes) }

// Base58 is how keys are written.
func Base58(raw []byte) string { return base58(raw) }
