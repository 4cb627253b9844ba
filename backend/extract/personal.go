package extract

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// aboutPerson are beginnings of words that say something of a person's health, food,
// birth or family, small and without accents, in the languages of the rules.
var aboutPerson = [...]string{
	// Health and food.
	"health", "saude", "salud", "gesundheit", "sante", "allerg", "alerg", "intoleran", "unvertrag", "asthm", "asma", "diabet", "epilep", "coeliac", "celiac", "cœliaque", "coeliaq", "zoliakie",
	"medicat", "medicament", "medikament", "medicin", "remedio", "prescri", "illness", "disease", "disorder", "doenca", "enferm", "malad", "krank", "diagnos",
	"cancer", "krebs", "tumor", "pregnan", "schwanger", "gravid", "embaraz", "enceinte", "blood", "sangue", "sangre", "blut", "vaccin", "vacin", "vacun", "impf",
	"therap", "terapia", "surgery", "cirurgia", "cirugia", "chirurg", "disab", "deficien", "discapac", "handicap", "behinder", "adhd", "tdah", "autis", "depress", "anxiety", "ansiedade", "ansiedad",
	"migraine", "migran", "enxaqueca", "vegan", "vegetar", "pescat", "pescetar", "kosher", "koscher", "halal", "diet", "diat", "dieta", "gluten", "lactos", "lactose", "laktos", "peanut", "penicil", "penizil",
	// Birth and who somebody is.
	"birthday", "birth", "born", "aniversari", "nascid", "nasceu", "nasci", "cumpleanos", "nacid", "nacio", "nacimiento", "geburt", "geboren", "naissance", "anniversaire", "pronoun", "pronome",
	// Family.
	"wife", "husband", "spouse", "fiance", "daughter", "mother", "father", "brother", "sister", "sibling", "married", "divorc", "widow",
	"esposa", "esposo", "marido", "filho", "filha", "irmao", "irma", "casad", "hijo", "hija", "madre", "padre", "herman",
	"ehefrau", "ehemann", "tochter", "mutter", "vater", "bruder", "schwester", "verheirat", "epouse", "femme", "fille", "frere", "soeur", "sœur", "mariee",
}

// wholeWords are those that begin too many others.
var wholeWords = map[string]bool{
	"son": true, "sons": true, "kid": true, "kids": true, "child": true, "children": true, "mom": true, "mum": true, "dad": true, "name": true, "named": true, "partner": true,
	"mae": true, "pai": true, "nome": true, "sohn": true, "kind": true, "kinder": true, "frau": true, "fils": true, "mari": true, "mere": true, "pere": true, "nombre": true, "chama": true, "llama": true,
}

// withoutSpaces are the same of languages that write no spaces, or are not read by
// the rules.
var withoutSpaces = [...]string{"アレルギー", "糖尿", "誕生日", "薬", "妊娠", "过敏", "過敏", "素食", "生日", "怀孕", "药", "알레르기", "생일", "аллерг", "диабет", "рожден", "беремен", "алергі", "حساسية", "ميلاد", "אלרג"}

// IsPersonal reports that a text has words about somebody's health, food, birth, name
// or family, which do not become less true because nobody looks at them. It goes by
// words alone, and takes more than it need.
func IsPersonal(text string) bool {
	for _, w := range Words(text) {
		if wholeWords[w] || slices.ContainsFunc(aboutPerson[:], func(begin string) bool { return strings.HasPrefix(w, begin) }) {
			return true
		}
	}
	text = strings.ToLower(norm.NFKC.String(text))
	return slices.ContainsFunc(withoutSpaces[:], func(part string) bool { return strings.Contains(text, part) })
}
