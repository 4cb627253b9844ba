package letta_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/letta"
)

// TestLongBlock: a block is gone over once, and not for each of its statements.
func TestLongBlock(t *testing.T) {
	const all = 50_000 // quadratic work would take minutes
	var value strings.Builder
	for i := range all {
		fmt.Fprintf(&value, `- Likes tea %d%s\n`, i, strings.Repeat(" and", 80))
	}
	r := Read(t, letta.Importer{}, Loose("a.af", `{"agents":[{"id":"a","name":"A","block_ids":["b"],"messages":[]}],"blocks":[{"id":"b","label":"human","description":"kept","value":"`+value.String()+`"}]}`).Tree(t))
	if len(r.Memories) != all {
		t.Fatalf("%d memories of %d", len(r.Memories), all)
	}
	for _, i := range []int{0, all - 1} {
		if raw, err := json.Marshal(r.Memories[i].Metadata["raw"]); err != nil || string(raw) != `{"description":"kept"}` {
			t.Errorf("memory %d keeps %s, %v", i, raw, err)
		}
	}
}

// TestCase44PersonaAndSecrets is §13.44: the persona is no fact about the person, and secrets
// are kept nowhere.
func TestCase44PersonaAndSecrets(t *testing.T) {
	for _, l := range gen.Letta() {
		r := Read(t, letta.Importer{}, LayerFixture(l, CutJSON).Tree(t))
		all, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(all), gen.LettaSecret) {
			t.Errorf("%s: a secret was kept", l.Name)
		}
		if strings.Contains(string(all), "kind helper") || strings.Contains(string(all), "I am old") {
			t.Errorf("%s: the persona was kept", l.Name)
		}
		if r.Skipped["persona"] != 1 || r.Skipped["secret"] == 0 {
			t.Errorf("%s: %v", l.Name, r.Skipped)
		}
	}
}

// TestForeignF11WordsOfThePlatform: what the platform puts into a message of the person, as
// a part of its own, is not theirs.
func TestForeignF11WordsOfThePlatform(t *testing.T) {
	r := Read(t, letta.Importer{}, Loose("a.af", `{"agents":[{"id":"a","name":"A","block_ids":[],"messages":[
		{"id":"m1","role":"user","created_at":"2026-01-01T00:00:00Z","content":[{"type":"text","text":"<system-reminder>Be kind.</system-reminder>"},{"type":"text","text":"Which tea?"},{"type":"text","text":"<system-reminder>Now.</system-reminder>"}]},
		{"id":"m2","role":"user","created_at":"2026-01-01T00:00:01Z","content":[{"type":"text","text":"<system-reminder>Alone.</system-reminder>"}]}]}],"blocks":[]}`).Tree(t))
	if len(r.Conversations[0].Messages) != 1 || r.Conversations[0].Messages[0].Content.PlainText() != "Which tea?" || r.Skipped["hidden-context"] != 1 {
		t.Errorf("%+v, %v", r.Conversations[0].Messages, r.Skipped)
	}
	if kept := string(r.Conversations[0].Messages[0].RawMetadata["program_text"]); !strings.Contains(kept, "Be kind.") || !strings.Contains(kept, "Now.") {
		t.Error(kept)
	}
}

// TestForeignF02FileInAString: an agent file that was encoded a second time is one JSON string
// that holds the agents.
func TestForeignF02FileInAString(t *testing.T) {
	plain := "{\n \"agents\": [{\"id\":\"a\",\"name\":\"A\",\"block_ids\":[\"b\"],\"messages\":[]}],\n \"blocks\": [{\"id\":\"b\",\"label\":\"human\",\"value\":\"Likes tea.\"}]}"
	text, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	f := Loose("agent.af", string(text))
	if m, err := (letta.Importer{}).Sniff(t.Context(), f.Tree(t)); err != nil || m.Format != "agents" {
		t.Errorf("%+v, %v", m, err)
	}
	if r := Read(t, letta.Importer{}, f.Tree(t)); len(r.Memories) != 1 || r.Memories[0].Content != "Likes tea." {
		t.Errorf("%+v, %+v", r.Memories, r.Problems)
	}
}
