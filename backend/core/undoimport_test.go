package core_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// said is a statement of a book.
func said(key, text string) statement {
	return statement{Key: key, Text: text, At: dayOne.Add(-48 * time.Hour)}
}

// chat is a conversation of one line, last changed so many hours after dayOne.
func chat(id, title string, hours int) talk {
	at := dayOne.Add(-24 * time.Hour)
	return talk{ID: id, Title: title, At: at, Updated: dayOne.Add(time.Duration(hours) * time.Hour),
		Lines: []line{{ID: id + "-1", Role: "user", Text: fmt.Sprintf("%s, %d", title, hours), At: at}}}
}

// threeExports of one account: the second has a conversation in a newer version
// and a statement in other words, the third adds some and lacks some.
func threeExports(k *kit) [3]string {
	one := book{Conversations: []talk{chat("a", "Alpha", 0), chat("b", "Beta", 0)}, Memories: []statement{said("1", "User has a cat"), said("2", "User lives in Lisbon")}}
	two := book{Conversations: []talk{chat("a", "Alpha", 0), chat("b", "Beta", 1)}, Memories: []statement{said("1", "User has a cat"), said("2", "User lives in Porto")}}
	three := book{Conversations: []talk{chat("b", "Beta", 1), chat("c", "Gamma", 2)}, Memories: []statement{said("2", "User lives in Porto"), said("9", "User has a cat")}}
	two.Conversations[1].File = "photo.png"
	return [3]string{k.write("one.zip", one), k.write("two.zip", two, "photo.png", "picture"), k.write("three.zip", three)}
}

func (k *kit) has(memories, conversations, files int) {
	k.t.Helper()
	if s := k.state(); s.Memories != memories || s.Conversations != conversations || k.blobs() != files {
		k.t.Errorf("%d memories, %d conversations, %d files; want %d, %d, %d", s.Memories, s.Conversations, k.blobs(), memories, conversations, files)
	}
}

// Promise: in whatever order imports are taken back, in the end nothing of them
// is left, and what the person wrote is as it was. On the way, what one of those
// that stay held, stays.
func TestUndoneInAnyOrderNothingIsLeft(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			k := fresh(t)
			own := k.add("User has a cat")
			var ids [3]string
			for i, path := range threeExports(k) {
				k.later(time.Minute)
				ids[i] = k.imports(path).ImportID
			}
			k.has(2, 3, 1)
			for n, i := range order {
				k.later(time.Minute)
				plan := ok(k.PlanUndoImport(ctx, ids[i]))
				did := ok(k.UndoImport(ctx, ids[i]))
				if did.Attachments = 0; fmt.Sprint(plan) != fmt.Sprint(did) {
					t.Errorf("planned %+v, did %+v", plan, did)
				}
				if n < 2 && k.state().Conversations == 0 {
					t.Error("nothing is left of an import that stays")
				}
				k.reopen()
				for _, r := range k.memories(core.MemoryQuery{}) {
					for _, s := range ok(k.Memory(ctx, r.ID)).Sources {
						for _, gone := range order[:n+1] {
							if s.ImportID == ids[gone] {
								t.Errorf("%q still names import %d as a source", r.Content, gone)
							}
						}
					}
				}
			}
			k.has(1, 0, 0)
			if m := ok(k.Memory(ctx, own.ID)); len(m.Sources) != 0 || m.Record.Content != own.Content {
				t.Errorf("what was written here: %+v", m)
			}
			for _, r := range ok(k.Imports(ctx)) {
				if r.State != "undone" {
					t.Errorf("%s is %s", r.ImportID, r.State)
				}
			}
		})
	}
}

