package library

import (
	"context"
	"maps"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Relate adds a relation of type t from one memory to another.
func (s *Service) Relate(ctx context.Context, from string, t memory.RelationType, to string) (memory.Relation, error) {
	return MakeChange(ctx, s.lib, "relate", func(e *Tx) (memory.Relation, []string, error) {
		rel, err := e.Relate(from, t, to)
		return rel, []string{from, to}, err
	})
}

// Relate is Service.Relate in this transaction.
func (e *Tx) Relate(from string, t memory.RelationType, to string) (memory.Relation, error) {
	for _, id := range []string{from, to} {
		if !e.VaultTx.Has(vault.Memories, id) {
			return memory.Relation{}, rows.ErrNoMemory(id)
		}
	}
	if err := e.CheckRelation(from, t, to); err != nil {
		return memory.Relation{}, err
	}
	rel := memory.Relation{ID: e.NewID(), From: from, To: to, Type: t, CreatedAt: e.Now}
	return rel, e.PutRelation(rel)
}

// CheckRelation refuses an invalid relation: an unknown type, a memory related to itself, a
// duplicate, or a cycle of supersedes.
func (e *Tx) CheckRelation(from string, t memory.RelationType, to string) error {
	if !slices.Contains(memory.RelationTypes(), t) {
		return fault.New(fault.Invalid, "unknown-relation", "There is no relation called {relation}.").With("relation", t)
	}
	if from == to {
		return fault.New(fault.Invalid, "relation-to-itself", "A memory cannot be related to itself.")
	}
	if _, exists := e.Rows.Relation(from, t, to); exists {
		return fault.New(fault.Conflict, "relation-exists", "These two memories are related like that already.")
	}
	if t == memory.Supersedes && e.Rows.Supersedes(to, from) {
		return errCircle()
	}
	return nil
}

// ChangeRelation changes the type of a relation. The two memories, and the labels that
// sources have for the relation, stay.
func (s *Service) ChangeRelation(ctx context.Context, id string, t memory.RelationType) (memory.Relation, error) {
	return MakeChange(ctx, s.lib, "relation-kind", func(e *Tx) (memory.Relation, []string, error) {
		rel, ok := e.Rows.RelationWithID(id)
		switch {
		case !ok:
			return rel, nil, errNoRelation(id)
		case rel.Type == t:
			return rel, nil, nil
		}
		if err := e.CheckRelation(rel.From, t, rel.To); err != nil {
			return rel, nil, err
		}
		rel.Type = t
		if err := e.PutRelation(rel); err != nil {
			return rel, nil, err
		}
		return rel, []string{rel.From, rel.To}, e.onlyWords(id)
	})
}

func errNoRelation(id string) error {
	return fault.New(fault.NotFound, "no-relation", "There is no relation with the id {id}.").With("id", rows.ShortID(id))
}

// onlyWords removes the stored forms in which documents express a relation whose type was
// changed: they name the old type. It keeps the labels that sources gave the relation.
func (e *Tx) onlyWords(relation string) error {
	ways, err := TextsIn(e.VaultTx, SaidOf(relation))
	if err != nil {
		return err
	}
	kept := []string{}
	for _, way := range ways {
		if label, _ := LabelOf(way); label != "" {
			kept = append(kept, RelationWord{Label: label}.Encode())
		}
	}
	if len(kept) == 0 {
		return e.DropPlain(OfInterchange, SaidOf(relation))
	}
	return e.PutSaid(relation, kept)
}

// Unrelate removes a relation. The memories stay as they are.
func (s *Service) Unrelate(ctx context.Context, id string) error {
	_, err := MakeChange(ctx, s.lib, "unrelate", func(e *Tx) (struct{}, []string, error) {
		rel, ok := e.Rows.RelationWithID(id)
		if !ok {
			return struct{}{}, nil, errNoRelation(id)
		}
		return struct{}{}, []string{rel.From, rel.To}, e.DropRelation(id)
	})
	return err
}

// Relations lists all relations, oldest first.
func (s *Service) Relations(ctx context.Context) ([]memory.Relation, error) {
	all := []memory.Relation{}
	err := s.lib.Read(ctx, func(v *Session, _ *vault.Tx) error {
		v.Rows.RLock()
		defer v.Rows.RUnlock()
		all = slices.AppendSeq(all, maps.Values(v.Rows.Relations))
		return nil
	})
	slices.SortFunc(all, rows.OldestRelation)
	return all, err
}
