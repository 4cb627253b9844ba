package pam

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// Verdict says in one word who signed a file and whether it is as it was.
type Verdict string

const (
	Own         Verdict = "own"         // signed by you
	Known       Verdict = "known"       // signed by somebody whose key you gave a name
	Unknown     Verdict = "unknown"     // signed by a key not seen before
	Unsigned    Verdict = "unsigned"    // not signed; it agrees with its own sums
	Invalid     Verdict = "invalid"     // as it was signed or summed, but the schema refuses it
	Broken      Verdict = "broken"      // not what was signed or summed
	Uncheckable Verdict = "uncheckable" // beyond what this version can check
)

// Trust is whose keys mean what.
type Trust struct {
	Own      []Public
	Known    []Public
	Required []Public          // not empty: the signer must be one of these
	Holders  map[Public]Holder // more about keys of Own and Known, where there is more
	Now      time.Time         // zero: a signature from the future is not noticed
}

// Holder is who a key belongs to. Times are zero where there is nothing to say.
type Holder struct {
	Name    string    // as the person typed it; "" for their own keys
	OwnerID string    // owner.id of this holder's files
	Since   time.Time // when the key was made or first seen
	Retired time.Time // another key took its place
	Revoked time.Time // what it signed from then on does not count
}

// Report is the result of Verify. Problems are why it is broken or cannot be
// checked; Warnings leave the verdict as it is.
type Report struct {
	Document    bool      `json:"document"` // a PAM document, whole or not; false where nobody ever meant it as one
	Memories    int       `json:"memories"` // read of it
	Signed      bool      `json:"signed"`
	Valid       bool      `json:"valid"`
	Algorithm   string    `json:"algorithm"`
	PublicKey   string    `json:"public_key"`
	Fingerprint string    `json:"fingerprint"`
	Words       []string  `json:"words"`
	DID         string    `json:"did"`           // did:key of PublicKey, computed
	KeyID       string    `json:"key_id"`        // as the file says it
	SignedAt    string    `json:"signed_at"`     // likewise, and under no signature of a single file
	SumRule     SumRule   `json:"checksum_rule"` // which of two references the checksum fits, "" where none
	Verdict     Verdict   `json:"verdict"`
	Covers      []string  `json:"covers"`
	NotCovered  []string  `json:"not_covered"`
	Whole       bool      `json:"whole"`                 // a bundle, and a digest covers every file of it
	OwnerID     string    `json:"owner_id,omitempty"`    // as the document has it
	Name        string    `json:"name,omitempty"`        // of the holder of a known key, or of whom Claims speaks
	KnownSince  string    `json:"known_since,omitempty"` // RFC 3339; as for Name
	RetiredAt   string    `json:"retired_at,omitempty"`
	RevokedAt   string    `json:"revoked_at,omitempty"`
	Claims      Verdict   `json:"claims,omitempty"` // own or known: says it is from them, and is not signed by a key of theirs
	Problems    []Finding `json:"problems"`
	Warnings    []Finding `json:"warnings"`
	Changed     []Changed `json:"changed,omitempty"` // memories whose words are not those that their hash was made of; the first few

	Head Head `json:"-"` // of the store, where there is one
}

// Changed is a memory whose words were changed after their hash was made. It holds
// the words, which a Finding never does.
type Changed struct {
	Path   string `json:"path"` // of the memory
	ID     string `json:"id"`
	Now    string `json:"now"`              // the words in the file, of long ones the beginning
	Before string `json:"before,omitempty"` // the words that the hash is of, where somebody has them
	Hash   string `json:"hash"`             // as the file has it
}

// Of changed memories, how many are told and how many bytes of each.
const (
	maxChanged      = 20
	maxChangedWords = 4 << 10
)

// signedParts are what a PAM signature is over (§18.3), and unsignedParts what it
// is not over, but the digest of a bundle.
func signedParts() []string { return []string{"memories", "export_id", "export_date", "owner.id"} }

