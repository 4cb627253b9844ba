package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesNameWhatThereIs reads every Markdown page of the repository: tests, make
// targets and files it names by a link exist.
func TestPagesNameWhatThereIs(t *testing.T) {
	pages, code := repository(t, ".md"), repository(t, ".go")
	tests := named(code, regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`))
	targets := named(map[string]string{"": read(t, "Makefile")}, regexp.MustCompile(`(?m)^([a-z-]+):`))
	if len(pages) < 30 || len(tests) < 500 || len(targets) < 10 {
		t.Fatalf("only %d pages, %d tests and %d targets were found", len(pages), len(tests), len(targets))
	}
	aTest, aTarget := regexp.MustCompile(`\b((?:Test|Fuzz)[A-Z]\w+)`), regexp.MustCompile("`make ([a-z-]+)")
	aLink := regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	for page, text := range pages {
		for _, m := range aTest.FindAllStringSubmatch(text, -1) {
			// A name that others begin with stands for all of them: TestCase01.
			if !slices.ContainsFunc(tests, func(have string) bool { return strings.HasPrefix(have, m[1]) }) {
				t.Errorf("%s names %s, and there is no such test", page, m[1])
			}
		}
		for _, m := range aTarget.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(targets, m[1]) {
				t.Errorf("%s says make %s, which the Makefile does not know", page, m[1])
			}
		}
		for _, m := range aLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue // elsewhere
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

// TestTheMapNamesEveryRoom compares docs/architecture.md with the folders: every
// room it names exists, and every room of Go code stands in it or below one that
// does.
func TestTheMapNamesEveryRoom(t *testing.T) {
	_, table, ok := strings.Cut(read(t, "docs/architecture.md"), "## Where a line lives")
	if !ok {
		t.Fatal("the map has no part called Where a line lives")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	rooms := roomsOf(table)
	for _, room := range rooms {
		if _, err := os.Stat(room); err != nil {
			t.Errorf("docs/architecture.md has a row for %s, which is not there", room)
		}
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}", "./app/...", "./backend/...", "./schemas").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range strings.Fields(string(out)) {
		room = strings.TrimPrefix(room, "keepsake/")
		if !slices.Contains(rooms, room) && !slices.Contains(rooms, filepath.Dir(room)) && !slices.Contains(rooms, filepath.Dir(filepath.Dir(room))) {
			t.Errorf("docs/architecture.md has no row for %s", room)
		}
	}
}

// roomsOf are the folders in the first cells of a table. A name without a slash
// is a neighbour of the one before: `backend/format/markdown`, `html`.
func roomsOf(table string) (rooms []string) {
	quoted := regexp.MustCompile("`([a-z/.]+)`")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		beside := ""
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			room := strings.TrimSuffix(m[1], "/")
			if !strings.Contains(m[1], "/") && beside != "" {
				room = beside + "/" + room
			}
			rooms, beside = append(rooms, room), filepath.Dir(room)
		}
	}
	return rooms
}

// named are the first groups of a pattern in all texts.
func named(texts map[string]string, pattern *regexp.Regexp) (names []string) {
	for _, text := range texts {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	return names
}

// TestWindowFindingsAreListed holds that docs/cases.md names, for each finding of the
// window, the folders of Go tests and the test files of the page that are about it.
func TestWindowFindingsAreListed(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| Window(\d\d) \| .+ \| (.+) \|$`)
	listed, held := map[string][]string{}, map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/cases.md"), -1) {
		listed[m[1]] = strings.Split(strings.Trim(m[2], "`"), "`, `")
	}
	note := func(ending, pattern string, where func(path string) string) {
		about := regexp.MustCompile(pattern)
		for path, text := range repository(t, ending) {
			for _, m := range about.FindAllStringSubmatch(text, -1) {
				n := ("0" + m[1])[len(m[1])-1:]
				if !slices.Contains(held[n], where(path)) {
					held[n] = append(held[n], where(path))
				}
			}
		}
	}
	note("_test.go", `(?m)^func TestWindow(\d\d)[A-Z]\w*\(t \*testing\.T\)`, filepath.Dir)
	for _, ending := range []string{".test.ts", ".test.mjs"} {
		note(ending, `window finding (\d+)`, func(path string) string { return path })
	}
	for n := 1; n <= 17; n++ {
		key := fmt.Sprintf("%02d", n)
		slices.Sort(held[key])
		if len(held[key]) == 0 || !slices.Equal(listed[key], held[key]) {
			t.Errorf("finding %s is listed for %v and tested in %v", key, listed[key], held[key])
		}
	}
}

// repository reads our own files with an ending.
func repository(t *testing.T, ending string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (slices.Contains([]string{"node_modules", ".git", "dist", "testdata"}, e.Name()) || filepath.ToSlash(path) == "build/test") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ending) {
			texts[path] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
