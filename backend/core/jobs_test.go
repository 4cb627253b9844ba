package core_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

func contextWithCancel() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }

// manyBook has n conversations of ten messages, heavy enough for several
// batches.
func manyBook(n int) book {
	var b book
	for i := range n {
		c := talk{ID: fmt.Sprintf("c%d", i), Title: fmt.Sprintf("Talk %d", i), At: dayOne, Updated: dayOne}
		for m := range 10 {
			l := line{ID: fmt.Sprintf("c%d-%d", i, m), Role: "user", Text: strings.Repeat("word ", 40), At: dayOne}
			if m > 0 {
				l.Parent = fmt.Sprintf("c%d-%d", i, m-1)
			}
			c.Lines = append(c.Lines, l)
		}
		c.Memories = []statement{{Key: "k" + c.ID, Text: "Fact number " + c.ID, Message: c.ID + "-0", At: dayOne}}
		b.Conversations = append(b.Conversations, c)
	}
	return b
}

// gated is a parrot that stops before an item until it is let go.
type gated struct {
	parrot
	at      int
	reached chan struct{}
	goOn    chan struct{}
	once    *sync.Once
}

func newGated(at int) gated {
	return gated{at: at, reached: make(chan struct{}), goOn: make(chan struct{}), once: new(sync.Once)}
}

func (g gated) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	return g.parrot.Read(ctx, tree, &gatedSink{Sink: sink, gated: g})
}

type gatedSink struct {
	importer.Sink
	gated
	n int
}

func (s *gatedSink) Conversation(ctx context.Context, d importer.ConversationDraft) error {
	if s.n++; s.n == s.at {
		first := false
		s.once.Do(func() { first = true })
		if first {
			close(s.reached)
			select {
			case <-s.goOn:
			case <-ctx.Done():
			}
		}
	}
	return s.Sink.Conversation(ctx, d)
}

// gatedKit has an import that waits after `at` conversations.
func gatedKit(t *testing.T, at int) (*kit, gated) {
	t.Helper()
	g := newGated(at)
	k := bare(t, "")
	k.cfg.Importers = importer.Registry{g}
	k.Service = ok(core.New(k.cfg))
	t.Cleanup(func() { _ = k.Close() })
	ok(k.CreateVault(ctx, passphrase, "test"))
	return k, g
}

// listen collects the events of a job.
func (k *kit) listen() (done <-chan core.ImportDone, seen func() map[string]int) {
	ch := make(chan core.ImportDone, 8)
	var mu sync.Mutex
	names := map[string]int{}
	k.Subscribe(func(e core.Event) {
		mu.Lock()
		names[e.Name]++
		mu.Unlock()
		if d, ok := e.Payload.(core.ImportDone); ok {
			ch <- d
		}
		_, _ = k.VaultState(ctx) // subscribers may ask back
	})
	return ch, func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		out := map[string]int{}
		for name, n := range names {
			out[name] = n
		}
		return out
	}
}

func (k *kit) startImport(path string) string {
	k.t.Helper()
	plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	return ok(k.StartImport(ctx, plan.ID))
}

func TestStartedImportTellsHowItEnds(t *testing.T) {
	k := fresh(t)
	done, seen := k.listen()
	job := k.startImport(k.write("a.zip", sampleBook()))
	d := <-done
	if d.Job != job || d.Fault != nil || d.ImportID == "" {
		t.Fatalf("done: %+v", d)
	}
	r := ok(k.ImportReport(ctx, d.ImportID))
	if r.State != "done" || r.Memories.New != 3 {
		t.Errorf("report: %+v", r)
	}
	if n := seen(); n[core.EventProgress] == 0 || n[core.EventLibrary] == 0 {
		t.Errorf("events: %v", n)
	}
	_, err := k.StartImport(ctx, "nobody")
	wantFault(t, err, fault.NotFound, "no-plan")
	wantFault(t, k.CancelJob(ctx, job), fault.NotFound, "no-job")
}

