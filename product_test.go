package main_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/product"
)

// TestBuildFilesUseTheProductsNames compares the manifests in build/ with the constants of
// backend/product: after a change of name it fails for each file that has the old one.
func TestBuildFilesUseTheProductsNames(t *testing.T) {
	metainfo := "build/linux/" + product.ID + ".metainfo.xml"
	for file, wants := range map[string][]string{
		"wails.json":                      {`"productName": "` + product.Name + `"`, `"outputfilename": "` + product.Program + `"`},
		"build/darwin/Info.plist":         {"<string>" + product.ID + "</string>", "<string>" + product.ID + ".pam</string>", "<string>" + product.ID + ".mif</string>"},
		"build/windows/keepsake.manifest": {`name="` + product.ID + `"`},
		"build/windows/winres.json":       {`"ProductName": "` + product.Name + `"`},
		"build/windows/installer.nsi":     {"\nName " + product.Name + "\n", `Programs\` + product.Name, "Unpack " + product.Program + ".exe\n"},
		"build/windows/keepsake.wxs":      {` Name="` + product.Name + `" Version`, `Software\` + product.Name + `"`, `Source="` + product.Program + `.exe"`},
		"build/linux/keepsake.desktop":    {"\nName=" + product.Name + "\n", "\nExec=" + product.Program + " ", "\nIcon=" + product.Program + "\n", "\nStartupWMClass=" + product.Program + "\n"},
		"build/linux/nfpm.yaml":           {"name: " + product.Program + "\n", metainfo, "/usr/bin/" + product.Program + ",", "/applications/" + product.Program + ".desktop"},
		metainfo:                          {"<id>" + product.ID + "</id>", "<name>" + product.Name + "</name>", product.Program + ".desktop</launchable>"},
	} {
		text := read(t, file)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", file, want)
			}
		}
	}
}

// TestTheIDHasOneSpelling looks for reverse-DNS names of the program in every file.
func TestTheIDHasOneSpelling(t *testing.T) {
	out, err := exec.Command("git", "grep", "-I", "-i", "-o", "-h", "-E", `\b(app|com|org|io|dev|net|me)\.`+product.Program+`(\.[a-z]+)?\b`, "--", ":!product_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Fields(string(out))
	if len(found) < 5 {
		t.Fatalf("only %d places name the id", len(found))
	}
	for _, id := range found {
		if id != product.ID {
			t.Errorf("%s is another spelling of %s", id, product.ID)
		}
	}
}

// stored are strings that begin like the program's name and stand in data: they stay
// whatever the program is called.
var stored = []string{
	"keepsake/relation", "keepsake/personal/relation", "keepsake/conversation", `keepsake/mif\x00`, "keepsake/v1/", // keys and ids
	"keepsake-digest.jcs", "keepsake/", "keepsake", // formats: the digest, and the generator of MIF
	"KEEPSAKE", "keepsake-secret", // a vault's header, and the page's own
	"keepsake.personal.json", // a fixture
}

// TestCodeTakesTheNamesFromOnePlace looks for string literals that name folders, files,
// entries of the menu or the program itself, instead of backend/product.
func TestCodeTakesTheNamesFromOnePlace(t *testing.T) {
	literal := regexp.MustCompile(`"((?i:keepsake)(?:[-./:][^" ]*)?)"`)
	ours := regexp.MustCompile(`^keepsake/(app|backend|frontend|schemas|scripts|e2e)\b`)
	for file, text := range repository(t, ".go") {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "backend/product/") || strings.HasPrefix(file, "scripts/") {
			continue
		}
		for _, m := range literal.FindAllStringSubmatch(text, -1) {
			if !ours.MatchString(m[1]) && !slices.Contains(stored, m[1]) {
				t.Errorf("%s says %s; backend/product has the name", file, m[0])
			}
		}
	}
}