// Promise: what two imports held stays with the one that stays; what only the
// one held goes; and doing it again brings everything back.
func TestUndoTakesBackExactlyOneImport(t *testing.T) {
	k := fresh(t)
	exports := threeExports(k)
	first := k.imports(exports[0])
	k.later(time.Hour)
	k.imports(exports[2])
	before := k.snap()
	plan := ok(k.PlanUndoImport(ctx, first.ImportID))
	equal(t, before, k.snap()) // a plan changes nothing
	if plan.Conversations != 1 || plan.Messages != 1 || plan.Memories != 0 || plan.Shared != 3 || plan.Kept != 0 {
		t.Errorf("plan %+v", plan)
	}
	ok(k.UndoImport(ctx, first.ImportID))
	k.has(2, 2, 0)
	if cat := k.saying("User has a cat"); len(ok(k.Memory(ctx, cat.ID)).Sources) != 1 {
		t.Errorf("the cat has %+v", ok(k.Memory(ctx, cat.ID)).Sources)
	}
	if again := k.imports(exports[0]); again.Identical != "" || again.Conversations.New != 1 {
		t.Errorf("again: %+v", again)
	}
	k.has(2, 3, 0)
	if log := ok(k.Log(ctx, core.LogQuery{Target: first.ImportID})); len(log.Entries) == 0 || log.Entries[0].Action != "import-undone" {
		t.Errorf("log %+v", log)
	}
}

