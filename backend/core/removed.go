package core

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// removed is what an earlier import of an account brought and the newest whole
// export of that account does not hold. It stays, and is marked.
func (v *session) removed(tx *vault.Tx) (holding, error) {
	v.rows.RLock()
	version := v.rows.Sightings
	v.rows.RUnlock()
	if gone, ok := v.gone.get("", version); ok {
		return gone, nil
	}
	all, err := sightings(tx, "")
	if err != nil {
		return holding{}, err
	}
	gone := removedFrom(v.rows, all)
	v.gone.put("", version, gone)
	return gone, nil
}

// accountOf is whose exports follow on each other.
type accountOf struct{ platform, account string }

// removedFrom compares what imports held, newest first. What any account still holds,
// as far as is known, is not removed.
func removedFrom(r *rows.Rows, all []sighting) (gone holding) {
	exports := map[accountOf][]seenExport{}
	for _, s := range all {
		for _, e := range s.Exports {
			if of := (accountOf{e.Platform, e.Account}); !e.Document {
				exports[of] = append(exports[of], e)
			}
		}
	}
	r.RLock()
	defer r.RUnlock()
	var kept holding
	for of, theirs := range exports {
		lacking := lackingIn(r, of.platform, theirs)
		gone.addAll(lacking)
		for _, e := range theirs {
			stays := holding{}
			stays.addAll(e.holding)
			stays.dropAll(lacking)
			kept.addAll(stays)
		}
	}
	gone.dropAll(kept)
	return gone
}

// lackingIn is what the newest whole export of an account does not hold, of what
// others before it did; the lock is held. What began after anything that is in it
// may only have come later.
func lackingIn(r *rows.Rows, platform string, exports []seenExport) (gone holding) {
	if newest, until := newestWhole(exports, func(e seenExport) bool { return e.AllConversations }); newest != nil {
		gone.Conversations = before(exports, until, conversationsOf)
		gone.Conversations.dropAll(newest.Conversations)
		gone.Conversations.keep(func(seq uint64) bool {
			row := r.Conversations.BySeq.At(seq)
			return row != nil && r.Words.Text(row.Platform) == platform && row.Created != 0 && row.Created <= rows.MicroOf(until)
		})
	}
	if newest, until := newestWhole(exports, func(e seenExport) bool { return e.AllMemories }); newest != nil {
		gone.Memories = before(exports, until, memoriesOf)
		gone.Memories.dropAll(newest.Memories)
		gone.Memories.keep(func(seq uint64) bool {
			row := r.Memories.BySeq.At(seq)
			return row != nil && row.Platform == platform
		})
	}
	return gone
}

// newestWhole finds the whole export that reaches the farthest, of several the one
// imported last; nil where none is whole. People import old exports after new ones.
func newestWhole(exports []seenExport, whole func(seenExport) bool) (newest *seenExport, until memory.Time) {
	for i, e := range exports { // newest import first
		if whole(e) && (newest == nil || e.Until.Compare(newest.Until) > 0) {
			newest = &exports[i]
		}
	}
	if newest == nil {
		return nil, until
	}
	return newest, newest.Until
}

// before is what exports held that reach no farther than until.
func before(exports []seenExport, until memory.Time, of func(holding) seqSet) (all seqSet) {
	for _, e := range exports {
		if e.Until.Compare(until) <= 0 {
			all.addAll(of(e.holding))
		}
	}
	return all
}
