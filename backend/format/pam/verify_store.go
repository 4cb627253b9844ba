package pam

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

func (v *verification) member(name string, raw jsontext.Value) error {
	if !slices.Contains(storeMembers, name) {
		raw = jsontext.Value("null")
	}
	v.root[name] = raw.Clone()
	return nil
}

func (v *verification) element(array string, i int, raw jsontext.Value) error {
	switch array {
	case "memories":
		v.memory(i, raw)
	case "relations":
		v.conforms(schema.Relation, pointer(array, i), raw)
	case "conversations_index":
		v.conforms(schema.IndexEntry, pointer(array, i), raw)
	}
	return nil // an array that is no member of a store is a finding about the root
}

// known takes what a glance is enough for.
func (v *verification) known(array string, i int, b []byte) int {
	switch array {
	case "memories":
		g, n := look(b)
		if n > 0 {
			v.knownMemory(i, g, b[:n])
		}
		return n
	case "relations":
		return lookRelation(b)
	case "conversations_index":
		return lookEntry(b)
	}
	return 0
}

// knownMemory checks a memory that stands in canonical form and usual shape, as
// everything we write does.
func (v *verification) knownMemory(i int, g glance, canonical []byte) {
	v.memories++
	v.buf = appendUnquoted(v.buf[:0], g.content)
	if !memory.IsContentHash(g.contentHash, v.buf) {
		v.checkHash(pointer("memories", i), unquoted(g.id), string(v.buf), string(g.contentHash))
	}
	v.buf = appendUnquoted(v.buf[:0], g.id)
	v.add(i, v.buf, canonical)
	if g.kept {
		v.kept++
	}
}

// add sums a memory. One with the id of the one before it is noted; where they do
// not stand in order, settleSum finds all of these.
func (v *verification) add(i int, id, canonical []byte) {
	if v.sum.n > 0 && len(id) > 0 && bytes.Equal(id, v.sum.last) && len(v.twins) < maxProblems {
		v.twins = append(v.twins, twin{string(id), i, v.last})
	}
	v.last = i
	v.sum.add(id, canonical)
}

// twin is a memory whose id another has too.
type twin struct {
	id        string
	at, other int // where they stand
}

// twinsOf finds them in what is sorted.
func twinsOf(all []held) (twins []twin) {
	for k, h := range all {
		if k > 0 && h.id != "" && h.id == all[k-1].id && len(twins) < maxProblems {
			twins = append(twins, twin{h.id, h.i, all[k-1].i})
		}
	}
	return twins
}

// checkIDs notes each of them. Which of two would count cannot be told, nor, as
// sorting them by their ids may put either first, what their sum is (§15.2).
func (v *verification) checkIDs() {
	for _, t := range v.twins {
		v.problems = noted(v.problems, ruleMemoryID.twin(t.other).found(pointer("memories", t.at)+"/id", t.id))
	}
}

// conforms notes what the schema says of a piece.
func (v *verification) conforms(kind schema.Kind, path string, raw []byte) {
	if isKnown(kind, raw) {
		return
	}
	for _, bad := range v.rules.Check(kind, raw) {
		v.problems = noted(v.problems, violated(path, bad))
	}
}

// memory checks one memory and adds it to the sum.
func (v *verification) memory(i int, raw jsontext.Value) {
	if g, n := look(raw); n > 0 && n == len(raw) {
		v.knownMemory(i, g, raw)
		return
	}
	v.memories++
	path := pointer("memories", i)
	v.conforms(schema.Memory, path, raw)
	var m struct {
		ID          string `json:"id"`
		Content     string `json:"content"`
		ContentHash string `json:"content_hash"`
		Access      struct {
			Exportable *bool `json:"exportable"`
		} `json:"access"`
	}
	if json.Unmarshal(raw, &m) == nil {
		v.checkHash(path, m.ID, m.Content, m.ContentHash)
		if m.Access.Exportable != nil && !*m.Access.Exportable {
			v.kept++
		}
	}
	canonical, err := jcs.Fast(raw)
	switch {
	case errors.Is(err, jcs.ErrBigInteger), errors.Is(err, jcs.ErrBigNumber):
		v.doubts(ruleNumber, path, "a larger one")
		v.sum.skipped = true
	case err != nil:
		v.breaks(ruleCanonical, path, "JSON without one")
		v.sum.skipped = true
	default:
		v.add(i, []byte(m.ID), canonical)
	}
}

