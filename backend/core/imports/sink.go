package imports

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// A batch is one transaction. Its size trades memory and the cost of a flush
// against how much work a stop throws away.
const (
	batchBytes  = 4 << 20
	batchItems  = 1000
	batchFiles  = 500
	batchFilled = 64 << 20 // bytes of files
	batchHeavy  = 32 << 20 // from so many bytes on there is one at a time

	// memoryBytes is what a memory counts for beside its text, so that 150 fill a batch:
	// each rewrites up to five pages that lie anywhere in the indexes, and those that lead
	// there, and a commit maps up to 64 KiB around each.
	memoryBytes = 28 << 10

	// memoryInTalk is the same in a batch with conversations, which has few memories.
	memoryInTalk = 1 << 10
)

// batch is what the reading side hands to the writing side.
type batch struct {
	book   *groupBook
	info   importer.Info
	group  *group
	items  []item
	blobs  []string // files that were not in the vault before
	filled int64    // their bytes
	bytes  int
	talks  bool // it has conversations
	end    ending
	over   chan struct{} // of a heavy one: closed once it is written
}

// memory is how many bytes a memory counts for beside its text.
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

// ending says that a batch is the last of its group, and how the group ended.
type ending int

const (
	goesOn ending = iota
	ended
	brokeOff
)

// sink is where a reader puts what it finds. It only collects: what becomes of
// an item is decided on the writing side, inside the transaction.
type sink struct {
	*run
	noting
	ctx   context.Context
	group *group
	info  importer.Info
	book  *groupBook
	out   chan<- *batch
	batch *batch
	base  int64 // bytes of the groups before
	known known
}

func (k *sink) next() {
	k.batch = &batch{book: k.book, info: k.info, group: k.group}
}

// Unchanged implements importer.Sink. What an import left that broke off is
// never passed over: readers tell some memories only at the end.
func (k *sink) Unchanged(nativeID string, sum [32]byte) bool {
	if k.options.OnlyMemories || k.options.Picks != nil || sum == ([32]byte{}) {
		return false
	}
	id, messages, ok := findKnown(k.session.Rows, k.known, k.info.Platform, nativeID, sum)
	if !ok {
		return false
	}
	held, changed := passedOver(k.session.Rows, id)
	k.watch.see(k.group, held)
	k.watch.dates(k.group, changed)
	statements := 0
	if !k.group.isDocument() { // whose memories are told beside the conversations
		statements = k.session.Rows.CountStatements(id)
	}
	k.books.note(k.book, func(t *tally) { t.passOver(messages, statements) })
	return true
}

// Known implements importer.Sink.
func (k *sink) Known(sum [32]byte) bool { return k.known.has(sum) && !k.options.OnlyMemories }

// Foreseen implements importer.Sink.
func (k *sink) Foreseen(start uint32) int { return k.known.Sizes[start] }

// Conversation implements importer.Sink.
func (k *sink) Conversation(ctx context.Context, d importer.ConversationDraft) error {
	k.seen()
	k.watch.dates(k.group, lastChange(d.Temporal))
	if k.options.OnlyMemories || k.options.Picks != nil {
		k.skip(becauseNotWanted, func(t *tally) { t.conversations.Skipped++ })
		return k.alive(ctx)
	}
	size := weight(&d.Conversation)
	if size+len(d.Title) > maxHead { // most are far below
		k.lighten(&d)
		size = weight(&d.Conversation)
	}
	k.batch.talks = true
	return k.put(ctx, item{conversation: &d}, size)
}

// unwanted counts an item that is no conversation, and skips it where only
// conversations are taken.
func (k *sink) unwanted() bool {
	k.seen()
	if k.options.OnlyConversations {
		k.skip(becauseNotWanted, nil)
	}
	return k.options.OnlyConversations
}

// Memory implements importer.Sink.
func (k *sink) Memory(ctx context.Context, d importer.MemoryDraft) error {
	if k.unwanted() {
		return k.alive(ctx)
	}
	if len(d.Content) > library.MaxContent {
		k.books.problem(importer.Problem{Path: k.group.names[0], At: d.SourceKey, Fault: fault.From(library.ErrMemoryTooLong(len(d.Content)))})
		k.skip(becauseTooLarge, nil)
		return k.alive(ctx)
	}
	if d.SourceKey == "" {
		d.SourceKey = "content:" + memory.ContentHash(d.Content)
	}
	return k.put(ctx, item{memory: &d}, len(d.Content)+k.batch.memory())
}

// Retraction implements importer.Sink.
func (k *sink) Retraction(ctx context.Context, d importer.RetractionDraft) error {
	if k.unwanted() {
		return k.alive(ctx)
	}
	return k.put(ctx, item{retraction: &d}, len(d.Text)+256)
}

