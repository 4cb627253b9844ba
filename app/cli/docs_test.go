package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestPagesTypeCommandsThatExist finds every command line in the Markdown pages,
// and every flag in it, among the commands.
func TestPagesTypeCommandsThatExist(t *testing.T) {
	typed, seen := regexp.MustCompile("(?m)(?:`|^)keepsake ([a-z][^`\n]*)"), 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && slices.Contains([]string{"node_modules", ".git", "dist"}, e.Name()) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		page, err := os.ReadFile(path)
		for _, m := range typed.FindAllStringSubmatch(string(page), -1) {
			seen++
			if wrong := wrongIn(m[1]); wrong != "" {
				t.Errorf("%s: keepsake %s: %s", path, m[1], wrong)
			}
		}
		return err
	})
	if err != nil || seen < 50 {
		t.Fatalf("%d command lines: %v", seen, err)
	}
}

// wrongIn says what of a command line does not exist; "" where all of it does.
func wrongIn(line string) string {
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(line)
	root := (&door{}).root()
	root.InitDefaultHelpCmd()
	cmd, _, err := root.Find(words)
	if err != nil || !cmd.HasParent() {
		return "no such command"
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.Trim(word, "[]().,;"), "--"), "=")
		if strings.HasPrefix(strings.Trim(word, "[("), "--") && !hasFlag(cmd, name) {
			return "no flag --" + name
		}
	}
	return ""
}

// hasFlag looks below a command, too: pages write keepsake export FORM --redact.
func hasFlag(cmd *cobra.Command, name string) bool {
	return cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil ||
		slices.ContainsFunc(cmd.Commands(), func(below *cobra.Command) bool { return hasFlag(below, name) })
}
