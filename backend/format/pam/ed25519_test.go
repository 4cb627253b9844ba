package pam_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"keepsake/backend/format/pam"
)

// jwk is a public key as text, in the one form that takes any 32 bytes.
func jwk(key []byte) string {
	return fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","x":%q}`, base64.RawURLEncoding.EncodeToString(key))
}

func fromHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func vectors(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile("testdata/ed25519/" + name)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Wycheproof's vectors (row 1).
func TestEd25519Wycheproof(t *testing.T) {
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			PublicKey struct{ PK string }
			Tests     []struct {
				TcID             int
				Msg, Sig, Result string
			}
		}
	}
	vectors(t, "wycheproof.json", &file)
	n := 0
	for _, g := range file.TestGroups {
		for _, v := range g.Tests {
			n++
			err := pam.CheckEd25519(jwk(fromHex(t, g.PublicKey.PK)), fromHex(t, v.Msg), fromHex(t, v.Sig))
			if (err == nil) != (v.Result == "valid") {
				t.Errorf("vector %d is %s: %v", v.TcID, v.Result, err)
			}
		}
	}
	if n != file.NumberOfTests || n < 150 {
		t.Errorf("%d vectors of %d", n, file.NumberOfTests)
	}
	t.Logf("%d vectors, all as labelled", n)
}

// CCTV's vectors (row 3): what a key of low order or in a second encoding
// signs is refused, and everything else is as the standard library says.
func TestEd25519CCTV(t *testing.T) {
	var all []struct {
		Number   int
		Key, Sig string
		Msg      string
		Flags    []string
	}
	vectors(t, "cctv.json", &all)
	low, taken := 0, 0
	for _, v := range all {
		key, sig := fromHex(t, v.Key), fromHex(t, v.Sig)
		err := pam.CheckEd25519(jwk(key), []byte(v.Msg), sig)
		refused := slices.Contains(v.Flags, "low_order_A") || slices.Contains(v.Flags, "non_canonical_A")
		switch {
		case refused && err == nil:
			t.Errorf("vector %d %v: its key was taken", v.Number, v.Flags)
		case !refused && (err == nil) != ed25519.Verify(key, []byte(v.Msg), sig):
			t.Errorf("vector %d %v: %v", v.Number, v.Flags, err)
		}
		if refused {
			low++
		}
		if err == nil {
			taken++
		}
	}
	if len(all) != 914 || low == 0 || taken == 0 {
		t.Errorf("%d vectors, %d with a bad key, %d taken", len(all), low, taken)
	}
	t.Logf("%d vectors: %d bad keys, 0 of them taken; %d signatures taken", len(all), low, taken)
}
