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

func sure(memory.Record) float64 { return 0.5 }

// ranked gives memories in the order of their rank.
func ranked(all []memory.Record, confidence func(memory.Record) float64) iter.Seq2[memory.Record, error] {
	rank := func(r memory.Record) Rank {
		return Rank{r.Type, confidence(r), r.Temporal.CreatedAt.UnixMicro(), r.ID}
	}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b memory.Record) int { return rank(a).Compare(rank(b)) })
	return func(yield func(memory.Record, error) bool) {
		for _, r := range sorted {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// many is memories of every type, some with characters that count twice in UTF-16.
func many(n int) []memory.Record {
	all := make([]memory.Record, n)
	for i := range all {
		t := order[i%len(order)]
		all[i] = saying(fmt.Sprintf("id-%04d", i), t, strings.Repeat("wörd 🌿 ", 1+i%17)+fmt.Sprint(i), i)
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
			texts, err := Compose(info, ranked(all, sure), Options{Limits: limits, Named: len(all)})
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
					if x.Lines > 0 && strings.Count(m, "\n") >= x.Lines {
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

// TestEntriesAreWhole holds that whatever is taken stands in the text as it is.
func TestEntriesAreWhole(t *testing.T) {
	all := many(120)
	for _, info := range Targets() {
		texts, err := Compose(info, ranked(all, sure), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range texts {
			said := strings.Join(x.Messages, "\n") + "\n"
			for _, r := range all {
				if taken := slices.Contains(x.Taken, r.ID); taken != strings.Contains(said, oneLine(r.Content)+"\n") {
					t.Errorf("%s %s: %s is taken: %v", info.Target, x.Name, r.ID, taken)
				}
			}
		}
	}
}

func TestRankIsTypeThenConfidenceThenAge(t *testing.T) {
	all := []memory.Record{
		saying("old-fact", memory.Fact, "x", 0), saying("new-fact", memory.Fact, "x", 9), saying("sure-fact", memory.Fact, "x", 1),
		saying("rule", memory.Instruction, "x", 0), saying("taste", memory.Preference, "x", 0),
	}
	var ids []string
	for r := range ranked(all, func(r memory.Record) float64 {
		if r.ID == "sure-fact" {
			return 0.9
		}
		return 0.5
	}) {
		ids = append(ids, r.ID)
	}
	if want := []string{"rule", "taste", "sure-fact", "new-fact", "old-fact"}; !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
}

func TestWhatFindsNoRoomIsNamed(t *testing.T) {
	info, _ := Find(SystemPrompt)
	all := []memory.Record{
		saying("short", memory.Instruction, "Be brief", 0),
		saying("huge", memory.Instruction, strings.Repeat("long ", 200), 0),
		saying("late", memory.Fact, strings.Repeat("late ", 30), 0),
		saying("fits", memory.Fact, "Lives in Porto", 0),
	}
	texts, err := Compose(info, ranked(all, sure), Options{Limits: map[string]int{"system-prompt": 200}, Named: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := texts[0]
	if !slices.Equal(x.Taken, []string{"short", "fits"}) || !slices.Contains(x.LeftOut, LeftOut{"huge", all[1].Content, TooLong}) || len(x.LeftOut) != 2 {
		t.Errorf("%+v", x)
	}
}

func TestABudgetOfZeroSaysSo(t *testing.T) {
	for _, n := range []int{0, -1} {
		_, err := Compose(Targets()[0], ranked(many(1), sure), Options{Limits: map[string]int{"remember": n}})
		if f := fault.From(err); f == nil || f.Reason != "handoff-no-budget" {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestWhatEachTargetIsGiven is looked at by people: one of each form.
func TestWhatEachTargetIsGiven(t *testing.T) {
	all := []memory.Record{
		saying("1", memory.Instruction, "Answer in short\nsentences", 2), saying("2", memory.Identity, "Is called Ana ```", 1),
		saying("3", memory.Skill, "Knows how to bind books", 0), saying("4", memory.Project, "Restores notebooks", 3), saying("5", memory.Preference, "Prefers metric units", 0),
	}
	for target, want := range map[Target]string{
		Claude: "```text\n# 1. Instructions\n\n[2026-03-06] - Answer in short sentences\n# 2. Identity\n\n[2026-03-05] - Is called Ana '''\n# 3. Career\n\n[2026-03-04] - Knows how to bind books\n" +
			"# 4. Projects\n\n[2026-03-07] - Restores notebooks\n# 5. Preferences\n\n[2026-03-04] - Prefers metric units\n```",
		ChatGPT:  "Answer in short sentences\nIs called Ana ```\nPrefers metric units\nRestores notebooks\nKnows how to bind books",
		ClaudeMD: "# About the person you work with\n\n## How to work with me\n\n- Answer in short sentences\n\n## Who I am\n\n- Is called Ana ```\n\n## What I prefer\n\n- Prefers metric units\n\n## What I am working on\n\n- Restores notebooks\n\n## What I can do\n\n- Knows how to bind books",
		Gemini: "1. Demographics Information\n\n* Is called Ana ```\n    * Evidence: kept by the user. Date: [2026-03-05].\n\n2. Interests & Preferences\n\n* Prefers metric units\n    * Evidence: kept by the user. Date: [2026-03-04].\n" +
			"* Knows how to bind books\n    * Evidence: kept by the user. Date: [2026-03-04].\n\n4. Dated Events, Projects & Plans\n\n* Restores notebooks\n    * Evidence: kept by the user. Date: [2026-03-07].\n\n5. Instructions\n\n* Answer in short sentences\n    * Evidence: kept by the user. Date: [2026-03-06].\n\nImported from: Keepsake",
	} {
		info, _ := Find(target)
		texts, err := Compose(info, ranked(all, sure), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts[0].Messages[0]; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", target, got, want)
		}
	}
}

// partByPart composes one part after the other from a list of all memories: what
// Compose does with one look at each.
func partByPart(info Info, all []memory.Record, limits map[string]int) (texts []Text) {
	for i, part := range info.Parts {
		part.Limit = limits[part.Name]
		t := Text{Part: part, Taken: []string{}, LeftOut: []LeftOut{}}
		room := newRoom(part)
		var taken []memory.Record
		for _, r := range all {
			switch {
			case part.Follows && slices.Contains(texts[i-1].Taken, r.ID):
			case room.take(r):
				taken, t.Taken = append(taken, r), append(t.Taken, r.ID)
			case newRoom(part).take(r):
				t.LeftOut = append(t.LeftOut, LeftOut{r.ID, r.Content, NoRoom})
			default:
				t.LeftOut = append(t.LeftOut, LeftOut{r.ID, r.Content, TooLong})
			}
		}
		if t.LeftOutTotal = len(t.LeftOut); len(taken) > 0 {
			t.Messages = chunks(part, taken)
		}
		texts = append(texts, t)
	}
	return texts
}

// TestOneLookGivesWhatPartByPartDoes holds it for every target and many budgets, and
// that of what is left out the first are named.
func TestOneLookGivesWhatPartByPartDoes(t *testing.T) {
	all := many(400)
	var sorted []memory.Record
	for r := range ranked(all, sure) {
		sorted = append(sorted, r)
	}
	for _, info := range Targets() {
		for _, budget := range []int{35, 90, 700, 1501, 6000, 30000} {
			limits := map[string]int{}
			for _, p := range info.Parts {
				limits[p.Name] = budget
			}
			got, err := Compose(info, ranked(all, sure), Options{Limits: limits, Named: 30})
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
