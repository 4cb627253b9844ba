package core_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func TestImportTakesConversationsAndMemories(t *testing.T) {
	k := fresh(t)
	r := k.imports(k.write("a.zip", sampleBook()))
	if r.State != "done" || r.Conversations.New != 2 || r.Messages.New != 5 || r.Memories.New != 3 || r.Memories.Merged != 1 {
		t.Fatalf("report: %+v", r)
	}
	st := k.state()
	if st.Memories != 3 || st.Conversations != 2 || st.Messages != 5 {
		t.Fatalf("state: %+v", st)
	}
	m := k.saying("User lives in Lisbon")
	if m.Provenance.Extractor != "keepsake/0.1.0" || m.Provenance.Platform != "parrot" || m.Provenance.MessageRef != "m1" {
		t.Errorf("provenance: %+v", m.Provenance)
	}
	d, err := k.Memory(ctx, m.ID)
	if err != nil || len(d.Sources) != 2 || d.Conversation == nil || d.Conversation.Title != "Lisbon trip" {
		t.Fatalf("detail: %+v, %v", d, err)
	}
	if *m.Confidence.Current <= *m.Confidence.Initial || m.Confidence.LastReinforced.IsZero() {
		t.Errorf("the second statement did not reinforce: %+v", m.Confidence)
	}
	if tags := k.saying("User drinks green tea").Tags; len(tags) != 1 || tags[0] != "drinks-food" {
		t.Errorf("tags: %v", tags)
	}
}

// Promise: the same file, imported again, brings back attachments that are lost
// or damaged, as the faults about them advise.
func TestImportAgainBringsAttachmentsBack(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"lost": os.Remove,
		"damaged": func(path string) error {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			raw[len(raw)-1] ^= 1
			return os.WriteFile(path, raw, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			b, files := withFiles(manyBook(300))
			path := k.write("a.zip", b, files...)
			first := k.imports(path)
			blobs := ok(filepath.Glob(filepath.Join(k.cfg.VaultDir, "blobs", "*")))
			if len(blobs) != first.Attachments.Stored || len(blobs) < 2 {
				t.Fatalf("%d files, %+v", len(blobs), first.Attachments)
			}
			if err := harm(blobs[0]); err != nil {
				t.Fatal(err)
			}
			if found := ok(k.CheckVault(ctx, nil)); found.Whole() {
				t.Fatal("the harm is not noticed")
			}
			r := k.imports(path)
			if r.Identical != "" || r.Attachments.Stored != 1 || r.Conversations.New+r.Conversations.Updated != 0 {
				t.Errorf("again: identical %q, %+v, %+v", r.Identical, r.Attachments, r.Conversations)
			}
			if found := ok(k.CheckVault(ctx, nil)); !found.Whole() || found.Attachments != len(blobs) {
				t.Errorf("not whole: %+v", found)
			}
			if r := k.imports(path); r.Identical == "" {
				t.Error("a whole vault does not know the file again")
			}
		})
	}
}

