package pam_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
)

// TestShortRSAKeysAreNoted: §18.2 has RS512 from 4096 bits; a shorter key is
// taken, with a word.
func TestShortRSAKeysAreNoted(t *testing.T) {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	text := foreign(t, "RS512", pemOf(t, &k.PublicKey), func(b []byte) []byte {
		h := sha512.Sum512(b)
		value, err := rsa.SignPKCS1v15(nil, k, 7, h[:])
		if err != nil {
			t.Fatal(err)
		}
		return value
	})
	if r := verify(t, text, pam.Trust{}); r.Verdict != pam.Unknown || !has(r.Warnings, "key-size") {
		t.Errorf("%+v", r)
	}
}

// TestForeignSignaturesWycheproof holds the algorithms that we only verify to
// Wycheproof's vectors, with each key as PEM and as JWK.
func TestForeignSignaturesWycheproof(t *testing.T) {
	total := 0
	for _, c := range []struct{ algorithm, file string }{
		{"ES256", "ecdsa_secp256r1_sha256_p1363"}, {"ES384", "ecdsa_secp384r1_sha384_p1363"},
		{"RS256", "rsa_signature_2048_sha256"}, {"RS384", "rsa_signature_3072_sha384"}, {"RS512", "rsa_signature_4096_sha512"},
	} {
		var vectors struct {
			NumberOfTests int
			TestGroups    []struct {
				PublicKeyPem string
				PublicKeyJwk json.RawMessage
				KeyJwk       json.RawMessage
				Tests        []struct {
					TcID             int
					Msg, Sig, Result string
				}
			}
		}
		if err := json.Unmarshal(file(t, "testdata/signatures/"+c.file+"_test.json"), &vectors); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, g := range vectors.TestGroups {
			forms := []string{g.PublicKeyPem}
			if jwk := string(g.PublicKeyJwk) + string(g.KeyJwk); jwk != "" {
				forms = append(forms, jwk)
			}
			for _, v := range g.Tests {
				n++
				for _, form := range forms {
					err := pam.CheckForeign(c.algorithm, form, fromHex(t, v.Msg), fromHex(t, v.Sig))
					if (err == nil) != (v.Result == "valid") && v.Result != "acceptable" {
						t.Errorf("%s vector %d is %s: %v", c.algorithm, v.TcID, v.Result, err)
					}
				}
			}
		}
		if n != vectors.NumberOfTests || n < 200 {
			t.Errorf("%s: %d vectors of %d", c.algorithm, n, vectors.NumberOfTests)
		}
		total += n
	}
	t.Logf("%d vectors, all as labelled", total)
}

// didKeys are the vectors of the did:key method, and the same keys as JWK.
var didKeys = []struct{ did, jwk string }{
	{"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp", `{"kty":"OKP","crv":"Ed25519","x":"O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik"}`},
	{"did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv", `{"kty":"EC","crv":"P-256","x":"igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns","y":"efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM"}`},
	{"did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169", `{"kty":"EC","crv":"P-256","x":"fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI","y":"hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU"}`},
	{"did:key:z82Lm1MpAkeJcix9K8TMiLd5NMAhnwkjjCBeWHXyu3U4oT2MVJJKXkcVBgjGhnLBn2Kaau9",
		`{"kty":"EC","crv":"P-384","x":"lInTxl8fjLKp_UCrxI0WDklahi-7-_6JbtiHjiRvMvhedhKVdHBfi2HCY8t_QJyc","y":"y6N1IC-2mXxHreETBW7K3mBcw0qGr3CWHCs-yl09yCQRLcyfGv7XhqAngHOu51Zv"}`},
	{"did:key:z82LkvCwHNreneWpsgPEbV3gu1C6NFJEBg4srfJ5gdxEsMGRJUz2sG9FE42shbn2xkZJh54",
		`{"kty":"EC","crv":"P-384","x":"CA-iNoHDg1lL8pvX3d1uvExzVfCz7Rn6tW781Ub8K5MrDf2IMPyL0RTDiaLHC1JT","y":"Kpnrn8DkXUD3ge4mFxi-DKr0DYO2KuJdwNBrhzLRtfMa3WFMZBiPKUPfJj8dYNl_"}`},
	{"did:key:z4MXj1wBzi9jUstyPMS4jQqB6KdJaiatPkAtVtGc6bQEQEEsKTic4G7Rou3iBf9vPmT5dbkm9qsZsuVNjq8HCuW1w24nhBFGkRE4cd2Uf2tfrB3N7h4mnyPp1BF3ZttHTYv3DLUPi1zMdkULiow3M1GfXkoC6DoxDUm1jmN6GBj22SjVsr6dxezRVQc7aj9TxE7JLbMH1wh5X3kA58H3DFW8rnYMakFGbca5CB2Jf6CnGQZmL7o5uJAdTwXfy2iiiyPxXEGerMhHwhjTA1mKYobyk2CpeEcmvynADfNZ5MBvcCS7m3XkFCMNUYBS9NQ3fze6vMSUPsNa6GVYmKx2x6JrdEjCk3qRMMmyjnjCMfR4pXbRMZa3i",
		`{"kty":"RSA","n":"sbX82NTV6IylxCh7MfV4hlyvaniCajuP97GyOqSvTmoEdBOflFvZ06kR_9D6ctt45Fk6hskfnag2GG69NALVH2o4RCR6tQiLRpKcMRtDYE_thEmfBvDzm_VVkOIYfxu-Ipuo9J_S5XDNDjczx2v-3oDh5-CIHkU46hvFeCvpUS-L8TJSbgX0kjVk_m4eIb9wh63rtmD6Uz_KBtCo5mmR4TEtcLZKYdqMp3wCjN-TlgHiz_4oVXWbHUefCEe8rFnX1iQnpDHU49_SaXQoud1jCaexFn25n-Aa8f8bc5Vm-5SeRwidHa6ErvEhTvf1dz6GoNPp2iRvm-wJ1gxwWJEYPQ","e":"AQAB"}`},
}

