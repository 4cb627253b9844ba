package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/importer/importertest/gen"
)

// mostBeside is what an import of very many memories may take beside what the same vault
// takes when it is merely open, in megabytes, however many they are.
const mostBeside = 300

// TestManyMemories imports lists of very many memories, each into a vault of its own, and
// the signed document that the last of them leaves as: what an import keeps of each goes
// to the vault, and does not grow with how many there are.
func TestManyMemories(t *testing.T) {
	n := sized(25_000, 1_000_000)
	document := filepath.Join(t.TempDir(), "out.pam.json")
	lists := gen.Many()
	for i, list := range lists {
		t.Run(list.Name, func(t *testing.T) {
			dir := vaultWithPass(t)
			beside(t, n, dir, listed(t, list, dir, n)...)
			if i == len(lists)-1 {
				watched(t, dir, "export", "pam", "--no-redact", "-o", document)
			}
		})
	}
	t.Run("PAM", func(t *testing.T) { beside(t, n, vaultWithPass(t), document) })
}

// listed writes n memories into as many files as they need.
func listed(t *testing.T, list gen.ManyMemories, dir string, n int) (paths []string) {
	t.Helper()
	for from := 0; from < n; from += list.Most {
		path := filepath.Join(dir, strconv.Itoa(from)+"-"+list.Name)
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(list.Write(f, from, min(from+list.Most, n)), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// vaultWithPass is a folder with a new vault and its passphrase.
func vaultWithPass(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	watched(t, dir, "init", "--kdf", "test")
	return dir
}

// beside imports n memories and compares what that takes with what the vault takes then.
func beside(t *testing.T, n int, dir string, paths ...string) {
	t.Helper()
	began := time.Now()
	took := watched(t, dir, append([]string{"import"}, paths...)...)
	elapsed := time.Since(began).Round(time.Second)
	open := watched(t, dir, "list", "memories", "--limit", "1")
	again := watched(t, dir, "list", "memories", "--limit", "1") // the first may find work that the import left
	open.resident, open.anon = min(open.resident, again.resident), min(open.anon, again.anon)
	s := &small{t: t, disk: dir, pass: filepath.Join(dir, "pass")}
	var all struct{ Memories int }
	s.run(0, &all, "status")
	t.Logf("%d memories in %v, %d MB resident, %d MB when open: %d MB beside it", n, elapsed, took.resident, open.resident, took.resident-open.resident)
	t.Logf("without what is mapped of files %d MB, %d MB when open: %d MB beside it", took.anon, open.anon, took.anon-open.anon)
	if all.Memories != n {
		t.Errorf("the vault has %d memories of %d", all.Memories, n)
	}
	// An open vault keeps mapped what it read, an import does not: memory is compared without.
	for _, more := range []int{took.resident - open.resident, took.anon - open.anon} {
		if open.anon == 0 || more > mostBeside {
			t.Errorf("%d MB beside what the open vault takes, at most %d", more, mostBeside)
		}
	}
}
