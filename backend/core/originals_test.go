package core_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
)

// wiser is a later version of parrot, which reads a title otherwise.
type wiser struct{ parrot }

func (wiser) Info() importer.Info {
	info := parrot{}.Info()
	info.Version = "parrot/2026.02"
	return info
}

func (w wiser) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	return w.parrot.Read(ctx, tree, louder{sink})
}

type louder struct{ importer.Sink }

func (l louder) Conversation(ctx context.Context, d importer.ConversationDraft) error {
	d.Title = strings.ToUpper(d.Title)
	return l.Sink.Conversation(ctx, d)
}

var keeping = core.ImportOptions{KeepOriginal: true}

// Promise: an import whose files were kept can be read again by a newer reader,
// although the export itself is gone: the same ids, what was edited stays, and
// it can be taken back.
func TestRereadWithANewerReader(t *testing.T) {
	k := fresh(t)
	path := threeExports(k)[1]
	first := ok(k.Import(ctx, inputs(path), keeping, nil))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	k.has(2, 2, 2) // the picture and the export
	if first.Sources[0].Original == "" || ok(k.Imports(ctx))[0].NewerReader {
		t.Fatalf("report %+v", first)
	}
	if again := ok(k.Reread(ctx, first.ImportID, nil)); again.Identical != first.ImportID || again.Changed {
		t.Errorf("the same reader: %+v", again)
	}
	cat := k.saying("User has a cat").ID
	ok(k.EditMemory(ctx, cat, core.MemoryEdit{Content: to("User has two cats")}))
	before := idOf(t, k, "Alpha")
	k.cfg.Importers[0] = wiser{}
	if !ok(k.ImportReport(ctx, first.ImportID)).NewerReader {
		t.Error("that there is a newer reader is not said")
	}
	k.reopen()
	r := ok(k.Reread(ctx, first.ImportID, nil))
	addsUp(t, r)
	if r.Conversations.Updated != 2 || r.Conversations.New != 0 || r.Memories.New != 0 || r.Sources[0].ImporterVersion != "parrot/2026.02" || idOf(t, k, "ALPHA") != before {
		t.Errorf("read again: %+v", r)
	}
	k.saying("User has two cats")
	k.has(2, 2, 2)
	if c := ok(k.CheckVault(ctx, nil)); c.Orphans != 0 || len(c.Missing)+len(c.Damaged) != 0 {
		t.Errorf("check %+v", c)
	}
	ok(k.UndoImport(ctx, r.ImportID))
	if idOf(t, k, "Alpha") != before {
		t.Error("the newer reading is not taken back")
	}
	ok(k.UndoImport(ctx, first.ImportID))
	k.has(1, 0, 0)
	_, err := k.Reread(ctx, first.ImportID, nil)
	wantFault(t, err, fault.NotFound, "no-original")
}

// Promise: without being asked nothing is kept twice, and what is forgotten is
// not left in a kept file.
func TestForgettingTakesKeptFilesAlong(t *testing.T) {
	k := fresh(t)
	exports := threeExports(k)
	plain := k.imports(exports[0])
	_, err := k.Reread(ctx, plain.ImportID, nil)
	wantFault(t, err, fault.NotFound, "no-original")
	kept := ok(k.Import(ctx, inputs(exports[1]), keeping, nil))
	other := ok(k.Import(ctx, inputs(k.write("other.zip", book{Memories: []statement{said("x", "User rows")}})), keeping, nil))
	k.has(3, 2, 3)
	if p := ok(k.PlanForget(ctx, core.ForgetQuery{IDs: []string{idOf(t, k, "Alpha")}})); p.Originals != 1 || p.KeptOriginals != 1 {
		t.Errorf("foretold %+v", p)
	}
	if r := ok(k.Forget(ctx, nil, []string{idOf(t, k, "Alpha")})); r.Originals != 1 || r.Attachments != 1 {
		t.Errorf("receipt %+v", r)
	}
	k.has(3, 1, 2) // the picture, and the file that never held it
	_, err = k.Reread(ctx, kept.ImportID, nil)
	wantFault(t, err, fault.NotFound, "no-original")
	ok(k.Reread(ctx, other.ImportID, nil))
}

// Promise: what compacting calls an attachment that belonged to nothing is none of a
// message, and no file of an import.
func TestCompactingLeavesWhatIsNamed(t *testing.T) {
	k := fresh(t)
	ok(k.Import(ctx, inputs(threeExports(k)[1]), keeping, nil))
	k.has(2, 2, 2)
	if done := ok(k.CompactVault(ctx)); done.Attachments != 0 {
		t.Errorf("it removed %+v", done)
	}
	k.has(2, 2, 2)
}

// Promise: an import that stores nothing keeps no file either, and a folder is
// told to be none.
func TestOnlyWhatWasReadIsKept(t *testing.T) {
	k := fresh(t)
	_, err := k.Import(ctx, inputs(k.file("holiday.json", []byte(`{"holiday":true}`))), keeping, nil)
	if err == nil || k.blobs() != 0 {
		t.Errorf("%v, %d files", err, k.blobs())
	}
	dir := t.TempDir()
	text := `{"parrot":true,"conversations":[],"memories":[{"Key":"1","Text":"User rows"}]}`
	if err := os.WriteFile(dir+"/book.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := ok(k.Import(ctx, inputs(dir), keeping, nil))
	if len(r.Problems) != 1 || r.Problems[0].Reason != "original-not-kept" || k.blobs() != 0 || r.Memories.New != 1 {
		t.Errorf("%+v", r)
	}
}
