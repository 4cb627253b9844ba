package redact

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHideSaysWhereAndHowLong(t *testing.T) {
	text := "Olá, e-mail é ana@casa.example e a senha: Girassol#88 fim"
	found := Find(text, Default())
	if len(found) != 2 || found[0].Kind != Email || found[1].Kind != Password {
		t.Fatalf("found %+v", found)
	}
	out, hidden := Hide(text, found, nil)
	if out != "Olá, e-mail é [REDACTED:email] e a senha: [REDACTED:password] fim" {
		t.Errorf("text: %s", out)
	}
	points := []rune(text)
	for i, want := range []string{"ana@casa.example", "Girassol#88"} {
		r := hidden[i]
		if got := string(points[r.Position[0]:r.Position[1]]); got != want || r.OriginalLength != utf8.RuneCountInString(want) {
			t.Errorf("%+v names %q, want %q", r, got, want)
		}
	}
}

func TestWhatIsKeptStays(t *testing.T) {
	text := "a@b.example, c@d.example"
	out, hidden := Hide(text, Find(text, Default()), func(x Finding) bool { return x.Start == 0 })
	if out != "a@b.example, [REDACTED:email]" || len(hidden) != 1 || hidden[0].Position != [2]int{13, 24} {
		t.Errorf("%s %+v", out, hidden)
	}
	if out, hidden := Hide(text, Find(text, Default()), func(Finding) bool { return true }); out != text || hidden != nil {
		t.Errorf("%s %+v", out, hidden)
	}
}

// TestNoMarkIsFound holds that what stands in the place of something hidden is
// not found in its turn.
func TestNoMarkIsFound(t *testing.T) {
	for _, k := range All() {
		for _, before := range []string{"is ", "password: ", "token=", "tel. ", "api key "} {
			if got := Find(before+Mark(k)+" now", All()); len(got) != 0 {
				t.Errorf("%s%s: %+v", before, Mark(k), got)
			}
		}
	}
}

// The export preview states that these are not searched for: a rule that found some of
// them would make that sentence false.
func TestNamesHealthAndFamilyAreNotLookedFor(t *testing.T) {
	for _, text := range []string{"My name is Ana Souza", "I have diabetes and take insulin twice a day", "My daughter Rita is six, and her father is called Tom"} {
		if got := Find(text, All()); len(got) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := Find("I live at 42 Orchard Lane, Bristol BS1 4QT", Default()); len(got) != 0 {
		t.Errorf("a street address, by default: %+v", got)
	}
}

func TestOnlyWhatIsAskedFor(t *testing.T) {
	text := "I live at 42 Orchard Lane, Bristol BS1 4QT, a@b.example"
	if got := Find(text, Default()); len(got) != 1 || got[0].Kind != Email {
		t.Errorf("by default: %+v", got)
	}
	if got := Find(text, []Kind{Address}); len(got) != 1 || got[0].Kind != Address {
		t.Errorf("addresses: %+v", got)
	}
	if got := Find("postgres://app:s3cr3t-pw@db.internal/x", []Kind{Email}); len(got) != 0 {
		t.Errorf("a part of a password passed for an e-mail: %+v", got)
	}
}

// hostile are texts that make a careless rule look at the same bytes again and
// again, n times as long as their pattern.
func hostile(n int) map[string]string {
	out := map[string]string{}
	for _, p := range []string{
		"@", "a", "a@", "a.", "1", "1 ", "1-", "(1) ", "+1", "+", "4111 ", "DE89 ", "DE89", "AB12 ", "password ", "password:", "password: \"", "senha ",
		"token ", "token=", "bearer ", "sk-", "eyJ", "eyJ.", ":AA", "123456789:AA", "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY", "-----", "://a:", "://", "curl -u ",
		"AKIA", "ghp_", "0 ", "00 ", "Im Im ", "1 Aa ", "Rua a", "tel ", "tel 1 ", ". ", "\u00a0", "é", "\xff", "[[", "X1234567", "AAAAAA12", "ABCDEF12A12", "9999999999999999999", "a1", "'", "\"", "password \"", "P.O. Box ",
	} {
		out[p] = strings.Repeat(p, n*64/len(p))
	}
	return out
}

// TestLookingIsLinear counts the bytes that rules look at around their anchors:
// four times the text, not much more than four times the work.
func TestLookingIsLinear(t *testing.T) {
	small, large := hostile(64), hostile(256)
	for name, text := range small {
		a, b := look(text, Default()), look(large[name], Default())
		if len(large[name]) < 3*len(text) {
			t.Fatalf("%q: the texts do not grow", name)
		}
		if b.looked > 5*a.looked+4096 {
			t.Errorf("%q: %d bytes looked at in %d, %d in %d", name, a.looked, len(text), b.looked, len(large[name]))
		}
		if limit := 400 * (len(large[name]) + 1024); b.looked > limit {
			t.Errorf("%q: %d bytes looked at in a text of %d", name, b.looked, len(large[name]))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, text := range hostile(4) {
		f.Add(text)
	}
	f.Add("Call +1 415 555 0134 or ana@casa.example, password: hunter2!")
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(text, All())
		at := 0
		for _, x := range found {
			if x.Start < at || x.End <= x.Start || x.End > len(text) {
				t.Fatalf("%+v in %d bytes after %d", x, len(text), at)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[x.Start:x.End]) {
				t.Fatalf("%+v cuts a character of %q", x, text)
			}
			at = x.End
		}
		hiddenText, hidden := Hide(text, found, nil)
		if len(hidden) != len(found) {
			t.Fatalf("%d hidden of %d", len(hidden), len(found))
		}
		if !utf8.ValidString(text) {
			return
		}
		points := []rune(text)
		var b strings.Builder
		last := 0
		for _, r := range hidden {
			b.WriteString(string(points[last:r.Position[0]]) + Mark(r.Type))
			last = r.Position[1]
		}
		if b.String()+string(points[last:]) != hiddenText {
			t.Fatalf("the redactions do not give the text again: %q", hiddenText)
		}
		if all := Find(text, Default()); slices.ContainsFunc(all, func(x Finding) bool { return x.Kind == Address }) {
			t.Fatal("an address nobody asked for")
		}
	})
}

// Promise: a text from which something was hidden is told from another one.
func TestIsCopyOf(t *testing.T) {
	const whole = "Mail ana@example.org or bea@example.org, aaa"
	for text, want := range map[string]bool{
		whole: true, "Mail [REDACTED:email] or [REDACTED:email], aaa": true, "Mail [REDACTED:email] or bea@example.org, aaa": true, "[REDACTED:email]aa": true,
		"Mail [REDACTED:email]": true, "": false, "Mail": false, "Mail [REDACTED:email] and [REDACTED:email], aaa": false, "Post [REDACTED:email]": false,
		"Mail [REDACTED:email], aab": false, "Mail [redacted], aaa": false,
	} {
		if IsCopyOf(text, whole) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
