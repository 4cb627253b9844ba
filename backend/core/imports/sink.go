package imports

import (
	"context"
	"errors"
	"io"
	"strings"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// Limits of a batch, which is stored in one transaction. Larger batches cost fewer
// flushes, but more memory, and a stop throws away more work.
const (
	batchBytes  = 4 << 20
	batchItems  = 1000
	batchFiles  = 500
	batchFilled = 64 << 20 // bytes of attachment files
	batchHeavy  = 32 << 20 // bytes from which the reading side waits until the batch is written

	// memoryBytes is added to the text length of each memory, so that a batch has at most
	// about 150. Each memory changes up to five scattered pages of the indexes; for each of
	// these, a commit takes up to 64 KiB of memory (mapped parts of the file).
	memoryBytes = 28 << 10

	// memoryInTalk replaces memoryBytes in batches of conversations: these have few memories.
	memoryInTalk = 1 << 10
)

// batch holds the items that the reading side passes to the writing side at once.
type batch struct {
	ledger *groupLedger
	info   importer.Info
	group  *group
	items  []item
	blobs  []string // attachment files that were not in the vault before
	filled int64    // total bytes of blobs
	bytes  int
	talks  bool // it has conversations
	end    groupEnd
	over   chan struct{} // only if bytes >= batchHeavy: closed once the batch is written
}

// memory returns how many bytes a memory adds to the size of the batch besides its text.
func (b *batch) memory() int {
	if b.talks {
		return memoryInTalk
	}
	return memoryBytes
}

// item is one draft; exactly one member is set.
type item struct {
	conversation *importer.ConversationDraft
	memory       *importer.MemoryDraft
	retraction   *importer.RetractionDraft
	record       *importer.RecordDraft
	relation     *importer.RelationDraft
	embedding    *importer.EmbeddingDraft
	todo         *importer.TodoDraft
	beside       *importer.BesideDraft
}

// groupEnd says whether a batch is the last one of an export, and how its reading ended.
type groupEnd int

const (
	goesOn groupEnd = iota
	ended
	brokeOff
)

// sink receives the items that a reader finds, and collects them in batches. It does not
// decide about an item: run.writing does, in the transaction that stores the batch.
type sink struct {
	*run
	countingSink
	ctx   context.Context
	group *group
	info  importer.Info
	out   chan<- *batch
	batch *batch
	base  int64 // total bytes of the trees (input files) read before this group's, for the progress
	known known
}

func (k *sink) next() {
	k.batch = &batch{ledger: k.own, info: k.info, group: k.group}
}

// Unchanged implements importer.Sink. It returns false for a conversation of an import
// that broke off, so that it is read again: readers emit some memories only at the end.
func (k *sink) Unchanged(nativeID string, sum [32]byte) bool {
	if k.options.OnlyMemories || k.options.Picks != nil || sum == ([32]byte{}) {
		return false
	}
	id, messages, ok := findKnown(k.session.Rows, k.known, k.info.Platform, nativeID, sum)
	if !ok {
		return false
	}
	held, changed := passedOver(k.session.Rows, id)
	k.ledger.see(k.own, held)
	k.ledger.dates(k.own, changed)
	statements := 0
	if !k.group.isDocument() { // a document's memories are separate items, which are counted themselves
		statements = k.session.Rows.CountStatements(id)
	}
	k.ledger.note(k.own, func(t *counters) { t.passOver(messages, statements) })
	return true
}

// Known implements importer.Sink.
func (k *sink) Known(sum [32]byte) bool { return k.known.has(sum) && !k.options.OnlyMemories }

// Foreseen implements importer.Sink: it returns the size of a stored element by its start.
func (k *sink) Foreseen(start uint32) int { return k.known.Sizes[start] }

// Conversation implements importer.Sink.
func (k *sink) Conversation(ctx context.Context, d importer.ConversationDraft) error {
	k.seen()
	k.ledger.dates(k.own, lastChange(d.Temporal))
	if k.options.OnlyMemories || k.options.Picks != nil {
		k.skip(becauseNotWanted, func(t *counters) { t.conversations.Skipped++ })
		return k.alive(ctx)
	}
	size := weight(&d.Conversation)
	if size+len(d.Title) > maxHead { // most conversations are far smaller
		truncateConversation(&d.Conversation, func(names []string, size, limit int) { k.leftOut(&d, names, size, limit) })
		size = weight(&d.Conversation)
	}
	k.batch.talks = true
	return k.put(ctx, item{conversation: &d}, size)
}

// unwanted counts an item that is no conversation, and skips it if only conversations are
// imported. If the person picked single memories, it also skips an item that is neither a
// memory nor belongs to one (isBeside: a task or a document piece).
func (k *sink) unwanted(isBeside bool) bool {
	k.seen()
	skips := k.options.OnlyConversations || isBeside && k.options.Picks != nil
	if skips {
		k.skip(becauseNotWanted, nil)
	}
	return skips
}

// putOther queues an item other than a conversation or a memory, unless the options of
// the import leave out items of its kind.
func (k *sink) putOther(ctx context.Context, it item, bytes int) error {
	if k.unwanted(it.todo != nil || it.beside != nil) {
		return k.alive(ctx)
	}
	return k.put(ctx, it, bytes)
}

// isTooLong reports whether a memory is longer than library.MaxContent. If so, it counts
// it as skipped and adds a problem.
func (k *sink) isTooLong(content, at string) bool {
	if len(content) <= library.MaxContent {
		return false
	}
	k.ledger.problem(importer.Problem{Path: k.group.names[0], At: at, Fault: fault.From(library.ErrMemoryTooLong(len(content)))})
	k.skip(becauseTooLarge, nil)
	return true
}

// Memory implements importer.Sink.
func (k *sink) Memory(ctx context.Context, d importer.MemoryDraft) error {
	if k.unwanted(false) || k.isTooLong(d.Content, d.SourceKey) {
		return k.alive(ctx)
	}
	if d.SourceKey == "" {
		d.SourceKey = "content:" + memory.ContentHash(d.Content)
	}
	return k.put(ctx, item{memory: &d}, len(d.Content)+k.batch.memory())
}

// Retraction implements importer.Sink.
func (k *sink) Retraction(ctx context.Context, d importer.RetractionDraft) error {
	return k.putOther(ctx, item{retraction: &d}, len(d.Text)+256)
}

// Record implements importer.Sink.
func (k *sink) Record(ctx context.Context, d importer.RecordDraft) error {
	if k.unwanted(false) || k.isTooLong(d.Content, rows.ShortID(d.ID)) {
		return k.alive(ctx)
	}
	return k.put(ctx, item{record: &d}, len(d.Content)+len(d.Summary)+k.batch.memory())
}

// Relation implements importer.Sink.
func (k *sink) Relation(ctx context.Context, d importer.RelationDraft) error {
	return k.putOther(ctx, item{relation: &d}, 512)
}

// Embedding implements importer.Sink.
func (k *sink) Embedding(ctx context.Context, d importer.EmbeddingDraft) error {
	return k.putOther(ctx, item{embedding: &d}, 512+8*len(d.Vector)+len(d.ID)+len(d.StorageRef))
}

// Todo implements importer.Sink.
func (k *sink) Todo(ctx context.Context, d importer.TodoDraft) error {
	return k.putOther(ctx, item{todo: &d}, len(d.Content)+len(d.Notes)+len(d.MIF)+512)
}

// Beside implements importer.Sink.
func (k *sink) Beside(ctx context.Context, d importer.BesideDraft) error {
	return k.putOther(ctx, item{beside: &d}, len(d.Raw)+128)
}

// Attachment implements importer.Sink.
func (k *sink) Attachment(ctx context.Context, a importer.AttachmentDraft) (string, error) {
	if err := k.alive(ctx); err != nil || k.options.OnlyMemories || k.options.Picks != nil {
		return "", err
	}
	return k.outcome.attachment(ctx, k, a)
}

// stageAttachment encrypts an attachment into the vault and returns its reference; "" if
// it could not be read.
func (k *sink) stageAttachment(ctx context.Context, a importer.AttachmentDraft) (string, error) {
	r, err := a.Open()
	if err != nil {
		return "", k.damaged(ctx, a, err)
	}
	defer r.Close()
	reader := &failureReader{r: files.UntilDone(ctx, r)}
	ref, size, added, err := k.session.Vault.StageBlob(reader)
	if err != nil && reader.failed != nil {
		return "", k.damaged(ctx, a, reader.failed)
	}
	if err != nil {
		k.stop(err) // the vault failed, not the export
		return "", err
	}
	if !added && k.earlier[ref] { // this import stored it before the vault was locked
		delete(k.earlier, ref)
		k.ledger.note(k.own, func(t *counters) { t.attachments.Stored++ })
	}
	if added {
		k.batch.blobs = append(k.batch.blobs, ref)
		k.batch.filled += size
		k.loose.add(ref)
		k.ledger.note(k.own, func(t *counters) { t.attachments.Stored++ })
	}
	return ref, nil
}

// failureReader remembers that reading failed, to tell a damaged export from a full disk.
type failureReader struct {
	r      io.Reader
	failed error
}

func (m *failureReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.failed = err
	}
	return n, err
}

