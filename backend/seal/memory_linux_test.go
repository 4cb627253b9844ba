//go:build goexperiment.runtimesecret && (amd64 || arm64)

package seal

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"keepsake/backend/vault/vaulttest"
)

// TestNoKeyStaysInMemory looks for the master key, a data key and a purpose key
// in the memory of this process, before and after the keys are wiped. It needs
// GOEXPERIMENT=runtimesecret; `make test` builds it so where that exists.
func TestNoKeyStaysInMemory(t *testing.T) {
	var wanted [][]byte
	keys := func() *Keys {
		h, k, _, err := NewHeader(HeaderOptions{Cipher: AES256GCM, KDF: TestKDF(), Passphrase: []byte("a long passphrase"), Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		k.Wipe()
		if k, err = h.Unlock(context.Background(), []byte("a long passphrase")); err != nil {
			t.Fatal(err)
		}
		wrapped, err := k.NewEpoch(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.OpenEpoch(1, wrapped); err != nil {
			t.Fatal(err)
		}
		s := k.Sealer()
		for range 100 {
			value, err := s.Seal(Record{Collection: 1, KeyVersion: 1}, "id", []byte("text"))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, _, err := s.Open(1, 0, value); err != nil {
				t.Fatal(err)
			}
		}
		index := k.purpose(forIDIndex)
		wanted = [][]byte{inverted(k.master[:]), inverted(k.epochs[1][:]), inverted(index)}
		clear(index)
		return k
	}()
	runtime.GC()
	before := scan(t, wanted)
	if before[0] != 1 || before[1] != 1 || before[2] != 1 {
		t.Errorf("open: %d copies of the master key, %d of the data key, %d of a purpose key; want one of each", before[0], before[1], before[2])
	}
	keys.Wipe()
	runtime.GC()
	after := scan(t, wanted)
	if after[0]+after[1]+after[2] != 0 {
		t.Errorf("wiped: %v copies stay", after)
	}
}

func inverted(key []byte) []byte {
	out := make([]byte, len(key))
	for i, b := range key {
		out[i] = ^b
	}
	return out
}

func scan(t *testing.T, wanted [][]byte) []int {
	t.Helper()
	counts, err := vaulttest.MemoryScan(os.Getpid(), wanted)
	if err != nil {
		// Hardened kernels and containers forbid it, also to oneself.
		t.Skip("SKIPPED: this process may not read its own memory: ", err)
	}
	return counts
}
