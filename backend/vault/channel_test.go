package vault_test

import (
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// TestChannelKey: who has a secret of the vault derives the key that the process with the vault
// open has, and changes nothing in the folder.
func TestChannelKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, code := create(t, dir)
	want, err := v.ChannelKey()
	if err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, dir)
	for name, try := range map[string]vault.Opening{"passphrase": vault.ByPassphrase(t.Context(), []byte(passphrase)), "recovery key": vault.ByRecoveryCode(t.Context(), code)} {
		if key, err := vault.ChannelKeyOf(dir, try); err != nil || *key != *want {
			t.Errorf("by the %s: %v, %v", name, key, err)
		}
	}
	_, err = vault.ChannelKeyOf(dir, vault.ByPassphrase(t.Context(), []byte("another passphrase")))
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	if after := fingerprint(t, dir); after != before {
		t.Error("the folder changed")
	}
	_, err = vault.ChannelKeyOf(t.TempDir(), vault.ByPassphrase(t.Context(), []byte(passphrase)))
	wantFault(t, err, fault.NotFound, "no-vault")
	v.Lock()
	_, err = v.ChannelKey()
	wantFault(t, err, fault.Locked, "vault-locked")
}

// TestChannelKeyAfterAChange: the passphrase of before derives nothing, also where one of the two
// header files is still the old one, and the new one does where one of them is damaged.
func TestChannelKeyAfterAChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	old, err := os.ReadFile(filepath.Join(dir, "vault.head"))
	if err != nil {
		t.Fatal(err)
	}
	next := []byte("lantern harbor walnut copper")
	if err := v.ChangePassphrase(t.Context(), []byte(passphrase), next, v.Info().KDF); err != nil {
		t.Fatal(err)
	}
	want, err := v.ChannelKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range [][]byte{nil, old, []byte("damaged")} {
		if head != nil {
			if err := os.WriteFile(filepath.Join(dir, "vault.head"), head, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err = vault.ChannelKeyOf(dir, vault.ByPassphrase(t.Context(), []byte(passphrase)))
		if err == nil || fault.CodeOf(err) != fault.WrongPassphrase {
			t.Errorf("the old passphrase beside %.8q: %v", head, err)
		}
		if key, err := vault.ChannelKeyOf(dir, vault.ByPassphrase(t.Context(), next)); err != nil || *key != *want {
			t.Errorf("the new passphrase beside %.8q: %v", head, err)
		}
	}
}
