package core_test

import (
	"os"
	"path/filepath"
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
		"claude":        {"I drink green tea": true, "for claude as well": true, "secret": false, "Porto": false, "holiday": false, "doctor": false},
		"system-prompt": {"I drink green tea": true, "for claude as well": false, "secret": false, "Porto": false, "holiday": false, "doctor": false},
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