// checkHash compares the content hash; text with characters newer than our
// tables cannot be checked.
func (v *verification) checkHash(path, id, content, hash string) {
	own := memory.ContentHash(content)
	switch {
	case hash == own:
	case hasUnassigned(content):
		v.doubts(ruleHashNewer.expects(own), path+"/content_hash", hash)
	default:
		v.breaks(ruleHash.expects(own), path+"/content_hash", hash)
		if len(v.changed) < maxChanged {
			v.changed = append(v.changed, Changed{Path: path, ID: id, Now: beginning(content, maxChangedWords), Hash: hash})
		}
	}
}

// beginning is at most so many bytes of a text.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// hasUnassigned reports characters that Unicode 15.0 does not assign and a later
// version may.
func hasUnassigned(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Cn, r) && !isNoncharacter(r) })
}

// isNoncharacter reports what no version ever assigns (Unicode §23.7).
func isNoncharacter(r rune) bool { return r&0xfffe == 0xfffe || 0xfdd0 <= r && r <= 0xfdef }

// settleSum finishes the checksum, in a second pass where the memories did not
// stand in order.
func (v *verification) settleSum(ctx context.Context, tree *intake.Tree, store intake.File) error {
	sum := v.sum
	if v.sum.unsorted && !v.sum.skipped {
		all, err := inOrder(ctx, tree, store, jcs.Fast)
		if errors.Is(err, errTooLargeToSort) {
			v.unsure(ruleSumsUnsorted, "/memories")
			return nil
		}
		if err != nil {
			return err
		}
		sum, v.twins = sumOfHeld(all), twinsOf(all)
	}
	if !v.sum.skipped {
		v.checksum = sum.finish()
	}
	return v.settleRule(ctx, tree, store)
}

// checkRoot checks the document without its long arrays. Of a version that is
// not known, what the schema of this one refuses may be what was added.
func (v *verification) checkRoot() {
	found := checkRoot(v.rules, schema.MemoryStore, v.root)
	for _, bad := range found {
		v.problems = noted(v.problems, violated("", bad))
	}
	switch major, minor := versionOf(v.text("schema_version")); {
	case major != "1":
		v.unsure(ruleMajorVersion, "/schema_version")
	case minor != "0":
		v.warn(ruleMinorVersion, "/schema_version")
	default:
		return
	}
	v.problems = slices.DeleteFunc(v.problems, func(f Finding) bool {
		if isOfSchema(f) {
			v.uncheckable = noted(v.uncheckable, f)
		}
		return isOfSchema(f)
	})
}

// isOfSchema reports what the schema says.
func isOfSchema(f Finding) bool { return f.Check == "schema" || f.Check == "language" }

func checkRoot(rules *schema.Set, kind schema.Kind, root map[string]jsontext.Value) []schema.Violation {
	raw, err := json.Marshal(root)
	if err != nil {
		return []schema.Violation{{Message: "cannot be read"}}
	}
	return rules.Check(kind, raw)
}

func (v *verification) checkIntegrity() {
	raw, ok := v.root["integrity"]
	if !ok {
		if _, signed := v.signature(); signed {
			v.problem(ruleSignedSums, "/integrity")
		}
		return
	}
	block, err := integrityOf(raw)
	if err != nil {
		v.problem(ruleSumsRead, "/integrity")
		return
	}
	if block.TotalMemories != v.memories {
		v.breaks(ruleTotal.expects(strconv.Itoa(v.memories)), "/integrity/total_memories", strconv.Itoa(block.TotalMemories))
	}
	if v.checksum == "" {
		return
	}
	_, signed := v.signature()
	switch {
	case v.sumRule == SumAsItStands:
	case v.sumRule == SumRewritten && !signed: // a signature is over the memories as they stand
		v.warnings = noted(v.warnings, ruleSummedOther.expects(v.checksum).found("/integrity/checksum", block.Checksum))
	default:
		v.breaks(ruleChecksum.expects(v.checksum), "/integrity/checksum", block.Checksum)
	}
}

func integrityOf(raw jsontext.Value) (integrity, error) {
	var read struct {
		Checksum      string `json:"checksum"`
		TotalMemories *int   `json:"total_memories"`
	}
	if err := json.Unmarshal(raw, &read, wholeNumbers); err != nil {
		return integrity{}, err
	}
	block := integrity{Checksum: read.Checksum, TotalMemories: -1}
	if read.TotalMemories != nil {
		block.TotalMemories = *read.TotalMemories
	}
	return block, nil
}

func (v *verification) text(name string) string { return textOf(v.root, name) }
