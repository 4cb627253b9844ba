package core_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// person is a kit with one memory, who can sign exports. Ids of different ones
// are different.
func person(t *testing.T, number int64) *kit {
	k := bare(t, "")
	k.ids.Store(number * 1e6)
	ok(k.CreateVault(ctx, passphrase, "test"))
	k.add("I live in Porto")
	return k
}

func (k *kit) report(path string) core.VerifyReport {
	k.t.Helper()
	return ok(k.Verify(ctx, core.Input{Path: path}, nil))
}

func (k *kit) exportTo(name string) string {
	k.t.Helper()
	r, _ := k.export(name, core.ExportOptions{})
	return r.Path
}

// card is the key file that this person hands out.
func (k *kit) card(name string) core.KeySource {
	k.t.Helper()
	path := filepath.Join(k.root, name)
	ok(k.ExportKey(ctx, path))
	return core.KeySource{Input: core.Input{Path: path}}
}

func fileSource(path string) core.KeySource { return core.KeySource{Input: core.Input{Path: path}} }

// Promise: a new key signs from then on, the old one stays one's own with its
// date, and both survive a lock.
func TestRotateSigningKey(t *testing.T) {
	k := person(t, 1)
	before, was := k.exportTo("before.pam.json"), k.state().DID
	k.later(time.Hour)
	made := ok(k.RotateSigningKey(ctx))
	if made.DID == was || !made.InUse || k.state().DID != made.DID {
		t.Fatalf("%+v", made)
	}
	after := k.exportTo("after.pam.json")
	look := func() {
		t.Helper()
		if r := k.report(before); r.Verdict != core.VerdictOwn || r.RetiredAt != memory.At(k.clock).String() || len(r.Warnings) != 0 {
			t.Errorf("signed before: %+v", r)
		}
		if r := k.report(after); r.Verdict != core.VerdictOwn || r.RetiredAt != "" {
			t.Errorf("signed after: %+v", r)
		}
		ring := ok(k.Keyring(ctx))
		if len(ring.Own) != 2 || ring.Own[0].DID != made.DID || ring.Own[1].Successor != made.DID || ring.Own[1].DID != was || len(ring.Known) != 0 {
			t.Errorf("%+v", ring)
		}
	}
	look()
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	look()
}

// Promise: what a key signed from its revocation on shows that, also when it is
// one's own; what it signed before does not.
func TestRevokeSigningKey(t *testing.T) {
	k := person(t, 1)
	early := k.exportTo("early.pam.json")
	k.later(48 * time.Hour)
	late, was := k.exportTo("late.pam.json"), k.state().DID
	k.later(time.Hour)
	_, err := k.RevokeSigningKey(ctx, "", memory.At(k.clock.Add(time.Hour)))
	wantFault(t, err, fault.Invalid, "revoked-ahead")
	made := ok(k.RevokeSigningKey(ctx, "", memory.At(k.clock.Add(-24*time.Hour))))
	if made.DID == was || k.state().DID != made.DID {
		t.Fatalf("%+v", made)
	}
	if r := k.report(early); r.Verdict != core.VerdictOwn || r.RevokedAt == "" {
		t.Errorf("%+v", r)
	}
	if r := k.report(late); r.Verdict != core.VerdictBroken || r.Problems[0].Check != "key-revoked" {
		t.Errorf("%+v", r)
	}
	_, err = k.RevokeSigningKey(ctx, was, memory.Time{})
	wantFault(t, err, fault.Conflict, "revoked-before")
	if again := ok(k.RevokeSigningKey(ctx, was, memory.At(dayOne))); again.DID != was || k.state().DID != made.DID {
		t.Errorf("%+v", again)
	}
	if r := k.report(early); r.Verdict != core.VerdictBroken {
		t.Errorf("revoked from the beginning: %+v", r)
	}
	_, err = k.RevokeSigningKey(ctx, person(t, 2).state().DID, memory.Time{})
	wantFault(t, err, fault.NotFound, "not-own-key")
}

