package search_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"keepsake/backend/search"
)

// terms writes the words of a text side by side; extra readings in brackets.
func terms(text string) string {
	var out []string
	for _, w := range search.Words(text) {
		if w.Extra {
			out = append(out, "["+w.Term+"]")
		} else {
			out = append(out, w.Term)
		}
	}
	return strings.Join(out, " ")
}

func TestWordsAreWhatPeopleLookFor(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World!":                              "hello world",
		"state-of-the-art":                           "state of the art",
		"e-mail x-ray Wi-Fi":                         "e mail [email] x ray [xray] wi fi [wifi]",
		"a-b-c 2-3":                                  "a b [ab] c 2 3",
		"joe.bloggs@example.com":                     "joe bloggs example com",
		"snake_case __init__":                        "snake case init",
		"getUserName HTTPServer PDFs":                "getusername [get] [user] [name] httpserver [http] [server] pdfs",
		"GitHub iPhone GPT4All NASA":                 "github [git] [hub] iphone [phone] gpt4all [gpt4] [all] nasa",
		"report_final.PDF ./src/main.go":             "report final pdf src main go",
		"我喜欢C++、C#。 “C++” c#… C++é":                  "我喜 喜欢 欢 c++ [c] c# [c] c++ [c] c# [c] c e",
		"צה״ל ג׳ון":                                  "צהל גון",
		"ٱلرَّحْمَٰن ہے":                             "الرحمن هي",
		"葛󠄀城":                                        "葛城 城",
		"C++ c# F# notepad++ a+b 1+1":                "c++ [c] c# [c] f# [f] notepad++ [notepad] a b 1 1",
		"3.14 1,000,000 1'000 1,2,3 10:30":           "3.14 1000000 1000 1 2 3 10 30",
		"v1.2.3-beta 10.0.0.1 v2 2024-05-31":         "1.2.3 beta 10.0.0.1 v2 2024 05 31",
		"GPT-4o covid-19":                            "gpt 4o covid 19",
		"John's it’s don't o'Brien":                  "john it dont obrien",
		"l'homme d’accord dell'arte 'tis":            "homme accord arte tis",
		"“quoted” word—dash end…":                    "quoted word dash end",
		"Crème Brûlée naïve ÅNGSTRÖM":                "creme brulee naive angstrom",
		"Cre\u0300me":                                "creme",
		"Straße ﬁne Łódź Ørsted İstanbul Diyarbakır": "strasse fine lodz orsted istanbul diyarbakir",
		"Привет, ЁЛКА":                               "привет елка",
		"ΟΔΥΣΣΕΎΣ ὀδυσσεύς":                          "οδυσσευσ οδυσσευσ",
		"שָׁלוֹם צה\"ל":                              "שלום צהל",
		"مُحَمَّد أحمد مـــرحبا":                     "محمد احمد مرحبا",
		"हिन्दी ड़":                                  "हिन्दी ड़",
		"서울대학교에서 한국어를 GPT가 책":                        "서울 울대 대학 학교 교에 에서 서 한국 국어 어를 를 gpt 가 책",
		"\u1112\u1161\u11ab\u1100\u116e\u11a8":       "한국 국",
		"日本語":                                        "日本 本語 語",
		"今日、本":                                       "今日 日 本",
		"タワー ﾀﾜｰ":                                    "タワ ワー ー タワ ワー ー",
		"がっこう か\u3099":                               "がっ っこ こう う が",
		"สวัสดี":                                     "สวั วัส สดี ดี",
		"GPT模型2024年":                                 "gpt 模型 型 2024 年",
		"ｆｕｌｌ ＷＩＤＴＨ １２３":                             "full width 123",
		"٣٫٥ ५०":                                     "3 5 50",
		"m² № ™ ½":                                   "m 2 1⁄2",
		"party 🎉 👍🏽 👩‍💻":                             "party 🎉 👍 👩‍💻",
		"co\u00adop zero\u200bwidth":                 "coop zero width",
		"— … !!! ()":                                 "",
		"col·lecció":                                 "colleccio",
		"a\x00b\xffc":                                "a b c",
	} {
		if got := terms(text); got != want {
			t.Errorf("%q: %s\n want %s", text, got, want)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1000), strings.Repeat("é", 1000), strings.Repeat("Щ", 1000), "か" + strings.Repeat("\u3099", 1000) + "か"} {
		for _, w := range search.Words(text) {
			if len(w.Term) > search.MaxTerm || !utf8.ValidString(w.Term) {
				t.Errorf("a term of %d bytes: %q", len(w.Term), w.Term)
			}
		}
	}
}

