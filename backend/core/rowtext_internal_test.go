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
	n := &memoryRow{id: "b", rowSort: &rowSort{kind: "fact"}, rowOrigin: &rowOrigin{conversation: talkID, sources: []string{talkID}, accounts: []string{"d"}}, rowRest: &rowRest{}, fades: fadesLinearly}
	o := &memoryRow{id: "c", rowSort: &rowSort{kind: "custom", customType: "x"}, rowOrigin: &rowOrigin{conversation: talkID}, rowRest: &rowRest{supersededBy: "b"}}
	c := &conversationRow{ConversationHead: ConversationHead{ID: "c", Title: "Ação", MessageCount: 300, ImportID: talkID}}
	f.Add(m.encode(), n.encode())
	f.Add(n.encode(), n.encode())
	f.Add(n.encode(), o.encode())
	f.Add(c.encode(), c.encode())
	f.Add(m.encode(), []byte{rowsVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, before, text []byte) {
		rereads(t, before, text, readMemoryRow, (*memoryRow).encode)
		rereads(t, before, text, readConversationRow, (*conversationRow).encode)
	})
}

const talkID = "0b8f1f5e-52a4-4b0e-9f0c-0d2a6a3f7c11"

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
