package importer

import (
	"strconv"
	"testing"
)

// TestKeySet: a text is new once, whatever its length.
func TestKeySet(t *testing.T) {
	s := KeySet{}
	for _, text := range []string{"", "a", "a\x00", string(make([]byte, 1<<16))} {
		if !s.Add(text) || s.Add(text) {
			t.Errorf("a text of %d bytes is not new exactly once", len(text))
		}
	}
	for i := range 10_000 {
		if !s.Add(strconv.Itoa(i)) {
			t.Fatalf("%d was not added before", i)
		}
	}
}
