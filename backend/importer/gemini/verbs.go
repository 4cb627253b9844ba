package gemini

import (
	"slices"
	"strings"
	"unicode"
)

// known are verbs as they were seen, or as other programs that read these files know
// them; other languages are learned.
var known = []string{
	"Prompted ", "Asked ", "Submitted query ", "Gav instruktionen ", "Solicitou ", "Prompt : ", "Запит: ",
	"Eingegebener Prompt: ", "Eingegebener Prompt ", "Angefordert ", "Solicitó ", "Demandé ", "Richiesto ",
}

// knownBehind are those that stand behind the question.
var knownBehind = []string{" と入力しました", "と入力しました"}

// happenings begin titles that are no question.
var happenings = []string{
	"Live Prompt", "Branched", "Added chat from link:", "Created Gemini Canvas titled", "Used Gemini Apps", "Used an Assistant feature",
	"Selected preferred draft", "Gave feedback", "Cleared previous feedback", "Answered survey question",
}

// enough is how many titles a verb is learned from at least, and most the share
// of them, in percent, that must bear it.
const (
	enough = 5
	most   = 70
)

// verbs cuts the verb off titles. Before and behind are what was learned.
type verbs struct {
	before, behind string
	titles         []string // of records with an answer, while learning
}

// maxTitles bounds how many titles are learned from, headRunes how much of each
// is looked at from either side; of one longer than maxTitle bytes the middle is
// not kept.
const (
	maxTitles = 2000
	headRunes = 48
	maxTitle  = 1 << 10
)

// see learns from the title of a record with an answer.
func (v *verbs) see(title string) {
	if len(v.titles) == maxTitles || hasKnown(title) || isHappening(title) {
		return
	}
	if len(title) > maxTitle {
		title = strings.ToValidUTF8(title[:maxTitle/2]+title[len(title)-maxTitle/2:], "")
	}
	v.titles = append(v.titles, plainSpaces(title))
}

// learn finds what most titles begin with, or what they end with.
func (v *verbs) learn() {
	if len(v.titles) >= enough {
		v.before = common(v.titles, func(r []rune, i int) rune { return r[i] })
		if v.before == "" {
			v.behind = reversed(common(v.titles, func(r []rune, i int) rune { return r[len(r)-1-i] }))
		}
	}
	v.titles = nil
}

// common is the beginning that most titles share, in whole words where the
// script has some. At gives the i-th rune from the side that is looked at.
func common(titles []string, at func([]rune, int) rune) string {
	var left [][]rune
	for _, t := range titles {
		left = append(left, []rune(t))
	}
	var found []rune
	for i := range headRunes {
		counts := map[rune][][]rune{}
		var best rune
		for _, t := range left {
			if i < len(t) {
				r := at(t, i)
				counts[r] = append(counts[r], t)
				if len(counts[r]) > len(counts[best]) {
					best = r
				}
			}
		}
		if len(counts[best])*100 < len(titles)*most {
			break
		}
		found, left = append(found, best), counts[best]
	}
	for len(found) > 0 && isLetter(found[len(found)-1]) { // not in the middle of a word
		found = found[:len(found)-1]
	}
	return string(found)
}

// isLetter knows letters of scripts that put spaces between words.
func isLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// cut takes a title apart: what was said, and what stood before or behind it.
// Happened says that the title is no question.
func (v *verbs) cut(title string) (said, before, behind string, happened bool) {
	if isHappening(title) {
		return title, "", "", true
	}
	plain := plainSpaces(title) // as many bytes before what was said in both, or not cut
	for _, verb := range append(known, v.before) {
		if verb != "" && strings.HasPrefix(plain, verb) {
			said = strings.TrimSpace(afterRunes(title, len([]rune(verb))))
			return said, title[:len(title)-len(afterRunes(title, len([]rune(verb))))], "", false
		}
	}
	for _, verb := range append(knownBehind, v.behind) {
		if verb != "" && strings.HasSuffix(plain, verb) {
			rest := afterRunes(title, len([]rune(title))-len([]rune(verb)))
			return strings.TrimSpace(title[:len(title)-len(rest)]), "", rest, false
		}
	}
	return title, "", "", false
}

// isQuestion reports whether a title is one, as far as can be told.
func (v *verbs) isQuestion(title string) bool {
	said, before, behind, happened := v.cut(title)
	return !happened && said != "" && (before+behind != "" || v.before+v.behind == "")
}

func hasKnown(title string) bool {
	plain := plainSpaces(title)
	return slices.ContainsFunc(known, func(verb string) bool { return strings.HasPrefix(plain, verb) }) ||
		slices.ContainsFunc(knownBehind, func(verb string) bool { return strings.HasSuffix(plain, verb) })
}

func isHappening(title string) bool {
	plain := plainSpaces(title)
	return slices.ContainsFunc(happenings, func(h string) bool { return strings.HasPrefix(plain, h) })
}

// afterRunes is what follows the first n runes.
func afterRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[i:]
		}
		n--
	}
	return ""
}

// plainSpaces makes hard and narrow spaces plain, rune by rune.
func plainSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u00A0' || r == '\u202F' || r == '\u2009' {
			return ' '
		}
		return r
	}, s)
}
