package core

import (
	"bytes"
	"testing"

	"keepsake/backend/vault"
)

// FuzzRows: whatever bytes a row has, and the one before it, reading it ends; what was
// read from a good one is written as the same bytes, and does not change when the
// memory of its page is used again.
func FuzzRows(f *testing.F) {
	m := &memoryRow{id: "a", rowSort: &rowSort{kind: "fact"}, rowOrigin: &rowOrigin{sources: []string{"c"}}, rowRest: &rowRest{tags: []string{"x", ""}}, created: -5, exportable: true}
	n := &memoryRow{id: "b", rowSort: &rowSort{kind: "fact"}, rowOrigin: &rowOrigin{conversation: talkID, sources: []string{talkID}, accounts: []string{"d"}}, rowRest: &rowRest{further: []string{"claude"}}, fades: fadesLinearly}
	o := &memoryRow{id: "c", rowSort: &rowSort{kind: "custom", customType: "x"}, rowOrigin: &rowOrigin{conversation: talkID}, rowRest: &rowRest{supersededBy: "b"}}
	c := &conversationRow{ConversationHead: ConversationHead{ID: "c", Title: "Ação", MessageCount: 300, ImportID: talkID}}
	d := &conversationRow{
		ConversationHead: ConversationHead{ID: talkID, Platform: "chatgpt", Project: "p", Model: "m", ImportID: "i", NativeID: talkID, AccountID: "a", MessageCount: 3, CreatedAt: timeOf(5), UpdatedAt: timeOf(7)},
		tags:             []string{"x", "y"}, elsewhere: "e", generation: 4, importer: "1",
	}
	f.Add(m.encode(), n.encode())
	f.Add(n.encode(), n.encode())
	f.Add(n.encode(), o.encode())
	f.Add(c.encode(), c.encode())
	f.Add(c.encode(), d.encode())
	f.Add(m.encode(), []byte{rowsVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, before, text []byte) {
		rereads(t, before, text, readMemoryRow, (*memoryRow).encode)
		rereads(t, before, text, readConversationRow, (*conversationRow).encode)
		sameEntry(t, before, text)
	})
}

const talkID = "0b8f1f5e-52a4-4b0e-9f0c-0d2a6a3f7c11"

// sameEntry: what stays of a row in memory is the same whether all of it was read or not.
func sameEntry(t *testing.T, before, text []byte) {
	t.Helper()
	var row conversationRow
	var entry conversationEntry
	rs, texts := newRows(), textsOf(1)
	texts.number = rs.words.number
	readEntry(vault.Row{Text: before}, texts, &conversationEntry{})
	page := bytes.Clone(text)
	good := readEntry(vault.Row{Seq: 7, Mark: 9, Text: page}, texts, &entry)
	clear(page)
	if whole := readConversationRow(vault.Row{Seq: 7, Mark: 9, Text: text}, textsOf(1), &row); good != whole {
		t.Fatalf("%x is good: %v in part, %v whole", text, good, whole)
	}
	if !good {
		return
	}
	want := *rs.entryOf(&row)
	entry.created, entry.updated = microOf(timeOf(entry.created)), microOf(timeOf(entry.updated)) // beyond the year 9999 are none
	if entry != want {
		t.Errorf("of %x stays %+v, want %+v", text, entry, want)
	}
}

func rereads[T any](t *testing.T, before, text []byte, read func(vault.Row, *rowTexts, *T) bool, encode func(*T) []byte) {
	t.Helper()
	texts, page := textsOf(1), bytes.Clone(text)
	var other, row, again T
	otherGood := read(vault.Row{Text: before}, texts, &other)
	if !read(vault.Row{Text: page}, texts, &row) {
		return
	}
	clear(page)
	written := encode(&row)
	if !read(vault.Row{Text: written}, textsOf(1), &again) || !bytes.Equal(encode(&again), written) {
		t.Errorf("%x became %x", text, written)
	}
	var alone T
	if !read(vault.Row{Text: text}, textsOf(1), &alone) || !bytes.Equal(encode(&alone), written) {
		t.Errorf("%x is read as %x behind %x", text, written, before)
	}
	if otherGood {
		var first T
		read(vault.Row{Text: before}, textsOf(1), &first)
		if !bytes.Equal(encode(&other), encode(&first)) {
			t.Errorf("%x is another after %x", before, text)
		}
	}
}
