package extract_test

import (
	"testing"

	"keepsake/backend/extract"
)

func TestSimilar(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		from, to float64
	}{
		{"I prefer tabs over spaces.", "i prefer TABS over spaces", 1, 1},
		{"I prefer tabs over spaces.", "Prefers tabs to spaces", 0.4, 0.8},
		{"Adoro café", "adoro cafe!", 1, 1},
		{"I have three kids.", "My laptop is a ThinkPad.", 0, 0},
		{"", "", 0, 0},
	} {
		if got := extract.Similar(c.a, c.b); got < c.from || got > c.to {
			t.Errorf("%q and %q: %.2f, want %.2f to %.2f", c.a, c.b, got, c.from, c.to)
		}
	}
}
