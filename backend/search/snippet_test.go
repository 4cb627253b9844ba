package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"keepsake/backend/search"
)

// marked shows a snippet with brackets around what is marked.
func marked(s search.Snippet) string {
	var b strings.Builder
	at := 0
	for _, span := range s.Spans {
		b.WriteString(s.Text[at:span[0]] + "[" + s.Text[span[0]:span[1]] + "]")
		at = span[1]
	}
	return b.String() + s.Text[at:]
}

func TestSnippetsMarkWhatWasFound(t *testing.T) {
	for _, c := range []struct{ typed, text, want string }{
		{"world", "Hello World, hello wörld!", "Hello [World], hello [wörld]!"},
		{"hel*", "Hello World, hello Helsinki", "[Hello] World, [hello] [Helsinki]"},
		{`"hello world"`, "world hello, hello\n\n  World hello", "world hello, [hello World] hello"},
		{"-hello world", "hello world", "hello [world]"},
		{"a OR type:fact b", "b a c", "[b] [a] c"},
		{"日本語", "これは日本語です。日本だけ", "これは[日本語]です。日本だけ"},
		{"東京都", "東京と京都", "[東京]と[京都]"},
		{"本", "日本人", "日[本]人"},
		{`"東京 タワー"`, "東京タワーへ", "[東京タワー]へ"},
		{"สวัสดี", "พูดสวัสดีครับ", "พูด[สวัสดี]ครับ"},
		{"user", "call getUserName now", "call get[User]Name now"},
		{"getusername", "call getUserName now", "call [getUserName] now"},
		{"email", "my E-Mail address", "my [E-Mail] address"},
		{"e-mail", "my E-Mail address", "my [E-Mail] address"},
		{"joe@example.com", "mail joe@example.com, example", "mail [joe@example.com], example"},
		{"c++", "I like C++ and c", "I like [C++] and c"},
		{"john", "John’s and l’John", "[John’s] and [l’John]"},
		{"שלום", "אמר שָׁלוֹם לכולם", "אמר [שָׁלוֹם] לכולם"},
		{"type:fact", "no words\tto  mark\r\nhere ", "no words to mark here"},
		{"absent", "nothing here", "nothing here"},
		{"x", "", ""},
	} {
		if got := marked(search.Excerpt(c.text, parse(t, c.typed), 0)); got != c.want {
			t.Errorf("%s in %q: %s, want %s", c.typed, c.text, got, c.want)
		}
	}
}

func TestSnippetsShowTheBestPlace(t *testing.T) {
	filler := strings.Repeat("lorem ipsum dolor ", 200)
	text := "alpha " + filler + "here beta and alpha stand together " + filler + "beta"
	s := search.Excerpt(text, parse(t, "alpha beta"), 80)
	if !strings.Contains(marked(s), "[beta] and [alpha]") || !strings.HasPrefix(s.Text, "…") || !strings.HasSuffix(s.Text, "…") {
		t.Errorf("%s", marked(s))
	}
	if n := utf8.RuneCountInString(s.Text); n < 50 || n > 84 {
		t.Errorf("%d characters: %s", n, s.Text)
	}
	s = search.Excerpt(text, parse(t, "together"), 60)
	if !strings.HasPrefix(s.Text, "…beta and") && !strings.HasPrefix(s.Text, "…and") && !strings.HasPrefix(s.Text, "…here") {
		t.Errorf("cut inside a word: %s", s.Text)
	}
}

// Nothing beyond MaxText is looked at, which the test's own patience bounds.
func TestAnEnormousTextHasASnippetOfItsBeginning(t *testing.T) {
	for _, piece := range []string{"word and alpha ", "wordandalpha", "👩‍💻", "日本", "é\u0301\u0302"} {
		text := strings.Repeat(piece, 16<<20/len(piece))
		s := search.Excerpt(text, parse(t, "alpha 日本 👩‍💻"), 160)
		if len(s.Text) > 8000 {
			t.Errorf("%q: %d bytes", piece, len(s.Text))
		}
	}
}

func TestMarksOfAWholeText(t *testing.T) {
	text := strings.Repeat("alpha beta ", 20_000)
	if got := search.Marks(text, parse(t, "beta")); len(got) != 10_000 || got[1] != [2]int{17, 21} {
		t.Errorf("%d marks, %v", len(got), got[:2])
	}
}

