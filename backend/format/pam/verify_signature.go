package pam

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// signature is the block of the document; signed is false where there is none.
func (v *verification) signature() (s Signature, signed bool) {
	raw, ok := v.root["signature"]
	if !ok || raw.Kind() == 'n' {
		return Signature{}, false
	}
	if json.Unmarshal(raw, &s) != nil {
		return Signature{}, true
	}
	return s, true
}

// documentOwner is who a document says it is from.
type documentOwner struct{ ID, DID string }

// owner is what the signature and its key are compared with.
func (v *verification) owner() (o documentOwner) {
	var read struct {
		ID  string `json:"id"`
		DID string `json:"did"`
	}
	if json.Unmarshal(v.root["owner"], &read) == nil { // otherwise the schema's finding
		o.ID, o.DID = read.ID, read.DID
	}
	return o
}

// checkSignature returns the key of a signature that holds, nil where it does
// not.
func (v *verification) checkSignature(s Signature) *Public {
	block, _ := integrityOf(v.root["integrity"]) // what cannot be read was noted before
	owner := v.owner()
	v.checkDates(s)
	text, err := payload(block.Checksum, v.text("export_id"), v.text("export_date"), owner.ID)
	if err != nil {
		v.problem(ruleSignedValues, "/signature")
		return nil
	}
	key, broken, ok := checkSignature(s, text)
	if !ok {
		v.problem(broken, "/signature/value")
		return nil
	}
	if isShortRSA(s.Algorithm, key) {
		v.warn(ruleKeySize, "/signature/public_key")
	}
	v.checkOwner(key, s.KeyID, owner.DID)
	return &key
}

// checkOwner compares the key that signed with the one that the owner is known
// by (§17.2). Only did:key can be computed; nothing is fetched.
func (v *verification) checkOwner(key Public, keyID, did string) {
	switch {
	case did == "" || did == key.DID():
	case strings.HasPrefix(did, didKey+ed25519Multibase), strings.HasPrefix(did, didKey) && multibaseKey(did) != nil:
		v.problem(ruleOwnerKey, "/owner/did")
	default:
		v.warn(ruleOwnerUnchecked, "/owner/did")
	}
	if strings.Contains(strings.ToLower(keyID), didKey) && keyID != key.KeyID() {
		v.warn(ruleKeyID, "/signature/key_id")
	}
}

// checkDates holds signed_at at or after export_date, as instants (§18.5).
func (v *verification) checkDates(s Signature) {
	signed, okSigned := parseInstant(s.SignedAt)
	exported, okExported := parseInstant(v.text("export_date"))
	if !okSigned || !okExported || signed.Before(exported) {
		v.problem(ruleSignedBefore, "/signature/signed_at")
	}
}

// clockSlack is by how much two clocks may differ before it is worth a word.
const clockSlack = 24 * time.Hour

func (v *verification) checkFuture(s Signature, now time.Time) {
	signed, ok := parseInstant(s.SignedAt)
	if ok && !now.IsZero() && signed.After(now.Add(clockSlack)) {
		v.warn(ruleSignedAhead, "/signature/signed_at")
	}
}

// checkHolder compares the signature with what is known of its key. What decides is
// export_date, which the signature is over (§18.3); anybody can change signed_at. Who
// stole the key can write an earlier date into both.
func (v *verification) checkHolder(key *Public, trust Trust) {
	if key == nil {
		return
	}
	made, ok := parseInstant(v.text("export_date"))
	h := trust.Holders[*key]
	switch {
	case !h.Revoked.IsZero() && (!ok || !made.Before(h.Revoked)):
		v.problem(ruleRevoked, "/export_date")
	case !h.Retired.IsZero() && (!ok || made.After(h.Retired)):
		v.warn(ruleRetired, "/export_date")
	}
}