func unsignedParts() []string {
	return []string{
		"relations", "conversations_index", "type_registry", "other owner fields",
		"conversation files", "attachments", "embeddings",
	}
}

// maxProblems bounds each list of a report.
const maxProblems = 100

// Verify checks a file or bundle (§15.4, §18.4): strict JSON, schema, ids, number
// of memories, every content hash, checksum, signature, key. It streams; memories
// that do not stand in order are read a second time and then held.
func Verify(ctx context.Context, tree *intake.Tree, rules *schema.Set, trust Trust) (Report, error) {
	store, err := findStore(tree)
	if err != nil {
		return brokenReport(ruleDocument.at("")), nil
	}
	v, err := verifyStore(ctx, tree, store, rules)
	if err != nil {
		return Report{}, err
	}
	return v.report(trust), nil
}

// Unreadable is the report on a file that is no document that can be looked
// into: encrypted, which cannot be checked, or anything else, which is broken.
func Unreadable(why Finding, encrypted bool) Report {
	r := brokenReport(why)
	if encrypted {
		r.Verdict, r.Document = Uncheckable, true
	}
	return r
}

func brokenReport(why Finding) Report {
	r := emptyReport()
	r.Verdict, r.Problems = Broken, []Finding{why}
	return r
}

func emptyReport() Report {
	return Report{Words: []string{}, Covers: []string{}, NotCovered: []string{}, Problems: []Finding{}, Warnings: []Finding{}}
}

// verifyStore makes the one or two passes over a document that a verdict needs, and
// compares its bundle with the digest, where it has one.
func verifyStore(ctx context.Context, tree *intake.Tree, store intake.File, rules *schema.Set) (*verification, error) {
	v := newVerification(rules)
	if err := v.read(ctx, tree, store); err != nil {
		return nil, err
	}
	v.bundle = len(tree.Files()) > 1
	if v.failed {
		return v, nil
	}
	if err := v.settleSum(ctx, tree, store); err != nil {
		return nil, err
	}
	return v, v.checkDigest(ctx, tree, store)
}

// verification gathers what one pass over a document finds.
type verification struct {
	rules       *schema.Set
	root        map[string]jsontext.Value // members as they stand, long arrays emptied
	memories    int
	kept        int    // of them that may not leave (§9)
	last        int    // where the one before stands
	twins       []twin // the first hundred
	sum         *arraySum
	checksum    string  // what integrity.checksum should be; "" where it cannot be told
	sumRule     SumRule // the one that integrity.checksum fits, "" where it fits none
	problems    []Finding
	uncheckable []Finding
	warnings    []Finding
	changed     []Changed
	failed      bool    // the document could not be read to its end
	file        fileSum // of the document where it lies in a bundle
	whole       bool    // a digest covers the bundle, and fits
	bundle      bool    // other files lie beside the store
	digest      bool    // one of them is a digest
	buf         []byte
}

func newVerification(rules *schema.Set) *verification {
	return &verification{rules: rules, sum: newArraySum(), root: map[string]jsontext.Value{}}
}

func (v *verification) problem(r rule, path string) { v.problems = noted(v.problems, r.at(path)) }

func (v *verification) unsure(r rule, path string) {
	v.uncheckable = noted(v.uncheckable, r.at(path))
}

func (v *verification) warn(r rule, path string) { v.warnings = noted(v.warnings, r.at(path)) }

func noted(all []Finding, f Finding) []Finding {
	if len(all) == maxProblems {
		return all
	}
	return append(all, f)
}

// breaks notes a rule that does not hold. found is what stands there.
func (v *verification) breaks(r rule, path, found string) {
	v.problems = noted(v.problems, r.found(path, found))
}

// doubts notes a rule of which it cannot be told whether it holds.
func (v *verification) doubts(r rule, path, found string) {
	v.uncheckable = noted(v.uncheckable, r.found(path, found))
}

