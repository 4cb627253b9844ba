package handoff

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"keepsake/backend/memory"
)

func TestSentencesAreCutWhereTheyEnd(t *testing.T) {
	for text, want := range map[string][]string{
		"I drink tea. I live in Porto.":                {"I drink tea.", "I live in Porto."},
		"Works at Acme Inc. Likes it":                  {"Works at Acme Inc. Likes it"},
		"Sees Dr. Braun on the 3. Mai. Takes a train":  {"Sees Dr. Braun on the 3. Mai.", "Takes a train"},
		"Plays J. S. Bach! Not Mozart? \"No.\" Never.": {"Plays J. S. Bach!", "Not Mozart?", "\"No.\"", "Never."},
		"Uses v1.2.3 of node.js daily":                 {"Uses v1.2.3 of node.js daily"},
		"See e.g. the page. then go":                   {"See e.g. the page. then go"},
		"お茶が好きです。東京に住んでいます。":                           {"お茶が好きです。", "東京に住んでいます。"},
		"Gosta de chá. É de Porto":                     {"Gosta de chá.", "É de Porto"},
		"":                                             nil,
	} {
		if got := sentences(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestEveryLineEnds(t *testing.T) {
	for text, want := range map[string]string{
		"Likes tea": "Likes tea.", "Likes tea.": "Likes tea.", "Likes tea!": "Likes tea!", "Likes (green) tea": "Likes (green) tea.",
		"Likes tea (green)": "Likes tea (green).", `Says "no."`: `Says "no."`, `Says "no"`: `Says "no".`, "Room 12": "Room 12.", "Likes 🌿": "Likes 🌿",
		"お茶が好き": "お茶が好き。", "मुझे चाय पसंद है": "मुझे चाय पसंद है।", "[REDACTED:email]": "[REDACTED:email].", "such as:": "such as:", "": "",
	} {
		if got := ended(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestNoSentenceIsCut holds that a memory that takes more than a quarter of a part gives its
// first whole sentences, says so, and that one of a single long sentence stays whole.
func TestNoSentenceIsCut(t *testing.T) {
	info, _ := Find(SystemPrompt)
	long := strings.TrimSpace(strings.Repeat("The boat needs new paint every year. ", 40))
	all := []memory.Record{
		saying("long", memory.Project, long, 0), saying("one", memory.Fact, strings.TrimSuffix(strings.ReplaceAll(long, ". ", ", "), "."), 0), saying("tea", memory.Instruction, "Be brief. Be kind.", 0),
	}
	texts, err := Compose(info, ranked(all, alike), Options{Limits: map[string]int{"system-prompt": 2400}})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range texts[0].Lines {
		if l.Shortened != (l.ID == "long") || l.Shortened && (UTF16(l.Text) > 600 || !strings.HasSuffix(l.Text, "every year.") || len(l.Text) < 400) || l.ID == "one" && l.Text != all[1].Content+"." {
			t.Errorf("%s: shortened %v: %d units: %q", l.ID, l.Shortened, UTF16(l.Text), l.Text)
		}
	}
	if len(texts[0].Lines) != 3 {
		t.Errorf("%d lines", len(texts[0].Lines))
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("One. Two! Three? \"Four.\" 五。六")
	f.Fuzz(func(t *testing.T, text string) {
		text = oneLine(strings.ToValidUTF8(text, ""))
		if got := strings.Join(sentences(text), ""); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") || !utf8.ValidString(got) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
