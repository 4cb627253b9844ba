package memory_test

import (
	"testing"

	"keepsake/backend/memory"
)

// TestNamesThatLookTheSame fold to one; those that do not stay apart.
func TestNamesThatLookTheSame(t *testing.T) {
	for _, name := range []string{"Alice", "ALICE", " alice ", "Ali ce", "Аlice", "Alіce", "Al\u200bice", "Alice\u00a0", "Alicé", "Ａｌｉｃｅ", "Al\u00adice", "\u202eAlice", "Αlice", "Alice\ufeff", "Alice.", "Al-ice", "\u3164Alice", "ᴀʟɪᴄᴇ"} {
		if got := memory.FoldName(name); got != "alice" {
			t.Errorf("%q folds to %q", name, got)
		}
	}
	for _, name := range []string{"Alicia", "Bob", "A1ice", "alice2", ""} {
		if memory.FoldName(name) == "alice" {
			t.Errorf("%q is taken for Alice", name)
		}
	}
	if memory.FoldName("!") == memory.FoldName("?") {
		t.Error("names of nothing but signs are all the same")
	}
}
