package vault_test

import (
	"path/filepath"
	"strings"
	"testing"

	"keepsake/backend/seal"
)

// TestRequiredFeature: a feature that a reader must know stands in the header once, and still
// after a restart and a re-key.
func TestRequiredFeature(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	v, _ := create(t, dir)
	for range 2 {
		if err := v.Require(seal.CirclesFeature); err != nil {
			t.Fatal(err)
		}
	}
	announced := func(when string) {
		t.Helper()
		for _, name := range []string{"vault.head", "vault.head.bak"} {
			if n := strings.Count(string(readFile(t, dir, name)), `"features":["circles"]`); n != 1 {
				t.Errorf("%s, %s: %d times", when, name, n)
			}
		}
	}
	announced("required")
	o := rekeyOptions()
	if err := v.Rekey(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	announced("re-keyed")
	if err := v.Unlock(t.Context(), o.Passphrase); err != nil {
		t.Fatal(err)
	}
	announced("unlocked")
}
