package pam

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/intake"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// EmbeddingsName is the name of the embeddings file inside a bundle (§2).
const EmbeddingsName = "embeddings.json"

// Embedding is the vector of one memory (§12.3), or where it lies.
type Embedding struct {
	CreatedAt  memory.Time       `json:"created_at"`
	Dimensions int               `json:"dimensions"`
	ID         string            `json:"id"` // what embedding_ref names
	MemoryID   string            `json:"memory_id"`
	Model      string            `json:"model"`
	Storage    *EmbeddingStorage `json:"storage,omitempty"`
	Vector     []float64         `json:"vector,omitempty"`
}

// EmbeddingStorage says where a vector lies that is not in the file. Nothing of
// it is ever opened.
type EmbeddingStorage struct {
	Ref  string `json:"ref"`
	Type string `json:"type"` // file, database, object_storage, vector_db or uri
}

// maxDimensions is far beyond every model, and within what every program counts alike.
const maxDimensions = 1 << 30

// Check holds what the schema cannot: a vector has as many numbers as it says,
// and what lies elsewhere lies where somebody else can still find it.
func (e Embedding) Check() error {
	switch {
	case e.Dimensions > maxDimensions:
		return fault.New(fault.Invalid, "embedding-too-many", "An embedding says that it has {dimensions} dimensions; at most {limit} are taken.").
			With("dimensions", e.Dimensions).With("limit", maxDimensions)
	case e.Vector != nil && len(e.Vector) != e.Dimensions:
		return fault.New(fault.Invalid, "embedding-dimensions", "An embedding of {size} numbers says that it has {dimensions}.").
			With("size", len(e.Vector)).With("dimensions", e.Dimensions)
	case e.Vector == nil && e.Storage == nil:
		return fault.New(fault.Invalid, "embedding-empty", "An embedding holds no vector and says of no place where it lies.")
	case e.Vector == nil && e.Storage.Type == "file":
		return fault.New(fault.Unsupported, "embedding-in-file", "A vector lies in a file of its own, for which Portable AI Memory has no form; it was not taken.")
	}
	return nil
}

// ReadEmbeddings hands over the embeddings of a bundle, or of an embeddings file
// that stands alone, one at a time. One that does not fit comes as its fault with
// what is known of it, and the next follows; an error that is not one of an
// embedding comes last. A bundle without the file gives none. Members that PAM 1.0
// does not have are passed over; LookAtEmbeddings tells them.
func ReadEmbeddings(ctx context.Context, tree *intake.Tree, rules *schema.Set) iter.Seq2[Embedding, error] {
	return func(yield func(Embedding, error) bool) {
		f, ok := findEmbeddings(tree)
		if !ok {
			return
		}
		err := readEmbeddings(ctx, tree, f, rules, yield)
		if err != nil && !errors.Is(err, errEnough) {
			yield(Embedding{}, err)
		}
	}
}

func findEmbeddings(tree *intake.Tree) (intake.File, bool) {
	if store, err := findStore(tree); err == nil && store.Base() != EmbeddingsName && len(tree.Files()) > 1 {
		return sibling(tree, store, EmbeddingsName)
	}
	for _, f := range tree.Files() {
		if f.Base() == EmbeddingsName {
			return f, true
		}
	}
	return intake.File{}, false
}

// LookAtEmbeddings tells of what version the embeddings file of a bundle is, and
// which members it has that PAM 1.0 does not have, one for each time. A bundle
// without the file has neither.
func LookAtEmbeddings(ctx context.Context, tree *intake.Tree) (head Head, unknown []string, err error) {
	f, ok := findEmbeddings(tree)
	if !ok {
		return head, nil, nil
	}
	return lookThrough(ctx, tree, f, embeddingsForm)
}

// errEnough ends a walk whose caller wants no more.
var errEnough = errors.New("enough")

func readEmbeddings(ctx context.Context, tree *intake.Tree, f intake.File, rules *schema.Set, yield func(Embedding, error) bool) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	seen := places{}
	err = walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(array string, i int, raw jsontext.Value) error {
			if array != "embeddings" {
				return nil
			}
			e, err := readEmbedding(rules, i, raw)
			if before, twice := seen[e.MemoryID]; err == nil && twice {
				err = ErrSecond(pointer(array, before)+"/memory_id", pointer(array, i)+"/memory_id", e.MemoryID)
			} else if err == nil {
				seen[e.MemoryID] = i
			}
			if !yield(e, err) {
				return errEnough
			}
			return nil
		},
	})
	if errors.Is(err, errNotJSON) {
		return fault.New(fault.Invalid, "embeddings-unreadable", "{name} is not strict JSON; its embeddings cannot be read.").With("name", f.Base()).Because(err)
	}
	return err
}

func readEmbedding(rules *schema.Set, i int, raw jsontext.Value) (e Embedding, err error) {
	if len(embeddingForm.unknown(raw)) > 0 {
		if raw, err = json.Marshal(embeddingForm.without(raw)); err != nil {
			return e, err
		}
	}
	if bad := rules.Check(schema.Embedding, raw); len(bad) > 0 {
		return e, fault.New(fault.Invalid, "embedding-breaks-schema", "Embedding {number} does not fit Portable AI Memory at {place}.").
			With("number", i+1).With("place", bad[0].Pointer)
	}
	if err := json.Unmarshal(raw, &e, wholeNumbers); err != nil {
		return e, fault.New(fault.Invalid, "embedding-breaks-schema", "Embedding {number} does not fit Portable AI Memory at {place}.").
			With("number", i+1).With("place", placeOr(PlaceOf(err))).Because(err)
	}
	return e, e.Check()
}

// WriteEmbeddings writes embeddings.json, one embedding a line.
func WriteEmbeddings(w io.Writer, all iter.Seq2[Embedding, error]) error {
	out := &storeWriter{w: bufio.NewWriterSize(w, 1<<16)}
	out.text("{\n")
	out.member("schema", string(schema.Embeddings))
	out.member("schema_version", SchemaVersion)
	out.text(`"embeddings": [`)
	n := 0
	for e, err := range all {
		if err != nil {
			return fmt.Errorf("read embedding: %w", err)
		}
		text, err := jcs.MarshalReadable(e)
		if err != nil {
			return fmt.Errorf("write embedding: %w", err)
		}
		if n++; n > 1 {
			out.text(",")
		}
		out.text("\n")
		out.bytes(text)
	}
	out.text("\n]\n}\n")
	return out.flush()
}
