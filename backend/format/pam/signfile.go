package pam

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// SignDocument signs an existing memory store that agrees with its own sums:
// it replaces the signature, adds the integrity block where there is none, and
// leaves every other member as it is. A bundle gets all its files and a digest of
// them, and goes into no single file. export_id and export_date must be there, since
// the signature is over them (§18.3), and an owner who is known by another key is not
// signed for.
func SignDocument(ctx context.Context, tree *intake.Tree, rules *schema.Set, key *Key, now memory.Time, to Target) error {
	store, err := findStore(tree)
	if err != nil {
		return err
	}
	v, err := verifyStore(ctx, tree, store, rules)
	if err != nil {
		return err
	}
	signature, err := v.sign(tree.Name(), key, now)
	if err != nil {
		return err
	}
	document := func(w io.Writer) error { return v.rewrite(ctx, tree, store, signature, w) }
	if !to.bundle && isLoose(tree, store) {
		if err := to.create.file(StoreName, document); err != nil {
			return err
		}
		return to.close()
	}
	if !to.bundle || len(tree.Refused()) > 0 {
		return fault.New(fault.Unsupported, "sign-bundle", "{name} cannot be written again as a whole, so it is not signed.").
			With("name", tree.Name()).Advise("A bundle is signed into a zip, a new folder, or where it lies.")
	}
	if err := again(ctx, tree, store, document, to.create, key, signature.SignedAt); err != nil {
		return err
	}
	return to.close()
}

// ToPlaces takes a bundle file by file: what is written to nil for a name is only
// looked at, since it stays as it lies.
func ToPlaces(create func(name string) (io.WriteCloser, error)) Target {
	return Target{func(name string) (io.WriteCloser, error) {
		w, err := create(name)
		if w == nil && err == nil {
			return withoutClose{io.Discard}, nil
		}
		return w, err
	}, true, func() error { return nil }}
}

// IsBundle reports that a tree is more than one document.
func IsBundle(tree *intake.Tree) bool {
	store, err := findStore(tree)
	return err == nil && !isLoose(tree, store)
}

// sign makes the signature over a document that was read whole.
func (v *verification) sign(name string, key *Key, now memory.Time) (Signature, error) {
	if r := v.report(Trust{}); !onlySignatureIsWrong(r) || v.checksum == "" {
		return Signature{}, errNotSigned(name, r)
	}
	owner := v.owner()
	for _, member := range []string{"export_id", "export_date"} {
		if v.text(member) == "" {
			return Signature{}, fault.New(fault.Invalid, "sign-incomplete",
				"The file lacks {member}, which a signature is over.").With("member", member)
		}
	}
	if at, ok := parseInstant(v.text("export_date")); !ok || at.UTC().Add(time.Microsecond).Year() > 9999 { // signed_at may not be before it
		return Signature{}, fault.New(fault.Invalid, "sign-date", "The export_date of {name} is no time that a signature can be over.").With("name", name)
	}
	if strings.HasPrefix(owner.DID, didKey) && owner.DID != key.DID() {
		return Signature{}, fault.New(fault.Refused, "sign-owner", "{name} says that its owner is known by another key, so this key does not sign it.").
			With("name", name).Advise("Sign it with the owner's key.")
	}
	text, err := payload(v.checksum, v.text("export_id"), v.text("export_date"), owner.ID)
	if err != nil {
		return Signature{}, err
	}
	return newSignature(key, text, v.notBefore(now)), nil
}

// notBefore is now, or export_date where that is later (§18.5), cut up to the
// microseconds that are written.
func (v *verification) notBefore(now memory.Time) memory.Time {
	exported, ok := parseInstant(v.text("export_date"))
	if !ok || !now.Time.Before(exported) {
		return now
	}
	at := memory.At(exported)
	if at.Time.Before(exported) {
		at = memory.At(exported.Add(time.Microsecond))
	}
	return at
}

// onlySignatureIsWrong lets a document be signed anew.
func onlySignatureIsWrong(r Report) bool {
	return !slices.ContainsFunc(r.Problems, func(f Finding) bool { return !isOfSignature(f) })
}

func isOfSignature(f Finding) bool {
	return f.Check == "signature" || f.Check == "signature-owner" || f.Check == "signature-time"
}

// errNotSigned says what is wrong with a document that is not signed for it.
func errNotSigned(name string, r Report) *fault.Error {
	i := slices.IndexFunc(r.Problems, func(f Finding) bool { return !isOfSignature(f) })
	if i < 0 || !r.Document {
		return fault.New(fault.Invalid, "sign-none", "{name} is not a document of Portable AI Memory, so it is not signed.").With("name", name)
	}
	f := r.Problems[i]
	return fault.New(fault.Invalid, "sign-broken", "{name} is not a sound document ({check} at {place}: {finding}), so it is not signed.").
		With("name", name).With("check", f.Check).With("place", clip(placeOr(f.Path))).With("finding", f.Message)
}

// rewrite copies the document with its new signature.
func (v *verification) rewrite(ctx context.Context, tree *intake.Tree, store intake.File, s Signature, w io.Writer) error {
	r, err := open(ctx, tree, store)
	if err != nil {
		return err
	}
	defer r.Close()
	c := &copier{out: &storeWriter{w: bufio.NewWriterSize(w, 1<<16)}, renewed: v.sumRule == SumRewritten}
	c.out.text("{\n")
	if err := walk(ctx, r, visitor{member: c.member, element: c.element}); err != nil {
		return err
	}
	c.endArray()
	if _, ok := v.root["integrity"]; !ok || c.renewed {
		c.out.member("integrity", integrity{"RFC8785", v.checksum, v.memories})
	}
	c.out.last("signature", s)
	c.out.text("\n}\n")
	return c.out.flush()
}

// copier writes what walk reads.
type copier struct {
	out     *storeWriter
	inArray bool
	renewed bool // the integrity block, whose sum is not of the memories as they stand
}

func (c *copier) member(name string, raw jsontext.Value) error {
	c.endArray()
	if name == "signature" || name == "integrity" && c.renewed {
		return nil
	}
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return err
	}
	c.out.bytes(quoted)
	c.out.text(": ")
	if c.inArray = streamed[name] && string(raw) == "[]"; c.inArray {
		c.out.text("[")
		return c.out.err
	}
	c.out.bytes(raw)
	c.out.text(",\n")
	return c.out.err
}

func (c *copier) element(_ string, i int, raw jsontext.Value) error {
	if i > 0 {
		c.out.text(",")
	}
	c.out.text("\n")
	c.out.bytes(raw)
	return c.out.err
}

func (c *copier) endArray() {
	if c.inArray {
		c.out.text("\n],\n")
	}
	c.inArray = false
}

// again writes the bundle again with another store, and with a digest of its own.
func again(ctx context.Context, tree *intake.Tree, store intake.File, document func(io.Writer) error, create creator, key *Key, signedAt string) error {
	root := path.Dir(store.Path)
	digestAt := path.Join(root, DigestName)
	var sums fileSums
	summed := sums.around(create)
	for _, f := range tree.Files() {
		if f.Path == digestAt {
			continue
		}
		name, write := f.Path, document
		switch {
		case f.Path != store.Path:
			write = func(w io.Writer) error { return copyFile(ctx, tree, f, w) }
		case isLoose(tree, store):
			name = StoreName
		}
		if err := summed.file(name, write); err != nil {
			return err
		}
	}
	return create.under(root).digest(sums.under(root), key, signedAt)
}

func copyFile(ctx context.Context, tree *intake.Tree, f intake.File, w io.Writer) error {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}
