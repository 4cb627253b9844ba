package pam_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
)

func TestKnownKeyText(t *testing.T) {
	// A published example of did:key.
	const did = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
	p, err := pam.ParsePublic(did)
	if err != nil || p.DID() != did || p.KeyID() != did+"#"+strings.TrimPrefix(did, "did:key:") {
		t.Errorf("%v %s", err, p.DID())
	}
	if got := hex.EncodeToString(pam.Raw(p)); got != "2e6fcce36701dc791488e0d0b1745cc1e33a4c1c9fcc41c63bd343dbbe0970e6" {
		t.Errorf("key is %s", got)
	}
}

func TestKeyForms(t *testing.T) {
	p := key(t).Public()
	x := base64.RawURLEncoding.EncodeToString(pam.Raw(p))
	for _, form := range []string{p.Multibase(), p.DID(), p.KeyID(), pemOf(t, ed25519.PublicKey(pam.Raw(p))), `{"kty":"OKP","crv":"Ed25519","x":"` + x + `"}`} {
		if got, err := pam.ParsePublic(form); err != nil || got != p {
			t.Errorf("%s: %v", form, err)
		}
	}
	for _, form := range []string{"", "z", p.Multibase()[:47], p.Multibase() + "1", "z6Mk0" + p.Multibase()[5:], "did:web:example.com", p.Multibase() + "\n",
		x, `{"KTY":"OKP","crv":"Ed25519","x":"` + x + `"}`, `{"kty":"OKP","crv":"X25519","x":"` + x + `"}`} {
		if _, err := pam.ParsePublic(form); err == nil {
			t.Errorf("%q was taken for a key", form)
		}
	}
}

