package core

import (
	"context"
	"slices"

	"keepsake/backend/core/agents"
	"keepsake/backend/core/library"
	"keepsake/backend/core/proposals"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// AcceptProposal turns a proposal into a memory, with the changes in wanted. If an active memory already
// has the same text, it creates none and returns that one. A proposed change of a memory is made as it
// is, and that memory returned.
func (s *Service) AcceptProposal(ctx context.Context, id string, wanted proposals.ProposalEdit) (memory.Record, error) {
	return s.accept(ctx, []string{id}, wanted)
}

// AcceptProposals turns proposals into memories unchanged, and makes the changes among them. A single
// undo reverts all of them. If one cannot be accepted, none is.
func (s *Service) AcceptProposals(ctx context.Context, ids []string) (int, error) {
	_, err := s.accept(ctx, ids, proposals.ProposalEdit{})
	if err != nil {
		return 0, err
	}
	return len(ids), nil
}

// accept accepts proposals in one change, and returns the memory of the last of them.
func (s *Service) accept(ctx context.Context, ids []string, wanted proposals.ProposalEdit) (memory.Record, error) {
	changes, err := agents.Accept(ctx, s.agentsService, ids)
	if err != nil {
		return memory.Record{}, err
	}
	return library.MakeChange(ctx, s.lib, library.AcceptKind, func(e *library.Tx) (last memory.Record, subjects []string, err error) {
		var accepted []library.Proposal
		for _, id := range ids {
			p, err := library.NeedProposal(e.VaultTx, id)
			if err != nil {
				return last, nil, err
			}
			var touched []string
			if last, touched, err = acceptOne(e, changes, p, wanted); err != nil {
				return last, nil, err
			}
			accepted, subjects = append(accepted, p), append(subjects, touched...)
		}
		return last, slices.Compact(subjects), agents.CountAccepted(e, accepted)
	})
}

func acceptOne(e *library.Tx, changes *agents.Acceptance, p library.Proposal, wanted proposals.ProposalEdit) (memory.Record, []string, error) {
	if p.Change == nil {
		r, err := proposals.Accept(e, p, wanted)
		return r, []string{r.ID}, err
	}
	if wanted.Content != nil || wanted.Type != nil || wanted.Tags != nil {
		return memory.Record{}, nil, errChangeAsItIs()
	}
	r, err := changes.Make(e, p)
	return r, p.Change.Memories, err
}

// MergeProposal merges a proposal into the existing memory with the id into, as a repeated
// statement of it: that memory keeps its text, and its confidence is reinforced.
func (s *Service) MergeProposal(ctx context.Context, id, into string) (memory.Record, error) {
	return library.MakeChange(ctx, s.lib, "merge", func(e *library.Tx) (memory.Record, []string, error) {
		p, err := library.NeedProposal(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		if p.Change != nil {
			return memory.Record{}, nil, errChangeAsItIs()
		}
		r, err := proposals.Merge(e, p, into)
		if err != nil {
			return r, nil, err
		}
		return r, []string{into}, agents.CountAccepted(e, []library.Proposal{p})
	})
}

func errChangeAsItIs() error {
	return fault.New(fault.Invalid, "change-as-it-is", "A change of a memory is accepted as it was proposed, or rejected.").
		Advise("Reject it, and change the memory yourself.")
}
