package imports

import (
	"bytes"
	"errors"
	"strconv"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Limits for the changes that a plan or a report lists. Changes beyond them are still
// counted, and ImportOptions.OnChange is called with every change.
const (
	maxChangeBytes = 128 << 10
	maxChangedText = 2000
)

// memoryChange returns the difference between a memory of the vault and a document's
// version of it. why is the reason if the stored version stays, "" if it is replaced.
func memoryChange(ours, theirs memory.Record, documentID string, why library.ConflictReason) library.ImportChange {
	c := library.ImportChange{Kind: library.ChangedMemory, ID: ours.ID, Why: why, Taken: why == "", Fields: changedFields(pam.DiffRecords(ours, theirs))}
	if documentID != ours.ID {
		c.DocumentID = documentID
	}
	return c
}

// todoChange returns the difference between a task of the vault and a document's version
// of it, both as JSON. why is the reason if the vault's task stays, "" if it is replaced.
func todoChange(id string, ours, theirs []byte, why library.ConflictReason) library.ImportChange {
	return library.ImportChange{Kind: library.ChangedTask, ID: id, Why: why, Taken: why == "", Fields: changedFields(pam.DiffObjects(ours, theirs))}
}

func changedFields(diffs []pam.FieldDiff) []library.ChangedField {
	fields := make([]library.ChangedField, len(diffs))
	for i, f := range diffs {
		fields[i] = changedField(f.Path, f.A, f.B)
	}
	return fields
}

func changedField(path string, before, after []byte) library.ChangedField {
	return library.ChangedField{Path: path, Before: library.Cut(string(before), maxChangedText), After: library.Cut(string(after), maxChangedText)}
}

// conversationChange returns the difference between a stored conversation and a document's
// version of it: title, times, number of messages, and the first message that differs.
func (a *batchApplier) conversationChange(old vault.ConversationHead, d *importer.ConversationDraft, why library.ConflictReason) (library.ImportChange, error) {
	c := library.ImportChange{Kind: library.ChangedConversation, ID: d.ID, Why: why, Taken: why == "", Fields: []library.ChangedField{}}
	differs := func(path string, before, after any) error {
		one, err := rows.EncodeJSON(before)
		if err != nil {
			return err
		}
		other, err := rows.EncodeJSON(after)
		if err == nil && !bytes.Equal(one, other) {
			c.Fields = append(c.Fields, changedField(path, one, other))
		}
		return err
	}
	err := errors.Join(differs("/title", old.Title, d.Title), differs("/temporal/updated_at", lastChange(old.Temporal), lastChange(d.Temporal)),
		differs("/messages", old.MessageCount, len(d.Messages)))
	if err != nil || a.IsHeadOnly(d.ID) {
		return c, err
	}
	next := 0
	for m, err := range a.VaultTx.Messages(old.ID) {
		if err != nil || next == len(d.Messages) {
			return c, err
		}
		path := "/messages/" + strconv.Itoa(next)
		before := len(c.Fields)
		if err := errors.Join(differs(path+"/role", m.Role, d.Messages[next].Role), differs(path+"/content", m.Content, d.Messages[next].Content)); err != nil || len(c.Fields) > before {
			return c, err
		}
		next++
	}
	return c, nil
}

// refuseNewer keeps the stored conversation. It is called if a document has a different
// version of it but no signature that allows it to replace the stored one.
func (a *batchApplier) refuseNewer(old vault.ConversationHead, d *importer.ConversationDraft) error {
	change, err := a.conversationChange(old, d, a.batch.group.authority.lacksMore())
	if err != nil {
		return err
	}
	a.tell(change)
	a.problems = append(a.problems, importer.Problem{Path: a.batch.group.names[0], At: d.ID, Fault: fault.New(fault.Conflict, "conversation-not-signed-for",
		"The file has another version of the conversation {id}, and no signature of you or of whoever it came from covers it; it stays as it is here.").With("id", rows.ShortID(d.ID))})
	a.counts.conversations.Skipped++
	a.counts.skip(becauseNotSignedFor)
	a.passOver(d)
	return a.sawConversation(d.ID)
}

// tell records a change. It is reported to the ledger and to OnChange after the batch was
// stored.
func (a *batchApplier) tell(c library.ImportChange) { a.changes = append(a.changes, c) }

// changed adds one change to the list of a group. Beyond the limits it only counts it.
func (b *ledger) changed(g *groupLedger, c library.ImportChange) {
	size := len(c.ID) + len(c.DocumentID)
	for _, f := range c.Fields {
		size += len(f.Path) + len(f.Before) + len(f.After)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	g.changeCount++
	if len(g.changes) < maxImportChanges && g.changeBytes+size <= maxChangeBytes {
		g.changes, g.changeBytes = append(g.changes, c), g.changeBytes+size
	}
}
