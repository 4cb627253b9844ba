package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
)

// member is a memory of circleOfStates, by the word that only it has.
type member struct {
	word   string
	leaves bool
}

// circleOfStates makes the circle "Work" and a memory in every state that decides whether it
// leaves for it.
func circleOfStates(t *testing.T) (*kit, []member) {
	k := comparing(t, "")
	ok(k.MakeCircle(ctx, core.Circle{Name: "Work", Without: []sensitive.Topic{sensitive.Health}}))
	add := func(content string) string { return k.adds(content)[0] }
	plain, ill, picked := add("Writes Go services, zebrafinch."), add("Takes sertraline for depression, goldcrest."), add("Takes insulin for diabetes, nightjar.")
	gone, stored, kept := add("Used Perl at work, dunnock."), add("Used Cobol at work, redstart."), add("Uses Vim at work, firecrest.")
	hidden, open, other := add("Uses Emacs at work, whinchat."), add("Likes trains, wheatear."), add("Sings in a choir, stonechat.")
	add("Likes tea, brambling.")
	ok(k.JoinCircle(ctx, "work", []string{plain, gone, stored, kept, hidden}, true))
	ok(k.EditMemory(ctx, ill, core.MemoryEdit{SharedWith: to([]memory.Grant{{Entity: "work", Permissions: []string{"read"}}})})) // nobody picked it
	ok(k.JoinCircle(ctx, "work", []string{picked}, true))
	ok(k.SetStatus(ctx, gone, memory.Retracted, ""))
	ok(k.SetStatus(ctx, stored, memory.Archived, ""))
	ok(k.EditMemory(ctx, kept, core.MemoryEdit{Exportable: to(false)}))
	ok(k.EditMemory(ctx, hidden, core.MemoryEdit{Visibility: to(memory.Private)}))
	ok(k.EditMemory(ctx, open, core.MemoryEdit{Visibility: to(memory.Public)}))
	ok(k.Grant(ctx, other, "family", []string{"read"}))
	k.take("theirs.json", []byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[`+
		theirs("s1", "Knows the boss, siskin.", `{"visibility":"shared","exportable":true,"shared_with":[{"entity":"work","permissions":["read"]}]}`)+`,`+
		theirs("s2", "Everybody trusts this, bullfinch.", `{"visibility":"public","exportable":true,"shared_with":[]}`)+`]}`), core.ImportOptions{})
	succeeds(t, k.MakeVectors(ctx, 0))
	return k, []member{{"zebrafinch", true}, {"goldcrest", false}, {"nightjar", true}, {"dunnock", false}, {"redstart", false}, {"firecrest", false},
		{"whinchat", false}, {"wheatear", true}, {"stonechat", false}, {"brambling", false}, {"siskin", false}, {"bullfinch", false}}
}

func theirs(id, content, access string) string {
	return fmt.Sprintf(`{"id":%q,"type":"fact","content":%q,"content_hash":%q,"temporal":{"created_at":"2026-01-01T00:00:00Z"},"provenance":{"platform":"grok"},"access":%s}`,
		id, content, memory.ContentHash(content), access)
}

// TestCirclePreviewIsWhatLeaves: for every form that leaves, what leaves for a circle is what its
// preview shows, whatever state a memory is in.
func TestCirclePreviewIsWhatLeaves(t *testing.T) {
	k, members := circleOfStates(t)
	p := ok(k.PreviewCircle(ctx, "Work"))
	var want []string
	for _, m := range members {
		if m.leaves {
			want = append(want, m.word)
		}
	}
	var shown []string
	for _, id := range p.IDs {
		shown = append(shown, wordsIn(k.byID(id).Content, members)...)
	}
	equal(t, sorted(want), sorted(shown))
	equal(t, map[string]int{"sensitive": 1, "status": 2, "not-exportable": 1}, p.Stays)
	equal(t, map[sensitive.Topic]int{sensitive.Health: 1}, p.ByTopic)
	equal(t, 7, p.Members)
	equal(t, 3, p.Leaves)

	forWork := core.ExportOptions{For: "WORK"}
	forms := map[string]func() string{
		"pam": func() string { return leaves(k, "w.json", forWork) }, "bundle": func() string { return leaves(k, "w/", forWork) },
		"mif 1": func() string { return leavesMIF(k, "w1.mif.json", core.MIFOptions{ExportOptions: forWork}) },
		"mif 2": func() string {
			return leavesMIF(k, "w2.mif.jsonl", core.MIFOptions{Format: mif.JSONL, Version: "2", ExportOptions: forWork})
		},
	}
	for form, name := range map[core.Form]string{core.CSV: "w.csv", core.HTML: "w.html", core.Markdown: "m.zip", core.Obsidian: "o/", core.Personal: "p.json", core.PersonalMarkdown: "p.md"} {
		forms[string(form)] = func() string { return leavesForm(k, name, core.FormOptions{Form: form, ExportOptions: forWork}) }
	}
	for _, target := range []string{"chatgpt", "claude", "gemini", "system-prompt", "claude-md", "agents-md"} {
		forms["hand-off to "+target] = func() string {
			path := filepath.Join(k.root, target+".txt")
			ok(k.HandOff(ctx, target, core.HandoffOptions{Dest: path, For: "Work"}))
			return path
		}
	}
	for name, form := range forms {
		var all strings.Builder
		for _, text := range unpack(t, form()) {
			all.Write(text)
		}
		if got := wordsIn(all.String(), members); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s gives %v, and the preview shows %v", name, got, want)
		}
	}
}

func wordsIn(text string, members []member) (found []string) {
	for _, m := range members {
		if strings.Contains(text, m.word) {
			found = append(found, m.word)
		}
	}
	return found
}

// TestGrantsOfOldVaultsAreCircles: who memories were shared with is a circle of that name.
func TestGrantsOfOldVaultsAreCircles(t *testing.T) {
	k := fresh(t)
	id := k.add("I sleep badly").ID
	ok(k.Grant(ctx, id, "Dr. Sono", []string{"read", "write"}))
	all := ok(k.Circles(ctx))
	if len(all.Circles) != 1 || all.Circles[0].Name != "Dr. Sono" || all.Circles[0].Entity != "Dr. Sono" || all.Circles[0].Members != 1 {
		t.Errorf("%+v", all)
	}
	ok(k.EditCircle(ctx, "dr. sono", core.CircleEdit{Name: to("Doctor")}))
	equal(t, 1, ok(k.PreviewCircle(ctx, "Doctor")).Leaves)
	equal(t, 1, ok(k.PreviewCircle(ctx, "Dr. Sono")).Leaves) // its entity stays
	ok(k.DropCircle(ctx, "Doctor"))
	equal(t, 0, len(ok(k.Circles(ctx)).Circles))
	ok(k.Undo(ctx))
	equal(t, "Doctor", ok(k.Circles(ctx)).Circles[0].Name)
	equal(t, []string{"read", "write"}, k.byID(id).Access.SharedWith[0].Permissions)
}

// TestAStrangersGrantGivesNothing: a document of somebody else that names a circle of this vault
// puts nothing into it, before the person does; one that this owner signed does.
func TestAStrangersGrantGivesNothing(t *testing.T) {
	k, _ := circleOfStates(t)
	listed := ok(k.Circles(ctx))
	at := slices.IndexFunc(listed.Circles, func(c core.ListedCircle) bool { return c.Entity == "work" })
	equal(t, 1, listed.Circles[at].Unconfirmed)
	equal(t, ok(k.PreviewCircle(ctx, "work")).Members, listed.Circles[at].Members)
	id := k.saying("Knows the boss, siskin.").ID
	ok(k.Grant(ctx, id, "work", []string{"read"}))
	if p := ok(k.PreviewCircle(ctx, "work")); !slices.Contains(p.IDs, id) {
		t.Error("what the person shares does not leave")
	}
	ok(k.Undo(ctx))
	equal(t, core.ManyChanged{Changed: 1}, ok(k.ConfirmCircle(ctx, "work"))) // those that everybody reads by a stranger's word stay
	if p := ok(k.PreviewCircle(ctx, "work")); !slices.Contains(p.IDs, id) || slices.Contains(p.IDs, k.saying("Everybody trusts this, bullfinch.").ID) {
		t.Errorf("confirmed, these leave: %v", p.IDs)
	}

	own := k.add("Plays go with the boss, dotterel.").ID
	ok(k.Grant(ctx, own, "work", []string{"read"}))
	_, text := k.export("own.json", core.ExportOptions{})
	ok(k.Undo(ctx))
	ok(k.Undo(ctx)) // it never was
	k.take("back.json", text, core.ImportOptions{})
	if p := ok(k.PreviewCircle(ctx, "work")); !slices.Contains(p.IDs, k.saying("Plays go with the boss, dotterel.").ID) {
		t.Error("what this owner signed does not leave")
	}
}

// TestWhyAMemoryStays: a memory names the circles that it is in, and why it does not leave for one.
func TestWhyAMemoryStays(t *testing.T) {
	k, _ := circleOfStates(t)
	for content, want := range map[string][]core.Membership{
		"Writes Go services, zebrafinch.":             {{Entity: "work", Name: "Work"}},
		"Takes sertraline for depression, goldcrest.": {{Entity: "work", Name: "Work", Stays: "sensitive"}},
		"Takes insulin for diabetes, nightjar.":       {{Entity: "work", Name: "Work"}},
		"Used Perl at work, dunnock.":                 {{Entity: "work", Name: "Work", Stays: "status"}},
		"Uses Vim at work, firecrest.":                {{Entity: "work", Name: "Work", Stays: "not-exportable"}},
		"Uses Emacs at work, whinchat.":               {},
		"Likes trains, wheatear.":                     {{Entity: "family", Name: "family"}, {Entity: "work", Name: "Work"}},
		"Knows the boss, siskin.":                     {{Entity: "work", Name: "Work", Stays: "unconfirmed"}},
		"Everybody trusts this, bullfinch.":           {},
		"Likes tea, brambling.":                       {},
	} {
		got := ok(k.CirclesOf(ctx, k.anySaying(content)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", content, got, want)
		}
	}
	_, err := k.CirclesOf(ctx, "nobody")
	wantFault(t, err, fault.NotFound, "no-memory")
	changes := k.add("May be changed by others, fieldfare.").ID
	ok(k.Grant(ctx, changes, "editor", []string{"write"})) // and not read
	equal(t, 0, len(ok(k.CirclesOf(ctx, changes))))
}

// anySaying returns the id of a memory of any status by its text.
func (k *kit) anySaying(content string) string {
	k.t.Helper()
	for _, m := range k.memories(core.MemoryQuery{Statuses: memory.Statuses()}) {
		if m.Content == content {
			return m.ID
		}
	}
	k.t.Fatalf("no memory says %s", content)
	return ""
}

// TestCirclesOutliveTheirVaultsTroubles: what a circle holds back is held back after a restart, a
// backup and its restore, a new key and new passphrases; a frozen vault lists its circles and
// changes none.
func TestCirclesOutliveTheirVaultsTroubles(t *testing.T) {
	k, _ := circleOfStates(t)
	want := ok(k.PreviewCircle(ctx, "work"))
	same := func(when string) {
		t.Helper()
		got := ok(k.PreviewCircle(ctx, "work"))
		if got.ByWords = want.ByWords; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	k.reopen()
	same("reopened")
	backup := filepath.Join(k.root, "b.zip")
	ok(k.BackupVault(ctx, backup))
	ok(k.DropCircle(ctx, "work"))
	ok(k.RestoreBackup(ctx, core.Input{Path: backup}, core.Secret{Passphrase: passphrase}))
	k.unlocks()
	same("restored")
	ok(k.Rotate(ctx, nil))
	same("under a new key")
	if c := ok(k.CheckVault(ctx, nil)); !c.Whole() {
		t.Errorf("check: %+v", c)
	}
	succeeds(t, k.Rekey(ctx, passphrase, newPassphrase, groupsOf(k.mayRekey()), nil))
	succeeds(t, k.Unlock(ctx, newPassphrase))
	same("re-keyed")
	succeeds(t, k.FreezeVault(ctx, true))
	same("frozen")
	_, err := k.MakeCircle(ctx, core.Circle{Name: "Doctor"})
	wantFault(t, err, fault.Refused, "vault-frozen")
	_, err = k.JoinCircle(ctx, "work", want.IDs[:1], false)
	wantFault(t, err, fault.Refused, "vault-frozen")
	same("still frozen")
}

// TestAnIncrementGivesWhatWasHeldBack: an incremental export has what its base did not have,
// although it is as old as the base.
func TestAnIncrementGivesWhatWasHeldBack(t *testing.T) {
	k, _ := circleOfStates(t)
	forWork := core.ExportOptions{For: "work"}
	k.export("base.json", forWork)
	ok(k.EditCircle(ctx, "work", core.CircleEdit{Without: &[]sensitive.Topic{}}))
	_, delta := k.delta("delta.json", forWork)
	equal(t, []string{"Takes sertraline for depression, goldcrest."}, delta.contents())
}

// TestACircleThatChangesWhileItLeaves: an export reads one moment of the vault. Whatever becomes of
// the circle meanwhile, it has what one of these moments had, and never what is held back.
func TestACircleThatChangesWhileItLeaves(t *testing.T) {
	k, members := circleOfStates(t)
	stop := again(func(n int) {
		succeeds(t, second(k.EditCircle(ctx, "work", core.CircleEdit{Name: to(fmt.Sprint("Office ", n))})))
		succeeds(t, second(k.DropCircle(ctx, "work")))
		k.adds(fmt.Sprint("Waits for number ", n))
		succeeds(t, second(k.Undo(ctx)))
		succeeds(t, second(k.Undo(ctx)))
	})
	whole, public := []string{"nightjar", "wheatear", "zebrafinch"}, []string{"wheatear"}
	for i := range 60 {
		r, err := k.ExportPAM(ctx, filepath.Join(k.root, fmt.Sprint(i, ".json")), core.ExportOptions{For: "work"})
		if err != nil {
			t.Fatal(err)
		}
		if got := sorted(wordsIn(string(ok(os.ReadFile(r.Path))), members)); !slices.Equal(got, whole) && !slices.Equal(got, public) {
			t.Errorf("export %d: %v", i, got)
		}
	}
	stop()
}

// TestFillingACircle: a rule fills it, never with what it holds back or what was taken out of it.
func TestFillingACircle(t *testing.T) {
	k := comparing(t, "")
	ids := k.adds("Writes Go services.", "Takes sertraline for depression.", "Likes trains.")
	ok(k.MakeCircle(ctx, core.Circle{Name: "All facts", Rule: core.CircleRule{Types: []memory.Type{k.byID(ids[0]).Type}}, Without: []sensitive.Topic{sensitive.Health}}))
	succeeds(t, k.MakeVectors(ctx, 0))
	equal(t, 2, ok(k.PreviewCircle(ctx, "all facts")).Waiting)
	ok(k.JoinCircle(ctx, "all facts", ids[2:], false))
	equal(t, core.ManyChanged{Changed: 1}, ok(k.FillCircle(ctx, "All Facts")))
	equal(t, ids[:1], ok(k.PreviewCircle(ctx, "all facts")).IDs)
	ok(k.Undo(ctx))
	equal(t, 0, ok(k.PreviewCircle(ctx, "all facts")).Members)
}

// TestCirclesThatMakeNoSense: names that nobody can tell apart, types and topics that there are
// not, memories and circles that there are not.
func TestCirclesThatMakeNoSense(t *testing.T) {
	k := fresh(t)
	id := k.add("I sleep badly").ID
	ok(k.MakeCircle(ctx, core.Circle{Name: "Família  Silva"}))
	for _, name := range []string{"familia silva", "FAMÍLIA SILVA", " Familia Silva ", "Ｆａｍｉｌｉａ Silva"} {
		_, err := k.MakeCircle(ctx, core.Circle{Name: name})
		wantFault(t, err, fault.Conflict, "circle-name-taken")
	}
	for _, name := range []string{"", "  ", "a\u202eb", strings.Repeat("x", 81)} {
		_, err := k.MakeCircle(ctx, core.Circle{Name: name})
		wantFault(t, err, fault.Invalid, "circle-name")
	}
	_, err := k.MakeCircle(ctx, core.Circle{Name: "x", Rule: core.CircleRule{Types: []memory.Type{"mood"}}})
	wantFault(t, err, fault.Invalid, "unknown-type")
	_, err = k.MakeCircle(ctx, core.Circle{Name: "x", Without: []sensitive.Topic{"secrets"}})
	wantFault(t, err, fault.Invalid, "unknown-sensitive-topic")
	_, err = k.JoinCircle(ctx, "family", []string{id}, true)
	wantFault(t, err, fault.NotFound, "no-circle")
	_, err = k.JoinCircle(ctx, "familia silva", []string{"nobody"}, true)
	wantFault(t, err, fault.NotFound, "no-memory")
	ok(k.EditMemory(ctx, id, core.MemoryEdit{SharedWith: to([]memory.Grant{{Entity: "ana", Permissions: []string{"read"}}, {Entity: "Ana", Permissions: []string{"read"}}})}))
	_, err = k.PreviewCircle(ctx, "ANA")
	wantFault(t, err, fault.Conflict, "circle-ambiguous")
	equal(t, 1, ok(k.PreviewCircle(ctx, "ana")).Leaves)
}

func (k *kit) byID(id string) memory.Record {
	k.t.Helper()
	return ok(k.Memory(ctx, id)).Record
}

// TestGiven: what was given is told by circle and by memory, for every way in which it left, and
// names what left and nothing else; what was only shown is not told.
func TestGiven(t *testing.T) {
	k, _ := circleOfStates(t)
	plain, tea := k.saying("Writes Go services, zebrafinch.").ID, k.saying("Likes tea, brambling.").ID
	formats := func(q core.GivenQuery) (all []string) {
		for _, x := range ok(k.Given(ctx, q)) {
			all = append(all, x.Format+" "+x.Selection.For)
		}
		return sorted(all)
	}
	ok(k.PreviewHandoff(ctx, "claude", core.HandoffOptions{For: "Work"}))
	ok(k.PreviewExport(ctx, core.ExportOptions{For: "Work"}))
	equal(t, nil, formats(core.GivenQuery{Circle: "work"}))
	k.export("all.json", core.ExportOptions{})
	k.export("w.json", core.ExportOptions{For: "Work"})
	leavesMIF(k, "w.mif.json", core.MIFOptions{ExportOptions: core.ExportOptions{For: "Work"}})
	leavesForm(k, "w.csv", core.FormOptions{Form: core.CSV, ExportOptions: core.ExportOptions{For: "Work"}})
	ok(k.HandOff(ctx, "claude", core.HandoffOptions{For: "Work"}))
	ok(k.HandOff(ctx, "gemini", core.HandoffOptions{Without: []string{tea}}))
	forWork := []string{"csv work", "handoff work", "mif work", "pam work"}
	equal(t, forWork, formats(core.GivenQuery{Circle: "WORK"}))
	equal(t, sorted(append([]string{"pam "}, forWork...)), formats(core.GivenQuery{Memory: plain}))
	equal(t, []string{"pam "}, formats(core.GivenQuery{Memory: tea}))
	equal(t, nil, formats(core.GivenQuery{Circle: "work", Memory: tea}))
	all := ok(k.Given(ctx, core.GivenQuery{})) // newest first
	equal(t, []string{"handoff gemini", "handoff claude", "csv w.csv", "mif w.mif.json"}, []string{all[0].Format + " " + all[0].File, all[1].Format + " " + all[1].File, all[2].Format + " " + all[2].File, all[3].Format + " " + all[3].File})
	k.reopen()
	equal(t, forWork, formats(core.GivenQuery{Circle: "work", Memory: plain}))
}

// TestCirclesFollowEveryChange: what is kept of earlier calls says the same as a session that has
// kept nothing, after every kind of change.
func TestCirclesFollowEveryChange(t *testing.T) {
	k, _ := circleOfStates(t)
	plain, tea := k.anySaying("Writes Go services, zebrafinch."), k.anySaying("Likes tea, brambling.")
	for name, change := range map[string]func(){
		"joined":    func() { ok(k.JoinCircle(ctx, "work", []string{tea}, true)) },
		"edited":    func() { ok(k.EditMemory(ctx, tea, core.MemoryEdit{Exportable: to(false)})) },
		"undone":    func() { ok(k.Undo(ctx)) },
		"public":    func() { ok(k.EditMemory(ctx, tea, core.MemoryEdit{Visibility: to(memory.Public)})) },
		"retracted": func() { ok(k.SetStatus(ctx, tea, memory.Retracted, "")) },
		"marked":    func() { succeeds(t, k.MarkSensitive(ctx, plain, sensitive.Health, to(true))) },
		"imported": func() {
			k.take("more.json", []byte(`{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},"memories":[`+theirs("s3", "Plays the oboe.", `{"visibility":"shared","exportable":true,"shared_with":[{"entity":"work","permissions":["read"]}]}`)+`]}`), core.ImportOptions{})
		},
		"forgotten": func() { ok(k.Forget(ctx, []string{k.anySaying("Takes insulin for diabetes, nightjar.")}, nil)) },
	} {
		ok(k.Circles(ctx)) // is kept
		change()
		circles, preview := ok(k.Circles(ctx)), ok(k.PreviewCircle(ctx, "work"))
		k.reopen()
		if fresh := ok(k.Circles(ctx)); !reflect.DeepEqual(circles, fresh) {
			t.Errorf("%s: %+v, of a new session %+v", name, circles, fresh)
		}
		if fresh := ok(k.PreviewCircle(ctx, "work")); !reflect.DeepEqual(preview.IDs, fresh.IDs) {
			t.Errorf("%s: %v leave, of a new session %v", name, preview.IDs, fresh.IDs)
		}
	}
}