// Promise: what an import replaced comes back and is found by its words, also where a
// program before this one kept it.
func TestUndoBringsBackWhatAnImportReplaced(t *testing.T) {
	for name, before := range map[string]bool{"as it is kept now": false, "as it was kept before": true} {
		t.Run(name, func(t *testing.T) {
			k := fresh(t)
			exports := threeExports(k)
			k.imports(exports[0])
			old := k.snap()
			k.later(time.Hour)
			second := k.imports(exports[1])
			if before {
				if n := ok(core.KeepAsBefore(k.Service, second.ImportID)); n != 1 {
					t.Fatalf("%d conversations are kept", n)
				}
			}
			ok(k.UndoImport(ctx, second.ImportID))
			equal(t, old, k.snap())
			if err := k.WaitForIndex(ctx); err != nil {
				t.Fatal(err)
			}
			for words, hits := range map[string]int{`"Beta, 0"`: 1, `"Beta, 1"`: 0} {
				if found := ok(k.Search(ctx, core.SearchQuery{Text: words})); len(found.Hits) != hits {
					t.Errorf("%s is found %d times, not %d", words, len(found.Hits), hits)
				}
			}
			if again := k.imports(exports[1]); again.Conversations.Updated != 1 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// Promise: what was edited since stays as it is, and is named.
func TestUndoOfAnImportNamesWhatWasEdited(t *testing.T) {
	k := fresh(t)
	exports := threeExports(k)
	first := k.imports(exports[0])
	cat := k.saying("User has a cat")
	ok(k.EditMemory(ctx, cat.ID, core.MemoryEdit{Content: to("User has two cats")}))
	k.imports(exports[1])
	plan := ok(k.PlanUndoImport(ctx, first.ImportID))
	if plan.Kept != 1 || len(plan.Edited) != 1 || plan.Edited[0].ID != cat.ID || plan.Edited[0].Text != "User has two cats" {
		t.Errorf("plan %+v", plan)
	}
	ok(k.UndoImport(ctx, first.ImportID))
	k.saying("User has two cats")
	k.imports(exports[0])
	k.saying("User has two cats")
	if all := k.memories(core.MemoryQuery{}); len(all) != 2 {
		t.Errorf("the mended statement came a second time: %d memories", len(all))
	}
}

// Promise: an import can be taken back however many changes came after it, also
// when undo itself does not reach it any more.
func TestAnImportIsTakenBackFromFarBack(t *testing.T) {
	k := fresh(t)
	first := k.imports(threeExports(k)[1])
	id := k.add("0").ID
	for i := 1; i < 230; i++ {
		ok(k.EditMemory(ctx, id, core.MemoryEdit{Content: to(fmt.Sprint(i))}))
	}
	cat := k.saying("User has a cat").ID
	ok(k.Forget(ctx, []string{cat}, nil)) // goes through what is kept that far back, too
	ok(k.UndoImport(ctx, first.ImportID))
	k.has(1, 0, 0)
	_, err := k.UndoImport(ctx, first.ImportID)
	wantFault(t, err, fault.Conflict, "import-not-undoable")
}

// undoRoot names the folder of the session that is killed while it takes an
// import back; without it TestUndoToBeKilled is no test.
const undoRoot = "KEEPSAKE_CORE_TEST_UNDO"

// undoUntil says where it is killed: "begins", "batch" or "ended".
const undoUntil = "KEEPSAKE_CORE_TEST_UNTIL"

// large is a book whose undoing takes a while.
func large() (b book, files []string) {
	for i := range 2200 {
		c := chat(fmt.Sprint("c", i), fmt.Sprint("Talk ", i), 0)
		c.Memories = []statement{said(fmt.Sprint("m", i), fmt.Sprint("User has number ", i))}
		if i < 20 {
			c.File = fmt.Sprint("f", i, ".bin")
			files = append(files, c.File, strings.Repeat("x", i+1))
		}
		b.Conversations = append(b.Conversations, c)
	}
	return b, files
}

func undoKit(t *testing.T, root string) *kit {
	k := bare(t, "")
	k.root = root
	k.cfg.VaultDir, k.cfg.SettingsFile, k.cfg.ScratchDir = filepath.Join(root, "vault"), filepath.Join(root, "config", "settings.json"), filepath.Join(root, "scratch")
	k.Service = ok(core.New(k.cfg))
	return k
}

// TestUndoToBeKilled is the child of TestAKilledUndoGoesOn.
func TestUndoToBeKilled(t *testing.T) {
	root := os.Getenv(undoRoot)
	if root == "" {
		return
	}
	k := undoKit(t, root)
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	id := ok(k.Imports(ctx))[0].ImportID
	k.Subscribe(func(event core.Event) {
		if event.Name == core.EventLibrary && os.Getenv(undoUntil) == "batch" {
			fmt.Println("batch")
			time.Sleep(time.Minute) // to be killed
		}
	})
	fmt.Println("begins")
	ok(k.UndoImport(ctx, id))
	fmt.Println("ended")
	time.Sleep(time.Minute) // to be killed
}

// Promise: a process that is killed while it takes an import back leaves a vault
// in which that can be completed, and no file that nothing names stays for good.
func TestAKilledUndoGoesOn(t *testing.T) {
	root := t.TempDir()
	k := undoKit(t, root)
	ok(k.CreateVault(ctx, passphrase, "test"))
	b, files := large()
	export := k.write("large.zip", b, files...)
	k.imports(export)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for _, at := range []string{"begins", "batch", "ended"} {
		killUndo(t, root, at)
		k := undoKit(t, root)
		if err := k.Unlock(ctx, passphrase); err != nil {
			t.Fatal(err)
		}
		s, report := k.state(), ok(k.Imports(ctx))[0]
		switch {
		case s.Conversations == len(b.Conversations) && s.Memories == len(b.Conversations) && report.State == "done" && k.blobs() == 20:
			outcomes["nothing"]++
		case s.Conversations == 0 && s.Memories == 0 && report.State == "undone", report.State == "undoing":
			if outcomes[report.State]++; report.State == "undoing" { // it goes on where it is asked again
				ok(k.UndoImport(ctx, report.ImportID))
				if s := k.state(); s.Conversations+s.Memories != 0 || ok(k.Imports(ctx))[0].State != "undone" {
					t.Errorf("completed: %+v", s)
				}
			}
			if r := k.imports(export); r.Conversations.New != len(b.Conversations) { // and its beginning sweeps
				t.Errorf("again: %+v", r)
			}
		default:
			t.Errorf("%+v, the report says %s, %d files", s, report.State, k.blobs())
		}
		if k.blobs() != 20 {
			t.Errorf("%d files", k.blobs())
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if outcomes["undoing"] == 0 {
		t.Errorf("no kill fell between two batches: %v", outcomes)
	}
}

// killUndo kills the child when it says a word.
func killUndo(t *testing.T, root, at string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestUndoToBeKilled$")
	cmd.Env = append(os.Environ(), undoRoot+"="+root, undoUntil+"="+at)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == at && !said {
			said = true
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if !said {
		t.Fatalf("it never said %q", at)
	}
}
