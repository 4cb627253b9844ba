package vault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

const passphrase = "correct horse battery"

var day = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return day }

func create(t testing.TB, dir string) (*vault.Vault, string) {
	t.Helper()
	v, code, err := vault.Create(dir, vault.CreateOptions{Passphrase: []byte(passphrase), KDF: seal.TestKDF(), Now: clock})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v, code
}

func newVault(t testing.TB) *vault.Vault {
	t.Helper()
	v, _ := create(t, filepath.Join(t.TempDir(), "vault"))
	return v
}

// open opens and unlocks what must open.
func open(t testing.TB, dir string) *vault.Vault {
	t.Helper()
	v, err := tryOpen(t, dir)
	if err != nil {
		t.Fatalf("open: %v (%v)", err, errors.Unwrap(err))
	}
	return v
}

func tryOpen(t testing.TB, dir string) (*vault.Vault, error) {
	t.Helper()
	v, err := vault.Open(dir, clock)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = v.Close() })
	if err := v.Unlock(context.Background(), []byte(passphrase)); err != nil {
		_ = v.Close()
		return nil, err
	}
	return v, nil
}

func update(t testing.TB, v *vault.Vault, fn func(*vault.Tx) error) {
	t.Helper()
	if err := v.Update(fn); err != nil {
		t.Fatalf("update: %v (%v)", err, errors.Unwrap(err))
	}
}

// checkpointed waits until the data file has all that was committed, for tests that
// read it as it lies.
func checkpointed(t testing.TB, v *vault.Vault) {
	t.Helper()
	if err := v.Checkpoint(); err != nil {
		t.Fatalf("checkpoint: %v (%v)", err, errors.Unwrap(err))
	}
}

func view(t testing.TB, v *vault.Vault, fn func(*vault.Tx) error) {
	t.Helper()
	if err := v.View(fn); err != nil {
		t.Fatalf("view: %v (%v)", err, errors.Unwrap(err))
	}
}

func closeVault(t testing.TB, v *vault.Vault) {
	t.Helper()
	if err := v.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

// put stores records named prefix0, prefix1… in one transaction.
func put(t testing.TB, v *vault.Vault, c vault.Collection, prefix string, n int) {
	t.Helper()
	update(t, v, func(tx *vault.Tx) error {
		for i := range n {
			if err := tx.Put(c, fmt.Sprint(prefix, i), day.Add(time.Duration(i)*time.Second), fmt.Appendf(nil, "text of %s%d", prefix, i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func wantFault(t testing.TB, err error, code fault.Code, reason string) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || f.Reason != reason {
		t.Fatalf("got %v (%T), want the fault %s %s", err, err, code, reason)
	}
	if f.Message() == "" || strings.ContainsAny(f.Message(), "{}") {
		t.Errorf("the sentence of %s has open places: %q", reason, f.Message())
	}
}

// conversation makes one with n messages of about size bytes, half on a branch.
func conversation(id string, n, size int) *memory.Conversation {
	c := &memory.Conversation{
		ID: id, Title: "Title of " + id, Provider: memory.Provider{Name: "chatgpt", ConversationID: "native-" + id},
		Temporal: memory.ConversationTemporal{CreatedAt: memory.At(day)},
	}
	words := strings.Fields("the quick brown fox jumps over a lazy dog while it rains in Lisbon and nobody minds")
	for i := range n {
		var text strings.Builder
		for k := i; text.Len() < size; k += 7 {
			fmt.Fprintf(&text, "%s %d ", words[k%len(words)], k*k%9973)
		}
		m := memory.Message{
			ID: fmt.Sprintf("%s-m%d", id, i), Role: memory.User, CreatedAt: memory.At(day.Add(time.Duration(i) * time.Second)),
			Content: &memory.Content{Type: "text", Text: text.String()},
		}
		if i > 0 {
			m.ParentID = fmt.Sprintf("%s-m%d", id, i-1)
			c.Messages[i-1].ChildrenIDs = []string{m.ID}
		}
		c.Messages = append(c.Messages, m)
		c.Leaf = m.ID
	}
	return c
}

func copyFolder(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatalf("copy %s: %v", from, err)
	}
}

func putConversation(tx *vault.Tx, h vault.ConversationHead, c *memory.Conversation) error {
	_, err := tx.PutConversation(h, c)
	return err
}

// fastFolder is a folder in memory, where there is one: for tests that write a
// great deal, and ask nothing of the disk.
func fastFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "keepsake-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
