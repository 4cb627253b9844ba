package library

import (
	"context"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// MergeMemories merges a memory into another one that says the same, and returns that one: it
// keeps its text, gains the sources of the other, and its confidence is reinforced as by one
// more statement. The other is superseded by it.
func (s *Service) MergeMemories(ctx context.Context, into, other string) (memory.Record, error) {
	return MakeChange(ctx, s.lib, "merge", func(e *Tx) (memory.Record, []string, error) {
		kept, err := rows.NeedMemory(e.VaultTx, into)
		if err != nil {
			return memory.Record{}, nil, err
		}
		gone, err := rows.NeedMemory(e.VaultTx, other)
		if err != nil {
			return memory.Record{}, nil, err
		}
		if kept.Status != memory.Active {
			return memory.Record{}, nil, fault.New(fault.Conflict, "merge-inactive", "Another memory can be merged only into an active one, and this one is {status}.").
				With("status", kept.Status).Advise("Choose an active memory.")
		}
		if _, err := e.SetStatus(other, memory.Superseded, into); err != nil {
			return memory.Record{}, nil, err
		}
		for _, src := range gone.Side.Sources {
			kept.Side.Sources = append(kept.Side.Sources, mergedSource(other, src))
		}
		if gone.Confidence != nil {
			kept.Reinforce(gone.Confidence.Value(), gone.Temporal.CreatedAt)
		}
		return kept.Record, []string{into, other}, e.PutMemory(kept.Record, kept.Side)
	})
}

// mergedSource copies a source of a memory that was merged. It has a key of its own, and
// nothing by which a document could claim the memory: what the source states later still goes
// to the memory that it stated.
func mergedSource(from string, s rows.MemorySource) rows.MemorySource {
	return rows.MemorySource{
		Platform: s.Platform, SourceKey: MergedKey(from) + s.SourceKey, ImportID: s.ImportID,
		ConversationRef: s.ConversationRef, MessageRef: s.MessageRef, Account: s.Account, SaidAt: s.SaidAt, Stated: s.Stated,
	}
}

// MergedKey begins the source keys that a memory has from another, which was merged into it.
func MergedKey(from string) string { return "merged:" + from + ":" }
