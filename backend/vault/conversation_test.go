package vault_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// rich makes a conversation that uses every member.
func rich(id string) *memory.Conversation {
	c := conversation(id, 4, 50)
	c.Participants = []memory.Participant{{Role: memory.User, Name: "Ana <ana@example.org>"}}
	c.Model, c.SystemInstruction, c.IsArchived, c.Tags = "gpt-5", "Be brief.", true, []string{"a", "b"}
	c.RawMetadata = memory.RawMetadata{"gizmo_id": json.RawMessage(`"g-1"`), "n": json.RawMessage(`1.50`)}
	c.ImportMetadata = &memory.ImportMetadata{Importer: "keepsake/0.1.0", SourceFile: "export.zip"}
	size, tokens := int64(3), 0
	m := &c.Messages[3]
	m.ParentID = c.Messages[1].ID // a branch beside message 2
	m.Content = &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "text", Text: "a < b & c\u2028\x00"}, {Type: "image", Ref: "abc"}}}
	m.TokenCount, m.IsThought = &tokens, true
	m.Attachments = []memory.Attachment{{Type: "image", Name: "x.png", SizeBytes: &size}}
	m.ToolCalls = []memory.ToolCall{{Name: "search", Input: json.RawMessage(`{"q":"<x>"}`)}}
	m.RawMetadata = memory.RawMetadata{"weight": json.RawMessage(`1.0`)}
	return c
}

// Promise: a conversation comes back whole: graph, leaf, and raw members to
// the byte.
func TestConversationRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	want := rich("c1")
	head := vault.ConversationHead{Sum: [32]byte{1, 2, 3}, Start: 4, Size: 5, ImportID: "i1", File: "conversations.json", TimeSource: "message", Derived: 2}
	update(t, v, func(tx *vault.Tx) error { return putConversation(tx, head, want) })
	closeVault(t, v)
	v = open(t, dir)
	view(t, v, func(tx *vault.Tx) error {
		got, err := tx.Conversation("c1")
		if err != nil {
			return err
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("it came back otherwise (-want +got):\n%s", d)
		}
		h, err := tx.ConversationHead("c1")
		if err != nil {
			return err
		}
		wantHead := head
		wantHead.Conversation, wantHead.MessageCount, wantHead.OffPath = *want, 4, 1
		if d := cmp.Diff(wantHead, h, cmpopts.IgnoreFields(memory.Conversation{}, "Messages")); d != "" {
			t.Errorf("the head came back otherwise (-want +got):\n%s", d)
		}
		if h.Messages != nil {
			t.Error("the head carries messages")
		}
		return nil
	})
	if s := v.State(); s.Messages != 4 || s.Counts[vault.Conversations] != 1 {
		t.Errorf("state %+v", s)
	}
}

