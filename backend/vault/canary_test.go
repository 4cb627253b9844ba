package vault_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
	"keepsake/backend/vault/vaulttest"
)

// plant makes a vault that holds every canary somewhere, and changes and
// deletes some of it, because old pages stay in the file.
func plant(t *testing.T, dir string, c seal.Cipher, canaries []string) (recovery string) {
	t.Helper()
	v, recovery, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock, Cipher: c})
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	take := func() string { next++; return canaries[(next-1)%len(canaries)] }
	update(t, v, func(tx *vault.Tx) error {
		var errs []error
		for range len(canaries)/8 - 3 {
			conv := conversation(take(), 40, 300)
			conv.Title, conv.Provider.ConversationID = take(), take()
			conv.Messages[7].Content.Text += take()
			conv.Messages[9].Attachments = []memory.Attachment{{Type: "file", Name: take()}}
			errs = append(errs,
				tx.Put(vault.Memories, take(), day, []byte("text "+take())),
				putConversation(tx, vault.ConversationHead{}, conv),
				tx.Link(vault.Memories, take(), "m"))
		}
		return errors.Join(errs...)
	})
	for range 3 {
		if _, _, _, err := v.PutBlob(strings.NewReader(strings.Repeat("x", 1000) + canaries[next%len(canaries)])); err != nil {
			t.Fatal(err)
		}
		next++
	}
	for ; next < len(canaries); next++ {
		update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Settings, fmt.Sprint(next), day, []byte(canaries[next])) })
	}
	last := fmt.Sprint(next - 1)
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Settings, last, day, []byte("again "+canaries[next-1])) })
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Settings, "gone", day, []byte(canaries[next-1])) })
	update(t, v, func(tx *vault.Tx) error { return tx.Delete(vault.Settings, "gone") })
	s, err := seal.NewScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Write(bytes.Repeat([]byte(canaries[0]), 10_000)); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	return recovery
}

// Promise: of everything that was put in, ids, names and passphrases included,
// nothing can be read on disk. The control shows that the search would find it.
func TestNothingReadableOnDisk(t *testing.T) {
	canaries := make([]string, 200)
	for i := range canaries {
		canaries[i] = fmt.Sprintf("Canary%010x", uint64(i+1)*0x9e3779b97f)
	}
	dir := filepath.Join(t.TempDir(), "vault")
	code := plant(t, dir, seal.AES256GCM, canaries)
	secrets := append([]string{passphrase, code, strings.ReplaceAll(code, "-", "")}, canaries...)
	found, err := vaulttest.Scan(secrets, dir)
	if err != nil {
		t.Fatal(err)
	}
	for canary, places := range found {
		t.Errorf("%s can be read in %v", canary, places)
	}
	control := filepath.Join(t.TempDir(), "control")
	plant(t, control, seal.Plaintext, canaries)
	if found, err = vaulttest.Scan(canaries, control); err != nil {
		t.Fatal(err)
	}
	for _, canary := range canaries {
		if len(found[canary]) == 0 {
			t.Errorf("the control does not find %s", canary)
		}
	}
	open(t, control) // the control is a vault like any other, to this test binary
}