// Promise: a later export of the same provider brings them back, too, once the loss
// was met: by a check, by a backup, which says how many it lacks, or by opening one.
func TestALaterExportBringsAttachmentsBack(t *testing.T) {
	for name, meet := range map[string]func(t *testing.T, k *kit, ref string){
		"a check": func(t *testing.T, k *kit, _ string) {
			if found := ok(k.CheckVault(ctx, nil)); len(found.Missing) != 1 {
				t.Fatalf("%+v", found)
			}
		},
		"a backup": func(t *testing.T, k *kit, _ string) {
			path := filepath.Join(k.root, "backup")
			if made := ok(k.BackupVault(ctx, path)); made.Missing != 1 || made.Attachments != 2 {
				t.Errorf("made: %+v", made)
			}
			if found := ok(k.VerifyBackup(ctx, core.Input{Path: path}, core.Secret{Passphrase: passphrase})); found.Missing != 1 || found.Attachments != 2 {
				t.Errorf("verified: %+v", found)
			}
		},
		"opening it": func(t *testing.T, k *kit, ref string) {
			_, _, err := k.OpenAttachment(ctx, ref)
			wantFault(t, err, fault.NotFound, "no-attachment")
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			b, files := withFiles(manyBook(300))
			k.imports(k.write("a.zip", b, files...))
			blobs := ok(filepath.Glob(filepath.Join(k.cfg.VaultDir, "blobs", "*")))
			if err := os.Remove(blobs[1]); err != nil {
				t.Fatal(err)
			}
			meet(t, k, filepath.Base(blobs[1]))
			b.Conversations = append(b.Conversations, talk{ID: "later", Title: "Later", At: dayOne, Updated: dayOne})
			if r := k.imports(k.write("b.zip", b, files...)); r.Attachments.Stored != 1 || r.Conversations.New != 1 || r.Conversations.Updated != 0 {
				t.Errorf("later: %+v, %+v", r.Attachments, r.Conversations)
			}
			if found := ok(k.CheckVault(ctx, nil)); !found.Whole() || found.Attachments != 3 {
				t.Errorf("not whole: %+v", found)
			}
			if made := ok(k.BackupVault(ctx, filepath.Join(k.root, "whole"))); made.Missing != 0 || made.Attachments != 3 {
				t.Errorf("a backup of what is whole: %+v", made)
			}
		})
	}
}

// TestImportTwiceChangesNothing holds it for the same file, where nothing is
// even read, and for the same data in another file.
func TestImportTwiceChangesNothing(t *testing.T) {
	k := fresh(t)
	path := k.write("a.zip", sampleBook())
	k.imports(path)
	before := k.memories(core.MemoryQuery{})
	last := ok(k.LastChange(ctx))
	for _, again := range []string{path, k.write("b.zip", sampleBook(), "note.txt", "another file beside it")} {
		k.later(24 * time.Hour)
		generation := k.state().Generation
		r := k.imports(again)
		if r.Conversations.New+r.Conversations.Updated+r.Memories.New+r.Memories.Merged+r.Memories.Updated != 0 {
			t.Fatalf("%s: something was taken again: %+v", filepath.Base(again), r)
		}
		if r.Conversations.Unchanged != 2 || r.Memories.Unchanged != 4 || r.Messages.Total != 5 {
			t.Errorf("%s: counts: %+v", filepath.Base(again), r)
		}
		if (r.Identical != "") != (again == path) {
			t.Errorf("%s: identical is %q", filepath.Base(again), r.Identical)
		}
		if now := k.state().Generation; now != generation+1 {
			t.Errorf("%s: %d transactions, want only the one for the report", filepath.Base(again), now-generation)
		}
		equal(t, before, k.memories(core.MemoryQuery{}))
		equal(t, last, ok(k.LastChange(ctx)))
	}
}

func TestNewerExportUpdates(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	newer := sampleBook()
	newer.Conversations[0].Updated = newer.Conversations[0].Updated.Add(time.Hour)
	newer.Conversations[0].Lines = append(newer.Conversations[0].Lines, line{ID: "m4", Parent: "m3", Role: "user", Text: "More", At: newer.Conversations[0].Updated})
	newer.Memories[0].Text = "User is called Ana Maria"
	r := k.imports(k.write("b.zip", newer))
	if r.Conversations.Updated != 1 || r.Conversations.Unchanged != 1 || r.Messages.New != 1 || r.Memories.Updated != 1 {
		t.Fatalf("report: %+v", r)
	}
	if st := k.state(); st.Conversations != 2 || st.Messages != 6 || st.Memories != 3 {
		t.Fatalf("state: %+v", st)
	}
	k.saying("User is called Ana Maria")

	older := k.imports(k.write("c.zip", sampleBook(), "x", "y"))
	if older.Conversations.Updated != 0 || k.state().Messages != 6 {
		t.Errorf("an older export won over a newer one: %+v", older)
	}
}

