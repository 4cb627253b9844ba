package core

import (
	"context"
	"io"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/core/lifecycle"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/vault"
)

// WriteOwnKey writes the key that exports are signed with as a key file.
func WriteOwnKey(ctx context.Context, s *Service, w io.Writer) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	key, err := documents.Signer(v.Vault)
	if err != nil {
		return err
	}
	return pam.WriteKey(w, key, nil)
}

// HoldUpload is Service.AddUpload for data that is there already, whatever disk it
// lies on.
func HoldUpload(s *Service, name string, size int64, data intake.Scratch) files.Input {
	s.files.Hold(name, &files.Upload{Name: name, Size: size, Data: data})
	return files.Input{Upload: name}
}

// LookAtClock is what WatchPresence does every few seconds.
func LookAtClock(s *Service) { lifecycle.LookAtClock(s.lifecycleService) }

// WatchOnce is the beginning of WatchPresence.
func WatchOnce(s *Service) {
	lifecycle.BeginWatch(s.lifecycleService)
	lifecycle.LookAtClock(s.lifecycleService)
}

// JobRuns reports whether an import runs.
func JobRuns(s *Service) bool { return s.lib.IsImporting() }

// Foreseen are the sizes of the elements that an import would expect, by how they
// begin.
func Foreseen(ctx context.Context, s *Service, platform, version string) (map[uint32]int, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	k, err := imports.KnownElements(v, importer.Info{Platform: platform, Version: version}, "")
	return k.Sizes, err
}

// FoundDamaged is what a proof of the vault in hand does that fails.
func FoundDamaged(s *Service, found error) {
	lifecycle.FoundDamaged(s.lifecycleService, s.lib.Open.Vault, found)
}

// FoundAnotherDamaged is the same of a vault that is open no more.
func FoundAnotherDamaged(s *Service, found error) {
	lifecycle.FoundDamaged(s.lifecycleService, &vault.Vault{}, found)
}

// PutEmbeddings keeps embeddings as an import does: as one change that can be
// undone.
func PutEmbeddings(s *Service, all ...pam.Embedding) error {
	_, err := library.MakeChange(context.Background(), s.lib, "edit", func(e *library.Tx) (struct{}, []string, error) {
		var subjects []string
		for _, x := range all {
			subjects = append(subjects, x.MemoryID)
			if err := e.PutEmbedding(x.MemoryID, x); err != nil {
				return struct{}{}, nil, err
			}
		}
		return struct{}{}, subjects, nil
	})
	return err
}

// CheckRollback is what an unlock does once the first list is shown.
func CheckRollback(s *Service) { lifecycle.CheckRollback(s.lifecycleService, s.lib.Open) }

// Kept is how many records of documents are kept beside memories and tasks.
func Kept(s *Service) (n int) {
	_ = s.lib.Open.Vault.View(func(tx *vault.Tx) error {
		n = tx.Count(vault.Interchange)
		return nil
	})
	return n
}

// KeepAsBefore lets what undo needs of the conversations of an import be as programs
// before this one left it, and says how many there are.
func KeepAsBefore(s *Service, importID string) (n int, err error) {
	err = s.lib.Write(context.Background(), func(e *library.Tx) error {
		h, err := library.ChangeOf(e.VaultTx, importID)
		if err != nil {
			return err
		}
		for part := 1; part <= h.Parts; part++ {
			images, err := library.ReadPart(e.VaultTx, h.Seq, part)
			if err != nil {
				return err
			}
			for _, im := range images {
				if im.Kind != library.OfConversation || im.Pieces == 0 {
					continue
				}
				n++
				if err := keepAsBefore(e, h.Seq, part, im); err != nil {
					return err
				}
			}
			text, err := rows.EncodeJSON(images)
			if err != nil {
				return err
			}
			if err := e.VaultTx.Put(vault.Changes, library.PartID(h.Seq, part), e.Now.Time, text); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

func keepAsBefore(e *library.Tx, seq uint64, part int, im *library.Image) error {
	k, err := library.ReadKept(e.VaultTx, seq, part, im)
	if err != nil {
		return err
	}
	g := library.KeptGraph{
		Conversation: &k.Head.Conversation, Leaf: k.Head.Leaf, Sum: k.Head.Sum[:], Start: k.Head.Start, Size: k.Head.Size,
		ImportID: k.Head.ImportID, File: k.Head.File, TimeSource: k.Head.TimeSource,
	}
	for m, err := range k.Messages() {
		if err != nil {
			return err
		}
		g.Conversation.Messages = append(g.Conversation.Messages, m)
	}
	text, err := rows.EncodeJSON(g)
	if err != nil {
		return err
	}
	half := len(text) / 2
	for i, piece := range [][]byte{text[:half], text[half:]} {
		if err := e.VaultTx.Put(vault.Changes, library.PieceID(seq, part, im.ID, i), e.Now.Time, piece); err != nil {
			return err
		}
	}
	im.Pieces, im.Packed = 2, false
	return nil
}
