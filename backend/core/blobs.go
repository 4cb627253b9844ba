package core

import (
	"context"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// dropBlobs removes files that an undone change had added and that no
// conversation names any more. A file that cannot be removed stays, sealed; it
// must not make the undo fail.
func (s *Service) dropBlobs(ctx context.Context, refs []string) {
	if len(refs) == 0 {
		return
	}
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return
	}
	defer leave()
	s.dropLoose(v, refs)
}

func (s *Service) dropLoose(v *session, refs []string) {
	if len(refs) == 0 {
		return
	}
	loose := make(map[string]bool, len(refs))
	for _, ref := range refs {
		loose[ref] = true
	}
	err := v.vault.View(func(tx *vault.Tx) error {
		for head, err := range tx.EachConversation() {
			if err != nil {
				return err
			}
			for m, err := range tx.Messages(head.ID) {
				if err != nil {
					return err
				}
				named(&m, func(ref string) { delete(loose, ref) })
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for ref := range loose {
		_ = v.vault.DeleteBlob(ref)
	}
}

// named yields the files that a message names.
func named(m *memory.Message, yield func(ref string)) {
	for _, a := range m.Attachments {
		if a.Ref != "" {
			yield(a.Ref)
		}
	}
	if m.Content == nil {
		return
	}
	for _, p := range m.Content.Parts {
		if p.Ref != "" {
			yield(p.Ref)
		}
	}
}
