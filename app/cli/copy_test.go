package cli

import (
	"strings"
	"testing"

	"keepsake/backend/fault"
)

// TestNoRoomForTheCopyIsNoFailedImport: it is complete, and nobody is told otherwise.
func TestNoRoomForTheCopyIsNoFailedImport(t *testing.T) {
	var said strings.Builder
	d := &door{env: Env{Stderr: &said}}
	full := fault.New(fault.TooLarge, "disk-full", "The disk is full; nothing of this step was kept.")
	if err := d.sayCopy(full); err != nil || said.String() != noCopy+"\n" {
		t.Errorf("said %q, %v", &said, err)
	}
	other := fault.New(fault.Internal, "other", "Something else.")
	if err := d.sayCopy(other); err != error(other) {
		t.Errorf("another failure: %v", err)
	}
}
