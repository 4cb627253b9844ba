package sensitive

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/redact"
)

// Features of a text's words, in this order: for each class but the last two how many entries
// match, at most three; then those below.
const (
	nameAfterIntroduction = classes - 2 + iota // a capitalised word after "my friend", "Dr"
	givenInside                                // a first name, capitalised, inside a sentence
	givenAtStart                               // the same, as its first word
	givenAndOther                              // a first name before another capitalised word
	otherInside                                // a family name, capitalised, inside a sentence
	possessive                                 // a first name with 's
	capitalsInside                             // capitalised words inside a sentence that no list has
	longNumber                                 // five digits and more, with signs between
	mixedNumber                                // letters and digits in one word
	shortNumber                                // three or four digits
	amount                                     // a number with a currency
	postcode
	streetNumber // a capitalised word before or after a number
	foundNumber  // a card, an IBAN or a national number, as package redact finds them
	foundAddress // a street with its number, as package redact finds them
	firstPerson  // I, my; User
	features
)

// mostCounted bounds every count, so that a long text says no more than a short one.
const mostCounted = 3

// counts are the features of a text.
type counts [features]float32

func (c *counts) add(feature int) { c[feature] = min(c[feature]+1, mostCounted) }

var (
	longNumbers  = regexp.MustCompile(`\d(?:[ .\-/]?\d){4,}`)
	mixedNumbers = regexp.MustCompile(`\b(?:[A-Z]{1,4}[ -]?\d{3,}[A-Z0-9-]*|\d{2,}[ -]?[A-Z]{1,3}(?:[ -]?\d+)?)\b`)
	shortNumbers = regexp.MustCompile(`\b\d{3,4}\b`)
	amounts      = regexp.MustCompile(`(?i)(?:[$€£¥]|R\$|US\$|\b(?:EUR|CHF|Fr\.|BRL|USD|GBP))\s?\d|\d\s?(?:[$€£]|k\b|mil\b|(?:euros?|reais|dollars?|dólares|pounds?|quid|pesos|francs?|franken|grand|conto|contos|EUR|CHF|USD|GBP|CAD|lakh|rupees?)\b)`)
	postcodes    = regexp.MustCompile(`\b(?:\d{4}-\d{3}|\d{5}-\d{3}|[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|(?:D-|A-|CH-|F-)?\d{4,5} \p{Lu}\p{L}+)\b`)
	streets      = regexp.MustCompile(`\p{Lu}\p{L}+[.,]? (?:n[.º°o]+ ?)?\d{1,4}\b|\b\d{1,4}[,]? (?:bis |ter )?(?:rue|avenue|av|bd|boulevard|chemin|quai|place|\p{Lu}\p{L}+ (?:St|Street|Rd|Road|Ave|Avenue|Lane|Drive|Close|Way|Court|Crescent|Terrace))\b`)
)

// lexical returns the features of the words of a text, by the word lists of its languages.
func (f *Finder) lexical(text string) (c counts) {
	words := tokens(text)
	covered := make([]bool, len(words))    // by noPerson
	introduced := make([]bool, len(words)) // follows on introduces
	is := make([][classes]bool, len(words))
	for _, l := range f.lexiconsOf(text) {
		l.match(words, func(of class, from, to int) {
			switch of {
			case noPerson:
				for i := from; i < to; i++ {
					covered[i] = true
				}
			case introduces:
				if to < len(words) {
					introduced[to] = true
				}
			case givenName, otherName:
				is[from][of] = true
			default:
				c.add(int(of))
			}
		})
	}
	c.addNames(words, covered, introduced, is)
	c.addNumbers(text)
	return c
}

// addNames counts what tells of people by name. Words that no list has count where the language
// capitalises names only, which the weights decide.
func (c *counts) addNames(words []token, covered, introduced []bool, is [][classes]bool) {
	for i, w := range words {
		if isFirstPerson(w.folded) {
			c.add(firstPerson)
		}
		if !isCapitalised(w.text) || covered[i] {
			continue
		}
		given, other := is[i][givenName], is[i][otherName]
		if introduced[i] {
			c.add(nameAfterIntroduction)
		}
		switch {
		case given && w.first:
			c.add(givenAtStart)
		case given:
			c.add(givenInside)
		case other && !w.first:
			c.add(otherInside)
		case !w.first:
			c.add(capitalsInside)
		}
		if given {
			c.add(int(givenName))
			if i+1 < len(words) && isCapitalised(words[i+1].text) && !words[i+1].first && !covered[i+1] {
				c.add(givenAndOther)
			}
			if i+1 < len(words) && words[i+1].text == "s" {
				c.add(possessive)
			}
		} else if other {
			c.add(int(otherName))
		}
	}
}

// isFirstPerson tells whether a word, folded, stands for the person: I, my, the user.
func isFirstPerson(word string) bool {
	switch word {
	case "i", "my", "mine", "we", "our", "user", "eu", "meu", "minha", "nos", "nosso", "nossa", "usuario", "usuaria", "yo", "mi", "mis", "nuestro", "nuestra",
		"ich", "mein", "meine", "meinem", "meinen", "meiner", "wir", "unser", "unsere", "nutzer", "nutzerin", "je", "j", "mon", "ma", "mes", "nous", "notre",
		"utilisateur", "utilisatrice", "utilizador", "utilizadora":
		return true
	}
	return false
}

// addNumbers counts what has the form of a number that tells something.
func (c *counts) addNumbers(text string) {
	if !strings.ContainsAny(text, "0123456789") {
		return
	}
	for feature, pattern := range map[int]*regexp.Regexp{
		longNumber: longNumbers, mixedNumber: mixedNumbers, shortNumber: shortNumbers, amount: amounts, postcode: postcodes, streetNumber: streets,
	} {
		for range pattern.FindAllStringIndex(text, mostCounted) {
			c.add(feature)
		}
	}
	for _, found := range redact.Find(text, redact.All()) {
		switch found.Kind {
		case redact.IBAN, redact.CreditCard, redact.NationalID:
			c.add(foundNumber)
		case redact.Address:
			c.add(foundAddress)
		}
	}
}

func isCapitalised(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}
