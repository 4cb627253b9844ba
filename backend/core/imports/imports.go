package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/plainfile"
)

// run is one running import. Its reading side calls a reader with a sink; its writing
// side stores whole batches.
type run struct {
	service   *Service
	session   *library.Session
	id        string
	job       string // id of the background job; "" if the caller waits for the import
	options   library.ImportOptions
	report    library.ImportReport // without counts, which fill adds from the ledger
	began     time.Time            // time.Now() at the start, to measure the duration
	stop      context.CancelCauseFunc
	tell      func(Progress)
	ledger    ledger
	late      late
	relations spillQueue // holds relations back until all memories are stored; writing side only
	loose     looseBlobs
	outcome   outcome                    // stores the decisions (import) or only counts them (plan)
	moved     map[library.MovedID]string // new ids of conversations whose id another account has; writing side only
	pieces    *library.SetAsides         // index of MIF data that PAM has no place for; writing side only
	families  *families                  // conversations that share a history; only for the writing goroutine
	resumed   bool                       // continues an import that stopped when the vault was locked
	seals     bool                       // the crash marker for stored files is set (see sealing)
	earlier   map[string]bool            // attachments that this import stored before the vault was locked
	lossy     bool                       // the vault lacks attachments that these files may hold
	locked    bool                       // the vault was locked during this import; the next unlock resumes it

	head   *library.ChangeHead // head of this import's undo record; nil until something is written
	stored bool                // at least one batch is durable
	total  int64               // bytes of all sources

	telling sync.Mutex // guards told, and serializes calls of tell
	told    time.Time  // time of the last progress report
}

// outcome carries out what an import decides about each item. importOutcome stores the
// items in the vault; planOutcome, for a dry run, only counts and previews them.
type outcome interface {
	// begin returns the initial state for run.writing: the map of new ids of conversations
	// whose id another account uses, and the index of MIF data that PAM has no place for.
	begin() (map[library.MovedID]string, *library.SetAsides)
	// store decides which items of a batch to take and stores them, a plan only in RAM.
	store(b *batch) (*batchApplier, error)
	// attachment stores an attachment and returns its reference; "" if it stored none.
	attachment(ctx context.Context, k *sink, a importer.AttachmentDraft) (ref string, err error)
	// handOver removes, from the forks of a conversation that was just stored, the
	// messages that they copied from it.
	handOver(a *batchApplier, original string) error
	// foresee records a conversation before it is stored; a plan needs its messages later.
	foresee(f *families, d *importer.ConversationDraft)
	// show previews an item. before (memories) and late (rewordings) are counts before it.
	show(a *batchApplier, it item, before library.MemoryCounts, late int)
	// problem reports how many items were kept of a source whose reading broke off.
	problem(p importer.Problem)
}

// importOutcome is the outcome of a real import: it stores the decisions in the vault.
type importOutcome struct{ *run }

func (o importOutcome) begin() (map[library.MovedID]string, *library.SetAsides) {
	return map[library.MovedID]string{}, library.NewPieces()
}

func (o importOutcome) attachment(ctx context.Context, k *sink, a importer.AttachmentDraft) (string, error) {
	return k.stageAttachment(ctx, a)
}

func (o importOutcome) handOver(a *batchApplier, original string) error { return a.handOver(original) }

func (o importOutcome) foresee(*families, *importer.ConversationDraft) {}

func (o importOutcome) show(*batchApplier, item, library.MemoryCounts, int) {}

func (o importOutcome) problem(p importer.Problem) { o.ledger.problem(p) }

// looseBlobs tracks stored attachment files that no record may refer to yet, because
// their batch is not committed.
type looseBlobs struct {
	mu    sync.Mutex
	refs  map[string]bool
	added map[string]bool // references of all attachment files that this import stored
}

func (l *looseBlobs) add(ref string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refs == nil {
		l.refs, l.added = map[string]bool{}, map[string]bool{}
	}
	l.refs[ref], l.added[ref] = true, true
}

// reconsider marks files that this import stored as loose again: no record refers to
// them, because the item that named them was not stored.
func (l *looseBlobs) reconsider(refs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ref := range refs {
		if l.added[ref] {
			l.refs[ref] = true
		}
	}
}

func (l *looseBlobs) settle(refs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ref := range refs {
		delete(l.refs, ref)
	}
}

func (l *looseBlobs) left() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.refs))
}

