package core_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// TestDemoDoesTheWholeMainJob follows the steps and looks for what is left.
func TestDemoDoesTheWholeMainJob(t *testing.T) {
	k := provider(t)
	var told []string
	r := ok(k.Demo(ctx, func(s core.DemoStep) { told = append(told, s.Name+": "+s.Text) }))
	if !r.Verified || len(r.Steps) != len(told) {
		t.Fatalf("result: %+v", r)
	}
	for _, step := range []string{"vault", "import", "memories", "retract", "relate", "export", "verify"} {
		if !strings.Contains(strings.Join(told, "\n"), step+": ") {
			t.Errorf("%s is not told: %q", step, told)
		}
	}
	found := fmt.Sprintf("memories: Found %d memories. Statements that said the same again, and were merged: %d.", r.Import.Memories.New, r.Import.Memories.Merged)
	verified := fmt.Sprintf("verify: The file verified: signed by this vault's key %s,", r.Export.Fingerprint)
	if !slices.Contains(told, found) || !slices.ContainsFunc(told, func(text string) bool { return strings.HasPrefix(text, verified) }) {
		t.Errorf("neither %q nor %q in %q", found, verified, told)
	}
	if r.Import.Conversations.New == 0 || r.Import.Memories.Merged == 0 || r.Import.Attachments.Stored == 0 {
		t.Errorf("the sample shows too little: %+v", r.Import)
	}
	if left := ok(os.ReadDir(k.cfg.ScratchDir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if st := k.state(); st.Memories != 0 {
		t.Error("the demo wrote into the person's own vault")
	}
}

// TestSampleComesAndGoes turns to the sample and back.
func TestSampleComesAndGoes(t *testing.T) {
	k := provider(t)
	k.add("my own")
	home := k.state().Dir
	if err := k.TrySample(ctx); err != nil {
		t.Fatal(err)
	}
	st := k.state()
	if !st.Sample || !st.Unlocked || st.Memories == 0 || st.Conversations == 0 || st.Dir == home {
		t.Fatalf("sample: %+v", st)
	}
	sample := st.Dir
	k.add("written into the sample")
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(sample); !os.IsNotExist(err) {
		t.Errorf("the sample is still there: %v", err)
	}
	if st = k.state(); st.Sample || st.Dir != home || st.Unlocked {
		t.Fatalf("after the sample: %+v", st)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	k.saying("my own")
	if p := ok(k.Preferences(ctx)); len(p.Recent) != 1 {
		t.Errorf("the sample is remembered: %v", p.Recent)
	}
	if err := k.TrySample(ctx); err != nil {
		t.Fatal(err)
	}
	if err := k.TrySample(ctx); err != nil {
		t.Fatalf("a second sample: %v", err)
	}
	_, err := k.CreateVault(ctx, passphrase, "test")
	wantFault(t, err, fault.Conflict, "vault-open")
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if left := ok(os.ReadDir(k.cfg.ScratchDir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
