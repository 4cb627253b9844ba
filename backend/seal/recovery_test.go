package seal_test

import (
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/seal"
)

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// The form of the code is part of what people have on paper.
func TestRecoveryCodeForm(t *testing.T) {
	var secret [16]byte
	for i := range secret {
		secret[i] = byte(i * 17)
	}
	const want = "008J4-CT4AN-K7F24-SNAXW-SQFEZ-ZGEGH"
	if got := seal.FormatRecovery(secret); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	code := seal.NewRecoveryCode()
	if len(code) != 35 || strings.Count(code, "-") != 5 {
		t.Fatalf("%q is not six groups of five", code)
	}
	if code == seal.NewRecoveryCode() {
		t.Fatal("two codes are the same")
	}
}

// Promise: the code is read as people copy it.
func TestRecoveryCodeAsTyped(t *testing.T) {
	code := "008J4-CT4AN-K7F24-SNAXW-SQFEZ-ZGEGH"
	for _, typed := range []string{
		strings.ToLower(code), strings.ReplaceAll(code, "-", ""), strings.ReplaceAll(code, "-", " "),
		" " + code + "\n", strings.ReplaceAll(code, "0", "o"), strings.ReplaceAll(code, "-", "\u2011"),
	} {
		if got, err := seal.NormalizeRecoveryCode(typed); err != nil || got != code {
			t.Errorf("%q: %q, %v", typed, got, err)
		}
	}
}

// Promise: every single wrong character and every pair of neighbours in the
// wrong order is found before the slow part.
func TestRecoveryCodeTypos(t *testing.T) {
	for range 20 {
		code := strings.ReplaceAll(seal.NewRecoveryCode(), "-", "")
		for i := range code {
			for _, c := range alphabet {
				if byte(c) != code[i] {
					wantTypo(t, code[:i]+string(c)+code[i+1:])
				}
			}
			if i > 0 && code[i] != code[i-1] {
				wantTypo(t, code[:i-1]+string(code[i])+string(code[i-1])+code[i+1:])
			}
			wantTypo(t, code[:i]+code[i+1:])
			wantTypo(t, code[:i]+"7"+code[i:])
		}
	}
	for _, bad := range []string{"", "-", "U", strings.Repeat("0", 30), "🦜", strings.Repeat("A", 100_000)} {
		wantTypo(t, bad)
	}
}

// Of some secrets the checksum misses a mistake; no code is made of them.
func TestRecoveryCodesThatMissTyposAreNotMade(t *testing.T) {
	code := seal.FormatRecovery([16]byte{92, 26})
	if seal.FindsTypos(code) {
		t.Errorf("%s: another code is one character away", code)
	}
	if code := seal.NewRecoveryCode(); !seal.FindsTypos(code) {
		t.Errorf("%s was made", code)
	}
}

func wantTypo(t *testing.T, typed string) {
	t.Helper()
	_, err := seal.NormalizeRecoveryCode(typed)
	wantFault(t, err, fault.Invalid, "recovery-code-typo")
}