func TestLowOrderAndNonCanonicalKeysAreRefused(t *testing.T) {
	for _, text := range []string{
		"0100000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000080",
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0000000000000000000000000000000000000000000000000000000000000080",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	} {
		raw, _ := hex.DecodeString(text)
		if _, err := pam.ParsePublic("z" + pam.Base58(append([]byte{0xed, 0x01}, raw...))); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

// TestFingerprintForms pins both forms of one key: what was written down once
// must be found again by every later version.
func TestFingerprintForms(t *testing.T) {
	p := key(t).Public()
	sum := sha256.Sum256(pam.Raw(p))
	if want := hex.EncodeToString(sum[:12]); strings.ReplaceAll(p.Fingerprint(), " ", "") != want {
		t.Errorf("%s, want %s", p.Fingerprint(), want)
	}
	bits := new(big.Int).Rsh(new(big.Int).SetBytes(sum[:]), 256-66)
	var want []string
	for i := 5; i >= 0; i-- {
		at := new(big.Int).Rsh(bits, uint(11*i)).Uint64() & 2047
		want = append(want, pam.WordList()[at])
	}
	if got := p.Words(); !slices.Equal(got, want) || strings.Join(got, " ") != "yucca anvil alarm trail pyramid image" {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWordList: 2048 plain words, sorted, no two a letter apart, and never
// changed.
func TestWordList(t *testing.T) {
	words := pam.WordList()
	if len(words) != 2048 || !slices.IsSorted(words) {
		t.Fatalf("%d words", len(words))
	}
	near := map[string]string{}
	for _, w := range words {
		if !regexp.MustCompile(`^[a-z]{4,8}$`).MatchString(w) {
			t.Errorf("%q is not plain", w)
		}
		for i := range w {
			changed, shorter := w[:i]+"*"+w[i+1:], w[:i]+w[i+1:]
			if other, ok := near[changed]; ok {
				t.Errorf("%q and %q are a letter apart", other, w)
			}
			if _, ok := slices.BinarySearch(words, shorter); ok {
				t.Errorf("%q and %q are a letter apart", shorter, w)
			}
			near[changed] = w
		}
	}
	const pinned = "d5f6cf17b97cf59095ea0ce0c6cb0895583d02d1c6de2e7dbf716f760d12750b"
	if sum := sha256.Sum256([]byte(strings.Join(words, " "))); hex.EncodeToString(sum[:]) != pinned {
		t.Errorf("the list changed: %x", sum)
	}
}

func TestKeyFiles(t *testing.T) {
	k := key(t)
	for _, pass := range [][]byte{nil, []byte("open sesame")} {
		var b bytes.Buffer
		if err := pam.WriteKey(&b, k, pass); err != nil {
			t.Fatal(err)
		}
		ask := func() ([]byte, error) { return bytes.Clone(pass), nil }
		got, err := pam.ReadKey(bytes.NewReader(b.Bytes()), ask)
		if err != nil || got.DID() != k.DID() {
			t.Errorf("%v", err)
		}
		if secret := base64.RawURLEncoding.EncodeToString(k.Seed()); strings.Contains(b.String(), secret) != (pass == nil) {
			t.Error("the secret stands in the clear, or does not")
		}
		if p, err := pam.ReadPublic(bytes.NewReader(b.Bytes())); err != nil || p != k.Public() {
			t.Errorf("the public side needs no passphrase: %v", err)
		}
		other, err := pam.Generate()
		if err != nil {
			t.Fatal(err)
		}
		mixed := strings.Replace(b.String(), k.DID(), other.DID(), 1)
		if _, err := pam.ReadKey(strings.NewReader(mixed), ask); reason(err) != "key-file-mixed" {
			t.Error(err)
		}
		wrong := func() ([]byte, error) { return []byte("another"), nil }
		if _, err := pam.ReadKey(bytes.NewReader(b.Bytes()), wrong); pass != nil && reason(err) != "file-passphrase" {
			t.Error(err)
		}
	}
	if p, err := pam.ReadPublic(strings.NewReader(k.DID() + "\n")); err != nil || p != k.Public() {
		t.Error(err)
	}
	if _, err := pam.ReadKey(strings.NewReader("{}"), nil); err == nil {
		t.Error("an empty object is no key file")
	}
}

// FuzzKeyFile: whatever the text, no panic. What is taken for a key file is
// written and read again with all that it says, and a secret in it is that of the
// key beside it.
func FuzzKeyFile(f *testing.F) {
	k := key(f)
	p := k.Public()
	for _, seed := range []string{p.DID(), p.KeyID(), p.Multibase(), "zzz", `{"kty":"OKP","crv":"Ed25519","x":"AA"}`, `{"keepsake_key":"1","algorithm":"Ed25519","seed":"AA"}`, "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n", `{"kty":"RSA","n":"AQAB","e":"AQAB"}`} {
		f.Add(seed)
	}
	var file bytes.Buffer
	if err := pam.WriteKey(&file, k, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(file.String())
	for _, s := range statements(f) {
		file.Reset()
		if err := (pam.Card{Key: p, Statements: []pam.Statement{s}}).Write(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(file.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		card, err := pam.ReadCard(strings.NewReader(text))
		if err != nil {
			return
		}
		ask := func() ([]byte, error) { return []byte("p"), nil }
		if !strings.Contains(text, "scrypt") { // its cost is the text's to choose
			if own, err := pam.ReadKey(strings.NewReader(text), ask); err == nil && own.Public() != card.Key {
				t.Fatalf("%q holds the secret of another key", text)
			}
		}
		var file bytes.Buffer
		if err := card.Write(&file); err != nil {
			t.Fatal(err)
		}
		again, err := pam.ReadCard(&file)
		if err != nil || again.Key != card.Key || !slices.Equal(again.Statements, card.Statements) {
			t.Fatalf("%q became %+v, then %+v: %v", text, card, again, err)
		}
	})
}

// TestForeignAlgorithms signs the payload as another program would.
func TestForeignAlgorithms(t *testing.T) {
	p256, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	big, _ := rsa.GenerateKey(rand.Reader, 2048)
	for _, c := range []struct {
		algorithm, key string
		sign           func([]byte) []byte
	}{
		{"ES256", pemOf(t, &p256.PublicKey), func(b []byte) []byte { h := sha256.Sum256(b); return rs(p256, h[:], 32) }},
		{"ES256", jwkOf(t, &p256.PublicKey, "P-256"), func(b []byte) []byte { h := sha256.Sum256(b); return rs(p256, h[:], 32) }},
		{"ES384", pemOf(t, &p384.PublicKey), func(b []byte) []byte { h := sha512.Sum384(b); return rs(p384, h[:], 48) }},
		{"RS256", pemOf(t, &big.PublicKey), func(b []byte) []byte { h := sha256.Sum256(b); s, _ := rsa.SignPKCS1v15(nil, big, 5, h[:]); return s }},
		{"RS512", pemOf(t, &big.PublicKey), func(b []byte) []byte { h := sha512.Sum512(b); s, _ := rsa.SignPKCS1v15(nil, big, 7, h[:]); return s }},
	} {
		good := foreign(t, c.algorithm, c.key, c.sign)
		if r := verify(t, good, pam.Trust{}); r.Verdict != pam.Unknown {
			t.Errorf("%s: %+v", c.algorithm, r)
		}
		other := bytes.Replace(good, []byte(`owner-1`), []byte(`owner-2`), 1)
		if r := verify(t, other, pam.Trust{}); r.Verdict != pam.Broken {
			t.Errorf("%s changed: %+v", c.algorithm, r)
		}
		if r := verify(t, foreign(t, "RS384", c.key, c.sign), pam.Trust{}); r.Verdict != pam.Broken {
			t.Errorf("%s as RS384: %+v", c.algorithm, r)
		}
	}
}

func rs(k *ecdsa.PrivateKey, hash []byte, size int) []byte {
	r, s, _ := ecdsa.Sign(rand.Reader, k, hash)
	return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
}

func pemOf(t testing.TB, public any) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func jwkOf(t *testing.T, public *ecdsa.PublicKey, curve string) string {
	t.Helper()
	raw, err := public.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	half := len(raw) / 2
	url := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"kty":"EC","crv":%q,"x":%q,"y":%q}`, curve, url(raw[1:1+half]), url(raw[1+half:]))
}

// foreign is our unsigned export with somebody else's signature in it.
func foreign(t *testing.T, algorithm, key string, sign func([]byte) []byte) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(store(t, 2, nil), &doc); err != nil {
		t.Fatal(err)
	}
	return foreignOf(t, doc, algorithm, key, sign)
}

// foreignOf is a document with a signature over it.
func foreignOf(t *testing.T, doc map[string]any, algorithm, key string, sign func([]byte) []byte) []byte {
	t.Helper()
	payload, err := jcs.Marshal(map[string]any{"checksum": doc["integrity"].(map[string]any)["checksum"],
		"export_id": doc["export_id"], "export_date": doc["export_date"], "owner_id": "owner-1"})
	if err != nil {
		t.Fatal(err)
	}
	doc["signature"] = map[string]any{"algorithm": algorithm, "public_key": key, "signed_at": day.String(),
		"value": base64.RawURLEncoding.EncodeToString(sign(payload))}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
