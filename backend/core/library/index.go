package library

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// sealedBlocks adapts the vault's index file to the storage interface of package search.
type sealedBlocks struct{ *vault.Index }

func (b sealedBlocks) View(fn func(search.Tx) error) error {
	return b.Index.View(func(tx *vault.IndexTx) error { return fn(tx) })
}

func (b sealedBlocks) Update(fn func(search.Tx) error) error {
	return b.Index.Update(func(tx *vault.IndexTx) error { return fn(tx) })
}

// idleAfter is the time without changes after which the index is flushed and merged.
const idleAfter = 2 * time.Second

// Indexer applies each change to the search index as it is written. If it missed some
// (the program ended, or the index file was lost), it finds the records whose marks, new
// at every write, differ between vault and index, and reads them from the vault.
type Indexer struct {
	vault *vault.Vault
	rows  *rows.Rows
	work  chan []indexChange
	again chan struct{} // signals that the index is to be rebuilt
	later bool          // new records are left to the Indexer of the next unlock
	told  func()        // callback: more is indexed than before

	mu      sync.Mutex
	ready   *sync.Cond
	index   *search.Index // nil until it is open
	left    int           // records changed while no indexer ran, still to be read from the vault and indexed
	handed  int           // records passed to hand that are not indexed yet
	failed  error         // the error that ended the indexer
	stopped bool
}

// indexChange is the change of one record that the index must apply.
type indexChange struct {
	unit search.Unit
	docs iter.Seq[search.Doc] // nil: the record was deleted or, if read is set, is read from the vault
	read bool                 // the indexer must read the record from the vault
}

// StartIndexer indexes a vault in the background until its session ends. It calls told
// whenever searches can find more.
func StartIndexer(v *Session, later bool, told func()) *Indexer {
	x := &Indexer{vault: v.Vault, rows: v.Rows, work: make(chan []indexChange, 1), again: make(chan struct{}, 1), later: later, told: told}
	x.ready = sync.NewCond(&x.mu)
	v.Background.Go(func() { x.run(v.Context) })
	return x
}

// hand queues changes for the indexer, in the order in which they were made. It blocks
// while the queue is full, because reading them from the vault again later costs more.
func (x *Indexer) hand(ctx context.Context, changes []indexChange) {
	if len(changes) == 0 || x.later {
		return
	}
	x.set(func() { x.handed += len(changes) })
	select {
	case x.work <- changes:
	case <-ctx.Done(): // the next unlock indexes the changed records
		x.set(func() { x.handed -= len(changes) })
	}
}

func (x *Indexer) set(fn func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	fn()
	x.ready.Broadcast()
}

// run is the goroutine of the indexer. It ends with ctx, when the vault is locked.
func (x *Indexer) run(ctx context.Context) {
	defer x.set(func() { x.stopped = true })
	err := x.Guarded(func() error { return x.follow(ctx) })
	if err != nil && ctx.Err() == nil {
		x.set(func() { x.failed = err })
		for ctx.Err() == nil { // drain the queue, so that callers of Indexer.hand do not block
			select {
			case changes := <-x.work:
				x.set(func() { x.handed -= len(changes) })
			case <-ctx.Done():
			}
		}
	}
}

// Guarded runs fn and turns a panic into an error.
func (x *Indexer) Guarded(fn func() error) (err error) {
	defer Recovered(&err)
	return fn()
}

// follow opens the index, adds missed records, and then applies changes as they come. If
// the index is damaged, it empties and rebuilds it, at most mostRemakes times.
func (x *Indexer) follow(ctx context.Context) error {
	for remakes := 0; ; {
		err := x.once(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errAgain):
		case isDamagedIndex(err) && remakes < mostRemakes:
			remakes++
		default:
			return err
		}
		if err := x.empty(ctx); err != nil {
			return err
		}
	}
}

// mostRemakes limits the rebuilds of a damaged index, so that they end on a failing disk.
const mostRemakes = 2

// errAgain makes the indexer stop and build the index anew, because Rebuild was called.
var errAgain = errors.New("index to be made again")

func isDamagedIndex(err error) bool {
	return errors.Is(err, search.ErrDamaged) || fault.CodeOf(err) == fault.Damaged
}

// IndexStore returns the index file of a vault as a store: of the search index, and of what
// else is derived from the vault, by the first byte of its keys.
func IndexStore(v *vault.Vault) (search.Store, error) {
	file, err := v.Index()
	return sealedBlocks{file}, err
}

func (x *Indexer) empty(ctx context.Context) error {
	x.set(func() { x.index = nil })
	store, err := IndexStore(x.vault)
	if err != nil {
		return err
	}
	return search.Reset(ctx, store)
}

// pass is the state of the indexer while one index is open.
type pass struct {
	*Indexer
	index *search.Index
	todo  []search.Unit // records that the index lacks, to be read from the vault
	said  time.Time     // when Indexer.told was last called
}

