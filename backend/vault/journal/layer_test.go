package journal

import (
	"bytes"
	"testing"
)

// Promise: a layer that others see stays as it was while the next is written.
func TestALayerDoesNotChange(t *testing.T) {
	first := NewDraft(nil)
	first.Set([]byte("b"), []byte("k"), []byte("1"), 0)
	second := NewDraft(&first.Layer)
	second.Set([]byte("b"), []byte("k"), []byte("2"), 0)
	second.Set([]byte("b"), []byte("a"), []byte("3"), 0)
	second.Set([]byte("c"), []byte("k"), nil, 0)
	if value, known := first.Get([]byte("b"), []byte("k")); !known || !bytes.Equal(value, []byte("1")) {
		t.Errorf("it holds %q", value)
	}
	if len(first.of([]byte("b"))) != 1 || len(first.of([]byte("c"))) != 0 {
		t.Error("it grew")
	}
}
