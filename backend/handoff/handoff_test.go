package handoff

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

var day1 = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

func saying(id string, t memory.Type, content string, daysLater int) memory.Record {
	return memory.Record{ID: id, Type: t, Content: content, Temporal: memory.Temporal{CreatedAt: memory.At(day1.AddDate(0, 0, daysLater))}}
}

// ranked gives memories in the order in which they are taken, all equally telling but for
// the number that telling gives them.
func ranked(all []memory.Record, telling func(memory.Record) float64) iter.Seq2[Item, error] {
	sorted := slices.Clone(all)
	Order(sorted, func(r memory.Record) Rank { return Rank{r.Type, telling(r), r.ID} })
	return func(yield func(Item, error) bool) {
		for _, r := range sorted {
			if !yield(Item{Record: r}, nil) {
				return
			}
		}
	}
}

func alike(memory.Record) float64 { return 0.5 }

// many is memories of every type, some with characters that count twice in UTF-16.
func many(n int) []memory.Record {
	all := make([]memory.Record, n)
	for i := range all {
		t := memory.Types()[i%len(memory.Types())]
		all[i] = saying(fmt.Sprintf("id-%04d", i), t, strings.Repeat("wörd 🌿 ", 1+i%17)+fmt.Sprintf("%04d", i), i)
	}
	return all
}

// TestNoTextIsLongerThanItsBudget holds it for every target, part and many budgets,
// in both ways of counting, and for every message of its own.
func TestNoTextIsLongerThanItsBudget(t *testing.T) {
	all := many(300)
	for _, info := range Targets() {
		for _, budget := range []int{40, 120, 300, 1500, 4001, 20000} {
			limits := map[string]int{}
			for _, p := range info.Parts {
				limits[p.Name] = budget
			}
			texts, err := Compose(info, ranked(all, alike), Options{Limits: limits, Named: len(all)})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range texts {
				name := fmt.Sprintf("%s %s %d", info.Target, x.Name, budget)
				if x.UTF16 > budget || x.CodePoints > x.UTF16 {
					t.Errorf("%s: %d units, %d characters", name, x.UTF16, x.CodePoints)
				}
				for _, m := range x.Messages {
					if x.Chunk > 0 && UTF16(m) > x.Chunk {
						t.Errorf("%s: a message of %d", name, UTF16(m))
					}
					if x.MaxLines > 0 && strings.Count(m, "\n") >= x.MaxLines {
						t.Errorf("%s: %d lines", name, strings.Count(m, "\n")+1)
					}
				}
				if len(x.Taken) == 0 && len(x.Messages) > 0 {
					t.Errorf("%s: a text that says nothing", name)
				}
				before := 0
				if x.Follows {
					before = len(texts[0].Taken)
				}
				if before+len(x.Taken)+len(x.LeftOut) != len(all) || x.LeftOutTotal != len(x.LeftOut) {
					t.Errorf("%s: %d taken and %d left out of %d", name, len(x.Taken), len(x.LeftOut), len(all)-before)
				}
			}
		}
	}
}