// Record implements importer.Sink.
func (k *sink) Record(ctx context.Context, d importer.RecordDraft) error {
	if k.unwanted() {
		return k.alive(ctx)
	}
	if len(d.Content) > library.MaxContent {
		k.books.problem(importer.Problem{Path: k.group.names[0], At: rows.ShortID(d.ID), Fault: fault.From(library.ErrMemoryTooLong(len(d.Content)))})
		k.skip(becauseTooLarge, nil)
		return k.alive(ctx)
	}
	return k.put(ctx, item{record: &d}, len(d.Content)+len(d.Summary)+k.batch.memory())
}

// Relation implements importer.Sink.
func (k *sink) Relation(ctx context.Context, d importer.RelationDraft) error {
	if k.unwanted() {
		return k.alive(ctx)
	}
	return k.put(ctx, item{relation: &d}, 512)
}

// Embedding implements importer.Sink.
func (k *sink) Embedding(ctx context.Context, d importer.EmbeddingDraft) error {
	if k.unwanted() {
		return k.alive(ctx)
	}
	return k.put(ctx, item{embedding: &d}, 512+8*len(d.Vector)+len(d.ID)+len(d.StorageRef))
}

// Todo implements importer.Sink.
func (k *sink) Todo(ctx context.Context, d importer.TodoDraft) error {
	k.seen()
	if k.options.OnlyConversations || k.options.Picks != nil {
		k.skip(becauseNotWanted, nil)
		return k.alive(ctx)
	}
	return k.put(ctx, item{todo: &d}, len(d.Content)+len(d.Notes)+len(d.MIF)+512)
}

// Beside implements importer.Sink.
func (k *sink) Beside(ctx context.Context, d importer.BesideDraft) error {
	k.seen()
	if k.options.OnlyConversations || k.options.Picks != nil {
		k.skip(becauseNotWanted, nil)
		return k.alive(ctx)
	}
	return k.put(ctx, item{beside: &d}, len(d.Raw)+128)
}

// Attachment implements importer.Sink. A plan does not read the bytes.
func (k *sink) Attachment(ctx context.Context, a importer.AttachmentDraft) (string, error) {
	if err := k.alive(ctx); err != nil || k.options.OnlyMemories || k.options.Picks != nil || k.dryRun != nil {
		return "", err
	}
	r, err := a.Open()
	if err != nil {
		return "", k.damaged(ctx, a, err)
	}
	defer r.Close()
	reader := &marked{r: files.UntilDone(ctx, r)}
	ref, size, added, err := k.session.Vault.StageBlob(reader)
	if err != nil && reader.failed != nil {
		return "", k.damaged(ctx, a, reader.failed)
	}
	if err != nil {
		return "", k.broken(err)
	}
	if !added && k.earlier[ref] { // stored before a lock stopped this import
		delete(k.earlier, ref)
		k.books.note(k.book, func(t *tally) { t.attachments.Stored++ })
	}
	if added {
		k.batch.blobs = append(k.batch.blobs, ref)
		k.batch.filled += size
		k.loose.add(ref)
		k.books.note(k.book, func(t *tally) { t.attachments.Stored++ })
	}
	return ref, nil
}

// marked remembers that reading failed, to tell a damaged export from a full disk.
type marked struct {
	r      io.Reader
	failed error
}

func (m *marked) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		m.failed = err
	}
	return n, err
}

// damaged records an attachment that could not be read. The message that
// names it is kept without it.
func (k *sink) damaged(ctx context.Context, a importer.AttachmentDraft, err error) error {
	if stop := k.alive(ctx); stop != nil {
		return stop
	}
	k.books.problem(importer.Problem{Path: a.Name, At: "attachment", Fault: fault.From(err)})
	k.books.note(k.book, func(t *tally) { t.attachments.Missing++ })
	return nil
}

// Progress implements importer.Sink.
func (k *sink) Progress(done int64) { k.progress(PhaseReading, k.base+done) }

// alive is the reason to stop, or nil.
func (k *sink) alive(ctx context.Context) error {
	if k.ctx.Err() != nil {
		return context.Cause(k.ctx)
	}
	return ctx.Err()
}

// broken ends the run for a fault of the receiving side.
func (k *sink) broken(err error) error {
	k.stop(err)
	return err
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

// flush hands the batch over; it waits while the writing side is behind.
func (k *sink) flush(end ending) error {
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

// weight is about what a conversation takes in memory, in bytes.
func weight(c *memory.Conversation) int {
	n := 2048 + len(c.SystemInstruction) + raw(c.RawMetadata)
	for i := range c.Messages {
		n += messageWeight(&c.Messages[i])
	}
	return n
}

func messageWeight(m *memory.Message) int {
	n := 512 + raw(m.RawMetadata)
	if m.Content != nil {
		n += len(m.Content.Text)
		for _, p := range m.Content.Parts {
			n += len(p.Text)
		}
	}
	for _, call := range m.ToolCalls {
		n += len(call.Input) + len(call.Output)
	}
	for _, c := range m.Citations {
		n += len(c.Snippet) + len(c.URL)
	}
	return n
}

func raw(m map[string]json.RawMessage) (n int) {
	for name, value := range m {
		n += len(name) + len(value)
	}
	return n
}
