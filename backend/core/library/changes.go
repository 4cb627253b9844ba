package library

import (
	"context"
	"fmt"
	"iter"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// maxChanges is the number of latest changes that Undo can undo. maxImports is the number
// of older imports that are kept beyond that; each of them can be undone by itself.
const (
	maxChanges = 200
	maxImports = 200
)

// stack lists the numbers of the stored changes, oldest first: Imports, then First to
// Last. Of those from First to Last, the vault lacks the undone and the forgotten ones.
type stack struct {
	First   uint64   `json:"first"`
	Last    uint64   `json:"last"`
	Imports []uint64 `json:"imports,omitempty"`
}

// all lists the numbers of all changes, oldest first. The vault may lack some: see stack.
func (st stack) all() []uint64 {
	seqs := slices.Clone(st.Imports)
	for seq := max(st.First, 1); seq <= st.Last; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

// ChangeHeads yields every change that is kept, oldest first.
func ChangeHeads(tx *vault.Tx) iter.Seq2[*ChangeHead, error] {
	return func(yield func(*ChangeHead, error) bool) {
		st, err := readStack(tx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, seq := range st.all() {
			h, err := readHead[ChangeHead](tx, seq)
			if (h != nil || err != nil) && (!yield(h, err) || err != nil) {
				return
			}
		}
	}
}

// ChangeHead is the stored record of a change. A small change made by hand has its images
// (undo data) in Images. An import, which is made in batches, and a large change have
// them in separate records; Parts is the number of these records.
type ChangeHead struct {
	Change
	Seq    uint64   `json:"seq"`
	Parts  int      `json:"parts,omitempty"`
	Images []*Image `json:"images,omitempty"`
}

const stackID = "changes"

func headID(seq uint64) string { return fmt.Sprintf("change:%d", seq) }

// PartID is the record id of one part of a change whose images (undo data) are in parts.
func PartID(seq uint64, part int) string { return fmt.Sprintf("change:%d:%d", seq, part) }

// PieceID is the id of a record with one piece of a conversation's old version, for undo.
func PieceID(seq uint64, part int, id string, piece int) string {
	return fmt.Sprintf("change:%d:%d:%s:%d", seq, part, id, piece)
}

func readStack(tx *vault.Tx) (st stack, err error) {
	st.First = 1
	_, err = rows.FindJSON(tx, vault.Settings, stackID, "changes", &st)
	return st, err
}

// Begin pushes a new change onto the undo stack and deletes those that are too old to
// be undone.
func (e *Tx) Begin(kind string, subjects ...string) (*ChangeHead, error) {
	st, err := readStack(e.VaultTx)
	if err != nil {
		return nil, err
	}
	st.Last++
	for st.Last-st.First >= maxChanges {
		if err := e.letGo(&st); err != nil {
			return nil, err
		}
	}
	if err := e.PutSetting(stackID, st); err != nil {
		return nil, err
	}
	return &ChangeHead{
		Change: Change{ID: e.NewID(), At: e.Now, Kind: kind, Subjects: subjects},
		Seq:    st.Last,
	}, nil
}

// letGo takes the oldest change off the stack and discards it. An import is moved to
// st.Imports instead, where it can still be undone by itself; if these become more than
// maxImports, the oldest of them is discarded.
func (e *Tx) letGo(st *stack) error {
	h, err := readHead[brief](e.VaultTx, st.First)
	if err != nil {
		return err
	}
	drop := st.First
	if st.First++; h != nil && h.Kind == "import" {
		if st.Imports = append(st.Imports, drop); len(st.Imports) <= maxImports {
			return nil
		}
		drop, st.Imports = st.Imports[0], st.Imports[1:]
		return e.Discard(drop)
	}
	return e.discardAs(h, drop)
}

// leave discards an undone change, and removes it from the stack's list of imports.
func (e *Tx) leave(seq uint64) error {
	st, err := readStack(e.VaultTx)
	if err != nil {
		return err
	}
	if i := slices.Index(st.Imports, seq); i >= 0 {
		st.Imports = slices.Delete(st.Imports, i, i+1)
		if err := e.PutSetting(stackID, st); err != nil {
			return err
		}
	}
	return e.Discard(seq)
}

// keepChange stores the undo data of a change made by hand: in the head record, or in
// several part records if it is larger than half of pieceSize.
func (e *Tx) keepChange(h *ChangeHead) error {
	size := 0
	for _, im := range e.Images {
		size += len(im.Before) + len(im.Side)
	}
	if size > pieceSize/2 {
		return e.KeepImages(h)
	}
	h.Images = e.Images
	return e.WriteHead(h)
}

// WriteHead stores a ChangeHead, the main record of a change.
func (e *Tx) WriteHead(h *ChangeHead) error {
	return e.put(vault.Changes, headID(h.Seq), h.At, h)
}

// KeepImages stores the images (undo data) of this transaction in parts of about pieceSize
// bytes, and the head of the change. Imports call it once per batch.
func (e *Tx) KeepImages(h *ChangeHead) error {
	rest := e.Images
	for len(rest) > 0 {
		n, size := 0, 0
		for n < len(rest) && (n == 0 || size < pieceSize) {
			size += len(rest[n].Before) + len(rest[n].Side)
			n++
		}
		if err := e.keepPart(h, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return e.WriteHead(h)
}

func (e *Tx) keepPart(h *ChangeHead, images []*Image) error {
	h.Parts++
	for _, im := range images {
		if err := e.keepConversation(h.Seq, h.Parts, im); err != nil {
			return err
		}
	}
	return e.PutPart(h.Seq, h.Parts, images)
}

// pieceSize is the size in bytes at which undo data is split into another record, so that
// each record stays below the record size limit.
const pieceSize = 4 << 20

func (e *Tx) keepConversation(seq uint64, part int, im *Image) error {
	if im.Kept == nil {
		return nil
	}
	for piece := range im.Kept.Pieces() {
		if err := e.VaultTx.Put(vault.Changes, PieceID(seq, part, im.ID, im.Pieces), e.Now.Time, piece); err != nil {
			return fmt.Errorf("keep conversation: %w", err)
		}
		im.Pieces++
	}
	im.Packed, im.Kept = true, nil
	return nil
}

// brief holds the fields of a stored ChangeHead that dropping the change needs.
type brief struct {
	Kind  string `json:"kind"`
	Parts int    `json:"parts"`
}

// readHead reads the head of a change as a ChangeHead or a brief; nil where the change is
// gone.
func readHead[T ChangeHead | brief](tx *vault.Tx, seq uint64) (*T, error) {
	text, err := tx.Find(vault.Changes, headID(seq))
	if err != nil || text == nil {
		return nil, err
	}
	var h T
	if err := jsonv2.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("read change: %w", err)
	}
	return &h, nil
}

// ReadPart reads the images (undo data) in one part of a change.
func ReadPart(tx *vault.Tx, seq uint64, part int) ([]*Image, error) {
	text, err := tx.Get(vault.Changes, PartID(seq, part))
	if err != nil {
		return nil, err
	}
	return rows.DecodeJSON[[]*Image](text, "change")
}

// newest returns the change that Undo would undo, nil if there is none.
func newest(tx *vault.Tx) (*ChangeHead, error) {
	st, err := readStack(tx)
	if err != nil {
		return nil, err
	}
	for seq := st.Last; seq >= st.First && seq > 0; seq-- {
		h, err := readHead[ChangeHead](tx, seq)
		if h != nil || err != nil {
			return h, err
		}
	}
	return nil, nil
}

// Discard deletes a change with all its undo data, so that it cannot be undone any more.
func (e *Tx) Discard(seq uint64) error {
	h, err := readHead[brief](e.VaultTx, seq)
	if err != nil {
		return err
	}
	return e.discardAs(h, seq)
}

// discardAs is Discard with the change's head h already read; nil: the change is gone.
func (e *Tx) discardAs(h *brief, seq uint64) error {
	if h == nil {
		return nil
	}
	for part := 1; part <= h.Parts; part++ {
		images, err := ReadPart(e.VaultTx, seq, part)
		if err != nil {
			return err
		}
		if err := e.discardPart(seq, part, images); err != nil {
			return err
		}
	}
	return wrap(e.VaultTx.Delete(vault.Changes, headID(seq)), "discard change")
}

// discardPart deletes a part of a change, with the old versions of conversations in it.
func (e *Tx) discardPart(seq uint64, part int, images []*Image) error {
	for _, im := range images {
		if err := e.DropPieces(seq, part, im); err != nil {
			return fmt.Errorf("discard change: %w", err)
		}
	}
	return wrap(e.VaultTx.Delete(vault.Changes, PartID(seq, part)), "discard change")
}

// MakeChange runs fn in one transaction and returns its value. It stores the images (undo
// data) of the transaction, if there are any, as one change that can be undone.
func MakeChange[T any](ctx context.Context, s *Library, kind string, fn func(*Tx) (T, []string, error)) (T, error) {
	var made T
	err := s.Write(ctx, func(e *Tx) error {
		var subjects []string
		var err error
		if a, ok := ctx.Value(actorKey{}).(actor); ok {
			if err := a.may(e); err != nil {
				return err
			}
			e.actor = a.name
		}
		if made, subjects, err = fn(e); err != nil || len(e.Images) == 0 {
			return err
		}
		head, err := e.Begin(kind, subjects...)
		if err != nil {
			return err
		}
		if err := e.keepChange(head); err != nil {
			return err
		}
		return e.Log(actionOf(kind), subjects[0], len(subjects))
	})
	return made, err
}

// ManyChanged counts what a change of many memories did.
type ManyChanged struct {
	Changed int `json:"changed"`
	Left    int `json:"left"` // that stayed as they were
}

// MaxSubjects is how many ids of changed memories an undoable change stores, for display.
const MaxSubjects = 200

// ChangeMany calls change for each memory, which reports whether it changed it. It returns the
// subjects of the change, at most MaxSubjects.
func ChangeMany(ids []string, change func(id string) (bool, error)) (done ManyChanged, subjects []string, err error) {
	for _, id := range ids {
		changed, err := change(id)
		if err != nil {
			return done, nil, err
		}
		if !changed {
			done.Left++
			continue
		}
		if done.Changed++; len(subjects) < MaxSubjects {
			subjects = append(subjects, id)
		}
	}
	return done, subjects, nil
}

// ErrTooManyAtOnce reports that a change is about more memories than it may be.
func ErrTooManyAtOnce(count, limit int) error {
	return fault.New(fault.TooLarge, "too-many-at-once", "{count} memories are more than can be changed at once; the limit is {limit}.").
		With("count", count).With("limit", limit).Advise("Narrow the list, and change it part by part.")
}

// LastChange returns the change that Undo would undo, nil if there is none.
func (s *Service) LastChange(ctx context.Context) (*Change, error) {
	h, err := ReadValue(ctx, s.lib, newest)
	if h == nil {
		return nil, err
	}
	return &h.Change, err
}

// PutPart stores the images (undo data) of one part of a change, in place of earlier ones.
func (e *Tx) PutPart(seq uint64, part int, images []*Image) error {
	return wrap(e.put(vault.Changes, PartID(seq, part), e.Now, images), "keep change")
}

// DropPieces deletes the records with the old version of a conversation (see PieceID).
func (e *Tx) DropPieces(seq uint64, part int, im *Image) error {
	for piece := range im.Pieces {
		if err := e.VaultTx.Delete(vault.Changes, PieceID(seq, part, im.ID, piece)); err != nil {
			return err
		}
	}
	return nil
}
