package exports

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/vault"
)

// makeVectors makes the vectors that an export needs and that are missing.
func (s *Service) makeVectors(ctx context.Context, o ExportOptions) error {
	if !o.OwnEmbeddings {
		return nil
	}
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	return meaning.Of(v).CatchUp(ctx, 0)
}

// chooseOwnEmbeddings adds to the embeddings of an export those that this program made, of
// memories that have no other. They go by the ids of their memories.
func (l *selection) chooseOwnEmbeddings(v *library.Session) (err error) {
	if !l.options.OwnEmbeddings {
		return nil
	}
	if l.own, err = meaning.Of(v).Vectors(); err != nil {
		return err
	}
	for _, row := range l.rows {
		if l.embedded[row.ID] == "" && !l.hidesIn(row.ID) && l.own.Has(row.Seq) {
			l.embedded[row.ID] = "embedding-" + row.ID
		}
	}
	return nil
}

// embedding reads the embedding of a memory, or makes one of the vector of this program.
func (l *selection) embedding(tx *vault.Tx, row *rows.Memory) (pam.Embedding, error) {
	if tx.Has(vault.Embeddings, row.ID) {
		return library.ReadEmbedding(tx, row.ID)
	}
	x := pam.Embedding{MemoryID: row.ID, Model: l.own.Model, CreatedAt: l.date, Vector: l.own.Of(row.Seq)}
	x.Dimensions = len(x.Vector)
	return x, x.Check()
}
