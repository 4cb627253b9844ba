package handoff

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"keepsake/backend/memory"
)

//go:embed testdata/person.en.txt
var englishLines string

//go:embed testdata/person.pt.txt
var portugueseLines string

// TestNoLineIsTurnedWrongly holds it for lines of two languages, and that most of those that
// can be turned are. A line that no rule is sure of stays as it is.
func TestNoLineIsTurnedWrongly(t *testing.T) {
	for language, lines := range map[string]string{"en": englishLines, "pt": portugueseLines} {
		for _, half := range []string{"first-half", "later"} {
			right, alone, stays := 0, 0, 0
			for line := range strings.Lines(lines) {
				fields := strings.Split(strings.TrimSpace(line), "|")
				if fields[0] != half {
					continue
				}
				for _, known := range []string{language, ""} {
					got := turned(fields[2], Person(fields[1]), known)
					switch {
					case got != fields[3] && got != fields[2]:
						t.Errorf("%q (%s) becomes %q, want %q", fields[2], fields[1], got, fields[3])
					case known == "":
					case fields[2] == fields[3]:
						stays++
					case got == fields[3]:
						right++
					default:
						alone++
						t.Logf("left alone: %s", fields[2])
					}
				}
			}
			t.Logf("%s, %s: %d turned rightly, %d left alone, %d are not to be turned", language, half, right, alone, stays)
			if right < 2*alone {
				t.Errorf("%s, %s: %d turned and %d left alone", language, half, right, alone)
			}
		}
	}
}

// TestOnlyLinesOfItsLanguageAreTurned holds that a memory in a language without rules stays.
func TestOnlyLinesOfItsLanguageAreTurned(t *testing.T) {
	for _, c := range []struct{ line, language, want string }{
		{"User prefers tea", "fr", "User prefers tea"}, {"User prefers tea", "en-GB", "I prefer tea"}, {"User prefers tea", "", "I prefer tea"},
		{"Prefere chá", "es", "Prefere chá"}, {"Prefere chá", "pt-BR", "Prefiro chá"},
		{"User prefers tea. He lives in Porto.", "en", "User prefers tea. He lives in Porto."},
		{"User prefers tea. Lives in Porto.", "en", "I prefer tea. I live in Porto."},
		{"User prefers tea. The pot is blue.", "en", "I prefer tea. The pot is blue."},
		{"User prefers tea. Never flies before nine.", "en", "User prefers tea. Never flies before nine."},
		{"The user's boss is Ana. Likes tea.", "en", "The user's boss is Ana. Likes tea."}, {"New boss: Ana. Likes tea.", "en", "New boss: Ana. Likes tea."},
		{"User has a cousin who runs a bakery and asks for help", "en", "User has a cousin who runs a bakery and asks for help"}, {"does not count", "en", "does not count"},
		{"Vive en Zaragoza y tiene un perro", "", "Vive en Zaragoza y tiene un perro"}, {"Mora em Faro e diz que chove", "pt", "Mora em Faro e diz que chove"},
		{"A mãe do usuário já não o reconhece", "pt", "A mãe do usuário já não o reconhece"}, {"O pai do usuário deixou-lhe tudo", "pt", "O pai do usuário deixou-lhe tudo"},
		{`User says "I prefer tea"`, "en", `User says "I prefer tea"`}, {"User, prefers", "en", "User, prefers"}, {"User", "en", "User"}, {"I", "en", "I"}, {"", "en", ""},
	} {
		if got := turned(c.line, First, c.language); got != c.want {
			t.Errorf("%q (%s) becomes %q", c.line, c.language, got)
		}
	}
}

// TestEachPartSpeaksInItsPerson holds that the same memory is told in the first person to a
// field, in the third to a file, and as it is to an importer, that an edit stays as it was
// written, and that a person may be asked for.
func TestEachPartSpeaksInItsPerson(t *testing.T) {
	said := []memory.Record{saying("1", memory.Preference, "User prefers tea", 0), saying("2", memory.Skill, "I speak Welsh", 0), saying("3", memory.Fact, "User owns a boat", 0)}
	items := func(yield func(Item, error) bool) {
		for _, r := range said {
			if !yield(Item{Record: r, Edited: r.ID == "3"}, nil) {
				return
			}
		}
	}
	first := []string{"I prefer tea.", "I speak Welsh.", "User owns a boat."}
	third := []string{"User prefers tea.", "The user speaks Welsh.", "User owns a boat."}
	asWritten := []string{"I speak Welsh.", "User owns a boat.", "User prefers tea."}
	for _, info := range Targets() {
		for _, person := range []Person{AsWritten, First, Third} {
			texts, err := Compose(info, items, Options{Person: person})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range texts {
				var got []string
				for _, l := range x.Lines {
					got = append(got, l.Text)
				}
				want := map[Person][]string{First: first, Third: third}[cmp.Or(person, info.Parts[i].Person)]
				if x.Name == "import" {
					slices.Sort(got)
					want = asWritten
				}
				if x.Follows {
					want = nil
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s %s in the person %q: %q", info.Target, x.Name, person, got)
				}
			}
		}
	}
}
