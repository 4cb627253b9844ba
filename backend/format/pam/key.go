package pam

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/jcs"
)

// Key is an Ed25519 signing key.
type Key struct {
	private ed25519.PrivateKey
}

// Public is the public side of an Ed25519 key.
type Public [ed25519.PublicKeySize]byte

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
func (k *Key) Public() Public { return Public(k.private.Public().(ed25519.PublicKey)) }

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

// multicodec prefix of an Ed25519 public key.
var ed25519Prefix = []byte{0xed, 0x01}

// didKey starts a did:key, and ed25519Multibase the multibase of every Ed25519
// key, because of its prefix.
const didKey, ed25519Multibase = "did:key:", "z6Mk"

// Multibase is the key as PAM writes it: "z", then base58btc of the prefix and
// the key; always 48 characters that start with z6Mk.
func (p Public) Multibase() string {
	return "z" + base58(append(bytes.Clone(ed25519Prefix), p[:]...))
}

// DID is the did:key of the key; its document is computed, never fetched.
func (p Public) DID() string { return didKey + p.Multibase() }

// KeyID is the DID URL of the key's only verification method (§18.5).
func (p Public) KeyID() string { return p.DID() + "#" + p.Multibase() }

// Fingerprint is the first 12 bytes of SHA-256 over the key, as hex in groups.
func (p Public) Fingerprint() string {
	sum := sha256.Sum256(p[:])
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
	sum := sha256.Sum256(p[:])
	bits := new(big.Int).SetBytes(sum[:9]) // 72 bits, of which 66 count
	bits.Rsh(bits, 72-6*11)
	words := make([]string, 6)
	for i := len(words) - 1; i >= 0; i-- {
		words[i] = wordList()[bits.Uint64()&2047]
		bits.Rsh(bits, 11)
	}
	return words
}

// ParsePublic reads an Ed25519 public key as others write it: multibase (z6Mk…),
// did:key, raw base58 of 32 bytes, PEM or JWK. The form is told by its start and
// length, never by what happens to decode: raw base64url, which may look like
// base58, is not taken. A key of low order, which "verifies" anything, or one
// not in its one encoding, is refused.
func ParsePublic(text string) (Public, error) {
	raw, err := publicBytes(text)
	if err != nil {
		return Public{}, err
	}
	p := Public(raw)
	if isLowOrder(p) || !isCanonicalPoint(p) {
		return Public{}, fault.New(fault.Refused, "key-refused", "The public key is one that would verify anything; it is refused.")
	}
	return p, nil
}

func publicBytes(text string) ([]byte, error) {
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "-----BEGIN ") {
		if key, ok := parseKey(text).(ed25519.PublicKey); ok && len(key) == ed25519.PublicKeySize {
			return key, nil
		}
	}
	text = strings.TrimPrefix(text, didKey)
	text, _, _ = strings.Cut(text, "#")
	if rest, ok := strings.CutPrefix(text, "z"); ok && len(text) == 48 {
		raw, err := unbase58(rest)
		if err == nil && len(raw) == 34 && bytes.HasPrefix(raw, ed25519Prefix) {
			return raw[2:], nil
		}
	}
	if len(text) == 43 || len(text) == 44 {
		if raw, err := unbase58(text); err == nil && len(raw) == ed25519.PublicKeySize {
			return raw, nil
		}
	}
	return nil, fault.New(fault.Invalid, "key-form", "The public key is not in a form that is known.")
}

// fieldPrime is 2^255 − 19.
var fieldPrime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// isCanonicalPoint reports that y, without the sign bit, is below the prime.
func isCanonicalPoint(p Public) bool {
	return yOf(p).Cmp(fieldPrime) < 0
}

func yOf(p Public) *big.Int {
	be := make([]byte, len(p))
	for i := range p {
		be[len(p)-1-i] = p[i]
	}
	be[0] &= 0x7f
	return new(big.Int).SetBytes(be)
}

// isLowOrder reports a point of order 1, 2, 4 or 8: those with y = 0, 1, −1 and
// the two y of order 8.
func isLowOrder(p Public) bool {
	y := new(big.Int).Mod(yOf(p), fieldPrime)
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
