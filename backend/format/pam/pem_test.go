package pam_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"keepsake/backend/format/pam"
)

// Promise (L15): a key in PEM is one block with the label of a public key, and nothing
// else.
func TestOnePEMBlockIsAKey(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b pem.Block) string { return string(pem.EncodeToMemory(&b)) }
	good := write(pem.Block{Type: "PUBLIC KEY", Bytes: der})
	for _, text := range []string{good, good + "\n", good[:len(good)-1]} {
		if _, err := pam.ParsePublic(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for name, text := range map[string]string{
		"a second block": good + good, "words behind it": good + "and more", "a certificate's label": write(pem.Block{Type: "CERTIFICATE", Bytes: der}),
		"another label": write(pem.Block{Type: "EC PUBLIC KEY", Bytes: der}), "headers": write(pem.Block{Type: "PUBLIC KEY", Headers: map[string]string{"x": "y"}, Bytes: der}),
		"bytes behind the key": write(pem.Block{Type: "PUBLIC KEY", Bytes: append(append([]byte{}, der...), 0)}), "words before it": "x\n" + good,
		"another beginning before it": "-----BEGIN X-----\n" + good, "a broken block before it": "-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----\n" + good,
	} {
		if _, err := pam.ParsePublic(text); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
