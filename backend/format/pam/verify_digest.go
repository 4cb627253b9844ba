package pam

import (
	"context"
	"path"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
)

// checkDigest compares the bundle with its digest, where it has one.
func (v *verification) checkDigest(ctx context.Context, tree *intake.Tree, store intake.File) error {
	if _, signed := v.signature(); signed {
		v.noteOutside(tree, store)
	}
	file, ok := sibling(tree, store, DigestName)
	if !ok {
		return nil
	}
	v.digest = true
	text, err := tree.ReadAll(ctx, file, maxDigest)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		return err
	}
	d, ok := parseDigest(text)
	if err != nil || !ok {
		v.problem(ruleDigestRead, DigestName)
		return nil
	}
	if !v.checkDigestSigner(d) {
		return nil
	}
	before := len(v.problems)
	if err := v.compareFiles(ctx, tree, store, d); err != nil {
		return err
	}
	v.whole = len(v.problems) == before
	return nil
}

// checkDigestSigner holds that the digest is signed, by the key of the store.
func (v *verification) checkDigestSigner(d bundleDigest) bool {
	s := Signature(d.Signature)
	d.Signature.Value = ""
	holds := false
	payload, err := jcs.Marshal(d)
	if err == nil {
		_, _, holds = checkSignature(s, payload)
	}
	of, signed := v.signature()
	switch {
	case !holds:
		v.problem(ruleDigestSigned, DigestName)
	case !signed:
		v.problem(ruleDigestAlone, DigestName)
	case of.Algorithm != s.Algorithm || of.PublicKey != s.PublicKey:
		v.problem(ruleDigestKey, DigestName)
	default:
		return true
	}
	return false
}

// noteOutside names what lies outside the folder of a signed store, with a digest or
// without one: the bundle is what was handed over, and no signature is over these.
func (v *verification) noteOutside(tree *intake.Tree, store intake.File) {
	note := func(name string) {
		if _, inside := within(path.Dir(store.Path), name); !inside {
			v.problem(ruleDigestAdded, name)
		}
	}
	for _, f := range tree.Files() {
		note(f.Path)
	}
	for _, f := range tree.Refused() {
		note(f.Path)
	}
}

// compareFiles names every file that was added, removed or changed in the folder of
// the store.
func (v *verification) compareFiles(ctx context.Context, tree *intake.Tree, store intake.File, d bundleDigest) error {
	listed := make(map[string]fileSum, len(d.Files))
	for _, f := range d.Files {
		listed[f.Path] = f
	}
	root := path.Dir(store.Path)
	for _, f := range tree.Files() {
		name, inside := within(root, f.Path)
		if !inside || name == DigestName {
			continue
		}
		want, ok := listed[name]
		delete(listed, name)
		if !ok {
			v.problem(ruleDigestAdded, name)
			continue
		}
		is, err := v.file, error(nil)
		if f.Path != store.Path {
			is, err = sumOf(ctx, tree, f, name)
		}
		if err != nil && (ctx.Err() != nil || tree.Failure() != nil) {
			return err
		}
		if err != nil || is != want {
			v.problem(ruleDigestChanged, name)
		}
	}
	for _, f := range tree.Refused() {
		if name, inside := within(root, f.Path); inside && listed[name].Path == "" {
			v.problem(ruleDigestAdded, f.Path)
		}
	}
	for _, f := range d.Files {
		if _, left := listed[f.Path]; left {
			v.problem(ruleDigestTakenOut, f.Path)
		}
	}
	return nil
}
