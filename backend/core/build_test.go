package core_test

import (
	"runtime/debug"
	"testing"

	"keepsake/backend/core"
)

// TestBuildIsWhatGoRecorded: a program tells its commit only where Go recorded one, and
// then that one.
func TestBuildIsWhatGoRecorded(t *testing.T) {
	recorded := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			recorded[s.Key] = s.Value
		}
	}
	b := core.ReadBuild()
	if b.Version != core.Version || b.Commit != recorded["vcs.revision"] || b.Date != recorded["vcs.time"] || b.OS != recorded["GOOS"] {
		t.Errorf("%+v", b)
	}
}
