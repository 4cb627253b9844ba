package circles

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
)

// Circle is a group of memories that somebody may be given. Its members are the memories whose
// access block lets its entity read them; the record of the circle has the rest.
type Circle struct {
	Entity string `json:"entity"` // in shared_with; never changes
	Name   string `json:"name"`
	Rule   Rule   `json:"rule"`
	// Without are sensitive topics. Members that are about one do not leave, but for those that
	// were put in by hand.
	Without []sensitive.Topic `json:"without"`
}

// record is what the vault stores of a circle. Memories stand in it by sequence number.
type record struct {
	Circle
	Picked rows.Numbers `json:"picked,omitempty"` // put in by hand: they leave whatever they are about
	Out    rows.Numbers `json:"out,omitempty"`    // taken out by hand: FillCircle leaves them out
}

// Rule selects the memories that a circle is filled with: those that have one of each list that
// is not empty. A rule without any list selects none.
type Rule struct {
	Types   []memory.Type     `json:"types"`
	Tags    []string          `json:"tags"`
	Domains []string          `json:"domains"` // metadata.domain
	Topics  []sensitive.Topic `json:"topics"`
}

// IsEmpty reports whether the rule selects nothing.
func (r Rule) IsEmpty() bool { return len(r.Types)+len(r.Tags)+len(r.Domains)+len(r.Topics) == 0 }

// Limits of circles.
const (
	mostCircles = 200
	longestName = 80 // code points
)

// find returns the circle that a word means: its entity, its name, or one of them but for case and
// accents.
func find(all []record, word string) (record, error) {
	for _, is := range []func(record) bool{
		func(c record) bool { return c.Entity == word },
		func(c record) bool { return c.Name == word },
		func(c record) bool { return foldName(c.Name) == foldName(word) },
		func(c record) bool { return foldName(c.Entity) == foldName(word) },
	} {
		switch found := slices.DeleteFunc(slices.Clone(all), func(c record) bool { return !is(c) }); len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return record{}, fault.New(fault.Conflict, "circle-ambiguous", "{name} may be any of {count} circles.").With("name", rows.ShortID(word)).With("count", len(found)).
				Advise("Name the one you mean by its entity, as the list of circles shows it.")
		}
	}
	return record{}, errNoCircle(word)
}

func errNoCircle(word string) error {
	return fault.New(fault.NotFound, "no-circle", "There is no circle called {name}.").With("name", rows.ShortID(word)).
		Advise("The list of circles shows them all.")
}

// checkName returns a name as it is kept, and refuses one that cannot be told from another.
func checkName(name, entity string, others []Listed) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" || utf8.RuneCountInString(name) > longestName || strings.ContainsFunc(name, isUnseen) {
		return "", fault.New(fault.Invalid, "circle-name", "A circle needs a name of at most {limit} characters that can be seen.").With("limit", longestName)
	}
	for _, other := range others {
		if other.Entity != entity && (foldName(other.Name) == foldName(name) || foldName(other.Entity) == foldName(name)) {
			return "", fault.New(fault.Conflict, "circle-name-taken", "There is a circle called {name}, and nobody could tell the two apart.").With("name", other.Name)
		}
	}
	return name, nil
}

// isUnseen reports whether a character cannot be seen, or changes how others are shown.
func isUnseen(r rune) bool { return unicode.Is(unicode.C, r) }

// foldName returns what names have in common that people take for the same: without case,
// accents, width and the space around them.
func foldName(name string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	return strings.Join(strings.Fields(cases.Fold().String(bare)), " ")
}

// entityOf returns an entity for a new circle: its name in small letters and hyphens, with a
// number where that is taken.
func entityOf(name string, taken func(string) bool, newID func() string) string {
	words := strings.FieldsFunc(foldName(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	entity := strings.Join(words, "-")
	if entity == "" || taken(entity) {
		entity = strings.Trim(entity+"-"+newID()[:8], "-")
	}
	return entity
}
