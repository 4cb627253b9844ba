package librechat_test

import (
	"fmt"
	"strings"
	"testing"

	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/librechat"
)

// TestSuite holds the reader to what all readers promise.
func TestSuite(t *testing.T) { RunLayers(t, librechat.Importer{}, CutJSON, gen.LibreChat()) }

// TestManyQuestions: each answer comes right below its question, however many questions
// there are.
func TestManyQuestions(t *testing.T) {
	const all = 200_000 // quadratic work would take minutes
	var list []string
	for i := range all {
		list = append(list, fmt.Sprintf(`{"messageId":"q%d","isCreatedByUser":true,"text":"x","children":[{"messageId":"a%d","text":"y"},{"messageId":"b%d","text":"z"}]}`, i, i, i))
	}
	r := Read(t, librechat.Importer{}, Loose("chat.json", `{"conversationId":"c","exportAt":"x","messages":[`+strings.Join(list, ",")+"]}").Tree(t))
	if len(r.Conversations) != 1 || len(r.Conversations[0].Messages) != 3*all {
		t.Fatalf("%d conversations", len(r.Conversations))
	}
	for i, m := range r.Conversations[0].Messages {
		if want := fmt.Sprint([]string{"q", "a", "b"}[i%3], i/3); m.ID != want {
			t.Fatalf("message %d is %s, want %s", i, m.ID, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range gen.LibreChat() {
		f.Add(l.Files[0].Data)
	}
	FuzzReader(f, librechat.Importer{}, "chat.json")
}
