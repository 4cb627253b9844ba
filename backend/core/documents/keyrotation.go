package documents

import (
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// FollowKey applies the signed statements that known keys make about themselves. After a
// rotation, the new key gets the name of the old one; after a revocation, later signatures
// of the key no longer count. The person must have agreed to the result of ReadKey.
func (s *Service) FollowKey(ctx context.Context, from KeySource) ([]KeyNews, error) {
	read, err := s.findKey(ctx, from)
	if err != nil {
		return nil, err
	}
	var news []KeyNews
	_, err = s.changeKeys(ctx, func(e *library.Tx, ring *keySet) (pam.Public, error) {
		before := maps.Clone(ring.known)
		var after map[pam.Public]keyFacts
		if news, after, err = followKey(ring, read.card.Statements, e.Now); err != nil {
			return read.card.Key, err
		}
		for key, facts := range after {
			if was, known := before[key]; !known || len(was.Statements) != len(facts.Statements) {
				if err := keepKnown(e, ring, key, facts, library.LogKeyFollowed); err != nil {
					return key, err
				}
			}
		}
		return read.card.Key, nil
	})
	return news, err
}

// followKey applies key statements, revocations before rotations, to a copy of r.known.
// It returns one KeyNews for each statement that a known key made, and the changed copy.
func followKey(r *keySet, all []pam.Statement, now memory.Time) ([]KeyNews, map[pam.Public]keyFacts, error) {
	known, news := maps.Clone(r.known), []KeyNews{}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b pam.Statement) int { return strings.Compare(a.Kind, b.Kind) })
	for again := true; again; {
		again = false
		for i, s := range all {
			told, err := s.Check()
			if err != nil {
				return nil, nil, err
			}
			facts, ok := known[told.Key]
			if !ok {
				continue
			}
			said, err := takeKey(r, known, facts, told, s, now)
			if err != nil {
				return nil, nil, err
			}
			news = append(news, said)
			all, again = slices.Delete(all, i, i+1), true
			break
		}
	}
	return news, known, nil
}

// takeKey applies one statement of a known key to the map known. facts is the key's entry
// there, and told is the checked content of the statement s.
func takeKey(r *keySet, known map[pam.Public]keyFacts, facts keyFacts, told pam.Told, s pam.Statement, now memory.Time) (KeyNews, error) {
	news := KeyNews{Kind: told.Kind, Name: facts.Name, Key: keyInfo(told.Key), At: memory.At(told.At)}
	if told.Kind == pam.Revocation {
		since := memory.At(told.Since)
		news.Since = since
		if news.Fresh = facts.RevokedAt.IsZero() || since.Compare(facts.RevokedAt) < 0; news.Fresh {
			facts.RevokedAt, facts.Statements = since, append(slices.Clone(facts.Statements), s)
			known[told.Key] = facts
		}
		return news, nil
	}
	next := keyInfo(told.Next)
	news.Next = &next
	if err := mayFollow(r, known, facts, told); err != nil {
		return news, err
	}
	if news.Fresh = facts.Successor == ""; news.Fresh {
		facts.RetiredAt, facts.Successor, facts.Statements = memory.At(told.At), next.DID, append(slices.Clone(facts.Statements), s)
		known[told.Key] = facts
		if _, ok := known[told.Next]; !ok {
			known[told.Next] = keyFacts{Name: facts.Name, OwnerID: facts.OwnerID, Where: pam.Rotation, CreatedAt: now}
		}
	}
	return news, nil
}

// mayFollow returns an error if the rotation statement told cannot be trusted, because the
// new key may belong to somebody else than the old one.
func mayFollow(r *keySet, known map[pam.Public]keyFacts, facts keyFacts, told pam.Told) error {
	next, taken := known[told.Next]
	_, own := r.own[told.Next]
	switch {
	case facts.Successor == told.Next.DID():
		return nil // this rotation was applied before
	case facts.Successor != "" && facts.Successor != told.Next.DID():
		return fault.New(fault.Conflict, "two-successors", "The key of {name} names two different keys that take its place. At most one of them is from {name}.").
			With("name", facts.Name).Advise("Ask {name} before anything else.")
	case !facts.RevokedAt.IsZero() && !told.At.Before(facts.RevokedAt.Time):
		return fault.New(fault.Refused, "successor-of-revoked", "The key of {name} was revoked before it named a new one, so the new one is not taken.").
			With("name", facts.Name).Advise("Ask {name} for the new key and give it a name yourself.")
	case own || taken && !sameName(next.Name, facts.Name):
		return fault.New(fault.Conflict, "successor-taken", "The key that would take the place of that of {name} belongs to somebody else.").With("name", facts.Name)
	}
	return nil
}
