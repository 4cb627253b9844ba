package pam_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"keepsake/backend/format/pam"
)

// Promise (M3): a document that names somebody whose key is known is theirs only if
// that key signed it. No signature, a signature that is none, and another key are the
// same stop; and so is a name that only looks the same.
func TestClaimsWithoutASignature(t *testing.T) {
	alice, mallory, me := another(t, 9), another(t, 10), another(t, 11)
	trust := pam.Trust{Own: []pam.Public{me.Public()}, Known: []pam.Public{alice.Public()}, Holders: map[pam.Public]pam.Holder{
		alice.Public(): {Name: "Alice", OwnerID: "owner-1", Since: day.Time}, me.Public(): {OwnerID: "my-id"},
	}}
	write := func(signer *pam.Key, change func(map[string]any)) pam.Report {
		t.Helper()
		var d map[string]any
		if err := json.Unmarshal(store(t, 2, signer), &d); err != nil {
			t.Fatal(err)
		}
		change(d)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return verify(t, text, trust)
	}
	owner := func(id, did string) func(map[string]any) {
		return func(d map[string]any) {
			o := map[string]any{"id": id}
			if did != "" {
				o["did"] = did
			}
			d["owner"] = o
			delete(d, "signature")
		}
	}
	tried := 0
	for _, id := range []string{"owner-1", "OWNER-1", " owner-1", "owner-1 ", "owner -1", "оwner-1", "owner\u200b-1", "ｏwner-1", "ownér-1", "owner\u20101", "owner−1", "owner1", "owner-1.", "\u3164owner-1"} {
		tried++
		if r := write(mallory, owner(id, "")); r.Claims != pam.Known || r.Valid || r.Name != "Alice" || !has(r.Problems, "claimed-owner") {
			t.Errorf("%q: %+v", id, r)
		}
	}
	for _, did := range []string{
		alice.DID(), " " + alice.DID(), alice.DID() + "\n", alice.Public().KeyID(), alice.DID() + "?a=b", alice.DID() + "/path", strings.ToUpper(alice.DID()), alice.Public().Multibase(), "OWNER-1",
	} {
		tried += 2
		for _, change := range []func(map[string]any){owner("somebody", did), owner(did, "")} {
			if r := write(mallory, change); r.Claims != pam.Known || r.Valid {
				t.Errorf("%q: %+v", did, r)
			}
		}
	}
	for name, none := range map[string]any{"null": nil, "empty": map[string]any{}, "no value": map[string]any{"algorithm": "Ed25519", "value": ""}} {
		tried++
		r := write(mallory, func(d map[string]any) { d["owner"], d["signature"] = map[string]any{"id": "owner-1"}, none })
		if r.Claims != pam.Known || r.Valid {
			t.Errorf("a signature that is %s: %+v", name, r)
		}
	}
	if r := write(alice, func(map[string]any) {}); r.Claims != "" || !r.Valid || r.Verdict != pam.Known {
		t.Errorf("signed by Alice: %+v", r)
	}
	if r := write(mallory, owner("owner-2", "")); r.Claims != "" || !r.Valid {
		t.Errorf("of somebody else: %+v", r)
	}
	if r := write(mallory, owner("my-id", "")); r.Claims != pam.Own || !r.Valid || r.Verdict != pam.Unsigned || !has(r.Warnings, "claimed-owner") {
		t.Errorf("says it is mine: %+v", r)
	}
	t.Logf("%d documents that name somebody, 0 taken for theirs", tried)
}

// Promise (L3): signed_at is under no signature and decides nothing; export_date does.
func TestOnlyWhatIsSignedDecidesAboutKeys(t *testing.T) {
	k := another(t, 9)
	for name, h := range map[string]pam.Holder{"revoked": {Name: "Ana", Revoked: day.Time}, "retired": {Name: "Ana", Retired: day.Add(-time.Hour)}} {
		trust := pam.Trust{Known: []pam.Public{k.Public()}, Holders: map[pam.Public]pam.Holder{k.Public(): h}}
		for _, at := range []string{"2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z", day.String()} {
			var d map[string]any
			if err := json.Unmarshal(store(t, 2, k), &d); err != nil {
				t.Fatal(err)
			}
			d["signature"].(map[string]any)["signed_at"] = at
			text, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			r := verify(t, text, trust)
			if name == "revoked" && !has(r.Problems, "key-revoked") || name == "retired" && !has(r.Warnings, "key-retired") {
				t.Errorf("%s, signed at %s: %+v", name, at, r)
			}
		}
	}
}

// Promise (L1): the key that is told is the one that signed, whatever the file calls it.
func TestTheKeyIsComputed(t *testing.T) {
	k, alice := another(t, 9), another(t, 10)
	var d map[string]any
	if err := json.Unmarshal(store(t, 2, k), &d); err != nil {
		t.Fatal(err)
	}
	d["signature"].(map[string]any)["key_id"] = alice.Public().KeyID()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, text, pam.Trust{}); r.DID != k.DID() || r.Fingerprint != k.Public().Fingerprint() || !has(r.Warnings, "key-id") {
		t.Errorf("%+v", r)
	}
}

// Promise: a holder may have more than one key, which have one name; what either of
// them signed is theirs.
func TestEachKeyOfAHolderIsTheirs(t *testing.T) {
	old, next, bob := another(t, 9), another(t, 10), another(t, 11)
	trust := pam.Trust{Known: []pam.Public{old.Public(), next.Public(), bob.Public()}, Holders: map[pam.Public]pam.Holder{
		old.Public(): {Name: "Alice", OwnerID: "owner-1"}, next.Public(): {Name: "Alice"}, bob.Public(): {Name: "Bob"},
	}}
	for _, k := range []*pam.Key{old, next} {
		if r := verify(t, store(t, 2, k), trust); r.Verdict != pam.Known || r.Claims != "" || !r.Valid || r.Name != "Alice" {
			t.Errorf("%+v", r)
		}
	}
	if r := verify(t, store(t, 2, bob), trust); r.Claims != pam.Known || r.Valid || r.Name != "Alice" {
		t.Errorf("signed by Bob: %+v", r)
	}
}
