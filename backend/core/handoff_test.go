package core_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

func TestAHandOffTakesOnlyWhatMayBeTold(t *testing.T) {
	k := fresh(t)
	k.add("I drink green tea")
	secret := k.add("my secret place").ID
	ok(k.EditMemory(ctx, secret, core.MemoryEdit{Exportable: to(false)}))
	ok(k.SetStatus(ctx, k.add("I live in Porto").ID, memory.Retracted, ""))
	ok(k.EditMemory(ctx, k.add("I am on holiday").ID, core.MemoryEdit{ValidUntil: to(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))}))
	ok(k.Grant(ctx, k.add("only for my doctor").ID, "doctor", []string{"read"}))
	ok(k.Grant(ctx, k.add("for claude as well").ID, "claude", []string{"read"}))
	for target, want := range map[string]map[string]bool{
		"claude":        {"green tea": true, "for claude as well": true, "secret": false, "Porto": false, "holiday": false, "doctor": false},
		"system-prompt": {"green tea": true, "for claude as well": false, "secret": false, "Porto": false, "holiday": false, "doctor": false},
	} {
		h := ok(k.PreviewHandoff(ctx, target, core.HandoffOptions{}))
		text := h.Text()
		for words, is := range want {
			if strings.Contains(text, words) != is {
				t.Errorf("%s: %q is told: %v\n%s", target, words, !is, text)
			}
		}
		if h.Excluded["not-exportable"] != 1 || h.Excluded["status"] != 1 || h.Excluded["not-valid-now"] != 1 || h.Excluded["not-shared"] == 0 {
			t.Errorf("%s: excluded %v", target, h.Excluded)
		}
	}
}

func TestAHandOffIsRedactedUnlessSaidOtherwise(t *testing.T) {
	k := secretive(t)
	h := ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{}))
	if text := h.Text(); strings.Contains(text, "ana@casa") || !strings.Contains(text, "[REDACTED:email]") || h.Findings.Total != 3 || h.Findings.Hidden != 3 {
		t.Errorf("%+v\n%s", h.Findings, text)
	}
	h = ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{RedactionOptions: core.RedactionOptions{Keep: []string{"email"}}}))
	if !strings.Contains(h.Text(), "ana@casa.example") || strings.Contains(h.Text(), "Girassol") || h.Findings.Hidden != 2 {
		t.Errorf("%+v\n%s", h.Findings, h.Text())
	}
	h = ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{RedactionOptions: core.RedactionOptions{Redact: to(false)}}))
	if !strings.Contains(h.Text(), "Girassol") || h.Findings.Hidden != 0 || h.Findings.Total != 3 {
		t.Errorf("%+v\n%s", h.Findings, h.Text())
	}
}

func TestAHandOffIsLoggedAndAPreviewIsNot(t *testing.T) {
	k := secretive(t)
	before := ok(k.Log(ctx, core.LogQuery{})).Total
	ok(k.PreviewHandoff(ctx, "claude", core.HandoffOptions{}))
	dest := filepath.Join(k.root, "claude.txt")
	h := ok(k.HandOff(ctx, "claude", core.HandoffOptions{Part: "import", Dest: dest}))
	written := string(ok(os.ReadFile(dest)))
	if len(h.Parts) != 1 || written != h.Parts[0].Messages[0]+"\n" {
		t.Errorf("written: %s", written)
	}
	log := ok(k.Log(ctx, core.LogQuery{}))
	if log.Total != before+1 || log.Entries[0].Action != "handoff" || log.Entries[0].Count != 3 {
		t.Errorf("log: %+v", log.Entries[0])
	}
}

