package importer_test

import (
	"strings"
	"testing"

	"keepsake/backend/importer"
)

// A kind is shown in a report; what a file says there may be anybody's words.
func TestKindRepeatsNamesOnly(t *testing.T) {
	for in, want := range map[string]string{
		"content_type:super_widget":            "content_type:super_widget",
		"memory.provenance:camera":             "memory.provenance:camera",
		"record:gpt-5.1":                       "record:gpt-5.1",
		"role:I will meet Ana at nine":         "role:other",
		"role:":                                "role:other",
		"role":                                 "role:other",
		"part:\x1b[31m":                        "part:other",
		"part:a:b":                             "part:other",
		"record:" + strings.Repeat("a", 1<<20): "record:other",
	} {
		if got := importer.Kind(in); got != want {
			t.Errorf("%.60q became %q, want %q", in, got, want)
		}
	}
}
