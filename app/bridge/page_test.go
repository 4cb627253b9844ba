package bridge_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"

	"keepsake/app/bridge"
	"keepsake/backend/core"
)

// Promise: a page is thrown away once when what it shows is locked, and only
// then: not by what is done to the files of a vault that is locked already, and
// after a vault was destroyed only when the page has said so.
func TestThePageIsThrownAwayWithWhatItShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pass := "lantern harbor walnut copper"
		service, err := core.New(core.Config{VaultDir: filepath.Join(t.TempDir(), "vault"), ScratchDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		d := &desk{}
		b := bridge.New(t.Context(), service, d)
		defer b.Close()
		after := func(what string, want int, err error) {
			t.Helper()
			synctest.Wait()
			if d.mu.Lock(); d.thrown != want || err != nil {
				t.Errorf("%s: thrown away %d times instead of %d, %v", what, d.thrown, want, err)
			}
			d.mu.Unlock()
		}
		_, err = service.CreateVault(context.Background(), []byte(pass), "test")
		after("a new vault", 0, err)
		err = b.Vault.Lock()
		after("a lock", 1, err)
		_, err = b.Care.Recover(pass, "", true)
		after("a recovery tried out", 1, err)
		_, err = b.Care.Recover(pass, "", false)
		after("a recovery", 1, err)
		view, err := b.Vault.Unlock(pass)
		after("an unlock", 1, err)
		if _, err := b.Care.Destroy("something else", pass, "", ""); err == nil {
			t.Fatal("it is destroyed at any word")
		}
		if _, err := b.Care.Destroy(view.Name, "", "", ""); err == nil {
			t.Fatal("it is destroyed without its passphrase")
		}
		after("a destroying that was refused", 1, nil)
		_, err = b.Care.Destroy(view.Name, pass, "", "")
		after("a destroying", 1, err)
		err = b.Care.Part()
		after("the last word", 2, err)
		err = b.Care.Part()
		after("the same once more", 2, err)
	})
}