func TestRulesOfATargetHold(t *testing.T) {
	k := fresh(t)
	private := k.add("I see a doctor on Mondays").ID
	ok(k.EditMemory(ctx, private, core.MemoryEdit{Tags: to([]string{"health"})}))
	k.add("I drink green tea")
	rules := core.HandoffRules{WithoutTags: []string{"health"}, Limits: map[string]int{"gem": 777}}
	if err := k.SetHandoffRules(ctx, "gemini", rules); err != nil {
		t.Fatal(err)
	}
	h := ok(k.PreviewHandoff(ctx, "gemini", core.HandoffOptions{}))
	if strings.Contains(h.Text(), "doctor") || h.Excluded["tag"] != 1 || h.Parts[1].Limit != 777 || !h.Parts[1].Own {
		t.Errorf("%+v", h)
	}
	if h := ok(k.PreviewHandoff(ctx, "claude", core.HandoffOptions{})); !strings.Contains(h.Text(), "doctor") {
		t.Error("the rules of one target hold for another")
	}
	rules.Types = []memory.Type{memory.Instruction}
	if err := k.SetHandoffRules(ctx, "gemini", rules); err != nil {
		t.Fatal(err)
	}
	_, err := k.HandOff(ctx, "gemini", core.HandoffOptions{})
	wantFault(t, err, fault.NotFound, "handoff-nothing")
	for reason, err := range map[string]error{
		"unknown-target":    k.SetHandoffRules(ctx, "siri", core.HandoffRules{}),
		"handoff-no-part":   k.SetHandoffRules(ctx, "gemini", core.HandoffRules{Limits: map[string]int{"page": 5}}),
		"handoff-no-budget": k.SetHandoffRules(ctx, "gemini", core.HandoffRules{Limits: map[string]int{"gem": 0}}),
		"unknown-type":      k.SetHandoffRules(ctx, "gemini", core.HandoffRules{Types: []memory.Type{"mood"}}),
	} {
		wantFault(t, err, fault.Invalid, reason)
	}
	_, err = k.HandOff(ctx, "claude", core.HandoffOptions{Budget: to(1)})
	wantFault(t, err, fault.NotFound, "handoff-no-room")
	_, err = k.PreviewHandoff(ctx, "claude", core.HandoffOptions{Budget: to(0)})
	wantFault(t, err, fault.Invalid, "handoff-no-budget")
}

// linesOf returns the lines of the first part, ticked or not.
func linesOf(p core.HandoffPart) (texts []string) {
	for _, l := range p.Lines {
		texts = append(texts, l.Text)
	}
	return texts
}

// Promise: of memories that say the same in other words a hand-off has the one that ranks
// higher; without vectors only the same words are told apart, and what was passed over or
// differs in a number stays.
func TestAHandOffSaysNothingTwice(t *testing.T) {
	k := comparing(t, "")
	k.adds(facts...)
	ids := k.adds("Works as a senior data engineer at a logistics company in Rotterdam.", "User is a senior data engineer who works for a logistics firm.",
		"Has two cats.", "Tem três gatos.", "has two cats", "Enjoys skiing.", "Does not enjoy skiing.")
	ok(k.EditMemory(ctx, ids[1], core.MemoryEdit{Importance: to(1.0)}))
	h := ok(k.PreviewHandoff(ctx, "claude-md", core.HandoffOptions{}))
	if h.Excluded["repeat"] != 0 || h.Excluded["same-words"] != 1 || !slices.Contains(h.Parts[0].Taken, ids[0]) {
		t.Errorf("without vectors: %v", h.Excluded)
	}
	k.means(text("anything"))
	h = ok(k.PreviewHandoff(ctx, "claude-md", core.HandoffOptions{}))
	taken := h.Parts[0].Taken
	if h.Excluded["repeat"] != 1 || slices.Contains(taken, ids[0]) || !slices.Contains(taken, ids[1]) {
		t.Errorf("repeats: %v %v", h.Excluded, linesOf(h.Parts[0]))
	}
	for _, id := range []string{ids[2], ids[3], ids[5], ids[6]} {
		if !slices.Contains(taken, id) && id != ids[2] || id == ids[2] && !slices.Contains(taken, id) && !slices.Contains(taken, ids[4]) {
			t.Errorf("%s is left out of %q", id, linesOf(h.Parts[0]))
		}
	}
	h = ok(k.PreviewHandoff(ctx, "claude-md", core.HandoffOptions{Without: []string{ids[1]}}))
	if strings.Contains(h.Text(), "data engineer") {
		t.Error("the repeat of a line that is unticked is told")
	}
	if err := k.PassOver(ctx, ids[0], ids[1], true); err != nil {
		t.Fatal(err)
	}
	if h = ok(k.PreviewHandoff(ctx, "claude-md", core.HandoffOptions{})); h.Excluded["repeat"] != 0 || !slices.Contains(h.Parts[0].Taken, ids[0]) {
		t.Errorf("passed over: %v", h.Excluded)
	}
}

// Promise: the budget drops what tells least, and names it in the order in which it would
// come in.
func TestTheBudgetDropsWhatTellsLeast(t *testing.T) {
	k := fresh(t)
	ids := k.adds("I like the sea and the sea", "I like the sea of May 2024", "I like the sea and harbour", "I like the sea and a river")
	ok(k.EditMemory(ctx, ids[3], core.MemoryEdit{Importance: to(1.0)}))
	want := []string{ids[3], ids[1], ids[2], ids[0]}
	var before []string
	for _, budget := range []int{40, 70, 95, 125} {
		p := ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{Part: "custom-instructions", Budget: to(budget)})).Parts[0]
		if len(p.Taken) <= len(before) || !slices.Equal(p.Taken, want[:len(p.Taken)]) {
			t.Errorf("%d takes %q", budget, linesOf(p))
		}
		for i, left := range p.LeftOut {
			if left.ID != want[len(p.Taken)+i] || left.Reason != "no-room" {
				t.Errorf("%d leaves out %+v in place %d", budget, left, i)
			}
		}
		before = p.Taken
	}
}