// TestLinesOfAMemoryFileMayMove holds that identities follow the words, not the
// numbers that a provider gives its lines.
func TestLinesOfAMemoryFileMayMove(t *testing.T) {
	k := fresh(t)
	at := dayOne.AddDate(-1, 0, 0)
	k.imports(k.write("a.zip", book{Memories: []statement{
		{Key: "file:0", Text: "User has a dog", At: at}, {Key: "file:1", Text: "User has a cat", At: at},
	}}))
	dog, cat := k.saying("User has a dog").ID, k.saying("User has a cat").ID
	r := k.imports(k.write("b.zip", book{Memories: []statement{
		{Key: "file:0", Text: "User has a parrot", At: at}, {Key: "file:1", Text: "User has a dog", At: at}, {Key: "file:2", Text: "User has a cat", At: at},
	}}))
	if r.Memories.New != 1 || r.Memories.Updated != 0 {
		t.Errorf("report: %+v", r.Memories)
	}
	if k.saying("User has a dog").ID != dog || k.saying("User has a cat").ID != cat {
		t.Error("memories changed places")
	}
}

func TestWhatWasMendedHereSurvives(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	edited, retracted := k.saying("User is called Ana").ID, k.saying("User drinks green tea").ID
	text := "I am called Ana Luísa"
	if _, err := k.EditMemory(ctx, edited, core.MemoryEdit{Content: &text}); err != nil {
		t.Fatal(err)
	}
	if _, err := k.SetStatus(ctx, retracted, memory.Retracted, ""); err != nil {
		t.Fatal(err)
	}
	newer := sampleBook()
	newer.Memories[0].Text = "User is called Anna"
	newer.Conversations[1].Updated = newer.Conversations[1].Updated.Add(time.Hour)
	r := k.imports(k.write("b.zip", newer))
	if r.Memories.Kept != 1 {
		t.Errorf("the conflict was not reported: %+v", r.Memories)
	}
	if m := ok(k.Memory(ctx, edited)); m.Record.Content != text {
		t.Errorf("the edit was overwritten: %q", m.Record.Content)
	}
	if m := ok(k.Memory(ctx, retracted)); m.Record.Status != memory.Retracted {
		t.Errorf("the retracted memory is %s again", m.Record.Status)
	}
	if st := k.state(); st.Memories != 3 {
		t.Errorf("%d memories, want 3", st.Memories)
	}
	if r = k.imports(k.write("c.zip", newer, "x", "y")); r.Memories.Kept != 0 {
		t.Errorf("the same conflict is reported again: %+v", r.Memories)
	}
}

func TestProviderRetracts(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Memories = append(b.Memories, statement{Key: "file:2", Text: "User likes tea and coffee", At: b.Conversations[0].At})
	b.Forget = []statement{
		{Key: "f1", Text: "I live in Lisbon.", At: dayOne},
		{Key: "f2", Text: "I like tea", At: dayOne}, // says less than what is held
		{Key: "f3", Text: "my name is Ana", At: dayOne},
	}
	r := k.imports(k.write("a.zip", b))
	if r.Memories.Retracted != 1 || r.Ledger[0].Skipped["retraction-fits-none-or-many"] != 2 {
		t.Fatalf("report: %+v %+v", r.Memories, r.Ledger)
	}
	m := k.saying("User lives in Lisbon")
	if m.Status != memory.Retracted {
		t.Fatalf("status: %s", m.Status)
	}
	if r = k.imports(k.write("b.zip", b, "x", "y")); r.Memories.Retracted != 0 || r.Memories.Unchanged == 0 {
		t.Errorf("second import: %+v", r.Memories)
	}
}

