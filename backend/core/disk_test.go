//go:build !windows

package core_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// childDir names the folder that a child of this test binary works in.
const childDir = "KEEPSAKE_TEST_FULL_DISK"

// TestFullDisk imports and exports where no file may grow beyond a size, as on
// a full disk. It runs in a child, because the limit is for a whole process.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		fullDisk(t, dir)
		return
	}
	k := fresh(t)
	b, files := withFiles(manyBook(4000))
	path := k.write("a.zip", b, files...)
	if err := k.Lock(ctx); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
	cmd.Env = append(os.Environ(), childDir+"="+k.root)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "said: too_large import-disk-full\n") || !strings.Contains(string(out), "said: too_large export-disk-full\n") {
		t.Fatalf("the child: %v\n%s", err, out)
	}
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	st := k.state()
	if st.Conversations == 0 || st.Conversations >= 4000 || st.Messages != 10*st.Conversations {
		t.Errorf("kept: %+v", st)
	}
	named := (st.Conversations + 99) / 100
	if k.blobs() <= named {
		t.Errorf("%d files, %d named: the disk was not full in the middle of a batch", k.blobs(), named)
	}
	if left, _ := filepath.Glob(filepath.Join(k.root, "out", "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if r := k.imports(path); k.state().Conversations != 4000 || k.state().Memories != 4000 || r.State != "done" {
		t.Errorf("the next try did not complete it: %+v, %+v", k.state(), r.Conversations)
	} else if r.Attachments.Stored != 40-named || k.blobs() != 40 {
		t.Errorf("files of the next try: %d stored, %d there, %d were named before", r.Attachments.Stored, k.blobs(), named)
	}
}

func fullDisk(t *testing.T, dir string) {
	k := bare(t, "")
	k.ids.Store(1_000_000) // the parent counts from one
	k.cfg.VaultDir = filepath.Join(dir, "vault")
	k.Service = ok(core.New(k.cfg))
	if err := k.Unlock(ctx, passphrase); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := func(size uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: 1 << 40}); err != nil {
			t.Fatal(err)
		}
	}
	limit(6 << 20)
	r, err := k.Import(ctx, inputs(filepath.Join(dir, "a.zip")), core.ImportOptions{}, nil)
	fmt.Println("said:", reasonOf(fault.From(err)))
	if r.State != "partial" {
		t.Errorf("report: %+v", r)
	}
	limit(1 << 30)
	k.reopen()
	limit(64 << 10)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = k.ExportPAM(ctx, filepath.Join(dir, "out", "x.json"), core.ExportOptions{})
	fmt.Println("said:", reasonOf(fault.From(err)))
	limit(1 << 30)
}