// Promise: messages of any size and number come back in order, from as many
// chunks as it takes.
func TestManyAndLongMessages(t *testing.T) {
	v := newVault(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	c := conversation("c", 300, 700)
	noise := make([]byte, 3<<20)
	for i := range noise {
		noise[i] = 'a' + byte(rnd.IntN(26))
	}
	c.Messages[100].Content.Text = string(noise)
	c.Messages[101].Content.Text = strings.Repeat("long ", 1<<20)
	c.Messages[299].Content.Text = string(noise[:1<<20])
	update(t, v, func(tx *vault.Tx) error {
		if err := putConversation(tx, vault.ConversationHead{}, conversation("before", 3, 10)); err != nil {
			return err
		}
		if err := putConversation(tx, vault.ConversationHead{}, c); err != nil {
			return err
		}
		return putConversation(tx, vault.ConversationHead{}, &memory.Conversation{ID: "empty"})
	})
	view(t, v, func(tx *vault.Tx) error {
		n := 0
		for m, err := range tx.Messages("c") {
			if err != nil {
				return err
			}
			if m.ID != c.Messages[n].ID || m.Content.Text != c.Messages[n].Content.Text {
				t.Fatalf("message %d came back otherwise", n)
			}
			n++
		}
		if n != 300 {
			t.Errorf("%d messages", n)
		}
		empty, err := tx.Conversation("empty")
		if err != nil || len(empty.Messages) != 0 {
			t.Errorf("the empty one: %+v, %v", empty, err)
		}
		for range tx.Messages("c") {
			break // stopping early is allowed
		}
		for i := range c.Messages {
			m, err := textAt(tx, "c", i)
			if err != nil || m.ID != c.Messages[i].ID || m.Content.Text != c.Messages[i].Content.Text {
				t.Fatalf("message %d is found as %s, %v", i, m.ID, err)
			}
		}
		seq, err := tx.Seq(vault.Conversations, "c")
		if err != nil {
			return err
		}
		texts := tx.Texts()
		for _, i := range append([]int{299, 0, 101, 100, 102}, rnd.Perm(300)...) {
			m, err := texts.At(seq, i)
			if err != nil || m.ID != c.Messages[i].ID || m.Content.Text != c.Messages[i].Content.Text {
				t.Fatalf("text %d is found as %s, %v", i, m.ID, err)
			}
		}
		for _, missing := range []func() error{
			func() error { _, err := texts.At(seq, 300); return err },
			func() error { _, err := textAt(tx, "c", 300); return err },
			func() error { _, err := textAt(tx, "empty", 0); return err },
			func() error { _, err := textAt(tx, "nobody", 0); return err },
			func() error { _, err := texts.At(99, 0); return err },
			func() error { _, err := texts.At(0, 0); return err },
		} {
			wantFault(t, missing(), fault.NotFound, "no-record")
		}
		return nil
	})
}

// Promise: a chunk is opened once for all messages that are read of it one after the
// other, also where it is the only one.
func TestNeighboursOpenNothing(t *testing.T) {
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	defer closeVault(t, v)
	for _, n := range []int{3, 300} {
		c := conversation(fmt.Sprint(n), n, 900)
		update(t, v, func(tx *vault.Tx) error { return putConversation(tx, vault.ConversationHead{}, c) })
		eachText(t, v, c, func(_ *vault.Tx, texts *vault.Texts, _ uint64, i int, _ vault.MessageText) error {
			if !vault.HoldsChunk(texts) {
				t.Fatalf("text %d of %d: its chunk was put away", i, n)
			}
			return nil
		})
	}
}

// Promise: what is said in a message is read alike alone and with the rest of it.
func TestWhatIsSaidIsReadAlike(t *testing.T) {
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	defer closeVault(t, v)
	text := func(s string) *memory.Content { return &memory.Content{Type: "text", Text: s} }
	inside := `,"content":{"type":"text","text":"inside"}`
	c := conversation("c", 0, 0)
	for i, m := range []memory.Message{
		{Content: text("plain")}, {Content: text("")}, {}, {Content: text(`a "quote" \\`)}, {Content: text("line\nfeed\t\x01 é 中 😀 \u2028")},
		{Content: text(inside)}, {Content: text(`"tool_calls":`)}, {Content: &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "text", Text: "one"}, {Type: "text", Text: "two"}}}},
		{Content: text("with a call"), ToolCalls: []memory.ToolCall{{Name: "look", Input: json.RawMessage(`{"a":1}`), Output: "seen"}}},
		{Content: text("with a file"), Attachments: []memory.Attachment{{Type: "file", Name: "tour.pdf"}}},
		{RawMetadata: memory.RawMetadata{"a": json.RawMessage(`{"b":1` + inside + `}`)}},
		{Content: text("and raw"), RawMetadata: memory.RawMetadata{"a": json.RawMessage(`{"b":1` + inside + `}`)}},
		{ProviderMessageID: `{"` + inside, Content: text("an odd id")}, {Model: inside, Content: text(strings.Repeat("long ", 300_000))},
		{Content: text("\xff\xfe no Unicode")},
	} {
		m.ID, m.Role = fmt.Sprint(i), memory.User
		c.Messages = append(c.Messages, m)
	}
	update(t, v, func(tx *vault.Tx) error { return putConversation(tx, vault.ConversationHead{}, c) })
	eachText(t, v, c, func(tx *vault.Tx, _ *vault.Texts, seq uint64, i int, m vault.MessageText) error {
		words, err := tx.Texts().Words(seq, i)
		if err == nil && (words.Content.PlainText() != m.Content.PlainText() || !cmp.Equal(words.ToolCalls, m.ToolCalls) || !cmp.Equal(words.Attachments, m.Attachments)) {
			t.Errorf("message %d says %+v, read with the rest %+v", i, words, m.MessageWords)
		}
		return err
	})
}

