package vault_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// carried is what comes of a kept conversation that lay in records meanwhile.
func carried(t *testing.T, k vault.Kept) (back vault.Kept) {
	t.Helper()
	for piece := range k.Pieces() {
		if err := back.Join(bytes.Clone(piece)); err != nil {
			t.Fatal(err)
		}
	}
	return back
}

// Promise: a conversation that was kept as it was stored comes back as it was, in the
// place of the one that had replaced it or of none, and can be read meanwhile.
func TestAKeptConversationComesBack(t *testing.T) {
	long := conversation("long", 3, 2<<20) // each message has chunks of its own
	for _, want := range []*memory.Conversation{rich("rich"), conversation("many", 3000, 200), long, {ID: "none"}} {
		t.Run(want.ID, func(t *testing.T) {
			v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
			head := vault.ConversationHead{Sum: [32]byte{1, 2}, Start: 3, Size: 4, ImportID: "i1", File: "a.json", TimeSource: "message"}
			var stored, back vault.ConversationHead
			var kept vault.Kept
			update(t, v, func(tx *vault.Tx) (err error) {
				stored, err = tx.PutConversation(head, want)
				return err
			})
			messages := v.State().Messages
			update(t, v, func(tx *vault.Tx) (err error) {
				if kept, err = tx.Keep(want.ID); err != nil {
					return err
				}
				return putConversation(tx, vault.ConversationHead{}, conversation(want.ID, 7, 90_000))
			})
			kept = carried(t, kept)
			view(t, v, func(tx *vault.Tx) error {
				at := 0
				for m, err := range tx.KeptMessages(kept) {
					if err != nil {
						return err
					}
					if d := cmp.Diff(want.Messages[at], m); d != "" {
						t.Fatalf("message %d reads otherwise:\n%s", at, d)
					}
					at++
				}
				if at != len(want.Messages) {
					t.Errorf("%d of %d messages are kept", at, len(want.Messages))
				}
				h, err := tx.KeptHead(want.ID, kept)
				if d := cmp.Diff(stored, h); d != "" {
					t.Errorf("its head reads otherwise:\n%s", d)
				}
				return err
			})
			for range 2 { // over the other one, and where there is none
				update(t, v, func(tx *vault.Tx) (err error) {
					back, err = tx.PutKept(want.ID, kept)
					return err
				})
				if d := cmp.Diff(stored, back); d != "" {
					t.Errorf("its head came back otherwise:\n%s", d)
				}
				sameThere(t, v, want)
				if now := v.State().Messages; now != messages {
					t.Errorf("the vault counts %d messages, %d before", now, messages)
				}
				update(t, v, func(tx *vault.Tx) error { return tx.DeleteConversation(want.ID) })
			}
		})
	}
}

func sameThere(t *testing.T, v *vault.Vault, want *memory.Conversation) {
	t.Helper()
	view(t, v, func(tx *vault.Tx) error {
		got, err := tx.Conversation(want.ID)
		if err == nil && len(want.Messages) == 0 {
			want.Messages = got.Messages[:0]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("it came back otherwise:\n%s", d)
		}
		return err
	})
}

// What is kept and not whole is damage, and is stored nowhere.
func TestAKeptConversationThatIsNotWhole(t *testing.T) {
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	update(t, v, func(tx *vault.Tx) error {
		return putConversation(tx, vault.ConversationHead{}, conversation("c", 900, 300))
	})
	var kept vault.Kept
	view(t, v, func(tx *vault.Tx) (err error) {
		kept, err = tx.Keep("c")
		return err
	})
	var whole []byte
	for piece := range kept.Pieces() {
		whole = append(whole, piece...)
	}
	for cut := 1; cut < len(whole); cut += 1 + cut/3 {
		var k vault.Kept
		err := k.Join(bytes.Clone(whole[:cut]))
		if err == nil {
			err = v.Update(func(tx *vault.Tx) error {
				_, err := tx.PutKept("c", k)
				return err
			})
		}
		if fault.CodeOf(err) != fault.Damaged {
			t.Errorf("of %d bytes of %d it is %v", cut, len(whole), err)
		}
	}
	sameThere(t, v, conversation("c", 900, 300))
}
