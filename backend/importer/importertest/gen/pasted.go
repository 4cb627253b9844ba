package gen

import (
	"fmt"
	"strings"
)

// PasteShape is how an assistant answers when asked for its memories.
type PasteShape string

const (
	PasteClaudeOne  PasteShape = "claude-v1"   // one block of dated lines
	PasteClaudeTwo  PasteShape = "claude-v2"   // heads, nested fences, unknown dates
	PasteGemini     PasteShape = "gemini"      // bullets with evidence
	PasteJapanese   PasteShape = "gemini-ja"   // the same in the prompt's language
	PasteSettings   PasteShape = "manage"      // copied from the settings page
	PasteNumbered   PasteShape = "numbered"    // as ChatGPT keeps it
	PasteProse      PasteShape = "prose"       // Claude's "View and edit memory"
	PasteThirdParty PasteShape = "count-line"  // dated lines and a count
	PasteMore       PasteShape = "more-remain" // half of it outside the block
)

// PasteShapes lists them all.
func PasteShapes() []PasteShape {
	return []PasteShape{PasteClaudeOne, PasteClaudeTwo, PasteGemini, PasteJapanese, PasteSettings, PasteNumbered, PasteProse, PasteThirdParty, PasteMore}
}

// Pasted makes an answer, and tells what was planted in it and how many lines
// besides the entries must be accounted for.
func Pasted(shape PasteShape) (text string, truth Truth, words int) {
	fact := truth.plant
	facts := []string{"Always answer in short sentences", "The user's name is Robin", "Works as a gardener in Porto", "Is building a greenhouse: the frame is done", "Prefers metric units"}
	heads := []string{"Instructions", "Identity", "Career", "Projects", "Preferences"}
	dates := []string{"2026-02-02", "unknown", "2025-11", "Jan 2, 2026", "2024"}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	switch shape {
	case PasteClaudeOne:
		say("Here is everything I have stored about you:\n\n```")
		for i, f := range facts {
			say("[%s] - %s", dates[i], fact(f))
		}
		say("```\n\nThis is the complete set of my memories.")
		words = 2
	case PasteClaudeTwo:
		say("````\n```text")
		for i, f := range facts {
			say("# %d. %s\n\n%s[%s] %s %s\n", i+1, heads[i], []string{"", "- ", "* "}[i%3], dates[i], []string{"-", "–", "—"}[i%3], fact(f))
		}
		say("[unknown]: %s", fact("Carpinteiro nas horas vagas"))
		say("```\n````")
	case PasteGemini:
		for i, head := range []string{"Demographics Information", "Interests & Preferences", "Relationships", "Dated Events, Projects & Plans", "Instructions"} {
			say("%d. %s\n", i+1, head)
			say("* %s\n    * Evidence: User said “I am told so %d”. Date: [2026-01-0%d].", fact(facts[i]+"."), i, i+1)
		}
		say("\nImported from: ChatGPT")
		words = 1
	case PasteJapanese:
		say("1. 基本情報\n\n* %s\n  * 根拠: ユーザーは「庭師です」と言いました。日付: [2026-01-05]。", fact("ユーザーは庭師です。"))
		say("\n2. 好み\n\n* %s\n  * 根拠: 「緑茶が好き」。日付: [2026-01-06]。", fact("ユーザーは緑茶が好きです。"))
	case PasteSettings:
		say("Saved memories\nManage")
		for _, f := range facts {
			say("%s\nDelete", fact(f+"."))
		}
		words = 2 + len(facts)
	case PasteNumbered:
		for i, f := range facts {
			say("%d. [2024-05-0%d]. %s", i+1, i+1, fact(f+"."))
		}
	case PasteProse:
		say("**Work context**\n%s\n", fact("Robin tends the balconies of a dozen houses in Porto, keeps the books of the small firm alone since 2021, and lately spends most mornings on a plan for the greenhouse behind the workshop, whose frame already stands."))
		say("**Personal context**\n%s\n", fact("Robin sings in a choir and grows tomatoes."))
	case PasteThirdParty:
		for i, f := range facts {
			say("[2026-03-0%d] - %s", i+1, fact(f))
		}
		say("\nTotal: 5 entries")
		words = 1
	case PasteMore:
		say("```\n[2026-02-02] - %s\n```\n\n- [2026-02-03] - %s\n\nMore remain; shall I continue?", fact(facts[0]), fact(facts[1]))
		words = 1
	}
	return b.String(), truth, words
}