// oftenEnough is the minimum time between two calls of Indexer.told while it catches up.
// A window may show an outdated count of unindexed records for so long.
const oftenEnough = time.Second

func (x *Indexer) once(ctx context.Context) error {
	store, err := IndexStore(x.vault)
	if err != nil {
		return err
	}
	index, err := search.Open(ctx, store, search.Options{Field: func(name, value string) (func(search.Kind, uint64, uint32, int64) bool, error) {
		return RowFilter(x.rows, name, value)
	}})
	if err != nil {
		return err
	}
	p := &pass{Indexer: x, index: index, todo: index.Sync(x.rows.Units()), said: time.Now()}
	x.set(func() { x.index, x.left = index, len(p.todo) })
	for {
		if err := p.step(ctx); err != nil {
			return err
		}
	}
}

// step does one piece of work: it applies changes that were just written; if there are
// none, it indexes a record of todo; if there is none, it waits and tidies up.
func (p *pass) step(ctx context.Context) error {
	select {
	case changes := <-p.work:
		return p.take(changes)
	case <-p.again:
		return errAgain
	default:
	}
	if len(p.todo) > 0 {
		unit := p.todo[0]
		p.todo = p.todo[1:]
		err := p.read(unit)
		p.set(func() { p.left = len(p.todo) })
		if time.Since(p.said) >= oftenEnough {
			p.said = time.Now()
			p.told()
		}
		return errors.Join(err, ctx.Err())
	}
	p.told()
	return p.rest(ctx, idleAfter)
}

// rest waits for work. If there is none for the time idle, it tidies up the index; idle 0
// only waits.
func (p *pass) rest(ctx context.Context, idle time.Duration) error {
	var quiet <-chan time.Time
	if idle > 0 {
		timer := time.NewTimer(idle)
		defer timer.Stop()
		quiet = timer.C
	}
	select {
	case changes := <-p.work:
		return p.take(changes)
	case <-p.again:
		return errAgain
	case <-ctx.Done():
		return ctx.Err()
	case <-quiet:
		return p.tidy(ctx)
	}
}

// tidyBytes is how many bytes of the index need not be written to disk: to index that
// much again at the next unlock takes almost no time.
const tidyBytes = 256 << 10

