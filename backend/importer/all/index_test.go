package all_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/importer/all"
)

// TestEveryCaseHasItsTest holds that docs/cases.md lists the 46 cases and what people
// reported, each with the rooms that hold a test of its number, no more and no fewer.
func TestEveryCaseHasItsTest(t *testing.T) {
	listed, held := listedCases(t), heldCases(t)
	for n := 1; n <= 46; n++ {
		if key := fmt.Sprintf("%02d", n); len(held[key]) == 0 {
			t.Errorf("no test holds case %s", key)
		}
	}
	for key := range merged(listed, held) {
		if !slices.Equal(listed[key], held[key]) {
			t.Errorf("case %s is listed for %v and held in %v", key, listed[key], held[key])
		}
	}
}

func merged(all ...map[string][]string) map[string]bool {
	keys := map[string]bool{}
	for _, some := range all {
		for key := range some {
			keys[key] = true
		}
	}
	return keys
}

var caseRow = regexp.MustCompile(`(?m)^\| (\d+|Field\d+|ForeignF\d+) \| .+ \| (.+) \|$`)

// listedCases are the rooms below backend that the page names for each case.
func listedCases(t *testing.T) map[string][]string {
	page, err := os.ReadFile("../../../docs/cases.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for _, row := range caseRow.FindAllStringSubmatch(string(page), -1) {
		listed[fmt.Sprintf("%02s", row[1])] = strings.Split(strings.Trim(row[2], "`"), "`, `")
	}
	return listed
}

var caseTest = regexp.MustCompile(`(?m)^func Test(?:Case)?(\d\d|Field\d+|ForeignF\d+)[A-Z]\w*\(t \*testing\.T\)`)

// heldCases are the rooms that have a test of each case, in order.
func heldCases(t *testing.T) map[string][]string {
	rooms := map[string]map[string]bool{}
	backend := os.DirFS("../..")
	err := fs.WalkDir(backend, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(backend, name)
		for _, found := range caseTest.FindAllSubmatch(text, -1) {
			if n := string(found[1]); rooms[n] == nil {
				rooms[n] = map[string]bool{path.Dir(name): true}
			} else {
				rooms[n][path.Dir(name)] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	held := map[string][]string{}
	for n, all := range rooms {
		held[n] = slices.Sorted(maps.Keys(all))
	}
	return held
}

// TestEveryReaderIsFuzzed holds that each room of a reader, and intake, has a
// fuzz target; scripts/fuzz.mjs finds them by their names.
func TestEveryReaderIsFuzzed(t *testing.T) {
	rooms := []string{"../../intake"}
	for _, im := range all.Importers() {
		rooms = append(rooms, "../../../"+strings.TrimPrefix(reflect.TypeOf(im).PkgPath(), "keepsake/"))
	}
	for _, room := range rooms {
		tests, err := filepath.Glob(filepath.Join(room, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		fuzzed := slices.ContainsFunc(tests, func(name string) bool {
			text, err := os.ReadFile(name)
			return err == nil && strings.Contains(string(text), "\nfunc Fuzz")
		})
		if !fuzzed {
			t.Errorf("%s has no fuzz target", room)
		}
	}
}