func (v *verification) read(ctx context.Context, tree *intake.Tree, f intake.File) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	text, sum := io.Reader(r), newSummer()
	if len(tree.Files()) > 1 { // a digest may ask for the sum of the file as it lies there
		text = io.TeeReader(r, sum)
	}
	err = walk(ctx, text, visitor{member: v.member, element: v.element, known: v.known})
	v.file = sum.of(path.Base(f.Path))
	if errors.Is(err, errNotJSON) {
		v.failed = true
		v.breaks(ruleJSON, PlaceOf(err), reasonOf(err))
		return nil
	}
	return err
}

func (v *verification) report(trust Trust) Report {
	r := emptyReport()
	r.Document, r.Memories, r.SumRule = v.isDocument(), v.memories, v.sumRule
	r.Head = v.head()
	if !v.failed {
		v.checkRoot()
		v.checkIDs()
		v.checkIntegrity()
		if _, ok := v.root["integrity"]; !ok {
			v.warn(ruleSums, "/integrity")
		}
	}
	signature, signed := v.signature()
	if signed {
		r.describe(signature)
	}
	var key *Public
	if signed && !v.failed {
		key = v.checkSignature(signature)
		v.checkFuture(signature, trust.Now)
		v.checkHolder(key, trust)
	}
	r.Verdict = v.verdict(signed, key, trust)
	r.OwnerID = v.owner().ID
	r.tell(v.whole, key, trust)
	r.claim(v.owner(), key, trust)
	if signed && v.bundle && !v.digest && (r.Verdict == Own || strings.HasPrefix(v.text("exported_by"), digestMaker)) {
		v.warn(ruleDigestMissing, DigestName)
	}
	r.Problems = append(append(r.Problems, v.problems...), v.uncheckable...)
	r.Warnings = append(r.Warnings, v.warnings...)
	r.Changed = v.changed
	r.Valid = r.Verdict != Broken && r.Verdict != Invalid && r.Verdict != Uncheckable && r.Claims != Known
	r.stopClaims()
	if len(trust.Required) > 0 && (key == nil || !slices.Contains(trust.Required, *key)) {
		r.Valid = false
		r.Problems = append(r.Problems, ruleNotTrusted.at("/signature"))
	}
	return r
}

// isDocument reports that the text says of itself that it is a document of the
// specification, or is signed like one.
func (v *verification) isDocument() bool {
	_, signed := v.signature()
	return signed || strings.HasPrefix(v.text("schema"), "portable-ai-memory")
}

func (r *Report) describe(s Signature) {
	r.Signed, r.Algorithm, r.PublicKey, r.KeyID, r.SignedAt = true, s.Algorithm, s.PublicKey, s.KeyID, s.SignedAt
	r.Covers, r.NotCovered = signedParts(), unsignedParts()
	if p, err := ParsePublic(s.PublicKey); err == nil {
		r.DID, r.Fingerprint, r.Words = p.DID(), p.Fingerprint(), p.Words()
	}
}

// tell says what is known of the signer, and how much the signatures cover.
func (r *Report) tell(whole bool, key *Public, trust Trust) {
	if r.Whole = whole && r.Verdict != Broken; r.Whole {
		r.Covers, r.NotCovered = append(r.Covers, r.NotCovered...), []string{}
	}
	if key == nil {
		return
	}
	if h, ok := trust.Holders[*key]; ok && r.Verdict != Unknown {
		r.Name, r.KnownSince = h.Name, instant(h.Since)
		r.RetiredAt, r.RevokedAt = instant(h.Retired), instant(h.Revoked)
	}
}

// claim notes who a document says it is from, where that is the owner of the vault or
// somebody whose key is known, and no key of theirs signed it. To leave a signature
// away is no smaller thing than to sign with another key. What the owner of the vault
// signed, or a key that was asked for, may be from anybody.
func (r *Report) claim(owner documentOwner, key *Public, trust Trust) {
	if key != nil && (slices.Contains(trust.Own, *key) || slices.Contains(trust.Required, *key)) {
		return
	}
	h, claims := trust.claimed(owner, key)
	if claims != "" {
		r.Claims, r.Name, r.KnownSince, r.RetiredAt, r.RevokedAt = claims, h.Name, instant(h.Since), "", ""
	}
}

