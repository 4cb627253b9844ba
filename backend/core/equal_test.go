package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func equal[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as before (-want +got):\n%s", diff)
	}
}
