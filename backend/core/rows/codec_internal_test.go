package rows

import (
	"bytes"
	"testing"

	"keepsake/backend/vault"
)

// FuzzRows: whatever bytes a row has, and the one before it, reading it ends; what was
// read from a good one is written as the same bytes, and does not change when the
// memory of its page is used again.
func FuzzRows(f *testing.F) {
	m := &Memory{ID: "a", rowSort: &rowSort{Kind: "fact"}, rowOrigin: &rowOrigin{Sources: []string{"c"}}, rowRest: &rowRest{Tags: []string{"x", ""}}, Created: -5, Exportable: true}
	n := &Memory{ID: "b", rowSort: &rowSort{Kind: "fact"}, rowOrigin: &rowOrigin{Conversation: talkID, Sources: []string{talkID}, Accounts: []string{"d"}}, rowRest: &rowRest{Further: []string{"claude"}}, Fades: fadesLinearly}
	o := &Memory{ID: "c", rowSort: &rowSort{Kind: "custom", CustomType: "x"}, rowOrigin: &rowOrigin{Conversation: talkID}, rowRest: &rowRest{SupersededBy: "b"}}
	c := &Conversation{ConversationHead: ConversationHead{ID: "c", Title: "Ação", MessageCount: 300, ImportID: talkID}}
	d := &Conversation{
		ConversationHead: ConversationHead{ID: talkID, Platform: "chatgpt", Project: "p", Model: "m", ImportID: "i", NativeID: talkID, AccountID: "a", MessageCount: 3, CreatedAt: TimeOf(5), UpdatedAt: TimeOf(7)},
		Tags:             []string{"x", "y"}, Elsewhere: "e", Generation: 4, Importer: "1",
	}
	f.Add(m.Encode(), n.Encode())
	f.Add(n.Encode(), n.Encode())
	f.Add(n.Encode(), o.Encode())
	f.Add(c.Encode(), c.Encode())
	f.Add(c.Encode(), d.Encode())
	f.Add(m.Encode(), []byte{rowsVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, before, text []byte) {
		rereads(t, before, text, ReadMemory, (*Memory).Encode)
		rereads(t, before, text, ReadConversation, (*Conversation).Encode)
		sameEntry(t, before, text)
	})
}

const talkID = "0b8f1f5e-52a4-4b0e-9f0c-0d2a6a3f7c11"

// sameEntry: what stays of a row in memory is the same whether all of it was read or not.
func sameEntry(t *testing.T, before, text []byte) {
	t.Helper()
	var row Conversation
	var entry ConversationEntry
	rs, texts := New(), NewTexts()
	texts.number = rs.Words.number
	readEntry(vault.Row{Text: before}, texts, &ConversationEntry{})
	page := bytes.Clone(text)
	good := readEntry(vault.Row{Seq: 7, Mark: 9, Text: page}, texts, &entry)
	clear(page)
	if whole := ReadConversation(vault.Row{Seq: 7, Mark: 9, Text: text}, NewTexts(), &row); good != whole {
		t.Fatalf("%x is good: %v in part, %v whole", text, good, whole)
	}
	if !good {
		return
	}
	want := *rs.EntryOf(&row)
	entry.Created, entry.updated = MicroOf(TimeOf(entry.Created)), MicroOf(TimeOf(entry.updated)) // beyond the year 9999 are none
	if entry != want {
		t.Errorf("of %x stays %+v, want %+v", text, entry, want)
	}
}

func rereads[T any](t *testing.T, before, text []byte, read func(vault.Row, *Texts, *T) bool, encode func(*T) []byte) {
	t.Helper()
	texts, page := NewTexts(), bytes.Clone(text)
	var other, row, again T
	otherGood := read(vault.Row{Text: before}, texts, &other)
	if !read(vault.Row{Text: page}, texts, &row) {
		return
	}
	clear(page)
	written := encode(&row)
	if !read(vault.Row{Text: written}, NewTexts(), &again) || !bytes.Equal(encode(&again), written) {
		t.Errorf("%x became %x", text, written)
	}
	var alone T
	if !read(vault.Row{Text: text}, NewTexts(), &alone) || !bytes.Equal(encode(&alone), written) {
		t.Errorf("%x is read as %x behind %x", text, written, before)
	}
	if otherGood {
		var first T
		read(vault.Row{Text: before}, NewTexts(), &first)
		if !bytes.Equal(encode(&other), encode(&first)) {
			t.Errorf("%x is another after %x", before, text)
		}
	}
}
