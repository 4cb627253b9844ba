package desktop_test

import (
	"testing"

	"keepsake/app/desktop"
)

func TestWithoutADisplayThereIsNone(t *testing.T) {
	t.Setenv("DISPLAY", ":7654")
	t.Setenv("WAYLAND_DISPLAY", "nothing-here")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if desktop.HasDisplay() {
		t.Error("a display that does not answer is called one")
	}
}
