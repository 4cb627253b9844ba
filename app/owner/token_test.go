package owner_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"keepsake/backend/fault"
)

// TestToken: it is made once, only this account can read it, and each agent has its own.
func TestToken(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "agents")
	token, path, err := clientOf(t, t.TempDir(), "cursor", keys).Token()
	if err != nil || len(token) < 26 || path != filepath.Join(keys, "cursor.token") {
		t.Fatalf("%d characters in %s, %v", len(token), path, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if again, _, err := clientOf(t, t.TempDir(), "cursor", keys).Token(); err != nil || again != token {
		t.Errorf("another one the second time (%v)", err)
	}
	if other, _, err := clientOf(t, t.TempDir(), "zed", keys).Token(); err != nil || other == token {
		t.Errorf("the same for another agent (%v)", err)
	}
}

// TestTokenOfTwo: processes that start at once have the same.
func TestTokenOfTwo(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "agents")
	tokens := make([]string, 8)
	var all sync.WaitGroup
	for i := range tokens {
		c := clientOf(t, t.TempDir(), "cursor", keys)
		all.Go(func() {
			token, _, err := c.Token()
			if err != nil {
				t.Error(err)
			}
			tokens[i] = token
		})
	}
	all.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Errorf("%d different ones", len(tokens))
			break
		}
	}
}

// TestTokenFile: one that is short, broken off, no file, or that others can read is refused, and so is a
// folder in which none can be made. No error has the token.
func TestTokenFile(t *testing.T) {
	const good = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for name, prepare := range map[string]func(path string) error{
		"empty":  func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"short":  func(path string) error { return os.WriteFile(path, []byte(good[1:]), 0o600) },
		"words":  func(path string) error { return os.WriteFile(path, []byte(good+" "+good), 0o600) },
		"lines":  func(path string) error { return os.WriteFile(path, []byte(good+"\n"+good), 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"open":   func(path string) error { return writeAs(path, good, 0o644) },
		"group":  func(path string) error { return writeAs(path, good, 0o640) },
	} {
		if runtime.GOOS == "windows" && (name == "open" || name == "group") {
			continue
		}
		keys := t.TempDir()
		path := filepath.Join(keys, "cursor.token")
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		wantTokenFile(t, name, keys, good)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := writeAs(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	wantTokenFile(t, "no folder", file, good)
	keys := t.TempDir()
	if err := writeAs(filepath.Join(keys, "cursor.token"), " "+good+"\r\n", 0o600); err != nil {
		t.Fatal(err)
	}
	if token, _, err := clientOf(t, t.TempDir(), "cursor", keys).Token(); err != nil || token != good {
		t.Errorf("one that a person wrote: %v", err)
	}
}

// writeAs writes a file with a mode, whatever the umask is.
func writeAs(path, text string, mode os.FileMode) error {
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func wantTokenFile(t *testing.T, name, keys, secret string) {
	t.Helper()
	token, _, err := clientOf(t, t.TempDir(), "cursor", keys).Token()
	if f := fault.From(err); token != "" || f == nil || f.Reason != "agent-token-file" || strings.Contains(f.Error(), secret[:10]) {
		t.Errorf("%s: %q, %v", name, token, err)
	}
}
