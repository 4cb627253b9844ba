package pam

import (
	"context"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// WalkWithin walks a document with a limit of bytes for each piece.
func WalkWithin(r io.Reader, limit int64) error {
	return walkWithin(context.Background(), r, limit, visitor{
		member:  func(string, jsontext.Value) error { return nil },
		element: func(string, int, jsontext.Value) error { return nil },
	})
}

// Look reports whether the quick look takes a memory.
func Look(raw []byte) bool {
	_, ok := look(raw)
	return ok
}

// WordList is the list of the fingerprints.
func WordList() []string { return wordList() }

// CheckEd25519 is how a signature of an export is verified.
func CheckEd25519(key string, payload, value []byte) error { return checkEd25519(key, payload, value) }
