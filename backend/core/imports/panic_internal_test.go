package imports

import (
	"strings"
	"testing"

	"keepsake/backend/core/library"
	"keepsake/backend/fault"
)

// Promise: a mistake of ours is not called one of the reader of an export, and what it
// was about is in no sentence.
func TestAPanicThatIsNoReadersIsCalledOurs(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		reason string
	}{
		"of the indexer": {(&library.Indexer{}).Guarded(func() error { panic("somebody's words") }), "internal"},
		"of a reader":    {func() (err error) { defer recovered(&err); panic("somebody's words") }(), "reader-failed"},
	} {
		f := fault.From(c.err)
		if f == nil || f.Code != fault.Internal || f.Reason != c.reason || strings.Contains(f.Message()+c.err.Error(), "words") {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}