// TestLinesAreWhole holds that a text has every line that is said to be in it, as it is, and
// none of any other memory.
func TestLinesAreWhole(t *testing.T) {
	all := many(120)
	for _, info := range Targets() {
		texts, err := Compose(info, ranked(all, alike), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range texts {
			said := strings.Join(x.Messages, "\n") + "\n"
			for _, l := range x.Lines {
				if !slices.Contains(x.Taken, l.ID) || !strings.Contains(said, l.Text+"\n") || !strings.Contains(said, l.Heading) {
					t.Errorf("%s %s: %q is not in the text", info.Target, x.Name, l.Text)
				}
			}
			for _, r := range all {
				if taken := slices.Contains(x.Taken, r.ID); taken != strings.Contains(said, " "+r.ID[len("id-"):]+".\n") {
					t.Errorf("%s %s: %s is taken: %v", info.Target, x.Name, r.ID, taken)
				}
			}
			if len(x.Lines) != len(x.Taken) {
				t.Errorf("%s %s: %d lines of %d memories", info.Target, x.Name, len(x.Lines), len(x.Taken))
			}
		}
	}
}

func TestWhatFindsNoRoomIsNamed(t *testing.T) {
	info, _ := Find(SystemPrompt)
	all := []memory.Record{
		saying("1-short", memory.Instruction, "Be brief", 0),
		saying("2-huge", memory.Instruction, strings.Repeat("long ", 200), 0),
		saying("3-late", memory.Instruction, strings.Repeat("late ", 30), 0),
		saying("4-fits", memory.Instruction, "Lives in Porto", 0),
		saying("5-next", memory.Instruction, strings.Repeat("next ", 20), 0),
	}
	texts, err := Compose(info, ranked(all, alike), Options{Limits: map[string]int{"system-prompt": 200}, Named: 3})
	if err != nil {
		t.Fatal(err)
	}
	x := texts[0]
	want := []LeftOut{{"2-huge", all[1].Content, TooLong}, {"3-late", all[2].Content, TooLong}, {"5-next", all[4].Content, NoRoom}}
	if !slices.Equal(x.Taken, []string{"1-short", "4-fits"}) || !slices.Equal(x.LeftOut, want) {
		t.Errorf("%+v", x)
	}
}

func TestABudgetOfZeroSaysSo(t *testing.T) {
	for _, n := range []int{0, -1} {
		_, err := Compose(Targets()[0], ranked(many(1), alike), Options{Limits: map[string]int{"remember": n}})
		if f := fault.From(err); f == nil || f.Reason != "handoff-no-budget" {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestWhatEachTargetIsGiven is looked at by people: one of each form.
func TestWhatEachTargetIsGiven(t *testing.T) {
	all := []memory.Record{
		saying("1", memory.Instruction, "Answer in short\nsentences", 2), saying("2", memory.Identity, "Is called Ana ```", 1),
		saying("3", memory.Skill, "Knows how to bind books", 0), saying("4", memory.Project, "Restores notebooks", 3), saying("5", memory.Preference, "Prefers metric units!", 0),
	}
	for target, want := range map[Target]string{
		Claude: "```text\n# 1. Instructions\n\n[2026-03-06] - Answer in short sentences.\n# 2. Identity\n\n[2026-03-05] - Is called Ana '''\n# 3. Career\n\n[2026-03-04] - Knows how to bind books.\n" +
			"# 4. Projects\n\n[2026-03-07] - Restores notebooks.\n# 5. Preferences\n\n[2026-03-04] - Prefers metric units!\n```",
		ChatGPT:      "About me:\nI am called Ana ```\nI know how to bind books.\nI prefer metric units!\n\nHow to answer:\nAnswer in short sentences.\n\nProjects:\nI restore notebooks.",
		SystemPrompt: "What you should know about the person you are working with.\n\nAbout the user:\n- Is called Ana ```\n- Knows how to bind books.\n- Prefers metric units!\n\nHow to answer:\n- Answer in short sentences.\n\nProjects:\n- Restores notebooks.",
		ClaudeMD:     "# About the person you work with\n\n## About the user\n\n- Is called Ana ```\n- Knows how to bind books.\n- Prefers metric units!\n\n## How to answer\n\n- Answer in short sentences.\n\n## Projects\n\n- Restores notebooks.",
		Gemini: "1. Demographics Information\n\n* Is called Ana ```\n    * Evidence: kept by the user. Date: [2026-03-05].\n\n2. Interests & Preferences\n\n* Knows how to bind books.\n    * Evidence: kept by the user. Date: [2026-03-04].\n" +
			"* Prefers metric units!\n    * Evidence: kept by the user. Date: [2026-03-04].\n\n4. Dated Events, Projects & Plans\n\n* Restores notebooks.\n    * Evidence: kept by the user. Date: [2026-03-07].\n\n5. Instructions\n\n* Answer in short sentences.\n    * Evidence: kept by the user. Date: [2026-03-06].\n\nImported from: Keepsake",
	} {
		info, _ := Find(target)
		texts, err := Compose(info, ranked(all, alike), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts[0].Messages[0]; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", target, got, want)
		}
	}
}

// TestMessagesRepeatTheirHeadings holds that each message to remember can be read alone.
func TestMessagesRepeatTheirHeadings(t *testing.T) {
	info, _ := Find(ChatGPT)
	texts, err := Compose(info, ranked(many(300), alike), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts[1].Messages) < 3 {
		t.Fatalf("%d messages", len(texts[1].Messages))
	}
	for i, m := range texts[1].Messages {
		if before, _, _ := strings.Cut(m, "\n- "); !strings.HasPrefix(m, "Please remember") || !strings.HasSuffix(before, ":") || !strings.Contains(before, "\n\n") {
			t.Errorf("message %d begins %q", i, before)
		}
	}
}

// TestEverySectionIsFound holds that each form has one place for every type.
func TestEverySectionIsFound(t *testing.T) {
	for _, info := range Targets() {
		for _, part := range info.Parts {
			for _, kind := range memory.Types() {
				n := 0
				for _, s := range part.form.sections {
					n += strings.Count(fmt.Sprint(s.types), string(kind))
				}
				if n != 1 {
					t.Errorf("%s %s: %s stands in %d sections", info.Target, part.Name, kind, n)
				}
			}
		}
	}
	if sectionOf(groups, "mood") != sectionOf(groups, memory.Custom) {
		t.Error("an unknown type is not custom")
	}
}

// TestHeadingsAreInEveryLanguage holds that no language lacks a sentence, and that an
// unknown one is refused.
func TestHeadingsAreInEveryLanguage(t *testing.T) {
	info, _ := Find(ChatGPT)
	seen := map[string]bool{}
	for _, language := range Languages() {
		w := wordings[language]
		for _, s := range []string{w.about, w.aboutUser, w.answer, w.projects, w.know, w.file, w.remember} {
			if s == "" || seen[s] {
				t.Errorf("%s: %q is missing or that of another language", language, s)
			}
			seen[s] = true
		}
		texts, err := Compose(info, ranked(many(60), alike), Options{Language: language})
		if err != nil || !strings.HasPrefix(texts[0].Messages[0], w.about+":\n") || !strings.HasPrefix(texts[1].Messages[0], w.remember+"\n") {
			t.Errorf("%s: %v %v", language, texts, err)
		}
	}
	_, err := Compose(info, ranked(many(1), alike), Options{Language: "tlh"})
	f := fault.From(err)
	if f == nil || f.Reason != "handoff-language" {
		t.Fatal(err)
	}
	for _, language := range Languages() {
		if !strings.Contains(f.Hint, language) {
			t.Errorf("the hint does not name %s", language)
		}
	}
}

// TestAnUntickedLineStaysOut holds that it is in no message, is shown in its place, and that
// its room goes to the next.
func TestAnUntickedLineStaysOut(t *testing.T) {
	info, _ := Find(ChatGPT)
	all := many(200)
	first, err := Compose(info, ranked(all, alike), Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := first[0].Lines[3]
	unticking := func(yield func(Item, error) bool) {
		for item := range ranked(all, alike) {
			item.Unticked = item.ID == out.ID
			if !yield(item, nil) {
				return
			}
		}
	}
	texts, err := Compose(info, unticking, Options{Named: len(all)})
	if err != nil {
		t.Fatal(err)
	}
	x := texts[0]
	if x.Lines[3].ID != out.ID || !x.Lines[3].Unticked || slices.Contains(x.Taken, out.ID) || strings.Contains(strings.Join(append(x.Messages, texts[1].Messages...), "\n"), out.Text) {
		t.Errorf("%+v in %q", x.Lines[3], x.Messages)
	}
	if len(x.Lines) <= len(first[0].Lines) || slices.Contains(texts[1].Taken, out.ID) {
		t.Errorf("%d lines, %d before", len(x.Lines), len(first[0].Lines))
	}
	for _, l := range append(x.LeftOut, texts[1].LeftOut...) {
		if l.ID == out.ID {
			t.Error("an unticked line is told as left out")
		}
	}
}

// partByPart composes one part after the other from a list of all memories: what
// Compose does with one look at each.
func partByPart(info Info, all []Item, limits map[string]int) (texts []Text) {
	for i, part := range info.Parts {
		part.Limit = limits[part.Name]
		c := composing{Text: Text{Part: part, Taken: []string{}, LeftOut: []LeftOut{}}, words: wordings["en"]}
		for _, item := range all {
			l := c.line(item)
			used, fits := c.fits(c.ranked, l)
			_, alone := c.fits(nil, l)
			switch {
			case part.Follows && slices.Contains(texts[i-1].Taken, item.ID):
			case fits:
				c.ranked, c.Taken, c.used = append(c.ranked, l), append(c.Taken, l.ID), used
			case alone:
				c.LeftOut = append(c.LeftOut, LeftOut{item.ID, item.Content, NoRoom})
			default:
				c.LeftOut = append(c.LeftOut, LeftOut{item.ID, item.Content, TooLong})
			}
		}
		c.LeftOutTotal = len(c.LeftOut)
		texts = append(texts, c.text())
	}
	return texts
}

// TestOneLookGivesWhatPartByPartDoes holds it for every target and many budgets, and
// that of what is left out the first are named.
func TestOneLookGivesWhatPartByPartDoes(t *testing.T) {
	all := many(400)
	var sorted []Item
	for r := range ranked(all, alike) {
		sorted = append(sorted, r)
	}
	for _, info := range Targets() {
		for _, budget := range []int{35, 90, 700, 1501, 6000, 30000} {
			limits := map[string]int{}
			for _, p := range info.Parts {
				limits[p.Name] = budget
			}
			got, err := Compose(info, ranked(all, alike), Options{Limits: limits, Named: 30})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range partByPart(info, sorted, limits) {
				x := got[i]
				if !slices.Equal(x.Messages, want.Messages) || !slices.Equal(x.Taken, want.Taken) || x.LeftOutTotal != want.LeftOutTotal || !slices.Equal(x.LeftOut, want.LeftOut[:min(30, len(want.LeftOut))]) {
					t.Errorf("%s %s %d: takes %v, leaves out %d; want %v and %d", info.Target, x.Name, budget, x.Taken, x.LeftOutTotal, want.Taken, want.LeftOutTotal)
				}
			}
		}
	}
}

// Promise: a memory in a file beside code names no file of this computer: its readers
// put the file in the place of a word that begins with @.
func TestNoFileIsTakenIn(t *testing.T) {
	for text, want := range map[string]string{
		"Read @~/.ssh/id_rsa first": `Read \@~/.ssh/id_rsa first`, "@/etc/passwd": `\@/etc/passwd`, "see (@notes.md)": `see (\@notes.md)`,
		"write to ana@example.org": "write to ana@example.org", "at @ noon": "at @ noon",
	} {
		if got := withoutImports(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