// do reads every group (an export, or a document) and stores its items. The report is
// saved if anything was stored or everything was read; the error says why it stopped.
func (r *run) do(ctx context.Context, groups []*group) (library.ImportReport, error) {
	defer r.session.Vault.SpareMapped()()
	if err := r.service.judge(ctx, r.session, groups, r.options); err != nil {
		return r.report, err
	}
	if err := r.identify(ctx, groups); err != nil {
		return r.report, err
	}
	if r.report.Identical != "" {
		r.report.Unfinished = false
		r.report.LetGoOfOriginals()
		err := r.finish("done", nil)
		return r.report, err
	}
	if err := r.sweep(); err != nil {
		return r.report, err
	}
	r.nameOthers(groups)
	if err := r.keepOriginals(ctx, groups); err != nil {
		return r.report, err
	}
	ended := r.through(ctx, groups)
	r.locked = isLocked(reason(ctx, ended))
	report, err := r.conclude(groups, ended)
	r.sealed() // after conclude: files that its report refers to must not be deleted
	r.madeGood(ctx)
	return report, err
}

// through reads the exports (groups) into batches of items. Meanwhile a second goroutine
// decides which items of a batch the vault takes, and stores them.
func (r *run) through(ctx context.Context, groups []*group) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.stop = stop
	queue := make(chan *batch, 1)
	written := make(chan error, 1)
	go func() { written <- r.writing(ctx, queue) }()
	reading := r.readAll(ctx, groups, queue)
	close(queue)
	return cmp.Or(<-written, reading)
}

// conclude sets the final state of an import that has ended. It stores the report, unless
// the import failed before anything was stored.
func (r *run) conclude(groups []*group, err error) (library.ImportReport, error) {
	if err == nil {
		err = r.broke(groups)
	}
	state := "done"
	if err != nil || slices.ContainsFunc(groups, func(g *group) bool { return g.fault != nil }) {
		state = "partial"
	}
	if err != nil && !r.stored {
		r.fill(&r.report, nil, counters{})
		r.report.State = state
		return r.report, err
	}
	r.report.Unfinished = err != nil || slices.ContainsFunc(groups, func(g *group) bool { return g.broke })
	r.report.Told = r.report.Unfinished && !r.locked
	if kept := r.finish(state, r.exports(groups)); err == nil {
		err = kept
	}
	r.tellNow(PhaseFinished, r.total)
	return r.report, err
}

func (r *run) holdsNothing(groups []*group) error {
	isDocument := func(g *group) bool { return g.found.Importer != nil && g.found.Importer.Info().Documents }
	if r.ledger.total(counters{}).seen > 0 || slices.ContainsFunc(groups, isDocument) { // a document may be empty
		return nil
	}
	return fault.New(fault.Invalid, "export-holds-nothing", "{name} holds no conversations and no memories.").
		With("name", groups[0].names[0]).
		Advise("Ask the provider for a new export, and drop the whole zip as it was downloaded.")
}

// broke returns the error of a failed import. If all groups (exports, documents) failed,
// it returns the first group's fault if that is internal, or if no item was taken, merged
// or found unchanged. Otherwise it returns an error if the groups hold nothing. For each
// group that broke off after items were kept, it adds a problem with their number.
func (r *run) broke(groups []*group) error {
	held := 0
	for _, g := range groups {
		if g.ledger == nil {
			continue
		}
		t := r.ledger.of(g.ledger)
		held += t.taken + t.merged + t.unchanged
		conversations := t.conversations.New + t.conversations.Updated + t.conversations.Unchanged
		memories := t.memories.New + t.memories.Updated + t.memories.Merged + t.memories.Unchanged
		if g.broke && conversations+memories > 0 {
			r.outcome.problem(importer.Problem{Path: g.name(), Fault: fault.New(fault.Invalid, "import-broke-off",
				"What came before that in {name} was kept (conversations: {conversations}, memories: {memories}). Import the same file again once it is whole; at most the conversation at the break is there twice then.").
				With("name", g.name()).With("conversations", conversations).With("memories", memories)})
		}
	}
	if err := allFailed(groups); err != nil && (held == 0 || fault.CodeOf(err) == fault.Internal) {
		return err
	}
	return r.holdsNothing(groups)
}

func (r *run) readAll(ctx context.Context, groups []*group, queue chan<- *batch) error {
	var base, end int64 // byte range of the current tree within the bytes of all trees
	for _, g := range groups {
		book := r.ledger.open(g.title())
		g.ledger = book
		if g.fault == nil && g.hasLeft(ctx, &r.ledger) {
			if g.after == nil {
				base, end = end, end+g.tree.Size()
			}
			r.findings(g)
			done := r.ticking(PhaseReading, func() int64 { return base + g.tree.Consumed() })
			err := r.read(ctx, g, book, base, queue)
			done()
			if err != nil {
				return err
			}
		}
		if err := g.leave(ctx, &r.ledger, r.service.importers); err != nil {
			return err
		}
		if g.fault != nil {
			r.ledger.problem(importer.Problem{Path: g.name(), Fault: g.fault})
		}
	}
	return nil
}

