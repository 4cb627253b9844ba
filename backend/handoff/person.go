package handoff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// turned rewrites a line in the grammatical person p, by the rules of its language; language ""
// is unknown. A line of several sentences is rewritten only if each sentence can be, or has no
// person in it. A line that no rule is sure of is returned unchanged.
func turned(line string, p Person, language string) string {
	if p == AsWritten {
		return line
	}
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	for _, rules := range []personRules{english(), portuguese()} {
		if base != "" && base != rules.language {
			continue
		}
		if out, ok := rules.turn(line, p, base != "" || rules.language == "en"); ok {
			return out
		}
	}
	return line
}

// personRules turn the sentences of one language. A rule returns false where it is not sure.
type personRules struct {
	language     string
	first, third func(words []string) ([]string, bool) // of one sentence
	// namesNobody reports whether a sentence that cannot be turned to the first person has no
	// person in it, and namesUser whether a sentence that can be turned names the user.
	namesNobody, namesUser func(words []string) bool
	firstWords             string // that speak of the person in the first person, in lower case
}

func (r personRules) turn(line string, p Person, known bool) (string, bool) {
	var out []string
	any, ofUser := false, true
	for i, s := range sentences(line) {
		words := strings.Fields(s)
		// Quoted words are another's, a question asks, and what begins small is no sentence.
		if strings.ContainsAny(s, `?"“”«»`) || lower(s) {
			return line, false
		}
		turned, ok := r.sentence(words, p)
		switch {
		case !ok && !r.isNeutral(words, p):
			return line, false
		case !ok:
			ofUser = false
		case p == First && !r.namesUser(words) && (!known || i > 0 && !ofUser):
			return line, false // of whom it speaks was said before, or is not known
		default:
			any, ofUser = true, p == Third || !isOneOf(turned[0], " my meu minha meus minhas ")
			words = turned
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, " "), any
}

func (r personRules) sentence(words []string, p Person) ([]string, bool) {
	if p == Third {
		return r.third(words)
	}
	return r.first(words)
}

func (r personRules) isNeutral(words []string, p Person) bool {
	if p == Third {
		return !hasAny(words, r.firstWords)
	}
	return r.namesNobody(words)
}

// isOneOf says whether a word, without marks at its end, stands in a list of lower-case words
// with spaces around each.
func isOneOf(word, list string) bool {
	return word != "" && strings.Contains(list, " "+bare(word)+" ")
}

func hasAny(words []string, list string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return isOneOf(w, list) })
}

// bare is a word in lower case, without marks around it.
func bare(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// coordinated returns the places of the words behind "and", "or", "but" or a comma, where
// a second verb of the same subject may stand.
func coordinated(words []string, conjunctions, adverbs string) (places []int) {
	for i := 1; i < len(words); i++ {
		if !isOneOf(words[i-1], conjunctions) && !strings.HasSuffix(words[i-1], ",") && !strings.HasSuffix(words[i-1], ";") {
			continue
		}
		for i < len(words) && (isOneOf(words[i], adverbs) || isOneOf(words[i], conjunctions)) {
			i++
		}
		if i < len(words) {
			places = append(places, i)
		}
	}
	return places
}

// inPlaceOf is a word with the marks and the case of the one whose place it takes.
func inPlaceOf(old, word string) string {
	trimmed := strings.TrimRightFunc(old, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return word + old[len(trimmed):]
}

// capital is a sentence with a capital at its start.
func capital(words []string) []string {
	if len(words) > 0 {
		r, size := utf8.DecodeRuneInString(words[0])
		words[0] = string(unicode.ToUpper(r)) + words[0][size:]
	}
	return words
}

func lower(word string) bool { return unicode.IsLower(firstRune(word)) }
