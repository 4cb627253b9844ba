package vault_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

func rekeyOptions() vault.RekeyOptions {
	return vault.RekeyOptions{
		Proof: []byte(passphrase), Passphrase: []byte(second), RecoveryCode: seal.NewRecoveryCode(), KDF: seal.TestKDF(),
	}
}

// Promise: after a re-key everything is there, under new keys; no old secret,
// header, data file or attachment of before is of any use or left behind.
func TestRekey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, code := create(t, dir)
	s := fillVault(t, v, 1500)
	if err := v.AllowKeychain(t.Context(), seal.NewKeychainKey()); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Index(); err != nil {
		t.Fatal(err)
	}
	before := v.Info()
	oldHead, oldData := readFile(t, dir, "vault.head"), readFile(t, dir, "vault.db")
	if err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	oneMemory(t, v) // is in the journal
	for _, pattern := range []string{"journal/*", "snapshots/*"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 0 {
			t.Fatalf("there is no %s to clear away", pattern)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "vault.db.damaged-1"), oldData, 0o600); err != nil {
		t.Fatal(err)
	}
	o := rekeyOptions()
	told := 0
	o.Tell = func(done, total int) {
		if told++; told > 1 {
			return
		}
		err := v.Update(func(tx *vault.Tx) error { return tx.Put(vault.Memories, "late", day, nil) })
		wantFault(t, err, fault.Busy, "vault-rekeying")
		_, _, _, err = v.PutBlob(strings.NewReader("late"))
		wantFault(t, err, fault.Busy, "vault-rekeying")
		s.check(t)(v)
	}
	if err := v.Rekey(t.Context(), o); err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	if v.Unlocked() || told == 0 {
		t.Error("the vault is still open, or nothing was told")
	}
	wantFault(t, v.Unlock(t.Context(), []byte(passphrase)), fault.WrongPassphrase, "wrong-passphrase")
	wantFault(t, v.UnlockRecovery(t.Context(), code), fault.WrongPassphrase, "wrong-recovery-code")
	if err := v.Unlock(t.Context(), []byte(second)); err != nil {
		t.Fatal(err)
	}
	s.check(t)(v)
	after := v.Info()
	if after.VaultID != before.VaultID || v.HasSlot(seal.KeychainSlot) || len(after.Slots) != 2 {
		t.Errorf("after: %+v", after)
	}
	refs, err := v.Blobs()
	if err != nil || len(refs) != len(s.blobs) {
		t.Errorf("%d attachments, %v", len(refs), err)
	}
	for ref := range s.blobs {
		if slices.Contains(refs, ref) {
			t.Error("an attachment has the name the old key gave it")
		}
	}
	for _, pattern := range []string{"index.db", "journal/*", "snapshots/*", "vault.db.damaged-*"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) != 0 {
			t.Errorf("of before there is still %v", found)
		}
	}
	if err := v.Snapshot(t.Context()); err != nil {
		t.Errorf("a snapshot of the new vault: %v", err)
	}
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m1", day, []byte("memory m1")) })
	closeVault(t, v)
	wantFault(t, opensWith(t, dir, passphrase, nil), fault.WrongPassphrase, "wrong-passphrase")
	again, err := vault.Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.UnlockRecovery(t.Context(), o.RecoveryCode); err != nil {
		t.Error(err)
	}
	closeVault(t, again)

	// The old data file beside the new header, and the other way round.
	for _, part := range []struct {
		name string
		raw  []byte
	}{{"vault.db", oldData}, {"vault.head", oldHead}} {
		mixed := filepath.Join(t.TempDir(), "mixed")
		copyFolder(t, dir, mixed)
		if err := os.WriteFile(filepath.Join(mixed, part.name), part.raw, 0o600); err != nil {
			t.Fatal(err)
		}
		older := opensWith(t, mixed, passphrase, nil)
		if newer := opensWith(t, mixed, second, nil); part.name == "vault.head" && newer != nil || part.name == "vault.db" && newer == nil {
			t.Errorf("old %s: %v", part.name, newer)
		}
		if older == nil && part.name == "vault.head" {
			t.Error("the old passphrase opens the new data")
		}
	}
}

