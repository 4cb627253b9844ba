package imports

import (
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// see adds records to the sighting of a group (the list of the records that its export
// held). It locks b.mu because the reading and the writing goroutine both call it.
func (b *ledger) see(g *groupLedger, h library.Holding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g.seen.AddAll(h)
}

// dates extends the time span that g's export covers to a conversation's last change.
func (b *ledger) dates(g *groupLedger, changed memory.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g.seen.Until = rows.Later(g.seen.Until, changed)
}

// seenIn returns a copy of the sighting of a group: which records its files held so far.
func (b *ledger) seenIn(g *groupLedger) library.SeenExport {
	b.mu.Lock()
	defer b.mu.Unlock()
	return g.seen
}

// exports returns, for each group whose reading began, the records that its files held.
func (r *run) exports(groups []*group) (all []library.SeenExport) {
	for _, g := range groups {
		if g.ledger == nil || g.found.Importer == nil {
			continue
		}
		e, whole := r.ledger.seenIn(g.ledger), r.wholeOf(g)
		e.Platform, e.Account, e.Document = g.found.Importer.Info().Platform, g.accounts(), g.isDocument()
		e.AllConversations = whole.Conversations && !r.options.OnlyMemories
		e.AllMemories = whole.Memories && !r.options.OnlyConversations
		all = append(all, e)
	}
	return all
}

// lost lists the reasons for skipping an item that an earlier import may have stored. An
// export with such an item counts as incomplete: otherwise the item would seem removed.
var lost = []string{becauseUnreadable, becauseTooLarge, becauseUnfit, becauseInterrupted}

// wholeOf reports whether the export that g reads held all conversations of its account,
// and whether it held all memories: neither, if g was not read completely.
func (r *run) wholeOf(g *group) importer.Whole {
	t := r.ledger.of(g.ledger)
	missed := slices.ContainsFunc(lost, func(reason string) bool { return t.skipped[reason] > 0 })
	if missed || t.problems > 0 || !g.ended || g.fault != nil || len(g.found.Match.Missing) > 0 || r.options.Picks != nil {
		return importer.Whole{}
	}
	return g.found.Match.Whole
}

// passedOver returns the records that an export holds if it has a conversation unchanged:
// the conversation and the memories stated in it. changed is the time of its last change.
func passedOver(r *rows.Rows, id string) (h library.Holding, changed memory.Time) {
	r.RLock()
	defer r.RUnlock()
	if entry := r.Conversation(id); entry != nil {
		h.Conversations.Add(uint64(entry.Seq))
		changed = rows.TimeOf(entry.LastSeen())
	}
	for _, memory := range r.Statements(id) {
		if row := r.Memories.Find(memory); row != nil {
			h.Memories.Add(row.Seq)
		}
	}
	return h, changed
}

// saw adds a memory to the sighting, the set of records that this import's files contain.
func (a *batchApplier) saw(id string) error {
	return a.sawIn(vault.Memories, id, &a.seen.Memories)
}

// sawRelation notes in a.seen that the files of this import contain a relation.
func (a *batchApplier) sawRelation(id string) error {
	return a.sawIn(vault.Relations, id, &a.seen.Relations)
}

// sawConversation adds a conversation to a.seen: the records that the files of an import
// contain, which are later stored as its Sighting.
func (a *batchApplier) sawConversation(id string) error {
	return a.sawIn(vault.Conversations, id, &a.seen.Conversations)
}

func (a *batchApplier) sawIn(c vault.Collection, id string, seen *library.Bitset) error {
	seq, numbered, err := a.Place(c, id)
	if numbered && err == nil {
		seen.Add(seq)
	}
	return err
}
