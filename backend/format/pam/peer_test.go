package pam_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReferenceChecksum recomputes hashes and checksum of our export as
// Appendix C does, in the reference's language, twice: over the document as it
// is, and over it as the reference library would write it out again (nulls
// dropped, defaults filled in, times in its own form). Both must be ours.
func TestReferenceChecksum(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine: NOT compared with the reference")
	}
	file := filepath.Join(t.TempDir(), "store.json")
	if err := os.WriteFile(file, store(t, 20, key(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "testdata/reference.py", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "both agree") {
		t.Fatalf("%v\n%s", err, out)
	}
}
