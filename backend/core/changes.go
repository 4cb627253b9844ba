package core

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// maxChanges bounds how far back undo reaches, maxImports how many imports that
// lie further back can still be taken back by themselves.
const (
	maxChanges = 200
	maxImports = 200
)

// stack is the kept order of changes: the heads First to Last, of which some
// in between may be gone, and before them those of Imports.
type stack struct {
	First   uint64   `json:"first"`
	Last    uint64   `json:"last"`
	Imports []uint64 `json:"imports,omitempty"`
}

// all lists every place that may hold a change, oldest first.
func (st stack) all() []uint64 {
	seqs := slices.Clone(st.Imports)
	for seq := max(st.First, 1); seq <= st.Last; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

// heads yields every change that is kept, oldest first.
func heads(tx *vault.Tx) iter.Seq2[*changeHead, error] {
	return func(yield func(*changeHead, error) bool) {
		st, err := readStack(tx)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, seq := range st.all() {
			h, err := readHead(tx, seq)
			if (h != nil || err != nil) && (!yield(h, err) || err != nil) {
				return
			}
		}
	}
}

// changeHead is a change as it is kept. A change made by hand has its images
// in it; an import, which is made in batches, has them in Parts records.
type changeHead struct {
	Change
	Seq    uint64   `json:"seq"`
	Parts  int      `json:"parts,omitempty"`
	Images []*image `json:"images,omitempty"`
}

const stackID = "changes"

func headID(seq uint64) string           { return fmt.Sprintf("change:%d", seq) }
func partID(seq uint64, part int) string { return fmt.Sprintf("change:%d:%d", seq, part) }
func pieceID(seq uint64, part int, id string, piece int) string {
	return fmt.Sprintf("change:%d:%d:%s:%d", seq, part, id, piece)
}

func readStack(tx *vault.Tx) (st stack, err error) {
	text, err := tx.Find(vault.Settings, stackID)
	if err != nil || text == nil {
		return stack{First: 1}, err
	}
	if err := json.Unmarshal(text, &st); err != nil {
		return st, fmt.Errorf("read changes: %w", err)
	}
	return st, nil
}

func (e *edit) writeStack(st stack) error {
	text, err := rows.EncodeJSON(st)
	if err != nil {
		return err
	}
	return e.tx.Put(vault.Settings, stackID, e.now.Time, text)
}

// begin takes a place on the stack for a new change and lets go of changes too
// old to be undone.
func (e *edit) begin(kind string, subjects ...string) (*changeHead, error) {
	st, err := readStack(e.tx)
	if err != nil {
		return nil, err
	}
	st.Last++
	for st.Last-st.First >= maxChanges {
		if err := e.letGo(&st); err != nil {
			return nil, err
		}
	}
	if err := e.writeStack(st); err != nil {
		return nil, err
	}
	return &changeHead{
		Change: Change{ID: e.newID(), At: e.now, Kind: kind, Subjects: subjects},
		Seq:    st.Last,
	}, nil
}

// letGo drops the oldest change. An import can still be taken back by itself.
func (e *edit) letGo(st *stack) error {
	h, err := readBrief(e.tx, st.First)
	if err != nil {
		return err
	}
	drop := st.First
	if st.First++; h != nil && h.Kind == "import" {
		if st.Imports = append(st.Imports, drop); len(st.Imports) <= maxImports {
			return nil
		}
		drop, st.Imports = st.Imports[0], st.Imports[1:]
		return e.discard(drop)
	}
	return e.discardAs(h, drop)
}

// leave takes a change out that was taken back.
func (e *edit) leave(seq uint64) error {
	st, err := readStack(e.tx)
	if err != nil {
		return err
	}
	if i := slices.Index(st.Imports, seq); i >= 0 {
		st.Imports = slices.Delete(st.Imports, i, i+1)
		if err := e.writeStack(st); err != nil {
			return err
		}
	}
	return e.discard(seq)
}

// keepChange writes what undoing a change made by hand needs: in one record, or
// in several where it is much.
func (e *edit) keepChange(h *changeHead) error {
	size := 0
	for _, im := range e.images {
		size += len(im.Before) + len(im.Side)
	}
	if size > pieceSize/2 {
		return e.keepImages(h)
	}
	h.Images = e.images
	return e.writeHead(h)
}

func (e *edit) writeHead(h *changeHead) error {
	text, err := rows.EncodeJSON(h)
	if err != nil {
		return err
	}
	return e.tx.Put(vault.Changes, headID(h.Seq), h.At.Time, text)
}

// keepImages writes the images of one batch of an import, and its head.
func (e *edit) keepImages(h *changeHead) error {
	rest := e.images
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
	return e.writeHead(h)
}

func (e *edit) keepPart(h *changeHead, images []*image) error {
	h.Parts++
	for _, im := range images {
		if err := e.keepConversation(h.Seq, h.Parts, im); err != nil {
			return err
		}
	}
	text, err := rows.EncodeJSON(images)
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Changes, partID(h.Seq, h.Parts), e.now.Time, text); err != nil {
		return fmt.Errorf("keep change: %w", err)
	}
	return nil
}