// tidy flushes the part of the index that is only in memory, if it is larger than
// tidyBytes, and merges segments.
func (p *pass) tidy(ctx context.Context) error {
	if p.index.Stats().LiveBytes > tidyBytes {
		if err := p.index.Flush(ctx); err != nil {
			return err
		}
	}
	for len(p.work) == 0 && len(p.again) == 0 {
		more, err := p.index.Merge(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return p.rest(ctx, 0)
}

func (p *pass) take(changes []indexChange) error {
	defer p.set(func() { p.handed -= len(changes) })
	for _, c := range changes {
		var err error
		switch {
		case c.read:
			err = p.read(c.unit)
		case c.docs == nil:
			p.index.Drop(c.unit.Kind, c.unit.Seq)
		default:
			err = p.index.Put(c.unit, c.docs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read indexes the current version of a record in the vault. A missing or damaged record
// is no error here; it is reported when the user opens it.
func (p *pass) read(unit search.Unit) error {
	id, mark, ok := p.rows.At(unit.Kind, unit.Seq)
	if !ok {
		return nil
	}
	unit.Mark = mark
	var failed error
	err := p.vault.View(func(tx *vault.Tx) error {
		var broken error
		var docs iter.Seq[search.Doc]
		if unit.Kind == search.Memory {
			docs = memoryDocs(tx, id, &broken)
		} else {
			docs = conversationDocs(tx, id, &broken)
		}
		failed = p.index.Put(unit, docs)
		return broken
	})
	switch fault.CodeOf(err) {
	case fault.NotFound, fault.Damaged:
		err = nil
	}
	return errors.Join(err, failed)
}

// Rebuild makes the indexer empty the index and build it again. It returns at once.
func (x *Indexer) Rebuild() {
	x.set(func() { x.index = nil })
	select {
	case x.again <- struct{}{}:
	default: // a rebuild is requested already
	}
}

// Wait returns once everything is indexed and written to disk. At most tidyBytes may stay
// in memory if the index has segments already: otherwise each command of a script would
// add a segment.
func (x *Indexer) Wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { x.set(func() {}) })
	defer stop()
	x.mu.Lock()
	for x.isBehind() && x.failed == nil && !x.stopped && ctx.Err() == nil {
		x.ready.Wait()
	}
	index, failed := x.index, x.failed
	x.mu.Unlock()
	if err := errors.Join(failed, ctx.Err()); err != nil || index == nil {
		return err
	}
	if stats := index.Stats(); stats.Segments > 0 && stats.LiveBytes <= tidyBytes {
		return nil
	}
	return index.Flush(ctx)
}

// Purge removes all text of dropped records from the index file.
func (x *Indexer) Purge(ctx context.Context) error {
	if err := x.Wait(ctx); err != nil {
		return err
	}
	index, _, err := x.State()
	if err != nil || index == nil {
		return err
	}
	return index.Purge(ctx)
}

func (x *Indexer) isBehind() bool { return x.index == nil || x.left > 0 || x.handed > 0 }

// State returns the index, nil until it is open, the number of records that are not
// indexed yet, and the error that ended the indexer.
func (x *Indexer) State() (index *search.Index, missing int, failed error) {
	x.mu.Lock()
	index, missing, failed = x.index, x.left+x.handed, x.failed
	x.mu.Unlock()
	if index == nil {
		missing = x.rows.Count()
	}
	return index, missing, failed
}

// Whole returns the index if all records are in it, nil otherwise.
func (x *Indexer) Whole() *search.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.isBehind() || x.failed != nil || x.stopped {
		return nil
	}
	return x.index
}

// MemoryText is the searchable text of a memory: content, summary and tags.
func MemoryText(m memory.Record) string {
	text := m.Content
	if m.Summary != "" {
		text += search.Break + m.Summary
	}
	for _, tag := range m.Tags {
		text += search.Break + "· " + tag // the dot separates the tags from the text in a one-line snippet
	}
	return text
}

func memoryDoc(m memory.Record) iter.Seq[search.Doc] {
	doc := search.Doc{Time: seconds(m.Temporal.CreatedAt), Text: MemoryText(m)}
	return func(yield func(search.Doc) bool) { yield(doc) }
}

func memoryDocs(tx *vault.Tx, id string, broken *error) iter.Seq[search.Doc] {
	return func(yield func(search.Doc) bool) {
		text, err := tx.Get(vault.Memories, id)
		var m memory.Record
		if err == nil {
			m, err = pam.DecodeMemory(text)
		}
		if *broken = err; err == nil {
			memoryDoc(m)(yield)
		}
	}
}

// MessageText is the searchable text of a message: its own text, the names of its
// attachments, and the input and output of its tool calls.
func MessageText(m vault.MessageWords) string {
	parts := []string{m.Content.PlainText()}
	for _, a := range m.Attachments {
		if a.Name != "" {
			parts = append(parts, "· "+a.Name) // with a dot, like tags in MemoryText
		}
	}
	for _, call := range m.ToolCalls {
		parts = append(parts, call.InputText(), call.Output)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), search.Break)
}

// messageDoc returns the index document of a message; false if the message has no
// searchable text.
func messageDoc(at int, role memory.Role, said memory.Time, words vault.MessageWords) (search.Doc, bool) {
	text := MessageText(words)
	part := uint32(at)
	if role == memory.Tool || len(words.ToolCalls) > 0 && words.Content.PlainText() == "" {
		part |= search.ToolCalls
	}
	return search.Doc{Part: part, Time: seconds(said), Text: text}, text != ""
}

// DraftDocs yields the index documents of a conversation in memory: one per message with
// text, and one for the title.
func DraftDocs(c *memory.Conversation) iter.Seq[search.Doc] {
	return func(yield func(search.Doc) bool) {
		for i := range c.Messages {
			m := &c.Messages[i]
			if doc, says := messageDoc(i, m.Role, m.CreatedAt, vault.MessageWords{Content: m.Content, Attachments: m.Attachments, ToolCalls: m.ToolCalls}); says && !yield(doc) {
				return
			}
		}
		if c.Title != "" {
			yield(titleDoc(c))
		}
	}
}

func titleDoc(c *memory.Conversation) search.Doc {
	return search.Doc{Part: search.Title, Time: seconds(c.Began()), Text: c.Title}
}

// conversationDocs yields the same documents as DraftDocs, read from the vault. It sets
// broken to the error that stopped it, if any.
func conversationDocs(tx *vault.Tx, id string, broken *error) iter.Seq[search.Doc] {
	return func(yield func(search.Doc) bool) {
		head, err := tx.ConversationHead(id)
		var seq uint64
		if err == nil {
			seq, err = tx.Seq(vault.Conversations, id)
		}
		texts := tx.Texts()
		for i := 0; err == nil && i < head.MessageCount; i++ {
			var m vault.MessageText
			if m, err = texts.At(seq, i); err != nil {
				break
			}
			if doc, says := messageDoc(i, m.Role, m.CreatedAt, m.MessageWords); says && !yield(doc) {
				return
			}
		}
		if *broken = err; err == nil && head.Title != "" {
			yield(titleDoc(&head.Conversation))
		}
	}
}

// seconds returns a time as Unix seconds, 0 for unknown.
func seconds(t memory.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