// TestBadInput is the table of what people hand over by mistake: one clear
// sentence each, and a vault that is as it was.
func TestBadInput(t *testing.T) {
	k := fresh(t)
	whole, err := os.ReadFile(k.write("whole.zip", sampleBook()))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path   string
		code   fault.Code
		reason string
	}{
		"not there":        {filepath.Join(k.root, "nothing.zip"), fault.NotFound, "no-such-file"},
		"not a zip":        {k.file("page.zip", []byte("<html>sign in</html>")), fault.Invalid, "not-a-zip"},
		"truncated":        {k.file("half.zip", whole[:len(whole)/2]), fault.Invalid, "zip-truncated"},
		"empty file":       {k.file("zero.zip", nil), fault.Invalid, "empty-file"},
		"unknown provider": {k.file("other.json", []byte(`{"something":"else"}`)), fault.Unsupported, "unknown-provider"},
		"empty export":     {k.write("none.zip", book{}), fault.Invalid, "export-holds-nothing"},
		"reader panics":    {k.write("panic.zip", book{Panic: true}), fault.Internal, "reader-failed"},
	} {
		t.Run(name, func(t *testing.T) {
			generation := k.state().Generation
			_, err := k.Import(ctx, inputs(c.path), core.ImportOptions{}, nil)
			wantFault(t, err, c.code, c.reason)
			if now := k.state().Generation; now != generation {
				t.Error("the vault was written to")
			}
			plan, err := k.PlanImport(ctx, inputs(c.path), core.ImportOptions{})
			if err != nil || len(plan.Sources) != 1 {
				t.Fatalf("plan: %+v, %v", plan, err)
			}
			if f := plan.Sources[0].Fault; c.reason != "export-holds-nothing" && (f == nil || f.Reason != c.reason) {
				t.Errorf("the plan does not say so: %v", f)
			}
		})
	}
}

// TestAReaderThatFailsKeepsWhatCameBefore: of the item at hand nothing is kept, of those
// before it everything.
func TestAReaderThatFailsKeepsWhatCameBefore(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Panic = true // behind the conversations, before the memories
	r, err := k.Import(ctx, inputs(k.write("a.zip", b)), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Internal, "reader-failed")
	if st := k.state(); st.Conversations != 2 || r.Conversations.New != 2 || slices.ContainsFunc(k.memories(core.MemoryQuery{}), func(m memory.Record) bool {
		return slices.ContainsFunc(b.Memories, func(s statement) bool { return s.Text == m.Content })
	}) {
		t.Errorf("%+v, report %+v", st, r.Conversations)
	}
}

// noise is text that does not pack well.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('a' + r.IntN(26))
	}
	return string(out)
}

func TestOneBadItemNeverStopsOthers(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations = append([]talk{{ID: "bad", Bad: true}}, b.Conversations...)
	b.Memories = append(b.Memories, statement{Key: "huge", Text: noise(2 << 20), At: dayOne})
	r := k.imports(k.write("a.zip", b), k.file("other.json", []byte(`[1]`)))
	if r.State != "partial" || r.Conversations.New != 2 || r.Memories.New != 3 || len(r.Problems) != 3 {
		t.Fatalf("report: %+v", r)
	}
}

// TestFailedImportIsCompletedByTheNext holds that what was read before a
// break stays, whole, and that the next try adds only the rest.
func TestFailedImportIsCompletedByTheNext(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.BreakAfter = 1
	broken := k.write("a.zip", b)
	r := k.imports(broken)
	if r.State != "partial" || !r.Changed || !r.Unfinished || k.state().Conversations != 1 {
		t.Fatalf("report: %+v", r)
	}
	if p := r.Problems; len(p) != 2 || p[0].Reason != "parrot-broken" || p[1].Reason != "import-broke-off" || p[1].Path != "a.zip" || p[1].Args["conversations"] != "1" {
		t.Errorf("problems: %+v", p)
	}
	if r = k.imports(broken); r.State != "partial" || r.Conversations.Unchanged != 1 || r.Identical != "" {
		t.Errorf("the broken file again: %+v", r)
	}
	r = k.imports(k.write("a.zip", sampleBook()))
	if r.State != "done" || r.Conversations.New != 1 || r.Conversations.Unchanged != 1 {
		t.Fatalf("report: %+v", r)
	}
	reports := ok(k.Imports(ctx))
	if len(reports) != 3 || reports[0].State != "done" || reports[1].State != "partial" || reports[2].State != "partial" {
		t.Errorf("kept reports: %+v", reports)
	}
}

