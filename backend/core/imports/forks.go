package imports

import (
	"encoding/json"
	"maps"
	"slices"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Coding assistants can fork a session: the file of the fork starts with a copy of the
// original. If several conversations share messages like this, the vault stores the
// shared messages once, usually in the original, else in the conversation that came
// first. Each other conversation stores only its own messages and names the message that
// it continues. A fork keeps its copies of messages that no other conversation has.

// families finds conversations that share a history.
type families struct {
	byName map[familyName][]string  // ids of conversations
	own    map[familyName]string    // id of the conversation to which the provider gave the name as id
	forks  map[string]bool          // conversations that their export marks as forks
	told   map[string][]heldMessage // only in a dry run: by conversation id, the messages that an import would store
}

// familyName is the provider's id of a conversation, or an id from the copied history
// that the conversation begins with (see importer.HistoryMember).
type familyName struct{ platform, account, name string }

// heldMessage is the id of a message and the data to recognise a copy of it by.
type heldMessage struct {
	memory.Telling
	id string
}

// namesOf returns a conversation's names: its provider's id and the ids in the history
// that it copied. Conversations with a common name may hold copies of the same messages.
func namesOf(p memory.Provider, raw memory.RawMetadata) []familyName {
	var history []string
	_ = json.Unmarshal(raw[importer.HistoryMember], &history) // history stays empty if it is not a list
	all := make([]familyName, 0, len(history)+1)
	for _, name := range append(history, p.ConversationID) {
		if name != "" {
			all = append(all, familyName{p.Name, p.AccountID, name})
		}
	}
	return all
}

// families returns the index that finds the vault's conversations with a shared history.
// The first call in an import builds it; later calls return the same index.
func (a *batchApplier) families() (*families, error) {
	if a.run.families != nil {
		return a.run.families, nil
	}
	f := &families{map[familyName][]string{}, map[familyName]string{}, map[string]bool{}, map[string][]heldMessage{}}
	for _, id := range idsOfPlatform(a.Rows, a.batch.info.Platform) {
		head, err := a.VaultTx.ConversationHead(id)
		if rows.IsAbsent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f.name(id, head.Provider, head.RawMetadata)
	}
	a.run.families = f
	return f, nil
}

// idsOfPlatform returns the ids of the stored conversations of a platform.
func idsOfPlatform(r *rows.Rows, platform string) (ids []string) {
	r.RLock()
	defer r.RUnlock()
	for _, entry := range r.Conversations.BySeq {
		if entry != nil && r.Words.Text(entry.Platform) == platform {
			ids = append(ids, r.Words.Long(entry.ID))
		}
	}
	return ids
}

// add indexes a conversation that is about to be stored, and records in it which
// conversation it continues. In a plan, which stores nothing, it also keeps the data by
// which copies of the messages are recognised.
func (f *families) add(of outcome, d *importer.ConversationDraft) {
	f.nameOrigin(d)
	f.name(d.ID, d.Provider, d.RawMetadata)
	of.foresee(f, d)
}

func (f *families) name(id string, p memory.Provider, raw memory.RawMetadata) {
	f.forks[id] = raw[importer.ForkMember] != nil
	for _, name := range namesOf(p, raw) {
		if name.name == p.ConversationID {
			f.own[name] = id
		}
		if !slices.Contains(f.byName[name], id) {
			f.byName[name] = append(f.byName[name], id)
		}
	}
}

// leaveCopies removes from a conversation the messages that other conversations with a
// shared history hold. It reports whether no message is left.
func (a *batchApplier) leaveCopies(old vault.ConversationHead, exists bool, d *importer.ConversationDraft) (bool, error) {
	if !a.batch.info.Forks || len(d.Messages) == 0 {
		return false, nil
	}
	f, err := a.families()
	if err != nil {
		return false, err
	}
	continued := browse.ContinuedOf(old.RawMetadata)
	if exists && continued.MessageID == "" { // the stored version holds all its messages itself
		f.add(a.run.outcome, d)
		return false, nil
	}
	if !exists {
		if err := a.findForks(f, d); err != nil {
			return false, err
		}
	}
	copies, err := a.copiesOf(f, d)
	if err == nil && len(copies) == 0 && exists {
		copies, err = a.leftBefore(old, continued, d)
	}
	if err != nil {
		return false, err
	}
	if len(copies) == len(d.Messages) {
		if exists {
			err = a.sawConversation(d.ID)
		}
		return true, err
	}
	cutOff(d, copies, continued)
	if n := len(copies); n > 0 {
		a.counts.seen += n
		a.counts.skipped = plus(a.counts.skipped, becauseCopied, n)
	}
	f.add(a.run.outcome, d)
	return false, nil
}

// nameOrigin records in d which conversation it continues, if d names that conversation
// without having copied messages from it.
func (f *families) nameOrigin(d *importer.ConversationDraft) {
	if d.RawMetadata[library.ContinuesMember] != nil {
		return
	}
	for _, name := range namesOf(d.Provider, d.RawMetadata) {
		if id := f.own[name]; id != "" && id != d.ID {
			keepContinued(d, library.Continued{ConversationID: id})
			return
		}
	}
}

func keepContinued(d *importer.ConversationDraft, from library.Continued) {
	if text, err := json.Marshal(from); err == nil {
		importer.KeepRaw(&d.RawMetadata, library.ContinuesMember, text)
	}
}

// copiesOf finds the messages of a conversation that other conversations with a shared
// history hold. It maps their ids to the conversation and message of the original.
func (a *batchApplier) copiesOf(f *families, d *importer.ConversationDraft) (map[string]library.Continued, error) {
	copies, own, met := map[string]library.Continued{}, tellings(d.Messages), map[string]bool{d.ID: true}
	for _, name := range namesOf(d.Provider, d.RawMetadata) {
		for _, id := range f.byName[name] {
			if met[id] || a.handed[id] != nil || !a.HasConversation(id) {
				continue
			}
			met[id] = true
			known, err := a.tellingsOf(f, id)
			if err != nil {
				return nil, err
			}
			found := copied(own, known, id)
			if len(found) == 0 {
				continue
			}
			maps.Copy(copies, found)
			if err := a.sawConversation(id); err != nil { // so that undoing the import that brought id keeps it
				return nil, err
			}
		}
	}
	return copies, nil
}

func (a *batchApplier) tellingsOf(f *families, id string) (all []heldMessage, err error) {
	if a.IsHeadOnly(id) {
		return f.told[id], nil
	}
	for m, err := range a.VaultTx.Messages(id) {
		if err != nil {
			return nil, err
		}
		all = append(all, heldMessage{memory.TellingOf(&m), m.ID})
	}
	return all, nil
}

func tellings(messages []memory.Message) []heldMessage {
	all := make([]heldMessage, len(messages))
	for i := range messages {
		all[i] = heldMessage{memory.TellingOf(&messages[i]), messages[i].ID}
	}
	return all
}

// copied maps messages to the same messages in another conversation, found by provider id
// or by time and content. Messages for which neither side has a provider id also match by
// position while both conversations begin with the same words.
func copied(messages, known []heldMessage, id string) map[string]library.Continued {
	copies := map[string]library.Continued{}
	bySum := map[[32]byte]string{}
	for _, k := range known {
		if k.IsSure {
			bySum[k.Sum] = k.id
		}
	}
	begins := true
	for i, t := range messages {
		twin, ok := bySum[t.Sum]
		begins = begins && i < len(known) && t.Words == known[i].Words
		if !ok && begins && !t.HasID && !known[i].HasID {
			twin, ok = known[i].id, true
		}
		if ok {
			copies[t.id] = library.Continued{ConversationID: id, MessageID: twin}
		}
	}
	return copies
}

// cutOff removes messages copied from another conversation, and notes which message the
// rest continues: the original of the last copy before it or, without copies, from.
func cutOff(d *importer.ConversationDraft, copies map[string]library.Continued, from library.Continued) {
	if len(copies) == 0 && from.MessageID == "" {
		return
	}
	var own []memory.Message
	for _, m := range d.Messages {
		if c, is := copies[m.ID]; is {
			if len(own) == 0 {
				from = c
			}
			continue
		}
		if c, is := copies[m.ParentID]; is {
			m.ParentID = ""
			if len(own) == 0 {
				from = c
			}
		}
		m.ChildrenIDs = nil
		own = append(own, m)
	}
	d.Messages = own
	importer.Join(&d.Conversation, d.Leaf, "")
	if d.TimeSource == "message" {
		d.Temporal, d.TimeSource = memory.ConversationTemporal{}, ""
		importer.Dates(d)
	}
	keepContinued(d, from)
}

// leftBefore returns the messages that an earlier import left out as copies. They stay
// left out even if the conversation that held them was forgotten since.
func (a *batchApplier) leftBefore(old vault.ConversationHead, continued library.Continued, d *importer.ConversationDraft) (map[string]library.Continued, error) {
	if a.IsHeadOnly(old.ID) {
		return nil, nil
	}
	pairs, err := memory.Pair(d.Each(), a.VaultTx.Messages(old.ID))
	copies := map[string]library.Continued{}
	for i := range d.Messages {
		if pairs[d.Messages[i].ID] != "" {
			return copies, err
		}
		copies[d.Messages[i].ID] = continued
	}
	return nil, err // d shares no message with the stored version: nothing shows what was left out
}

// findForks finds stored forks of a new conversation that hold copies of its messages,
// because they were imported first. handOver removes these copies later. A fork keeps
// them if nothing else would be left of it, or if a memory was stated in it.
func (a *batchApplier) findForks(f *families, d *importer.ConversationDraft) error {
	known := tellings(d.Messages)
	isFork := d.RawMetadata[importer.ForkMember] != nil
	for _, name := range namesOf(d.Provider, d.RawMetadata) {
		for _, id := range f.byName[name] {
			named := name.name == d.Provider.ConversationID
			if id == d.ID || !named && (isFork || !f.forks[id]) || !a.HasConversation(id) || isStatedIn(a.Rows, id) {
				continue
			}
			held, err := a.tellingsOf(f, id)
			if err != nil {
				return err
			}
			if copies := copied(held, known, d.ID); len(copies) > 0 && len(copies) < len(held) {
				if a.handed == nil {
					a.handed = map[string]map[string]library.Continued{}
				}
				a.handed[id] = copies
			}
		}
	}
	return nil
}

// isStatedIn reports whether a memory was stated in a conversation.
func isStatedIn(r *rows.Rows, conversation string) bool {
	r.RLock()
	defer r.RUnlock()
	return len(r.MemoriesOf(conversation)) > 0
}

// handOver removes, from the forks of a conversation that was just stored, the messages
// that they copied from it. It adds the original to the sightings (sets of records held)
// of the imports of the forks, so that it stays if only its own import is undone.
func (a *batchApplier) handOver(original string) error {
	for id, copies := range a.handed {
		head, err := a.VaultTx.ConversationHead(id)
		if err != nil {
			return err
		}
		fork := &importer.ConversationDraft{Conversation: head.Conversation, TimeSource: head.TimeSource}
		fork.Leaf = head.Leaf
		for m, err := range a.VaultTx.Messages(id) {
			if err != nil {
				return err
			}
			fork.Messages = append(fork.Messages, m)
		}
		cutOff(fork, copies, library.Continued{})
		if err := a.StoreConversation(head, &fork.Conversation); err != nil {
			return err
		}
		if err := a.sawToo(head.ImportID, original); err != nil {
			return err
		}
	}
	return nil
}

// sawToo adds a conversation to the sighting of an earlier import (the record of what its
// exports held).
func (a *batchApplier) sawToo(importID, conversation string) error {
	if importID == a.run.id {
		return a.sawConversation(conversation)
	}
	s, err := library.ReadSighting(a.VaultTx, importID)
	if err != nil || s == nil {
		return err
	}
	seq, err := a.VaultTx.Seq(vault.Conversations, conversation)
	if err != nil {
		return err
	}
	for i := range s.Exports {
		if s.Exports[i].Platform == a.batch.info.Platform {
			s.Exports[i].Conversations.Add(seq)
		}
	}
	return a.PutSighting(*s)
}

// onlyCopies counts a conversation as unchanged if other conversations hold all of its
// messages.
func (a *batchApplier) onlyCopies(d *importer.ConversationDraft, err error) error {
	if err != nil {
		return err
	}
	a.counts.messages.Total += len(d.Messages) - d.EmptyCount()
	a.counts.conversations.Unchanged++
	a.counts.unchanged++
	a.passOver(d)
	return nil
}
