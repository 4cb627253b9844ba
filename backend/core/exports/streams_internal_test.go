package exports

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/core/library"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

const talkID = "0b8f1f5e-52a4-4b0e-9f0c-0d2a6a3f7c11"

// Promise: a conversation that leaves message by message has the very bytes that it has
// where all of it is held, whatever is hidden or stripped, and what was hidden is counted
// once. The second way is written here as it was before there was the first.
func TestAConversationLeavesInTheSameBytesPieceByPiece(t *testing.T) {
	for seed := range uint64(12) {
		for _, o := range []ExportOptions{{}, {IncludeAttachments: true}, {StripIDs: true}, redacting(false), redacting(true)} {
			name := fmt.Sprintf("%d: attachments %v, strip %v, redact %v", seed, o.IncludeAttachments, o.StripIDs, o.redacts())
			byPiece, byWhole := leavingOne(t, o), leavingOne(t, o)
			c := someConversation(seed)
			c.Messages = nil
			long, err := byPiece.prepared(c, func(yield func(memory.Message, error) bool) {
				someConversation(seed).Each()(yield) // anew for each walk, as a vault gives them
			})
			if err != nil {
				t.Fatal(err)
			}
			got := companionOf(t, pam.Talk{Conversation: c, Long: long})
			want, hidden := wholeWay(byWhole, someConversation(seed))
			if !bytes.Equal(got, want) {
				t.Fatalf("%s:\n%s\nwant\n%s", name, got, want)
			}
			if byPiece.hiddenInAll() != hidden || o.redacts() && hidden == 0 {
				t.Errorf("%s: %d places hidden, want %d", name, byPiece.hiddenInAll(), hidden)
			}
		}
	}
}

func redacting(strip bool) ExportOptions {
	on := true
	return ExportOptions{StripIDs: strip, RedactionOptions: RedactionOptions{Redact: &on}}
}

func leavingOne(t *testing.T, o ExportOptions) *selection {
	h, err := newRedactor(o.RedactionOptions)
	if err != nil {
		t.Fatal(err)
	}
	return &selection{options: o, hiding: h, hidden: map[string]int{}, conversations: map[string]string{talkID: "new-id"}}
}

// wholeWay prepares all of a conversation and encodes it at once.
func wholeWay(l *selection, c *memory.Conversation) (text []byte, hidden int) {
	var all []hiddenPlace
	for i := range c.Messages {
		MoveAttachments(&c.Messages[i], l.place)
	}
	if l.options.redacts() {
		c.RawMetadata = ownMembers(c.RawMetadata)
		see := l.hiding.in(c.ID, &all)
		library.EachTextOfHead(c, see)
		for i := range c.Messages {
			c.Messages[i].RawMetadata = nil
			library.EachTextOfMessage(&c.Messages[i], "messages."+strconv.Itoa(i), see)
		}
	}
	if l.options.StripIDs {
		s := idStripper{cleanerOf(idsOf(c)), map[string]string{}}
		for i, m := range c.Messages {
			s.numbers[m.ID] = "m" + strconv.Itoa(i+1)
		}
		s.head(c)
		for i := range c.Messages {
			s.message(&c.Messages[i])
		}
	}
	c.ID = "new-id"
	text, err := pam.EncodeConversation(c)
	if err != nil {
		panic(err)
	}
	return text, len(all)
}

func idsOf(c *memory.Conversation) []string {
	ids := []string{c.ID, c.Provider.ConversationID, c.Provider.AccountID}
	for _, p := range c.Participants {
		ids = append(ids, p.ProviderID)
	}
	for _, m := range c.Messages {
		ids = append(ids, m.ID, m.ProviderMessageID)
		for _, a := range m.Attachments {
			ids = append(ids, a.ProviderID)
		}
		for _, call := range m.ToolCalls {
			ids = append(ids, call.ID)
		}
	}
	return ids
}

