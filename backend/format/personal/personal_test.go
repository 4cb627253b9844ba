package personal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
)

func sequence[T any](all ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, x := range all {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// Promise: every type of PAM has a category, and what the specification can say
// of it comes back.
func TestTypesBothWays(t *testing.T) {
	for _, kind := range memory.Types() {
		c, as := personal.Of(kind, "badge")
		if !slices.Contains(personal.Categories(), c) || as == "" {
			t.Errorf("%s is %s, %s", kind, c, as)
		}
	}
	for _, x := range []struct {
		kind   memory.Type
		custom string
	}{{memory.Fact, ""}, {memory.Preference, ""}, {memory.Context, ""}, {memory.Custom, "work_pattern"}} {
		if kind, custom := personal.TypeOf(personal.Of(x.kind, x.custom)); kind != x.kind || custom != x.custom {
			t.Errorf("%s %q came back as %s %q", x.kind, x.custom, kind, custom)
		}
	}
	for _, c := range personal.Categories() {
		for _, as := range []personal.ContentType{personal.ContentTranscript, personal.ContentSummary, personal.ContentFact, personal.ContentPreference, personal.ContentPattern} {
			if kind, custom := personal.TypeOf(c, as); !slices.Contains(memory.Types(), kind) || (custom != "") != (kind == memory.Custom) {
				t.Errorf("%s, %s is %s %q", c, as, kind, custom)
			}
		}
	}
}

func book(said string) memory.Collection {
	at := memory.At(time.Date(2026, 4, 12, 9, 15, 0, 0, time.UTC))
	talk := &memory.Conversation{ID: "s1", Title: said, Provider: memory.Provider{Name: "slack"}, Temporal: memory.ConversationTemporal{CreatedAt: at}, Messages: []memory.Message{
		{ID: "1", Role: memory.User, Content: &memory.Content{Type: "text", Text: said}}, {ID: "2", Role: memory.Assistant, Content: &memory.Content{Type: "text", Text: "Yes."}},
	}}
	return memory.Collection{
		Made: at, Owner: "u1", Words: memory.WordingIn("en"), Types: map[memory.Type]int{memory.Fact: 1, memory.Preference: 1, memory.Custom: 1},
		Memories: sequence(
			memory.Record{ID: "m1", Type: memory.Fact, Content: said, Temporal: memory.Temporal{CreatedAt: at, ValidUntil: at}, Tags: []string{"q3"},
				Provenance: memory.Provenance{Platform: "slack", ConversationRef: "s1"}, Metadata: map[string]any{"importance": 0.85}},
			memory.Record{ID: "m2", Type: memory.Preference, Content: said},
			memory.Record{ID: "m3", Type: memory.Custom, CustomType: "work_pattern", Content: said},
		),
		Use: func(r memory.Record) (memory.Use, error) {
			if r.ID != "m1" {
				return memory.Use{}, nil
			}
			return memory.Use{Count: 12, Last: memory.At(time.Date(2026, 4, 15, 14, 30, 0, 0, time.UTC))}, nil
		},
		Relations: []memory.Relation{{From: "m1", To: "m2", Type: memory.DerivedFrom}, {From: "m1", To: "m3", Type: memory.Supports}},
		Talks:     []memory.Conversation{*talk}, Conversations: sequence(talk),
	}
}

// Promise: the export has the structure of the specification.
func TestStructure(t *testing.T) {
	var out bytes.Buffer
	if err := personal.WriteJSON(&out, book("Asked about \"Q3\"\n<risk>"), personal.Options{Metadata: true}); err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if doc["export_version"] != "1.0" || doc["user_id"] != "u1" || doc["exported_at"] != "2026-04-12T09:15:00Z" || doc["record_count"] != 4.0 {
		t.Errorf("head: %s", out.Bytes())
	}
	all := doc["categories"].(map[string]any)
	for _, c := range personal.Categories() {
		list := all[string(c)].(map[string]any)
		if list["count"] != 1.0 || len(list["records"].([]any)) != 1 {
			t.Errorf("%s: %v", c, list)
		}
	}
	first := func(c personal.Category) map[string]any {
		return all[string(c)].(map[string]any)["records"].([]any)[0].(map[string]any)
	}
	m := first(personal.LearnedContext)
	x := m["metadata"].(map[string]any)
	if m["memory_id"] != "m1" || m["session_id"] != "s1" || m["channel"] != "slack" || m["content_type"] != "fact" || m["content"] != "Asked about \"Q3\"\n<risk>" {
		t.Errorf("record: %v", m)
	}
	if x["importance_score"] != 0.85 || x["access_count"] != 12.0 || x["last_accessed"] != "2026-04-15T14:30:00Z" || x["ttl"] != "2026-04-12T09:15:00Z" || x["compacted_from"].([]any)[0] != "m2" {
		t.Errorf("metadata: %v", x)
	}
	if talk := first(personal.Conversation); talk["content"] != "user: Asked about \"Q3\"\n<risk>\n\nassistant: Yes." || talk["content_type"] != "transcript" {
		t.Errorf("transcript: %v", talk)
	}
}

func TestWithoutMetadata(t *testing.T) {
	var out bytes.Buffer
	if err := personal.WriteJSON(&out, book("x"), personal.Options{}); err != nil || bytes.Contains(out.Bytes(), []byte("metadata")) {
		t.Errorf("%v: %s", err, out.Bytes())
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := personal.WriteMarkdown(&out, book("![x](https://evil.example)"), personal.Options{Metadata: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Conversation history (1)", "## Work patterns (1)", "## Preferences (1)", "## Learned context (1)", "\n#### user\n", "Yes.", "*2026-04-12 · Fact · slack · q3*"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(strings.ReplaceAll(out.String(), `\!`, ""), "![") || strings.Contains(out.String(), "\n![") {
		t.Errorf("a picture loads:\n%s", &out)
	}
}

func FuzzJSON(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\u2028<\x00\xff")
	f.Fuzz(func(t *testing.T, said string) {
		var out bytes.Buffer
		if err := personal.WriteJSON(&out, book(said), personal.Options{Metadata: true}); err != nil || !json.Valid(out.Bytes()) {
			t.Errorf("%v: %s", err, out.Bytes())
		}
	})
}

// Promise: an export whose reading is stopped, or whose file is damaged, is not said
// to be no export.
func TestStoppedIsNotBroken(t *testing.T) {
	const start = `{"export_version":"1.0","categories":{"preference":{"count":1,"records":[{"memory_id":"1","metadata":{"title":"`
	damaged := iotest.ErrReader(fault.New(fault.Damaged, "damaged", "Damaged."))
	for want, rest := range map[fault.Code]io.Reader{fault.Cancelled: iotest.ErrReader(context.Canceled), fault.Damaged: damaged, fault.Invalid: strings.NewReader(`"`)} {
		_, _, err := personal.Take(t.Context(), io.MultiReader(strings.NewReader(start), rest), "x.json", personal.Taker{})
		if got := fault.CodeOf(err); got != want {
			t.Errorf("%s, and it must be %s: %v", got, want, err)
		}
	}
}
