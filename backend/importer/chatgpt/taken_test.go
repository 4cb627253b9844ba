package chatgpt

import (
	"strconv"
	"testing"
	"unsafe"

	"keepsake/backend/importer"
	"keepsake/backend/memory"
)

// TestTaken: what stays of each conversation of an export is little, points to nothing,
// and tells versions apart as they are.
func TestTaken(t *testing.T) {
	if size := unsafe.Sizeof(short{}) + unsafe.Sizeof(version{}); size > 48 {
		t.Errorf("a conversation takes %d bytes", size)
	}
	early, late := memory.FromUnix(1_700_000_000.25), memory.FromUnix(1_700_000_000.75)
	at := func(sum byte, when memory.Time, nodes int32) version {
		return version{short{sum}, when.UnixMicro(), nodes}
	}
	r := &reader{taken: map[short]version{shortOf("a"): at(1, early, 5)}}
	for name, c := range map[string]struct {
		native string
		v      version
		want   bool
	}{
		"the same":         {"a", at(1, late, 9), true},
		"older":            {"a", at(2, memory.Time{}, 9), true},
		"newer":            {"a", at(2, late, 1), false},
		"as new, and more": {"a", at(2, early, 6), false},
		"as new, and less": {"a", at(2, early, 5), true},
		"another":          {"b", at(1, early, 5), false},
		"one without id":   {"", at(1, early, 5), false},
	} {
		if got := r.has(c.native, c.v); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRemarksOfOthers: of conversations that nothing is said of nothing stays.
func TestRemarksOfOthers(t *testing.T) {
	r := newRemarks()
	for i := range 1000 {
		var d importer.ConversationDraft
		d.Provider.ConversationID = strconv.Itoa(i)
		r.join(&d)
	}
	if len(r.used) > 0 {
		t.Errorf("of %d conversations something stays", len(r.used))
	}
}
