package chatgpt_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/memory"
)

func nameOf(era gen.Era) string {
	if era == gen.Loose {
		return "ChatGPT-chat.json"
	}
	return "export.zip"
}

// TestEveryEraIsReadWhole: what was planted in each layout comes out of it:
// every node, the active path, every memory, every file.
func TestEveryEraIsReadWhole(t *testing.T) {
	for _, era := range gen.Eras() {
		t.Run(string(era), func(t *testing.T) {
			data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 7, Era: era, Conversations: 11, ShardSize: 4})
			c := read(t, nameOf(era), data)
			if len(c.problems) > 0 || !maps.Equal(c.unknown, truth.Unread) || others(c) != truth.Others {
				t.Errorf("problems %v, unknown %v, skipped %v", c.problems, c.unknown, c.skipped)
			}
			checkTalks(t, c, truth)
			want := truth.Contents()
			got := c.contents()
			slices.Sort(want)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("memories: %s", d)
			}
			if len(c.files) != truth.Attachments || len(c.missing) != truth.Missing {
				t.Errorf("%d files, %d missing; planted %d and %d", len(c.files), len(c.missing), truth.Attachments, truth.Missing)
			}
			if n := remarked(c); n != truth.Remarks {
				t.Errorf("%d ratings and links, planted %d", n, truth.Remarks)
			}
			if forgotten := forgotten(c); !slices.Equal(forgotten, truth.Forgotten) {
				t.Errorf("forgotten %v, planted %v", forgotten, truth.Forgotten)
			}
		})
	}
}

// others is how many files nothing was read of; -1 where something else was left out, too.
func others(c *collector) int {
	if n := c.skipped["other-file"]; len(c.skipped) == 0 || len(c.skipped) == 1 && n > 0 {
		return n
	}
	return -1
}

// remarked counts the conversations and messages that something is said of.
func remarked(c *collector) int {
	n := 0
	count := func(raw memory.RawMetadata) {
		for _, list := range []string{"message_feedback", "model_comparisons", "shared_conversations"} {
			if raw[list] != nil {
				n++
			}
		}
	}
	for _, d := range c.conversations {
		count(d.RawMetadata)
		for _, m := range d.Messages {
			count(m.RawMetadata)
		}
	}
	return n
}

func forgotten(c *collector) []string {
	var all []string
	for _, r := range c.retractions {
		if !slices.Contains(all, r.Text) {
			all = append(all, r.Text)
		}
	}
	return all
}

func checkTalks(t *testing.T, c *collector, truth gen.Truth) {
	t.Helper()
	if len(c.conversations) != len(truth.Conversations) {
		t.Fatalf("%d conversations, planted %d", len(c.conversations), len(truth.Conversations))
	}
	for i, plan := range truth.Conversations {
		d := c.conversations[i]
		if d.Provider.ConversationID != plan.ID || d.Title != plan.Title || len(d.Messages) != plan.Messages || d.Leaf != plan.Leaf {
			t.Errorf("conversation %d: %s %q, %d messages, leaf %s; planted %+v", i, d.Provider.ConversationID, d.Title, len(d.Messages), d.Leaf, plan)
		}
		var path, said []string
		for _, m := range d.ActivePath() {
			path = append(path, m.ID)
			if m.Role == memory.User && m.RawMetadata["keepsake_hidden"] == nil {
				said = append(said, m.Content.PlainText())
			}
		}
		if !slices.Equal(path, plan.Path) {
			t.Errorf("conversation %d: path %v, planted %v", i, path, plan.Path)
		}
		if d := cmp.Diff(plan.Said, said); d != "" {
			t.Errorf("conversation %d: said %s", i, d)
		}
		checkGraph(t, d)
	}
}

