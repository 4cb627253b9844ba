package bridge_test

import (
	"slices"
	"testing"
)

// Promise: who asks while the vault is locked is named until it is unlocked, and brings the window
// forward once, however often it asks.
func TestWhoAsksALockedVault(t *testing.T) {
	d := &desk{}
	service, b := bridged(t, d)
	defer b.Close()
	named := func(want ...string) {
		t.Helper()
		if got, err := b.Vault.LockedOut(); err != nil || !slices.Equal(got, want) {
			t.Errorf("named are %q: %v; want %q", got, err, want)
		}
	}
	named()
	for _, name := range []string{"Cursor", "cursor", "zed", "../x", ""} {
		service.NoteLockedCall(name)
	}
	named("cursor", "zed")
	if d.raised != 1 {
		t.Errorf("the window came forward %d times", d.raised)
	}
	if _, err := service.CreateVault(t.Context(), []byte("lantern harbor walnut copper"), "test"); err != nil {
		t.Fatal(err)
	}
	for got, _ := b.Vault.LockedOut(); len(got) > 0; got, _ = b.Vault.LockedOut() { // the event comes a moment later
		if t.Context().Err() != nil {
			t.Fatal("they are named still")
		}
	}
	if err := service.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	service.NoteLockedCall("zed")
	named("zed")
	if d.raised != 2 {
		t.Errorf("the window came forward %d times", d.raised)
	}
}