// companionOf is the file of a conversation in a bundle.
func companionOf(t *testing.T, talk pam.Talk) []byte {
	t.Helper()
	var b bytes.Buffer
	date := memory.At(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	_, err := pam.WriteZip(&b, pam.Source{Memories: func(func(pam.Memory, error) bool) {}}, pam.Bundle{
		Conversations: func(yield func(pam.Talk, error) bool) { yield(talk, nil) },
	}, pam.Options{ExportID: "e", Date: date, Owner: pam.Owner{ID: "o", CreatedAt: date}})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("conversations/new-id.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// someConversation has branches, files, calls, texts to be hidden and ids in texts; one
// in three has a raw member that is no strict JSON, and one in four no message.
func someConversation(seed uint64) *memory.Conversation {
	const n = 60
	r := rand.New(rand.NewPCG(seed, 1))
	at := memory.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	id := func(i int) string { return fmt.Sprintf("msg-%04d-%04d", seed, i) }
	c := &memory.Conversation{
		ID: talkID, Provider: memory.Provider{Name: "chatgpt", ConversationID: "native-0001", AccountID: "user-00017"},
		Title: `Ask ana@casa.example of "messages":[] and native-0001`, SystemInstruction: "<b> & user-00017",
		Participants: []memory.Participant{{Role: memory.User, Name: "Ana", ProviderID: "user-00017"}}, Tags: []string{`"messages":[]`},
		Temporal: memory.ConversationTemporal{CreatedAt: at}, RawMetadata: memory.RawMetadata{"messages": json.RawMessage(`{"messages":[]}`)},
		ImportMetadata: &memory.ImportMetadata{Importer: "keepsake/0.1.0", SourceFile: "x.zip", SourceChecksum: "sha256:00"},
	}
	if seed%4 == 3 {
		return c
	}
	for i := range n {
		m := memory.Message{
			ID: id(i), ProviderMessageID: id(i), Role: memory.User, ChildrenIDs: []string{},
			Content:     &memory.Content{Type: "text", Text: fmt.Sprintf("Call +351 912 345 %03d about %s <i>", r.IntN(1000), id(r.IntN(n)))},
			RawMetadata: memory.RawMetadata{"y": json.RawMessage(`[1, "<"]`)},
		}
		if r.IntN(3) > 0 {
			m.CreatedAt = at // others have that of the conversation
		}
		if i > 0 {
			m.ParentID = id(r.IntN(i))
		}
		if r.IntN(2) == 0 {
			m.Attachments = []memory.Attachment{{Type: "file", Name: id(i) + ".txt", Ref: "ref" + strconv.Itoa(i), ProviderID: "file-service://file-" + id(i)}}
			m.Content = &memory.Content{Type: "multipart", Parts: []memory.Part{{Type: "text", Text: "see file-" + id(i)}, {Type: "image", Ref: "ref" + strconv.Itoa(i)}}}
			m.ToolCalls = []memory.ToolCall{{ID: "call-" + id(i), Name: "f", Input: json.RawMessage(`{"b":"ben@casa.example","a":"` + id(i) + `"}`), Output: id(0)}}
			m.Citations = []memory.Citation{{Title: "t", URL: "https://example.com/" + id(i), Snippet: "ana@casa.example"}}
		}
		c.Messages = append(c.Messages, m)
		c.Leaf = m.ID
	}
	for i, m := range c.Messages[1:] {
		p := &c.Messages[indexOfMessage(c, m.ParentID)]
		p.ChildrenIDs = append(p.ChildrenIDs, c.Messages[i+1].ID)
	}
	if seed%3 == 0 {
		m := &c.Messages[n/2]
		m.RawMetadata["twice"] = json.RawMessage(`{"b":1,"a":1,"a":12345678901234567890}`)
		m.ToolCalls = append(m.ToolCalls, memory.ToolCall{Name: "g", Input: json.RawMessage(`{"z":"\ud800!","a":1}`)})
	}
	return c
}

func indexOfMessage(c *memory.Conversation, id string) int {
	for i := range c.Messages {
		if c.Messages[i].ID == id {
			return i
		}
	}
	return -1
}