// ClaimUnsigned is for documents of a format that knows no signature: each of owners is
// what one of them says of whom it is from.
func (r *Report) ClaimUnsigned(owners []string, trust Trust) {
	for _, id := range owners {
		if r.claim(documentOwner{ID: id}, nil, trust); r.Claims == Known {
			r.Valid = false
			break
		}
	}
	r.stopClaims()
}

// stopClaims notes a document that says it is from somebody else. One's own may
// be signed with a key file; that of somebody known is not valid.
func (r *Report) stopClaims() {
	finding := ruleClaimed.at("/owner/id")
	if !r.Signed {
		finding = ruleClaimedUnsigned.at("/owner/id")
	}
	switch r.Claims {
	case Known:
		r.Problems = append(r.Problems, finding)
	case Own:
		r.Warnings = append(r.Warnings, finding)
	}
}

// claimed finds who a document says it is from by owner.id or owner.did, as names are
// compared, where key is none of theirs. Each of the two is a claim of its own: the did
// of who signed is no leave to use the id of another.
func (t Trust) claimed(owner documentOwner, key *Public) (h Holder, claims Verdict) {
	for _, name := range []string{owner.ID, owner.DID} {
		if of, is := t.named(name, key); claims == "" || is == Known {
			h, claims = of, is
		}
		if claims == Known {
			break
		}
	}
	return h, claims
}

// named finds whose name this is, "" where it is nobody's that is known or that of the
// holder of key.
func (t Trust) named(name string, key *Public) (h Holder, is Verdict) {
	for _, side := range []struct {
		keys    []Public
		verdict Verdict
	}{{t.Own, Own}, {t.Known, Known}} {
		for _, theirs := range side.keys {
			if !theirs.isNamed(name) && !t.Holders[theirs].isNamed(name) {
				continue
			}
			if key != nil && t.sameHolder(theirs, *key) {
				return Holder{}, ""
			}
			if is == "" {
				h, is = t.Holders[theirs], side.verdict
			}
		}
	}
	return h, is
}

// sameHolder reports that two keys are of one holder. Two known keys have one name only
// where the one took the place of the other.
func (t Trust) sameHolder(a, b Public) bool {
	known := slices.Contains(t.Known, a) && slices.Contains(t.Known, b)
	return a == b || known && memory.FoldName(t.Holders[a].Name) == memory.FoldName(t.Holders[b].Name)
}

// isNamed reports that a text is the id of the holder, as names are compared.
func (h Holder) isNamed(text string) bool {
	return text != "" && h.OwnerID != "" && memory.FoldName(text) == memory.FoldName(h.OwnerID)
}

// isNamed reports that a text names the key, in any form that a key is read in. A DID
// URL names what stands before its path, query or fragment.
func (p Public) isNamed(text string) bool {
	if text = strings.TrimSpace(text); text == "" {
		return false
	}
	if strings.HasPrefix(text, didKey) {
		text = text[:len(didKey)+strings.IndexAny(text[len(didKey):]+"#", "/?#")]
	}
	named, err := ParsePublic(text)
	return err == nil && named == p || memory.FoldName(text) == memory.FoldName(p.DID())
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return memory.At(t).String()
}

func (v *verification) verdict(signed bool, key *Public, trust Trust) Verdict {
	switch {
	case len(v.problems) > 0 && v.isDocument() && !slices.ContainsFunc(v.problems, func(f Finding) bool { return !isOfSchema(f) }):
		return Invalid
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

// Head is what the verified document says of itself.
func (v *verification) head() Head {
	return Head{
		SchemaVersion: v.text("schema_version"), ExportID: v.text("export_id"), ExportDate: v.text("export_date"),
		ExportType: v.text("export_type"), BaseExportID: v.text("base_export_id"), Since: v.text("since"), OwnerID: v.owner().ID,
	}
}