// Promise: an import that nobody saw the end of, because the program was ended, is found
// to be open, is made of the same files again where they are, and is open no more once
// they were read to their end.
func TestWindow10AnImportThatBrokeOffIsFinished(t *testing.T) {
	k, g := gatedKit(t, 2500)
	path := k.write("a.zip", manyBook(3000))
	k.startsGated(g, path)
	k.AutoLock(core.LockedSleep)
	again := ok(core.New(k.cfg)) // nothing went on with it
	if err := k.Service.Close(); err != nil {
		t.Fatal(err)
	}
	k.Service = again
	t.Cleanup(func() { _ = again.Close() })
	k.unlock()
	broken := ok(k.Imports(ctx))[0]
	if !broken.Open || broken.Told || broken.State != "partial" || broken.Conversations.New == 0 {
		t.Fatalf("%+v", broken)
	}
	wantFault(t, k.LeaveImport(ctx, "nobody"), fault.NotFound, "no-import")
	if err := k.LeaveImport(ctx, broken.ImportID); err != nil {
		t.Fatal(err)
	}
	if r := ok(k.ImportReport(ctx, broken.ImportID)); !r.Open || !r.Told {
		t.Errorf("after it was told: %+v", r)
	}
	made := ok(k.ImportAgain(ctx, broken.ImportID))
	if len(made.Inputs) != 1 || made.Inputs[0].Path != path || made.Names[0] != "a.zip" || len(made.Missing) != 0 {
		t.Fatalf("%+v", made)
	}
	r := ok(k.Import(ctx, made.Inputs, core.ImportOptions{}, nil))
	if r.State != "done" || r.Conversations.New == 0 || r.Conversations.New+r.Conversations.Unchanged+r.Conversations.Updated != 3000 {
		t.Errorf("the rest: %+v", r)
	}
	if all := ok(k.Imports(ctx)); all[0].Open || all[1].Open || ok(k.ImportReport(ctx, broken.ImportID)).Open {
		t.Errorf("it is still open: %+v", all)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if made = ok(k.ImportAgain(ctx, broken.ImportID)); len(made.Inputs) != 0 || len(made.Missing) != 1 || made.Missing[0] != "a.zip" {
		t.Errorf("without the file: %+v", made)
	}
}

// Promise: what an import found is what was new and what was here, each once.
func TestWindow10WhatWasFoundIsNewOrKnown(t *testing.T) {
	k := fresh(t)
	path := k.write("a.zip", sampleBook())
	for _, fresh := range []bool{true, false} {
		plan := ok(k.PlanImport(ctx, inputs(path), core.ImportOptions{})).Sources[0]
		r := k.imports(path)
		m := r.Memories
		if m.Found() != m.New+m.Known() || plan.Memories != m.Found() || plan.MemoriesNew != m.New || (m.New > 0) != fresh || (m.Known() > 0) == fresh {
			t.Errorf("new %v: plan %d, %d new; %+v", fresh, plan.Memories, plan.MemoriesNew, m)
		}
	}
}

// TestABreakBeforeAnythingIsAFault holds that an import of which nothing was
// kept fails, and leaves no report behind.
func TestABreakBeforeAnythingIsAFault(t *testing.T) {
	k := fresh(t)
	_, err := k.Import(ctx, inputs(k.write("a.zip", sampleBook(), "b.json", "{")), core.ImportOptions{}, nil)
	wantFault(t, err, fault.Invalid, "parrot-broken")
	if reports := ok(k.Imports(ctx)); len(reports) != 0 {
		t.Errorf("kept: %+v", reports)
	}
}

// TestAStartedImportThatBreaksOffShowsItsReport holds the same for the page:
// it gets the report, with what went wrong in it.
func TestAStartedImportThatBreaksOffShowsItsReport(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.BreakAfter = 1
	path := k.write("a.zip", b)
	done, _ := k.listen()
	k.startImport(path)
	d := <-done
	if d.Fault != nil || d.ImportID == "" {
		t.Fatalf("done: %+v", d)
	}
	if r := ok(k.ImportReport(ctx, d.ImportID)); r.State != "partial" || len(r.Problems) != 2 || !r.Changed {
		t.Errorf("report: %+v", r)
	}
}

// TestRepeatsInOneExportAreNotOldNews holds that a statement made twice in one
// export does not look as if the vault had held it before.
func TestRepeatsInOneExportAreNotOldNews(t *testing.T) {
	k := fresh(t)
	r := k.imports(k.write("a.zip", sampleBook()))
	if r.Memories.Merged != 1 || r.Memories.Repeated != 1 {
		t.Errorf("first: %+v", r.Memories)
	}
	other := book{Memories: []statement{{Key: "file:9", Text: "user is called ANA", At: dayOne}, {Key: "file:10", Text: "User is called Ana", At: dayOne}}}
	if r = k.imports(k.write("b.zip", other)); r.Memories.Merged != 2 || r.Memories.Repeated != 0 {
		t.Errorf("second: %+v", r.Memories)
	}
}

// TestChangedSaysWhetherThereIsSomethingToUndo imports the same twice.
func TestChangedSaysWhetherThereIsSomethingToUndo(t *testing.T) {
	k := fresh(t)
	k.add("written before")
	path := k.write("a.zip", sampleBook())
	if r := k.imports(path); !r.Changed {
		t.Error("an import that brought something says that it changed nothing")
	}
	for _, again := range []string{path, k.write("b.zip", sampleBook(), "x", "y")} {
		if r := k.imports(again); r.Changed {
			t.Errorf("%s: an import that changed nothing says otherwise", filepath.Base(again))
		}
	}
}

// TestLostConversationsAreCounted holds that what could not be read counts as
// skipped.
func TestLostConversationsAreCounted(t *testing.T) {
	k := fresh(t)
	b := sampleBook()
	b.Conversations = append(b.Conversations, talk{ID: "bad", Bad: true}, talk{ID: "none", Empty: true})
	if r := k.imports(k.write("a.zip", b)); r.Conversations.Skipped != 2 || r.Conversations.New != 2 {
		t.Errorf("report: %+v", r.Conversations)
	}
}

func TestOnlyMemoriesOnlyConversations(t *testing.T) {
	k := fresh(t)
	path := k.write("a.zip", sampleBook())
	only := core.ImportOptions{OnlyConversations: true}
	r, err := k.Import(ctx, inputs(path), only, nil)
	if err != nil || r.Conversations.New != 2 || r.Memories.New != 0 || k.state().Memories != 0 {
		t.Fatalf("only conversations: %+v, %v", r, err)
	}
	addsUp(t, r)
	generation := k.state().Generation
	if _, err = k.Import(ctx, inputs(k.write("b.zip", sampleBook(), "x", "y")), only, nil); err != nil || k.state().Generation != generation+1 {
		t.Errorf("the same again wrote data: %v", err)
	}
	if r = k.imports(path); r.Memories.New != 3 || r.Conversations.New+r.Conversations.Updated != 0 {
		t.Errorf("memories left out before were not taken: %+v", r)
	}

	k = fresh(t)
	r, err = k.Import(ctx, inputs(k.write("a.zip", sampleBook())), core.ImportOptions{OnlyMemories: true}, nil)
	if err != nil || r.Memories.New != 3 || k.state().Conversations != 0 {
		t.Fatalf("only memories: %+v, %v", r, err)
	}
	addsUp(t, r)
}

func TestPlanCounts(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	newer := sampleBook()
	newer.Conversations[0].Updated = newer.Conversations[0].Updated.Add(time.Hour)
	newer.Conversations = append(newer.Conversations, talk{ID: "c3", Title: "New", At: dayOne, Lines: []line{{ID: "x", Role: "user", Text: "hi"}}})
	generation := k.state().Generation
	plan, err := k.PlanImport(ctx, inputs(k.write("b.zip", newer)), core.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Sources[0]
	if p.New != 1 || p.Updated != 1 || p.Unchanged != 1 || p.Provider != "parrot" || !p.Certain {
		t.Errorf("plan: %+v", p)
	}
	if k.state().Generation != generation {
		t.Error("planning wrote to the vault")
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	detected, err := k.Detect(ctx, inputs(filepath.Join(k.root, "b.zip")))
	if err != nil || detected.Sources[0].Provider != "parrot" || detected.Sources[0].New != 0 {
		t.Errorf("detect: %+v, %v", detected, err)
	}
}

// TestAnUndoneImportIsNotRecognised holds that a file is read again once what
// it brought was taken back, however often it was imported before.
func TestAnUndoneImportIsNotRecognised(t *testing.T) {
	k := fresh(t)
	path := k.write("a.zip", sampleBook())
	k.imports(path)
	k.later(time.Hour)
	if r := k.imports(path); r.Identical == "" {
		t.Fatalf("report: %+v", r)
	}
	k.later(time.Hour)
	ok(k.Undo(ctx))
	k.later(time.Hour)
	if r := k.imports(path); r.Identical != "" || r.Memories.New != 3 {
		t.Errorf("report: %+v", r)
	}
}

// TestRetractionLooksAtTheClock holds that a request to forget does not reach
// what was said after it.
func TestRetractionLooksAtTheClock(t *testing.T) {
	k := fresh(t)
	at := func(day int) time.Time { return time.Date(2025, 6, day, 9, 0, 0, 0, time.UTC) }
	r := k.imports(k.write("a.zip", book{
		Memories: []statement{{Key: "1", Text: "User has a dog", At: at(1)}, {Key: "2", Text: "User has a dog", At: at(20)}, {Key: "3", Text: "User has a cat", At: at(1)}},
		Forget:   []statement{{Key: "f1", Text: "I have a dog", At: at(10)}, {Key: "f2", Text: "I have a cat", At: at(10)}},
	}))
	if k.saying("User has a dog").Status != memory.Active || k.saying("User has a cat").Status != memory.Retracted || r.Memories.Retracted != 1 {
		t.Errorf("report: %+v", r.Memories)
	}
}

// TestWhatWasRetractedIsNotReinforced states it again from another source.
func TestWhatWasRetractedIsNotReinforced(t *testing.T) {
	k := fresh(t)
	k.imports(k.write("a.zip", sampleBook()))
	id := k.saying("User is called Ana").ID
	before := ok(k.SetStatus(ctx, id, memory.Retracted, ""))
	r := k.imports(k.write("b.zip", book{Memories: []statement{{Key: "other:1", Text: "user is called ANA", At: dayOne}}}))
	d := ok(k.Memory(ctx, id))
	if r.Memories.Merged != 1 || len(d.Sources) != 2 {
		t.Errorf("the source was not noted: %+v, %+v", r.Memories, d.Sources)
	}
	equal(t, before, d.Record)
}

// Promise: a dry run says of one's own exports what the import does, and what only
// the index tells of a conversation is not newer than the conversation.
func TestDryRunOfOnesOwnExports(t *testing.T) {
	k := full(t)
	plain, _ := k.export("out.pam.json", core.ExportOptions{})
	bundle, _ := k.export("out.pam.zip", core.ExportOptions{IncludeConversations: true, IncludeAttachments: true})
	for _, path := range []string{plain.Path, bundle.Path} {
		said := ok(k.Import(ctx, inputs(path), core.ImportOptions{DryRun: true}, nil))
		did := k.imports(path)
		if said.Conversations != did.Conversations || said.Memories != did.Memories || path == plain.Path && said.Conversations.Updated != 0 {
			t.Errorf("%s: said %+v %+v, did %+v %+v", path, said.Conversations, said.Memories, did.Conversations, did.Memories)
		}
	}
}