// checkGraph holds what the deep checks of PAM ask of every companion file:
// links lead to messages, both ways, and there is no cycle.
func checkGraph(t testing.TB, d importer.ConversationDraft) {
	t.Helper()
	byID := map[string]memory.Message{}
	for _, m := range d.Messages {
		if m.ID == "" || byID[m.ID].ID != "" {
			t.Fatalf("id %q is empty or not unique", m.ID)
		}
		byID[m.ID] = m
		// Parents stand before their children: with unique ids, no cycle.
		if _, ok := byID[m.ParentID]; m.ParentID != "" && !ok {
			t.Fatalf("message %q stands before its parent %q", m.ID, m.ParentID)
		}
	}
	for _, m := range d.Messages {
		for _, child := range m.ChildrenIDs {
			if byID[child].ParentID != m.ID {
				t.Fatalf("%q lists %q, whose parent is %q", m.ID, child, byID[child].ParentID)
			}
		}
		if m.ParentID != "" && !slices.Contains(byID[m.ParentID].ChildrenIDs, m.ID) {
			t.Fatalf("%q does not list its child %q", m.ParentID, m.ID)
		}
	}
	if _, ok := byID[d.Leaf]; !ok && len(d.Messages) > 0 {
		t.Fatalf("leaf %q is no message", d.Leaf)
	}
}

func TestFormatsAreNamed(t *testing.T) {
	for _, era := range gen.Eras() {
		data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Era: era})
		m, err := chatgpt.Importer{}.Sniff(context.Background(), open(t, nameOf(era), data))
		want := string(era)
		if era == gen.Object {
			want = "single"
		}
		if err != nil || m.Format != want || m.Certainty != importer.Certain {
			t.Errorf("%s: %+v %v", era, m, err)
		}
		if era != gen.Loose && era != gen.Portal && !slices.Equal(m.Accounts, []string{truth.Account}) {
			t.Errorf("%s: accounts %v", era, m.Accounts)
		}
	}
}

// TestImportingTwiceReadsNothing: the second time every conversation is known.
func TestImportingTwiceReadsNothing(t *testing.T) {
	data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 3, Era: gen.Sharded, ShardSize: 2})
	c := read(t, "export.zip", data)
	before := len(c.order)
	readInto(t, c, "export.zip", data)
	if c.unchanged != len(truth.Conversations) || len(c.order) != before {
		t.Errorf("%d unchanged of %d, %d drafts more", c.unchanged, len(truth.Conversations), len(c.order)-before)
	}
}

// TestANewerExportUpdates: every conversation grew by a turn and one is new;
// ids of conversations and messages are the ones from before.
func TestANewerExportUpdates(t *testing.T) {
	o := gen.ChatGPTOptions{Seed: 3, Era: gen.Single}
	data, older := gen.ChatGPT(o)
	c := read(t, "export.zip", data)
	o.Later = true
	data, newer := gen.ChatGPT(o)
	readInto(t, c, "export.zip", data)
	n := len(older.Conversations)
	if len(newer.Conversations) != n+1 || len(c.conversations) != 2*n+1 {
		t.Fatalf("%d conversations", len(c.conversations))
	}
	for i := range n {
		before, after := c.conversations[i], c.conversations[n+i]
		if before.ID != after.ID || len(after.Messages) != len(before.Messages)+2 {
			t.Errorf("conversation %d: %s with %d messages became %s with %d", i, before.ID, len(before.Messages), after.ID, len(after.Messages))
		}
	}
}

// TestCase02ListedShardIsMissing: case 2 of the list, in the plan and in the report.
func TestCase02ListedShardIsMissing(t *testing.T) {
	data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 3, Era: gen.Sharded, ShardSize: 2, DropShard: 2})
	tree := open(t, "export.zip", data)
	m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
	if err != nil || !slices.Equal(m.Missing, []string{"conversations-001.json"}) {
		t.Errorf("plan: %+v %v", m, err)
	}
	c := read(t, "export.zip", data)
	if len(c.conversations) != 4 || len(c.problems) != 1 || c.problems[0].Fault.Reason != "shard-missing" {
		t.Errorf("%d conversations, problems %v", len(c.conversations), c.problems)
	}
}

