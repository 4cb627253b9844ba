//go:build !windows

package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// outputs are the commands that write a file or a folder; OUT is its name.
var outputs = []string{
	"export pam -o OUT.pam.json", "export pam --include conversations -o OUT.zip", "export mif -o OUT.mif.json", "export csv -o OUT.csv", "export html -o OUT.html",
	"export markdown -o OUT", "export obsidian -o OUT.zip", "export personal -o OUT.json", "export pam --encrypt --out-passphrase-file pass -o OUT.age",
	"backup OUT.keepsake-backup", "keygen -o OUT.key --passphrase-file pass", "restore --readable OUT.json",
}

// attacked is a folder with a vault that holds one memory.
func attacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--kdf", "test"}, {"add", "--type", "fact", "Keeps bees"}} {
		if out, err := keepsakeIn(t, dir, args...); err != nil {
			t.Fatal(err, out)
		}
	}
	return dir
}

// TestFilesAreTheOwnersAlone: the vault and whatever is written from it cannot be read by
// others, also where the account's umask forbids nothing.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := attacked(t)
	for _, line := range outputs {
		out := strings.Fields(strings.ReplaceAll(line, "OUT", "out-"+strings.Fields(line)[0]+strings.Fields(line)[1]))
		if said, err := keepsakeIn(t, dir, out...); err != nil {
			t.Errorf("%s: %v\n%s", line, err, said)
		}
	}
	files, open := 0, 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		files++
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			open++
			t.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files and folders of %d commands, %d can be read by others", files, len(outputs), open)
}

// TestNothingIsWrittenThroughALink: a link in the place of an output is replaced or
// refused; what it leads to stays as it was.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	dir := attacked(t)
	target := filepath.Join(dir, "target")
	written := 0
	for _, line := range outputs {
		if err := os.WriteFile(target, []byte("somebody's"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := strings.Fields(strings.ReplaceAll(line, "OUT", "link"))
		name := ""
		for _, arg := range args {
			if strings.HasPrefix(arg, "link") {
				name = filepath.Join(dir, arg)
			}
		}
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
		said, err := keepsakeIn(t, dir, args...)
		if text, failed := os.ReadFile(target); failed != nil || string(text) != "somebody's" {
			written++
			t.Errorf("%s: wrote through the link: %v %v\n%s", line, failed, err, said)
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d outputs tried, %d written through", len(outputs), written)
}
