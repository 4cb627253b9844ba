package core

import (
	"bytes"
	"testing"

	"keepsake/backend/vault"
)

// FuzzRows: whatever bytes a row has, reading it ends, and what was read from a
// good one is written as the same bytes.
func FuzzRows(f *testing.F) {
	f.Add((&memoryRow{id: "a", kind: "fact", tags: []string{"x", ""}, created: -5, sources: []string{"c"}, exportable: true}).encode())
	f.Add((&conversationRow{ConversationHead: ConversationHead{ID: "c", Title: "Ação", MessageCount: 300}}).encode())
	f.Add([]byte{rowsVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, text []byte) {
		var m memoryRow
		if readMemoryRow(vault.Row{Text: string(text)}, idsFor(1), &m) {
			again := m.encode()
			var n memoryRow
			if !readMemoryRow(vault.Row{Text: string(again)}, idsFor(1), &n) || !bytes.Equal(n.encode(), again) {
				t.Errorf("%x became %x", text, again)
			}
		}
		var c conversationRow
		if readConversationRow(vault.Row{Text: string(text)}, idsFor(1), &c) {
			var d conversationRow
			if again := c.encode(); !readConversationRow(vault.Row{Text: string(again)}, idsFor(1), &d) || !bytes.Equal(d.encode(), again) {
				t.Errorf("%x became %x", text, again)
			}
		}
	})
}
