package core_test

import (
	"os"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// TestDestroyingAsksAgain: that a vault is open destroys nothing; its passphrase does,
// and its recovery key.
func TestDestroyingAsksAgain(t *testing.T) {
	for _, by := range []string{"passphrase", "recovery"} {
		k := bare(t, "")
		made := ok(k.CreateVault(ctx, passphrase, "test"))
		dir := ok(k.VaultState(ctx)).Dir
		for name, wrong := range map[string]core.Secret{
			"nothing": {}, "another passphrase": {Passphrase: []byte("not it")}, "the recovery key for the passphrase": {Passphrase: []byte(made.RecoveryKey)},
		} {
			_, err := k.DestroyVault(ctx, made.VaultID, wrong, "", false)
			if fault.CodeOf(err) != fault.WrongPassphrase {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
		secret := core.Secret{Passphrase: passphrase}
		if by == "recovery" {
			secret = core.Secret{Recovery: made.RecoveryKey}
		}
		_, err := k.DestroyVault(ctx, "another id", secret, "", false)
		wantFault(t, err, fault.Refused, "destroy-not-confirmed")
		ok(k.DestroyVault(ctx, made.VaultID, secret, "", false))
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("by %s: %v", by, err)
		}
	}
}
