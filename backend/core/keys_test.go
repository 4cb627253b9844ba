package core_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

var newPassphrase = []byte("another good passphrase")

// groupsOf are the groups that an offer asks for.
func groupsOf(o core.RecoveryOffer) []string {
	all := strings.Split(o.RecoveryKey, "-")
	return []string{strings.ToLower(all[o.Ask[0]]), all[o.Ask[1]]}
}

// Promise: the passphrase changes only for who knows the old one.
func TestChangePassphrase(t *testing.T) {
	k := bare(t, "")
	ok(k.CreateVault(ctx, passphrase, "test"))
	wantFault(t, k.ChangePassphrase(ctx, []byte("not the passphrase"), newPassphrase), fault.WrongPassphrase, "wrong-passphrase")
	wantFault(t, k.ChangePassphrase(ctx, passphrase, []byte("short")), fault.Invalid, "passphrase-too-short")
	if err := errors.Join(k.ChangePassphrase(ctx, passphrase, newPassphrase), k.Lock(ctx)); err != nil {
		t.Fatal(err)
	}
	wantFault(t, k.ChangePassphrase(ctx, newPassphrase, passphrase), fault.Locked, "vault-locked")
	wantFault(t, k.Unlock(ctx, passphrase), fault.WrongPassphrase, "wrong-passphrase")
	if err := k.Unlock(ctx, newPassphrase); err != nil {
		t.Fatal(err)
	}
	if st := k.state(); !strings.Contains(st.KDF, "64KiB") {
		t.Errorf("the cost for tests did not stay: %s", st.KDF)
	}
}

// Promise: a new recovery key counts once two of its groups were typed back,
// and not before.
func TestRecoveryIsConfirmed(t *testing.T) {
	k := bare(t, "")
	made := ok(k.CreateVault(ctx, passphrase, "test"))
	wantFault(t, k.ConfirmRecovery(ctx, []string{"a", "b"}), fault.Conflict, "no-recovery-offer")
	_, err := k.BeginRecovery(ctx, []byte("not the passphrase"))
	wantFault(t, err, fault.WrongPassphrase, "wrong-passphrase")
	offer := ok(k.BeginRecovery(ctx, passphrase))
	if offer.Ask[0] >= offer.Ask[1] || offer.Ask[1] > 5 {
		t.Fatalf("asks for %v", offer.Ask)
	}
	right := groupsOf(offer)
	for _, typed := range [][]string{nil, {right[0]}, {right[1], right[0]}, {right[0], "00000"}, {right[0], right[1], right[1]}} {
		wantFault(t, k.ConfirmRecovery(ctx, typed), fault.Invalid, "recovery-groups-differ")
	}
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if err := k.UnlockRecovery(ctx, made.RecoveryKey); err != nil {
		t.Fatalf("the old key counts until the new one is confirmed: %v", err)
	}
	wantFault(t, k.ConfirmRecovery(ctx, right), fault.Conflict, "no-recovery-offer") // gone with the lock
	offer = ok(k.BeginRecovery(ctx, passphrase))
	if err := errors.Join(k.ConfirmRecovery(ctx, groupsOf(offer)), k.Lock(ctx)); err != nil {
		t.Fatal(err)
	}
	wantFault(t, k.UnlockRecovery(ctx, made.RecoveryKey), fault.WrongPassphrase, "wrong-recovery-code")
	wantFault(t, k.UseRecovery(ctx, offer.RecoveryKey, []byte("short")), fault.Invalid, "passphrase-too-short")
	if k.state().Unlocked {
		t.Error("a refused passphrase opened the vault")
	}
	if err := errors.Join(k.UseRecovery(ctx, offer.RecoveryKey, newPassphrase), k.Lock(ctx)); err != nil {
		t.Fatal(err)
	}
	wantFault(t, k.Unlock(ctx, passphrase), fault.WrongPassphrase, "wrong-passphrase")
	if err := k.Unlock(ctx, newPassphrase); err != nil {
		t.Fatal(err)
	}
}

// fakeKeychain stands in for the operating system's.
type fakeKeychain struct {
	held map[string][]byte
	fail error
}

func (f *fakeKeychain) Set(id string, secret []byte) error {
	if f.fail == nil {
		f.held[id] = append([]byte(nil), secret...)
	}
	return f.fail
}

func (f *fakeKeychain) Get(id string) ([]byte, error) {
	secret, there := f.held[id]
	if !there && f.fail == nil {
		return nil, fault.New(fault.NotFound, "keychain-empty", "")
	}
	return append([]byte(nil), secret...), f.fail
}

func (f *fakeKeychain) Delete(id string) error { delete(f.held, id); return f.fail }

