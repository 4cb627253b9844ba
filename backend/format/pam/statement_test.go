package pam_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

func another(t testing.TB, seed byte) *pam.Key {
	t.Helper()
	k, err := pam.FromSeed(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Promise: a statement holds only as the keys it names signed it.
func TestStatements(t *testing.T) {
	old, next, stranger := key(t), another(t, 9), another(t, 11)
	rotation, err := pam.Rotate(old, next, day)
	if err != nil {
		t.Fatal(err)
	}
	since := memory.At(day.Add(-time.Hour))
	revocation, err := pam.Revoke(old, day, since)
	if err != nil {
		t.Fatal(err)
	}
	told, err := rotation.Check()
	if err != nil || told.Key != old.Public() || told.Next != next.Public() || !told.At.Equal(day.Time) {
		t.Fatalf("%+v %v", told, err)
	}
	told, err = revocation.Check()
	if err != nil || told.Key != old.Public() || !told.Since.Equal(since.Time) {
		t.Fatalf("%+v %v", told, err)
	}
	stolen, err := pam.Rotate(stranger, next, day)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(r, v *pam.Statement){
		"other time":            func(r, v *pam.Statement) { r.At, v.At = since.String(), since.String() },
		"no time":               func(r, v *pam.Statement) { r.At, v.At = "", "" },
		"other since":           func(r, v *pam.Statement) { r.Since, v.Since = day.String(), day.String() },
		"other key":             func(r, v *pam.Statement) { r.DID, v.DID = stranger.DID(), stranger.DID() },
		"other successor":       func(r, v *pam.Statement) { r.Successor, v.Successor = stranger.DID(), stranger.DID() },
		"itself":                func(r, v *pam.Statement) { r.Successor, v.Successor = old.DID(), old.DID() },
		"the other kind":        func(r, v *pam.Statement) { r.Kind, v.Kind = v.Kind, r.Kind },
		"unknown kind":          func(r, v *pam.Statement) { r.Kind, v.Kind = "praise", "praise" },
		"no signature":          func(r, v *pam.Statement) { r.Signature, v.Signature = "", "" },
		"another's signature":   func(r, v *pam.Statement) { r.Signature, v.Signature = stolen.Signature, stolen.Signature },
		"one signature too few": func(r, v *pam.Statement) { r.SuccessorSignature, v.SuccessorSignature = "", r.Signature },
		"no key at all":         func(r, v *pam.Statement) { r.DID, v.DID = "did:web:example.org", "" },
	} {
		r, v := rotation, revocation
		change(&r, &v)
		for _, s := range []pam.Statement{r, v} {
			if _, err := s.Check(); reason(err) != "statement-broken" {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// Promise: what is handed out holds no secret, and is read again with all that
// was said.
func TestCard(t *testing.T) {
	old, next := key(t), another(t, 9)
	rotation, err := pam.Rotate(old, next, day)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := (pam.Card{Key: next.Public(), Statements: []pam.Statement{rotation}}).Write(&file); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(file.String(), "seed") {
		t.Error("a secret is in it")
	}
	read := func(text string) pam.Card {
		t.Helper()
		c, err := pam.ReadCard(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := read(file.String()); c.Key != next.Public() || len(c.Statements) != 1 || c.Statements[0] != rotation {
		t.Errorf("%+v", c)
	}
	alone, err := json.Marshal(rotation)
	if err != nil {
		t.Fatal(err)
	}
	if c := read(string(alone)); c.Key != next.Public() || c.Statements[0] != rotation {
		t.Errorf("%+v", c)
	}
	if c := read(" " + old.DID() + "\n"); c.Key != old.Public() || len(c.Statements) != 0 {
		t.Errorf("%+v", c)
	}
	if _, err := pam.ReadKey(&file, nil); reason(err) != "key-file-public" {
		t.Errorf("signing with it: %v", err)
	}
}

// Promise: what is known of a key stands in the report: whose it is, whether it
// is in use, and that what it signed after its revocation does not count.
func TestHolders(t *testing.T) {
	k, other := key(t), another(t, 9)
	text := store(t, 2, k) // signed at day
	known := func(h pam.Holder) pam.Report {
		return verify(t, text, pam.Trust{Known: []pam.Public{k.Public()}, Holders: map[pam.Public]pam.Holder{k.Public(): h}})
	}
	if r := known(pam.Holder{Name: "Ana", Since: day.Time}); r.Verdict != pam.Known || r.Name != "Ana" || r.KnownSince != day.String() {
		t.Errorf("%+v", r)
	}
	later, before := day.Add(time.Hour), day.Add(-time.Hour)
	if r := known(pam.Holder{Name: "Ana", Retired: later}); r.Verdict != pam.Known || r.RetiredAt == "" || has(r.Warnings, "key-retired") {
		t.Errorf("retired later: %+v", r)
	}
	if r := known(pam.Holder{Name: "Ana", Retired: before}); r.Verdict != pam.Known || !has(r.Warnings, "key-retired") {
		t.Errorf("retired before: %+v", r)
	}
	if r := known(pam.Holder{Name: "Ana", Revoked: later}); r.Verdict != pam.Known || !r.Valid || r.RevokedAt == "" {
		t.Errorf("revoked later: %+v", r)
	}
	for _, at := range []time.Time{before, day.Time} {
		if r := known(pam.Holder{Name: "Ana", Revoked: at}); r.Verdict != pam.Broken || r.Valid || !has(r.Problems, "key-revoked") || r.Name != "Ana" {
			t.Errorf("revoked at %v: %+v", at, r)
		}
	}
	claims := func(trust pam.Trust) pam.Report {
		trust.Holders = map[pam.Public]pam.Holder{other.Public(): {Name: "Ana", OwnerID: "owner-1", Since: day.Time, Revoked: before}}
		return verify(t, text, trust)
	}
	r := claims(pam.Trust{Known: []pam.Public{other.Public()}})
	if r.Verdict != pam.Unknown || r.Claims != pam.Known || r.Valid || r.Name != "Ana" || r.RevokedAt != "" || !has(r.Problems, "claimed-owner") {
		t.Errorf("says it is Ana's: %+v", r)
	}
	if r := claims(pam.Trust{Own: []pam.Public{other.Public()}}); r.Claims != pam.Own || !r.Valid || !has(r.Warnings, "claimed-owner") {
		t.Errorf("says it is one's own: %+v", r)
	}
	if r := claims(pam.Trust{Known: []pam.Public{other.Public()}, Required: []pam.Public{k.Public()}}); r.Claims != "" || !r.Valid {
		t.Errorf("a key that was asked for: %+v", r)
	}
}