// TestDIDKeyVectors computes the key of each did:key in the method's own
// vectors; its only verification method has the same text behind a #.
func TestDIDKeyVectors(t *testing.T) {
	for i, v := range didKeys {
		multibase := strings.TrimPrefix(v.did, "did:key:")
		for _, form := range []string{v.did, multibase, v.did + "#" + multibase} {
			if !pam.IsSameKey(form, v.jwk) {
				t.Errorf("%.40s… is not its key", form)
			}
		}
		other := didKeys[(i+1)%len(didKeys)]
		for _, form := range []string{other.did, v.did + "#" + strings.TrimPrefix(other.did, "did:key:"), v.did + "1", v.did[:len(v.did)-1], "did:web:example.com", "did:key:" + multibase[1:]} {
			if pam.IsSameKey(form, v.jwk) {
				t.Errorf("%.40s… is its key", form)
			}
		}
	}
	for seed := range byte(4) { // the method's seeds: 0 to 3 in the last byte
		raw := make([]byte, 32)
		raw[31] = seed
		k, err := pam.FromSeed(raw)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"iTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp", "jchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG",
			"nGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf", "vqoYXQfDDJRv8L4wKzxYeuKyVZBfi9Qo6Ro8MiLH3kDQ"}[seed]
		if k.DID() != "did:key:z6Mk"+want {
			t.Errorf("seed %d: %s, want %s", seed, k.DID(), want)
		}
	}
}

// TestOwnersOfOtherKeys: an owner who is known by a did:key of another kind is
// compared with the key that signed, in whatever form it stands.
func TestOwnersOfOtherKeys(t *testing.T) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := k.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	compressed := append([]byte{0x80, 0x24, 2 + point[64]&1}, point[1:33]...)
	multibase := "z" + pam.Base58(compressed)
	sign := func(b []byte) []byte { h := sha256.Sum256(b); return rs(k, h[:], 32) }
	for _, form := range []string{multibase, "did:key:" + multibase, pemOf(t, &k.PublicKey), jwkOf(t, &k.PublicKey, "P-256")} {
		for did, verdict := range map[string]pam.Verdict{"did:key:" + multibase: pam.Unknown, didKeys[1].did: pam.Broken, didKeys[3].did: pam.Broken, "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme": pam.Unknown} {
			var doc map[string]any
			if err := json.Unmarshal(foreign(t, "ES256", form, sign), &doc); err != nil {
				t.Fatal(err)
			}
			inner(doc, "owner")["did"] = did
			if r := verify(t, encoded(t, doc), pam.Trust{}); r.Verdict != verdict {
				t.Errorf("%.30s and %s: %+v", form, did, r)
			}
		}
	}
}
