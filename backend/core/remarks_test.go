package core_test

import (
	"encoding/json"
	"slices"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer/importertest/gen"
)

// Promise: what the person thought of an answer stands with it, the last time they
// said so, and the links of a conversation are named.
func TestRatingsAndSharedLinks(t *testing.T) {
	files, truth := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 3, Era: gen.Sharded})
	talk := truth.Conversations[0]
	row := func(rating, content string) map[string]string {
		return map[string]string{"id": talk.Leaf, "conversation_id": talk.ID, "rating": rating, "content": content}
	}
	for _, c := range []struct {
		rows []map[string]string
		want *core.Rating
	}{
		{[]map[string]string{row("thumbsUp", "{}")}, &core.Rating{Good: true}},
		{[]map[string]string{row("thumbsUp", "{}"), row("thumbs_down", `{"text":"Wrong year","tags":["false"]}`)}, &core.Rating{Words: "Wrong year · false"}},
		{[]map[string]string{row("thumbsDown", "not JSON")}, &core.Rating{}},
		{[]map[string]string{row("shrug", "{}")}, nil},
	} {
		all := append(slices.Clone(files), gen.File{Name: "message_feedback.json", Data: ok(json.Marshal(c.rows))})
		k := provider(t)
		k.imports(k.file("export.zip", gen.Zip(all)))
		for _, head := range ok(k.Conversations(ctx, core.ConversationQuery{})).Items {
			thread := ok(k.Thread(ctx, head.ID, "", 0, 500))
			if is := head.NativeID == talk.ID; is != slices.Equal(thread.Shared, []string{"https://chatgpt.com/share/share-1"}) {
				t.Errorf("%s is shared at %v", head.Title, thread.Shared)
			}
			for _, m := range thread.Messages {
				want := c.want
				if head.NativeID != talk.ID || m.ID != talk.Leaf {
					want = nil
				}
				if (m.Rating == nil) != (want == nil) || want != nil && *m.Rating != *want {
					t.Errorf("%s of %s is rated %+v, want %+v", m.ID, head.Title, m.Rating, want)
				}
			}
		}
	}
}