// Promise: a key gets the name that the person types, from a text, a key file or
// a document, and keeps when and where it was seen first.
func TestTrustOnFirstUse(t *testing.T) {
	ana, me := person(t, 1), person(t, 2)
	theirs := ana.exportTo("ana.pam.json")
	if r := me.report(theirs); r.Verdict != core.VerdictUnknown || r.Name != "" {
		t.Fatalf("%+v", r)
	}
	read := ok(me.ReadKey(ctx, fileSource(theirs)))
	if read.DID != ana.state().DID || read.Own || read.Name != "" || read.Where != "ana.pam.json" {
		t.Errorf("%+v", read)
	}
	kept := ok(me.TrustKey(ctx, fileSource(theirs), "  Ana   Souza "))
	if kept.Name != "Ana Souza" || kept.Where != "ana.pam.json" || !kept.Since.Equal(me.clock) || kept.InUse {
		t.Errorf("%+v", kept)
	}
	if r := me.report(theirs); r.Verdict != core.VerdictKnown || r.Name != "Ana Souza" || r.KnownSince != memory.At(me.clock).String() {
		t.Errorf("%+v", r)
	}
	for _, from := range []core.KeySource{{Text: ana.state().DID}, ana.card("ana.key"), fileSource(theirs)} {
		if again := ok(me.TrustKey(ctx, from, "ana souza")); again.Name != "Ana Souza" {
			t.Errorf("%+v", again)
		}
		_, err := me.TrustKey(ctx, from, "Bea")
		wantFault(t, err, fault.Conflict, "key-known-as")
	}
	if renamed := ok(me.RenameKey(ctx, kept.DID, "Anna")); renamed.Name != "Anna" || me.report(theirs).Name != "Anna" {
		t.Errorf("%+v", renamed)
	}
	if err := me.RemoveKey(ctx, kept.DID); err != nil {
		t.Fatal(err)
	}
	if r := me.report(theirs); r.Verdict != core.VerdictUnknown {
		t.Errorf("%+v", r)
	}
	wantFault(t, me.RemoveKey(ctx, kept.DID), fault.NotFound, "no-such-key")
	_, err := me.RenameKey(ctx, kept.DID, "Anna")
	wantFault(t, err, fault.NotFound, "no-such-key")
}

