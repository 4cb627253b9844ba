package pam_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
)

// FuzzCanonical: what is read as a memory is written in canonical form, and
// read and written again it is the same.
func FuzzCanonical(f *testing.F) {
	for _, text := range pieces(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"id":"m","type":"custom","custom_type":"x","content":"\u0000\ud83d\ude00","content_hash":"","temporal":{"created_at":"2026-01-01T00:00:00.5+02:00"},"provenance":{"platform":"xx"},"metadata":{"n":1e20,"z":-0,"deep":[[{"x":null}]]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		first, err := pam.DecodeMemory(raw)
		if err != nil {
			return
		}
		text, err := pam.EncodeMemory(first)
		if err != nil {
			return // a number that has no one form, a year beyond 9999
		}
		if canonical, err := jcs.Transform(text); err != nil || !bytes.Equal(canonical, text) {
			t.Fatalf("%s became %s, which is not canonical: %v", raw, text, err)
		}
		second, err := pam.DecodeMemory(text)
		if err != nil {
			t.Fatalf("%s became %s, which cannot be read: %v", raw, text, err)
		}
		again, err := pam.EncodeMemory(second)
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%s became %s, then %s: %v", raw, text, again, err)
		}
		third, err := pam.DecodeMemory(again)
		if err != nil || !reflect.DeepEqual(third, second) {
			t.Fatalf("%s is read as %+v, then as %+v: %v", text, second, third, err)
		}
	})
}

// signedPart is what a signature is over: the canonical memories in the order of
// their ids, and the head.
func signedPart(text []byte) (string, bool) {
	var d struct {
		ExportID   string              `json:"export_id"`
		ExportDate string              `json:"export_date"`
		Owner      struct{ ID string } `json:"owner"`
		Memories   []json.RawMessage   `json:"memories"`
	}
	if json.Unmarshal(text, &d) != nil {
		return "", false
	}
	var all []string
	for _, m := range d.Memories {
		canonical, err := jcs.Transform(m)
		if err != nil {
			return "", false
		}
		all = append(all, string(canonical))
	}
	slices.Sort(all)
	return strings.Join(append(all, d.ExportID, d.ExportDate, d.Owner.ID), "\n"), true
}

// FuzzVerify changes a signed export in one place: where it still counts as
// ours, what was signed is what was signed.
func FuzzVerify(f *testing.F) {
	k := key(f)
	text := store(f, 2, k)
	signed, ok := signedPart(text)
	if !ok {
		f.Fatal("the export cannot be read")
	}
	f.Add(uint(0), uint(0), []byte(" "))
	for _, c := range [][2]string{{`"id":"mem-00001"`, `"id":"mem-00000"`}, {`"n":1.5`, `"n":1.50`}, {`"owner-1"`, `"owner-\u0031"`}, {`"status":"active",`, ``}, {`"memories"`, `"memories":[],"memories"`}} {
		f.Add(uint(bytes.Index(text, []byte(c[0]))), uint(len(c[0])), []byte(c[1]))
	}
	f.Fuzz(func(t *testing.T, at, less uint, more []byte) {
		at %= uint(len(text))
		less = min(less, uint(len(text))-at)
		changed := slices.Concat(text[:at], more, text[at+less:])
		r, err := pam.Verify(t.Context(), tree(t, "x.json", changed), compiled(t), pam.Trust{Own: []pam.Public{k.Public()}})
		if err != nil || r.Verdict != pam.Own {
			return
		}
		if now, ok := signedPart(changed); !ok || now != signed {
			t.Fatalf("%q in the place of %q still counts as ours:\n%s", more, text[at:at+less], changed)
		}
	})
}

// fuzzKey: a text that is taken for a key of a signature has the key's one form
// in multibase too, or is of a kind that has none here.
func fuzzKey(t *testing.T, text string) {
	t.Helper()
	_ = pam.CheckForeign("ES256", text, []byte("payload"), make([]byte, 64))
	_ = pam.CheckForeign("RS256", text, []byte("payload"), make([]byte, 256))
	if pam.CheckEd25519(text, []byte("payload"), make([]byte, 64)) == nil {
		t.Fatalf("%q verifies a signature of zeros", text)
	}
	p, err := pam.ParsePublic(text)
	if err != nil {
		return
	}
	for _, form := range []string{p.Multibase(), p.DID(), p.KeyID()} {
		if again, err := pam.ParsePublic(form); err != nil || again != p || !pam.IsSameKey(form, p.Multibase()) {
			t.Fatalf("%q became %s, which is another key: %v", text, form, err)
		}
	}
}

