package bridge_test

import (
	"slices"
	"strings"
	"testing"
)

// Promise: what is said outside of the window is one of a few sentences, and nothing
// that a page could choose is in it.
func TestNoticesAreFixed(t *testing.T) {
	d := &desk{}
	_, b := bridged(t, d)
	defer b.Close()
	for _, ended := range []string{"import", "import-stopped", "export", "export-stopped", "asked"} {
		for _, language := range []string{"en", "pt-BR", "pseudo"} {
			if err := b.Settings.Notify(ended, language); err != nil {
				t.Errorf("%s in %s: %v", ended, language, err)
			}
		}
	}
	if len(d.notices) != 15 || slices.Contains(d.notices, "") {
		t.Fatalf("said: %q", d.notices)
	}
	for i := 0; i < len(d.notices); i += 3 {
		if d.notices[i] == d.notices[i+1] || d.notices[i] != d.notices[i+2] {
			t.Errorf("English, Portuguese and another: %q", d.notices[i:i+3])
		}
	}
	for _, other := range []string{"", "Marina lives in Porto", "import "} {
		err := b.Settings.Notify(other, "en")
		if err == nil || !strings.Contains(err.Error(), "unknown-notice") {
			t.Errorf("%q: %v", other, err)
		}
	}
	if len(d.notices) != 15 {
		t.Errorf("said after all: %q", d.notices[15:])
	}
}