// Promise: keys of every kind of §18.2 get a name, whatever form a file has them
// in, and are known again in another.
func TestTrustOnFirstUseOfEveryKind(t *testing.T) {
	ana, me := person(t, 1), person(t, 2)
	unsigned, _ := ana.export("plain.pam.json", core.ExportOptions{Unsigned: true})
	p256, p384 := ok(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), ok(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	shared := ok(rsa.GenerateKey(rand.Reader, 2048))
	for algorithm, c := range map[string]struct {
		kind string
		key  crypto.Signer
		hash crypto.Hash
	}{
		"ES256": {"P-256", p256, crypto.SHA256}, "ES384": {"P-384", p384, crypto.SHA384},
		"RS256": {"RSA", shared, crypto.SHA256},
	} {
		signed := me.file(algorithm+".pam.json", signedBy(t, ok(os.ReadFile(unsigned.Path)), algorithm, c.key, c.hash))
		if r := me.report(signed); r.Verdict != core.VerdictUnknown || !r.Valid || r.Fingerprint == "" || len(r.Words) != 6 {
			t.Fatalf("%s: %+v", algorithm, r)
		}
		kept := ok(me.TrustKey(ctx, fileSource(signed), "Holder of "+algorithm))
		if kept.Kind != c.kind || !strings.HasPrefix(kept.DID, "did:key:z") {
			t.Errorf("%+v", kept)
		}
		if r := me.report(signed); r.Verdict != core.VerdictKnown || r.Name != "Holder of "+algorithm {
			t.Errorf("%s: %+v", algorithm, r)
		}
		pemFile := fileSource(me.file(algorithm+".pem", pemOf(t, c.key)))
		for _, from := range []core.KeySource{{Text: kept.DID}, {Text: kept.PublicKey}, pemFile} {
			if read := ok(me.ReadKey(ctx, from)); read.Name != kept.Name || read.DID != kept.DID {
				t.Errorf("%s: %+v", algorithm, read)
			}
		}
		_, err := me.TrustKey(ctx, core.KeySource{Text: ana.state().DID}, kept.Name)
		wantFault(t, err, fault.Conflict, "name-has-key")
		if r := ok(me.Verify(ctx, core.Input{Path: signed}, []string{pemFile.Input.Path})); !r.Valid || r.Verdict != core.VerdictKnown {
			t.Errorf("%s as the key that is asked for: %+v", algorithm, r)
		}
	}
	if known := ok(me.Keyring(ctx)).Known; len(known) != 3 {
		t.Errorf("%+v", known)
	}
	for _, k := range ok(me.Keyring(ctx)).Known {
		if renamed := ok(me.RenameKey(ctx, k.DID, "New "+k.Name)); renamed.Name != "New "+k.Name {
			t.Errorf("%+v", renamed)
		}
		if err := me.RemoveKey(ctx, k.DID); err != nil {
			t.Error(err)
		}
	}
}

// signedBy puts the signature of another program into an unsigned document.
func signedBy(t *testing.T, text []byte, algorithm string, key crypto.Signer, hash crypto.Hash) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	doc["owner"] = map[string]any{"id": "owner of " + algorithm}
	payload := ok(jcs.Marshal(map[string]any{
		"checksum": doc["integrity"].(map[string]any)["checksum"], "owner_id": "owner of " + algorithm,
		"export_id": doc["export_id"], "export_date": doc["export_date"],
	}))
	h := hash.New()
	h.Write(payload)
	value := ok(key.Sign(rand.Reader, h.Sum(nil), hash))
	if k, isCurve := key.(*ecdsa.PrivateKey); isCurve { // r‖s instead of DER
		var rs struct{ R, S *big.Int }
		ok(asn1.Unmarshal(value, &rs))
		half := (k.Curve.Params().BitSize + 7) / 8
		value = append(rs.R.FillBytes(make([]byte, half)), rs.S.FillBytes(make([]byte, half))...)
	}
	doc["signature"] = map[string]any{"algorithm": algorithm, "public_key": string(pemOf(t, key)),
		"signed_at": doc["export_date"], "value": base64.RawURLEncoding.EncodeToString(value)}
	return ok(json.Marshal(doc))
}

func pemOf(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: ok(x509.MarshalPKIXPublicKey(key.Public()))})
}

// Promise: nothing but a key that is as it should be gets a name.
func TestWhatGetsNoName(t *testing.T) {
	ana, me := person(t, 1), person(t, 2)
	theirs := ana.exportTo("ana.pam.json")
	text := string(ok(os.ReadFile(theirs)))
	unsigned, _ := ana.export("plain.pam.json", core.ExportOptions{Unsigned: true})
	trust := func(from core.KeySource, name string) error {
		_, err := me.TrustKey(ctx, from, name)
		return err
	}
	wantFault(t, trust(core.KeySource{Text: me.state().DID}, "Me"), fault.Conflict, "key-is-own")
	wantFault(t, trust(fileSource(me.exportTo("mine.pam.json")), "Me"), fault.Conflict, "key-is-own")
	wantFault(t, trust(fileSource(unsigned.Path), "Ana"), fault.NotFound, "file-not-signed")
	wantFault(t, trust(fileSource(me.file("x.json", []byte(strings.Replace(text, "Porto", "Braga", 1)))), "Ana"), fault.Refused, "key-of-broken-file")
	wantFault(t, trust(fileSource(me.file("x.txt", []byte("hello"))), "Ana"), fault.Invalid, "no-key-in-file")
	wantFault(t, trust(core.KeySource{Text: "did:web:example.org"}, "Ana"), fault.Invalid, "key-form")
	wantFault(t, trust(core.KeySource{Text: "z6Mk" + strings.Repeat("1", 44)}, "Ana"), fault.Invalid, "key-form")
	for _, name := range []string{"", "  ", "A\u202ena", "A\x00", strings.Repeat("a", 81)} {
		wantFault(t, trust(fileSource(theirs), name), fault.Invalid, "holder-name")
	}
	if ring := ok(me.Keyring(ctx)); len(ring.Known) != 0 {
		t.Errorf("%+v", ring.Known)
	}
}