// title is the name of the group's input. If another importer reads the same input first
// (see group.after), the name of this group's importer follows in parentheses.
func (g *group) title() string {
	if g.after == nil {
		return g.name()
	}
	return g.name() + " (" + g.found.Importer.Info().Name + ")"
}

// nameOthers reports the documents that are not read because they are in the same source
// as a provider's export.
func (r *run) nameOthers(groups []*group) {
	for _, g := range groups {
		for _, p := range g.others() {
			r.ledger.problem(p)
		}
	}
}

// read runs one reader. If the source cannot be read to its end, it sets g.fault instead
// of returning an error; a returned error stops the whole import.
func (r *run) read(ctx context.Context, g *group, book *groupLedger, base int64, queue chan<- *batch) error {
	k := &sink{
		run: r, ctx: ctx, group: g, info: g.found.Importer.Info(), out: queue, base: base,
		countingSink: countingSink{all: &r.ledger, own: book, whole: map[string]bool{}},
	}
	var err error
	if r.lossy {
		k.known = known{account: g.account()} // empty: all is read again, for attachments that the vault lacks
	} else if k.known, err = KnownElements(r.session, k.info, g.account()); err != nil {
		return err
	}
	g.files = map[string]bool{}
	g.goOver = func(file string) error { return g.tree.Sound(ctx, file) }
	k.next()
	for _, refused := range g.tree.Refused() {
		k.Problem(importer.Problem{Path: refused.Path, Fault: refused.Fault})
	}
	err = guardedRead(ctx, g, g.sinkOf(k))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		err = g.tree.Failure() // the reader continued although it could not read some file
	}
	if err != nil {
		g.fault, g.broke = fault.From(err), true
		return k.flush(brokeOff)
	}
	return k.flush(ended)
}

// findings reports the defects of a document that is imported in spite of them.
func (r *run) findings(g *group) {
	if g.document == nil {
		return
	}
	for _, p := range documentProblems(g.document, g.name()) {
		r.ledger.problem(p)
	}
}

func guardedRead(ctx context.Context, g *group, k importer.Sink) (err error) {
	defer recovered(&err)
	return g.found.Importer.Read(ctx, g.tree, k)
}

// writing stores batches until the queue is closed. After an error it only drains the
// queue, so that the reading side does not block.
func (r *run) writing(ctx context.Context, queue <-chan *batch) error {
	r.late = newLate()
	r.moved, r.pieces = r.outcome.begin()
	r.relations.open = r.service.files.NewScratch
	defer r.relations.drop()
	var failed error
	for b := range queue {
		if failed != nil {
			continue
		}
		if failed = r.write(b); failed == nil && b.end == ended {
			failed = r.rest(ctx, b)
		}
		if failed != nil {
			r.stop(failed)
		}
		if b.over != nil {
			close(b.over)
		}
	}
	return failed
}

// rest stores those relations of a group (one export) that had to wait for its last batch
// and did not fit into it.
func (r *run) rest(ctx context.Context, last *batch) error {
	for r.relations.count() > 0 {
		b := &batch{ledger: last.ledger, info: last.info, group: last.group, end: ended}
		if ctx.Err() != nil {
			b.end = brokeOff
		}
		if err := r.write(b); err != nil {
			return err
		}
		if b.end == brokeOff {
			return context.Cause(ctx)
		}
	}
	r.relations.ends = relationEnds{} // maps names of things to memories; the names are valid within one export
	return nil
}

// write decides which items of a batch to take, stores them (unless this is a plan), and
// adds the batch's counts, problems and changes to the ledger.
func (r *run) write(b *batch) error {
	if err := r.goOver(b); err != nil {
		return err
	}
	a, err := r.outcome.store(b)
	if err != nil {
		return err
	}
	r.ledger.note(b.ledger, func(t *counters) { t.add(a.counts) })
	r.ledger.see(b.ledger, a.seen)
	b.group.ended = b.end == ended
	for _, p := range a.problems {
		r.ledger.problemOf(b.ledger, p)
	}
	for _, c := range a.changes {
		r.ledger.changed(b.ledger, c)
		if r.options.OnChange != nil {
			r.options.OnChange(c)
		}
	}
	return nil
}

