package rows

import (
	"cmp"
	"slices"

	"keepsake/backend/memory"
)

// RelationWithID finds a relation by its id.
func (r *Rows) RelationWithID(id string) (memory.Relation, bool) {
	r.RLock()
	defer r.RUnlock()
	rel, ok := r.Relations[id]
	return rel, ok
}

// Relation finds the relation of type t from one memory to another.
func (r *Rows) Relation(from string, t memory.RelationType, to string) (memory.Relation, bool) {
	r.RLock()
	defer r.RUnlock()
	for _, id := range r.Touching[from] {
		if rel := r.Relations[id]; rel.From == from && rel.To == to && rel.Type == t {
			return rel, true
		}
	}
	return memory.Relation{}, false
}

// Supersedes reports whether the memory from supersedes the memory to, directly or through
// other memories.
func (r *Rows) Supersedes(from, to string) bool {
	r.RLock()
	defer r.RUnlock()
	seen := map[string]bool{}
	for next := []string{from}; len(next) > 0; {
		at := next[0]
		next = next[1:]
		if at == to {
			return true
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		for _, id := range r.Touching[at] {
			if rel := r.Relations[id]; rel.From == at && rel.Type == memory.Supersedes {
				next = append(next, rel.To)
			}
		}
	}
	return false
}

// TouchingOf lists the ids of a memory's relations, in both directions.
func (r *Rows) TouchingOf(id string) []string {
	r.RLock()
	defer r.RUnlock()
	return slices.Clone(r.Touching[id])
}

// CountTouching counts the relations of a memory, in both directions.
func (r *Rows) CountTouching(id string) int {
	r.RLock()
	defer r.RUnlock()
	return len(r.Touching[id])
}

// RelationsOf lists a memory's relations, oldest first. The caller holds the lock.
func (r *Rows) RelationsOf(id string) []memory.Relation {
	out := make([]memory.Relation, 0, len(r.Touching[id]))
	for _, rel := range r.Touching[id] {
		out = append(out, r.Relations[rel])
	}
	slices.SortFunc(out, OldestRelation)
	return out
}

// OldestRelation compares relations for sorting: oldest first, then by id.
func OldestRelation(a, b memory.Relation) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}
