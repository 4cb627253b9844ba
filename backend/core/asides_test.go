package core_test

import (
	"os"
	"path/filepath"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Promise (M4): earlier states of the vault go where the person wants it; another vault
// that a restore put aside stays, since it may be all that there is of it.
func TestOnlyCopiesOfTheVaultAreRemoved(t *testing.T) {
	k, other := full(t), other(t)
	mine, theirs := filepath.Join(t.TempDir(), "mine.zip"), filepath.Join(t.TempDir(), "theirs.zip")
	for path, of := range map[string]*kit{mine: k, theirs: other} {
		ok(of.BackupVault(ctx, path))
	}
	secret := core.Secret{Passphrase: []byte(passphrase)}
	first := ok(k.RestoreBackup(ctx, core.Input{Path: mine}, secret)).Aside    // of the same vault
	second := ok(k.RestoreBackup(ctx, core.Input{Path: theirs}, secret)).Aside // mine makes room for another
	_, err := k.RemoveAsides(ctx, secret)
	wantFault(t, err, fault.Locked, "vault-locked")
	if err := k.Unlock(ctx, []byte(passphrase)); err != nil {
		t.Fatal(err)
	}
	if all := ok(k.Asides(ctx)); len(all) != 2 || all[0].Same || all[1].Same {
		t.Errorf("%+v", all)
	}
	if gone := ok(k.RemoveAsides(ctx, secret)); len(gone) != 0 {
		t.Errorf("removed: %+v", gone)
	}
	third := ok(k.RestoreBackup(ctx, core.Input{Path: mine}, secret)).Aside
	if err := k.Unlock(ctx, []byte(passphrase)); err != nil {
		t.Fatal(err)
	}
	ok(k.DestroyVault(ctx, ok(k.VaultState(ctx)).VaultID, secret, "", true))
	for path, stays := range map[string]bool{first: false, second: false, third: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Promise: that a vault is open removes no copy of it; its passphrase does, and its
// recovery key.
func TestRemovingCopiesAsksAgain(t *testing.T) {
	k := bare(t, "")
	made := ok(k.CreateVault(ctx, []byte(passphrase), "test"))
	backup := filepath.Join(t.TempDir(), "b.zip")
	ok(k.BackupVault(ctx, backup))
	byPass, byKey := core.Secret{Passphrase: []byte(passphrase)}, core.Secret{Recovery: made.RecoveryKey}
	for _, right := range []core.Secret{byPass, byKey} {
		aside := ok(k.RestoreBackup(ctx, core.Input{Path: backup}, byPass)).Aside
		if err := k.Unlock(ctx, []byte(passphrase)); err != nil {
			t.Fatal(err)
		}
		for name, wrong := range map[string]core.Secret{
			"nothing": {}, "another passphrase": {Passphrase: []byte("not it")}, "the recovery key for the passphrase": {Passphrase: []byte(made.RecoveryKey)},
		} {
			if _, err := k.RemoveAsides(ctx, wrong); fault.CodeOf(err) != fault.WrongPassphrase {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Stat(aside); err != nil {
			t.Fatal(err)
		}
		if gone := ok(k.RemoveAsides(ctx, right)); len(gone) != 1 || gone[0].Path != aside {
			t.Errorf("removed: %+v", gone)
		}
	}
}
