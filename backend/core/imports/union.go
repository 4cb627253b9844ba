package imports

import (
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// An import never removes messages. People import exports of one conversation in any
// order, and some hold only a part of it. So before a new version is stored, it gets the
// stored messages that it lacks.

// knownOf pairs the messages of d, an older version of a conversation, with the messages
// of the stored version. It returns nil if the vault has all messages of d.
func (a *batchApplier) knownOf(old vault.ConversationHead, d *importer.ConversationDraft) (memory.Pairs, error) {
	if d.Transcript || len(d.Messages) == 0 || a.IsHeadOnly(d.ID) || d.Kept && isOneReading(d.ImportMetadata, old.ImportMetadata) {
		return nil, nil
	}
	pairs, err := memory.Pair(d.Each(), a.VaultTx.Messages(old.ID))
	if err != nil || len(pairs) == len(d.Messages) {
		return nil, err
	}
	return pairs, nil
}

// addToOlder turns d, an older version of a conversation, into the stored newer version
// plus those messages that only d has.
func (a *batchApplier) addToOlder(old vault.ConversationHead, d *importer.ConversationDraft, known memory.Pairs) error {
	newer := make([]memory.Message, 0, old.MessageCount)
	for m, err := range a.VaultTx.Messages(old.ID) {
		if err != nil {
			return err
		}
		newer = append(newer, m)
	}
	all, err := memory.Union(newer, d.Each(), known)
	if err != nil {
		return err
	}
	files, made := d.File, d.ImportMetadata
	d.Conversation, d.Sum, d.TimeSource = old.Conversation, old.Sum, old.TimeSource
	d.Messages, d.File, d.ImportMetadata, d.Outline = all, files, made, jsonstream.Outline{Start: old.Start, Size: old.Size}
	importer.Join(&d.Conversation, old.Leaf, "")
	a.united(old, d)
	return nil
}

// unionMember marks in raw_metadata a conversation that was put together from several
// exports.
const unionMember = "keepsake_union"

// addMissing adds to a newer version of a conversation the stored messages that it lacks.
// It does nothing if a newer reader read the same file again: that reader leaves messages
// out on purpose.
func (a *batchApplier) addMissing(old vault.ConversationHead, d *importer.ConversationDraft) error {
	if a.IsHeadOnly(d.ID) || old.RawMetadata[unionMember] == nil && isSameFile(d.ImportMetadata, old.ImportMetadata) {
		return nil
	}
	pairs, err := memory.Pair(a.VaultTx.Messages(old.ID), d.Each())
	if err != nil || len(pairs) == old.MessageCount {
		return err
	}
	all, err := memory.Union(d.Messages, a.VaultTx.Messages(old.ID), pairs)
	if err != nil {
		return err
	}
	d.Messages = all
	importer.Join(&d.Conversation, d.Leaf, "")
	a.united(old, d)
	if at := old.Temporal.CreatedAt; d.TimeSource == "message" && at.Compare(d.Temporal.CreatedAt) < 0 {
		d.Temporal.CreatedAt = at
	}
	return nil
}

// united marks a conversation as merged (unionMember), and counts it once per import.
func (a *batchApplier) united(old vault.ConversationHead, d *importer.ConversationDraft) {
	d.RawMetadata = withText(d.RawMetadata, unionMember, "true")
	if old.ImportID != a.run.id || old.RawMetadata[unionMember] == nil {
		a.counts.conversations.United++
	}
}

func isSameFile(a, b *memory.ImportMetadata) bool {
	return a != nil && b != nil && a.SourceChecksum != "" && a.SourceChecksum == b.SourceChecksum
}
