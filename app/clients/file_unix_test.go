//go:build !windows

package clients

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"keepsake/backend/fault"
)

// Promise: what is no file is refused at once: a device that never ends, a pipe that nobody
// writes to, a folder, and links to them.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	c := client(t, "cursor")
	for _, path := range []string{"/dev/zero", "/dev/null", pipe, link, dir} {
		if _, err := c.Connect(path, entry(c)); fault.From(err) == nil || fault.From(err).Reason != "not-a-plain-file" {
			t.Errorf("%s: %v", path, err)
		}
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Connect(loop, entry(c)); fault.From(err) == nil || fault.From(err).Reason != "client-file-unreadable" {
		t.Errorf("a link to itself: %v", err)
	}
}

// Promise: a link stays a link, and what it leads to is written.
func TestLinksAreFollowed(t *testing.T) {
	target := write(t, []byte(others))
	dir := t.TempDir()
	link, second := filepath.Join(dir, "mcp.json"), filepath.Join(dir, "second")
	for _, l := range [][2]string{{target, second}, {"second", link}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	p := connect(t, link)
	backup, err := p.Write()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if read(t, target) != string(p.After) || read(t, backup) != others || filepath.Dir(backup) != filepath.Dir(p.Path) {
		t.Errorf("written: %q, and %s", read(t, target), backup)
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Client.Connect(link, Entry{}); fault.From(err).Reason != "client-link-broken" {
		t.Error(err)
	}
}

// Promise: a link by which the program is started is followed to the console program, but for
// one beside it that leads there: a package manager made it, and updates leave it alone.
func TestWhichProgramALinkStarts(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path ...string) string { return filepath.Join(append([]string{dir}, path...)...) }
	err = errors.Join(os.MkdirAll(at("app"), 0o700), os.MkdirAll(at("bin"), 0o700), os.WriteFile(at("app", "keepsake"), nil, 0o700),
		os.Symlink(at("app", "keepsake"), at("bin", "keepsake")))
	if err != nil {
		t.Fatal(err)
	}
	if got := consoleProgram(at("bin", "keepsake")); got != at("app", "keepsake") {
		t.Errorf("alone: %s", got)
	}
	if err := os.WriteFile(at("app", "keepsake-cli"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := consoleProgram(at("bin", "keepsake")); got != at("app", "keepsake-cli") {
		t.Errorf("beside the program: %s", got)
	}
	if err := os.Symlink(at("app", "keepsake-cli"), at("bin", "keepsake-cli")); err != nil {
		t.Fatal(err)
	}
	if got := consoleProgram(at("bin", "keepsake")); got != at("bin", "keepsake-cli") {
		t.Errorf("beside the link: %s", got)
	}
}