// FuzzExcerpt holds spans inside the text, apart from each other, and whole.
func FuzzExcerpt(f *testing.F) {
	for _, seed := range [][2]string{
		{"Hello World, hello wörld", "wor* hello"}, {"日本語のテキスト 東京 タワー", `"東京 タワー" 本`}, {"a\r\n\r\nb\tc  d", "c"}, {"e\u0301e\u0301e\u0301e\u0301", "e*"},
		{"👩‍💻👍🏽👩‍💻", "👍"}, {"\xffabc\xfe", "abc"}, {"  x  ", "x"}, {"getUserName e-mail C++", "user email c++"}, {"สวัสดีครับ", "สวัสดี"}, {"word\x00word", "word"},
	} {
		f.Add(seed[0], seed[1], 10)
	}
	f.Fuzz(func(t *testing.T, text, typed string, width int) {
		q, err := search.Parse(typed)
		if err != nil {
			return
		}
		s := search.Excerpt(text, q, width%200)
		at := -1
		for _, span := range s.Spans {
			if span[0] <= at || span[1] <= span[0] || span[1] > len(s.Text) {
				t.Fatalf("%q: %v", s.Text, s.Spans)
			}
			if !border(s.Text, span[0]) || !border(s.Text, span[1]) {
				t.Fatalf("%q: %v is inside a rune", s.Text, span)
			}
			at = span[1]
		}
		if !utf8.ValidString(s.Text) || strings.ContainsAny(s.Text, "\r\n\t") {
			t.Fatalf("%q", s.Text)
		}
		at = -1
		for _, span := range search.Marks(text, q) {
			if span[0] <= at || span[1] <= span[0] || span[1] > len(text) {
				t.Fatalf("marks of %q: %v", text, span)
			}
			at = span[1]
		}
	})
}

func border(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }

// TestSnippetsKeepCharactersWhole cuts texts at every width.
func TestSnippetsKeepCharactersWhole(t *testing.T) {
	text := strings.Repeat("👩‍👩‍👧‍👦e\u0301ก็", 30) + " zebra " + strings.Repeat("👩‍👩‍👧‍👦e\u0301ก็", 30)
	whole := map[string]bool{}
	for it := graphemes.FromString(text); it.Next(); {
		whole[it.Value()] = true
	}
	for width := 1; width < 120; width++ {
		s := search.Excerpt(text, parse(t, "zebra"), width)
		for it := graphemes.FromString(strings.Trim(s.Text, "…")); it.Next(); {
			if !whole[it.Value()] {
				t.Fatalf("width %d: %q has a broken character %q", width, s.Text, it.Value())
			}
		}
	}
}

// find puts texts into an index and searches it.
func find(t *testing.T, texts []string, typed string, opt search.SearchOptions) search.Results {
	t.Helper()
	ix := open(t, newStore(), search.Options{})
	ix.Sync(slices.Values([]search.Unit(nil)))
	for i, text := range texts {
		u := search.Unit{Kind: search.Memory, Seq: uint64(i), Mark: 1}
		if err := ix.Put(u, slices.Values([]search.Doc{{Text: text}})); err != nil {
			t.Fatal(err)
		}
		if i == len(texts)/2 {
			if err := ix.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	res, err := ix.Search(context.Background(), parse(t, typed), opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestARareWordIsForgivenASlip(t *testing.T) {
	texts := []string{"wonderful weather", "Wonderful", "wonderfull", "wonder", "ponderful", "привет", "приветы", "a1b2c3", "the café"}
	for typed, want := range map[string][]string{
		"wonderful":  {"wonderfull"}, // two documents only: rare
		"wonderfl":   {"wonderful"},  // left out
		"wonderffl":  {"wonderful"},  // another
		"wnoderful":  {"wonderful"},  // changed places
		"womderfull": {"wonderfull"},
		"womdenful":  nil,                        // two slips
		"onderful":   {"wonderful", "ponderful"}, // another first letter, as there is none with this
		"xonderful":  {"wonderful", "ponderful"},
		"ownderful":  {"wonderful"},
		"приветт":    {"привет", "приветы"},
		"cafee":      {"cafe"},
		"caf":        nil, // too short
		"a1b2c4":     nil, // a number
	} {
		res := find(t, texts, typed, search.SearchOptions{})
		var also []string
		for _, w := range res.Widened {
			also = append(also, w.Also...)
			if w.Word != typed {
				t.Errorf("%s is reported as %s", typed, w.Word)
			}
		}
		if !slices.Equal(also, slices.Clip(want)) && len(also)+len(want) > 0 {
			t.Errorf("%s is widened by %q, want %q", typed, also, want)
		}
		if (len(want) > 0) != (len(res.Hits) > 0) {
			t.Errorf("%s: %d hits", typed, len(res.Hits))
		}
	}
	res := find(t, texts, "wonderfull", search.SearchOptions{})
	if res.Hits[0].Seq != 2 || len(res.Hits) != 3 {
		t.Errorf("what was typed comes first: %+v", res.Hits)
	}
	if got := marked(search.Excerpt(texts[0], res.Query, 0)); got != "[wonderful] weather" {
		t.Error(got)
	}
	for _, typed := range []string{`"wonderfl"`, "-wonderfl ponderful", "wonderfl*"} {
		if res := find(t, texts, typed, search.SearchOptions{}); len(res.Widened) > 0 {
			t.Errorf("%s is widened", typed)
		}
	}
	if res := find(t, texts, "wonderfl", search.SearchOptions{Exactly: true}); res.Total > 0 {
		t.Error("Exactly is not exact")
	}
}
