package pam

import "testing"

func TestLowerHexIsToldForEveryByte(t *testing.T) {
	for b := range 256 {
		if got, want := isLowerHexAll([]byte{'0', byte(b), 'f'}), isLowerHex(byte(b)); got != want {
			t.Errorf("%q: %v, want %v", byte(b), got, want)
		}
	}
}
