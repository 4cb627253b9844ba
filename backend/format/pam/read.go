package pam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
)

// Limits of a document: bytes of one element of a long array, bytes of all
// other members together, and number of members.
const (
	maxElement = 256 << 20
	maxMembers = 500_000
)

// visitor takes the pieces of a document as they stream by. raw is only valid
// during the call.
type visitor struct {
	// member takes a member of the root that is not streamed; a streamed array
	// is announced once as "[]".
	member func(name string, raw jsontext.Value) error
	// element takes one element of a streamed array.
	element func(array string, i int, raw jsontext.Value) error
	// known, where it is set, is asked before. It takes the element that b starts
	// with, and returns its length, where it knows at a glance that it is strict
	// JSON and not nested too deep; otherwise it takes nothing and returns 0.
	known func(array string, i int, b []byte) int
}

// streamed are the arrays of a document that may be long.
var streamed = map[string]bool{
	"memories": true, "relations": true, "conversations_index": true, "embeddings": true, "messages": true,
}

// errNotJSON marks what is not strict JSON: cut off, a name twice, not UTF-8.
var errNotJSON = errors.New("not strict JSON")

// walk streams one document. Strict: duplicate names, invalid UTF-8, lone
// surrogates, nesting over jcs.MaxDepth and anything after the end are
// errNotJSON. What is held at once is one piece; a larger one than the limit is
// a fault.
func walk(ctx context.Context, r io.Reader, v visitor) error {
	return walkWithin(ctx, r, maxElement, v)
}

// walkWithin is walk with another limit, in bytes.
func walkWithin(ctx context.Context, r io.Reader, limit int64, v visitor) error {
	w := walker{visitor: v, scanner: newScanner(r), limit: limit, left: limit, names: map[string]bool{}}
	if err := w.eat('{'); err != nil {
		return err
	}
	for n := 0; w.next() != '}'; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n > 0 {
			if err := w.eat(','); err != nil {
				return err
			}
		}
		if n == maxMembers {
			return fault.New(fault.TooLarge, "document-members", "The document has over {limit} members.").With("limit", maxMembers)
		}
		name, err := w.name()
		if err != nil {
			return err
		}
		if err := w.visit(ctx, name); err != nil {
			return err
		}
	}
	if err := w.eat('}'); err != nil {
		return err
	}
	return w.end()
}

// walker is one walk.
type walker struct {
	visitor
	*scanner
	limit int64           // of one element, in bytes
	left  int64           // for all other members together
	names map[string]bool // of the root's members
}

// name reads the name of a member, none of which may stand twice, and its colon.
func (w *walker) name() (string, error) {
	if w.next() != '"' {
		return "", w.broken()
	}
	raw, err := w.share()
	if err != nil {
		return "", err
	}
	name, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", notJSON(err)
	}
	if w.names[string(name)] {
		return "", notJSON(placed{"/" + escape(string(name)), jsontext.ErrDuplicateName})
	}
	w.names[string(name)] = true
	return string(name), w.eat(':')
}

// share reads a value that is one of the root's members.
func (w *walker) share() (jsontext.Value, error) {
	raw, err := w.value(w.left)
	if err != nil {
		return nil, w.sized(err)
	}
	w.left -= int64(len(raw))
	return raw, nil
}

// sized gives a piece that is too long its sentence.
func (w *walker) sized(err error) error {
	if errors.Is(err, errTooLong) {
		return fault.New(fault.TooLarge, "document-element", "One element of the document is over {limit} bytes.").With("limit", w.limit)
	}
	return err
}

// visit reads the value of a member.
func (w *walker) visit(ctx context.Context, name string) error {
	if w.next() != '[' || !streamed[name] {
		raw, err := w.share()
		if err != nil {
			return placedAt("/"+escape(name), err)
		}
		return w.member(name, raw)
	}
	if err := w.member(name, jsontext.Value("[]")); err != nil {
		return err
	}
	w.at++
	for i := 0; w.next() != ']'; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i > 0 {
			if err := w.eat(','); err != nil {
				return err
			}
		}
		if err := w.visitElement(name, i); err != nil {
			return err
		}
	}
	return w.eat(']')
}