// Promise: a known name with a new key is a stop: by the name that is typed, and
// by the owner that a file names.
func TestKnownNameWithAnotherKey(t *testing.T) {
	ana, mallory, me := person(t, 1), person(t, 2), person(t, 3)
	theirs := ana.exportTo("ana.pam.json")
	ok(me.TrustKey(ctx, fileSource(theirs), "Ana"))
	_, err := me.TrustKey(ctx, core.KeySource{Text: mallory.state().DID}, "ANA")
	wantFault(t, err, fault.Conflict, "name-has-key")
	ok(me.TrustKey(ctx, core.KeySource{Text: mallory.state().DID}, "Mallory"))
	_, err = me.RenameKey(ctx, mallory.state().DID, "Ana")
	wantFault(t, err, fault.Conflict, "name-has-key")

	forged := func(k *kit, from, name string) string {
		unsigned, text := k.export(name, core.ExportOptions{Unsigned: true})
		plain := k.file(name, []byte(strings.Replace(string(text), readOwner(t, text), from, 1)))
		keyPath := filepath.Join(k.root, name+".key")
		ok(k.Keygen(ctx, keyPath, nil))
		ok(k.SignFile(ctx, core.Input{Path: plain}, keyPath, nil, unsigned.Path))
		return unsigned.Path
	}
	path := forged(mallory, ana.state().OwnerID, "forged.pam.json")
	r := me.report(path)
	if r.Verdict != core.VerdictUnknown || r.Valid || r.Claims != core.VerdictKnown || r.Name != "Ana" {
		t.Errorf("says it is Ana's: %+v", r)
	}
	_, err = me.TrustKey(ctx, fileSource(path), "Somebody")
	wantFault(t, err, fault.Conflict, "claims-known")
	if r := me.report(forged(mallory, me.state().OwnerID, "mine.pam.json")); r.Verdict != core.VerdictUnknown || r.Claims != core.VerdictOwn {
		t.Errorf("says it is mine: %+v", r)
	}
	_, err = me.TrustKey(ctx, fileSource(filepath.Join(mallory.root, "mine.pam.json")), "Somebody")
	wantFault(t, err, fault.Conflict, "claims-own")
}

