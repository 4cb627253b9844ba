package pam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
)

// arraySum sums the canonical array of memories, sorted by id (§15.2), while
// they come in order.
type arraySum struct {
	hash     hash.Hash
	n        int
	last     []byte // id
	unsorted bool
	skipped  bool // one has no canonical form, so there is no sum
}

func newArraySum() *arraySum {
	s := &arraySum{hash: sha256.New()}
	s.hash.Write([]byte("["))
	return s
}

func (s *arraySum) add(id, canonical []byte) {
	if s.n > 0 {
		s.hash.Write([]byte(","))
		s.unsorted = s.unsorted || bytes.Compare(id, s.last) < 0
	}
	s.hash.Write(canonical)
	s.n, s.last = s.n+1, append(s.last[:0], id...)
}

// finish closes the array; nothing can be added after it.
func (s *arraySum) finish() string {
	s.hash.Write([]byte("]"))
	return "sha256:" + hex.EncodeToString(s.hash.Sum(nil))
}

// maxHeld bounds what is held to be sorted, in bytes.
const maxHeld = 1 << 30

var errTooLargeToSort = errors.New("too large to be sorted")

// held is one memory that waits for its place.
type held struct {
	id        string
	canonical []byte
	i         int // where it stood in the array
}

// writing is how a memory is written to be summed.
type writing func(raw []byte) ([]byte, error)

// inOrder reads the memories again and holds them in the order of their ids.
func inOrder(ctx context.Context, tree *intake.Tree, f intake.File, as writing) ([]held, error) {
	var all []held
	size := 0
	err := eachMemory(ctx, tree, f, as, func(h held) error {
		if size += len(h.canonical); size > maxHeld {
			return errTooLargeToSort
		}
		all = append(all, h)
		return nil
	})
	slices.SortStableFunc(all, func(a, b held) int { return strings.Compare(a.id, b.id) })
	return all, err
}

func sumOfHeld(all []held) *arraySum {
	sum := newArraySum()
	for _, h := range all {
		sum.add([]byte(h.id), h.canonical)
	}
	return sum
}

// heldSum reads the memories again and sums them in order.
func heldSum(ctx context.Context, tree *intake.Tree, f intake.File, as writing) (*arraySum, error) {
	all, err := inOrder(ctx, tree, f, as)
	return sumOfHeld(all), err
}

// streamedSum is heldSum of memories that stand in order.
func streamedSum(ctx context.Context, tree *intake.Tree, f intake.File, as writing) (*arraySum, error) {
	sum := newArraySum()
	return sum, eachMemory(ctx, tree, f, as, func(h held) error {
		sum.add([]byte(h.id), h.canonical)
		return nil
	})
}

func eachMemory(ctx context.Context, tree *intake.Tree, f intake.File, as writing, take func(held) error) error {
	r, err := open(ctx, tree, f)
	if err != nil {
		return err
	}
	defer r.Close()
	return walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(array string, i int, raw jsontext.Value) error {
			if array != "memories" {
				return nil
			}
			canonical, err := as(raw)
			if err != nil {
				return err
			}
			return take(held{idOf(raw), canonical, i})
		},
	})
}

// idOf is the id of a memory; one that is no text sorts first, as a missing one
// does in the reference.
func idOf(raw jsontext.Value) string {
	var m struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	return m.ID
}
