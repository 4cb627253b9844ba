package imports

import (
	"maps"
	"slices"
	"sync"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// counters counts the items of an import by outcome. seen is counted when an item arrives
// from the reader, everything else when the outcome is decided, so that a lost item shows
// as a ledger row that does not add up.
type counters struct {
	conversations library.ConversationCounts
	messages      library.MessageCounts
	memories      library.MemoryCounts
	attachments   library.AttachmentCounts
	relations     library.RelationCounts
	todos         library.TodoCounts

	seen, taken, merged, unchanged int
	skipped, unknown               map[string]int
	textless                       map[string]int // answers without text, by what they hold instead
	problems                       int            // number of problems, with items or with whole files
}

// passOver counts a conversation that the vault has unchanged, and the statements
// (memories) made in it.
func (t *counters) passOver(messages, statements int) {
	t.seen += 1 + statements
	t.unchanged += 1 + statements
	t.messages.Total += messages
	t.conversations.Unchanged++
	t.memories.Unchanged += statements
}

// mergeMemories counts n statements that were merged into a stored memory. repeats says
// that this import itself had stored the memory.
func (t *counters) mergeMemories(n int, repeats bool) {
	t.memories.Merged += n
	t.merged += n
	if repeats {
		t.memories.Repeated += n
	}
}

// leaveMemory counts a memory that stays as it is in the vault.
func (t *counters) leaveMemory() {
	t.memories.Unchanged++
	t.unchanged++
}

func (t *counters) skip(reason string) { t.skipped = plus(t.skipped, reason, 1) }

func plus(m map[string]int, key string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[key] += n
	return m
}

func (t *counters) add(o counters) {
	t.conversations.New += o.conversations.New
	t.conversations.Updated += o.conversations.Updated
	t.conversations.Unchanged += o.conversations.Unchanged
	t.conversations.Skipped += o.conversations.Skipped
	t.conversations.United += o.conversations.United
	t.messages.New += o.messages.New
	t.messages.Total += o.messages.Total
	t.memories.New += o.memories.New
	t.memories.Updated += o.memories.Updated
	t.memories.Merged += o.memories.Merged
	t.memories.Repeated += o.memories.Repeated
	t.memories.Unchanged += o.memories.Unchanged
	t.memories.Retracted += o.memories.Retracted
	t.memories.Kept += o.memories.Kept
	t.attachments.Stored += o.attachments.Stored
	t.attachments.Missing += o.attachments.Missing
	t.relations.New += o.relations.New
	t.relations.Unchanged += o.relations.Unchanged
	t.todos.New += o.todos.New
	t.todos.Updated += o.todos.Updated
	t.todos.Unchanged += o.todos.Unchanged
	t.seen += o.seen
	t.taken += o.taken
	t.merged += o.merged
	t.unchanged += o.unchanged
	t.problems += o.problems
	for reason, n := range o.skipped {
		t.skipped = plus(t.skipped, reason, n)
	}
	for kind, n := range o.unknown {
		t.unknown = plus(t.unknown, kind, n)
	}
	for kind, n := range o.textless {
		t.textless = plus(t.textless, kind, n)
	}
}

func (t counters) row(source string) library.LedgerRow {
	return library.LedgerRow{
		Source: source, Seen: t.seen, Taken: t.taken, Merged: t.merged, Unchanged: t.unchanged,
		Skipped: plain(t.skipped), Unknown: plain(t.unknown),
	}
}

// plain returns a copy of m that is never nil.
func plain(m map[string]int) map[string]int {
	if m == nil {
		return map[string]int{}
	}
	return maps.Clone(m)
}

// maxProblems bounds how many problems are kept with their place; all are
// counted.
const maxProblems = 500

// maxKinds bounds how many reasons (of skipped items) and kinds (of unknown items) are
// counted per source; a hostile export could name a new one for every message.
const maxKinds = 200

// maxImportChanges bounds the changes that a report or a plan holds; all are counted.
const maxImportChanges = 200

// ledger holds the counts and problems of an import. The goroutine that reads and the
// one that writes both add to it.
type ledger struct {
	mu       sync.Mutex
	groups   []*groupLedger
	problems []library.ReportProblem
	damages  int // number of problems with damaged files; first in problems, as they may cause others
	count    int // number of all problems, also of those beyond maxProblems

	otherFiles []library.OtherFile
}

type groupLedger struct {
	name   string
	counts counters
	left   []intake.File // files that the reader took nothing from

	// A plan shows these in addition to the counts. Only the writing goroutine uses them.
	shown   []PlannedMemory
	merging PlanMerging

	seen library.SeenExport // which records of the vault the files of the group contain

	changes     []library.ImportChange
	changeBytes int
	changeCount int
}

func (b *ledger) open(name string) *groupLedger {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := &groupLedger{name: name}
	b.groups = append(b.groups, g)
	return g
}

func (b *ledger) note(g *groupLedger, change func(*counters)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&g.counts)
}

