//go:build !windows

package cli_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pipesFor is every command and flag that takes the name of a file to read; F is
// the name, and OUT one that does not exist.
var pipesFor = []string{
	"import F", "import --dry-run F", "import FOLDER", "import pass --in-passphrase-file F", "detect F", "convert F -o OUT",
	"verify F", "verify pass --trust F", "verify pass --in-passphrase-file F", "validate F", "inspect F", "merge F F -o OUT", "diff F F", "diff pass F",
	"sign F --key F", "sign pass --key F", "keys show F", "keys trust F --name x", "keys follow F", "canonicalize F",
	"restore F", "backup verify F", "list memories --passphrase-file F", "list memories --recovery-file F", "keygen -o OUT --passphrase-file F", "passphrase --new-passphrase-file F",
}

// Promise: every command that reads a file refuses a named pipe without a writer and
// an endless device with a message, and blocks on neither.
func TestNoCommandWaitsForAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "conversations.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := keepsakeIn(t, dir, "init", "--kdf", "test"); err != nil {
		t.Fatal(err, out)
	}
	var running sync.WaitGroup
	tries := 0
	for _, line := range pipesFor {
		for _, name := range []string{pipe, "/dev/zero", "/dev/random"} {
			tries++
			running.Go(func() {
				args := strings.Fields(strings.NewReplacer("FOLDER", folder, "F", name, "OUT", "made").Replace(line))
				out, err := keepsakeIn(t, dir, args...)
				if err == nil || strings.Contains(out, "no flag") || strings.Contains(out, "takes") {
					t.Errorf("%s of %s: %v\n%s", line, name, err, out)
				}
			})
		}
	}
	running.Wait()
	t.Logf("%d of %d commands ended with a sentence", tries, tries)
}

// keepsakeIn runs the program in a folder that has its vault and passphrase. One
// that waits for ever is ended, which is an error of the test.
func keepsakeIn(t *testing.T, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "keepsake", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/config", "XDG_DATA_HOME="+dir+"/data",
		"KEEPSAKE_VAULT="+dir+"/vault", "KEEPSAKE_PASSPHRASE_FILE="+dir+"/pass")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Errorf("keepsake %s: waits for ever", strings.Join(args, " "))
	}
	return said.String(), err
}