// damaged reports an attachment that could not be read. Its message is stored without
// the file.
func (k *sink) damaged(ctx context.Context, a importer.AttachmentDraft, err error) error {
	if stop := k.alive(ctx); stop != nil {
		return stop
	}
	k.ledger.problem(importer.Problem{Path: a.Name, At: "attachment", Fault: fault.From(err)})
	k.ledger.note(k.own, func(t *counters) { t.attachments.Missing++ })
	return nil
}

// Progress implements importer.Sink.
func (k *sink) Progress(done int64) { k.progress(PhaseReading, k.base+done) }

// alive returns the reason if the import or ctx was stopped, else nil.
func (k *sink) alive(ctx context.Context) error {
	if k.ctx.Err() != nil {
		return context.Cause(k.ctx)
	}
	return ctx.Err()
}

func (k *sink) put(ctx context.Context, it item, bytes int) error {
	k.batch.items = append(k.batch.items, it)
	k.batch.bytes += bytes
	if !k.batch.full() {
		return k.alive(ctx)
	}
	return k.flush(goesOn)
}

func (b *batch) full() bool {
	return b.bytes >= batchBytes || len(b.items) >= batchItems || b.filled >= batchFilled || len(b.blobs) >= batchFiles
}

// flush queues the batch for the goroutine that stores batches, and waits while the queue
// is full. It also waits until a batch of batchHeavy bytes or more is stored.
func (k *sink) flush(end groupEnd) error {
	full := k.batch
	full.end = end
	k.next()
	if full.bytes < batchHeavy {
		return k.hand(full)
	}
	full.over = make(chan struct{})
	if err := k.hand(full); err != nil {
		return err
	}
	select {
	case <-full.over:
		return nil
	case <-k.ctx.Done():
		return context.Cause(k.ctx)
	}
}