// TestCase01FiftyShardsInOrder: shards are read by number, not by name.
func TestCase01FiftyShardsInOrder(t *testing.T) {
	data, truth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 3, Era: gen.Sharded, Conversations: 57, ShardSize: 1, Turns: 1, Bare: true})
	c := read(t, "export.zip", data)
	checkTalks(t, c, truth)
}

// TestCase21ZipsInsideAZip: the answer to a data request holds archives, one of
// them another; a third level is refused by name and stops nothing.
func TestCase21ZipsInsideAZip(t *testing.T) {
	files, truth := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 9, Era: gen.Portal})
	c := read(t, "chatgpt_archive.zip", gen.Zip(files))
	checkTalks(t, c, truth)
	if len(c.files) != truth.Attachments || truth.Attachments == 0 {
		t.Errorf("%d files of %d", len(c.files), truth.Attachments)
	}
	deep := gen.Zip([]gen.File{{Name: "conversations.json", Data: []byte("[" + talkJSON("null", nodeJSON("x", "", "deep", at0)) + "]")}})
	for i := range 3 {
		deep = gen.Zip([]gen.File{{Name: fmt.Sprintf("Conversations__%d-chatgpt-0001.zip", i), Data: deep}})
	}
	again := read(t, "chatgpt_archive.zip", gen.Zip(append(files, gen.File{Name: "Files_deep-files-0009.zip", Data: deep})))
	checkTalks(t, again, truth)
	if len(again.problems) != 1 || again.problems[0].Fault.Reason != "zip-too-deep" {
		t.Errorf("problems %+v", again.problems)
	}
}

// TestProgressNeverRunsBackOrOver, also through nested zips.
func TestProgressNeverRunsBackOrOver(t *testing.T) {
	for _, era := range []gen.Era{gen.Sharded, gen.Portal} {
		data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 3, Era: era, Conversations: 30, ShardSize: 3})
		c := read(t, "export.zip", data)
		if !slices.IsSorted(c.progress) || c.progress[len(c.progress)-1] != int64(len(data)) {
			t.Errorf("%s: %v of %d", era, c.progress, len(data))
		}
	}
}

// TestAnotherFolderAround: a person unpacked the export and zipped it again.
func TestAnotherFolderAround(t *testing.T) {
	files, truth := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 9, Era: gen.Assets})
	for i := range files {
		files[i].Name = "my export/" + files[i].Name
	}
	files = append(files, gen.File{Name: "__MACOSX/my export/._conversations-000.json", Data: []byte("x")})
	c := read(t, "again.zip", gen.Zip(files))
	checkTalks(t, c, truth)
	if len(c.files) != truth.Attachments {
		t.Errorf("%d files of %d", len(c.files), truth.Attachments)
	}
}

// TestOthersAreNotTaken: what is not ChatGPT's is nobody's guess.
func TestOthersAreNotTaken(t *testing.T) {
	for name, json := range map[string]string{
		"DeepSeek":    `[{"id":"1","title":"t","inserted_at":"2025-01-01T00:00:00+08:00","updated_at":"2025-01-01T00:00:00+08:00","mapping":{"root":{"id":"root","parent":null,"children":[],"message":null}}}]`,
		"Claude":      `[{"uuid":"1","name":"n","created_at":"2025-01-01T00:00:00Z","chat_messages":[]}]`,
		"empty array": `[]`,
		"other":       `{"a":1}`,
		"number":      `17`,
	} {
		tree := open(t, "export.zip", gen.Zip([]gen.File{{Name: "conversations.json", Data: []byte(json)}}))
		m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
		if err != nil || m.Certainty != importer.None {
			t.Errorf("%s: %+v %v", name, m, err)
		}
	}
	m, err := chatgpt.Importer{}.Sniff(context.Background(), open(t, "note.txt", []byte(strings.Repeat("words ", 100))))
	if err != nil || m.Certainty != importer.None {
		t.Errorf("text: %+v %v", m, err)
	}
}
