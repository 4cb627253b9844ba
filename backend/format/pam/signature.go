package pam

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json"
)

// checkSignature verifies a value over the payload with the key and algorithm
// that the block names (§18.2). The error is a sentence for the report.
func checkSignature(s Signature, payload []byte) error {
	value, err := unbase64url(s.Value)
	if err != nil {
		return errors.New("is not base64url")
	}
	switch s.Algorithm {
	case "Ed25519":
		return checkEd25519(s.PublicKey, payload, value)
	case "ES256":
		return checkECDSA(s.PublicKey, elliptic.P256(), crypto.SHA256, payload, value)
	case "ES384":
		return checkECDSA(s.PublicKey, elliptic.P384(), crypto.SHA384, payload, value)
	case "RS256":
		return checkRSA(s.PublicKey, crypto.SHA256, payload, value)
	case "RS384":
		return checkRSA(s.PublicKey, crypto.SHA384, payload, value)
	case "RS512":
		return checkRSA(s.PublicKey, crypto.SHA512, payload, value)
	}
	return errors.New("is made with an algorithm that the specification does not know")
}

var errSignature = errors.New("does not fit the memories, the export and the owner")

func checkEd25519(text string, payload, value []byte) error {
	key, err := ParsePublic(text)
	if err != nil {
		return errors.New("names a public key that is refused or not in a known form")
	}
	if len(value) != ed25519.SignatureSize || !ed25519.Verify(key[:], payload, value) {
		return errSignature
	}
	return nil
}

// checkECDSA takes r‖s as two numbers of the curve's size, never DER.
func checkECDSA(text string, curve elliptic.Curve, hash crypto.Hash, payload, value []byte) error {
	key, ok := parseKey(text).(*ecdsa.PublicKey)
	if !ok || key.Curve != curve {
		return errors.New("names a public key that does not fit its algorithm")
	}
	half := size(curve)
	if len(value) != 2*half {
		return errSignature
	}
	r, s := new(big.Int).SetBytes(value[:half]), new(big.Int).SetBytes(value[half:])
	if !ecdsa.Verify(key, digest(hash, payload), r, s) {
		return errSignature
	}
	return nil
}

// RSA keys are taken from 2048 to 8192 bits, with an odd exponent below 2^31.
const minRSA, maxRSA, maxExponent = 2048, 8192, 1<<31 - 1

func checkRSA(text string, hash crypto.Hash, payload, value []byte) error {
	key, ok := parseKey(text).(*rsa.PublicKey)
	if !ok || key.N.BitLen() < minRSA || key.N.BitLen() > maxRSA || key.E < 3 || key.E > maxExponent || key.E%2 == 0 {
		return errors.New("names a public key that does not fit its algorithm")
	}
	if rsa.VerifyPKCS1v15(key, hash, digest(hash, payload), value) != nil {
		return errSignature
	}
	return nil
}

// rsaBits are the sizes from which the specification names each algorithm (§18.2).
var rsaBits = map[string]int{"RS256": 2048, "RS384": 3072, "RS512": 4096}

// isShortRSA reports a key that is taken, but smaller than the specification
// has it for the algorithm.
func isShortRSA(s Signature) bool {
	key, ok := parseKey(s.PublicKey).(*rsa.PublicKey)
	return ok && key.N.BitLen() < rsaBits[s.Algorithm]
}

func digest(hash crypto.Hash, payload []byte) []byte {
	h := hash.New()
	h.Write(payload)
	return h.Sum(nil)
}

// parseKey reads a PEM SPKI block, a JWK, multibase or a did:key; nil where it is
// none of them.
func parseKey(text string) any {
	if strings.HasPrefix(text, "z") || strings.HasPrefix(text, didKey) {
		return multibaseKey(text)
	}
	if block, _ := pem.Decode([]byte(text)); block != nil {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil
		}
		return key
	}
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

func ecKey(name, x, y string) any {
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

func rsaKey(n, e string) any {
	bn, errN := unbase64url(n)
	be, errE := unbase64url(e)
	if errN != nil || errE != nil || len(be) > 4 || len(bn) > maxRSA/8+1 {
		return nil
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(bn), E: int(new(big.Int).SetBytes(be).Int64())}
}
