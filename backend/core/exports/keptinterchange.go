package exports

import (
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/format/mif"
	"keepsake/backend/vault"
)

// keptInterchange is the content of imported MIF documents that the vault stores because
// PAM has no place for it. It holds the documents' JSON members, but not the elements of
// their lists: these may be too many for RAM, and are read when they are written.
type keptInterchange struct {
	members []mif.Piece      // members of all documents; of those with the same name, only the last
	records []keptElements   // vault records with elements of the documents' JSON lists
	last    map[[16]byte]int // hash of an element's key (its id or content) → number of the last element with it
	counts  map[string]int   // name of a list → number of its elements; those with equal keys count once
}

// keptElements is a vault record with elements of the JSON lists named in lists. Elements
// are numbered from 0 over all records; first is the number of the first in this record.
type keptElements struct {
	id    string
	first int
	lists []string
}

// readInterchange reads the stored content of imported MIF documents. Of list elements, it
// notes only which records hold them.
func readInterchange(tx *vault.Tx) (x keptInterchange, err error) {
	x.last, x.counts = map[[16]byte]int{}, map[string]int{}
	at, elements := map[string]int{}, 0
	err = library.EachDocument(tx, func(id string, pieces []mif.Piece) {
		here := keptElements{id: strings.Clone(id), first: elements}
		for _, piece := range pieces {
			if !piece.IsElement() {
				if i, ok := at[piece.Name]; ok {
					x.members[i] = piece
					continue
				}
				at[piece.Name] = len(x.members)
				x.members = append(x.members, piece)
				continue
			}
			key := library.KeySum(piece.Key())
			if _, again := x.last[key]; !again {
				x.counts[piece.Name]++
			}
			x.last[key] = elements
			elements++
			if !slices.Contains(here.lists, piece.Name) {
				here.lists = append(here.lists, piece.Name)
			}
		}
		if here.lists != nil {
			x.records = append(x.records, here)
		}
	})
	return x, err
}

// eachElement calls give with the elements of a list. Of elements with the same key, only
// the last one counts.
func (x *keptInterchange) eachElement(tx *vault.Tx, list string, give func(raw []byte) error) error {
	for _, h := range x.records {
		if !slices.Contains(h.lists, list) {
			continue
		}
		text, err := tx.Get(vault.Interchange, h.id)
		if err != nil {
			return err
		}
		pieces, err := library.DecodePieces(text)
		if err != nil {
			return err
		}
		n := h.first
		for _, p := range pieces {
			if !p.IsElement() {
				continue
			}
			if counts := p.Name == list && x.last[library.KeySum(p.Key())] == n; counts {
				if err := give(p.Raw); err != nil {
					return err
				}
			}
			n++
		}
	}
	return nil
}
