package search_test

import (
	"errors"
	"strings"
	"testing"

	"keepsake/backend/fault"
	"keepsake/backend/search"
)

func TestQueriesAreReadAsPeopleMeanThem(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                 "",
		"   \t\n":                          "",
		"hello World":                      "(hello world)",
		"a b OR c":                         "(a (b|c))",
		"a | b":                            "(a|b)",
		"a OR b OR c d":                    "((a|b|c) d)",
		"(a b) OR c":                       "((a b)|c)",
		"a -b":                             "(a -b)",
		"a NOT b":                          "(a -b)",
		"-(a OR b)":                        "-(a|b)",
		`-"a b"`:                           `-"a b"`,
		"a AND b":                          "(a b)",
		"AND":                              "and",
		"OR":                               "or",
		"NOT":                              "not",
		"OR OR":                            "(or or)",
		"a OR":                             "a",
		"OR a":                             "a",
		"a AND OR b":                       "(a b)",
		"(| a) OR b":                       "(a|b)",
		"a OR OR b":                        "(a|b)",
		"ORDER android NOTE":               "(order android note)",
		"a -":                              "a",
		"--a - b":                          "(-a b)",
		"NOT NOT a":                        "--a",
		"((a":                              "a",
		"a))b":                             "(a b)",
		"()":                               "",
		`"`:                                "",
		`"open phrase`:                     `"open phrase"`,
		`"one"`:                            "one",
		`""`:                               "",
		"“curly quotes” «guillemets a»":    `("curly quotes" "guillemets a")`,
		`say "a b"c`:                       `(say "a b" c)`,
		"foo(bar)":                         "(foo bar)",
		"state-of-the-art":                 `"state of the art"`,
		"joe@example.com":                  `"joe example com"`,
		"e-mail Wi-Fi":                     "(email wifi)",
		"getUserName":                      "getusername",
		"c++ v1.2":                         "(c++ 1.2)",
		"don't l’état":                     "(dont etat)",
		"wor* ca*fe **bold**":              `(wor* "ca fe" bold)`,
		`"new yor*"`:                       `"new yor*"`,
		"*":                                "",
		"日本 京 タ*":                          "(日本 京* タ*)",
		"東京都":                              "東京+京都",
		`"東京都"`:                            `"東京 京都 都"`,
		`"東京"`:                             "東京",
		"สวัสดี*":                          "สวั+วัส+สดี*",
		"GPT模型":                            "gpt+模型",
		"צה\"ל":                            "צהל",
		"type:fact,goal status:Active":     "(type:fact,goal status:active)",
		"-type:fact tag:\"my tag\"":        "(-type:fact tag:my tag)",
		"TAG:x platform:chatgpt role:user": "(tag:x platform:chatgpt role:user)",
		"since:2024":                       "since:2024-01-01..2025-01-01",
		"date:2024-02 until:2024-2-3":      "(date:2024-02-01..2024-03-01 until:2024-02-03..2024-02-04)",
		"type: tag:":                       "",
		"note: http://a.example":           `(note "http a example")`,
		"!!! ... :-)":                      "",
		"🎉":                                "🎉",
		"\xff\xfe a\x00b":                  `"a b"`,
	} {
		q, err := search.Parse(typed)
		if err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		if got := search.Shape(q); got != want {
			t.Errorf("%q is read as %s, want %s", typed, got, want)
		}
	}
}

func TestWhatIsBeingTypedMayGoOn(t *testing.T) {
	for typed, want := range map[string]string{
		"hello wor":   "(hello wor*)",
		"hello wor ":  "(hello wor)",
		"hello w":     "(hello w)",
		`"hello wor`:  `"hello wor*"`,
		`"hello wor"`: `"hello wor"`,
		"foo_ba":      `"foo ba*"`,
		"日本":          "日本*",
		"日":           "日*",
		"type:":       "",
		"-wor":        "-wor*",
		"(a OR bc":    "(a|bc*)",
	} {
		if got := search.Shape(parse(t, typed).AsYouType()); got != want {
			t.Errorf("%q is read as %s, want %s", typed, got, want)
		}
	}
}

func TestWhatCannotBeAnsweredIsAFault(t *testing.T) {
	for typed, reason := range map[string]string{
		"a*":                             "search-prefix-short",
		"é* b":                           "search-prefix-short",
		"type:idea":                      "search-value",
		"status:Gone":                    "search-value",
		"in:here":                        "search-value",
		"before:yesterday":               "search-date",
		"date:2024-13":                   "search-date",
		strings.Repeat("x", 5000):        "search-too-long",
		strings.Repeat("word ", 65):      "search-too-many",
		strings.Repeat("tag:x OR ", 100): "search-too-many",
	} {
		_, err := search.Parse(typed)
		var f *fault.Error
		if !errors.As(err, &f) || f.Reason != reason || strings.Contains(f.Message(), "{") {
			t.Errorf("%.40q: %v, want %s", typed, err, reason)
		}
	}
}

// FuzzParse: nothing that people type is more than a fault, and what is asked
// can be asked again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`a b OR (c -d) "e f" g* type:fact`, `"`, `)(`, `-(`, `OR`, `tag:"x`, `NOT NOT`, `-"`, "日本* 語", `צה"ל`, "a\x00b", "in:titles,", "date:2024-02-31", "“", "e-mai*", `"日`,
		strings.Repeat("(", 3000), strings.Repeat("-(", 1500), "a*b**",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		q, err := search.Parse(typed)
		if err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			return
		}
		search.Shape(q.AsYouType())
		again, err := search.Parse(q.String())
		if err != nil || search.Shape(again) != search.Shape(q) {
			t.Fatalf("%q is %s, then %s, %v", typed, search.Shape(q), search.Shape(again), err)
		}
		search.Excerpt(typed, q, 20)
	})
}