// pieceSize keeps what is kept for undoing below the limit of a record.
const pieceSize = 4 << 20

func (e *edit) keepConversation(seq uint64, part int, im *image) error {
	if im.kept == nil {
		return nil
	}
	for piece := range im.kept.Pieces() {
		if err := e.tx.Put(vault.Changes, pieceID(seq, part, im.ID, im.Pieces), e.now.Time, piece); err != nil {
			return fmt.Errorf("keep conversation: %w", err)
		}
		im.Pieces++
	}
	im.Packed, im.kept = true, nil
	return nil
}

// readHead returns nil where the change is gone.
func readHead(tx *vault.Tx, seq uint64) (*changeHead, error) {
	text, err := tx.Find(vault.Changes, headID(seq))
	if err != nil || text == nil {
		return nil, err
	}
	var h changeHead
	if err := jsonv2.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("read change: %w", err)
	}
	return &h, nil
}

// brief is what of a head tells how to let go of a change.
type brief struct {
	Kind  string `json:"kind"`
	Parts int    `json:"parts"`
}

// readBrief returns nil where the change is gone.
func readBrief(tx *vault.Tx, seq uint64) (*brief, error) {
	text, err := tx.Find(vault.Changes, headID(seq))
	if err != nil || text == nil {
		return nil, err
	}
	var h brief
	if err := jsonv2.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("read change: %w", err)
	}
	return &h, nil
}

func readPart(tx *vault.Tx, seq uint64, part int) (images []*image, err error) {
	text, err := tx.Get(vault.Changes, partID(seq, part))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &images); err != nil {
		return nil, fmt.Errorf("read change: %w", err)
	}
	return images, nil
}

// newest is the change that undo would take back, nil when there is none.
func newest(tx *vault.Tx) (*changeHead, error) {
	st, err := readStack(tx)
	if err != nil {
		return nil, err
	}
	for seq := st.Last; seq >= st.First && seq > 0; seq-- {
		h, err := readHead(tx, seq)
		if h != nil || err != nil {
			return h, err
		}
	}
	return nil, nil
}

// discard removes a change and everything kept for it.
func (e *edit) discard(seq uint64) error {
	h, err := readBrief(e.tx, seq)
	if err != nil {
		return err
	}
	return e.discardAs(h, seq)
}

// discardAs is discard for who has read the head; nil where it is gone.
func (e *edit) discardAs(h *brief, seq uint64) error {
	if h == nil {
		return nil
	}
	for part := 1; part <= h.Parts; part++ {
		images, err := readPart(e.tx, seq, part)
		if err != nil {
			return err
		}
		if err := e.discardPart(seq, part, images); err != nil {
			return err
		}
	}
	if err := e.tx.Delete(vault.Changes, headID(seq)); err != nil {
		return fmt.Errorf("discard change: %w", err)
	}
	return nil
}

// discardPart removes one part of a change, with the conversations it keeps.
func (e *edit) discardPart(seq uint64, part int, images []*image) error {
	for _, im := range images {
		for piece := range im.Pieces {
			if err := e.tx.Delete(vault.Changes, pieceID(seq, part, im.ID, piece)); err != nil {
				return fmt.Errorf("discard change: %w", err)
			}
		}
	}
	if err := e.tx.Delete(vault.Changes, partID(seq, part)); err != nil {
		return fmt.Errorf("discard change: %w", err)
	}
	return nil
}

// change runs fn as one thing that can be undone and returns what it made.
func change[T any](ctx context.Context, s *library, kind string, fn func(*edit) (T, []string, error)) (T, error) {
	var made T
	err := s.write(ctx, func(e *edit) error {
		var subjects []string
		var err error
		if made, subjects, err = fn(e); err != nil || len(e.images) == 0 {
			return err
		}
		head, err := e.begin(kind, subjects...)
		if err != nil {
			return err
		}
		if err := e.keepChange(head); err != nil {
			return err
		}
		return e.log(actionOf(kind), subjects[0], len(subjects))
	})
	return made, err
}

// LastChange is what Undo would take back, nil when there is nothing.
func (s *libraryFace) LastChange(ctx context.Context) (*Change, error) {
	var last *Change
	err := s.lib.read(ctx, func(_ *session, tx *vault.Tx) error {
		h, err := newest(tx)
		if h != nil {
			last = &h.Change
		}
		return err
	})
	return last, err
}

func errNothingToUndo() error {
	return fault.New(fault.NotFound, "nothing-to-undo", "There is nothing to undo.")
}
