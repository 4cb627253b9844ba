package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the commit that it was built from",
		Args:  exactly(0),
		RunE:  func(*cobra.Command, []string) error { return d.sayVersion() },
	}
}

func (d *door) sayVersion() error {
	b := core.ReadBuild()
	return d.answer(b, func() {
		d.say("keepsake %s (%s%s, %s/%s)", b.Version, sourceOf(b), b.Go, b.OS, b.Arch)
	})
}

// sourceOf is the commit and its day: "commit 64226abf7e12 of 2026-11-29, ".
func sourceOf(b core.Build) string {
	if b.Commit == "" {
		return ""
	}
	day, _, _ := strings.Cut(b.Date, "T")
	return "commit " + b.Commit[:min(12, len(b.Commit))] + oneOrOther(b.Changed, " with changes", "") + " of " + day + ", "
}