// Promise: the keychain opens the vault only after the person allowed it, and
// not after they took that back.
func TestKeychainIsOffByDefault(t *testing.T) {
	chain := &fakeKeychain{held: map[string][]byte{}}
	svc := serviceWith(t, filepath.Join(t.TempDir(), "vault"), chain)
	made := ok(svc.CreateVault(ctx, passphrase, "test"))
	if len(chain.held) != 0 || !svc.HasKeychain(ctx) {
		t.Fatal("a new vault uses the keychain, or there is none")
	}
	wantFault(t, svc.AllowKeychain(ctx, []byte("not the passphrase")), fault.WrongPassphrase, "wrong-passphrase")
	if err := errors.Join(svc.AllowKeychain(ctx, passphrase), svc.Lock(ctx), svc.UnlockKeychain(ctx)); err != nil {
		t.Fatal(err)
	}
	kept := chain.held[made.VaultID]
	if err := errors.Join(svc.RemoveKeychain(ctx), svc.Lock(ctx)); err != nil {
		t.Fatal(err)
	}
	wantFault(t, svc.UnlockKeychain(ctx), fault.NotFound, "keychain-empty")
	chain.held[made.VaultID] = kept // what somebody copied out of it
	wantFault(t, svc.UnlockKeychain(ctx), fault.WrongPassphrase, "wrong-keychain")

	chain.fail = fault.New(fault.Unsupported, "no-keychain", "")
	if err := svc.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	wantFault(t, svc.AllowKeychain(ctx, passphrase), fault.Unsupported, "no-keychain")
	if st := ok(svc.VaultState(ctx)); len(st.Slots) != 2 || svc.HasKeychain(ctx) {
		t.Errorf("slots %v", st.Slots)
	}
	without := serviceWith(t, filepath.Join(t.TempDir(), "vault"), nil)
	wantFault(t, without.UnlockKeychain(ctx), fault.Unsupported, "no-keychain")
}

// Promise: who copies the whole folder back is noticed where the keychain was
// allowed, and nobody is accused of anything otherwise.
func TestAnOlderFolderIsNoticed(t *testing.T) {
	dir, chain := filepath.Join(t.TempDir(), "vault"), &fakeKeychain{held: map[string][]byte{}}
	copied := filepath.Join(t.TempDir(), "copied")
	svc := serviceWith(t, dir, chain)
	made := ok(svc.CreateVault(ctx, passphrase, "test"))
	if err := errors.Join(svc.AllowKeychain(ctx, passphrase), svc.Lock(ctx), os.CopyFS(copied, os.DirFS(dir)), svc.Unlock(ctx, passphrase)); err != nil {
		t.Fatal(err)
	}
	ok(svc.AddMemory(ctx, core.NewMemory{Type: "fact", Content: "I row on Sundays."}))
	reopened := func() string {
		t.Helper()
		if err := svc.Unlock(ctx, passphrase); err != nil {
			t.Fatal(err)
		}
		core.CheckRollback(svc)
		return ok(svc.VaultState(ctx)).Warning
	}
	if err := svc.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	if got := reopened(); got != "" {
		t.Errorf("the same vault: %q", got)
	}
	if err := errors.Join(svc.Lock(ctx), os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(copied))); err != nil {
		t.Fatal(err)
	}
	if got := reopened(); got != "older-than-before" {
		t.Errorf("the folder of before: %q", got)
	}
	if err := svc.Lock(ctx); err != nil { // the person knows now
		t.Fatal(err)
	}
	if got := reopened(); got != "" {
		t.Errorf("after it was said: %q", got)
	}
	if err := svc.RemoveKeychain(ctx); err != nil {
		t.Fatal(err)
	}
	if len(chain.held) != 0 {
		t.Errorf("the keychain still holds %d entries of %s", len(chain.held), made.VaultID)
	}
}

func serviceWith(t *testing.T, dir string, chain core.Keychain) *core.Service {
	t.Helper()
	svc := ok(core.New(core.Config{VaultDir: dir, ScratchDir: t.TempDir(), Keychain: chain}))
	t.Cleanup(func() { _ = svc.Close() })
	return svc
}

// Promise: a passphrase slot below today's floor is given again in the
// background, and nobody has to ask for it.
func TestSilentUpgradeOfTheKDF(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	weak := seal.KDF{MemoryKiB: 19 << 10, Time: 2, Threads: 1}
	v, _, err := vault.Create(dir, vault.CreateOptions{Passphrase: passphrase, KDF: weak})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	svc := serviceWith(t, dir, nil)
	upgraded := make(chan struct{}, 8)
	defer svc.Subscribe(func(e core.Event) {
		if e.Name == core.EventVault {
			upgraded <- struct{}{}
		}
	})()
	if err := svc.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(time.Minute); ok(svc.VaultState(ctx)).WeakKDF; {
		select {
		case <-upgraded:
		case <-deadline:
			t.Fatal("it was not upgraded")
		}
	}
	if err := errors.Join(svc.Lock(ctx), svc.Unlock(ctx, passphrase)); err != nil {
		t.Fatal(err)
	}
}

