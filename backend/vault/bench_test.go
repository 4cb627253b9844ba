package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"keepsake/backend/vault"
)

// memoryBytes is the size of a usual memory in canonical form.
const memoryBytes = 690

func fillMemories(b *testing.B, v *vault.Vault, n int) {
	b.Helper()
	plain := bytes.Repeat([]byte("m"), memoryBytes)
	for from := 0; from < n; from += 10_000 {
		update(b, v, func(tx *vault.Tx) error {
			for i := from; i < min(n, from+10_000); i++ {
				if err := tx.Put(vault.Memories, fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i), day, plain); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// BenchmarkPut stores memories, ten thousand a transaction.
func BenchmarkPut(b *testing.B) {
	v := newVault(b)
	b.SetBytes(memoryBytes)
	fillMemories(b, v, b.N)
}

// BenchmarkPutOne is one edit: one record, one flushed transaction.
func BenchmarkPutOne(b *testing.B) {
	v := newVault(b)
	fillMemories(b, v, 1000)
	plain := bytes.Repeat([]byte("e"), memoryBytes)
	for i := 0; b.Loop(); i++ {
		update(b, v, func(tx *vault.Tx) error {
			return tx.Put(vault.Memories, fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i%1000), day, plain)
		})
	}
}

// BenchmarkEach100k opens all of 100,000 memories.
func BenchmarkEach100k(b *testing.B) {
	v := newVault(b)
	fillMemories(b, v, 100_000)
	for b.Loop() {
		n := 0
		view(b, v, func(tx *vault.Tx) error {
			for e, err := range tx.Each(vault.Memories) {
				if err != nil {
					return err
				}
				n += len(e.Plain)
			}
			return nil
		})
		if n != 100_000*memoryBytes {
			b.Fatalf("read %d bytes", n)
		}
	}
}

// BenchmarkUnlock100k opens a vault of 100,000 memories with the test's cost,
// so it shows what comes after the key derivation.
func BenchmarkUnlock100k(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "vault")
	v, _ := create(b, dir)
	fillMemories(b, v, 100_000)
	for b.Loop() {
		v.Lock()
		if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkImport10k stores 10,000 messages of 1 KB in 200 conversations.
func BenchmarkImport10k(b *testing.B) {
	v := newVault(b)
	c := conversation("c", 50, 1000)
	for round := 0; b.Loop(); round++ {
		update(b, v, func(tx *vault.Tx) error {
			for i := range 200 {
				c.ID = fmt.Sprintf("r%d-c%d", round, i)
				if err := putConversation(tx, vault.ConversationHead{}, c); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// BenchmarkMessages reads 10,000 messages of 1 KB back.
func BenchmarkMessages(b *testing.B) {
	v := newVault(b)
	update(b, v, func(tx *vault.Tx) error {
		return putConversation(tx, vault.ConversationHead{}, conversation("c", 10_000, 1000))
	})
	for b.Loop() {
		view(b, v, func(tx *vault.Tx) error {
			for _, err := range tx.Messages("c") {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}
