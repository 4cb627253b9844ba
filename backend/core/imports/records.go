package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/redact"
)

// sumOf returns a hash that detects changes of a memory. It ignores the value of
// confidence.current, which depends on the date of the export.
func sumOf(r memory.Record) (string, error) {
	if r.Confidence != nil {
		c := *r.Confidence
		c.Current = new(0.0)
		r.Confidence = &c
	}
	text, err := pam.EncodeMemory(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// record decides whether a memory of a document is stored, merged or skipped (PAM §16.3).
// It looks for the stored memory by id first, by content second. A memory that was
// forgotten or retracted here stays so.
func (a *batchApplier) record(d *importer.RecordDraft) error {
	named := d.EmbeddingRef != ""
	a.prepare(d)
	if a.isForgotten(d) {
		a.counts.skip(becauseForgotten)
		return nil
	}
	if a.isPicked() && a.mode(d.ID, "") == library.KeepOurs {
		a.counts.skip(becauseNotPicked)
		return nil
	}
	if named {
		a.run.late.embedded[library.KeySum(rows.OriginOf(d.Owner, d.ID))] = library.KeySum(d.ContentHash)
	}
	id := a.byOrigin(d.Owner, d.ID)
	merge := a.run.options.MergeAs(a.batch.info.ID)
	if id != "" && merge != "" && !a.isPicked() && !a.run.options.Takes(d.ID) && !a.run.options.Takes(id) {
		return a.mergeInto(id, d, merge)
	}
	if id != "" {
		return a.meet(id, d)
	}
	if id, ok := a.Linked(rows.ByContent(d.ContentHash)); ok {
		m, ok, err := a.Load(id)
		if err != nil {
			return err
		}
		if ok && a.saysTheSame(m, d) {
			a.merging.Said++
			if merge != library.Rename {
				return a.join(m, d)
			}
			return a.newRecord(d, d.ID)
		}
	}
	a.merging.New++
	return a.newRecord(d, d.ID)
}

// prepare converts a memory of a document to the form in which it is stored here.
func (a *batchApplier) prepare(d *importer.RecordDraft) {
	d.ContentHash = memory.ContentHash(d.Content)
	d.Provenance.ConversationRef = a.conversationID(d.Owner, d.Provenance.ConversationRef)
	if by := d.Temporal.SupersededBy; by != "" && library.BarredReferences(a.Tx, d.Owner)(by) {
		d.Temporal.SupersededBy = ""
	}
	d.EmbeddingRef = "" // the document lists the vector as an item of its own
	if d.Confidence != nil {
		d.Confidence = rows.AsReinforced(*d.Confidence, d.Temporal.CreatedAt, d.At)
	}
}

// isForgotten reports whether the person had this vault forget the words or the id of the
// memory.
func (a *batchApplier) isForgotten(d *importer.RecordDraft) bool {
	return library.IsForgottenText(a.Tx, d.Content) || library.IsBarred(a.Tx, rows.ByOrigin(rows.OriginOf(d.Owner, d.ID)))
}

// mode returns how to resolve a conflict between the memory with the id there in the
// document and the memory with the id here in the vault. Picks replace OnConflict, and an
// id in Take replaces both. The default is KeepOurs.
func (a *batchApplier) mode(there, here string) library.OnConflict {
	mode := a.run.options.OnConflict
	if picks := a.run.options.Picks; picks != nil {
		mode = picks.Memories[there]
	}
	if a.run.options.Takes(there) || a.run.options.Takes(here) {
		mode = library.TakeTheirs
	}
	if mode != library.TakeTheirs && mode != library.KeepBoth {
		return library.KeepOurs
	}
	return mode
}

// isTaken reports whether the person chose the document's version for this very memory.
func (a *batchApplier) isTaken(x *recordConflict) bool {
	picks, take := a.run.options.Picks, a.run.options
	return picks != nil && picks.Memories[x.d.ID] == library.TakeTheirs || take.Takes(x.d.ID) || take.Takes(x.m.ID)
}

// byOrigin returns the id of the stored memory that a document of owner calls id: one that
// was imported from such a document, or one of this vault that was exported with this id.
// It returns "" if there is none.
func (a *batchApplier) byOrigin(owner, id string) string {
	if at, ok := a.Linked(rows.ByOrigin(rows.OriginOf(owner, id))); ok {
		return at
	}
	if _, ok := rows.AsUUID(id); ok && a.Has(id) {
		return id
	}
	return ""
}

// saysTheSame reports whether the document's memory d is merged into the stored memory m
// with the same words. Their statuses must be equal, since a document may hold the same
// words with two statuses. But if m is retracted, and is not from this import, d is
// always merged: the retracted words must not come back under another id.
func (a *batchApplier) saysTheSame(m rows.StoredMemory, d *importer.RecordDraft) bool {
	return m.Status == d.Status || m.Status == memory.Retracted && !a.isOwn(m.Side)
}

// join adds d, which has the same words, to the stored memory m as a further source.
func (a *batchApplier) join(m rows.StoredMemory, d *importer.RecordDraft) error {
	src, err := a.sourceOfRecord(d, d.ID)
	if err != nil {
		return err
	}
	a.counts.mergeMemories(1, a.isOwn(m.Side))
	m.Side.Sources = append(m.Side.Sources, src)
	if err := errors.Join(a.saw(m.ID), a.raise(m, d.Use)); err != nil {
		return err
	}
	return a.PutMemory(m.Record, m.Side)
}

// sourceOfRecord returns the entry that records a document as a source of a memory. Its
// checksum (Record) is that of the document's memory with its id replaced by id.
func (a *batchApplier) sourceOfRecord(d *importer.RecordDraft, id string) (rows.MemorySource, error) {
	r := d.Record
	r.ID = id
	sum, err := sumOf(r)
	return rows.MemorySource{
		Platform: d.Provenance.Platform, SourceKey: "pam:" + rows.OriginOf(d.Owner, d.ID), ImportID: a.run.id,
		ConversationRef: d.Provenance.ConversationRef, MessageRef: d.Provenance.MessageRef, SaidAt: rows.ChangedAt(r),
		Stated: d.ContentHash, OriginalID: d.ID, Owner: d.Owner, Record: sum, Signer: a.batch.group.authority.signer,
	}, err
}

// newRecord stores a memory under its own id, or under a new one if that id is too long
// or in use.
func (a *batchApplier) newRecord(d *importer.RecordDraft, id string) error {
	if len(id) > library.MaxForeignID || a.Has(id) {
		id = a.NewID()
	}
	src, err := a.sourceOfRecord(d, id)
	if err != nil {
		return err
	}
	r := d.Record
	r.ID = id
	side := rows.ProvenanceRecord{Sources: []rows.MemorySource{src}, Unconfirmed: a.unconfirmed(r.Access), ForeignReview: a.isForeignReview(r), ForeignAsked: a.isForeignAsked(r)}
	if err := a.PutMemory(r, side); err != nil {
		return err
	}
	a.succeeded(id, d)
	a.counts.memories.New++
	a.counts.taken++
	return errors.Join(a.saw(id), a.raise(rows.StoredMemory{Record: r, Side: side}, d.Use))
}

// succeeded queues the superseded_by of a memory for settle, which resolves it after the
// last item of the reader: the memory that it names may have another id in this vault.
func (a *batchApplier) succeeded(id string, d *importer.RecordDraft) {
	if d.Temporal.SupersededBy != "" {
		a.run.late.successors = append(a.run.late.successors, successor{id, d.Owner, d.Temporal.SupersededBy})
	}
}

// successor records that, as a document of owner says, memory "by" replaced memory "id".
type successor struct{ id, owner, by string }

// meet handles a memory of a document whose id the vault has: it is counted as unchanged,
// skipped, or passed to settleRecord, which decides between the versions.
func (a *batchApplier) meet(id string, d *importer.RecordDraft) error {
	x, known, ok, err := a.find(id, d)
	switch m := x.m; {
	case err != nil || !ok:
		return err
	case known && m.Side.Sources[x.at].ImportID == a.run.id:
		a.sameAgain(m.Side, x.at)
		return nil
	case known && !a.isTaken(&x), x.ours == x.src.Record:
		a.counts.leaveMemory()
		return nil
	case m.Status == memory.Retracted && x.theirs.Status != memory.Retracted:
		a.leaveOut(d, becauseRetracted)
		return nil
	}
	return a.settleRecord(x)
}

// find loads the stored memory with this id and compares d with it (see meeting). If the
// memory was deleted from the vault, find counts d as skipped and ok is false.
func (a *batchApplier) find(id string, d *importer.RecordDraft) (x recordConflict, known, ok bool, err error) {
	m, ok, err := a.Load(id)
	if err != nil {
		return x, false, false, err
	}
	if !ok {
		a.leaveOut(d, becauseDeleted)
		return x, false, false, nil
	}
	if err := errors.Join(a.saw(id), a.raise(m, d.Use)); err != nil {
		return x, false, false, err
	}
	x, known, err = a.meeting(m, d)
	return x, known, err == nil, err
}

// meeting compares the stored memory m with the version d of a document. known says that
// d equals the version that was last imported with the same origin (rows.OriginOf).
func (a *batchApplier) meeting(m rows.StoredMemory, d *importer.RecordDraft) (x recordConflict, known bool, err error) {
	if err := complete(d, m.Record); err != nil {
		return x, false, err
	}
	x = recordConflict{m: m, theirs: d.Record, d: d}
	x.theirs.ID = m.ID
	if x.src, err = a.sourceOfRecord(d, m.ID); err != nil {
		return x, false, err
	}
	if x.ours, err = sumOf(m.Record); err != nil {
		return x, false, err
	}
	x.at, known = m.Side.Source(x.src.Platform, x.src.SourceKey)
	return x, known && m.Side.Sources[x.at].Record == x.src.Record, nil
}

// complete takes the members that the document's format cannot express from ours, the
// stored memory. If the document's version is not newer than ours, complete takes all
// members from ours: an export may have redacted the document's version.
func complete(d *importer.RecordDraft, ours memory.Record) error {
	if d.Says == nil {
		return nil
	}
	var differ []string
	later := rows.ChangedAt(d.Record).Compare(rows.ChangedAt(ours)) > 0
	for _, f := range pam.DiffRecords(ours, d.Record) {
		if later && slices.Contains(d.Says, f.Path) && f.Path != "/temporal/updated_at" {
			differ = append(differ, f.Path)
		}
	}
	whole := ours
	if len(differ) > 0 {
		var err error
		if whole, err = pam.Mix(ours, d.Record, differ, rows.ChangedAt(d.Record)); err != nil {
			return err
		}
	}
	whole.ID, d.Record = d.ID, whole
	return nil
}

// mergeInto applies merge (skip, overwrite, rename) to a memory whose id the vault has.
func (a *batchApplier) mergeInto(id string, d *importer.RecordDraft, merge library.Merge) error {
	x, known, ok, err := a.find(id, d)
	if err != nil || !ok {
		return err
	}
	if known && x.m.Side.Sources[x.at].ImportID == a.run.id {
		a.merging.Said++
		a.sameAgain(x.m.Side, x.at)
		return nil
	}
	same := x.ours == x.src.Record
	if same {
		a.merging.Same++
	} else {
		a.merging.Changed++
	}
	switch {
	case same || merge == library.SkipDuplicates:
		if !same {
			a.tell(memoryChange(x.m.Record, x.theirs, d.ID, library.ConflictAlreadyHere))
		}
		a.counts.leaveMemory()
		return nil
	case merge == library.Rename:
		return a.renamed(x)
	case x.m.Status == memory.Retracted && x.theirs.Status != memory.Retracted:
		a.leaveOut(d, becauseRetracted)
		return nil
	}
	return a.takeRecord(x)
}

// renamed stores the document's version as a new memory. The document's id refers to the
// new memory from then on.
func (a *batchApplier) renamed(x recordConflict) error {
	if x.at >= 0 {
		x.m.Side.Sources = append(x.m.Side.Sources[:x.at:x.at], x.m.Side.Sources[x.at+1:]...)
		if err := a.PutMemory(x.m.Record, x.m.Side); err != nil {
			return err
		}
	}
	return a.newRecord(x.d, a.NewID())
}

// isPicked reports whether the person chose the memories to import one by one.
func (a *batchApplier) isPicked() bool { return a.run.options.Picks != nil }

// sameAgain counts a memory that this very import already stored: before the vault was
// locked and the import resumed, or because the document holds the memory twice.
func (a *batchApplier) sameAgain(side rows.ProvenanceRecord, i int) {
	if a.run.resumed {
		a.known(side, i)
		return
	}
	a.counts.mergeMemories(1, true)
}

// recordConflict is a stored memory (m) and a document's version of it (theirs).
type recordConflict struct {
	m      rows.StoredMemory
	theirs memory.Record
	src    rows.MemorySource
	at     int // index of src in m.Side.Sources, -1 for none
	d      *importer.RecordDraft
	ours   string // checksum of the stored version
}

// settleRecord decides between the stored and the document's version of a memory: by the
// person's choice, by age and signature, and on a conflict by the OnConflict option.
func (a *batchApplier) settleRecord(x recordConflict) error {
	mode := a.mode(x.d.ID, x.m.ID)
	if a.isPicked() {
		return a.follow(x, mode, "")
	}
	signed := a.batch.group.authority
	switch {
	case a.isTaken(&x):
	case a.isOlder(x), hidesOnly(x.theirs, x.m.Record):
		a.counts.leaveMemory()
		return nil
	case !signed.mayChange(x.m.Side):
		return a.follow(x, mode, signed.lacks())
	case !a.isConflict(x):
		return a.takeRecord(x)
	case signed.own && x.theirs.Status == memory.Retracted && x.m.Status.CanBecome(memory.Retracted) && mode == library.KeepOurs:
		return a.retractRecord(x) // PAM §16.3: always follow a retraction signed by the vault's owner
	}
	return a.follow(x, mode, library.ConflictEditedHere)
}

// hidesOnly reports whether theirs, the document's version, is the stored version (ours)
// with redactions. A redacted version must not replace the stored one.
func hidesOnly(theirs, ours memory.Record) bool {
	return rows.ChangedAt(theirs).Compare(rows.ChangedAt(ours)) == 0 && (theirs.Content != ours.Content || theirs.Summary != ours.Summary) &&
		redact.IsCopyOf(theirs.Content, ours.Content) && redact.IsCopyOf(theirs.Summary, ours.Summary)
}

// isOlder reports whether the document holds an earlier version than the vault. In a
// delta (incremental document, PAM §16.3) no version is older if a side lacks updated_at,
// or if both sides changed since the base: the clocks of two devices may differ.
func (a *batchApplier) isOlder(x recordConflict) bool {
	theirs, ours := x.theirs.Temporal.UpdatedAt, x.m.Temporal.UpdatedAt
	if x.d.Delta && (theirs.IsZero() || ours.IsZero()) {
		return false
	}
	if base := a.batch.group.base; x.d.Delta && !base.IsZero() && rows.ChangedAt(x.theirs).Compare(base) > 0 && a.isConflict(x) {
		return false
	}
	return rows.ChangedAt(x.theirs).Compare(rows.ChangedAt(x.m.Record)) < 0
}

// isConflict reports whether the memory was also edited here after both sides last had
// the same version: after a document of this origin was last imported, or after the
// export that the document builds on (its base) was made.
func (a *batchApplier) isConflict(x recordConflict) bool {
	switch base := a.batch.group.base; {
	case !x.m.Side.Edited():
		return false
	case x.at >= 0 && x.m.Side.Sources[x.at].Record == x.ours:
		return false
	default:
		return base.IsZero() || rows.ChangedAt(x.m.Record).Compare(base) > 0
	}
}

// conflict reports, as a change and as a problem, a memory that stays as it is although
// the document has another version of it.
func (a *batchApplier) conflict(x recordConflict, why library.ConflictReason) {
	a.tell(memoryChange(x.m.Record, x.theirs, x.d.ID, why))
	f := fault.New(fault.Conflict, "memory-conflict", "The memory {id} was changed both here and in the file ({fields}); it stays as it is here.")
	if why != library.ConflictEditedHere {
		f = fault.New(fault.Conflict, "memory-not-signed-for", "The file has another version of the memory {id} ({fields}), and is not signed by you or by whoever the memory came from; it stays as it is here.")
	}
	a.problems = append(a.problems, importer.Problem{Path: a.batch.group.names[0], At: x.m.ID,
		Fault: f.With("id", rows.ShortID(x.m.ID)).With("fields", strings.Join(differing(x.m.Record, x.theirs), ", "))})
}

// differing names the members in which two versions of a memory differ.
func differing(a, b memory.Record) []string {
	var names []string
	for _, f := range pam.DiffRecords(a, b) {
		names = append(names, strings.TrimPrefix(f.Path, "/"))
	}
	return names
}

// follow resolves a difference between two versions of a memory as mode says. If the
// stored version stays, why is the reported reason; "" means that the person decided so
// for this memory.
func (a *batchApplier) follow(x recordConflict, mode library.OnConflict, why library.ConflictReason) error {
	switch {
	case mode == library.TakeTheirs:
		if fields := a.picked(x.d.ID); fields != nil {
			var err error
			if x.theirs, err = pam.Mix(x.m.Record, x.theirs, fields, a.Now); err != nil {
				return err
			}
		}
		return a.takeRecord(x)
	case mode == library.KeepBoth && x.theirs.ContentHash != x.m.ContentHash:
		return a.renamed(x)
	}
	a.counts.memories.Kept++
	switch why {
	case "":
		a.leaveOut(x.d, becauseMended)
		return nil
	case library.ConflictEditedHere:
		a.leaveOut(x.d, becauseMended)
	default:
		a.leaveOut(x.d, becauseNotSignedFor)
	}
	a.conflict(x, why)
	return nil
}

// picked returns the paths of the members that the person chose to take over from the
// document's version of a memory; nil means all of them.
func (a *batchApplier) picked(id string) []string {
	if !a.isPicked() {
		return nil
	}
	return a.run.options.Picks.Fields[id]
}

// leaveOut counts a memory as skipped, and has its embedding skipped, too.
func (a *batchApplier) leaveOut(d *importer.RecordDraft, reason string) {
	delete(a.run.late.embedded, library.KeySum(rows.OriginOf(d.Owner, d.ID)))
	a.counts.skip(reason)
}

// takeRecord replaces the stored version of a memory by the document's version.
func (a *batchApplier) takeRecord(x recordConflict) error {
	if a.keepAccess(&x); saysNothing(x) {
		a.counts.memories.Kept++
		a.leaveOut(x.d, becauseAccess)
		return nil
	}
	a.keepReview(&x)
	a.tell(memoryChange(x.m.Record, x.theirs, x.d.ID, ""))
	x.remember()
	x.m.Side.Keep(x.m.Bytes, a.Now)
	if err := a.PutMemory(x.theirs, x.m.Side); err != nil {
		return err
	}
	a.succeeded(x.m.ID, x.d)
	if x.theirs.Status == memory.Retracted && x.m.Status != memory.Retracted {
		a.counts.memories.Retracted++
	} else {
		a.counts.memories.Updated++
	}
	a.counts.taken++
	return nil
}

// saysNothing reports whether two versions of a memory differ in updated_at at most.
func saysNothing(x recordConflict) bool {
	return !slices.ContainsFunc(pam.DiffRecords(x.m.Record, x.theirs), func(f pam.FieldDiff) bool { return f.Path != "/temporal/updated_at" })
}

// remember adds the document to the sources of the memory. A source that is there already
// keeps its first signer: accepting one version from another signer gives that signer no
// right to change the memory later.
func (x *recordConflict) remember() {
	if x.at >= 0 {
		x.src.Signer = x.m.Side.Sources[x.at].Signer
		x.m.Side.Sources[x.at] = x.src
		return
	}
	x.m.Side.Sources = append(x.m.Side.Sources, x.src)
}

// retractRecord retracts the stored memory, as the document did, and keeps its other
// members as they were edited here.
func (a *batchApplier) retractRecord(x recordConflict) error {
	r := x.m.Record
	r.Status = memory.Retracted
	r.Temporal.UpdatedAt = a.NotBefore(r.Temporal.CreatedAt)
	a.tell(memoryChange(x.m.Record, r, x.d.ID, ""))
	x.remember()
	x.m.Side.Keep(x.m.Bytes, a.Now)
	a.counts.memories.Retracted++
	a.counts.taken++
	return a.PutMemory(r, x.m.Side)
}

// conversationID returns the id under which the vault stores a document's conversation.
// It differs from id if ownID stored the conversation under a derived id, because the
// conversation of another owner had id first. UUIDs never clash like this.
func (a *batchApplier) conversationID(owner, id string) string {
	if _, ok := rows.AsUUID(id); ok || id == "" {
		return id
	}
	if moved := importer.ConversationID("pam", owner+"\x00"+id); a.HasConversation(moved) {
		return moved
	}
	return id
}