func (b *ledger) problem(p importer.Problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	if told := reportProblem(p); isDamagedItem(told) {
		b.problems = slices.Insert(b.problems, b.damages, told)
		b.damages++
	} else {
		b.problems = append(b.problems, told)
	}
	b.problems = b.problems[:min(len(b.problems), maxProblems)]
	b.damages = min(b.damages, maxProblems)
}

// problemOf records a problem and counts it for one group (the input of one reader).
func (b *ledger) problemOf(g *groupLedger, p importer.Problem) {
	b.note(g, func(t *counters) { t.problems++ })
	b.problem(p)
}

// countingSink is the part of a sink that only counts.
type countingSink struct {
	all   *ledger
	own   *groupLedger
	whole map[string]bool // keys of the problems with whole files that were reported
}

// Missing implements importer.Sink.
func (n *countingSink) Missing(string) {
	n.all.note(n.own, func(t *counters) { t.attachments.Missing++ })
}

// Problem implements importer.Sink. A problem with a place (At) counts as a lost item. A
// problem without a place concerns a whole file and loses no item; it is reported only
// once, even if both the input tree (intake.Tree) and the reader of the export report it.
func (n *countingSink) Problem(p importer.Problem) {
	if p.At == "" && p.Fault != nil {
		key := p.Path + "\x00" + p.Fault.Reason + "\x00" + p.Fault.Args["place"]
		if n.whole[key] {
			return
		}
		n.whole[key] = true
	}
	n.all.problemOf(n.own, p)
	if p.At == "" {
		return
	}
	n.seen()
	n.skip(becauseUnreadable, func(t *counters) {
		if p.Conversation {
			t.conversations.Skipped++
		}
	})
}

// Skipped implements importer.Sink.
func (n *countingSink) Skipped(reason string) {
	n.seen()
	n.skip(reason, func(t *counters) {
		if reason == importer.EmptyConversation {
			t.conversations.Skipped++
		}
	})
}

// OtherFile implements importer.Sink. leave counts f when no other reader may read it.
func (n *countingSink) OtherFile(f intake.File) {
	n.all.mu.Lock()
	defer n.all.mu.Unlock()
	n.own.left = append(n.own.left, f)
}

// Unknown implements importer.Sink.
func (n *countingSink) Unknown(kind string) {
	kind = importer.Kind(kind)
	n.all.note(n.own, func(t *counters) {
		t.seen++
		if _, known := t.unknown[kind]; !known && len(t.unknown) >= maxKinds {
			kind = "other"
		}
		t.unknown = plus(t.unknown, kind, 1)
	})
}

func (n *countingSink) seen() { n.all.note(n.own, func(t *counters) { t.seen++ }) }

func (n *countingSink) skip(reason string, also func(*counters)) {
	n.all.note(n.own, func(t *counters) {
		if _, known := t.skipped[reason]; !known && len(t.skipped) >= maxKinds {
			reason = "other"
		}
		t.skip(reason)
		if also != nil {
			also(t)
		}
	})
}

// isDamagedItem reports whether a problem is a file that is damaged inside of its archive.
func isDamagedItem(p library.ReportProblem) bool {
	return p.Reason == "entry-damaged" || p.Reason == "entry-broken"
}

func reportProblem(p importer.Problem) library.ReportProblem {
	f := p.Fault
	if f == nil {
		f = fault.New(fault.Internal, "item-unreadable", "This item could not be read.")
	}
	return library.ReportProblem{Path: p.Path, At: p.At, Code: f.Code, Reason: f.Reason, Message: f.Message(), Args: f.Args}
}

// of returns a copy of the counts of one group.
func (b *ledger) of(g *groupLedger) (t counters) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.add(g.counts)
	return t
}

// total returns the sum of the counts of all groups (exports of one import) and of extra,
// the counts of the current batch, which are not in the ledger yet.
func (b *ledger) total(extra counters) counters {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all counters
	for _, g := range b.groups {
		all.add(g.counts)
	}
	all.add(extra)
	return all
}

// fill writes the counts into a report. extra holds the counts of the current batch, which
// belong to group g and are not in the ledger yet.
func (b *ledger) fill(r *library.ImportReport, g *groupLedger, extra counters) {
	all := b.total(extra)
	b.mu.Lock()
	defer b.mu.Unlock()
	r.Conversations, r.Messages, r.Memories, r.Attachments = all.conversations, all.messages, all.memories, all.attachments
	r.Relations, r.Todos, r.Unknown, r.AnswersWithoutText = all.relations, all.todos, plain(all.unknown), all.textless
	r.Problems = append([]library.ReportProblem{}, b.problems...)
	r.ProblemCount, r.OtherFiles = b.count, b.otherFiles
	r.Ledger, r.Changes, r.ChangeCount = []library.LedgerRow{}, nil, 0
	for _, book := range b.groups {
		r.Changes = append(r.Changes, book.changes[:min(len(book.changes), maxImportChanges-len(r.Changes))]...)
		r.ChangeCount += book.changeCount
		t := counters{}
		t.add(book.counts)
		if book == g {
			t.add(extra)
		}
		r.Ledger = append(r.Ledger, t.row(book.name))
	}
}
