package compare

import (
	"strconv"
	"strings"
	"unicode"
)

// number is a number with its unit, or with the stem of what it counts.
type number struct {
	value   float64
	unit    string
	counted string
}

// compareNumbers says how to compare numbers of two statements. What is counted has the same
// name only in the same language.
func (s statement) compareNumbers(other statement) func(a, b number) match {
	return func(a, b number) match {
		switch {
		case a.unit != "" && b.unit != "" && a.unit != b.unit:
			return incomparable
		case a.value == b.value:
			return equal
		case a.unit != "" && a.unit == b.unit:
			return unequal
		case s.language == other.language && a.counted != b.counted && a.counted != "" && b.counted != "":
			return incomparable
		}
		return unequal
	}
}

// sameQuantity says whether two statements have a number or a date in common.
func (s statement) sameQuantity(other statement) bool {
	return agree(s.numbers, other.numbers, s.compareNumbers(other)) || agree(s.dates, other.dates, date.compare)
}

// numbersIn are the numbers of a text, "two thousand three hundred" and "2 300" as one.
func numbersIn(words []string, language string) (numbers []number) {
	for i := 0; i < len(words); i++ {
		value, ok := numeral(words[i], language)
		if !ok {
			continue
		}
		next := i + 1
		for ; next < len(words); next++ {
			lower := strings.ToLower(words[next])
			if factor := multiplier(lower); factor > 0 {
				value *= factor
			} else if more, ok := spelled(lower); ok && more >= 100 && more < value {
				value += more
			} else if !(lower == "e" || lower == "y") || next+1 == len(words) || value < 1000 {
				break
			}
		}
		n := number{value: value}
		if next < len(words) {
			lower := strings.ToLower(words[next])
			n.unit, n.counted = unit(lower), stemOf(lower)
		}
		if n.unit == "" && i > 0 {
			n.unit = unit(words[i-1])
		}
		numbers = append(numbers, n)
		i = next - 1
	}
	return numbers
}

// numeral is the number a word is, in digits or spelled.
func numeral(word, language string) (float64, bool) {
	switch lower := strings.ToLower(word); {
	case lower == "dos" && language == "pt", lower == "once" && language != "es", lower == "seize" && language != "fr":
		return 0, false // other words there
	case word[0] < '0' || word[0] > '9':
		return spelled(lower)
	}
	value, err := strconv.ParseFloat(decimal(word), 64)
	return value, err == nil && !strings.ContainsFunc(word, unicode.IsLetter)
}

// decimal is a number as Go reads it. A point or a comma before exactly three digits parts
// thousands, but for "0.125"; any other last one begins the fraction.
func decimal(word string) string {
	last := strings.LastIndexAny(word, ".,")
	keep := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	if last < 0 || len(word)-last-1 == 3 && word[0] != '0' {
		return keep(word)
	}
	return keep(word[:last]) + "." + keep(word[last+1:])
}

// spelled is the number that a word says. One is none: it is an article in most languages.
func spelled(word string) (float64, bool) {
	for value, words := range [...]string{
		2: "two dois duas dos zwei deux twice zweimal", 3: "three três tres drei trois dreimal",
		4: "four quatro cuatro vier quatre", 5: "five cinco fünf cinq", 6: "six seis sechs",
		7: "seven sete siete sieben sept", 8: "eight oito ocho acht huit", 9: "nine nove nueve neun neuf",
		10: "ten dez diez zehn dix", 11: "eleven onze once elf", 12: "twelve doze doce zwölf douze",
		13: "thirteen treze trece dreizehn treize", 14: "fourteen catorze quatorze vierzehn",
		15: "fifteen quinze quince fünfzehn", 16: "sixteen dezesseis dezasseis dieciséis sechzehn seize",
		17: "seventeen dezessete diecisiete siebzehn", 18: "eighteen dezoito dieciocho achtzehn",
		19: "nineteen dezenove diecinueve neunzehn", 20: "twenty vinte veinte zwanzig vingt",
		30: "thirty trinta treinta dreißig trente", 40: "forty quarenta cuarenta vierzig quarante",
		50: "fifty cinquenta cincuenta fünfzig cinquante",
	} {
		if listed(words, word) {
			return float64(value), true
		}
	}
	for value, words := range [...]string{
		2: "duzentos doscientos zweihundert", 3: "trezentos trescientos dreihundert", 4: "quatrocentos cuatrocientos vierhundert",
		5: "quinhentos quinientos fünfhundert", 6: "seiscentos seiscientos sechshundert", 7: "setecentos setecientos siebenhundert",
		8: "oitocentos ochocientos achthundert", 9: "novecentos novecientos neunhundert",
	} {
		if listed(words, word) {
			return float64(value) * 100, true
		}
	}
	return 0, false
}

// multiplier is what a word makes of the number before it, 0 where it makes nothing of it.
func multiplier(word string) float64 {
	switch word {
	case "thousand", "mil", "tausend", "mille":
		return 1000
	case "hundred", "hundert", "cent", "cents":
		return 100
	case "million", "millions", "milhões", "millones", "millionen":
		return 1e6
	}
	return 0
}

// unit is what a word measures, one name for all languages.
func unit(word string) string {
	for _, u := range [...][2]string{
		{"money", "€ $ £ euro euros eur dollars dollar pounds reais pesos"}, {"percent", "% percent prozent"},
		{"year", "years year anos años jahre jahren ans"}, {"week", "weeks week semanas wochen semaines"},
		{"hour", "hours hour horas stunden heures"}, {"minute", "minutes minutos minuten"}, {"day", "days dias días tage jours"},
		{"kg", "kg quilos kilos kilo"}, {"km", "km kilometer kilometers kilometres kilómetros quilômetros kilomètres"}, {"cm", "cm"},
	} {
		if listed(u[1], word) {
			return u[0]
		}
	}
	return ""
}
