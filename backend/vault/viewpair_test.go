package vault_test

import (
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// TestViewPairWhileTheFileIsMappedAnew: two transactions begin while the data file grows and
// is mapped anew again and again, as with every growth on Windows. One View inside of another
// waited for ever here, in two of three rounds.
func TestViewPairWhileTheFileIsMappedAnew(t *testing.T) {
	for range 5 {
		v := newVault(t)
		stop := vault.Grow(t, v)
		over := make(chan error, 1)
		go func() { over <- readPairs(v, 3000) }()
		select {
		case err := <-over:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("the two wait for each other")
		}
		stop()
	}
}

// readPairs begins n pairs of transactions, and reads in both.
func readPairs(v *vault.Vault, n int) error {
	for range n {
		err := v.ViewPair(func(one, other *vault.Tx) error {
			for _, tx := range []*vault.Tx{one, other} {
				if _, err := tx.Get(vault.Memories, "none"); fault.CodeOf(err) != fault.NotFound {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
