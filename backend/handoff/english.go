package handoff

import (
	"slices"
	"strings"
)

// Words of the English rules, each with spaces around it.
const (
	// englishVerbs are base forms of regular conjugation.
	englishVerbs = " accept admire adopt agree appreciate attend avoid ask bake believe belong bike bring build buy care carry change choose clean climb code collect come commute compose consider contribute cook create cycle dance defend design develop dislike dream draw drink drive eat edit enjoy exercise expect explore favor favour fear feel find finish fish fix focus follow garden get give go grow hate help hike hold hope host hunt identify intend invest jog join juggle keep knit know lack lead learn lecture like listen live look love maintain make manage mean meditate meet mentor mind need observe offer operate organise organize own paint pay perform photograph plan play practice practise prefer prepare produce program publish pursue raise rely remember rent repair require research respect restore ride run sail say see seek sell serve sew share sing sit skate ski sleep smoke solve speak specialise specialize spend stand start stay stop struggle study suffer suggest support surf swim take talk teach tend think track train travel trust try type understand use value visit volunteer wait wake walk want watch wear wish work worry write "
	// sameInPast are base forms equal to the past tense, so that "I read" is ambiguous.
	sameInPast = " read put set cut let hit cost quit bet "
	// nounLike are verbs whose form with s may also be a plural.
	nounLike = " book care change climb code cook cycle dance design dream drink drive exercise fear find fish fix focus garden guide hate help hike hope host hunt join like look love mind need offer paint pay plan play practice program research rent repair respect ride run sail share skate ski sleep smoke stand start stay stop struggle study support surf swim talk track train travel trust type use value visit volunteer wait walk watch wish work worry live cut hit set bet cost "
	// englishPast are irregular past forms, the same in every person.
	englishPast    = " became began bought broke brought built came did drew drove felt gave got grew had held kept knew learnt led left lost made met moved ran said saw sold spent spoke stopped taught told took thought went won wrote "
	englishModals  = " can cannot can't could couldn't may might must mustn't shall should shouldn't will won't would wouldn't "
	englishAdverbs = " always usually often never currently also rarely now sometimes still already generally normally mostly mainly recently really strongly typically occasionally frequently only just "
	englishJoins   = " and or but then yet so nor & "
	englishClauses = " who which that where whose when while because if as since "
	// englishThirdWords speak of the person in the third person, or may.
	englishThirdWords = " user user's users he she they him her them his hers their theirs himself herself themself themselves he's she's they're "
	englishFirstWords = " i i'm i've i'd i'll me my mine myself we us our ours ourselves we're we've let's "
	// openers are words behind "Is" with which a line that names no subject speaks of a person.
	openers = " a an from called named allergic married vegetarian vegan based fluent interested born originally lactose retired "
	// placed are words behind a form that may be a plural, with which it is a verb.
	placed = " at as for from with in near on "
)

func english() personRules {
	namesNobody := func(words []string) bool {
		at := 0
		for at < len(words)-1 && isOneOf(words[at], englishAdverbs) {
			at++
		}
		return !hasAny(words, englishThirdWords) && !strings.HasSuffix(bare(words[at]), "s") && !isPast(words[at])
	}
	namesUser := func(words []string) bool { return hasAny(words[:min(2, len(words))], " user user's user’s ") }
	return personRules{"en", englishFirst, englishThird, namesNobody, namesUser, englishFirstWords}
}

// straight writes an apostrophe in one way.
func straight(word string) string { return strings.ReplaceAll(word, "’", "'") }

// englishFirst turns "User prefers tea", "The user's wife …" and "Prefers tea".
func englishFirst(words []string) ([]string, bool) {
	start := 0
	if len(words) > 1 && words[0] == "The" {
		start = 1
	}
	if len(words) < start+2 {
		return nil, false
	}
	subject, rest := straight(words[start]), words[start+1:]
	if start == 1 {
		subject = strings.Replace(subject, "user", "User", 1)
	}
	if hasAny(rest, englishThirdWords) || hasAny(rest, englishFirstWords) {
		return nil, false
	}
	switch {
	case subject == "User's":
		return append([]string{"My"}, rest...), lower(rest[0])
	case subject == "User":
		return firstOf(rest)
	case start == 0 && isBareVerb(words):
		return firstOf(words)
	}
	return nil, false
}

// firstOf puts "I" before a predicate in the third person.
func firstOf(predicate []string) ([]string, bool) {
	words := slices.Clone(predicate)
	at := 0
	for at < len(words)-1 && isOneOf(words[at], englishAdverbs) {
		at++
	}
	verb, ok := firstForm(straight(strings.ToLower(words[at])))
	if !ok || isPast(words[at]) && strings.Contains(" "+strings.Join(words, " "), " content ") {
		return nil, false
	}
	words[at] = inPlaceOf(words[at], verb)
	for _, i := range coordinated(words[at+1:], englishJoins, englishAdverbs) {
		i += at + 1
		w := bare(words[i])
		if second, is := firstForm(w); is && second != w {
			// "walks and runs" may be nouns, "a cousin who bakes and sings" is another.
			if isOneOf(baseOf(w), nounLike) || hasAny(words[at+1:i], englishClauses) {
				return nil, false
			}
			words[i] = inPlaceOf(words[i], second)
		} else if lower(words[i]) && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !isPast(w) {
			return nil, false
		}
	}
	return append([]string{"I"}, words...), true
}

