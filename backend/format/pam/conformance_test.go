package pam_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConformanceTable holds docs/pam.md to the truth: every section of the
// specification has a row, every test that a row names exists, and a row without
// one says who brings it.
func TestConformanceTable(t *testing.T) {
	page := string(file(t, "../../../docs/pam.md"))
	_, table, ok := strings.Cut(page, "\n## Conformance\n")
	if !ok {
		t.Fatal("the page has no table")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	tests := everyTest(t)
	name, brings := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`"), regexp.MustCompile(`^(— (take|give|keys)|an issue of its own for each (provider|target))$`)
	rows, named, open := map[string]bool{}, 0, 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.Contains(cells[0], "---") || strings.TrimSpace(cells[0]) == "section" {
			continue
		}
		section, shown := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[2])
		rows[regexp.MustCompile(`\.\d+$`).ReplaceAllString(section, "")] = true
		found := name.FindAllStringSubmatch(shown, -1)
		for _, m := range found {
			if named++; !tests[m[1]] {
				t.Errorf("%s: there is no test %s", section, m[1])
			}
		}
		if len(found) > 0 {
			continue
		}
		if !brings.MatchString(shown) {
			t.Errorf("%s names no test and nobody who brings it: %q", section, shown)
		}
		if strings.HasPrefix(shown, "—") {
			open++
		}
	}
	for _, section := range strings.Fields("§3 §4 §5 §6 §7 §8 §9 §10 §11 §12 §13 §14 §15 §16 §17 §18 §19 §20 §21 §22 §25 Appendix_A Appendix_B Appendix_C Appendix_D Appendix_E Appendix_F") {
		if !rows[strings.ReplaceAll(section, "_", " ")] {
			t.Errorf("no row for %s", section)
		}
	}
	t.Logf("%d tests named, %d rows open", named, open)
	if named < 50 {
		t.Errorf("only %d tests named", named)
	}
}

// everyTest are the names of all tests and fuzz targets of the repository.
func everyTest(t *testing.T) map[string]bool {
	t.Helper()
	declared, all := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`), map[string]bool{}
	for _, room := range []string{"../../../app", "../../../backend"} {
		err := filepath.WalkDir(room, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				all[m[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}
