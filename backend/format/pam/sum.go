package pam

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/intake"
	"keepsake/backend/jcs"
)

// arraySum sums the canonical array of memories, sorted by id (§15.2), while
// they come in order.
type arraySum struct {
	hash     hash.Hash
	n        int
	last     string
	unsorted bool
}

func newArraySum() *arraySum {
	s := &arraySum{hash: sha256.New()}
	s.hash.Write([]byte("["))
	return s
}

func (s *arraySum) add(id string, canonical []byte) {
	if s.n > 0 {
		s.hash.Write([]byte(","))
		s.unsorted = s.unsorted || id < s.last
	}
	s.hash.Write(canonical)
	s.n, s.last = s.n+1, id
}

// finish closes the array; nothing can be added after it.
func (s *arraySum) finish() string {
	s.hash.Write([]byte("]"))
	return "sha256:" + hex.EncodeToString(s.hash.Sum(nil))
}

// heldSum reads the memories again and sums them in order.
func heldSum(ctx context.Context, tree *intake.Tree, f intake.File) (*arraySum, error) {
	type held struct {
		id        string
		canonical []byte
	}
	var all []held
	r, err := open(ctx, tree, f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = walk(ctx, r, visitor{
		member: func(string, jsontext.Value) error { return nil },
		element: func(array string, _ int, raw jsontext.Value) error {
			if array != "memories" {
				return nil
			}
			var m struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(raw, &m) // without an id it sorts first
			if canonical, err := jcs.Transform(raw); err == nil {
				all = append(all, held{m.ID, canonical})
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b held) int { return strings.Compare(a.id, b.id) })
	sum := newArraySum()
	for _, h := range all {
		sum.add(h.id, h.canonical)
	}
	return sum, nil
}