// visitElement reads one element. One that is held only in part is read whole,
// which makes it one that is not known; there is one to each filled buffer.
func (w *walker) visitElement(array string, i int) error {
	if w.known != nil && w.next() != 0 {
		if n := w.known(array, i, w.rest()); n > 0 {
			w.at += n
			return nil
		}
	}
	raw, err := w.value(w.limit)
	if err != nil {
		return placedAt(pointer(array, i), w.sized(err))
	}
	return w.element(array, i, raw)
}

// notJSON keeps faults (a limit, a container that lies) and the end of a
// context as they are; what is left is the text's own mistake.
func notJSON(err error) error {
	if fault.Known(err) {
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
		return intake.File{}, errNoStore(tree)
	}
	return found[0], nil
}

func errNoStore(tree *intake.Tree) *fault.Error {
	return fault.New(fault.Invalid, "no-memory-store", "{name} is not a Portable AI Memory file or bundle: it holds no single memory-store.json.").
		With("name", tree.Name())
}

// sibling finds a file of the bundle by its reference from the store. A
// reference that leaves the bundle finds nothing.
func sibling(tree *intake.Tree, store intake.File, ref string) (intake.File, bool) {
	if !isInside(ref) {
		return intake.File{}, false
	}
	return tree.File(path.Join(path.Dir(store.Path), ref))
}

// isInside reports a reference that stays in the folder of the store: relative,
// never up and out, and without the separators and drives of other systems.
func isInside(ref string) bool {
	if ref == "" || path.IsAbs(ref) || strings.ContainsAny(ref, "\\\x00") || strings.IndexByte(ref, ':') == 1 {
		return false
	}
	clean := path.Clean(ref)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}

// ErrEncrypted is the fault of a file that was to be read without its passphrase.
func ErrEncrypted(name string) *fault.Error {
	return fault.New(fault.Refused, "file-encrypted", "{name} is encrypted; it can be read once its passphrase is given.").
		With("name", name).Advise("On the command line, give its passphrase with --in-passphrase-file.")
}

// ErrEncoding is the fault of a document that was saved in another encoding than it was
// written in.
func ErrEncoding(name string) *fault.Error {
	return fault.New(fault.Invalid, "pam-encoding", "{name} was saved in another encoding: Portable AI Memory is UTF-8 without a byte order mark.").
		With("name", name).Advise("Take the file as it was exported. What PowerShell saves with > is UTF-16; give keepsake -o FILE instead.")
}

// open reads the document; an encrypted one is Refused in words.
func open(ctx context.Context, tree *intake.Tree, f intake.File) (io.ReadCloser, error) {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	head := make([]byte, HeadSize)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, r.Close())
	}
	if EncryptionOf(head[:n]) != NotEncrypted {
		_ = r.Close() // nothing was written
		return nil, ErrEncrypted(tree.Name())
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader(string(head[:n])), r), r}, nil
}

// clip shortens a name of somebody else's so that it fits into a sentence.
func clip(name string) string {
	const longest = 64
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}

// asFault gives a text's own mistake a sentence that says where and what it is.
func asFault(err error, name string) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	var inside placed
	if !errors.As(err, &inside) {
		return fault.New(fault.Invalid, "document-not-json", "{name} is not one whole JSON document.").With("name", name).Because(err)
	}
	return fault.New(fault.Invalid, "document-not-json-at", "{name} is not one whole, strict JSON document ({found} at {place}).").
		With("name", name).With("found", reasonOf(err)).With("place", clip(placeOr(inside.path))).Because(err)
}

// ErrSecond is the fault of what is not taken from a document because its id stands
// at an earlier place as well.
func ErrSecond(first, second, id string) *fault.Error {
	return fault.New(fault.Invalid, "pam-second", "{place} and {other} are both {id}; only the first of them was taken.").
		With("place", first).With("other", second).With("id", clip(id))
}

func placeOr(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// walkFile streams a file of a bundle.
func walkFile(ctx context.Context, tree *intake.Tree, f intake.File, v visitor) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	err = walk(ctx, r, v)
	if errors.Is(err, errNotJSON) {
		return asFault(err, f.Base())
	}
	return err
}

// StoreName is the name of the memory store inside a bundle (§2).
const StoreName = "memory-store.json"