// TestCancelStopsAtAWholeBatch stops an import in the middle. What had been
// stored is whole, can be taken back as one, and is completed by the next try.
func TestCancelStopsAtAWholeBatch(t *testing.T) {
	const all = 3000
	k, g := gatedKit(t, 2500) // the batch before ends at 2,000 items
	plain := k.write("a.zip", manyBook(all))
	done, _ := k.listen()
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	type ended struct {
		r   core.ImportReport
		err error
	}
	end := make(chan ended, 1)
	go func() {
		r, err := k.Import(stop, inputs(plain), core.ImportOptions{}, nil)
		end <- ended{r, err}
	}()
	<-g.reached
	_, err := k.Import(ctx, inputs(plain), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Busy, "import-busy")
	cancel()
	e := <-end
	wantFault(t, e.err, fault.Cancelled, "import-cancelled")
	st := k.state()
	if e.r.State != "partial" || st.Conversations == 0 || st.Conversations >= all || st.Conversations != e.r.Conversations.New || st.Messages != 10*st.Conversations {
		t.Fatalf("state %+v, report %+v", st, e.r.Conversations)
	}
	r := k.imports(plain)
	if r.Conversations.New+st.Conversations != all || k.state().Conversations != all || k.state().Memories != all {
		t.Fatalf("completed: %+v", r.Conversations)
	}
	ok(k.Undo(ctx))
	if now := k.state(); now.Conversations != st.Conversations {
		t.Errorf("after one undo: %+v", now)
	}
	ok(k.Undo(ctx))
	if now := k.state(); now.Conversations+now.Memories+now.Messages != 0 {
		t.Errorf("after both: %+v", now)
	}
	select {
	case d := <-done:
		t.Errorf("an import that its caller waits for sent %+v", d)
	default:
	}
}

// TestLockInterruptsAndUnlockResumes locks by hand in the middle of a started
// import. After the unlock it goes on by itself and is one import, one undo.
func TestLockInterruptsAndUnlockResumes(t *testing.T) {
	const all = 3000
	k, g := gatedKit(t, 2500)
	path := k.write("a.zip", manyBook(all))
	done, _ := k.listen()
	// The plan reads the export too, and must not stop at the gate.
	k.cfg.Importers[0] = parrot{}
	plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	k.cfg.Importers[0] = g
	job := ok(k.StartImport(ctx, plan.ID))
	<-g.reached
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := k.Memories(ctx, core.MemoryQuery{})
	wantFault(t, err, fault.Locked, "vault-locked")
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	d := <-done
	if d.Fault != nil || d.Job != job {
		t.Fatalf("done: %+v", d)
	}
	r := ok(k.ImportReport(ctx, d.ImportID))
	if r.State != "done" || r.Conversations.New != all || r.Conversations.Unchanged != 0 || r.Memories.New != all || r.Messages.New != 10*all {
		t.Errorf("report: %+v", r)
	}
	addsUp(t, r)
	if reports := ok(k.Imports(ctx)); len(reports) != 1 {
		t.Errorf("%d reports, want one", len(reports))
	}
	ok(k.Undo(ctx))
	if now := k.state(); now.Conversations+now.Memories+now.Messages != 0 {
		t.Errorf("after one undo: %+v", now)
	}
}

