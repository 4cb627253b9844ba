package library

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Removed returns the conversations and memories that earlier imports of an account brought
// and that the newest complete export of that account lacks. They stay in the vault and are
// shown as removed at the provider.
func (v *Session) Removed(tx *vault.Tx) (Holding, error) {
	v.Rows.RLock()
	version := v.Rows.Sightings
	v.Rows.RUnlock()
	return v.gone.GetOr("", version, func() (Holding, error) {
		all, err := sightings(tx, "")
		return removedFrom(v.Rows, all), err
	})
}

// accountOf identifies an account. Only exports of the same account are compared.
type accountOf struct{ platform, account string }

// removedFrom computes the result of Removed from all sightings (which records the files of
// each import held), newest first. A record that another account is known to still hold
// does not count as removed.
func removedFrom(r *rows.Rows, all []Sighting) (gone Holding) {
	exports := map[accountOf][]SeenExport{}
	for _, s := range all {
		for _, e := range s.Exports {
			if of := (accountOf{e.Platform, e.Account}); !e.Document {
				exports[of] = append(exports[of], e)
			}
		}
	}
	r.RLock()
	defer r.RUnlock()
	var kept Holding
	for of, theirs := range exports {
		lacking := lackingIn(r, of.platform, theirs)
		gone.AddAll(lacking)
		for _, e := range theirs {
			stays := Holding{}
			stays.AddAll(e.Holding)
			stays.dropAll(lacking)
			kept.AddAll(stays)
		}
	}
	gone.dropAll(kept)
	return gone
}

// lackingIn returns the records that earlier exports of an account held and its newest
// complete export lacks. Conversations that began after the newest one in that export are
// left out: they may not have existed when it was made. The caller holds the lock of r.
func lackingIn(r *rows.Rows, platform string, exports []SeenExport) (gone Holding) {
	if newest := newestWhole(exports, func(e SeenExport) bool { return e.AllConversations }); newest != nil {
		gone.Conversations = before(exports, newest.Until, conversationsOf)
		gone.Conversations.dropAll(newest.Conversations)
		gone.Conversations.keep(func(seq uint64) bool {
			row := r.Conversations.BySeq.At(seq)
			return row != nil && r.Words.Text(row.Platform) == platform && row.Created != 0 && row.Created <= rows.MicroOf(newest.Until)
		})
	}
	if newest := newestWhole(exports, func(e SeenExport) bool { return e.AllMemories }); newest != nil {
		gone.Memories = before(exports, newest.Until, memoriesOf)
		gone.Memories.dropAll(newest.Memories)
		gone.Memories.keep(func(seq uint64) bool {
			row := r.Memories.BySeq.At(seq)
			return row != nil && row.Platform == platform
		})
	}
	return gone
}

// newestWhole returns the complete export with the latest Until (time of its last
// change), nil if no export is complete. If several have this Until, it returns the one
// imported last. It goes by Until because people import old exports after new ones.
func newestWhole(exports []SeenExport, whole func(SeenExport) bool) (newest *SeenExport) {
	for i, e := range exports { // newest import first
		if whole(e) && (newest == nil || e.Until.Compare(newest.Until) > 0) {
			newest = &exports[i]
		}
	}
	return newest
}

// before returns the records in those exports whose last change (Until) is not after
// until. of selects the conversations or the memories of an export.
func before(exports []SeenExport, until memory.Time, of func(Holding) Bitset) (all Bitset) {
	for _, e := range exports {
		if e.Until.Compare(until) <= 0 {
			all.addAll(of(e.Holding))
		}
	}
	return all
}
