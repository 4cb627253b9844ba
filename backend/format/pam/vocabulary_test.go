package pam_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// newWords is a store of a version, with a word in every vocabulary of it that 1.0
// does not have.
func newWords(t *testing.T, version string) []byte {
	return resummed(edited(t, func(d map[string]any) {
		d["schema_version"] = version
		m := mem(d, 0)
		m["type"], m["status"] = "habit", "paused"
		inner(m, "provenance")["extraction_method"] = "osmosis"
		inner(m, "confidence")["decay_model"] = "time_cubic"
		m["access"] = map[string]any{"visibility": "friends", "exportable": true, "shared_with": []any{
			map[string]any{"entity": "a", "permissions": []any{"read", "share"}}, map[string]any{"entity": "b", "permissions": []any{"share"}},
		}}
		d["relations"].([]any)[0].(map[string]any)["type"] = "inspires"
		d["conversations_index"].([]any)[0].(map[string]any)["storage"] = map[string]any{"type": "ipfs", "ref": "x"}
	}))
}

// strangeWords is how often each of these stands in newWords.
var strangeWords = map[string]int{
	"memory:type": 1, "memory:status": 1, "memory.provenance:extraction_method": 1, "memory.confidence:decay_model": 1, "memory.access:visibility": 1,
	"memory.access.shared_with:permissions": 2, "relation:type": 1, "conversations_index.storage:type": 1,
}

// TestWordsOfANewerVersion (§22.3): a word that 1.0 does not have is no error in a
// document of a newer minor version; it is taken as the nearest that 1.0 has, and
// counted.
func TestWordsOfANewerVersion(t *testing.T) {
	if v := validate(t, "x.json", newWords(t, "1.0")); v.Valid || len(v.Errors) < 8 {
		t.Errorf("in 1.0: %+v", v)
	}
	v := validate(t, "x.json", newWords(t, "1.3"))
	if !v.Valid || len(v.Warnings) < 9 || !has(v.Warnings, "schema") || !has(v.Warnings, "schema-version") {
		t.Errorf("in 1.3: %+v", v)
	}
	unknown, found := map[string]int{}, memory.Record{}
	count := func(names []string) error {
		for _, name := range names {
			unknown[name]++
		}
		return nil
	}
	from := tree(t, "x.json", newWords(t, "1.3"))
	var relation memory.Relation
	_, _, err := pam.Take(t.Context(), from, from.Files()[0], pam.Taker{
		Newer: true,
		Memory: func(m pam.Taken[memory.Record]) error {
			if m.At == "/memories/0" {
				found = m.Value
			}
			return count(m.Unknown)
		},
		Relation: func(r pam.Taken[memory.Relation]) error { relation = r.Value; return count(r.Unknown) },
		Entry:    func(e pam.Taken[pam.IndexEntry]) error { return count(e.Unknown) },
		Bad:      func(_ string, why *fault.Error) error { return why },
	})
	if err != nil || !maps.Equal(unknown, strangeWords) {
		t.Errorf("%v, unknown %v", err, unknown)
	}
	grants := []memory.Grant{{Entity: "a", Permissions: []string{"read"}}}
	if found.Type != memory.Custom || found.CustomType != "habit" || found.Status != memory.Active || found.Provenance.ExtractionMethod != "" ||
		found.Confidence.DecayModel != "" || found.Access.Visibility != "" || len(found.Access.SharedWith) != 1 || !slices.Equal(found.Access.SharedWith[0].Permissions, grants[0].Permissions) {
		t.Errorf("taken as %+v, %+v", found, found.Access)
	}
	if relation.Type != memory.RelatedTo {
		t.Errorf("%+v", relation)
	}
	text, m, err := merge(t, newWords(t, "1.3"), deltaOf(t, 4, func(d doc) { d["memories"] = []any{d.memory(3)} }), true)
	if err != nil || !maps.Equal(m.Unknown, strangeWords) || m.Memories != 4 {
		t.Errorf("merged as %+v, %v", m, err)
	}
	if v := validate(t, "merged.json", text); !v.Valid || has(v.Warnings, "schema") {
		t.Errorf("%+v", v)
	}
}

func TestConversationsOfANewerVersion(t *testing.T) {
	text := func(version string) []byte {
		return []byte(strings.Replace(conversationHead, `"schema_version":"1.0"`, `"schema_version":"`+version+`"`, 1) + `"participants":[{"role":"judge"},{"role":"user"}],"messages":[
			{"id":"a","role":"developer","created_at":"2026-01-01T00:00:00Z","content":{"type":"rich","parts":[{"type":"hologram","text":"hi"},{"type":"hologram"}]},"attachments":[{"type":"sculpture","name":"x"}]},
			{"id":"b","role":"user","created_at":"2026-01-01T00:00:00Z","content":{"type":"rich","text":"hi"},"raw_metadata":{"n":12345678901234567890}}]}`)
	}
	if v := validate(t, "c.json", text("1.0")); v.Valid {
		t.Errorf("%+v", v)
	}
	if v := validate(t, "c.json", text("1.4")); !v.Valid || len(v.Warnings) != 8 {
		t.Errorf("%+v", v)
	}
	c, _, unknown, err := takenConversation(t, string(text("1.4")))
	if err != nil || len(unknown) != 7 {
		t.Fatalf("%v, %v", unknown, err)
	}
	m := c.Messages[0]
	if len(c.Participants) != 1 || m.Role != memory.System || m.Content.Type != "multipart" || m.Content.Parts[0].Type != "text" || m.Content.Parts[1].Type != "file" ||
		m.Attachments[0].Type != "file" || c.Messages[1].Content.Type != "text" || string(c.Messages[1].RawMetadata["n"]) != "12345678901234567890" {
		t.Errorf("%s", must(json.Marshal(c)))
	}
}

// Promise: a conversation that says behind its messages of which version it is reads as
// one that says it before.
func TestAVersionBehindTheMessages(t *testing.T) {
	const said, messages = `"schema_version":"1.4",`, `"messages":[{"id":"a","mood":"x","role":"developer","created_at":"2026-01-01T00:00:00Z"},{"id":"b","role":"user","created_at":"2026-01-01T00:00:00Z"}]`
	before := strings.Replace(conversationHead, `"schema_version":"1.0",`, said, 1) + messages + `}`
	behind := strings.Replace(conversationHead, `"schema_version":"1.0",`, "", 1) + messages + `,` + strings.TrimSuffix(said, ",") + `}`
	if !strings.Contains(before, said) || strings.Contains(behind, `"1.0"`) {
		t.Fatal(before, behind)
	}
	want, head, unknown, err := takenConversation(t, before)
	if err != nil || len(want.Messages) != 2 || want.Messages[0].Role != memory.System {
		t.Fatalf("%+v, %v", want, err)
	}
	got, otherHead, others, err := takenConversation(t, behind)
	if err != nil || !reflect.DeepEqual(got, want) || head != otherHead || !slices.Equal(unknown, others) {
		t.Errorf("%+v, %v, %v, %v, want %+v, %v, %v", got, otherHead, others, err, want, head, unknown)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