func TestUploadIsImportedAndThenGone(t *testing.T) {
	k := fresh(t)
	path := k.write("a.zip", sampleBook())
	id, size, err := k.AddUpload(ctx, `C:\fakepath\a.zip`, open(t, path))
	if err != nil || size == 0 {
		t.Fatal(err)
	}
	done, _ := k.listen()
	plan := ok(k.PlanImport(ctx, []core.Input{{Upload: id}}, core.ImportOptions{}))
	if p := plan.Sources[0]; p.Names[0] != "a.zip" || p.New != 2 {
		t.Fatalf("plan: %+v", p)
	}
	ok(k.StartImport(ctx, plan.ID))
	d := <-done
	r := ok(k.ImportReport(ctx, d.ImportID))
	if d.Fault != nil || r.Memories.New != 3 || r.Sources[0].Path != "a.zip" || r.Sources[0].SHA256 == "" {
		t.Fatalf("%+v %+v", d, r)
	}
	_, err = k.PlanImport(ctx, []core.Input{{Upload: id}}, core.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if plan = ok(k.PlanImport(ctx, []core.Input{{Upload: id}}, core.ImportOptions{})); plan.Sources[0].Fault == nil || plan.Sources[0].Fault.Reason != "no-upload" {
		t.Errorf("the upload is still there: %+v", plan.Sources[0])
	}
}

// TestBrokenUploadIsNotKept ends a stream early.
func TestBrokenUploadIsNotKept(t *testing.T) {
	k := fresh(t)
	_, _, err := k.AddUpload(ctx, "a.zip", io.MultiReader(strings.NewReader("half"), broken{}))
	if err == nil {
		t.Fatal("a stream that broke off was taken")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestPartsAreOneExport joins what was dropped together, and keeps apart what
// does not belong together.
func TestPartsAreOneExport(t *testing.T) {
	k := fresh(t)
	one, two := sampleBook(), sampleBook()
	one.Conversations, two.Conversations = one.Conversations[:1], two.Conversations[1:]
	one.Memories = nil
	a, b := k.write("export-001.zip", one), k.write("export-002.zip", two)
	junk := k.file("holiday.json", []byte(`{"holiday":true}`))
	plan := ok(k.PlanImport(ctx, inputs(a, b, junk), core.ImportOptions{}))
	if len(plan.Sources) != 2 || len(plan.Sources[0].Names) != 2 || plan.Sources[0].New != 2 || plan.Sources[1].Fault == nil {
		t.Fatalf("plan: %+v", plan.Sources)
	}
	r := ok(k.Import(ctx, inputs(a, b), core.ImportOptions{}, nil))
	if r.Memories.New != 3 || len(r.Sources) != 2 || len(r.Ledger) != 1 {
		t.Errorf("report: %+v", r)
	}
}

func TestUndoneAttachmentsAreGone(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].File = "photo.png"
	k.imports(k.write("a.zip", b, "photo.png", "picture"))
	th := ok(k.Thread(ctx, idOf(t, k, "Lisbon"), "", 0, 0))
	ref := th.Messages[0].Attachments[0].Ref
	file, size, err := k.OpenAttachment(ctx, ref)
	if err != nil || size != 7 {
		t.Fatalf("attachment: %d bytes, %v", size, err)
	}
	if text := ok(io.ReadAll(file)); string(text) != "picture" {
		t.Errorf("attachment: %q", text)
	}
	_ = file.Close()
	ok(k.Undo(ctx))
	_, _, err = k.OpenAttachment(ctx, ref)
	wantFault(t, err, fault.NotFound, "no-attachment")
}

func TestClockOfAMemoryNeverRunsBackwards(t *testing.T) {
	k := fresh(t)
	r := k.add("x")
	k.later(-48 * time.Hour)
	r = ok(k.EditMemory(ctx, r.ID, core.MemoryEdit{Content: to("y")})).Record
	if r.Temporal.UpdatedAt.Compare(r.Temporal.CreatedAt) < 0 {
		t.Errorf("changed before it was made: %+v", r.Temporal)
	}
	_ = memory.Active
}

// TestNoFileWithoutANameIsKept hands over attachments whose conversation is
// then not stored.
func TestNoFileWithoutANameIsKept(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].Updated = dayOne
	k.imports(k.write("a.zip", b))
	older := sampleBook()
	older.Conversations[0].File = "photo.png"
	if r := k.imports(k.write("b.zip", older, "photo.png", "picture")); r.Conversations.Updated != 0 {
		t.Fatalf("report: %+v", r)
	}
	ok(k.Import(ctx, inputs(k.write("c.zip", older, "photo.png", "other picture")), core.ImportOptions{OnlyMemories: true}, nil))
	if left := ok(filepath.Glob(filepath.Join(k.cfg.VaultDir, "blobs", "*"))); len(left) != 0 {
		t.Errorf("kept: %v", left)
	}
}

// TestASharedFileOutlivesOneOfItsImports takes back one of two imports that
// brought the same file.
func TestASharedFileOutlivesOneOfItsImports(t *testing.T) {
	k := fresh(t)
	one, two := sampleBook(), sampleBook()
	one.Conversations[0].File, two.Conversations[0].File = "photo.png", "photo.png"
	two.Conversations = two.Conversations[:1]
	two.Conversations[0].ID, two.Conversations[0].Title = "c9", "Another"
	first := k.imports(k.write("a.zip", one, "photo.png", "picture"))
	k.imports(k.write("b.zip", two, "photo.png", "picture"))
	ok(k.UndoImport(ctx, first.ImportID))
	th := ok(k.Thread(ctx, idOf(t, k, "Another"), "", 0, 0))
	file, _, err := k.OpenAttachment(ctx, th.Messages[0].Attachments[0].Ref)
	if err != nil {
		t.Fatalf("the file went with the other import: %v", err)
	}
	_ = file.Close()
}

// withFiles gives every hundredth conversation a file of its own.
func withFiles(b book) (book, []string) {
	var files []string
	for i := 0; i < len(b.Conversations); i += 100 {
		name := fmt.Sprintf("file-%d.txt", i)
		b.Conversations[i].File = name
		files = append(files, name, "what is in "+name)
	}
	return b, files
}

// blobs counts the files that lie sealed in the vault.
func (k *kit) blobs() int {
	return len(ok(filepath.Glob(filepath.Join(k.cfg.VaultDir, "blobs", "*"))))
}

// TestResumedImportReportsAllItsFiles locks in the middle of an import: its
// report still tells all the files that it stored, and undo removes them.
func TestResumedImportReportsAllItsFiles(t *testing.T) {
	const all = 3000
	k, g := gatedKit(t, 2500)
	b, files := withFiles(manyBook(all))
	path := k.write("a.zip", b, files...)
	done, _ := k.listen()
	k.cfg.Importers[0] = parrot{}
	plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{}))
	k.cfg.Importers[0] = g
	ok(k.StartImport(ctx, plan.ID))
	<-g.reached
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	d := <-done
	r := ok(k.ImportReport(ctx, d.ImportID))
	if d.Fault != nil || r.Attachments.Stored != 30 || k.blobs() != 30 {
		t.Errorf("%v, stored %d, %d files", d.Fault, r.Attachments.Stored, k.blobs())
	}
	ok(k.Undo(ctx))
	if n := k.blobs(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// TestAFileGoesWithTheLastThatNamesIt takes two imports back that name the
// same file, the one that brought it first.
func TestAFileGoesWithTheLastThatNamesIt(t *testing.T) {
	k := fresh(t)
	one, two := sampleBook(), sampleBook()
	one.Conversations[0].File, two.Conversations[0].File = "photo.png", "photo.png"
	two.Conversations = two.Conversations[:1]
	two.Conversations[0].ID = "c9"
	first := k.imports(k.write("a.zip", one, "photo.png", "picture"))
	k.imports(k.write("b.zip", two, "photo.png", "picture"))
	ok(k.UndoImport(ctx, first.ImportID))
	if k.blobs() != 1 {
		t.Fatal("the file is still named, and gone")
	}
	ok(k.Undo(ctx))
	if k.blobs() != 0 {
		t.Error("nothing names the file, and it is still there")
	}
}

// TestAFileThatUndoNeedsStays replaces a conversation with a file by one
// without, and takes back what did; with the first import gone, too, so is the
// file.
func TestAFileThatUndoNeedsStays(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations[0].File = "photo.png"
	first := k.imports(k.write("a.zip", b, "photo.png", "picture"))
	newer := sampleBook()
	newer.Conversations[0].Updated = dayOne
	k.imports(k.write("b.zip", newer))
	ok(k.Undo(ctx))
	th := ok(k.Thread(ctx, idOf(t, k, "Lisbon"), "", 0, 0))
	file, _, err := k.OpenAttachment(ctx, th.Messages[0].Attachments[0].Ref)
	if err != nil {
		t.Fatalf("the conversation is back without its file: %v", err)
	}
	_ = file.Close()
	again := k.imports(k.write("b.zip", newer))
	ok(k.UndoImport(ctx, first.ImportID))
	ok(k.UndoImport(ctx, again.ImportID))
	if k.blobs() != 0 || k.state().Conversations != 0 {
		t.Errorf("%d files and %d conversations of imports that were taken back", k.blobs(), k.state().Conversations)
	}
}

// TestAStoppedLookSaysThatNothingWasWritten: only an import has something to complete.
// Both are stopped before they begin, and the look in the middle of reading, too.
func TestAStoppedLookSaysThatNothingWasWritten(t *testing.T) {
	k := fresh(t)
	generation := k.state().Generation
	stopped, stop := context.WithCancel(ctx)
	stop()
	for dry, want := range map[bool]string{true: "import-look-cancelled", false: "import-cancelled"} {
		_, err := k.Import(stopped, inputs(k.file("in.mif.json", published("one"))), core.ImportOptions{DryRun: dry}, nil)
		wantFault(t, err, fault.Cancelled, want)
	}
	stopped, stop = context.WithCancel(ctx)
	defer stop()
	_, err := k.Import(stopped, inputs(k.write("many.zip", manyBook(4000))), core.ImportOptions{DryRun: true}, func(p core.Progress) {
		if p.Phase == core.PhaseReading && p.Done > 0 {
			stop()
		}
	})
	wantFault(t, err, fault.Cancelled, "import-look-cancelled")
	if now := k.state(); now.Generation != generation || now.Conversations != 0 {
		t.Errorf("the vault was written to: %+v", now)
	}
}
