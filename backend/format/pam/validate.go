package pam

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// Validation is the result of Validate: the schemas' verdict and every deep
// check that no schema can hold.
type Validation struct {
	Valid     bool      `json:"valid"`
	Kind      string    `json:"kind"` // the schema the document names
	Errors    []Finding `json:"errors"`
	Warnings  []Finding `json:"warnings"`
	ChecksRun int       `json:"checks_run"`
	SumRule   SumRule   `json:"checksum_rule"` // which of two references the checksum fits; "" where none, or no checksum
}

// Validate checks any PAM document, alone or as a bundle with its companion
// files. Elements stream; what is held are ids, not contents.
func Validate(ctx context.Context, tree *intake.Tree, rules *schema.Set) (Validation, error) {
	v := &validator{rules: rules, tree: tree, seen: map[string]*conversationFacts{}, out: Validation{Errors: []Finding{}, Warnings: []Finding{}}}
	store, err := findStore(tree)
	if err != nil {
		v.fail(ruleDocument.found("", tree.Name()))
		return v.result(), nil
	}
	v.store = store
	kind, err := v.kindOf(ctx, store)
	if err != nil {
		return Validation{}, err
	}
	v.out.Kind = string(kind)
	switch kind {
	case schema.MemoryStore:
		err = v.memoryStore(ctx)
	case schema.Conversation:
		_, err = v.conversation(ctx, store, "")
	case schema.Embeddings:
		_, err = v.embeddings(ctx, store, "")
	default:
		v.fail(ruleSchemaName.found("/schema", string(kind)))
	}
	if err != nil {
		return Validation{}, err
	}
	return v.result(), nil
}

// validator gathers findings over a document and its companions.
type validator struct {
	rules *schema.Set
	tree  *intake.Tree
	store intake.File
	seen  map[string]*conversationFacts // of companion files, by their paths; nil of one that cannot be read
	out   Validation
	more  int // errors beyond maxProblems

	// Of the document that is looked at: where its errors begin, and how many of those
	// beyond maxProblems a newer minor version may have added.
	begun, moreAdded int
}

func (v *validator) result() Validation {
	v.out.Valid = len(v.out.Errors) == 0
	if v.more > 0 {
		v.out.Errors = append(v.out.Errors, ruleMore.found("", strconv.Itoa(v.more)))
	}
	return v.out
}

// check counts a check and notes an error where it does not hold. found is what
// stands there.
func (v *validator) check(ok bool, r rule, path, found string) {
	v.out.ChecksRun++
	if !ok {
		v.fail(r.found(path, found))
	}
}

func (v *validator) fail(f Finding) {
	if len(v.out.Errors) >= maxProblems {
		v.more++
		if f.added {
			v.moreAdded++
		}
		return
	}
	v.out.Errors = append(v.out.Errors, f)
}

// advise counts a check and notes a warning where it does not hold.
func (v *validator) advise(ok bool, r rule, path, found string) {
	v.out.ChecksRun++
	if !ok {
		v.remark(r.found(path, found))
	}
}

func (v *validator) remark(f Finding) { v.out.Warnings = noted(v.out.Warnings, f) }

// conforms checks a piece against the schema.
func (v *validator) conforms(kind schema.Kind, path string, raw []byte) bool {
	v.out.ChecksRun++
	v.rounded(path, raw)
	if isKnown(kind, raw) {
		return true
	}
	found := v.rules.Check(kind, raw)
	for _, bad := range found {
		v.fail(violated(path, bad))
	}
	return len(found) == 0
}

// rounded warns of a number that programs round differently. What a provider wrote
// stands in raw_metadata as it wrote it.
func (v *validator) rounded(path string, raw jsontext.Value) {
	if place := roundedIn(raw, "raw_metadata"); place != "" {
		v.remark(ruleNumber.found(path+place, "a larger one"))
	}
}

// kindOf reads as far as the member that names the schema.
func (v *validator) kindOf(ctx context.Context, f intake.File) (schema.Kind, error) {
	r, err := open(ctx, v.tree, f)
	if err != nil {
		return "", err
	}
	defer r.Close()
	kind := schema.MemoryStore // what lacks the member is judged as a store
	found := errors.New("found")
	err = walk(ctx, r, visitor{
		member: func(name string, raw jsontext.Value) error {
			if name != "schema" {
				return nil
			}
			var text string
			if json.Unmarshal(raw, &text) == nil {
				kind = schema.Kind(text)
			}
			return found
		},
		element: func(string, int, jsontext.Value) error { return nil },
	})
	if err != nil && !errors.Is(err, found) && !errors.Is(err, errNotJSON) {
		return "", err
	}
	return kind, nil
}

// walkDocument streams a document and reports what is not strict JSON. It
// returns the members of the root that are known, arrays emptied.
func (v *validator) walkDocument(ctx context.Context, f intake.File, prefix string, members []string, elements visitor) (map[string]jsontext.Value, bool, error) {
	r, err := open(ctx, v.tree, f)
	if err != nil {
		return nil, false, err
	}
	defer r.Close()
	v.begun, v.moreAdded = len(v.out.Errors), 0
	root := map[string]jsontext.Value{}
	elements.member = func(name string, raw jsontext.Value) error {
		if !slices.Contains(members, name) { // only its name counts, and the schema refuses that
			raw = jsontext.Value("null")
		}
		root[name] = raw.Clone()
		return nil
	}
	err = walk(ctx, r, elements)
	if err != nil && !errors.Is(err, errNotJSON) {
		return nil, false, err
	}
	v.check(err == nil, ruleJSON, at(prefix, PlaceOf(err)), reasonOf(err))
	return root, err == nil, nil
}

// conformsRoot checks the document without its streamed arrays.
func (v *validator) conformsRoot(kind schema.Kind, prefix string, root map[string]jsontext.Value) {
	v.out.ChecksRun++
	for _, bad := range checkRoot(v.rules, kind, root) {
		v.fail(violated(prefix, bad))
	}
	for _, name := range slices.Sorted(maps.Keys(root)) {
		if name != "raw_metadata" {
			v.rounded(prefix+"/"+escape(name), root[name])
		}
	}
	version := textOf(root, "schema_version")
	major, minor := versionOf(version)
	v.check(major == "1", ruleMajorVersion, prefix+"/schema_version", version)
	v.advise(major != "1" || minor == "0", ruleMinorVersion, prefix+"/schema_version", version)
	if major == "1" && minor != "0" {
		v.forgive()
	}
}

// forgive makes warnings of the errors that are none in a newer minor version, if
// that added what 1.0 does not have (§22.3).
func (v *validator) forgive() {
	own := v.out.Errors[v.begun:]
	for _, f := range own {
		if f.added {
			v.remark(f)
		}
	}
	v.out.Errors = v.out.Errors[:v.begun+len(slices.DeleteFunc(own, func(f Finding) bool { return f.added }))]
	v.more -= v.moreAdded
}

// ids holds which ids were seen, for references.
type ids map[string]bool

func (v *validator) unique(seen places, id string, r rule, path string, i int) {
	if id == "" {
		return
	}
	v.out.ChecksRun++
	if before, twice := seen[id]; twice {
		v.fail(r.twin(before).found(path, id))
	}
	seen[id] = i
}
