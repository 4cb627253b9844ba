package pam

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json"
)

// checkSignature verifies a value over the payload with the key and algorithm
// that the block names (§18.2), and returns the key, or the rule that is broken.
func checkSignature(s Signature, payload []byte) (key Public, broken rule, ok bool) {
	value, errValue := unbase64url(s.Value)
	with, known := algorithms[s.Algorithm]
	key, errKey := ParsePublic(s.PublicKey)
	switch {
	case errValue != nil:
		return key, ruleSignatureText, false
	case !known:
		return key, ruleAlgorithm, false
	case errKey != nil:
		return key, ruleKeyForm, false
	case key.kind != with.kind:
		return key, ruleKeyKind, false
	case !key.verifies(with.hash, payload, value):
		return key, ruleSignature, false
	}
	return key, rule{}, true
}

// algorithms are those of §18.2: the keys they take, and what they sum with.
var algorithms = map[string]struct {
	kind Kind
	hash crypto.Hash
}{
	"Ed25519": {Ed25519, 0},
	"ES256":   {P256, crypto.SHA256},
	"ES384":   {P384, crypto.SHA384},
	"RS256":   {RSA, crypto.SHA256},
	"RS384":   {RSA, crypto.SHA384},
	"RS512":   {RSA, crypto.SHA512},
}

// verifies checks a signature. Those of a curve are r‖s, two numbers of the
// curve's size, never DER.
func (p Public) verifies(hash crypto.Hash, payload, value []byte) bool {
	switch key := p.crypto().(type) {
	case ed25519.PublicKey:
		return len(value) == ed25519.SignatureSize && ed25519.Verify(key, payload, value)
	case *ecdsa.PublicKey:
		half := size(key.Curve)
		if len(value) != 2*half {
			return false
		}
		r, s := new(big.Int).SetBytes(value[:half]), new(big.Int).SetBytes(value[half:])
		return ecdsa.Verify(key, digest(hash, payload), r, s)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, hash, digest(hash, payload), value) == nil
	}
	return false
}

// rsaBits are the sizes from which the specification names each algorithm (§18.2).
var rsaBits = map[string]int{"RS256": 2048, "RS384": 3072, "RS512": 4096}

// isShortRSA reports a key that is taken, but smaller than the specification
// has it for the algorithm.
func isShortRSA(algorithm string, p Public) bool {
	key, ok := p.crypto().(*rsa.PublicKey)
	return ok && key.N.BitLen() < rsaBits[algorithm]
}

func digest(hash crypto.Hash, payload []byte) []byte {
	h := hash.New()
	h.Write(payload)
	return h.Sum(nil)
}

// parseKey reads a key in any form that ParsePublic takes, and any key in it;
// nil where it is none.
func parseKey(text string) crypto.PublicKey {
	switch {
	case strings.HasPrefix(text, "{"):
		return jwkKey(text)
	case strings.HasPrefix(text, "-----BEGIN "):
		return pemKey(text)
	case len(text) == 43 || len(text) == 44:
		if raw, err := unbase58(text); err == nil && len(raw) == ed25519.PublicKeySize {
			return ed25519.PublicKey(raw)
		}
	}
	return multibaseKey(text)
}

// pemKey reads one block with the label of a public key and nothing else: a second
// block, headers, bytes behind the key and another label say two things at once.
func pemKey(text string) crypto.PublicKey {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil
	}
	again := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: block.Bytes})
	if strings.Join(strings.Fields(text), "") != strings.Join(strings.Fields(string(again)), "") {
		return nil
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil
	}
	if der, err := x509.MarshalPKIXPublicKey(key); err != nil || !bytes.Equal(der, block.Bytes) {
		return nil // a second spelling
	}
	return key
}

func jwkKey(text string) crypto.PublicKey {
	var jwk struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		X   string `json:"x"`
		Y   string `json:"y"`
		N   string `json:"n"`
		E   string `json:"e"`
	}
	if json.Unmarshal([]byte(text), &jwk) != nil {
		return nil
	}
	switch jwk.Kty {
	case "OKP":
		if x, err := unbase64url(jwk.X); err == nil && jwk.Crv == "Ed25519" {
			return ed25519.PublicKey(x)
		}
	case "EC":
		return ecKey(jwk.Crv, jwk.X, jwk.Y)
	case "RSA":
		return rsaKey(jwk.N, jwk.E)
	}
	return nil
}

func ecKey(name, x, y string) crypto.PublicKey {
	curve, ok := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384()}[name]
	bx, errX := unbase64url(x)
	by, errY := unbase64url(y)
	if !ok || errX != nil || errY != nil {
		return nil
	}
	if len(bx) != size(curve) || len(by) != size(curve) {
		return nil
	}
	key, err := ecdsa.ParseUncompressedPublicKey(curve, append(append([]byte{4}, bx...), by...))
	if err != nil {
		return nil
	}
	return key
}

func rsaKey(n, e string) crypto.PublicKey {
	bn, errN := unbase64url(n)
	be, errE := unbase64url(e)
	if errN != nil || errE != nil || len(be) > 4 || len(bn) > maxRSA/8+1 {
		return nil
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(bn), E: int(new(big.Int).SetBytes(be).Int64())}
}

// Signature is the block of §18.1.
type Signature struct {
	Algorithm string `json:"algorithm"`
	PublicKey string `json:"public_key"`
	Value     string `json:"value"`
	SignedAt  string `json:"signed_at"`
	KeyID     string `json:"key_id,omitempty"`
}
