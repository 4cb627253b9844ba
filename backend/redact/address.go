package redact

import (
	"regexp"
	"strings"
	"sync"
)

// addressForms know a street by its kind and its house number, with what follows
// up to a postal code. Each part is bounded, so that a match ends within a few
// lines of its beginning. They are compiled at first use, since they take 0.9 MB
// and most starts look at no address.
var addressForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		// 42 Orchard Lane, Bristol BS1 4QT · 350 Fifth Avenue, New York, NY 10118 · 78 County Road 12, Lyons, CO 80540
		regexp.MustCompile(`\b\d{1,5} (?:[A-Z][\pL'.-]{1,20} ){1,3}(?:Street|St\.?|Road|Rd\.?|Lane|Ln\.?|Avenue|Ave\.?|Drive|Dr\.?|Close|Court|Ct\.?|Way|Boulevard|Blvd\.?|Place|Square|Terrace|Crescent|Row|Hill)\b(?: \d{1,4}\b)?` + englishTail),
		regexp.MustCompile(`\bP\.?O\.? Box \d{1,6}` + englishTail),
		// Rua das Acácias, 123, apto 45, Campinas - SP, 13010-050 · Rua do Almada, 210, 4050-031 Porto
		regexp.MustCompile(`\b(?:Rua|R\.|Avenida|Av\.|Alameda|Al\.|Travessa|Praça|Estrada|Rodovia|Largo) [\pL' .]{2,40}, ?(?:nº ?)?\d{1,5}(?:, (?:apto?|ap|bloco|sala|casa|\d+º)\.? ?[\pL\d]{0,5})?(?:, [\pL' ]{2,30} - [A-Z]{2})?(?:, \d{5}-?\d{3})?(?:, \d{4}-\d{3} [\pL]{2,20})?`),
		// Lindenstraße 17, 10969 Berlin · Am Alten Markt 3, 50667 Köln
		regexp.MustCompile(`\b\p{Lu}\pL{1,30}(?:straße|strasse|str\.|weg|allee|gasse|platz|ring|damm|ufer) ?\d{1,4} ?[a-z]?\b(?:, \d{5} \p{Lu}\pL{1,25})?`),
		regexp.MustCompile(`\b(?:Am|An der|Im|Zum|Zur|Auf dem) (?:\p{Lu}\pL{1,20} ?){1,3} ?\d{1,4} ?[a-z]?, \d{5} \p{Lu}\pL{1,25}`),
		// 14 rue des Lilas, 75020 Paris
		regexp.MustCompile(`\b\d{1,4}(?: bis| ter)? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|route) [\pL' -]{2,40}(?:, \d{5} \p{Lu}[\pL-]{1,25})`),
		// Calle de Alcalá, 45, 28014 Madrid
		regexp.MustCompile(`\b(?:Calle|C/|Avenida|Avda\.|Plaza|Paseo|Ronda|Carrer) [\pL' ]{2,40},? \d{1,4}(?:, \d{5} \p{Lu}\pL{1,25})?`),
		// Via Garibaldi 12, 40124 Bologna
		regexp.MustCompile(`\b(?:Via|Viale|Piazza|Corso|Vicolo|Largo) [\pL' ]{2,40},? \d{1,4}(?:, \d{5} \p{Lu}\pL{1,25})?`),
	}
})

const englishTail = `(?:,? (?:Apt|Suite|Unit|Flat)\.? ?\w{1,5})?(?:,? [A-Z][a-z]{1,20}(?: [A-Z][a-z]{1,20}){0,2},? (?:[A-Z]{2,3} \d{4,5}(?:-\d{4})?|[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}))?`

// addresses looks for street addresses. Each has a number in it, and most texts
// have none.
func (f *finder) addresses() {
	if !strings.ContainsAny(f.text, "0123456789") {
		return
	}
	for _, form := range addressForms() {
		for _, m := range form.FindAllStringIndex(f.text, -1) {
			f.add(Address, m[0], m[1])
		}
	}
}
