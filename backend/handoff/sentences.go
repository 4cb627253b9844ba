package handoff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks that end a sentence, and those that may stand behind them.
const (
	endMarks     = ".!?…。！？।"
	closingMarks = "\"'”’»)]"
)

// abbreviations before whose point no sentence ends, in lower case.
const abbreviations = " mr mrs ms dr prof st sr sra dra srta no nr vs etc approx dept inc ltd co jr av art fig ca bzw usw ex mme mlle eg ie al "

// sentences cuts a line into its sentences. Where it is not sure that one ends, it goes
// on: after an initial, a number or an abbreviation, and before a small letter.
func sentences(line string) (all []string) {
	start := 0
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		if !strings.ContainsRune(endMarks, r) {
			continue
		}
		for end < len(line) && strings.ContainsRune(closingMarks+endMarks, firstRune(line[end:])) {
			end += utf8.RuneLen(firstRune(line[end:]))
		}
		if end <= start || end == len(line) || !endsHere(line[start:i], r, line[end:]) {
			continue
		}
		all, start = append(all, strings.TrimSpace(line[start:end])), end
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// endsHere says whether a sentence ends with a mark between two texts.
func endsHere(before string, mark rune, after string) bool {
	if strings.ContainsRune("。！？", mark) {
		return true
	}
	next, spaced := strings.CutPrefix(after, " ")
	first := firstRune(strings.TrimLeft(next, "\"'“‘«(¿¡"))
	if !spaced || unicode.IsLower(first) {
		return false
	}
	if mark != '.' {
		return true
	}
	word := strings.ToLower(before[strings.LastIndexAny(before, " (.")+1:])
	number := strings.Trim(word, "0123456789") == ""
	return utf8.RuneCountInString(word) > 1 && !number && !strings.Contains(abbreviations, " "+word+" ")
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// firstSentences returns the longest prefix of whole sentences within a limit of UTF-16 units,
// "" if the first sentence alone exceeds it.
func firstSentences(line string, units int) string {
	kept := ""
	for _, s := range sentences(line) {
		next := strings.TrimSpace(kept + " " + s)
		if UTF16(next) > units {
			break
		}
		kept = next
	}
	return kept
}

// ended puts a full stop behind a line that ends without any mark.
func ended(line string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line, closingMarks))
	switch {
	case unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return line + "。"
	case unicode.In(last, unicode.Devanagari):
		return line + "।"
	case unicode.IsLetter(last) || unicode.IsDigit(last):
		return line + "."
	}
	return line
}
