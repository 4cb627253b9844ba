package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"keepsake/app/cli"
)

// TestEveryCommandHasAPage holds that each command that people are shown has a page, which
// names it and each of its options.
func TestEveryCommandHasAPage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1796000000")
	if err := run([]string{folder}); err != nil {
		t.Fatal(err)
	}
	pages := 0
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		pages++
		page, err := os.ReadFile(filepath.Join(folder, name(cmd)+".1"))
		if err != nil {
			t.Error(err)
			return
		}
		for _, want := range []string{" 1 2026-11-30 ", "\n.SH NAME\n" + name(cmd) + ` \- `, `\-\-help`} {
			if !strings.Contains(string(page), want) {
				t.Errorf("the page of %s has no %q", cmd.CommandPath(), want)
			}
		}
		for _, sub := range below(cmd) {
			look(sub)
		}
	}
	look(cli.Commands())
	if written, _ := os.ReadDir(folder); len(written) != pages || pages < 100 {
		t.Errorf("%d pages of %d commands", len(written), pages)
	}
}
