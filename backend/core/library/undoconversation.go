package library

import (
	"keepsake/backend/core/rows"
	"keepsake/backend/vault"
)

// takeBackConversation puts the older graph back, or removes a conversation that
// was new. One that a later import has replaced, or that its files held, too,
// stays.
func (u *undoing) takeBackConversation(im *Image, part int) error {
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
		if err := kept.files(u.taking.free); err != nil { // they may come back, or not
			return err
		}
	}
	shared, err := u.conversationStays(head, im.Pieces > 0) // one that was new, an earlier import has seen only where it held a copy
	if err != nil {
		return err
	}
	if shared {
		u.taking.fates[key] = fateShared
		return nil
	}
	if im.Pieces == 0 {
		return u.takeOut(head)
	}
	if kept != nil && u.taking.undone[kept.Head.ImportID] {
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
	u.taking.fates[key] = fateBack
	if u.taking.proposing[im.ID] {
		if u.taking.shrunk[im.ID], err = kept.ids(); err != nil {
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

// needsKept reports that what a conversation was must be read: a plan can often
// do without.
func (u *undoing) needsKept(id string) bool {
	return !u.looks() || len(u.taking.undone) > 0 || u.taking.proposing[id]
}

// conversationStays reports that another import has replaced a conversation, or
// held it as it is.
func (u *undoing) conversationStays(head vault.ConversationHead, onlyLater bool) (bool, error) {
	if !u.taking.gone(head.ImportID) {
		return true, nil
	}
	seq, err := u.VaultTx.Seq(vault.Conversations, head.ID)
	if err != nil {
		return false, err
	}
	_, seen := u.taking.seenBy(seq, conversationsOf, onlyLater)
	return seen, nil
}

// takeOut removes a conversation with the files that nobody else names.
func (u *undoing) takeOut(head vault.ConversationHead) error {
	u.taking.fates[fateKey(OfConversation, head.ID)] = fateOut
	u.taking.result.Messages += head.Said()
	if u.looks() {
		return nil
	}
	if err := u.freeFiles(head.ID); err != nil {
		return err
	}
	return u.DropConversation(head.ID)
}

// freeFiles notes what a conversation names: it may be named by nothing soon.
func (u *undoing) freeFiles(id string) error {
	for m, err := range u.VaultTx.Messages(id) {
		if err != nil {
			return err
		}
		NamedFiles(&m, u.taking.free)
	}
	return nil
}

func (u *undoing) orphanConversation(id string) error {
	if _, judged := u.taking.fates[fateKey(OfConversation, id)]; judged {
		return nil
	}
	head, err := u.VaultTx.ConversationHead(id)
	if rows.IsAbsent(err) {
		return nil
	}
	if err != nil || !u.taking.undone[head.ImportID] {
		return err
	}
	if stays, err := u.conversationStays(head, false); stays || err != nil {
		return err
	}
	return u.takeOut(head)
}
