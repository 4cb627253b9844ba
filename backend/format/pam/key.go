package pam

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// Key is an Ed25519 signing key.
type Key struct {
	private ed25519.PrivateKey
}

// Public is a public key of any kind that §18.2 signs with. Two are equal where
// they are one key, in whatever form they were written. The zero value is none.
type Public struct {
	kind  Kind
	bytes string // as a did:key has them: 32 bytes, a compressed point, or PKCS#1
}

// Kind says which algorithms a key is for.
type Kind string

// Kinds of keys. We sign with the first; the others are those of other programs.
const (
	Ed25519 Kind = "Ed25519"
	P256    Kind = "P-256" // ES256
	P384    Kind = "P-384" // ES384
	RSA     Kind = "RSA"   // RS256, RS384, RS512
)

// Generate makes a new key.
func Generate() (*Key, error) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	return &Key{private}, nil
}

// FromSeed restores a key from its 32-byte seed.
func FromSeed(seed []byte) (*Key, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, fault.New(fault.Damaged, "key-seed", "The signing key is not {size} bytes long.").With("size", ed25519.SeedSize)
	}
	return &Key{ed25519.NewKeyFromSeed(seed)}, nil
}

// Seed is the secret, for sealing. The caller clears it.
func (k *Key) Seed() []byte { return k.private.Seed() }

// Public is the key that others verify with.
func (k *Key) Public() Public {
	return Public{Ed25519, string(k.private.Public().(ed25519.PublicKey))}
}

// DID is Public().DID().
func (k *Key) DID() string { return k.Public().DID() }

// sign returns the 64-byte signature.
func (k *Key) sign(payload []byte) []byte { return ed25519.Sign(k.private, payload) }

// SignJSON signs the canonical form of a JSON text, and returns the signature in
// base64url.
func (k *Key) SignJSON(text []byte) (string, error) {
	payload, err := jcs.Transform(text)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return base64url(k.sign(payload)), nil
}

// didKey starts a did:key, and ed25519Multibase the multibase of every Ed25519
// key, because of its prefix.
const didKey, ed25519Multibase = "did:key:", "z6Mk"

// Kind is what the key is for.
func (p Public) Kind() Kind { return p.kind }

// Multibase is the key as PAM writes it: "z", then base58btc of a prefix that
// tells its kind and the key. Those of Ed25519 have 48 characters and start with
// z6Mk, those of RSA have up to some 1,500.
func (p Public) Multibase() string {
	return "z" + base58(append(p.kind.prefix(), p.bytes...))
}

// DID is the did:key of the key; its document is computed, never fetched.
func (p Public) DID() string { return didKey + p.Multibase() }

// KeyID is the DID URL of the key's only verification method (§18.5).
func (p Public) KeyID() string { return p.DID() + "#" + p.Multibase() }

// Fingerprint is the first 12 bytes of SHA-256 over the key as its did:key has
// it, behind the prefix, as hex in groups.
func (p Public) Fingerprint() string {
	sum := sha256.Sum256([]byte(p.bytes))
	text := hex.EncodeToString(sum[:12])
	groups := make([]string, 0, 6)
	for i := 0; i < len(text); i += 4 {
		groups = append(groups, text[i:i+4])
	}
	return strings.Join(groups, " ")
}

// Words is the start of the same fingerprint, 66 bits, as six words of 11 bits
// each out of the list of 2048.
func (p Public) Words() []string {
	sum := sha256.Sum256([]byte(p.bytes))
	bits := new(big.Int).SetBytes(sum[:9]) // 72 bits, of which 66 count
	bits.Rsh(bits, 72-6*11)
	words := make([]string, 6)
	for i := len(words) - 1; i >= 0; i-- {
		words[i] = wordList()[bits.Uint64()&2047]
		bits.Rsh(bits, 11)
	}
	return words
}

// ParsePublic reads a public key as others write it: multibase, did:key, PEM or
// JWK, and one of Ed25519 also as base58 of its 32 bytes. The form is told by its
// start and length, never by what happens to decode: raw base64url, which may
// look like base58, is not taken. A key of low order, which "verifies" anything,
// one not in its one encoding, and one of RSA outside of 2048 to 8192 bits are
// refused.
func ParsePublic(text string) (Public, error) {
	p, ok := publicOf(parseKey(text))
	switch {
	case !ok:
		return Public{}, fault.New(fault.Invalid, "key-form", "The public key is not in a form that is known.")
	case p.kind == Ed25519 && (isLowOrder(p.bytes) || !isCanonicalPoint(p.bytes)):
		return Public{}, fault.New(fault.Refused, "key-refused", "The public key is one that would verify anything; it is refused.")
	}
	return p, nil
}

// publicOf is a key that §18.2 signs with.
func publicOf(key crypto.PublicKey) (p Public, ok bool) {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return Public{Ed25519, string(k)}, len(k) == ed25519.PublicKeySize
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			return p, false
		}
		half := len(point) / 2 // behind the 4 of an uncompressed point
		compressed := string(append([]byte{2 + point[2*half]&1}, point[1:1+half]...))
		switch k.Curve {
		case elliptic.P256():
			return Public{P256, compressed}, true
		case elliptic.P384():
			return Public{P384, compressed}, true
		}
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits >= minRSA && bits <= maxRSA && k.E >= 3 && k.E <= maxExponent && k.E%2 == 1 {
			return Public{RSA, string(x509.MarshalPKCS1PublicKey(k))}, true
		}
	}
	return p, false
}

// RSA keys are taken from 2048 to 8192 bits, with an odd exponent below 2^31.
const minRSA, maxRSA, maxExponent = 2048, 8192, 1<<31 - 1

// fieldPrime is 2^255 − 19.
var fieldPrime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// isCanonicalPoint reports that y, without the sign bit, is below the prime.
func isCanonicalPoint(key string) bool {
	return yOf(key).Cmp(fieldPrime) < 0
}

func yOf(key string) *big.Int {
	be := []byte(key)
	slices.Reverse(be)
	be[0] &= 0x7f
	return new(big.Int).SetBytes(be)
}

// isLowOrder reports a point of order 1, 2, 4 or 8: those with y = 0, 1, −1 and
// the two y of order 8.
func isLowOrder(key string) bool {
	y := new(big.Int).Mod(yOf(key), fieldPrime)
	for _, low := range lowOrderY {
		if hex.EncodeToString(y.FillBytes(make([]byte, 32))) == low {
			return true
		}
	}
	return false
}

var lowOrderY = []string{
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000001",
	"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec",
	"7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7",
	"05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826",
}
