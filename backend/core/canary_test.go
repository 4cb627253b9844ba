package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaulttest"
)

// plants hands out canaries and remembers them. What is written and at once
// undone may be overwritten by chance, so the control need not find it.
type plants struct{ all, fleeting []string }

func (p *plants) take() string {
	p.all = append(p.all, fmt.Sprintf("canary%010x", uint64(len(p.all)+len(p.fleeting)+1)*0x9e3779b97f))
	return p.all[len(p.all)-1]
}

// planted is an export with canaries wherever an export has words.
func (p *plants) planted(n int) (book, []string) {
	var b book
	var files []string
	for range n {
		root := p.take()
		c := talk{ID: p.take(), Title: "About " + p.take(), At: dayOne, Updated: dayOne, File: p.take() + ".txt", Lines: []line{
			{ID: root, Role: "user", Text: "I said " + p.take(), At: dayOne},
			{ID: p.take(), Parent: root, Role: "assistant", Text: strings.Repeat("filler ", 100) + p.take(), At: dayOne},
		}}
		files = append(files, c.File, strings.Repeat("filler ", 50)+p.take())
		c.Memories = []statement{{Key: "bio:" + p.take(), Text: "User likes " + p.take(), Message: root, At: dayOne, Tags: []string{p.take()}}}
		b.Conversations = append(b.Conversations, c)
	}
	b.Memories = []statement{{Key: "file:" + p.take(), Text: "User owns " + p.take(), At: dayOne}}
	return b, files
}

// wholeSession does everything that a person can do to a vault, with canaries,
// and leaves it locked. Exports and the files read lie elsewhere.
func wholeSession(t *testing.T, cipher seal.Cipher) (dirs, canaries, secrets []string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // on Windows
	k := bare(t, cipher)
	elsewhere := t.TempDir()
	made := ok(k.CreateVault(ctx, passphrase, "test"))
	p := &plants{}

	b, files := p.planted(15)
	k.root = elsewhere
	first := k.write(p.take()+".zip", b, files...)
	k.imports(first)
	k.imports(first)
	b.Conversations[0].Title, b.Conversations[0].Updated = "Renamed "+p.take(), dayOne.Add(time.Hour)
	b.Memories[0].Text = "User sold " + p.take()
	upload, _, err := k.AddUpload(ctx, p.take()+".zip", open(t, k.write("second.zip", b, files...)))
	if err != nil {
		t.Fatal(err)
	}
	done, _ := k.listen()
	plan := ok(k.PlanImport(ctx, []core.Input{{Upload: upload}}, core.ImportOptions{}))
	ok(k.StartImport(ctx, plan.ID))
	if d := <-done; d.Fault != nil {
		t.Fatal(d.Fault)
	}
	k.mendWithCanaries(p)
	if err := k.KeepDraft(ctx, core.Draft{Content: "not finished: " + p.take(), Type: "custom", CustomType: p.take(), Tags: []string{p.take()}}); err != nil {
		t.Fatal(err)
	}
	k.readEverything(p.all[0])
	for name, o := range map[string]core.ExportOptions{"a.json": {}, "b.zip": {IncludeAttachments: true}, "c/": {IncludeConversations: true, StripIDs: true}} {
		r := ok(k.ExportPAM(ctx, filepath.Join(elsewhere, name)+tail(name), o))
		ok(k.Verify(ctx, core.Input{Path: r.Path}, nil))
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	for len(p.all) < 200 { // the rest: one memory and one edit each, after a second unlock
		if err := k.UnlockRecovery(ctx, made.RecoveryKey); err != nil {
			t.Fatal(err)
		}
		for range min(10, 200-len(p.all)) {
			k.add("and " + p.take())
		}
		if err := k.Lock(ctx); err != nil {
			t.Fatal(err)
		}
	}
	secrets = append(p.fleeting, string(passphrase), made.RecoveryKey, strings.ReplaceAll(made.RecoveryKey, "-", ""))
	return []string{filepath.Dir(k.cfg.VaultDir), temp}, p.all, secrets
}

func (k *kit) mendWithCanaries(p *plants) {
	k.t.Helper()
	ids := k.memories(core.MemoryQuery{})
	edit := core.MemoryEdit{Content: to("I like " + p.take()), Summary: to(p.take()), Tags: to([]string{p.take()}), Type: to(memory.Custom), CustomType: to(p.take())}
	ok(k.EditMemory(ctx, ids[0].ID, edit))
	ok(k.EditMemory(ctx, ids[1].ID, core.MemoryEdit{Content: to("undone " + p.take())}))
	p.fleeting, p.all = append(p.fleeting, p.all[len(p.all)-1]), p.all[:len(p.all)-1]
	ok(k.Undo(ctx))
	ok(k.SetStatus(ctx, ids[2].ID, memory.Superseded, ids[3].ID))
	ok(k.JoinCircle(ctx, ok(k.MakeCircle(ctx, core.Circle{Name: p.take(), Rule: core.CircleRule{Tags: []string{p.take()}, Domains: []string{p.take()}}})).Entity, []string{ids[3].ID}, true))
	ok(k.Relate(ctx, ids[4].ID, memory.Supports, ids[5].ID))
	ok(k.AddMemory(ctx, core.NewMemory{Type: memory.Goal, Content: p.take(), Tags: []string{p.take()}}))
}

func (k *kit) readEverything(word string) {
	k.t.Helper()
	if err := k.WaitForIndex(ctx); err != nil { // it is written to the disk, too
		k.t.Fatal(err)
	}
	ok(k.Memories(ctx, core.MemoryQuery{Text: word}))
	ok(k.Search(ctx, core.SearchQuery{Text: word + ` OR "` + word + ` filler"`, AsYouType: true}))
	for _, c := range ok(k.Conversations(ctx, core.ConversationQuery{})).Items {
		ok(k.Thread(ctx, c.ID, "", 0, 0))
		k.conversation(c.ID)
	}
}

// TestNothingReadableOnDisk searches vault, settings, scratch and temp folders
// after a whole session for everything that was put in, and proves with a
// vault that seals nothing that the search would have found it.
func TestNothingReadableOnDisk(t *testing.T) {
	dirs, canaries, secrets := wholeSession(t, "")
	if len(canaries) < 200 {
		t.Fatalf("%d canaries, want 200", len(canaries))
	}
	found := ok(vaulttest.Scan(append(secrets, canaries...), dirs...))
	for canary, places := range found {
		t.Errorf("%s can be read in %v", canary, places)
	}
	dirs, canaries, _ = wholeSession(t, seal.Plaintext)
	found = ok(vaulttest.Scan(canaries, dirs...))
	for i, canary := range canaries {
		if len(found[canary]) == 0 {
			t.Errorf("the control does not find canary %d, %s", i, canary)
		}
	}
	// In the index words share their beginnings, so that not all can be found.
	indexed := slices.ContainsFunc(canaries, func(canary string) bool {
		return slices.ContainsFunc(found[canary], func(place string) bool { return strings.Contains(place, "index.db") })
	})
	if !indexed {
		t.Error("the control finds nothing in the index")
	}
	if left, err := os.ReadDir(dirs[1]); err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}