// FuzzWords holds the words of any text to their bounds, and folding to one
// form.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		"Hello wörld", "e-mail C++ v1.2.3 1,000 don't", "日本語テキスト GPT模型", "สวัสดีครับ", "हिन्दी", "\u1112\u1161\u11ab", "か\u3099", "ﾀﾞ", "テ\u309bスト", "ﷺ", "ŉ ᾳ ΐ",
		"שָׁלוֹם", "\xff\xfe'\x80", "a'\u0301b", "🎉👍🏽", "İıŁ", "ـــ", "1'000.5,000'", "'’'’", "x\u0344\u0345", "🏽", "Ꮑ ꮑ", "a\u0328\u0301\u0327",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, w := range search.Words(text) {
			if w.Term == "" || len(w.Term) > search.MaxTerm || !utf8.ValidString(w.Term) {
				t.Fatalf("term %q", w.Term)
			}
			if w.Start < 0 || w.Start >= w.End || w.End > len(text) || !w.Extra && w.Start < at {
				t.Fatalf("%q stands at %d to %d of %d, after %d", w.Term, w.Start, w.End, len(text), at)
			}
			if !w.Extra {
				at = w.Start
			}
		}
		if once := search.Fold(text); search.Fold(once) != once {
			t.Fatalf("%q folds to %q, then to %q", text, once, search.Fold(once))
		}
	})
}

// sameWords holds the builder's short way to the words of the long one.
func sameWords(t *testing.T, text string) {
	t.Helper()
	var want []string
	for _, w := range search.Words(text) {
		want = append(want, w.Term)
	}
	if got := search.BuilderWords(text); !slices.Equal(got, want) {
		t.Fatalf("%q: the builder gets %q\n want %q", text, got, want)
	}
}

// TestBuilderGetsTheSameWords puts together whatever could make a plain word one
// that is not plain, at every distance from the end of eight bytes and of the
// text.
func TestBuilderGetsTheSameWords(t *testing.T) {
	parts := []string{
		" ", " ", " ", "\n", "\t", "\x00", "\x7f", "_", "/", "-", "--", "'", "’", ".", ",", "+", "++", "#", ":", "\"", "(", "@", "[", "`", "{", "=",
		"a", "e", "I", "x", "s", "'s", "'S", "'t", "s'", "ll", "l'", "qu'", "v1", "v", "3", "14", "000", "1000", "2024", "C", "JSON", "camelCase", "HTTPServer", "PDFs",
		"word", "Word", "seventy", "eightyab", "ninetyabc", "fifteenfifteenx", "sixteensixteenxy", "seventeenseventee", strings.Repeat("z", 70),
		"é", "É", "naïve", "ação", "Größe", "œ", "ŉ", "ǅ", "µ", "ª", "ʼ", "ʰ", "\u00ad", "й", "Щ", "привет", "длинноеслово", "ΐ", "ς", "ͺ", "א", "“", "”", "‘", "—", "«", "…", "\u200b", "·", "²",
		"\u0301", "ß", "ё", "漢", "字", "漢字", "かな", "カナ", "か\u3099", "ー", "、", "々", "\U00020000", "한", "ส", "\ufe0f", "🎉", "\u200d", "\xe4", "\xe4\xb8", "\xff",
	}
	rng := rand.New(rand.NewPCG(11, 3))
	for range 100_000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		sameWords(t, b.String())
	}
	for b := range 256 { // each byte within, before and after words
		for n := range 20 {
			word := strings.Repeat("m", n)
			sameWords(t, word+string([]byte{byte(b)})+word+" and so on to the end")
		}
	}
}

// FuzzBuilderWords does the same with what nobody thought of.
// Promise: a phrase of short words is found where the same phrase is found as any
// other.
func TestPhrasesOfShortWordsAreFoundAlike(t *testing.T) {
	c := newCorpus(3, 60) // few words, so that phrases are found
	joins := []string{" ", " ", " ", "\n\n", ", ", "'s ", "-", "'", ".", " – ", " é ", "中文", "camelCase", "3.14 ", " a-b ", "’s "}
	met := map[bool]int{}
	for range 4000 {
		var text strings.Builder
		for range 1 + c.rng.IntN(40) {
			text.WriteString(c.vocab[c.zipf.Uint64()])
			text.WriteString(joins[c.rng.IntN(len(joins))])
		}
		phrase := strings.Fields(strings.ReplaceAll(text.String(), `"`, ""))
		from := c.rng.IntN(len(phrase))
		quoted := `"` + strings.Join(phrase[from:min(len(phrase), from+1+c.rng.IntN(4))], " ") + `"`
		if c.rng.IntN(2) == 0 {
			quoted = `"` + c.vocab[c.zipf.Uint64()] + " " + c.vocab[c.zipf.Uint64()] + `"`
		}
		short, long, are := search.PhraseBothWays(parse(t, quoted), text.String())
		if short != long {
			t.Fatalf("%s in %q: %v as short words, %v otherwise", quoted, text.String(), short, long)
		}
		if are {
			met[short]++
		}
	}
	if met[true] < 500 || met[false] < 500 {
		t.Errorf("found and not found: %v", met)
	}
}

func FuzzBuilderWords(f *testing.F) {
	for _, seed := range []string{"a plain text, of no words that are not.", "John's e-mail: v1.2.3 C++ 1,000 camelCase", "日本語のテキスト。GPT模型か\u3099 mixed", "naïve words, don't"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { sameWords(t, text) })
}
