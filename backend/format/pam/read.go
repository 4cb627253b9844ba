package pam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// maxMember bounds one member or element of a document, in bytes.
const maxMember = 256 << 20

// visitor takes the pieces of a document as they stream by. raw is only valid
// during the call.
type visitor struct {
	// member takes a member of the root that is not streamed; streamed arrays
	// are announced once as "[]".
	member func(name string, raw jsontext.Value) error
	// element takes one element of a streamed array.
	element func(array string, i int, raw jsontext.Value) error
}

// streamed are the arrays of a document that may be long.
var streamed = map[string]bool{
	"memories": true, "relations": true, "conversations_index": true, "embeddings": true, "messages": true,
}

// errNotJSON marks what is not strict JSON: cut off, a name twice, not UTF-8.
var errNotJSON = errors.New("not strict JSON")

// walk streams one document. Strict: duplicate names, invalid UTF-8, lone
// surrogates and anything after the end are errNotJSON.
func walk(ctx context.Context, r io.Reader, v visitor) error {
	dec := jsontext.NewDecoder(r)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return notJSON(err)
	}
	for dec.PeekKind() == '"' {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, err := dec.ReadToken()
		if err != nil {
			return notJSON(err)
		}
		if err := v.value(ctx, dec, name.String()); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil { // the closing brace
		return notJSON(err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return notJSON(err)
	}
	return nil
}

func (v visitor) value(ctx context.Context, dec *jsontext.Decoder, name string) error {
	if !streamed[name] || dec.PeekKind() != '[' {
		raw, err := dec.ReadValue()
		if err != nil {
			return notJSON(err)
		}
		return v.member(name, raw)
	}
	if err := v.member(name, jsontext.Value("[]")); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err)
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return notJSON(err)
		}
		if len(raw) > maxMember {
			return fault.New(fault.TooLarge, "document-element", "One element of the document is over {limit} bytes.").With("limit", maxMember)
		}
		if err := v.element(name, i, raw); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	if err != nil {
		return notJSON(err)
	}
	return nil
}

// notJSON keeps faults (a limit, a container that lies) and the end of a
// context as they are; what is left is the text's own mistake.
func notJSON(err error) error {
	var f *fault.Error
	if errors.As(err, &f) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", errNotJSON, errOr(err, io.ErrUnexpectedEOF))
}

func errOr(err, other error) error {
	if err == nil {
		return other
	}
	return err
}

// findStore finds the main document of a file or a bundle.
func findStore(tree *intake.Tree) (intake.File, error) {
	var found []intake.File
	for _, f := range tree.Files() {
		if f.Base() == StoreName {
			found = append(found, f)
		}
	}
	if len(found) == 0 && len(tree.Files()) == 1 {
		return tree.Files()[0], nil
	}
	if len(found) == 0 {
		for _, f := range tree.Files() {
			if strings.HasSuffix(f.Path, ".json") && path.Dir(f.Path) == "." {
				found = append(found, f)
			}
		}
	}
	if len(found) != 1 {
		return intake.File{}, fault.New(fault.Invalid, "no-memory-store",
			"{name} is not a Portable AI Memory file or bundle: it holds no single memory-store.json.").With("name", tree.Name())
	}
	return found[0], nil
}

// sibling finds a file of the bundle by its reference from the store. A
// reference that leaves the bundle finds nothing.
func sibling(tree *intake.Tree, store intake.File, ref string) (intake.File, bool) {
	clean := path.Join(path.Dir(store.Path), ref)
	if path.IsAbs(ref) || strings.HasPrefix(clean, "../") {
		return intake.File{}, false
	}
	return tree.File(clean)
}

// ageHeader starts an age file, plain or armored.
var ageHeaders = []string{"age-encryption.org/v1", "-----BEGIN AGE ENCRYPTED FILE-----"}

// open reads the document; an encrypted one is Refused in words.
func open(ctx context.Context, tree *intake.Tree, f intake.File) (io.ReadCloser, error) {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 40)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	for _, h := range ageHeaders {
		if strings.HasPrefix(string(head[:n]), h) {
			_ = r.Close() // nothing was written
			return nil, fault.New(fault.Refused, "file-encrypted", "{name} is encrypted; it can be checked once it is decrypted.").
				With("name", tree.Name()).Advise("Decrypt it with its passphrase (age --decrypt) and try again.")
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader(string(head[:n])), r), r}, nil
}
