package compare

import (
	"strings"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	repeat, related := Verdict{Repeats, ""}, Verdict{Related, ""}
	because := func(reason Reason) Verdict { return Verdict{Contradicts, reason} }
	for _, c := range []struct {
		a, b   string
		cosine float64 // as the encoder has it, to two digits
		want   Verdict
	}{
		{"User has a mortgage of 20.000 euros.", "User has a mortgage of 35,000 euros.", 0.84, because(Number)},
		{"User has a mortgage of 20.000 euros.", "User has a mortgage of 20 000 €.", 0.84, repeat},
		{"Paga dois mil e trezentos reais.", "Paga R$ 2.300.", 0.84, repeat},
		{"Runs 10 km a day.", "Runs for 2 hours a day.", 0.6, related},
		{"User has two cats.", "User has two dogs.", 0.73, related},
		{"User is allergic to nuts.", "User is not allergic to nuts.", 0.83, because(Negation)},
		{"Mora no Recife.", "Mora em Recife.", 0.9, repeat},
		{"Lives in Berlin.", "User lives in Munich.", 0.51, because(Value)},
		{"User lives in Lisbon.", "Mora em Lisboa.", 0.74, repeat},
		{"User's sister lives in Paris.", "User lives in Lyon.", 0.55, related},
		{"User's mother is 79.", "User's father is 81.", 0.67, related},
		{"User likes tea.", "User likes coffee.", 0.61, related},
		{"User was born on 3 May 1980.", "Geboren am 3. Mai 1980.", 0.8, repeat},
		{"User was born on 3 May 1980.", "Geboren am 4. Mai 1980.", 0.8, because(Date)},
		{"The exam is on 2026-05-03.", "The exam is on May 3rd, 2026.", 0.9, repeat},
		{"Has lived in Porto since 2011.", "Moved to Porto on 3 May.", 0.7, repeat},
		{"User likes tea.", "Der Keller läuft voll.", 0.02, Verdict{Different, ""}},
	} {
		if got := Compare(c.a, c.b, c.cosine); got != c.want {
			t.Errorf("%q, %q: %v and not %v", c.a, c.b, got, c.want)
		}
		if Compare(c.a, c.b, c.cosine) != Compare(c.b, c.a, c.cosine) {
			t.Errorf("%q, %q: it depends on their order", c.a, c.b)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"1.000": 1000, "1,000": 1000, "1 000": 1000, "1\u00a0000": 1000, "1000": 1000, "1.000.000": 1e6, "1,234.5": 1234.5,
		"3,2 %": 3.2, "0.125": 0.125, "zwölf": 12, "twelve thousand": 12000, "dois mil e trezentos": 2300, "tres gatos": 3, "2000 euros": 2000,
	} {
		got := read(text).numbers
		if len(got) != 1 || got[0].value != want {
			t.Errorf("%q: %v and not %g", text, got, want)
		}
	}
	for _, text := range []string{"una casa", "Volvo V60", "a 2CV", "14 February 1988", "em 2012", "once a week", "cuida dos pais e do gato"} {
		if got := read(text).numbers; len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]date{
		"14 February 1988": {1988, 2, 14}, "February 14, 1988": {1988, 2, 14}, "3rd of May": {0, 5, 3}, "2023-06-03": {2023, 6, 3},
		"el 3 de junio de 2023": {2023, 6, 3}, "3/6/2023": {2023, 0, 0}, "am 17. Mai": {0, 5, 17}, "1er août": {0, 8, 1}, "em março": {0, 3, 0}, "since 2012": {2012, 0, 0},
	} {
		if got := read(text).dates; len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v and not %v", text, got, want)
		}
	}
	if got := read("they may march 3 times").dates; len(got) > 0 {
		t.Errorf("%v", got)
	}
}

func TestHostileTexts(t *testing.T) {
	texts := []string{"", " ", "\xff\xfe\xed\xa0\x80", "'", "n't", "''''", "1", ".", "1.", "9,", "٣ ٤", "\u202e\u0301\u0301", "👩‍👩‍👧 👩‍👩‍👧"}
	for _, part := range []string{"a", "1 ", "1 000 ", "not ", "two thousand e y ", "May 3 of ", "\xff", "日本", "e\u0301", "' "} {
		texts = append(texts, strings.Repeat(part, 1<<20/len(part)))
	}
	start := time.Now()
	for _, a := range texts {
		for _, b := range texts {
			if one, other := Compare(a, b, 0.5), Compare(b, a, 0.5); one != other {
				t.Errorf("%.20q, %.20q: it depends on their order", a, b)
			}
		}
	}
	t.Logf("%v a pair", time.Since(start)/time.Duration(2*len(texts)*len(texts)))
}

func FuzzCompare(f *testing.F) {
	f.Add("User pays R$ 2.300 on May 3rd, 2012.", "Não paga 2CV à l'école n'a pas 1 000", 0.5)
	f.Fuzz(func(t *testing.T, a, b string, cosine float64) {
		if Compare(a, b, cosine) != Compare(b, a, cosine) {
			t.Error("it depends on their order")
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	for b.Loop() {
		Compare("Works as a senior data engineer at a logistics company in Rotterdam.", "User is a senior data engineer who works for a logistics firm.", 0.8)
	}
}
