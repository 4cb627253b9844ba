package pam_test

import (
	"bytes"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
)

// Promise (§21.1): a memory that is marked as not exportable, wherever it comes from,
// ends the writing before a byte of it is out.
func TestWhatIsNotExportableIsNotWritten(t *testing.T) {
	kept := record(1)
	kept.Access = &memory.Access{Visibility: memory.Private, SharedWith: []memory.Grant{}}
	text, err := pam.EncodeMemory(kept)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	src := pam.Source{Memories: each([]pam.Memory{{ID: kept.ID, Canonical: text}})}
	_, err = pam.WriteStore(&out, src, options(nil))
	if f := fault.From(err); f == nil || f.Reason != "not-exportable" {
		t.Fatalf("%v", err)
	}
	if bytes.Contains(out.Bytes(), []byte(kept.ID)) || bytes.Contains(out.Bytes(), []byte("Fact n")) {
		t.Errorf("it left: %s", out.Bytes())
	}
}