// Promise: after a re-key a message finds its attachment wherever the reference
// stands: also where one of the pieces would end in which a long message is kept.
func TestRekeyOfALongMessage(t *testing.T) {
	const piece = 1 << 20
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	ref, _ := putBlob(t, v, []byte("a picture"))
	long := func(text int) *memory.Conversation {
		c := conversation("long", 3, 40)
		m := &c.Messages[1]
		m.Content = &memory.Content{Type: "text", Text: strings.Repeat("word ", text/5) + strings.Repeat("x", text%5)}
		m.Attachments = []memory.Attachment{{Name: "a", Ref: ref}}
		return c
	}
	c := long(piece)
	line, err := memory.AppendMessage(nil, &c.Messages[1], &c.Messages[0], &c.Messages[2])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(line, []byte(ref))
	for _, before := range []int{-1, 0, 1, 31, 63, 64, 65} { // of the reference, up to two MiB
		whole := long(piece + piece - before - (at - piece))
		update(t, v, func(tx *vault.Tx) error { return putConversation(tx, vault.ConversationHead{}, whole) })
		for _, secrets := range [][2]string{{passphrase, second}, {second, passphrase}} {
			o := rekeyOptions()
			o.Proof, o.Passphrase = []byte(secrets[0]), []byte(secrets[1])
			if err := v.Rekey(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if err := v.Unlock(t.Context(), []byte(secrets[1])); err != nil {
				t.Fatal(err)
			}
			view(t, v, func(tx *vault.Tx) error {
				got, err := tx.Conversation("long")
				if err != nil {
					return err
				}
				name := got.Messages[1].Attachments[0].Ref
				if f, _, err := v.OpenBlob(name); err != nil {
					t.Errorf("%d characters before two MiB: the attachment %s: %v", before, name, err)
				} else {
					_ = f.Close()
				}
				if ref = name; got.Messages[1].Content.Text != whole.Messages[1].Content.Text {
					t.Errorf("%d characters before two MiB: the text is another one", before)
				}
				return nil
			})
		}
	}
}

// Promise: a re-key stopped at any step leaves the old vault for the old
// secrets or the new one for the new, whole; what lies beside it goes.
func TestRekeyStoppedAnywhere(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, code := create(t, dir)
	s := fillVault(t, v, 300)
	o := rekeyOptions()
	copies := copyAtEachStep(t, v, dir, func() {
		if err := v.Rekey(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if err := v.Unlock(t.Context(), []byte(second)); err != nil {
			t.Fatal(err)
		}
	})
	if len(copies) < 12 {
		t.Errorf("only %d places to stop at", len(copies))
	}
	olds, news := 0, 0
	for _, c := range copies {
		tidy := func(v *vault.Vault) {
			s.check(t)(v)
			if refs, err := v.Blobs(); err != nil || len(refs) != len(s.blobs) {
				t.Errorf("%s: %d attachments lie there, %v", c.step, len(refs), err)
			}
			if got := vault.KeyVersions(t, v); len(got) != 1 {
				t.Errorf("%s: key versions %v", c.step, got)
			}
		}
		older := opensWith(t, c.dir, passphrase, tidy)
		newer := opensWith(t, c.dir, second, tidy)
		if (older == nil) == (newer == nil) {
			t.Fatalf("%s: old %v, new %v", c.step, older, newer)
		}
		recovery := code
		if newer == nil {
			recovery, news = o.RecoveryCode, news+1
			wantFault(t, older, fault.WrongPassphrase, "wrong-passphrase")
		} else {
			olds++
			wantFault(t, newer, fault.WrongPassphrase, "wrong-passphrase")
		}
		if left, _ := filepath.Glob(filepath.Join(c.dir, ".tmp-*")); len(left) != 0 {
			t.Errorf("%s: left behind %v", c.step, left)
		}
		v, err := vault.Open(c.dir, clock)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.UnlockRecovery(t.Context(), recovery); err != nil {
			t.Errorf("%s: %v", c.step, err)
		}
		closeVault(t, v)
	}
	if olds == 0 || news < 3 {
		t.Errorf("%d old, %d new", olds, news)
	}
	t.Logf("stopped at %d places: %d opened with the old secrets, %d with the new", len(copies), olds, news)
}

// Promise: a re-key that is refused, stopped or fails changes nothing.
func TestRekeyGivenUp(t *testing.T) {
	dir := filepath.Join(fastFolder(t), "vault")
	v, _ := create(t, dir)
	s := fillVault(t, v, 1500)
	same := func() {
		t.Helper()
		s.check(t)(v)
		update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m1", day, []byte("memory m1")) })
		if refs, err := v.Blobs(); err != nil || len(refs) != len(s.blobs) {
			t.Errorf("%d attachments, %v", len(refs), err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".tmp-*")); len(left) != 0 {
			t.Errorf("left behind %v", left)
		}
	}
	o := rekeyOptions()
	o.Proof = []byte("not the passphrase")
	wantFault(t, v.Rekey(t.Context(), o), fault.WrongPassphrase, "wrong-passphrase")
	same()
	o = rekeyOptions()
	o.Passphrase = []byte("short")
	wantFault(t, v.Rekey(t.Context(), o), fault.Invalid, "passphrase-too-short")
	same()
	o = rekeyOptions()
	ctx, cancel := context.WithCancel(t.Context())
	o.Tell = func(int, int) { cancel() }
	if err := v.Rekey(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	same()
	ref, _, _, err := v.StageBlob(strings.NewReader("under way"))
	if err != nil {
		t.Fatal(err)
	}
	wantFault(t, v.Rekey(t.Context(), rekeyOptions()), fault.Busy, "vault-blobs-under-way")
	if err := v.SettleBlobs([]string{ref}); err != nil {
		t.Fatal(err)
	}
	if err := v.DeleteBlob(ref); err != nil {
		t.Fatal(err)
	}
	same()
}
