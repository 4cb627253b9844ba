package pam_test

import (
	"sync"
	"testing"

	"keepsake/backend/schema"
)

var compileOnce = sync.OnceValues(schema.Compile)

func compiled(t testing.TB) *schema.Set {
	t.Helper()
	set, err := compileOnce()
	if err != nil {
		t.Fatal(err)
	}
	return set
}