// eachText reads the messages of c one after the other with one reader.
func eachText(t *testing.T, v *vault.Vault, c *memory.Conversation, each func(tx *vault.Tx, texts *vault.Texts, seq uint64, i int, m vault.MessageText) error) {
	t.Helper()
	view(t, v, func(tx *vault.Tx) error {
		seq, err := tx.Seq(vault.Conversations, c.ID)
		if err != nil {
			return err
		}
		texts := tx.Texts()
		for i := range c.Messages {
			m, err := texts.At(seq, i)
			if err != nil || m.ID != c.Messages[i].ID {
				t.Fatalf("text %d is found as %s, %v", i, m.ID, err)
			}
			if err := each(tx, texts, seq, i, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// textAt reads one message with a reader of its own, which has opened no chunk.
func textAt(tx *vault.Tx, id string, at int) (vault.MessageText, error) {
	seq, err := tx.Seq(vault.Conversations, id)
	if err != nil {
		return vault.MessageText{}, err
	}
	return tx.Texts().At(seq, at)
}

// Promise: a newer version replaces the older one, nothing of it stays.
func TestReplaceConversation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for _, n := range []int{400, 900, 2} {
		update(t, v, func(tx *vault.Tx) error {
			return putConversation(tx, vault.ConversationHead{ImportID: fmt.Sprint(n)}, conversation("c", n, 500))
		})
		closeVault(t, v)
		v = open(t, dir)
		view(t, v, func(tx *vault.Tx) error {
			got, err := tx.Conversation("c")
			if err != nil {
				return err
			}
			if d := cmp.Diff(conversation("c", n, 500), got); d != "" {
				t.Errorf("with %d messages (-want +got):\n%s", n, d)
			}
			return nil
		})
		if s := v.State(); s.Messages != n || s.Counts[vault.Conversations] != 1 {
			t.Errorf("state %+v", s)
		}
	}
	if s := v.State(); s.Counts[vault.Chunks] != 1 {
		t.Errorf("%d chunks are left", s.Counts[vault.Chunks])
	}
}

func TestDeleteConversation(t *testing.T) {
	v := newVault(t)
	update(t, v, func(tx *vault.Tx) error {
		for i := range 3 {
			if err := putConversation(tx, vault.ConversationHead{}, conversation(fmt.Sprint("c", i), 100, 1000)); err != nil {
				return err
			}
		}
		return tx.DeleteConversation("c1")
	})
	view(t, v, func(tx *vault.Tx) error {
		var left []string
		for h, err := range tx.EachConversation() {
			if err != nil {
				return err
			}
			left = append(left, h.ID)
		}
		if fmt.Sprint(left) != "[c0 c2]" {
			t.Errorf("left are %v", left)
		}
		_, err := tx.Conversation("c1")
		wantFault(t, err, fault.NotFound, "no-record")
		for _, err := range tx.Messages("c1") {
			wantFault(t, err, fault.NotFound, "no-record")
		}
		return nil
	})
	if s := v.State(); s.Messages != 200 {
		t.Errorf("state %+v", s)
	}
	err := v.Update(func(tx *vault.Tx) error { return tx.DeleteConversation("c1") })
	wantFault(t, err, fault.NotFound, "no-record")
}

// Promise: messages read from any position on are those that all of them end with.
func TestMessagesFromAnyPosition(t *testing.T) {
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	for _, c := range []*memory.Conversation{rich("rich"), conversation("many", 2000, 200), conversation("long", 4, 3<<19), {ID: "none"}} {
		update(t, v, func(tx *vault.Tx) error { return putConversation(tx, vault.ConversationHead{}, c) })
		view(t, v, func(tx *vault.Tx) error {
			for at := 0; at < len(c.Messages)+3; at += 1 + at/4 {
				left := c.Messages[min(at, len(c.Messages)):]
				for m, err := range tx.MessagesFrom(c.ID, at) {
					if err != nil || len(left) == 0 {
						t.Fatalf("%s from %d: a message too many, or %v", c.ID, at, err)
					}
					if d := cmp.Diff(left[0], m); d != "" {
						t.Fatalf("%s from %d reads otherwise:\n%s", c.ID, at, d)
					}
					left = left[1:]
				}
				if len(left) > 0 {
					t.Errorf("%s from %d lacks %d messages", c.ID, at, len(left))
				}
			}
			return nil
		})
	}
}

// Promise: a conversation that is taken is stored like any other, and its messages are
// let go of.
func TestATakenConversation(t *testing.T) {
	for name, make := range map[string]func() *memory.Conversation{
		"rich": func() *memory.Conversation { return rich("c") },
		"long": func() *memory.Conversation { return conversation("c", 3000, 200) },
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
			taken := make()
			var put, took vault.ConversationHead
			update(t, v, func(tx *vault.Tx) (err error) {
				put, err = tx.PutConversation(vault.ConversationHead{File: "a.json"}, make())
				return err
			})
			update(t, v, func(tx *vault.Tx) error { return tx.DeleteConversation("c") })
			update(t, v, func(tx *vault.Tx) (err error) {
				took, err = tx.TakeConversation(vault.ConversationHead{File: "a.json"}, taken)
				return err
			})
			if d := cmp.Diff(put, took); d != "" {
				t.Errorf("its head is another:\n%s", d)
			}
			sameThere(t, v, make())
			for _, m := range taken.Messages {
				if m.Content != nil || m.RawMetadata != nil {
					t.Errorf("%s is still held", m.ID)
				}
			}
		})
	}
}
