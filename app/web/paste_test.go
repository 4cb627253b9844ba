package web_test

import (
	"encoding/json"
	"testing"

	"keepsake/app/bridge"
)

// TestAPasteIsShownBeforeItIsStored goes the way of the page: paste, look, and
// let go of it, or read it into the vault.
func TestAPasteIsShownBeforeItIsStored(t *testing.T) {
	s := withVault(t)
	text, err := json.Marshal([]string{"[2026-02-02] - Prefers metric units.\n[unknown] - Has a dog.\n\nMore remain."})
	if err != nil {
		t.Fatal(err)
	}
	plan := must[bridge.PlanView](t, s, "Imports.Plan", `[["`+must[bridge.Offer](t, s, "Imports.Paste", string(text)).Token+`"]]`)
	p := plan.Sources[0]
	if p.Provider != "pasted" || len(p.Preview) != 2 || p.Preview[0].Content != "Prefers metric units." || p.Preview[0].CreatedAt != "2026-02-02T00:00:00Z" || p.Preview[1].CreatedAt != "" {
		t.Errorf("the plan is %+v", p)
	}
	if len(p.Problems) != 1 || p.Problems[0].Fault.Reason != "paste-more-remain" {
		t.Errorf("it says of itself %+v", p.Problems)
	}
	if page := must[bridge.MemoryPageView](t, s, "Library.List", `[{}]`); page.Total != 0 {
		t.Errorf("%d memories before it was started", page.Total)
	}
	done := nextEvent(t, s, bridge.EventImportDone)
	must[bridge.JobView](t, s, "Imports.Start", `["`+plan.ID+`"]`)
	<-done
	if page := must[bridge.MemoryPageView](t, s, "Library.List", `[{}]`); page.Total != 2 {
		t.Errorf("%d memories", page.Total)
	}
	plain := must[bridge.PlanView](t, s, "Imports.Plan", `[["`+must[bridge.Offer](t, s, "Imports.Paste", `["Sings in a choir."]`).Token+`"]]`)
	if p := plain.Sources[0]; p.Problem != nil || len(p.Preview) != 1 {
		t.Errorf("a plain line: %+v", p)
	}
	none := must[bridge.PlanView](t, s, "Imports.Plan", `[["`+must[bridge.Offer](t, s, "Imports.Paste", `["I don't have any saved memories."]`).Token+`"]]`)
	if p := none.Sources[0]; p.Problem == nil || p.Problem.Reason != "paste-no-memories" {
		t.Errorf("no memories: %+v", p)
	}
}
