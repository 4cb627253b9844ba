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

// TestViewPairEndsWhileTheFileIsMappedAnew: a pair ends although the data file waits for its end
// to be mapped anew, and another View waits for that.
func TestViewPairEndsWhileTheFileIsMappedAnew(t *testing.T) {
	v := newVault(t)
	stop := vault.Grow(t, v)
	ended, viewed := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- v.ViewPair(func(_, _ *vault.Tx) error {
			time.Sleep(time.Second) // until the growing file waits; were that too short, the test would pass
			go func() { viewed <- v.View(func(*vault.Tx) error { return nil }) }()
			time.Sleep(time.Second) // until the view waits, too
			return nil
		})
	}()
	for _, end := range []chan error{ended, viewed} {
		select {
		case err := <-end:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("they wait for each other")
		}
	}
	stop()
}
