package core_test

import (
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
)

// Promise (K15): what the person pasted so that Claude made an attachment of it is
// shown with their message and found, and nothing is proposed from it: they may have
// pasted somebody else's words.
func TestField70PastedAttachmentIsShownAndFound(t *testing.T) {
	k := provider(t)
	if err := k.AllowProposing(ctx, true); err != nil {
		t.Fatal(err)
	}
	k.imports(k.file("conversations.json", []byte(`[{"uuid":"c0000000-0000-4000-8000-000000000070","name":"","created_at":"2026-08-01T10:00:00Z","chat_messages":[`+
		`{"uuid":"h1","sender":"human","text":"","content":[],"created_at":"2026-08-01T10:00:00Z","attachments":[{"file_name":"","file_size":34,"file_type":"txt","extracted_content":"I am Ludmila. I have three kids."}],"files":[]},`+
		`{"uuid":"r1","parent_message_uuid":"h1","sender":"assistant","text":"Porto it is.","content":[{"type":"text","text":"Porto it is."}],"created_at":"2026-08-01T10:00:01Z"},`+
		`{"uuid":"h2","parent_message_uuid":"r1","sender":"human","text":"I prefer tabs over spaces.","content":[{"type":"text","text":"I prefer tabs over spaces."}],"created_at":"2026-08-01T10:00:02Z"}]}]`)))
	thread := ok(k.Thread(ctx, importer.ConversationID("claude", "c0000000-0000-4000-8000-000000000070"), "", 0, 10))
	first := thread.Messages[0]
	equal(t, "I am Ludmila. I have three kids.", first.Content.PlainText())
	equal(t, 1, len(first.Attachments))
	equal(t, first.Attachments[0].Ref, first.Content.Parts[0].Ref)
	equal(t, 1, len(k.finds(core.SearchQuery{Text: "Ludmila", In: "messages"})))
	equal(t, []string{"I prefer tabs over spaces."}, k.inbox())
}
