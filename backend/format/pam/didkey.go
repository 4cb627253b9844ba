package pam

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"strings"
)

// The document of a did:key is computed, never fetched: the DID is the key. It
// is the multibase of a prefix that names the kind of key, and the key itself.

// maxMultibase bounds the text of a key, which an RSA key of 8192 bits does not
// reach, in characters.
const maxMultibase = 2000

// multicodecs are the prefixes of the keys that §18.2 signs with.
var multicodecs = []struct {
	kind   Kind
	prefix []byte
	parse  func(key []byte) crypto.PublicKey // nil where it is none
}{
	{Ed25519, []byte{0xed, 0x01}, func(key []byte) crypto.PublicKey {
		if len(key) != ed25519.PublicKeySize {
			return nil
		}
		return ed25519.PublicKey(key)
	}},
	{P256, []byte{0x80, 0x24}, func(key []byte) crypto.PublicKey { return compressedPoint(elliptic.P256(), key) }},
	{P384, []byte{0x81, 0x24}, func(key []byte) crypto.PublicKey { return compressedPoint(elliptic.P384(), key) }},
	{RSA, []byte{0x85, 0x24}, func(key []byte) crypto.PublicKey {
		public, err := x509.ParsePKCS1PublicKey(key)
		if err != nil {
			return nil
		}
		return public
	}},
}

func compressedPoint(curve elliptic.Curve, key []byte) crypto.PublicKey {
	x, y := elliptic.UnmarshalCompressed(curve, key)
	if x == nil {
		return nil
	}
	point := make([]byte, 1+2*size(curve))
	point[0] = 4 // uncompressed
	x.FillBytes(point[1 : 1+size(curve)])
	y.FillBytes(point[1+size(curve):])
	public, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return nil
	}
	return public
}

// size is how long a coordinate of a curve is, in bytes.
func size(curve elliptic.Curve) int { return (curve.Params().BitSize + 7) / 8 }

// multibaseKey is the key of a multibase text, of a did:key or of the DID URL of
// its only verification method; nil where it is none that signs.
func multibaseKey(text string) crypto.PublicKey {
	text = strings.TrimPrefix(text, didKey)
	text, fragment, isURL := strings.Cut(text, "#")
	encoded, isBase58 := strings.CutPrefix(text, "z")
	if !isBase58 || isURL && fragment != text || len(encoded) > maxMultibase {
		return nil
	}
	raw, err := unbase58(encoded)
	if err != nil {
		return nil
	}
	for _, codec := range multicodecs {
		if key, ok := bytes.CutPrefix(raw, codec.prefix); ok {
			return codec.parse(key)
		}
	}
	return nil
}

// prefix is the multicodec of a kind, in bytes of the caller's own.
func (k Kind) prefix() []byte {
	for _, codec := range multicodecs {
		if codec.kind == k {
			return bytes.Clone(codec.prefix)
		}
	}
	return nil
}

// crypto is the key as the standard library verifies with it; nil for none.
func (p Public) crypto() crypto.PublicKey {
	for _, codec := range multicodecs {
		if codec.kind == p.kind {
			return codec.parse([]byte(p.bytes))
		}
	}
	return nil
}