// store stores one batch in one transaction, together with the data that an undo needs
// and the report as of this batch.
func (r importOutcome) store(b *batch) (a *batchApplier, err error) {
	defer library.Recovered(&err)
	if err := r.sealing(b.blobs); err != nil {
		return nil, err
	}
	if err := r.session.Vault.SettleBlobs(b.blobs); err != nil { // before a record refers to them
		return nil, err
	}
	err = r.service.lib.Update(r.session, func(e *library.Tx) error {
		if b.end == goesOn && !b.talks { // the journal cannot take so many small records: write to the data file
			if err := e.Direct(); err != nil {
				return err
			}
		}
		a = &batchApplier{Tx: e, run: r.run, batch: b}
		if err := a.all(); err != nil {
			return err
		}
		if len(a.Images) == 0 {
			return nil
		}
		return r.keep(a)
	})
	if err != nil {
		return nil, err
	}
	r.stored = r.stored || len(a.Images) > 0
	r.loose.settle(b.blobs)
	r.loose.reconsider(a.unused)
	return a, nil
}

// keep adds the images of a batch (the records before it changed them) to the import's
// change (its undo record), and stores the report as of this batch.
func (r *run) keep(a *batchApplier) error {
	head := r.head
	if head == nil {
		var err error
		if head, err = a.Begin("import", r.id); err != nil {
			return err
		}
	}
	next := *head
	if err := a.KeepImages(&next); err != nil {
		return err
	}
	r.head = &next
	report := r.report
	report.Changed = true
	r.fill(&report, a.batch.ledger, a.counts)
	if err := a.PutReport(report); err != nil {
		return err
	}
	return a.LogAs(r.options.By, library.LogStore, r.id, a.counts.taken+a.counts.merged)
}

func (r *run) fill(report *library.ImportReport, book *groupLedger, extra counters) {
	r.ledger.fill(report, book, extra)
	report.ElapsedMS = time.Since(r.began).Milliseconds()
}

// finish stores the final report and, unless the same files were imported before, the
// sighting (what this import saw in its exports).
func (r *run) finish(state string, exports []library.SeenExport) error {
	if r.report.Identical == "" {
		r.fill(&r.report, nil, counters{})
	}
	r.report.State, r.report.Changed = state, r.head != nil
	return r.service.lib.Update(r.session, func(e *library.Tx) error {
		if r.report.Identical == "" {
			if err := e.PutSighting(library.Sighting{ImportID: r.id, Exports: exports}); err != nil {
				return err
			}
		}
		return e.PutReport(r.report)
	})
}

// made returns the import_metadata for the conversations of a batch (PAM §25.3).
func (r *run) made(b *batch, file string) memory.ImportMetadata {
	m := memory.ImportMetadata{
		Importer: library.Extractor, ImporterVersion: b.info.Version, ImportedAt: r.report.StartedAt, SourceFile: file,
	}
	for _, source := range r.report.Sources {
		if len(b.group.names) == 1 && source.Name == b.group.names[0] && source.SHA256 != "" {
			m.SourceChecksum = "sha256:" + source.SHA256
		}
	}
	return m
}

// identify records every input as a source in the report, with its SHA-256, and then
// checks whether an earlier import read exactly the same files.
func (r *run) identify(ctx context.Context, groups []*group) error {
	r.total = sizeOf(groups)
	var summed atomic.Int64
	defer r.ticking(PhaseRecognising, summed.Load)()
	for _, g := range groups {
		for i, in := range g.inputs {
			source := library.ReportSource{Path: in.Path, Name: g.names[i]}
			if in.Path == "" {
				source.Path, source.Uploaded, source.Original = g.names[i], true, in.Original
			}
			if g.found.Importer != nil {
				info := g.found.Importer.Info()
				source.Provider, source.ImporterVersion, source.Format = info.ID, info.Version, g.found.Match.Format
				source.Missing = g.found.Match.Missing
				source.Account, source.Accounts, source.AccountNames = g.account(), g.found.Match.Accounts, g.found.Match.Names
			}
			if g.document != nil {
				head := g.document.Report.Head
				source.Verdict, source.ExportID, source.BaseExportID = g.document.Report.Verdict, head.ExportID, head.BaseExportID
				source.Incremental, source.Signer = head.IsIncremental(), g.authority.signer
				source.ExportDate, _ = memory.ParseTime(head.ExportDate) // zero if it is no valid time
			}
			if g.after != nil {
				source.SHA256 = r.report.Sources[len(r.report.Sources)-len(g.inputs)].SHA256
			} else if sum, err := r.service.hashOf(ctx, in, &summed); err != nil {
				return err
			} else {
				source.SHA256 = sum
			}
			r.report.Sources = append(r.report.Sources, source)
		}
	}
	return r.recognise(ctx)
}

