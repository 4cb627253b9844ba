package pam_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// TestEncodedFixpoint: the form that both references write again unchanged.
func TestEncodedFixpoint(t *testing.T) {
	r := memory.Record{ID: "m", Type: memory.Fact, Content: "<c> & \u2028", ContentHash: memory.ContentHash("<c> & \u2028"),
		Temporal: memory.Temporal{CreatedAt: day}, Provenance: memory.Provenance{Platform: "manual"},
		Access: &memory.Access{Exportable: true}, Metadata: map[string]any{"gone": nil, "deep": map[string]any{"kept": nil}}}
	text, err := pam.EncodeMemory(r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"access":{"exportable":true,"shared_with":[],"visibility":"private"},"content":"<c> & ` + "\u2028" + `","content_hash":"HASH","id":"m",` +
		`"metadata":{"deep":{"kept":null}},"provenance":{"platform":"manual"},"status":"active","tags":[],"temporal":{"created_at":"2026-11-21T09:00:00Z"},"type":"fact"}`
	if got := strings.Replace(string(text), r.ContentHash, "HASH", 1); got != want {
		t.Errorf("\n%s, want\n%s", got, want)
	}
	again, err := pam.DecodeMemory(text)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := pam.EncodeMemory(again); err != nil || string(twice) != string(text) {
		t.Errorf("read and written again: %s, %v", twice, err)
	}
}

func TestWhatHasNoFormIsRefused(t *testing.T) {
	for want, change := range map[string]func(*memory.Record){
		"record-not-text":      func(r *memory.Record) { r.Content = "a\xffb" },
		"memory-not-canonical": func(r *memory.Record) { r.Metadata = map[string]any{"n": 1e20} },
	} {
		r := record(0)
		change(&r)
		if _, err := pam.EncodeMemory(r); reason(err) != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestLooseRawMembersAreWrittenStrictly: what a provider wrote loosely must not
// make our own file unreadable.
func TestLooseRawMembersAreWrittenStrictly(t *testing.T) {
	c := &memory.Conversation{ID: "c", Provider: memory.Provider{Name: "chatgpt"}, Temporal: memory.ConversationTemporal{CreatedAt: day}, Leaf: "m",
		Messages: []memory.Message{{ID: "m", Role: memory.User, CreatedAt: day, Content: &memory.Content{Type: "text", Text: "?"}, RawMetadata: memory.RawMetadata{
			"twice": json.RawMessage(`{"a":1,"a":12345678901234567890}`), "half": json.RawMessage(`"\ud800!"`)}}}}
	text, err := pam.EncodeConversation(c)
	if err != nil {
		t.Fatal(err)
	}
	if v := validate(t, "c.json", text); !v.Valid || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	for _, want := range []string{`{"a":12345678901234567890}`, `"` + "\ufffd" + `!"`, `"keepsake_active_leaf":"m"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// Promise: a conversation that is given message by message is written as the very bytes
// of EncodeConversation, also where a piece of it is loose, or there is no message; and
// one that cannot be read to its end is not written.
func TestALongConversationIsTheSameDocument(t *testing.T) {
	full, loose, empty := fullConversation(), fullConversation(), fullConversation()
	full.Messages[0].CreatedAt = memory.Time{}
	if err := pam.KeepElsewhere(&full.Messages[0], true, 0, "https://example.com/there"); err != nil {
		t.Fatal(err)
	}
	full.Messages[0].Content.Parts[0].Ref = ""
	loose.Messages[1].RawMetadata["twice"] = json.RawMessage(`{"b":1,"a":1,"a":"\ud800"}`)
	call, names, head := fullConversation(), fullConversation(), fullConversation()
	call.Messages[1].ToolCalls[0].Input = json.RawMessage(`{"b":1,"a":1,"a":2}`)
	names.Messages[1].RawMetadata = memory.RawMetadata{"\xff": json.RawMessage(`1`), "\xfe": json.RawMessage(`2`)}
	head.RawMetadata["twice"] = json.RawMessage(`{"a":1,"a":2}`)
	empty.Messages = nil
	for _, c := range []*memory.Conversation{full, loose, call, names, head, empty} {
		want, err := pam.EncodeConversation(c)
		if err != nil {
			t.Fatal(err)
		}
		bare := *c
		bare.Messages = nil
		long := pam.Talk{Conversation: &bare, Long: each(c.Messages)}
		files := entries(t, bundleOf(t, options(nil), source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{long})}))
		if got := files["conversations/conv-1.json"]; got != string(want) {
			t.Errorf("\n%s, want\n%s", got, want)
		}
	}
	broken := func(yield func(memory.Message, error) bool) {
		for _, m := range full.Messages {
			yield(m, nil)
		}
		yield(memory.Message{}, errors.New("gone"))
	}
	full.Messages = nil
	_, err := pam.WriteZip(io.Discard, source(t, 2), pam.Bundle{Conversations: each([]pam.Talk{{Conversation: full, Long: broken}})}, options(nil))
	if err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("written with an error inside: %v", err)
	}
}
