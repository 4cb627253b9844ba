package chapters

import (
	"fmt"
	"slices"
)

// Chapter is a part of the portrait.
type Chapter uint8

// The chapters, in the order of the page.
const (
	You Chapter = iota
	People
	Home
	Work
	Projects
	Health
	Tastes
	Answers // how the person wants to be answered
	Goals
	Tools
	count
)

var names = [count]string{"you", "people", "home", "work", "projects", "health", "tastes", "answers", "goals", "tools"}

// Chapters lists the chapters in the order of the page.
func Chapters() []Chapter {
	all := make([]Chapter, count)
	for i := range all {
		all[i] = Chapter(i)
	}
	return all
}

// Named returns the chapter with a name.
func Named(name string) (Chapter, bool) {
	i := slices.Index(names[:], name)
	return Chapter(max(i, 0)), i >= 0
}

// String returns the name of the chapter, one lower-case word.
func (c Chapter) String() string {
	if c >= count {
		return fmt.Sprintf("chapter %d", uint8(c))
	}
	return names[c]
}

// MarshalText writes the name.
func (c Chapter) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
