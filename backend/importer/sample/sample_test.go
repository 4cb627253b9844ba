package sample_test

import (
	"bytes"
	"testing"

	"keepsake/backend/importer/sample"
)

func TestTheSameBytesEachTime(t *testing.T) {
	one, err := sample.Exports()
	if err != nil {
		t.Fatal(err)
	}
	two, err := sample.Exports()
	if err != nil || len(one) != len(two) {
		t.Fatal(err)
	}
	for i := range one {
		if !bytes.Equal(one[i].Data, two[i].Data) || len(one[i].Data) == 0 {
			t.Errorf("%s differs from itself", one[i].Name)
		}
	}
}
