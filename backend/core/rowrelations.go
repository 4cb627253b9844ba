package core

import (
	"cmp"
	"slices"

	"keepsake/backend/memory"
)

// relationWithID finds one by its id.
func (r *rows) relationWithID(id string) (memory.Relation, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	rel, ok := r.relations[id]
	return rel, ok
}

// relation finds one by its ends.
func (r *rows) relation(from string, t memory.RelationType, to string) (memory.Relation, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, id := range r.touching[from] {
		if rel := r.relations[id]; rel.From == from && rel.To == to && rel.Type == t {
			return rel, true
		}
	}
	return memory.Relation{}, false
}

// supersedes reports whether one memory replaces another, also by way of
// further ones.
func (r *rows) supersedes(from, to string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
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
		for _, id := range r.touching[at] {
			if rel := r.relations[id]; rel.From == at && rel.Type == memory.Supersedes {
				next = append(next, rel.To)
			}
		}
	}
	return false
}

// touchingOf lists the ids of a memory's relations.
func (r *rows) touchingOf(id string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.touching[id])
}

func (r *rows) countTouching(id string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.touching[id])
}

// relationsOf lists a memory's relations, oldest first; the lock is held.
func (r *rows) relationsOf(id string) []memory.Relation {
	out := make([]memory.Relation, 0, len(r.touching[id]))
	for _, rel := range r.touching[id] {
		out = append(out, r.relations[rel])
	}
	slices.SortFunc(out, oldestRelation)
	return out
}

func oldestRelation(a, b memory.Relation) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}
