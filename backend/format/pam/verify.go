package pam

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Verdict says in one word who signed a file and whether it is as it was.
type Verdict string

const (
	Own         Verdict = "own"         // signed by you
	Known       Verdict = "known"       // signed by a key you trust
	Unknown     Verdict = "unknown"     // signed by a key not seen before
	Unsigned    Verdict = "unsigned"    // not signed; it agrees with its own sums
	Broken      Verdict = "broken"      // not what was signed or summed
	Uncheckable Verdict = "uncheckable" // beyond what this version can check
)

// Trust is whose keys mean what.
type Trust struct {
	Own      []Public
	Known    []Public
	Required []Public // not empty: the signer must be one of these
}

// Finding is one thing a check found. Path is a JSON pointer, or a file of the
// bundle and a pointer; Message never quotes content.
type Finding struct {
	Check   string `json:"check"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Report is the result of Verify.
type Report struct {
	Signed      bool      `json:"signed"`
	Valid       bool      `json:"valid"`
	Algorithm   string    `json:"algorithm"`
	PublicKey   string    `json:"public_key"`
	Fingerprint string    `json:"fingerprint"`
	Words       []string  `json:"words"`
	KeyID       string    `json:"key_id"`
	SignedAt    string    `json:"signed_at"`
	Verdict     Verdict   `json:"verdict"`
	Covers      []string  `json:"covers"`
	NotCovered  []string  `json:"not_covered"`
	Problems    []Finding `json:"problems"`
}

// covers and notCovered are what a PAM signature is over (§18.3).
func covers() []string { return []string{"memories", "export_id", "export_date", "owner.id"} }

func notCovered() []string {
	return []string{"relations", "conversations_index", "conversation files", "attachments", "other owner fields"}
}

// maxProblems bounds a report; what is beyond is only counted.
const maxProblems = 100

// Verify checks a file or bundle (§15.4, §18.4): strict JSON, schema, number of
// memories, every content hash, checksum, signature, key. It streams; memories
// that do not stand in order are read a second time and then held.
func Verify(ctx context.Context, tree *intake.Tree, rules *schema.Set, trust Trust) (Report, error) {
	store, err := findStore(tree)
	if err != nil {
		return brokenReport("document", "", "this is not a Portable AI Memory file or bundle"), nil
	}
	v := &verification{rules: rules, sum: newArraySum(), root: map[string]jsontext.Value{}}
	if err := v.read(ctx, tree, store); err != nil {
		return Report{}, err
	}
	if v.sum.unsorted && !v.failed {
		held, err := heldSum(ctx, tree, store)
		if err != nil {
			return Report{}, err
		}
		v.sum = held
	}
	return v.report(trust), nil
}

// Unreadable is the report on a file that is no document that can be looked
// into: encrypted, which cannot be checked, or anything else, which is broken.
func Unreadable(why Finding, encrypted bool) Report {
	r := brokenReport(why.Check, why.Path, why.Message)
	if encrypted {
		r.Verdict = Uncheckable
	}
	return r
}

func brokenReport(check, path, message string) Report {
	return Report{Verdict: Broken, Words: []string{}, Covers: []string{}, NotCovered: []string{},
		Problems: []Finding{{check, path, message}}}
}

// verification gathers what one pass over a document finds.
type verification struct {
	rules       *schema.Set
	root        map[string]jsontext.Value
	sum         *arraySum
	problems    []Finding
	uncheckable []Finding
	failed      bool // the document could not be read to its end
}

func (v *verification) problem(check, path, message string) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, Finding{check, path, message})
	}
}

func (v *verification) read(ctx context.Context, tree *intake.Tree, f intake.File) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	err = walk(ctx, r, visitor{member: v.member, element: v.element})
	if errors.Is(err, errNotJSON) {
		v.failed = true
		v.problem("json", "", "not one whole, strict JSON document: cut off, a name that stands twice, or text that is not UTF-8")
		return nil
	}
	return err
}

func (v *verification) member(name string, raw jsontext.Value) error {
	v.root[name] = raw.Clone()
	return nil
}

func (v *verification) element(array string, i int, raw jsontext.Value) error {
	if array != "memories" {
		return nil
	}
	path := pointer("memories", i)
	for _, bad := range v.rules.CheckMemory(raw) {
		v.problem("schema", path+bad.Pointer, bad.Message)
	}
	canonical, err := jcs.Transform(raw)
	if errors.Is(err, jcs.ErrBigInteger) {
		v.uncheckable = append(v.uncheckable, Finding{"checksum", path, "holds a whole number that programs round differently"})
		return nil
	}
	if err != nil {
		v.problem("json", path, "has no canonical form")
		return nil
	}
	id := v.checkHash(path, raw)
	v.sum.add(id, canonical)
	return nil
}

// checkHash compares the content hash; text with characters newer than our
// tables cannot be checked.
func (v *verification) checkHash(path string, raw jsontext.Value) (id string) {
	var m struct {
		ID          string `json:"id"`
		Content     string `json:"content"`
		ContentHash string `json:"content_hash"`
	}
	if json.Unmarshal(raw, &m) != nil || m.ContentHash == memory.ContentHash(m.Content) {
		return m.ID
	}
	if hasUnassigned(m.Content) {
		v.uncheckable = append(v.uncheckable, Finding{"content-hash", path + "/content_hash", "the content holds characters newer than this version knows"})
		return m.ID
	}
	v.problem("content-hash", path+"/content_hash", "is not the hash of the content")
	return m.ID
}

// hasUnassigned reports characters that Unicode 15.0 does not assign.
func hasUnassigned(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C)
	})
}

func (v *verification) report(trust Trust) Report {
	r := Report{Words: []string{}, Covers: []string{}, NotCovered: []string{}, Problems: []Finding{}}
	if !v.failed {
		v.checkRoot()
		v.checkIntegrity()
	}
	signature, signed := v.signature()
	if signed {
		r.describe(signature)
	}
	var key *Public
	if signed && !v.failed {
		key = v.checkSignature(signature)
	}
	r.Verdict = v.verdict(signed, key, trust)
	r.Problems = append(append(r.Problems, v.problems...), v.uncheckable...)
	r.Valid = r.Verdict != Broken && r.Verdict != Uncheckable
	if len(trust.Required) > 0 && (key == nil || !slices.Contains(trust.Required, *key)) {
		r.Valid = false
		r.Problems = append(r.Problems, Finding{"trust", "/signature", "not signed by a key that was asked for"})
	}
	return r
}

func (r *Report) describe(s Signature) {
	r.Signed, r.Algorithm, r.PublicKey, r.KeyID, r.SignedAt = true, s.Algorithm, s.PublicKey, s.KeyID, s.SignedAt
	r.Covers, r.NotCovered = covers(), notCovered()
	if p, err := ParsePublic(s.PublicKey); s.Algorithm == "Ed25519" && err == nil {
		r.Fingerprint, r.Words = p.Fingerprint(), p.Words()
	}
}

func (v *verification) verdict(signed bool, key *Public, trust Trust) Verdict {
	switch {
	case len(v.problems) > 0:
		return Broken
	case len(v.uncheckable) > 0:
		return Uncheckable
	case !signed:
		return Unsigned
	case key != nil && slices.Contains(trust.Own, *key):
		return Own
	case key != nil && (slices.Contains(trust.Known, *key) || slices.Contains(trust.Required, *key)):
		return Known
	}
	return Unknown
}

// checkRoot checks the document without its long arrays against the schema.
func (v *verification) checkRoot() {
	for _, bad := range checkRoot(v.rules, schema.MemoryStore, v.root) {
		v.problem("schema", bad.Pointer, bad.Message)
	}
}

func checkRoot(rules *schema.Set, kind schema.Kind, root map[string]jsontext.Value) []schema.Violation {
	value := make(map[string]any, len(root))
	for name, raw := range root {
		var member any
		if err := json.Unmarshal(raw, &member); err != nil {
			return []schema.Violation{{Pointer: "/" + escape(name), Message: "cannot be read"}}
		}
		value[name] = member
	}
	return rules.CheckValue(kind, value)
}

func (v *verification) checkIntegrity() {
	raw, ok := v.root["integrity"]
	var block struct {
		Checksum      string `json:"checksum"`
		TotalMemories *int   `json:"total_memories"`
	}
	if !ok {
		if _, signed := v.signature(); signed {
			v.problem("integrity", "/integrity", "is missing, and the signature is over it")
		}
		return
	}
	if err := json.Unmarshal(raw, &block); err != nil {
		v.problem("integrity", "/integrity", "cannot be read")
		return
	}
	if block.TotalMemories == nil || *block.TotalMemories != v.sum.n+len(onPath(v.uncheckable, "checksum")) {
		v.problem("integrity-total", "/integrity/total_memories", "is not the number of memories")
	}
	if len(onPath(v.uncheckable, "checksum")) == 0 && block.Checksum != v.sum.finish() {
		v.problem("integrity-checksum", "/integrity/checksum", "is not the checksum of the memories")
	}
}

func onPath(findings []Finding, check string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Check != check })
}

func (v *verification) signature() (Signature, bool) {
	raw, ok := v.root["signature"]
	if !ok || raw.Kind() == 'n' {
		return Signature{}, false
	}
	var s Signature
	if json.Unmarshal(raw, &s) != nil {
		return Signature{}, true
	}
	return s, true
}

func (v *verification) text(name string) string {
	var s string
	_ = json.Unmarshal(v.root[name], &s) // what is not a string is the schema's finding
	return s
}

// checkSignature returns the Ed25519 key of a signature that holds, nil for
// the other algorithms and for a signature that does not.
func (v *verification) checkSignature(s Signature) *Public {
	var block struct {
		Checksum string `json:"checksum"`
	}
	_ = json.Unmarshal(v.root["integrity"], &block) // absence was noted before
	var owner Owner
	_ = json.Unmarshal(v.root["owner"], &owner)
	v.checkDates(s)
	text, err := payload(block.Checksum, v.text("export_id"), v.text("export_date"), owner.ID)
	if err != nil {
		v.problem("signature", "/signature", "is over values that cannot be read")
		return nil
	}
	if err := checkSignature(s, text); err != nil {
		v.problem("signature", "/signature/value", err.Error())
		return nil
	}
	if s.Algorithm != "Ed25519" {
		return nil
	}
	key, err := ParsePublic(s.PublicKey)
	if err != nil {
		return nil
	}
	if strings.HasPrefix(owner.DID, "did:key:z6Mk") && owner.DID != key.DID() {
		v.problem("signature-owner", "/owner/did", "names another key than the one that signed")
	}
	return &key
}

// checkDates holds signed_at at or after export_date, as instants (§18.5).
func (v *verification) checkDates(s Signature) {
	signed, errSigned := time.Parse(time.RFC3339Nano, s.SignedAt)
	exported, errExported := time.Parse(time.RFC3339Nano, v.text("export_date"))
	if errSigned != nil || errExported != nil || signed.Before(exported) {
		v.problem("signature-time", "/signature/signed_at", "is not a time at or after export_date")
	}
}
