// Package bustest starts message buses for the tests of the rooms that speak to one.
package bustest

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
)

// New starts a message bus of the test's own, which ends with it, and returns its
// address.
func New(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		// A bus of its own is all that this can be tried on.
		t.Skip("SKIPPED: no dbus-daemon on this machine: ", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
