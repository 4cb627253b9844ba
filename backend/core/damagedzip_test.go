package core_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/importer"
)

// spoken is a conversation of ChatGPT in which those words are said.
func spoken(n int, words string) string {
	return fmt.Sprintf(`{"title":"Talk %d","create_time":17000000%02d,"update_time":17000001%02d,"mapping":{`+
		`"root":{"id":"root","message":null,"parent":null,"children":["m"]},`+
		`"m":{"id":"m","message":{"id":"m","author":{"role":"user"},"create_time":1700000000,"content":{"content_type":"text","parts":["%s"]}},"parent":"root","children":[]}},`+
		`"current_node":"m","conversation_id":"00000000-0000-4000-8000-0000000000%02d"}`, n, n, n, words, n)
}

// chats is an export of ChatGPT with such files, stored as they are, or deflated.
func chats(t *testing.T, method uint16, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, text := range append(files, `{"id":"user-1"}`) {
		name := fmt.Sprintf("conversations-%03d.json", i)
		if i == len(files) {
			name = "user.json"
		}
		if _, err := io.WriteString(ok(w.CreateHeader(&zip.FileHeader{Name: name, Method: method})), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (k *kit) said(n int) string {
	k.t.Helper()
	c := k.conversation(importer.ConversationID("chatgpt", fmt.Sprintf("00000000-0000-4000-8000-0000000000%02d", n)))
	return c.Messages[len(c.Messages)-1].Content.Text
}

// TestADamagedZipReplacesNothing: what the vault has stays where a file says other
// words whose checksum is wrong, the rest of the zip arrives, and the good zip mends
// what came from the damaged file and was new.
func TestADamagedZipReplacesNothing(t *testing.T) {
	k := provider(t)
	first, second := "["+spoken(1, "lorem one")+","+spoken(2, "lorem two")+"]", "["+spoken(3, "lorem three")+"]"
	k.imports(k.file("first.zip", chats(t, zip.Store, first, second)))
	whole := chats(t, zip.Store, "["+spoken(1, "lorem one")+","+spoken(2, "lorem two")+","+spoken(4, "lorem four")+"]",
		"["+strings.Replace(spoken(3, "ipsum three"), `"update_time":17`, `"update_time":18`, 1)+"]")
	damaged := k.file("damaged.zip", bytes.ReplaceAll(whole, []byte("lorem"), []byte("LOREM")))

	plan := ok(k.PlanImport(ctx, inputs(damaged), core.ImportOptions{})).Sources[0]
	if plan.Updated != 1 || plan.New != 1 {
		t.Errorf("the plan of the damaged one: %d new, %d updated, %d unchanged", plan.New, plan.Updated, plan.Unchanged)
	}
	r := k.imports(damaged)
	if r.State != "done" && r.State != "partial" || r.Conversations.Updated != 1 || r.Conversations.New != 1 || r.Conversations.Skipped != 2 || r.Ledger[0].Skipped["damaged"] != 2 {
		t.Errorf("the damaged one: %+v", r)
	}
	if len(r.Problems) == 0 || r.Problems[0].Reason != "entry-damaged" {
		t.Errorf("problems: %+v", r.Problems)
	}
	for n, want := range map[int]string{1: "lorem one", 2: "lorem two", 3: "ipsum three", 4: "LOREM four"} {
		if got := k.said(n); got != want {
			t.Errorf("conversation %d: %q, want %q", n, got, want)
		}
	}
	if r = k.imports(k.file("whole.zip", whole)); r.State != "done" || r.Conversations.Updated != 1 || r.Conversations.Unchanged != 3 || k.said(4) != "lorem four" {
		t.Errorf("the good one: %+v, %q", r, k.said(4))
	}
}

// TestTheSameFileIsReadAgainAfterOthersReplacedSomething holds the advice that
// people are given: to import the good file once more.
func TestTheSameFileIsReadAgainAfterOthersReplacedSomething(t *testing.T) {
	k := provider(t)
	good := k.file("good.zip", chats(t, zip.Deflate, "["+spoken(1, "lorem one")+"]"))
	first := k.imports(good)
	k.later(1e9)
	k.imports(k.file("more.zip", chats(t, zip.Deflate, "["+spoken(2, "lorem two")+"]")))
	k.later(1e9)
	if r := k.imports(good); r.Identical != first.ImportID {
		t.Errorf("after an import that only added: %+v", r)
	}
	k.later(1e9)
	k.imports(k.file("other.zip", chats(t, zip.Deflate, "["+spoken(1, "other words")+"]")))
	k.later(1e9)
	if r := k.imports(good); r.Identical != "" || r.Conversations.Updated != 1 || k.said(1) != "lorem one" {
		t.Errorf("after an import that replaced something: %+v, %q", r, k.said(1))
	}
	k.later(1e9)
	if r := k.imports(good); r.Identical == "" {
		t.Error("read once more although nothing came between")
	}
}

// TestDamageOfAZipIsToldFirst: what is wrong with the text comes of it.
func TestDamageOfAZipIsToldFirst(t *testing.T) {
	k := provider(t)
	whole := chats(t, zip.Store, "["+spoken(1, "lorem one")+","+spoken(2, "lorem two")+","+spoken(3, "three")+"]")
	r := k.imports(k.file("a.zip", bytes.Replace(whole, []byte(`"lorem two"`), []byte(`"lorem"two"`), 1)))
	if len(r.Problems) < 2 || r.Problems[0].Reason != "entry-damaged" || r.State != "partial" {
		t.Errorf("a bad item: %+v", r.Problems)
	}
	r = k.imports(k.file("b.zip", bytes.Replace(whole, []byte(`},{"title":"Talk 3"`), []byte(`}x{"title":"Talk 3"`), 1)))
	if len(r.Problems) == 0 || r.Problems[0].Reason != "entry-damaged" {
		t.Errorf("no JSON: %+v", r.Problems)
	}
}

// TestOneConversationThatBreaksOffLosesNoOther: nor does a number that nobody needs.
func TestOneConversationThatBreaksOffLosesNoOther(t *testing.T) {
	k := provider(t)
	half := spoken(2, "lorem two")
	long := strings.Replace(spoken(3, "lorem three"), `{`, `{"big":`+strings.Repeat("9", 5000)+`,`, 1)
	r := k.imports(k.file("a.zip", chats(t, zip.Deflate, "["+spoken(1, "lorem one")+","+half[:len(half)/2]+","+spoken(4, "lorem four")+","+long+"]")))
	if r.State != "done" || r.Conversations.New != 3 || r.Conversations.Skipped != 1 || len(r.Problems) != 1 || r.Problems[0].Reason != "item-breaks" || r.Problems[0].At != "conversation 2" {
		t.Errorf("%+v", r)
	}
	k.leaves()
}