// firstForm is the form of the first person of one of the third, or the same where it does
// not differ.
func firstForm(verb string) (string, bool) {
	switch verb {
	case "is":
		return "am", true
	case "isn't":
		return "am not", true
	case "has":
		return "have", true
	case "hasn't":
		return "haven't", true
	case "does":
		return "do", true
	case "doesn't":
		return "don't", true
	case "was", "wasn't":
		return verb, true
	}
	if strings.Contains(englishModals, " "+verb+" ") || isPast(verb) {
		return verb, true
	}
	base := baseOf(verb)
	return base, base != ""
}

// baseOf is the base of a form with s, "" where it is none of a known verb.
func baseOf(verb string) string {
	for _, end := range [][2]string{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		stem, ok := strings.CutSuffix(verb, end[0])
		if base := stem + end[1]; ok && stem != "" && (isOneOf(base, englishVerbs) || isOneOf(base, sameInPast)) && withS(base) == verb {
			return base
		}
	}
	return ""
}

// withS is the form of the third person of a base form.
func withS(base string) string {
	n := len(base)
	switch {
	case strings.HasSuffix(base, "y") && n > 1 && !strings.ContainsRune("aeiou", rune(base[n-2])):
		return base[:n-1] + "ies"
	case strings.HasSuffix(base, "s"), strings.HasSuffix(base, "x"), strings.HasSuffix(base, "ch"), strings.HasSuffix(base, "sh"), strings.HasSuffix(base, "o"):
		return base + "es"
	}
	return base + "s"
}

func isPast(word string) bool {
	w := bare(word)
	return isOneOf(w, englishPast) || strings.HasSuffix(w, "ed") && len(w) > 4
}

// isBareVerb says whether a line without a subject begins with a verb that cannot be a plural
// here.
func isBareVerb(words []string) bool {
	first, next := strings.ToLower(straight(words[0])), bare(words[1])
	switch first {
	case "is":
		return isOneOf(next, openers) || strings.HasSuffix(next, "ing") && len(next) > 4
	case "has":
		return next != "to"
	case "doesn't":
		return true
	case "does":
		return next == "not"
	case "plans", "needs", "hopes":
		return next == "to"
	}
	base := baseOf(first)
	if base == "" || hasAny(words[1:], " is are was were be should must can ") {
		return false
	}
	if !isOneOf(base, nounLike) || base == "like" || base == "love" || base == "hate" {
		return next != "of"
	}
	return isOneOf(next, placed) && next != "for" || base == "work" && next == "for" || base == "use" && !lower(words[1])
}

// englishThird turns "I prefer tea" and "My wife …".
func englishThird(words []string) ([]string, bool) {
	if len(words) < 2 {
		return nil, false
	}
	subject, rest := straight(words[0]), slices.Clone(words[1:])
	if subject == "My" {
		return append([]string{"The", "user's"}, rest...), lower(rest[0]) && !hasAny(rest, englishFirstWords)
	}
	verbs := map[string]string{"I'm": "is", "I've": "has", "I'll": "will"}
	if verb, ok := verbs[subject]; ok {
		return thirdOf(append([]string{verb}, rest...), 0)
	}
	if subject == "I'd" && rest[0] == "like" {
		return thirdOf(append([]string{"would"}, rest...), 0)
	}
	if subject != "I" {
		return nil, false
	}
	at := 0
	for at < len(rest)-1 && isOneOf(rest[at], englishAdverbs) {
		at++
	}
	verb, ok := thirdForm(straight(rest[at]))
	if !ok {
		return nil, false
	}
	rest[at] = inPlaceOf(rest[at], verb)
	return thirdOf(rest, at)
}

// thirdOf puts "The user" before a predicate whose verb is turned already. A second verb may
// belong to the same subject or to another, so it is not turned.
func thirdOf(words []string, at int) ([]string, bool) {
	for _, i := range coordinated(words[at+1:], englishJoins, englishAdverbs) {
		w := bare(words[at+1+i])
		if isOneOf(w, englishVerbs) || isOneOf(w, sameInPast) || isOneOf(w, " am have do have don't haven't was ") {
			return nil, false
		}
	}
	for i := at + 1; i < len(words); i++ {
		if !isOneOf(straight(words[i]), englishFirstWords) {
			continue
		}
		// Further from its subject "their" may be somebody else's.
		if words[i] != "my" || i > at+3 || hasAny(words[i+1:], englishFirstWords) {
			return nil, false
		}
		words[i] = "their"
	}
	return append([]string{"The", "user"}, words...), true
}

// thirdForm is the form of the third person of one of the first.
func thirdForm(verb string) (string, bool) {
	switch verb {
	case "am":
		return "is", true
	case "have":
		return "has", true
	case "haven't":
		return "hasn't", true
	case "do":
		return "does", true
	case "don't":
		return "doesn't", true
	case "was", "wasn't":
		return verb, true
	}
	if strings.Contains(englishModals, " "+verb+" ") || isPast(verb) {
		return verb, true
	}
	return withS(verb), isOneOf(verb, englishVerbs)
}
