package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

const second = "a second passphrase"

// held is a copy of a vault folder as a kill at one step would leave it.
type held struct{ step, dir string }

// copyAtEachStep runs change and keeps the folder as it is before each of its
// steps, and after the last one.
func copyAtEachStep(t *testing.T, v *vault.Vault, dir string, change func()) []held {
	t.Helper()
	var out []held
	keep := func(step string) {
		to := filepath.Join(t.TempDir(), fmt.Sprintf("%02d", len(out)))
		copyFolder(t, dir, to)
		out = append(out, held{fmt.Sprintf("%02d %s", len(out), step), to})
	}
	vault.AtEachStep(v, keep)
	change()
	vault.AtEachStep(v, func(string) {})
	keep("done")
	return out
}

// opensWith unlocks a vault folder with a passphrase and hands it to check.
func opensWith(t *testing.T, dir, passphrase string, check func(*vault.Vault)) error {
	t.Helper()
	v, err := vault.Open(dir, clock)
	if err != nil {
		t.Fatalf("open: %v (%v)", err, errors.Unwrap(err))
	}
	defer v.Close()
	err = v.Unlock(context.Background(), []byte(passphrase))
	if err == nil && check != nil {
		check(v)
	}
	return err
}

func oneMemory(t *testing.T, v *vault.Vault) {
	t.Helper()
	update(t, v, func(tx *vault.Tx) error { return tx.Put(vault.Memories, "m", day, []byte("kept")) })
}

func hasMemory(t *testing.T) func(*vault.Vault) {
	return func(v *vault.Vault) {
		view(t, v, func(tx *vault.Tx) error {
			text, err := tx.Get(vault.Memories, "m")
			if string(text) != "kept" {
				t.Errorf("read %q", text)
			}
			return err
		})
	}
}

// Promise: a change of passphrase stopped at any step leaves a vault that opens
// with the old passphrase or with the new one; once it is done, only with the
// new one; and the recovery key opens it throughout.
func TestPassphraseChangeStoppedAnywhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, code := create(t, dir)
	oneMemory(t, v)
	copies := copyAtEachStep(t, v, dir, func() {
		if err := v.ChangePassphrase(t.Context(), []byte(passphrase), []byte(second), seal.TestKDF()); err != nil {
			t.Fatal(err)
		}
	})
	copies = slices.DeleteFunc(copies, func(c held) bool { // a slow machine comes to one by the clock
		return strings.HasSuffix(c.step, " checkpoint")
	})
	if len(copies) != 5 {
		t.Fatalf("%d steps; the order is .bak, .head, vault.db, the copy beside the snapshot", len(copies)-1)
	}
	for _, c := range copies {
		t.Run(c.step, func(t *testing.T) {
			again := filepath.Join(t.TempDir(), "again")
			copyFolder(t, c.dir, again)
			older := opensWith(t, c.dir, passphrase, hasMemory(t))
			newer := opensWith(t, again, second, hasMemory(t))
			if older != nil && newer != nil {
				t.Fatalf("neither opens: %v; %v", older, newer)
			}
			if c.dir == copies[len(copies)-1].dir && (older == nil || newer != nil) {
				t.Errorf("after the change: old %v, new %v", older, newer)
			}
			if v, err := vault.Open(again, clock); err != nil {
				t.Error(err)
			} else {
				if err := v.UnlockRecovery(t.Context(), code); err != nil {
					t.Error(err)
				}
				closeVault(t, v)
			}
			// What opened has settled: the copies agree, and the other opens no more.
			if older == nil && opensWith(t, c.dir, second, nil) == nil || newer == nil && opensWith(t, again, passphrase, nil) == nil {
				t.Error("both passphrases open the vault")
			}
		})
	}
	t.Logf("stopped at %d steps: each opens with the old or the new passphrase", len(copies))
}

// Promise: a header of before the change, put back by somebody, opens nothing;
// neither does one of a change that was given up.
func TestOldHeadersOpenNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	oneMemory(t, v)
	before := readFile(t, dir, "vault.head")
	copies := copyAtEachStep(t, v, dir, func() {
		if err := v.ChangePassphrase(t.Context(), []byte(passphrase), []byte(second), seal.TestKDF()); err != nil {
			t.Fatal(err)
		}
	})
	closeVault(t, v)
	writeBoth(t, dir, before)
	if err := opensWith(t, dir, passphrase, nil); err == nil {
		t.Error("the old header opened the vault")
	}
	if err := opensWith(t, dir, second, hasMemory(t)); err != nil {
		t.Errorf("the copy in the data file did not: %v", err)
	}

	givenUp := copies[1].dir // .bak is new, nothing else
	aborted := readFile(t, givenUp, "vault.head.bak")
	if err := opensWith(t, givenUp, passphrase, hasMemory(t)); err != nil {
		t.Fatal(err)
	}
	writeBoth(t, givenUp, aborted)
	wantFault(t, opensWith(t, givenUp, second, nil), fault.WrongPassphrase, "wrong-passphrase")
}