func (k *sink) hand(b *batch) error {
	select {
	case k.out <- b:
		return nil
	case <-k.ctx.Done():
		return context.Cause(k.ctx)
	}
}

// weight estimates how many bytes of memory a conversation takes.
func weight(c *memory.Conversation) int {
	n := 2048 + len(c.SystemInstruction) + raw(c.RawMetadata)
	for i := range c.Messages {
		n += messageWeight(&c.Messages[i])
	}
	return n
}

// leftOut counts and reports the members of a conversation that were too large and were
// removed. names are the names that the export's file uses.
func (k *sink) leftOut(d *importer.ConversationDraft, names []string, size, limit int) {
	if len(names) == 0 {
		return
	}
	said := make([]string, len(names))
	for i, name := range names {
		kind := importer.Kind("too-large:" + name)
		k.Unknown(kind)
		_, said[i], _ = strings.Cut(kind, ":")
	}
	k.ledger.problem(importer.Problem{Path: d.File, At: d.Provider.ConversationID, Fault: fault.New(fault.TooLarge, "conversation-lightened",
		"What stands in one place of this conversation takes {size} bytes, and {limit} fit. Left out, the largest first: {members}. Its messages and everything else were kept. To have all of it, import the file again and keep the file itself (--keep-original).").
		With("size", size).With("limit", limit).With("members", few(said))})
}

// few joins at most the first 10 names.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
