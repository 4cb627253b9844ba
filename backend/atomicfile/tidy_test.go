package atomicfile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/atomicfile"
)

// TestMain is also the process that is killed while it writes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ATOMICFILE_WRITES_IN"); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
}

func writeForEver(dir string) {
	for _, name := range []string{"backup", "settings.json", strings.Repeat("long", 60)} {
		if _, err := atomicfile.New(filepath.Join(dir, name), 0o600); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	folder, err := atomicfile.NewFolder(filepath.Join(dir, "bundle"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder.Path, "part"), []byte("half"), 0o600)
	}
	fmt.Println("written", err)
	time.Sleep(time.Hour) // to wait for nothing is a deadlock where Go is without cgo
}

// writer starts that process, and returns when it has all of its files open.
func writer(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ATOMICFILE_WRITES_IN="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	said := make([]byte, 100)
	n, _ := out.Read(said)
	if string(said[:n]) != "written <nil>\n" {
		t.Fatalf("said %q", said[:n])
	}
	return cmd
}

// Promise: what a killed process left under a temporary name goes with the next
// file that is written into the folder, whatever its name; what a living one is
// writing stays, and so does everything that is not of this program.
func TestWhatKilledProcessesLeftGoes(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "theirs")
	if err := os.WriteFile(foreign, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, ".tmp-other-program-1"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "keepsake"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(foreign, filepath.Join(dir, ".tmp-keepsake-link-1")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err) // Windows asks for a privilege
	}
	leaves := 4 // three files and a folder
	if runtime.GOOS == "windows" {
		leaves++ // the lock of the folder
	}
	others := names(t, dir)
	killed := writer(t, dir)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if left := len(names(t, dir)) - len(others); left != leaves {
		t.Fatalf("%d left by the killed process", left)
	}
	writer(t, dir)
	living := names(t, dir)
	if left := len(living) - len(others); left != leaves {
		t.Fatalf("%d files beside a living process: %v", left, living)
	}
	if err := atomicfile.WriteNew(filepath.Join(dir, "written"), 0o600, say("x")); err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(living), "written")
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if read(t, foreign) != "theirs" {
		t.Error("a file behind a link changed")
	}
}