func FuzzKeyMultibase(f *testing.F) {
	for _, v := range didKeys {
		multibase := strings.TrimPrefix(v.did, "did:key:")
		f.Add(v.did)
		f.Add(multibase)
		f.Add(v.did + "#" + multibase)
		f.Add(multibase[1:])
	}
	f.Fuzz(func(t *testing.T, text string) { fuzzKey(t, text) })
}

func FuzzKeyJWK(f *testing.F) {
	for _, v := range didKeys {
		f.Add(v.jwk)
	}
	f.Add(`{"kty":"OKP","crv":"Ed25519","x":"` + base64.RawURLEncoding.EncodeToString(make([]byte, 32)) + `"}`)
	f.Fuzz(func(t *testing.T, text string) { fuzzKey(t, text) })
}

// FuzzKeyPEM works on what stands in the block, which the fuzzer would hardly
// ever encode by itself.
func FuzzKeyPEM(f *testing.F) {
	p := key(f).Public()
	block, _ := pem.Decode([]byte(pemOf(f, ed25519.PublicKey(pam.Raw(p)))))
	f.Add(block.Type, block.Bytes)
	f.Add("RSA PUBLIC KEY", block.Bytes)
	f.Add("PUBLIC KEY", []byte{0x30, 0x00})
	f.Fuzz(func(t *testing.T, kind string, der []byte) {
		fuzzKey(t, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
	})
}

// statements are what the key of the tests says about itself.
func statements(t testing.TB) []pam.Statement {
	t.Helper()
	rotation, err := pam.Rotate(key(t), another(t, 9), day)
	if err != nil {
		t.Fatal(err)
	}
	revocation, err := pam.Revoke(key(t), day, day)
	if err != nil {
		t.Fatal(err)
	}
	return []pam.Statement{rotation, revocation}
}

// FuzzStatement: nothing holds that was not signed, whatever stands in its
// members.
func FuzzStatement(f *testing.F) {
	signed := statements(f)
	zeros := base64.RawURLEncoding.EncodeToString(make([]byte, ed25519.SignatureSize))
	for _, s := range signed {
		f.Add(s.Kind, s.DID, s.Successor, s.At, s.Since, s.Signature, s.SuccessorSignature)
		f.Add(s.Kind, "z6MkeTG3bFFSLYVU7VqhgZxqr6YzpaGrQtFMh1uvqGy1vDnP", s.Successor, s.At, s.Since, zeros, zeros)
	}
	f.Fuzz(func(t *testing.T, kind, did, successor, at, since, signature, second string) {
		s := pam.Statement{Kind: kind, DID: did, Successor: successor, At: at, Since: since, Signature: signature, SuccessorSignature: second}
		if _, err := s.Check(); err != nil {
			return
		}
		s.Signature, s.SuccessorSignature = strings.TrimRight(signature, "="), strings.TrimRight(second, "=")
		if !slices.Contains(signed, s) {
			t.Fatalf("%+v was never signed, and holds", s)
		}
	})
}

// FuzzDigest changes one file of a signed bundle, the digest or what it is over:
// the bundle is whole only as it was signed.
func FuzzDigest(f *testing.F) {
	k := key(f)
	files := whole(f, k)
	names := slices.Sorted(maps.Keys(files))
	digest := uint(slices.Index(names, pam.DigestName))
	for i := range names {
		f.Add(uint(i), uint(0), uint(0), []byte(" "))
		f.Add(uint(i), uint(0), uint(1), []byte{})
	}
	for _, c := range [][2]string{{`"size":`, `"more":1,"size":`}, {`"sha256"`, `"sha\u003256"`}, {`"keepsake_digest":"1"`, `"keepsake_digest":1`}, {`"files":[`, `"files":[],"files":[`}} {
		f.Add(digest, uint(strings.Index(files[pam.DigestName], c[0])), uint(len(c[0])), []byte(c[1]))
	}
	trust := pam.Trust{Own: []pam.Public{k.Public()}}
	f.Fuzz(func(t *testing.T, which, at, less uint, more []byte) {
		name := names[which%uint(len(names))]
		was := files[name]
		at %= uint(len(was)) + 1
		less = min(less, uint(len(was))-at)
		now := was[:at] + string(more) + was[at+less:]
		if now == was {
			return
		}
		changed := maps.Clone(files)
		changed[name] = now
		r, err := pam.Verify(t.Context(), tree(t, "x.zip", zipOf(t, changed)), compiled(t), trust)
		if err == nil && (r.Whole || r.Verdict == pam.Own) {
			t.Fatalf("%q in the place of %q of %s still counts as ours", more, was[at:at+less], name)
		}
	})
}
