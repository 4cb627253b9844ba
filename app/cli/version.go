package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(0),
		RunE:  func(*cobra.Command, []string) error { return d.sayVersion() },
	}
}

func (d *door) sayVersion() error {
	about := struct {
		Version string `json:"version"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}{core.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	return d.answer(about, func() {
		d.say("keepsake %s (%s, %s/%s)", about.Version, about.Go, about.OS, about.Arch)
	})
}
