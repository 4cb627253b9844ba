package imports

import (
	"bytes"
	"slices"
	"strings"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// batchApplier decides, inside one transaction, whether each item of a batch is stored,
// merged or skipped, and stores it.
type batchApplier struct {
	*library.Tx
	run    *run
	batch  *batch
	counts counters
	seen   library.Holding
	// problems are reported only once the transaction is durable.
	problems []importer.Problem
	beside   []library.BesidePiece
	unused   []string        // files named by conversations that were not stored
	shown    []PlannedMemory // preview; only in a plan
	merging  PlanMerging
	changes  []library.ImportChange                  // differences between stored and imported records
	handed   map[string]map[string]library.Continued // stored forks of the current conversation → messages that they copied from it
	signers  map[string]string                       // cache of signerOf: import id → key that signed
}

func (a *batchApplier) all() error {
	for _, it := range a.batch.items {
		if err := a.each(it); err != nil {
			return err
		}
	}
	for _, ref := range a.batch.blobs {
		if _, err := a.Remember(library.OfBlob, ref, nil); err != nil {
			return err
		}
	}
	if a.batch.end != goesOn {
		if err := a.settle(); err != nil {
			return err
		}
	}
	return a.keepBeside()
}

// each applies one item. A defect of the item itself becomes a reported problem, not an
// error.
func (a *batchApplier) each(it item) error {
	before, late := a.counts.memories, len(a.run.late.reworded)
	defer func() { a.run.outcome.show(a, it, before, late) }()
	var err error
	switch {
	case it.conversation != nil:
		err = a.conversation(it.conversation)
	case it.memory != nil:
		if err = a.memory(it.memory); err == nil {
			a.isAbout(it.memory)
		}
	case it.retraction != nil:
		a.run.late.retractions = append(a.run.late.retractions, it.retraction)
	case it.record != nil:
		err = a.record(it.record)
	case it.embedding != nil:
		err = a.embedding(it.embedding)
	case it.relation != nil:
		err = a.run.relations.add(it.relation)
	case it.todo != nil:
		err = a.todo(it.todo)
	case it.beside != nil:
		err = a.besides(it.beside)
	}
	return a.spare(it, err)
}

// spare turns an error that the item itself caused into a problem, counts the item as
// skipped, and returns nil. It returns any other error, such as a full disk.
func (a *batchApplier) spare(it item, err error) error {
	f := fault.From(err)
	if f == nil || (f.Code != fault.Invalid && f.Code != fault.TooLarge) || files.NoRoom(err) || f.Reason == "disk-full" {
		return err
	}
	p := importer.Problem{Path: a.batch.group.names[0], Fault: f}
	switch {
	case it.conversation != nil:
		p.Path, p.At = it.conversation.File, it.conversation.Provider.ConversationID
		a.counts.conversations.Skipped++
	case it.memory != nil:
		p.At = it.memory.SourceKey
	case it.record != nil:
		p.At = rows.ShortID(it.record.ID)
	case it.relation != nil:
		p.At = rows.ShortID(it.relation.ID)
	case it.embedding != nil:
		p.At = rows.ShortID(it.embedding.MemoryID)
	case it.todo != nil:
		p.At = rows.ShortID(it.todo.ID)
	}
	a.problems = append(a.problems, p)
	a.counts.skip(becauseUnfit)
	return nil
}

// fate is the decision on a conversation of an export.
type fate int

const (
	isNew fate = iota
	isNewer
	isSame    // the vault has the same version
	isOlder   // the vault has a newer or a richer version
	isDamaged // would replace the stored version, but its file is damaged
	isForeign // would replace the stored version, but no signature allows that
)

func (a *batchApplier) conversation(d *importer.ConversationDraft) error {
	a.handed = nil
	a.ownID(d)
	if library.IsBarred(a.Tx, library.ByConversationID(d.ID)) {
		a.counts.skip(becauseForgotten)
		a.passOver(d)
		return nil
	}
	old, err := a.ConversationHead(d.ID)
	if err == nil && a.apart(old, d) {
		old, err = a.ConversationHead(d.ID)
	}
	exists := err == nil
	if err != nil && !rows.IsAbsent(err) {
		return err
	}
	if nothing, err := a.leaveCopies(old, exists, d); err != nil || nothing {
		return a.onlyCopies(d, err)
	}
	count := len(d.Messages) - d.EmptyCount()
	a.counts.messages.Total += count
	finishConversation(d, a.run.made(a.batch, d.File), assistantOf(a.batch.info))
	what := isNew
	if exists {
		if what, err = a.settleVersion(old, d); err != nil {
			return err
		}
	}
	switch what {
	case isSame, isOlder:
		if err := a.leave(old, d, what); err != nil {
			return err
		}
		return a.sawConversation(d.ID)
	case isDamaged:
		return a.refuse(d)
	case isForeign:
		return a.refuseNewer(old, d)
	case isNewer:
		if !a.IsHeadOnly(d.ID) {
			if err := a.keepFiles(d); err != nil {
				return err
			}
		}
		a.counts.conversations.Updated++
		a.counts.messages.New += max(0, len(d.Messages)-d.EmptyCount()-old.Said())
	default:
		a.counts.conversations.New++
		a.counts.messages.New += count
	}
	a.counts.taken++
	for kind, n := range importer.AnswersWithoutText(d.Messages) {
		a.counts.textless = plus(a.counts.textless, kind, n)
	}
	if err := a.putConversation(d); err != nil {
		return err
	}
	if err := a.run.outcome.handOver(a, d.ID); err != nil {
		return err
	}
	return a.sawConversation(d.ID)
}

// settleVersion decides between d, a version of a conversation, and the stored one. If d
// is to be stored, it first gets the messages that only the stored version has.
func (a *batchApplier) settleVersion(old vault.ConversationHead, d *importer.ConversationDraft) (fate, error) {
	what, err := a.compare(old, d)
	var known memory.Pairs // if d is older: those of its messages that the vault has
	if err == nil && what == isOlder {
		if known, err = a.knownOf(old, d); known != nil {
			what = isNewer
		}
	}
	if err == nil && what == isNewer {
		what, err = a.mayBeNewer(old, d)
	}
	switch {
	case err != nil || what != isNewer:
		return what, err
	case known != nil:
		err = a.addToOlder(old, d, known)
	default:
		err = a.addMissing(old, d)
	}
	if err != nil || !a.batch.group.isDocument() {
		return what, err
	}
	change, err := a.conversationChange(old, d, "")
	a.tell(change)
	return what, err
}

// mayBeNewer checks whether a newer version of a conversation may replace the stored one:
// isDamaged if its file is damaged, isForeign if no signature allows it, else isNewer.
func (a *batchApplier) mayBeNewer(old vault.ConversationHead, d *importer.ConversationDraft) (fate, error) {
	if sound, err := a.batch.group.sound(d); err != nil || !sound {
		return isDamaged, err
	}
	if !a.batch.group.isDocument() {
		return isNewer, nil
	}
	may, err := a.mayReplace(old)
	if err != nil {
		return isNewer, err
	}
	if !may && !a.isAgreed(d.ID) {
		return isForeign, nil
	}
	return isNewer, nil
}

// passOver notes the attachment files of a conversation that is not stored. At its end,
// the import deletes those of its new files that no record refers to.
func (a *batchApplier) passOver(d *importer.ConversationDraft) {
	for i := range d.Messages {
		library.NamedFiles(&d.Messages[i], func(ref string) { a.unused = append(a.unused, ref) })
	}
}

// leave counts a conversation as unchanged. It stores the conversation again if its bytes
// in the export or the version of its importer changed, or if the import that stored it
// broke off, so that later imports can recognise and skip it.
func (a *batchApplier) leave(old vault.ConversationHead, d *importer.ConversationDraft, what fate) error {
	if old.ImportID == a.run.id && a.run.resumed {
		a.counts.conversations.New++
		a.counts.messages.New += old.Said()
		a.counts.taken++
		return nil
	}
	a.counts.conversations.Unchanged++
	a.counts.unchanged++
	a.passOver(d)
	if what == isOlder || a.run.options.OnlyConversations || d.Kept {
		return nil
	}
	if may, err := a.mayReplace(old); err != nil || !may {
		return err
	}
	if a.recognised(old, d) && (old.ImportID == a.run.id || !a.Rows.IsUnfinished(old.ImportID)) {
		return nil
	}
	return a.putConversation(d)
}

// compare says whether d is the same as, older or newer than the stored version of the
// conversation. Different bytes prove nothing: providers write the same conversation with
// other bytes, and people import older exports after newer ones.
func (a *batchApplier) compare(old vault.ConversationHead, d *importer.ConversationDraft) (fate, error) {
	if a.recognised(old, d) {
		return isSame, nil
	}
	if d.Transcript && (old.ImportMetadata == nil || !isReadBy(old.ImportMetadata.ImporterVersion, a.batch.info.ID)) {
		return isOlder, nil
	}
	if what := byItsTimes(d, old.Temporal, old.MessageCount); what != isSame {
		return what, nil
	}
	if a.IsHeadOnly(d.ID) {
		return isSame, nil // this plan found d before and kept only its head: same last change and length
	}
	return a.byItsWords(d, old)
}

// byItsWords compares the content of d with that of the stored version; both have the
// same time of last change. If d comes from a document, has the import metadata of the
// stored version (the same import of the same export) and no more messages than it, d
// counts as older: the document has a reduced copy.
func (a *batchApplier) byItsWords(d *importer.ConversationDraft, stored vault.ConversationHead) (fate, error) {
	if err := a.keepFiles(d); err != nil {
		return isNew, err
	}
	same, err := a.says(stored, &d.Conversation)
	switch {
	case err != nil || same:
		return isSame, err
	case d.Kept && len(d.Messages) <= stored.MessageCount && isOneReading(d.ImportMetadata, stored.ImportMetadata):
		return isOlder, nil
	}
	return isNewer, nil
}

func isOneReading(a, b *memory.ImportMetadata) bool {
	return a != nil && b != nil && a.ImportedAt.Compare(b.ImportedAt) == 0 && a.SourceChecksum == b.SourceChecksum &&
		a.Importer == b.Importer && a.ImporterVersion == b.ImporterVersion
}

// isReadBy reports whether an importer version ("id/number") belongs to that reader.
func isReadBy(version, reader string) bool { return strings.HasPrefix(version, reader+"/") }

// recognised reports whether the stored conversation old and d were read from the same
// bytes by the same version of the reader. If d.Kept is set, the version does not matter.
func (a *batchApplier) recognised(old vault.ConversationHead, d *importer.ConversationDraft) bool {
	return old.Sum == d.Sum && old.ImportMetadata != nil && (d.Kept || old.ImportMetadata.ImporterVersion == a.batch.info.Version)
}

// ownID gives a conversation of a document a new id if its id is too long or if a
// different conversation already has it. Only ids that are not UUIDs can clash like this.
func (a *batchApplier) ownID(d *importer.ConversationDraft) {
	if d.Owner == "" && a.batch.group.found.Match.Format != loneTalks {
		return
	}
	if d.ID = a.conversationID(d.Owner, d.ID); len(d.ID) > library.MaxForeignID {
		d.ID = importer.ConversationID("pam", d.Owner+"\x00"+d.ID)
	}
	old, err := a.ConversationHead(d.ID)
	if _, everywhere := rows.AsUUID(d.ID); err != nil || everywhere {
		return
	}
	if old.Provider.Name != d.Provider.Name || old.Provider.ConversationID != d.Provider.ConversationID || old.Temporal.CreatedAt.Compare(d.Temporal.CreatedAt) != 0 {
		d.ID = importer.ConversationID("pam", d.Owner+"\x00"+d.ID)
	}
}

// apart gives a conversation a new id if another account of the provider already uses its
// id. If the person named the account, the id already differs: accountSink changed it.
func (a *batchApplier) apart(old vault.ConversationHead, d *importer.ConversationDraft) bool {
	account := d.Provider.AccountID
	if d.Owner != "" || !rows.IsOtherAccount(old.Provider.AccountID, account) {
		return false
	}
	id := inAccount(account, d.ID)
	a.run.moved[library.MovedID{ID: d.ID, Account: account}] = id
	d.ID = id
	return true
}

// home returns the id that a conversation of an export has in the vault. This id differs
// from id, the one in the export, if apart gave the conversation a new id.
func (a *batchApplier) home(id, account string) string {
	if moved, ok := a.run.moved[library.MovedID{ID: id, Account: account}]; ok {
		return moved
	}
	return id
}

func lastChange(t memory.ConversationTemporal) memory.Time {
	if t.UpdatedAt.IsZero() {
		return t.CreatedAt
	}
	return t.UpdatedAt
}

// byItsTimes compares a conversation with the stored version by the time of the last
// change and by the number of messages. isSame means that the content must decide.
func byItsTimes(d *importer.ConversationDraft, old memory.ConversationTemporal, messages int) fate {
	switch has, had := len(d.Messages) > 0, messages > 0; {
	case has && !had: // the vault has only an index entry of it, without messages
		return isNewer
	case had && !has:
		return isOlder
	}
	switch c := lastChange(d.Temporal).Compare(lastChange(old)); {
	case c < 0, c == 0 && len(d.Messages) < messages:
		return isOlder
	case c > 0:
		return isNewer
	}
	return isSame
}

// says reports whether c equals the stored conversation in everything but the import
// metadata (who read it, and when).
func (a *batchApplier) says(stored vault.ConversationHead, c *memory.Conversation) (bool, error) {
	one, err := headText(stored.Conversation)
	if err != nil {
		return false, err
	}
	other, err := headText(*c)
	if err != nil || stored.Leaf != c.Leaf || stored.MessageCount != len(c.Messages) || !bytes.Equal(one, other) {
		return false, err
	}
	next := 0
	for m, err := range a.VaultTx.Messages(c.ID) {
		if err != nil || next == len(c.Messages) {
			return false, err
		}
		if same, err := sameJSON(&m, &c.Messages[next]); err != nil || !same {
			return false, err
		}
		next++
	}
	return next == len(c.Messages), nil
}

// headText is the JSON of a conversation without its messages and import metadata.
func headText(c memory.Conversation) ([]byte, error) {
	c.ImportMetadata, c.Messages = nil, nil
	return rows.EncodeJSON(&c)
}

func sameJSON(a, b any) (bool, error) {
	one, err := rows.EncodeJSON(a)
	if err != nil {
		return false, err
	}
	other, err := rows.EncodeJSON(b)
	return bytes.Equal(one, other), err
}

// keepFiles copies attachment references from the stored messages to new messages that
// lack them. Exports often come without their files; that must not remove stored ones.
func (a *batchApplier) keepFiles(d *importer.ConversationDraft) error {
	lacking := map[string]*memory.Message{}
	for i := range d.Messages {
		if lacksFile(d.Messages[i]) {
			lacking[d.Messages[i].ID] = &d.Messages[i]
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	for old, err := range a.VaultTx.Messages(d.ID) {
		if err != nil {
			return err
		}
		if m := lacking[old.ID]; m != nil {
			takeFiles(m, &old)
		}
	}
	return nil
}

func lacksFile(m memory.Message) bool {
	return m.RawMetadata[importer.ExcerptMember] != nil || slices.ContainsFunc(m.Attachments, func(f memory.Attachment) bool { return f.Ref == "" }) ||
		m.Content != nil && slices.ContainsFunc(m.Content.Parts, func(p memory.Part) bool { return p.Ref == "" && p.Type != "text" && p.Type != "code" })
}

// takeFiles copies file references from old to m where m has none. If m has only the
// beginning of a text and old has all of it, the text of old is used.
func takeFiles(m, old *memory.Message) {
	if m.RawMetadata[importer.ExcerptMember] != nil && old.RawMetadata[importer.ExcerptMember] == nil {
		m.Content, m.RawMetadata = old.Content, old.RawMetadata
	}
	for k := range min(len(m.Attachments), len(old.Attachments)) {
		if f, was := &m.Attachments[k], old.Attachments[k]; f.Ref == "" && f.Type == was.Type && f.Name == was.Name && f.ProviderID == was.ProviderID {
			f.Ref = was.Ref
		}
	}
	if m.Content == nil || old.Content == nil {
		return
	}
	for k := range min(len(m.Content.Parts), len(old.Content.Parts)) {
		if p, was := &m.Content.Parts[k], old.Content.Parts[k]; p.Ref == "" && p.Type == was.Type && p.MIMEType == was.MIMEType && p.Text == was.Text {
			p.Ref = was.Ref
		}
	}
}

// putConversation stores a conversation, and the one that it replaces as an image (undo
// data). If memories are not imported, it stores no checksum, so that a later import
// reads the conversation again.
func (a *batchApplier) putConversation(d *importer.ConversationDraft) error {
	head := vault.ConversationHead{
		Sum: d.Sum, Start: d.Outline.Start, Size: d.Outline.Size, ImportID: a.run.id, File: d.File, TimeSource: d.TimeSource,
	}
	if a.run.options.OnlyConversations {
		head.Sum = [32]byte{}
	}
	return a.ReplaceConversation(head, &d.Conversation)
}