// Promise: a rotation goes on in the background to its end, can be paused, and
// says how far it is.
func TestRotation(t *testing.T) {
	k := bare(t, "")
	ok(k.CreateVault(ctx, passphrase, "test"))
	for _, text := range []string{"one", "two", "three"} {
		ok(k.AddMemory(ctx, core.NewMemory{Type: "fact", Content: text}))
	}
	if r := ok(k.Rotation(ctx)); r.Running || r.KeyVersion != 1 || r.Done != r.Total {
		t.Fatalf("before: %+v", r)
	}
	if err := errors.Join(k.BeginRotation(ctx), k.PauseRotation(ctx)); err != nil {
		t.Fatal(err)
	}
	if r := ok(k.Rotation(ctx)); r.KeyVersion != 2 || r.Running && !r.Paused {
		t.Errorf("paused: %+v", r)
	}
	told := make(chan core.Rotation, 100)
	defer k.Subscribe(func(e core.Event) {
		if r, is := e.Payload.(core.Rotation); is {
			select {
			case told <- r:
			default:
			}
		}
	})()
	if err := k.ResumeRotation(ctx); err != nil {
		t.Fatal(err)
	}
	for deadline := time.After(time.Minute); ok(k.Rotation(ctx)).Running; {
		select {
		case <-told:
		case <-deadline:
			t.Fatalf("it did not end: %+v", ok(k.Rotation(ctx)))
		}
	}
	r := ok(k.Rotate(ctx, nil)) // and again, waiting for it
	if r.Running || r.KeyVersion != 3 || r.Done != r.Total {
		t.Errorf("ended: %+v", r)
	}
	if len(k.memories(core.MemoryQuery{})) != 3 {
		t.Error("memories are missing")
	}
}

// mayRekey gets the recovery key for a re-key, once each thing that stands in
// its way was refused without one, and before a new passphrase was asked for
// where that does not matter.
func (k *kit) mayRekey() core.RecoveryOffer {
	k.t.Helper()
	asked := 0
	choose := func(chosen []byte) func() ([]byte, error) {
		return func() ([]byte, error) { asked++; return chosen, nil }
	}
	_, err := k.BeginRekey(ctx, []byte("not the passphrase"), choose(newPassphrase))
	wantFault(k.t, err, fault.WrongPassphrase, "wrong-passphrase")
	if err := k.FreezeVault(ctx, true); err != nil {
		k.t.Fatal(err)
	}
	_, err = k.BeginRekey(ctx, passphrase, choose(newPassphrase))
	wantFault(k.t, err, fault.Refused, "vault-frozen")
	if err := k.FreezeVault(ctx, false); err != nil {
		k.t.Fatal(err)
	}
	if asked > 0 {
		k.t.Error("a new passphrase was asked for in vain")
	}
	_, err = k.BeginRekey(ctx, passphrase, choose([]byte("short")))
	wantFault(k.t, err, fault.Invalid, "passphrase-too-short")
	wantFault(k.t, k.Rekey(ctx, passphrase, newPassphrase, nil, nil), fault.Conflict, "no-recovery-offer")
	return ok(k.BeginRekey(ctx, passphrase, choose(newPassphrase)))
}

// Promise: after a re-key the vault is open under its new passphrase, with all
// that was in it, and the old secrets open nothing.
func TestRekey(t *testing.T) {
	k := bare(t, "")
	made := ok(k.CreateVault(ctx, passphrase, "test"))
	ok(k.AddMemory(ctx, core.NewMemory{Type: "fact", Content: "I live in Lisbon"}))
	wantFault(t, k.Rekey(ctx, passphrase, newPassphrase, nil, nil), fault.Conflict, "no-recovery-offer")
	offer := k.mayRekey()
	wantFault(t, k.Rekey(ctx, passphrase, newPassphrase, []string{"x", "y"}, nil), fault.Invalid, "recovery-groups-differ")
	wantFault(t, k.Rekey(ctx, []byte("not the passphrase"), newPassphrase, groupsOf(offer), nil), fault.WrongPassphrase, "wrong-passphrase")
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := k.Rekey(stopped, passphrase, newPassphrase, groupsOf(offer), nil); fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("stopped: %v", err)
	}
	told := 0
	if err := k.Rekey(ctx, passphrase, newPassphrase, groupsOf(offer), func(int, int) { told++ }); err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	st := k.state()
	if !st.Unlocked || st.VaultID != made.VaultID || st.DID != made.DID || st.Memories != 1 || told == 0 {
		t.Errorf("after: %+v, told %d times", st, told)
	}
	k.saying("I live in Lisbon")
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	wantFault(t, k.Unlock(ctx, passphrase), fault.WrongPassphrase, "wrong-passphrase")
	wantFault(t, k.UnlockRecovery(ctx, made.RecoveryKey), fault.WrongPassphrase, "wrong-recovery-code")
	if err := k.UnlockRecovery(ctx, offer.RecoveryKey); err != nil {
		t.Fatal(err)
	}
}
