package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"keepsake/backend/importer/importertest/gen"
)

// soak says that the inputs are to be as large as they get.
var soak = os.Getenv("KEEPSAKE_SOAK") != ""

// sized is small, or large where a soak is wanted.
func sized(small, large int) int {
	if soak {
		return large
	}
	return small
}

// peak is the most that a process was seen with.
type peak struct {
	anon     int // megabytes that no file stands behind
	resident int // megabytes, what is mapped of files among them
	files    int // open at once
}

// watched runs the program on a vault and looks at it until it ends.
func watched(t *testing.T, dir string, args ...string) (p peak) {
	t.Helper()
	cmd := exec.Command("keepsake", append([]string{"--vault", filepath.Join(dir, "vault"), "--passphrase-file", filepath.Join(dir, "pass"), "--json"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	proc := filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid))
	anon, resident := regexp.MustCompile(`RssAnon:\s+(\d+) kB`), regexp.MustCompile(`VmHWM:\s+(\d+) kB`)
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out.String())
			}
			return p
		case <-time.After(5 * time.Millisecond):
		}
		status, _ := os.ReadFile(filepath.Join(proc, "status"))
		p.anon = max(p.anon, megabytes(anon, status))
		p.resident = max(p.resident, megabytes(resident, status))
		open, _ := os.ReadDir(filepath.Join(proc, "fd"))
		p.files = max(p.files, len(open))
	}
}

// megabytes is what a line of /proc/PID/status says, 0 where it is not there.
func megabytes(line *regexp.Regexp, status []byte) int {
	m := line.FindSubmatch(status)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.Atoi(string(m[1]))
	return kilobytes >> 10
}

// mostAnon and mostFiles are what a hard input may take: megabytes that no file stands
// behind, and open files.
const mostAnon, mostFiles = 400, 64

// bounded is watched with a look at what was taken.
func bounded(t *testing.T, dir string, args ...string) {
	t.Helper()
	within(t, mostAnon, dir, args...)
}

// within is bounded by another number of megabytes.
func within(t *testing.T, mostAnon int, dir string, args ...string) {
	t.Helper()
	began := time.Now()
	p := watched(t, dir, args...)
	t.Logf("%s: %v, %d MB without files, %d files open", args[0], time.Since(began).Round(time.Millisecond), p.anon, p.files)
	if p.anon == 0 || p.anon > mostAnon || p.files > mostFiles {
		t.Errorf("%s took %d MB (at most %d) and %d open files (at most %d)", args[0], p.anon, mostAnon, p.files, mostFiles)
	}
}

// TestHardInputs reads what no person should have and some do, each in a process
// of its own: memory and open files stay bounded, and nothing is lost.
func TestHardInputs(t *testing.T) {
	for name, make := range map[string]func() ([]byte, gen.Truth){
		"one message of 16 MB": func() ([]byte, gen.Truth) { return gen.LongMessage(1, 16<<20) },
		"many attachments":     func() ([]byte, gen.Truth) { return gen.ManyFiles(2, sized(3000, 50_000), 100, 2000) },
		"attachments of one conversation": func() ([]byte, gen.Truth) {
			return gen.ManyFiles(3, sized(3000, 50_000), 50_000, 2000)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			data, truth := make()
			path := filepath.Join(dir, "export.zip")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			watched(t, dir, "init", "--kdf", "test")
			t.Logf("%d bytes of zip, %d messages, %d files", len(data), truth.Messages, truth.Attachments)
			bounded(t, dir, "import", path)
			s := &small{t: t, disk: dir, pass: filepath.Join(dir, "pass")}
			s.completes(path, truth, 0, 0)
			s.namesBlobs()
			watched(t, dir, "export", "pam", "--include", "conversations", "-o", filepath.Join(dir, "out.zip"))
			watched(t, dir, "verify", filepath.Join(dir, "out.zip"))
		})
	}
}

// TestLargeMIF validates, inspects and imports a document of many memories with a
// graph between them: what is held of it are ids, batches, and relations until the
// end (docs/mif.md).
func TestLargeMIF(t *testing.T) {
	n := sized(3000, 50_000)
	for name, asLines := range map[string]bool{"large.mif.json": false, "large.mif.jsonl": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			f, err := os.Create(path)
			if err == nil {
				err = errors.Join(gen.LargeMIF(f, 1, n, asLines), f.Close())
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "pass"), []byte("correct horse battery staple\n"), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			info, _ := os.Stat(path)
			t.Logf("%d memories, %d MB", n, info.Size()>>20)
			watched(t, dir, "init", "--kdf", "test")
			for _, args := range [][]string{{"validate", path}, {"inspect", path}, {"import", path}} {
				bounded(t, dir, args...)
			}
			out := filepath.Join(dir, "out.mif.jsonl")
			bounded(t, dir, "export", "mif", "--no-redact", "--format", "jsonl", "-o", out)
			text, err := os.ReadFile(out)
			if lines := bytes.Count(text, []byte("\n")) - 1; err != nil || lines != n {
				t.Errorf("%d of %d memories came back, %v", lines, n, err)
			}
		})
	}
}

// namesBlobs holds that attachments lie as docs/vault-format.md says: in one
// folder, under their references, with nothing beside them.
func (s *small) namesBlobs() {
	s.t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.vault(), "blobs", "*"))
	more, _ := filepath.Glob(filepath.Join(s.vault(), "blobs", ".*"))
	for _, f := range append(files, more...) {
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(filepath.Base(f)) {
			s.t.Errorf("in blobs lies %s", filepath.Base(f))
		}
	}
}
