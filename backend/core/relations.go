package core

import (
	"context"
	"slices"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Relate draws a relation between two memories.
func (s *libraryFace) Relate(ctx context.Context, from string, t memory.RelationType, to string) (memory.Relation, error) {
	return change(ctx, s.lib, "relate", func(e *edit) (memory.Relation, []string, error) {
		rel, err := e.relate(from, t, to)
		return rel, []string{from, to}, err
	})
}

func (e *edit) relate(from string, t memory.RelationType, to string) (memory.Relation, error) {
	for _, id := range []string{from, to} {
		if !e.tx.Has(vault.Memories, id) {
			return memory.Relation{}, rows.ErrNoMemory(id)
		}
	}
	if err := e.mayBe(from, t, to); err != nil {
		return memory.Relation{}, err
	}
	rel := memory.Relation{ID: e.newID(), From: from, To: to, Type: t, CreatedAt: e.now}
	return rel, e.putRelation(rel)
}

// mayBe refuses a relation that is none, or that is there already.
func (e *edit) mayBe(from string, t memory.RelationType, to string) error {
	if !slices.Contains(memory.RelationTypes(), t) {
		return fault.New(fault.Invalid, "unknown-relation", "There is no relation called {relation}.").With("relation", t)
	}
	if from == to {
		return fault.New(fault.Invalid, "relation-to-itself", "A memory cannot be related to itself.")
	}
	if _, exists := e.rows.Relation(from, t, to); exists {
		return fault.New(fault.Conflict, "relation-exists", "These two memories are related like that already.")
	}
	if t == memory.Supersedes && e.rows.Supersedes(to, from) {
		return errCircle()
	}
	return nil
}

// ChangeRelation gives a relation another kind. What it leads between, and the word that
// its source had for it, stay.
func (s *libraryFace) ChangeRelation(ctx context.Context, id string, t memory.RelationType) (memory.Relation, error) {
	return change(ctx, s.lib, "relation-kind", func(e *edit) (memory.Relation, []string, error) {
		rel, ok := e.rows.RelationWithID(id)
		switch {
		case !ok:
			return rel, nil, errNoRelation(id)
		case rel.Type == t:
			return rel, nil, nil
		}
		if err := e.mayBe(rel.From, t, rel.To); err != nil {
			return rel, nil, err
		}
		rel.Type = t
		if err := e.putRelation(rel); err != nil {
			return rel, nil, err
		}
		return rel, []string{rel.From, rel.To}, e.onlyWords(id)
	})
}

func errNoRelation(id string) error {
	return fault.New(fault.NotFound, "no-relation", "There is no relation with the id {id}.").With("id", rows.ShortID(id))
}

// onlyWords lets go of the ways in which documents said a relation, which say its kind,
// and keeps the words of their own that sources had for it.
func (e *edit) onlyWords(relation string) error {
	ways, err := textsIn(e.tx, saidOf(relation))
	if err != nil {
		return err
	}
	kept := []string{}
	for _, way := range ways {
		if label, _ := labelOf(way); label != "" {
			kept = append(kept, relationWord{Label: label}.encode())
		}
	}
	if len(kept) == 0 {
		return e.dropPlain(ofInterchange, saidOf(relation))
	}
	return e.putSaid(relation, kept)
}

// Unrelate removes a relation. The memories stay as they are.
func (s *libraryFace) Unrelate(ctx context.Context, id string) error {
	_, err := change(ctx, s.lib, "unrelate", func(e *edit) (struct{}, []string, error) {
		rel, ok := e.rows.RelationWithID(id)
		if !ok {
			return struct{}{}, nil, errNoRelation(id)
		}
		return struct{}{}, []string{rel.From, rel.To}, e.dropRelation(id)
	})
	return err
}

// Relations lists all relations, oldest first.
func (s *libraryFace) Relations(ctx context.Context) ([]memory.Relation, error) {
	all := []memory.Relation{}
	err := s.lib.read(ctx, func(v *session, _ *vault.Tx) error {
		v.rows.RLock()
		defer v.rows.RUnlock()
		for _, rel := range v.rows.Relations {
			all = append(all, rel)
		}
		return nil
	})
	slices.SortFunc(all, rows.OldestRelation)
	return all, err
}
