package system_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"keepsake/app/system"
)

// TestShield runs in a process of its own, which stays shielded.
func TestShield(t *testing.T) {
	if os.Getenv("KEEPSAKE_SHIELDED") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestShield$", "-test.v")
		cmd.Env = append(os.Environ(), "KEEPSAKE_SHIELDED=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestShield") {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	system.Shield()
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || dumpable != 0 {
		t.Errorf("dumpable: %d, %v", dumpable, err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil || limit.Cur != 0 || limit.Max != 0 {
		t.Errorf("core limit: %+v, %v", limit, err)
	}
}
