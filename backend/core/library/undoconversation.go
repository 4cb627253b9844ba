package library

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/vault"
)

// takeBackConversation restores the previous version of a conversation, or removes a
// conversation that the import added. A conversation stays as it is if a later import
// has replaced it or held it in its files, too.
func (u *undoRun) takeBackConversation(im *Image, part int) error {
	key := fateKey(OfConversation, im.ID)
	head, err := u.VaultTx.ConversationHead(im.ID)
	if rows.IsAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept *keptConversation
	if im.Pieces > 0 && u.needsKept(im.ID) {
		if kept, err = ReadKept(u.VaultTx, u.head.Seq, part, im); err != nil {
			return err
		}
		if err := FilesOf(kept.Messages(), u.importUndo.free); err != nil { // unused files, unless kept is restored
			return err
		}
	}
	// A conversation that this import added also stays if an earlier import contained it.
	shared, err := u.conversationStays(head, im.Pieces > 0)
	if err != nil {
		return err
	}
	if shared {
		u.importUndo.fates[key] = fateShared
		return nil
	}
	if im.Pieces == 0 {
		return u.takeOut(head)
	}
	if kept != nil && u.importUndo.undone[kept.Head.ImportID] {
		was := head
		was.ImportID = kept.Head.ImportID
		stays, err := u.conversationStays(was, false)
		if err != nil {
			return err
		}
		if !stays {
			return u.takeOut(head)
		}
	}
	u.importUndo.fates[key] = fateBack
	if u.importUndo.proposing[im.ID] {
		if u.importUndo.shrunk[im.ID], err = kept.ids(); err != nil {
			return err
		}
	}
	if u.looks() {
		return nil
	}
	if err := u.freeFiles(im.ID); err != nil {
		return err
	}
	return kept.putBack(u.Tx)
}

// needsKept reports whether the undo must read the older version of a conversation. A dry
// run of an undo often does not need it.
func (u *undoRun) needsKept(id string) bool {
	return !u.looks() || len(u.importUndo.undone) > 0 || u.importUndo.proposing[id]
}

// conversationStays reports whether an undo keeps a conversation: another import has
// replaced it, or had it in its files (with onlyLater, only a later import counts).
func (u *undoRun) conversationStays(head vault.ConversationHead, onlyLater bool) (bool, error) {
	if !u.importUndo.gone(head.ImportID) {
		return true, nil
	}
	seq, err := u.VaultTx.Seq(vault.Conversations, head.ID)
	if err != nil {
		return false, err
	}
	_, seen := u.importUndo.seenBy(seq, conversationsOf, onlyLater)
	return seen, nil
}

// takeOut removes a conversation and collects its files for deletion; in a plan it only
// counts it.
func (u *undoRun) takeOut(head vault.ConversationHead) error {
	u.importUndo.fates[fateKey(OfConversation, head.ID)] = fateOut
	u.importUndo.result.Messages += head.Said()
	if u.looks() {
		return nil
	}
	if err := u.freeFiles(head.ID); err != nil {
		return err
	}
	return u.DropConversation(head.ID)
}

// freeFiles adds the files of a conversation to importUndo.blobs. At its end, the undo
// deletes those of them that are no longer in use.
func (u *undoRun) freeFiles(id string) error {
	return FilesOf(u.VaultTx.Messages(id), u.importUndo.free)
}

func (u *undoRun) orphanConversation(id string) error {
	if _, judged := u.importUndo.fates[fateKey(OfConversation, id)]; judged {
		return nil
	}
	head, err := u.VaultTx.ConversationHead(id)
	if rows.IsAbsent(err) {
		return nil
	}
	if err != nil || !u.importUndo.undone[head.ImportID] {
		return err
	}
	if stays, err := u.conversationStays(head, false); stays || err != nil {
		return err
	}
	return u.takeOut(head)
}