func readOwner(t *testing.T, text []byte) string {
	t.Helper()
	_, rest, found := strings.Cut(string(text), `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	if !found {
		t.Fatal("no owner in the export")
	}
	return id
}

// Promise: a known person's new key is followed by the statement of the old one,
// and only when asked to.
func TestFollowRotation(t *testing.T) {
	ana, me := person(t, 1), person(t, 2)
	ok(me.TrustKey(ctx, fileSource(ana.exportTo("first.pam.json")), "Ana"))
	for range 2 {
		ana.later(time.Hour)
		ok(ana.RotateSigningKey(ctx))
	}
	third, card := ana.exportTo("third.pam.json"), ana.card("ana.key")
	if r := me.report(third); r.Verdict != core.VerdictUnknown || r.Claims != core.VerdictKnown {
		t.Fatalf("%+v", r)
	}
	_, err := me.TrustKey(ctx, card, "Ana")
	wantFault(t, err, fault.Conflict, "name-has-key")
	read := ok(me.ReadKey(ctx, card))
	if len(read.News) != 2 || !read.News[0].Fresh || read.News[0].Name != "Ana" || read.News[1].Next.DID != ana.state().DID {
		t.Fatalf("%+v", read)
	}
	if r := me.report(third); r.Verdict != core.VerdictUnknown {
		t.Errorf("looking changed something: %+v", r)
	}
	ok(me.FollowKey(ctx, card))
	if r := me.report(third); r.Verdict != core.VerdictKnown || r.Name != "Ana" || !r.Valid {
		t.Errorf("%+v", r)
	}
	if again := ok(me.ReadKey(ctx, card)); len(again.News) != 2 || again.News[0].Fresh || again.News[1].Fresh {
		t.Errorf("%+v", again)
	}
	if first := me.report(filepath.Join(ana.root, "first.pam.json")); first.Verdict != core.VerdictKnown || first.RetiredAt == "" {
		t.Errorf("%+v", first)
	}
	ok(me.RenameKey(ctx, ana.state().DID, "Anna"))
	for _, known := range ok(me.Keyring(ctx)).Known {
		if known.Name != "Anna" {
			t.Errorf("%+v", known)
		}
	}
	stranger := person(t, 4)
	if news := ok(stranger.FollowKey(ctx, card)); len(news) != 0 || len(ok(stranger.Keyring(ctx)).Known) != 0 {
		t.Errorf("statements of nobody one knows: %+v", news)
	}
}

// Promise: a revocation note of a known person counts, a key that was revoked
// hands over to nobody, and statements that contradict each other are a stop.
func TestFollowRevocation(t *testing.T) {
	ana, me := person(t, 1), person(t, 2)
	theirs := ana.exportTo("ana.pam.json")
	ok(me.TrustKey(ctx, fileSource(theirs), "Ana"))
	was := ana.card("before.key")
	ana.later(time.Hour)
	if err := ana.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	thief := thiefOf(t, ana)
	if err := ana.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	ok(ana.RevokeSigningKey(ctx, "", memory.At(dayOne.Add(-time.Minute))))
	note := ana.card("after.key")
	if news := ok(me.FollowKey(ctx, note)); len(news) != 1 || news[0].Kind != "revocation" || !news[0].Fresh {
		t.Fatalf("%+v", news)
	}
	if r := me.report(theirs); r.Verdict != core.VerdictBroken || r.Name != "Ana" || r.RevokedAt == "" {
		t.Errorf("%+v", r)
	}
	if news := ok(me.FollowKey(ctx, was)); len(news) != 0 {
		t.Errorf("%+v", news)
	}
	ok(thief.RotateSigningKey(ctx))
	before := me.state().Generation
	_, err := me.FollowKey(ctx, thief.card("stolen.key"))
	wantFault(t, err, fault.Refused, "successor-of-revoked")
	if me.state().Generation != before {
		t.Error("the new key was taken")
	}

	other := person(t, 5)
	ok(other.TrustKey(ctx, fileSource(theirs), "Ana"))
	ok(other.FollowKey(ctx, thief.card("stolen.key")))
	twin := thiefOf(t, ana)
	ok(twin.RotateSigningKey(ctx))
	broken := twin.card("twin.key")
	text := string(ok(os.ReadFile(broken.Input.Path)))
	generation := other.state().Generation
	_, err = other.FollowKey(ctx, fileSource(other.file("bent.key", []byte(strings.Replace(text, `"at": "2026`, `"at": "2025`, 1)))))
	wantFault(t, err, fault.Refused, "statement-broken")
	if other.state().Generation != generation {
		t.Error("the vault was written to")
	}
}

// thiefOf is somebody with a copy of a vault and its passphrase.
func thiefOf(t *testing.T, k *kit) *kit {
	t.Helper()
	thief := bare(t, "")
	thief.later(k.clock.Sub(thief.clock))
	if err := os.CopyFS(filepath.Join(thief.root, "vault"), os.DirFS(filepath.Join(k.root, "vault"))); err != nil {
		t.Fatal(err)
	}
	if err := thief.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	return thief
}
