package core_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"keepsake/backend/core"
)

// undated is an export of Claude with three conversations: one of which nothing has a
// time, one that only says when it was last changed, and one with times.
const undated = `[{"uuid":"c0000000-0000-4000-8000-000000000001","name":"Undated","chat_messages":[{"uuid":"a","sender":"human","text":"When is it?"},{"uuid":"b","parent_message_uuid":"a","sender":"assistant","text":"I cannot know."}]},` +
	`{"uuid":"c0000000-0000-4000-8000-000000000002","name":"Changed","updated_at":"2031-01-02T03:04:05Z","chat_messages":[{"uuid":"c","sender":"human","text":"And now?"}]},` +
	`{"uuid":"c0000000-0000-4000-8000-000000000003","name":"Dated","created_at":"2025-05-01T10:00:00Z","chat_messages":[{"uuid":"d","sender":"human","text":"Now?","created_at":"2025-05-01T10:00:00Z"}]}]`

// Promise (K10): a time that no export gave stays unknown: shown as none, last in either
// order, in no range of dates, and marked in what leaves; a time that is known is used.
func TestUnknownTimesStayUnknown(t *testing.T) {
	k := provider(t)
	k.imports(k.file("conversations.json", []byte(undated)))
	titles := func(q core.ConversationQuery) (titles []string) {
		t.Helper()
		for _, h := range ok(k.Conversations(ctx, q)).Items {
			titles = append(titles, h.Title)
		}
		return titles
	}
	look := func() {
		t.Helper()
		for _, sort := range []string{"created", "updated", ""} {
			want := []string{"Dated", "Changed", "Undated"}
			if sort == "" {
				want = []string{"Changed", "Dated", "Undated"}
			}
			equal(t, want, titles(core.ConversationQuery{Sort: sort}))
		}
		equal(t, []string{"Changed", "Dated", "Undated"}, titles(core.ConversationQuery{Sort: "-created"}))
		equal(t, []string{"Changed", "Dated"}, titles(core.ConversationQuery{Since: time.Unix(0, 0)}))
		equal(t, []string{"Changed", "Dated"}, titles(core.ConversationQuery{Until: time.Unix(1<<40, 0)}))
		all := ok(k.Conversations(ctx, core.ConversationQuery{})).Items
		equal(t, []string{"2031-01-02T03:04:05Z", "2025-05-01T10:00:00Z", ""}, []string{all[0].Began().String(), all[1].Began().String(), all[2].Began().String()})
		equal(t, []bool{false, false, true}, []bool{all[0].TimeIsUnknown, all[1].TimeIsUnknown, all[2].TimeIsUnknown})
		equal(t, 1, len(k.finds(core.SearchQuery{Text: "undated"})))
		hits := ok(k.Search(ctx, core.SearchQuery{Text: "undated"})).Hits
		if len(hits) != 1 || !hits[0].CreatedAt.IsZero() {
			t.Errorf("found %+v", hits)
		}
	}
	look()
	k.reopen()
	look()
	k.export("out/", core.ExportOptions{IncludeConversations: true})
	says := 0
	for _, text := range k.companions("out") {
		says += bytes.Count(text, []byte(`"keepsake_time_source":"none"`))
	}
	equal(t, 3, says) // of the conversation and its two messages
	again := fresh(t)
	again.imports(k.root + "/out")
	heads := ok(again.Conversations(ctx, core.ConversationQuery{})).Items
	if i := slices.IndexFunc(heads, func(h core.ConversationHead) bool { return h.TimeIsUnknown }); i < 0 || heads[i].Title != "Undated" {
		t.Errorf("came back as %+v", heads)
	} else if thread := ok(again.Thread(ctx, heads[i].ID, "", 0, 10)); !thread.Messages[0].CreatedAt.IsZero() {
		t.Errorf("the message came back with %s", thread.Messages[0].CreatedAt)
	}
}