// Promise: ticks and edits hold for one text: they are redacted and measured like any other,
// and nothing of them is stored.
func TestTicksAndEditsAreForThisTimeOnly(t *testing.T) {
	k := fresh(t)
	ids := k.adds("I drink green tea", "I live in Porto", "I sail on Sundays")
	o := core.HandoffOptions{Part: "custom-instructions", Without: []string{ids[1]}, Edits: map[string]string{ids[0]: "I drink coffee,\nwrite to ana@casa.example"}}
	before := ok(k.Log(ctx, core.LogQuery{})).Total
	h := ok(k.HandOff(ctx, "chatgpt", o))
	p := h.Parts[0]
	if text := h.Text(); strings.Contains(text, "Porto") || strings.Contains(text, "green") || !strings.Contains(text, "I drink coffee, write to [REDACTED:email].") {
		t.Errorf("%s", text)
	}
	if len(p.Lines) != 3 || len(p.Taken) != 2 || p.UTF16 != len(p.Messages[0]) || h.Findings.Total != 1 || h.Findings.Hidden != 1 || h.Findings.Items[0].Text != "ana@casa.example" {
		t.Errorf("%+v %+v", p, h.Findings)
	}
	for _, l := range p.Lines {
		if l.Ticked != (l.ID != ids[1]) || l.Edited != (l.ID == ids[0]) || l.Heading != "About me" {
			t.Errorf("%+v", l)
		}
	}
	log := ok(k.Log(ctx, core.LogQuery{}))
	if log.Total != before+1 || log.Entries[0].Count != 2 {
		t.Errorf("the log has %+v", log.Entries[0])
	}
	if text := ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{})).Text(); !strings.Contains(text, "Porto") || !strings.Contains(text, "green tea") || strings.Contains(text, "coffee") {
		t.Errorf("the next text is %s", text)
	}
	for reason, o := range map[string]core.HandoffOptions{
		"handoff-edit-empty":    {Edits: map[string]string{ids[0]: " \n"}},
		"handoff-edit-too-long": {Edits: map[string]string{ids[0]: strings.Repeat("ã", 8001)}},
		"handoff-language":      {Language: "tlh"},
		"handoff-person":        {Person: "second"},
	} {
		_, err := k.PreviewHandoff(ctx, "chatgpt", o)
		wantFault(t, err, fault.Invalid, reason)
	}
	for _, o := range []core.HandoffOptions{{Without: []string{"no-such"}}, {Edits: map[string]string{"no-such": "x"}}} {
		_, err := k.PreviewHandoff(ctx, "chatgpt", o)
		wantFault(t, err, fault.NotFound, "no-memory")
	}
	ok(k.PreviewHandoff(ctx, "chatgpt", core.HandoffOptions{Edits: map[string]string{ids[0]: strings.Repeat("ã", 8000)}}))
}

// Promise: headings are in the language that was asked for, memories stay as they are, and
// those in another language are named.
func TestAHandOffNamesWhatIsInAnotherLanguage(t *testing.T) {
	k := fresh(t)
	ids := k.adds("I live in Porto and I like the river and the boats", "Eu moro no Porto e gosto muito do rio e dos barcos", "Ich wohne in Porto und mag den Fluss und die Boote nicht", "Porto")
	for language, want := range map[string][]core.HandoffLanguage{
		"":      {{Language: "de", Count: 1, IDs: ids[2:3]}, {Language: "pt", Count: 1, IDs: ids[1:2]}},
		"pt-BR": {{Language: "de", Count: 1, IDs: ids[2:3]}, {Language: "en", Count: 1, IDs: ids[0:1]}},
		"fr":    {{Language: "de", Count: 1, IDs: ids[2:3]}, {Language: "en", Count: 1, IDs: ids[0:1]}, {Language: "pt", Count: 1, IDs: ids[1:2]}},
	} {
		h := ok(k.PreviewHandoff(ctx, "agents-md", core.HandoffOptions{Language: language}))
		equal(t, want, h.OtherLanguages)
		if language == "pt-BR" && !strings.Contains(h.Text(), "## Sobre o usuário\n") || !strings.Contains(h.Text(), "Ich wohne in Porto und mag") {
			t.Errorf("%s: %s", language, h.Text())
		}
	}
	h := ok(k.PreviewHandoff(ctx, "agents-md", core.HandoffOptions{Language: "en", Without: ids[1:3]}))
	equal(t, []core.HandoffLanguage{}, h.OtherLanguages)
}
