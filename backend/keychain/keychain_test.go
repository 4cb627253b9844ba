package keychain_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zalando/go-keyring"

	"keepsake/backend/fault"
	"keepsake/backend/keychain"
)

// The library's own fake stands in: a test must not write to the keychain of
// who runs it.
func TestKeepsOneSecretAVault(t *testing.T) {
	keyring.MockInit()
	var k keychain.System
	_, err := k.Get("a")
	wantFault(t, err, fault.NotFound, "keychain-empty")
	secret := []byte{0, 1, 2, 255}
	if err := errors.Join(k.Set("a", secret), k.Set("b", []byte("other"))); err != nil {
		t.Fatal(err)
	}
	if got, err := k.Get("a"); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := errors.Join(k.Delete("a"), k.Delete("a")); err != nil {
		t.Error(err)
	}
	_, err = k.Get("a")
	wantFault(t, err, fault.NotFound, "keychain-empty")
	if got, err := k.Get("b"); err != nil || string(got) != "other" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Promise: where there is no keychain, that is one clear sentence.
func TestNoKeychain(t *testing.T) {
	keyring.MockInitWithError(errors.New("dbus: no session bus"))
	var k keychain.System
	_, err := k.Get("a")
	wantFault(t, err, fault.Unsupported, "no-keychain")
	wantFault(t, k.Set("a", nil), fault.Unsupported, "no-keychain")
	wantFault(t, k.Delete("a"), fault.Unsupported, "no-keychain")
}

func wantFault(t *testing.T, err error, code fault.Code, reason string) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Code != code || f.Reason != reason {
		t.Fatalf("got %v, want %s %s", err, code, reason)
	}
}
