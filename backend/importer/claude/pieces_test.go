package claude_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer/claude"
	. "keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
)

// spread is an export whose conversations come in pieces.
func spread(f Fixture) Fixture {
	f.Files = slices.Clone(f.Files)
	for i, file := range f.Files {
		for _, list := range []string{"chat_messages", "messages"} {
			file.Data = gen.Spread(file.Name, file.Data, list)
		}
		f.Files[i] = file
	}
	return f
}

// asLong holds that an export says the same where its conversations come in pieces.
func asLong(t *testing.T, f Fixture) (short, long *Recording) {
	t.Helper()
	short, long = Read(t, claude.Importer{}, f.Tree(t)), Read(t, claude.Importer{}, spread(f).Tree(t))
	told := func(r *Recording) string {
		text, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if d := cmp.Diff(told(short), told(long)); d != "" {
		t.Error(d)
	}
	return short, long
}

// TestALongConversationIsReadAsAnyOther: one that comes in pieces says the same, in
// each layout.
func TestALongConversationIsReadAsAnyOther(t *testing.T) {
	for _, f := range own() {
		t.Run(f.Name, func(t *testing.T) { asLong(t, f) })
	}
	a, b, c, d := said("a", root, "human", "first"), said("b", "a", "assistant", "second"), said("c", "b", "human", "third"), said("d", "c", "assistant", "fourth")
	element := func(before string, messages ...string) string {
		return `[{` + before + `,"created_at":"2026-05-01T10:00:00Z","chat_messages":[` + strings.Join(messages, ",") + `],"updated_at":"2026-05-02T10:00:00Z"}]`
	}
	for name, text := range map[string]string{
		"no id":                       element(`"name":"n"`, a, b, c, d),
		"the first name of the list":  strings.Replace(element(`"uuid":"c"`, a, b, c), "chat_messages", "messages", 1),
		"two lists":                   element(`"uuid":"c","messages":[`+a+`,`+b+`,`+c+`]`, a, b, d),
		"messages that are none":      element(`"uuid":"c"`, a, `"text"`, b, `[1]`, c, `null`, d),
		"no Unicode":                  element(`"uuid":"c"`, a, strings.Replace(b, "second", "\xff"+`\ud83d`, 1), c),
		"a name that stands twice":    element(`"uuid":"c"`, a, strings.Replace(b, "{", `{"model":"x","model":"y",`, 1), c),
		"ids that stand twice":        element(`"uuid":"c"`, a, b, b, c, c),
		"messages in an object":       strings.NewReplacer("[{\"uuid\":\"a\"", `{"x":{"uuid":"a"`, "],\"up", `},"up`).Replace(element(`"uuid":"c"`, a, `"y":1`)),
		"messages that are no list":   `[{"uuid":"c","name":"n","chat_messages":"` + strings.Repeat("x", 17<<20) + `"}]`,
		"messages without each other": element(`"uuid":"c"`, said("a", "-", "human", "1"), said("b", "-", "assistant", "2"), said("c", "-", "human", "3")),
	} {
		t.Run(name, func(t *testing.T) { asLong(t, Loose("conversations.json", text)) })
	}
	for name, batches := range map[string][2][]string{"the first is richer": {{a, b, c, d}, {a, b, c}}, "the second is richer": {{a, b, c}, {a, b, c, d}}} {
		t.Run(name, func(t *testing.T) {
			f := Fixture{Name: name}
			for i, messages := range batches {
				f.Files = append(f.Files, gen.File{Name: fmt.Sprintf("data-2026-05-01-10-00-00-batch-000%d.zip", i), Data: gen.Zip([]gen.File{
					{Name: "users.json", Data: []byte(usersJSON)}, {Name: "conversations.json", Data: []byte(element(fmt.Sprintf(`"uuid":"c","name":"%s"`, strings.Repeat("x", 5000/len(messages))), messages...))}})})
			}
			if _, long := asLong(t, f); len(long.Conversations) != 1 || len(long.Conversations[0].Messages) != 4 {
				t.Errorf("%d conversations, not the richer one", len(long.Conversations))
			}
		})
	}
}

// TestAPublishedPageIsPartOfALongConversation: the sum tells whether it lies beside it,
// also where only a later piece names it.
func TestAPublishedPageIsPartOfALongConversation(t *testing.T) {
	text := strings.Replace(artifactTalk, `"chat_messages":[`, `"chat_messages":[`+said("q", root, "human", "a clock")+","+said("r", "q", "human", "now")+",", 1)
	without := zipped("without", map[string]string{"conversations.json": text, "artifacts/a2/page.md": "# Lost"})
	with := zipped("with", map[string]string{"conversations.json": text, "artifacts/a1/versions/v1.html": "<h1>Clock</h1>"})
	_, a := asLong(t, without)
	_, b := asLong(t, with)
	if len(b.Attachments) != 1 || a.Conversations[0].Sum == b.Conversations[0].Sum {
		t.Errorf("%d attachments, and the sum is the same: %v", len(b.Attachments), a.Conversations[0].Sum == b.Conversations[0].Sum)
	}
}

// TestTheTextOfALongConversationIsLetGoOf: of the 17 MiB that stand between its messages
// less and less is held while they are translated, and nothing once they are.
func TestTheTextOfALongConversationIsLetGoOf(t *testing.T) {
	var messages []string
	for i := range 20 {
		m := said(fmt.Sprint(i), root, "nobody", "said")
		messages = append(messages, strings.Replace(m, "{", `{"more":{"kept":[]},`, 1))
	}
	short := Loose("conversations.json", `[{"uuid":"c","name":"n","chat_messages":[`+strings.Join(messages, ",")+`]}]`)
	long := spread(short)
	weigh := func(f Fixture) *Weighing {
		w := &Weighing{Sink: (&Recording{}).Sink()}
		if err := (claude.Importer{}).Read(t.Context(), f.Tree(t), w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	without, with := weigh(short), weigh(long)
	if more := with.Whole - without.Whole; more > 2<<20 {
		t.Errorf("%d KiB more are in use than without white space", more>>10)
	}
	if n := len(with.Each); n != 20 || with.Each[0]-with.Each[n-1] < 12<<20 {
		t.Errorf("in use with each message: %v", with.Each)
	}
	runtime.KeepAlive(long)
}
