package vault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// rested makes the data file one that nobody has written to for a while.
func rested(t *testing.T, path string) time.Time {
	t.Helper()
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return at
}

func lookAhead(t *testing.T, dir string) *vault.Ahead {
	t.Helper()
	a := vault.LookAhead(dir)
	t.Cleanup(a.Stop)
	if err := a.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

func openBy(dir string, secret string, a *vault.Ahead) (*vault.Vault, error) {
	return vault.OpenBy(dir, clock, vault.ByPassphrase(context.Background(), []byte(secret)), a)
}

// Promise: a look ahead spares the opening its own, and only while the file is
// the one that was looked at.
func TestLookAheadHoldsForTheFileItSaw(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	path := filepath.Join(dir, "vault.db")
	at := rested(t, path)
	a := lookAhead(t, dir)
	if !a.Holds() {
		t.Fatal("a look at a file that rests does not hold")
	}
	v, err := openBy(dir, passphrase, a)
	if err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoiled := append([]byte(nil), whole...)
	for i := 2 * 4096; i < len(spoiled); i += 4096 {
		clear(spoiled[i : i+16]) // every page's head
	}
	rested(t, path)
	for name, change := range map[string]func(){
		"written to": func() { write(t, path, string(spoiled)) },
		"replaced": func() {
			write(t, path+".new", string(spoiled))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		},
		"longer": func() {
			write(t, path, string(append(spoiled, 0)))
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		},
	} {
		write(t, path, string(whole))
		rested(t, path)
		a := lookAhead(t, dir)
		change()
		if a.Holds() {
			t.Errorf("%s: the look still holds", name)
		}
		_, err := openBy(dir, passphrase, a)
		if fault.CodeOf(err) != fault.Damaged {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Promise: a file that was written to a moment ago is looked at under the lock,
// because its time may not tell of the next change.
func TestLookAheadLetsAFileRest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	soon := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "vault.db"), soon, soon); err != nil {
		t.Fatal(err)
	}
	a := vault.LookAhead(dir)
	v, err := openBy(dir, passphrase, a)
	if err != nil {
		t.Fatal(err)
	}
	closeVault(t, v)
	if a.Holds() {
		t.Error("it was looked at all the same")
	}
}

// Promise: opening with a secret tells what Open and Unlock tell, and gives the
// vault back afterwards.
func TestOpenByTellsWhatIsWrong(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	closeVault(t, v)
	_, err := openBy(dir, "another passphrase", nil)
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	v, err = openBy(dir, passphrase, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Tries()); n != 1 {
		t.Errorf("%d failed unlocks are known, want 1", n)
	}
	_, err = openBy(dir, passphrase, nil)
	wantFault(t, err, fault.Busy, "vault-busy")
	closeVault(t, v)
}

// Promise: what is owed to the log stands in front of the next change, once, and
// an update that fails pays nothing.
func TestOwedToTheLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	defer v.Close()
	before := v.State().Generation
	v.Owe(vault.Audited{Actor: vault.You, Action: "unlock"})
	if v.State().Generation != before {
		t.Error("owing wrote something")
	}
	failed := os.ErrInvalid
	if err := v.Update(func(*vault.Tx) error { return failed }); err != failed {
		t.Fatal(err)
	}
	err := v.Update(func(tx *vault.Tx) error { return tx.Audit(vault.Audited{Actor: vault.You, Action: "store"}) })
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Settle(); err != nil {
		t.Fatal(err)
	}
	if got := v.State().Generation; got != before+1 {
		t.Errorf("%d commits, want 1", got-before)
	}
	var actions []string
	err = v.View(func(tx *vault.Tx) error {
		for e, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
			actions = append(actions, e.Action)
		}
		return nil
	})
	if n := len(actions); err != nil || n < 2 || actions[n-2] != "unlock" || actions[n-1] != "store" {
		t.Errorf("the log says %v (%v)", actions, err)
	}
}
