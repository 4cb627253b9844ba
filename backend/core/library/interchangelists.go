package library

import (
	"slices"
	"strings"

	"keepsake/backend/format/mif"
	"keepsake/backend/vault"
)

// KeptInterchange is what was kept of documents, but for the elements of lists, of which
// there may be more than memory should hold: they are read again where they are asked
// for.
type KeptInterchange struct {
	Members []mif.Piece      // of those that say the same thing the last
	records []keptElements   // that hold elements
	last    map[[16]byte]int // of elements that say the same thing, by a sum: the number of the one that counts
	Counts  map[string]int   // how many count, by list
}

// keptElements is a record that holds elements of these lists, the first with this number.
type keptElements struct {
	id    string
	first int
	lists []string
}

// ReadInterchange reads what was kept, without holding the elements of lists.
func ReadInterchange(tx *vault.Tx) (x KeptInterchange, err error) {
	x.last, x.Counts = map[[16]byte]int{}, map[string]int{}
	at, elements := map[string]int{}, 0
	err = EachDocument(tx, func(id string, pieces []mif.Piece) {
		here := keptElements{id: strings.Clone(id), first: elements}
		for _, piece := range pieces {
			if !piece.IsElement() {
				if i, ok := at[piece.Name]; ok {
					x.Members[i] = piece
					continue
				}
				at[piece.Name] = len(x.Members)
				x.Members = append(x.Members, piece)
				continue
			}
			key := KeySum(piece.Key())
			if _, again := x.last[key]; !again {
				x.Counts[piece.Name]++
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

// EachElement gives the elements of a list that count.
func (x *KeptInterchange) EachElement(tx *vault.Tx, list string, give func(raw []byte) error) error {
	for _, h := range x.records {
		if !slices.Contains(h.lists, list) {
			continue
		}
		text, err := tx.Get(vault.Interchange, h.id)
		if err != nil {
			return err
		}
		pieces, err := DecodePieces(text)
		if err != nil {
			return err
		}
		n := h.first
		for _, p := range pieces {
			if !p.IsElement() {
				continue
			}
			if counts := p.Name == list && x.last[KeySum(p.Key())] == n; counts {
				if err := give(p.Raw); err != nil {
					return err
				}
			}
			n++
		}
	}
	return nil
}
