package pam

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
)

// DigestName is the file at the root of a bundle that covers all the others:
// relations, the index, conversations, attachments and embeddings, which the
// signature of the specification is not over (§18.3). It does not end in .json,
// so that no program takes it for a document of the specification. Decision 0031.
const DigestName = "keepsake-digest.jcs"

// digestMaker is how exported_by of the program begins that gives every bundle that it
// signs a digest.
const digestMaker = "keepsake/"

// digestKind is the only kind of digest there is.
const digestKind = "1"

// maxDigest bounds a digest, in bytes: as many files as a bundle may hold, each
// with a name of usual length.
const maxDigest = 64 << 20

// bundleDigest lists every other file of a bundle. Its text is canonical JSON, and its
// signature is over that text with an empty signature.value.
type bundleDigest struct {
	Kind      string      `json:"keepsake_digest"`
	Files     []fileSum   `json:"files"` // by path, in code-point order
	Signature inSignature `json:"signature"`
}

// inSignature is Signature with every member written.
type inSignature struct {
	Algorithm string `json:"algorithm"`
	PublicKey string `json:"public_key"`
	Value     string `json:"value"`
	SignedAt  string `json:"signed_at"`
	KeyID     string `json:"key_id"`
}

// fileSum is one file; Path is from the root of the bundle.
type fileSum struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // hex
	Size   int64  `json:"size"`   // bytes
}

// fileSums gathers what is written into a bundle.
type fileSums []fileSum

// around sums every file that create makes.
func (all *fileSums) around(create creator) creator {
	return func(name string) (io.WriteCloser, error) {
		w, err := create(name)
		if err != nil {
			return nil, err
		}
		sum := newSummer()
		return &summedFile{io.MultiWriter(w, sum), func() error {
			*all = append(*all, sum.of(name))
			return w.Close()
		}}, nil
	}
}

// summedFile is one file on its way.
type summedFile struct {
	io.Writer
	close func() error
}

func (f *summedFile) Close() error { return f.close() }

// summer sums what is written to it.
type summer struct {
	hash hash.Hash
	size int64
}

func newSummer() *summer { return &summer{hash: sha256.New()} }

func (s *summer) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	return s.hash.Write(p)
}

func (s *summer) of(path string) fileSum {
	return fileSum{path, hex.EncodeToString(s.hash.Sum(nil)), s.size}
}

// under are the sums of a bundle that lies in a folder, as seen from there.
func (all fileSums) under(root string) (sums fileSums) {
	for _, f := range all {
		if name, inside := within(root, f.Path); inside {
			sums = append(sums, fileSum{name, f.SHA256, f.Size})
		}
	}
	return sums
}

// under makes files in a folder.
func (create creator) under(root string) creator {
	return func(name string) (io.WriteCloser, error) { return create(path.Join(root, name)) }
}

// digest writes the digest of what was written, signed at a time as the
// signature of the store has it.
func (create creator) digest(all fileSums, key *Key, signedAt string) error {
	slices.SortFunc(all, func(a, b fileSum) int { return cmp.Compare(a.Path, b.Path) })
	public := key.Public()
	d := bundleDigest{Kind: digestKind, Files: all, Signature: inSignature{
		Algorithm: "Ed25519", PublicKey: public.Multibase(), SignedAt: signedAt, KeyID: public.KeyID(),
	}}
	payload, err := jcs.Marshal(d)
	if err != nil {
		return fmt.Errorf("build digest: %w", err)
	}
	d.Signature.Value = base64url(key.sign(payload))
	text, err := jcs.Marshal(d)
	if err != nil {
		return fmt.Errorf("write digest: %w", err)
	}
	return create.file(DigestName, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// parseDigest takes only the one text that a digest has: no second spelling, no
// member that nobody knows.
func parseDigest(text []byte) (d bundleDigest, ok bool) {
	if json.Unmarshal(text, &d) != nil || d.Kind != digestKind {
		return d, false
	}
	again, err := jcs.Marshal(d)
	return d, err == nil && bytes.Equal(again, text)
}

// within is a path as seen from the folder of the store.
func within(root, name string) (string, bool) {
	if root == "." {
		return name, true
	}
	return strings.CutPrefix(name, root+"/")
}

func sumOf(ctx context.Context, tree *intake.Tree, f intake.File, name string) (fileSum, error) {
	r, err := tree.Open(ctx, f)
	if err != nil {
		return fileSum{}, err
	}
	defer r.Close()
	sum := newSummer()
	_, err = io.Copy(sum, r)
	return sum.of(name), err
}