func writeBoth(t *testing.T, dir string, raw []byte) {
	t.Helper()
	for _, name := range []string{"vault.head", "vault.head.bak"} {
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Promise: a change of passphrase asks for the old one and refuses a new one
// that is too short, and neither changes anything.
func TestPassphraseChangeRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	before := readFile(t, dir, "vault.head")
	err := v.ChangePassphrase(t.Context(), []byte("not the passphrase"), []byte(second), seal.TestKDF())
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	err = v.ChangePassphrase(t.Context(), []byte(passphrase), []byte("seven c"), seal.TestKDF())
	wantFault(t, err, fault.Invalid, "passphrase-too-short")
	if string(readFile(t, dir, "vault.head")) != string(before) {
		t.Error("the header changed")
	}
	v.Lock()
	err = v.ChangePassphrase(t.Context(), []byte(passphrase), []byte(second), seal.TestKDF())
	wantFault(t, err, fault.Locked, "vault-locked")
}

// Promise: a new recovery key takes the place of the old one, and the key sets
// a new passphrase.
func TestRecoveryRenewedAndUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, old := create(t, dir)
	oneMemory(t, v)
	code := seal.NewRecoveryCode()
	if err := v.SetRecovery(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	v.Lock()
	wantFault(t, v.UnlockRecovery(t.Context(), old), fault.WrongPassphrase, "wrong-recovery-code")
	if err := v.UnlockRecovery(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	wantFault(t, v.SetPassphrase(t.Context(), old, []byte(second), seal.TestKDF()), fault.WrongPassphrase, "wrong-recovery-code")
	if err := v.SetPassphrase(t.Context(), code, []byte(second), seal.TestKDF()); err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	wantFault(t, opensWith(t, dir, passphrase, nil), fault.WrongPassphrase, "wrong-passphrase")
	if err := opensWith(t, dir, second, hasMemory(t)); err != nil {
		t.Error(err)
	}
}

// Promise: the keychain's slot opens the vault while it is there, and nothing
// does with it once it was taken away.
func TestKeychainSlot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	oneMemory(t, v)
	key := seal.NewKeychainKey()
	if v.HasSlot(seal.KeychainSlot) {
		t.Error("a new vault has a keychain slot")
	}
	if err := v.AllowKeychain(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	withSlot := readFile(t, dir, "vault.head")
	v.Lock()
	wantFault(t, v.UnlockKeychain(t.Context(), seal.NewKeychainKey()), fault.WrongPassphrase, "wrong-keychain")
	wantFault(t, v.UnlockKeychain(t.Context(), key[:31]), fault.WrongPassphrase, "wrong-keychain")
	if err := v.UnlockKeychain(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(v.RemoveKeychain(), v.RemoveKeychain()); err != nil {
		t.Fatal(err)
	}
	v.Lock()
	wantFault(t, v.UnlockKeychain(t.Context(), key), fault.WrongPassphrase, "wrong-keychain")
	closeVault(t, v)
	writeBoth(t, dir, withSlot)
	again, err := vault.Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	wantFault(t, again.UnlockKeychain(t.Context(), key), fault.WrongPassphrase, "wrong-keychain")
	if err := again.Unlock(t.Context(), []byte(passphrase)); err != nil {
		t.Errorf("the copy in the data file did not open: %v", err)
	}
}

// Promise: a slot below today's floor is wrapped again with a new salt and at
// least today's cost; the cost for tests and today's stay.
func TestUpgradeOfTheKDF(t *testing.T) {
	weak := seal.KDF{MemoryKiB: 19 << 10, Time: 4, Threads: 1}
	today := seal.KDF{MemoryKiB: 64 << 10, Time: 3, Threads: 4}
	dir := filepath.Join(t.TempDir(), "vault")
	v, _, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: weak, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	oneMemory(t, v)
	upgrade := func() bool {
		did, err := v.UpgradeKDF(t.Context(), []byte(passphrase), func() seal.KDF { return today })
		if err != nil {
			t.Fatal(err)
		}
		return did
	}
	if !upgrade() || upgrade() {
		t.Error("it is upgraded once")
	}
	if got, want := v.Info().KDF, (seal.KDF{MemoryKiB: 64 << 10, Time: 4, Threads: 4}); got != want {
		t.Errorf("upgraded to %s, want %s: never below what it was", got, want)
	}
	closeVault(t, v)
	if err := opensWith(t, dir, passphrase, hasMemory(t)); err != nil {
		t.Error(err)
	}

	forTests := newVault(t)
	if did, err := forTests.UpgradeKDF(t.Context(), []byte(passphrase), func() seal.KDF { return today }); did || err != nil {
		t.Errorf("the cost for tests was upgraded: %v, %v", did, err)
	}
}
