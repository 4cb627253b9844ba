package chatgpt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// bioJSON is a write to the tool bio inside a conversation.
func bioJSON(conversation string, at float64, said string) string {
	return fmt.Sprintf(`{"id":%q,"title":"T","create_time":%v,"update_time":%v,"mapping":{"m-%s":{"id":"m-%s","parent":null,"message":
		{"id":"m-%s","author":{"role":"assistant"},"recipient":"bio","create_time":%v,"content":{"content_type":"text","parts":[%q]},"metadata":{}}}}}`,
		conversation, at-60, at, conversation, conversation, conversation, at, said)
}

func readAll(t *testing.T, talks ...string) *collector {
	t.Helper()
	return read(t, "conversations.json", []byte("["+strings.Join(talks, ",")+"]"))
}

// TestBioWrites: text and code forms, several lines, commentary channel; each
// line is a memory with its exact time and message.
func TestBioWrites(t *testing.T) {
	for name, c := range map[string]struct{ content, more string }{
		"text":       {`{"content_type":"text","parts":["User prefers metric units.\n- Has a dog named Bruno.\n\n2. Lives in Porto."]}`, ""},
		"code":       {`{"content_type":"code","language":"unknown","text":"User prefers metric units.\nHas a dog named Bruno.\nLives in Porto."}`, ""},
		"commentary": {`{"content_type":"text","parts":["User prefers metric units.","Has a dog named Bruno.","Lives in Porto."]}`, `,"channel":"commentary"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := say(t, asAssistant, c.content, `{"model_slug":"gpt-4o"}`, `,"recipient":"bio"`+c.more)
			want := []importer.MemoryDraft{
				{SourceKey: "bio:m:0", Content: "User prefers metric units.", Type: memory.Preference},
				{SourceKey: "bio:m:1", Content: "Has a dog named Bruno.", Type: memory.Relationship},
				{SourceKey: "bio:m:2", Content: "Lives in Porto.", Type: memory.Fact},
			}
			for i := range want {
				want[i].Method, want[i].Confidence, want[i].Decay = memory.APIExport, 0.8, importer.DecayOf(want[i].Type)
				want[i].ConversationID, want[i].MessageID = importer.ConversationID("chatgpt", "c-1"), "m"
				want[i].CreatedAt = memory.FromUnix(1719800001.5)
			}
			if d := cmp.Diff(want, got.memories); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestOnlyTheAssistantWritesMemories: what a person or a tool says to "bio" is
// no memory, and the tool's answer is none.
func TestOnlyTheAssistantWritesMemories(t *testing.T) {
	for _, author := range []string{asUser, `{"role":"tool","name":"bio"}`, `{"role":"system"}`} {
		c, _ := say(t, author, `{"content_type":"text","parts":["Lives in Porto."]}`, "{}", `,"recipient":"bio"`)
		if len(c.memories) != 0 {
			t.Errorf("%s: %v", author, c.memories)
		}
	}
}

// TestCase13RepeatedFactAndForget: case 13, the same content under keys of its own
// each time, then the removal.
func TestCase13RepeatedFactAndForget(t *testing.T) {
	var talks []string
	for i := range 5 {
		talks = append(talks, bioJSON(fmt.Sprint("c", i), at0+float64(i*1000), "User likes green tea."))
	}
	talks = append(talks, bioJSON("c9", at0+90000, "Forget that the user likes green tea."))
	for _, order := range [][]string{talks, reversed(talks)} {
		c := readAll(t, order...)
		keys := map[string]bool{}
		for _, m := range c.memories {
			keys[m.SourceKey] = m.Content == "User likes green tea."
		}
		if len(keys) != 5 || len(c.contents()) != 1 {
			t.Errorf("memories %v", c.memories)
		}
		if len(c.retractions) != 1 || c.retractions[0].Text != "the user likes green tea." || c.retractions[0].MessageID != "m-c9" ||
			c.retractions[0].At != memory.FromUnix(at0+90000) {
			t.Errorf("retractions %+v", c.retractions)
		}
	}
}

func reversed(all []string) []string {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

func TestWhatARemovalLooksLike(t *testing.T) {
	for said, want := range map[string]string{
		"Forget that the user lives in Lisbon.": "the user lives in Lisbon.", "forget: lives in Lisbon": "lives in Lisbon",
		"Please forget about the dog.": "the dog.", `Forget "Likes tea."`: "Likes tea.",
		"Remove the memory that user has a car.": "user has a car.", "Delete this fact: has a car": "has a car",
		"User asked to forget that they smoke.": "they smoke.", "Esqueça que mora no Porto.": "mora no Porto.",
		"Forgetful since childhood.": "", "Removes sugar from recipes.": "", "User will never forget Paris.": "", "Delete key is broken.": "",
	} {
		c := readAll(t, bioJSON("c", at0, said))
		got := ""
		if len(c.retractions) == 1 {
			got = c.retractions[0].Text
		}
		if got != want || (want == "") != (len(c.memories) == 1) {
			t.Errorf("%q: removal %q, memories %v", said, got, c.memories)
		}
	}
}

func snapshotJSON(conversation string, at float64, set string) string {
	return fmt.Sprintf(`{"id":%q,"title":"T","create_time":%v,"mapping":{"s":{"id":"s","parent":null,"message":
		{"id":"s","author":{"role":"system"},"create_time":null,"weight":0,"content":{"content_type":"model_editable_context","model_set_context":%q,"repository":null}}}}}`,
		conversation, at, set)
}

// TestCase14Snapshots: case 14, mostly empty, differing over time; numbered lines
// with a day; the newest is surest, a line is sent once and again when last seen.
func TestCase14Snapshots(t *testing.T) {
	newest := "1. [2024-05-01]. Lives in Lisbon.\n2. [2024-05-03]. Prefers lists:\n1. short\n2. plain\n\n# Notes\nnot a memory"
	older := "1. [2024-05-01]. Lives in Lisbon.\n2. [2024-04-01]. Has a cat."
	c := readAll(t, snapshotJSON("new", at0+9000, newest), snapshotJSON("none", at0+5000, ""), snapshotJSON("old", at0, older))
	type row struct {
		Content, Day string
		Sure         float64
	}
	var got []row
	for _, m := range c.memories {
		got = append(got, row{m.Content, m.CreatedAt.String(), m.Confidence})
	}
	want := []row{
		{"Lives in Lisbon.", "2024-05-01T00:00:00Z", 0.95}, {"Prefers lists:\n1. short\n2. plain", "2024-05-03T00:00:00Z", 0.95},
		{"Has a cat.", "2024-04-01T00:00:00Z", 0.8},
		{"Lives in Lisbon.", memory.FromUnix(at0).String(), 0.8}, // seen first
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c.memories[0].SourceKey == c.memories[3].SourceKey || c.memories[0].Metadata["keepsake_created_at"] != "day" {
		t.Errorf("keys %q and %q, metadata %v", c.memories[0].SourceKey, c.memories[3].SourceKey, c.memories[0].Metadata)
	}
}

func TestSnapshotWithoutDays(t *testing.T) {
	c := readAll(t, snapshotJSON("c", at0, "1. Lives in Lisbon.\r\n2. Has a cat\r\nnamed Ada."), snapshotJSON("d", at0, "no list at all"))
	if got := c.contents(); !slices.Equal(got, []string{"Lives in Lisbon.", "Has a cat\nnamed Ada."}) {
		t.Errorf("memories %q", got)
	}
	if m := c.memories[0]; m.CreatedAt != memory.FromUnix(at0) || m.Metadata["keepsake_created_at"] != "conversation" {
		t.Errorf("time %v from %v", m.CreatedAt, m.Metadata)
	}
}

const (
	fencedProfile = "The user provided the following information about themselves. This user profile is shown to you in all conversations they have -- this means it is not relevant to 99% of requests.\nBefore answering, quietly think about whether the user's request is related.\nUser profile:\n```Preferred name: Ana\nRole: \nOther Information: I live in Porto.\nI cycle to work.\n```"
	fencedWishes  = "The user provided the additional info about how they would like you to respond:\n```Be brief.\nNever use ```tables```.```"
)

func instructionsJSON(conversation string, at float64, profile, wishes string) string {
	return fmt.Sprintf(`{"id":%q,"title":"T","create_time":%v,"mapping":{"i":{"id":"i","parent":null,"message":
		{"id":"i","author":{"role":"user"},"create_time":null,"weight":0,"content":{"content_type":"user_editable_context","user_profile":%q,"user_instructions":%q},
		"metadata":{"is_user_system_message":true,"user_context_message_data":{"about_user_message":"I live in Porto.\nI cycle to work.","about_model_message":"Be brief.\nNever use `+"```tables```"+`."}}}}}}`,
		conversation, at, profile, wishes)
}

// TestCase15CustomInstructions: case 15, preamble and fence stripped, the two places
// that hold them are one, hundreds of conversations too.
func TestCase15CustomInstructions(t *testing.T) {
	var talks []string
	for i := range 300 {
		talks = append(talks, instructionsJSON(fmt.Sprint("c", i), at0-float64(i*1000), fencedProfile, fencedWishes))
	}
	c := readAll(t, talks...)
	want := map[string]memory.Type{
		"Preferred name: Ana": memory.Identity, "I live in Porto.\nI cycle to work.": memory.Fact, "Be brief.\nNever use ```tables```.": memory.Instruction,
	}
	got := map[string]memory.Type{}
	for _, m := range c.memories {
		got[m.Content] = m.Type
		if m.Method != memory.ExplicitUserInput || m.Confidence != 0.95 {
			t.Errorf("%+v", m)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(c.memories) != 6 { // each when first sent, and where it stood first
		t.Errorf("%d drafts for three memories", len(c.memories))
	}
	if last := c.memories[5]; last.CreatedAt != memory.FromUnix(at0-299*1000) || last.ConversationID != importer.ConversationID("chatgpt", "c299") {
		t.Errorf("first seen %v in %s", last.CreatedAt, last.ConversationID)
	}
}

// TestCase16DoNotRemember: case 16, the conversation is kept, its memories are not.
func TestCase16DoNotRemember(t *testing.T) {
	json := strings.Replace(bioJSON("c", at0, "Lives in Porto.\nForget that I smoke."), `"title"`, `"is_do_not_remember":true,"title"`, 1)
	c := readAll(t, json)
	if len(c.conversations) != 1 || len(c.memories) != 0 || len(c.retractions) != 0 || c.skipped["do-not-remember"] != 2 {
		t.Errorf("memories %v, skipped %v", c.memories, c.skipped)
	}
	if string(c.conversations[0].RawMetadata["is_do_not_remember"]) != "true" {
		t.Error("the wish is not kept with the conversation")
	}
}

// TestAccountOfAMemory: account data never becomes a memory.
func TestAccountOfAMemory(t *testing.T) {
	c := read(t, "export.zip", zipOf("conversations.json", "["+bioJSON("c", at0, "Lives in Porto.")+"]",
		"user.json", `{"id":"user-1","email":"a@example.com","phone_number":"+1","chatgpt_plus_user":true}`))
	if len(c.memories) != 1 || c.memories[0].PlatformUserID != "user-1" || c.conversations[0].Provider.AccountID != "user-1" {
		t.Errorf("memories %+v", c.memories)
	}
}