// hashOf returns the SHA-256 of a file, "" for a folder or an unreadable file. While it
// reads, it adds the number of bytes read to done.
func (s *Service) hashOf(ctx context.Context, in files.Input, done *atomic.Int64) (string, error) {
	source, err := s.files.Source(in)
	if err != nil {
		return "", nil
	}
	file, ok := openSource(source)
	if !ok {
		return "", nil
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(h, byteCounter{done}), files.UntilDone(ctx, file)); err != nil {
		return "", ctx.Err()
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openSource opens a source at its start; ok is false for a folder or an unreadable file.
func openSource(source intake.Source) (file io.ReadCloser, ok bool) {
	if source.At != nil {
		return io.NopCloser(io.NewSectionReader(source.At, 0, source.Size)), true
	}
	file, err := plainfile.Open(source.Path)
	return file, err == nil
}

// byteCounter counts the bytes that are written to it.
type byteCounter struct{ to *atomic.Int64 }

func (a byteCounter) Write(p []byte) (int, error) {
	a.to.Add(int64(len(p)))
	return len(p), nil
}

// recognise sets r.report.Identical if a finished import read the same files with the
// same readers and options, and held no differing version of anything in the vault. Such
// an import does not count if its result may have changed since: if any import was undone
// or anything was forgotten after it, if an attachment is missing, or if a later import
// replaced a conversation, broke off or read a damaged file.
func (r *run) recognise(ctx context.Context) error {
	r.lossy = r.session.LacksFiles()
	reports, err := library.ReadReports(r.session.Vault)
	if err != nil || r.resumed || r.options.Picks != nil {
		return err
	}
	gone, err := library.LastForgotten(r.service.lib, r.session)
	if err != nil {
		return err
	}
	for _, old := range reports {
		if old.UndoneAt.Compare(gone) > 0 {
			gone = old.UndoneAt
		}
	}
	for _, old := range reports {
		if old.State == "done" && old.ChangeCount == 0 && reflect.DeepEqual(old.Options, r.report.Options) && gone.Compare(old.StartedAt) < 0 && sameFiles(old.Sources, r.report.Sources) {
			whole := old.Attachments.Stored == 0
			if !whole {
				if whole, err = r.session.BlobsWhole(ctx); err != nil {
					return err
				}
			}
			if r.lossy = !whole; whole {
				repeatReport(&r.report, old)
			}
			return nil
		}
		if isReplaced(&old) {
			return nil
		}
	}
	return nil
}

// isReplaced reports whether an import may have changed conversations that were here
// before: it did not finish, updated a conversation, or read a damaged file.
func isReplaced(r *library.ImportReport) bool {
	return r.Changed && (r.State != "done" || r.Conversations.Updated > 0 || slices.ContainsFunc(r.Problems, isDamagedItem))
}

func sameFiles(a, b []library.ReportSource) bool {
	return slices.EqualFunc(a, b, func(x, y library.ReportSource) bool {
		return x.SHA256 != "" && x.SHA256 == y.SHA256 && x.ImporterVersion == y.ImporterVersion && x.Provider == y.Provider && x.Provider != "" && x.Account == y.Account
	})
}

// repeatReport fills the report of an import whose files an earlier import (old) read:
// every item is in the vault already, or was left out for the same reasons.
func repeatReport(r *library.ImportReport, old library.ImportReport) {
	r.Identical = cmp.Or(old.Identical, old.ImportID)
	r.Conversations = library.ConversationCounts{
		Unchanged: old.Conversations.New + old.Conversations.Updated + old.Conversations.Unchanged, Skipped: old.Conversations.Skipped,
	}
	r.Messages.Total = old.Messages.Total
	m := old.Memories
	r.Memories = library.MemoryCounts{}
	r.Memories.Unchanged = m.New + m.Updated + m.Merged + m.Unchanged + m.Retracted
	r.Attachments.Missing = old.Attachments.Missing
	r.Problems, r.ProblemCount, r.Unknown = old.Problems, old.ProblemCount, plain(old.Unknown)
	r.OtherFiles, r.AnswersWithoutText = old.OtherFiles, old.AnswersWithoutText
	r.Ledger = []library.LedgerRow{}
	for _, row := range old.Ledger {
		row.Unchanged += row.Taken + row.Merged
		row.Taken, row.Merged = 0, 0
		r.Ledger = append(r.Ledger, row)
	}
}
