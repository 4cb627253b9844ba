package app

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// TestWithoutAHomeFolder: what the sentence advises helps, also a person who has named
// the folder of the vault.
func TestWithoutAHomeFolder(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	_, err := places("vault")
	advice := fault.From(err).Advice()
	if err == nil || strings.Contains(advice, "--vault") {
		t.Fatalf("%v %s", err, advice)
	}
	home := t.TempDir()
	for _, name := range regexp.MustCompile(`[A-Z]{4,}`).FindAllString(advice, -1) {
		t.Setenv(name, home)
	}
	p, err := places("")
	if err != nil || !strings.HasPrefix(p.vault, home) || !strings.Contains(strings.ToLower(p.vault), product.Program) || filepath.Base(p.settings) != "settings.json" {
		t.Errorf("%+v, %v", p, err)
	}
}
