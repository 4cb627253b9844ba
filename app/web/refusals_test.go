package web_test

import (
	"strings"
	"testing"

	"keepsake/app/bridge"
)

// TestACallThatIsRefusedDoesNothing holds what the faults of the doors say: what they
// refuse was not done in part either.
func TestACallThatIsRefusedDoesNothing(t *testing.T) {
	s := withVault(t)
	added := must[bridge.MemoryView](t, s, "Library.Add", `[{"type":"fact","customType":"","content":"Keeps bees.","tags":[]}]`)
	older := must[bridge.ForgetPlanView](t, s, "Care.PlanForget", `[{"ids":["`+added.ID+`"]}]`)
	must[bridge.ForgetPlanView](t, s, "Care.PlanForget", `[{"ids":["`+added.ID+`"]}]`)
	for _, c := range []struct{ name, args, reason string }{
		{"Care.Forget", `["` + older.ID + `"]`, "forget-plan-gone"},
		{"Care.Forget", `[""]`, "forget-plan-gone"},
		{"Library.Add", `[{"type":"fact","customType":"","content":"Keeps wasps.","tags":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}]`, "call-too-large"},
		{"Library.Edit", `["` + added.ID + `",{"content":"Keeps wasps."}` + strings.Repeat(",0", 2_000_000) + `]`, "call-too-large"},
	} {
		if _, failed := s.call(t, c.name, c.args); failed.Reason != c.reason {
			t.Errorf("%s: %+v, want %s", c.name, failed, c.reason)
		}
	}
	if page := must[bridge.MemoryPageView](t, s, "Library.List", `[{}]`); page.Total != 1 || page.Items[0].Content != "Keeps bees." {
		t.Errorf("the vault holds %+v", page)
	}
}
