package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryPartIsListedWithItsLicence holds what Settings shows to what is
// linked in and built in; `make licences` writes it anew.
func TestEveryPartIsListedWithItsLicence(t *testing.T) {
	var listed []struct{ Name, Version, Licence, Part string }
	read(t, "bridge/licences.json", &listed)
	have := map[string]bool{}
	for _, l := range listed {
		if l.Licence == "" {
			t.Errorf("%s has no licence", l.Name)
		}
		have[l.Part+" "+l.Name+" "+l.Version] = true
	}
	for _, part := range slices.Concat(modules(t), data(t), packages(t)) {
		if !have[part] {
			t.Errorf("%s is not listed; run `make licences`", part)
		}
	}
}

func modules(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}program {{.Path}} {{.Version}}{{end}}", "keepsake").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && line != "program keepsake" {
			all = append(all, line)
		}
	}
	return all
}

// data is what others made and the program embeds beside modules.
func data(t *testing.T) []string {
	t.Helper()
	wanted, err := os.ReadFile("../backend/embed/model/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	model := regexp.MustCompile(`(?m)^(\S+)==(\S+)`).FindSubmatch(wanted)
	return []string{fmt.Sprintf("program %s %s", model[1], model[2]), "program EFF large word list 2016"}
}

func packages(t *testing.T) []string {
	t.Helper()
	var lock struct {
		Packages map[string]struct {
			Version       string
			Dev, Optional bool
		}
	}
	read(t, "../frontend/package-lock.json", &lock)
	var all []string
	for path, p := range lock.Packages {
		if path != "" && !p.Dev && !p.Optional {
			all = append(all, "page "+path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]+" "+p.Version)
		}
	}
	return all
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
