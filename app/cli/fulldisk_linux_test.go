package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keepsake/backend/importer/importertest/gen"
)

// small is a disk of its own with a vault on it, and a command line to it.
type small struct {
	t    *testing.T
	disk string
	pass string
}

// newSmall mounts a disk of so many bytes and makes a vault there.
func newSmall(t *testing.T, bytes int64) *small {
	t.Helper()
	s := &small{t: t, disk: t.TempDir(), pass: filepath.Join(t.TempDir(), "pass")}
	if err := syscall.Mount("none", s.disk, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		// Mounting is for root; the message says what stands in for it.
		t.Skipf("NO DISK CAN BE MOUNTED HERE (%v; only root may): NO REAL DISK IS FILLED. backend/core limits the size of files instead.", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(s.disk, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(s.pass, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(0, nil, "init", "--kdf", "test")
	return s
}

func (s *small) vault() string { return filepath.Join(s.disk, "vault") }

// grow makes room, as somebody does who has read the sentence.
func (s *small) grow() {
	s.t.Helper()
	if err := syscall.Mount("none", s.disk, "tmpfs", syscall.MS_REMOUNT, "size=1g"); err != nil {
		s.t.Fatal(err)
	}
}

// used is how many bytes lie on the disk.
func (s *small) used() int64 {
	s.t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(s.disk, &st); err != nil {
		s.t.Fatal(err)
	}
	return int64(st.Blocks-st.Bfree) * st.Bsize
}

// copies is the length of the vault's copies of itself.
func (s *small) copies() (size int64) {
	files, _ := filepath.Glob(filepath.Join(s.vault(), "snapshots", "*", "*"))
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}

func (s *small) sizeOf(name string) int64 {
	s.t.Helper()
	info, err := os.Stat(filepath.Join(s.vault(), name))
	if err != nil {
		s.t.Fatal(err)
	}
	return info.Size()
}

// run is the program in a process of its own; it must end with the exit code.
// Its answer is decoded into to, where that is given.
func (s *small) run(code int, to any, args ...string) (said string) {
	s.t.Helper()
	var out, problems strings.Builder
	cmd := exec.Command("keepsake", append([]string{"--vault", s.vault(), "--passphrase-file", s.pass, "--json"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(s.pass))
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("%v: exit code %d, want %d\n%s%s", args, got, code, out.String(), problems.String())
	}
	if to != nil {
		if err := json.Unmarshal([]byte(out.String()), to); err != nil {
			s.t.Fatalf("%v: %v\n%s", args, err, out.String())
		}
	}
	return problems.String()
}

type imported struct {
	State         string
	Conversations struct{ New, Unchanged int }
	Messages      struct{ New int }
	Attachments   struct{ Stored, Missing int }
	Problems      []any
}

type failed struct {
	Error struct{ Code, Message, Hint string }
}

type status struct{ Conversations, Messages int }

func (s *small) blobs() int {
	files, _ := filepath.Glob(filepath.Join(s.vault(), "blobs", "*"))
	return len(files)
}

// TestFullDisk fills real disks of several sizes half-way through an import of
// conversations, and through one of attachments. Each time the program says in
// one sentence which disk it is and what was kept, the vault opens with whole
// batches, and the same import completes it once there is room.
func TestFullDisk(t *testing.T) {
	talks, talksTruth := gen.ChatGPT(gen.ChatGPTOptions{Seed: 1, Conversations: 1200, Turns: 8, Bare: true})
	files, filesTruth := gen.ManyFiles(2, 2000, 2, 2000)
	for name, c := range map[string]struct {
		export []byte
		truth  gen.Truth
	}{"conversations": {talks, talksTruth}, "attachments": {files, filesTruth}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "export.zip")
			if err := os.WriteFile(path, c.export, 0o600); err != nil {
				t.Fatal(err)
			}
			whole := newSmall(t, 1<<30)
			whole.run(0, nil, "import", path)
			index := whole.sizeOf("index.db")
			// What counts is in the journal and in files; the data file has it later, and the
			// vault's own copies are made later still.
			needed := whole.used() - index - whole.copies() - whole.sizeOf("vault.db")
			for _, share := range []int64{30, 60} {
				t.Run(fmt.Sprintf("%d percent", share), func(t *testing.T) {
					fillsUp(t, path, c.truth, needed*share/100)
				})
			}
			if name == "conversations" {
				t.Run("no room for the index", func(t *testing.T) { fillsUpLate(t, path, c.truth, needed+index/2) })
			}
		})
	}
}

func fillsUp(t *testing.T, path string, truth gen.Truth, bytes int64) {
	s := newSmall(t, bytes)
	var said failed
	s.run(6, &said, "import", path)
	var kept status
	s.grow() // an unlock may want a page
	s.run(0, &kept, "status")
	each := truth.Conversations[0].Messages - truth.Empty/len(truth.Conversations)
	if kept.Conversations >= len(truth.Conversations) || kept.Messages != kept.Conversations*each {
		t.Fatalf("kept: %+v of %d conversations with %d messages each", kept, len(truth.Conversations), each)
	}
	want := "The disk with the vault " + s.vault() + " is full; what had been stored until then stays (at least %d conversations and 0 memories)."
	counted := -1
	_, err := fmt.Sscanf(said.Error.Message, want, &counted)
	const batch = 500 // conversations in one, at most: the last may be there although its commit was refused
	if err != nil || said.Error.Code != "too_large" || said.Error.Hint == "" || counted > kept.Conversations || counted < kept.Conversations-batch {
		t.Errorf("it said %+v, want %s; %d are kept", said, want, kept.Conversations)
	}
	perTalk := truth.Attachments / len(truth.Conversations)
	s.completes(path, truth, len(truth.Conversations)-kept.Conversations, perTalk)
	t.Logf("a disk of %d bytes: %d of %d conversations kept", bytes, kept.Conversations, len(truth.Conversations))
}

// completes imports again, and holds that it was exactly the rest.
func (s *small) completes(path string, truth gen.Truth, rest, perTalk int) {
	s.t.Helper()
	var r imported
	s.run(0, &r, "import", path)
	if r.State != "done" || r.Conversations.New != rest || r.Conversations.Unchanged != len(truth.Conversations)-rest ||
		r.Attachments.Stored != rest*perTalk || r.Attachments.Missing != 0 || len(r.Problems) != 0 {
		s.t.Errorf("with room it took %+v, the rest was %d", r, rest)
	}
	var all status
	s.run(0, &all, "status")
	if all.Conversations != len(truth.Conversations) || all.Messages != truth.Messages-truth.Empty || s.blobs() != truth.Attachments {
		s.t.Errorf("with room there are %+v and %d files, want %d with %d and %d", all, s.blobs(), len(truth.Conversations), truth.Messages-truth.Empty, truth.Attachments)
	}
}

// fillsUpLate leaves room for all but the index: the import is done, and that
// is said.
func fillsUpLate(t *testing.T, path string, truth gen.Truth, bytes int64) {
	s := newSmall(t, bytes)
	var r imported
	said := s.run(0, &r, "import", path)
	if r.Conversations.New != len(truth.Conversations) || !strings.Contains(said, "The disk is full, so not everything can be searched yet") {
		t.Errorf("it said %s and took %+v", said, r)
	}
	word := strings.Fields(truth.Conversations[7].Said[0])[1]
	var no failed
	s.run(6, &no, "search", word)
	s.grow()
	s.run(0, nil, "search", word)
	s.completes(path, truth, 0, 0)
}
