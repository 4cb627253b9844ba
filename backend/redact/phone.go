package redact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// callingCodes say how many digits a number has behind + and its code, least and
// most (ITU-T E.164, national plans). A code that is not here has 8 to 15 in all.
var callingCodes = []struct {
	code      string
	min, most int
}{
	{"1", 10, 10}, {"7", 10, 10}, {"33", 9, 9}, {"34", 9, 9}, {"351", 9, 9}, {"39", 8, 11}, {"41", 9, 9}, {"43", 7, 13}, {"44", 9, 10}, {"49", 7, 11},
	{"55", 10, 11}, {"52", 10, 11}, {"54", 10, 11}, {"57", 10, 10}, {"31", 9, 9}, {"32", 8, 9}, {"48", 9, 9}, {"81", 9, 10}, {"82", 8, 10}, {"86", 10, 11}, {"91", 10, 10},
}

// phones finds numbers with +, numbers in a shape that nothing else has, and
// numbers that a word introduces.
func (f *finder) phones(r run) {
	for i := 0; i < len(r); {
		if n := f.phone(r[i:], f.startsHere(r, i)); n > 0 {
			i += n
		} else {
			i++
		}
	}
}

// phone is how many groups of the run's beginning are one.
func (f *finder) phone(r run, free bool) int {
	start := r[0].start
	before := strings.TrimSuffix(f.text[:start], "(")
	if plus := strings.TrimSuffix(before, "+"); plus != before && f.freeBefore(len(plus)) {
		return f.international(r, len(plus))
	}
	if !free {
		return 0
	}
	if len(before) < start && f.freeBefore(len(before)) {
		start = len(before) // the ( of an area code
	}
	if n := f.national(r, start); n > 0 {
		if !strings.Contains(f.text[start:r[n-1].end], ")") {
			start = r[0].start // the ( was a sentence's
		}
		f.add(Phone, start, r[n-1].end)
		return n
	}
	return 0
}

// international takes as many groups as the country's numbers have.
func (f *finder) international(r run, start int) int {
	digits := ""
	least, most := 8, 15
	taken := 0
	trunk := 0
	for k, g := range r[:min(len(r), mostGroups)] {
		if part := f.text[g.start:min(g.end, g.start+20)]; k == 1 && part == "0" && f.text[g.start-1] == '(' {
			trunk = 1 // +44 (0)20: dialled at home only
		} else {
			digits += part
		}
		if k == 0 || least == 8 {
			least, most = lengths(digits)
		}
		if len(digits) > most {
			break
		}
		f.looked += g.end - g.start
		taken = k + 1
	}
	total := -trunk
	for _, g := range r[:taken] {
		total += g.end - g.start
	}
	if taken == 0 || total < least || digits[0] == '0' || !f.freeAfter(r[taken-1].end) {
		return 0
	}
	f.add(Phone, start, r[taken-1].end)
	return taken
}

func lengths(digits string) (least, most int) {
	for _, c := range callingCodes {
		if strings.HasPrefix(digits, c.code) {
			return len(c.code) + c.min, len(c.code) + c.most
		}
	}
	return 8, 15
}

// Shapes of national numbers, as lengths of groups with what stands between.
var (
	// plain shapes belong to nothing else.
	plain = regexp.MustCompile(`^(?:\(3\) ?3[- ]4|\(2\) ?[45][- ]4|\(2\) ?1 4-4|(?:1[-. ])?3-3-4|1[-.]3[-.]3[-.]4|3\.3\.4|2 5-4|\(3\) 3 2 2|\(3\) \d \d)$`)
	// zero shapes are numbers where the first group begins with one 0.
	zero = regexp.MustCompile(`^(?:2([ .-])2[ .-]2[ .-]2[ .-]2|[345][ /-]\d{1,2}(?:[ -]\d){0,2}|4 3 [34]|4 [678]|5 6|3 4 4|5 3 3|3/\d \d|2 4 4)$`)
)

// national is how many groups are a number as it is dialled at home.
func (f *finder) national(r run, start int) int {
	word := 0
	asked := false
	for k := min(len(r), mostGroups); k > 0; k-- {
		if !f.endsHere(r, k-1) || f.decimalAfter(r[k-1].end) {
			continue
		}
		shape, digits := f.shapeOf(r[:k], start)
		if len(digits) < 7 || len(digits) > longestNational(digits) || dateLike(shape, digits) {
			continue
		}
		if !asked {
			word, asked = f.beforeWord(start), true
		}
		if word < 0 {
			return 0
		}
		if word > 1 || word > 0 && k > 1 && (digits[0] == '0' || introduced(shape, digits)) || f.shaped(shape, digits) && !f.goesOn(r, k-1) {
			return k
		}
	}
	return 0
}

// introduced reports a shape that a number of some sort has where it is a phone's.
func introduced(shape, digits string) bool {
	return shape == "2 4-4" || shape == "3 3 4" && northAmerican(digits)
}

// longestNational is 13 digits, and 15 with the 00 of a call abroad.
func longestNational(digits string) int {
	if strings.HasPrefix(digits, "00") {
		return 15
	}
	return 13
}

// shaped reports a shape that needs no word.
func (f *finder) shaped(shape, digits string) bool {
	switch {
	case strings.HasPrefix(digits, "00") && strings.Contains(shape, " "): // as it is dialled from abroad
		least, most := lengths(digits[2:])
		return least > 8 && len(digits)-2 >= least && len(digits)-2 <= most
	case digits[0] == '0':
		return digits[1] != '0' && len(digits) >= 9 && len(digits) <= 12 && zero.MatchString(shape)
	case !plain.MatchString(shape):
		return strings.HasPrefix(digits, "00")
	case strings.HasSuffix(shape, "3-4") || strings.HasSuffix(shape, "3.4") || strings.HasSuffix(shape, "3 4"):
		return northAmerican(digits)
	case shape == "2 5-4":
		return digits[2] == '9'
	}
	return true
}

// northAmerican: neither area nor exchange begins with 0 or 1.
func northAmerican(d string) bool {
	if len(d) == 11 {
		d = strings.TrimPrefix(d, "1")
	}
	return len(d) == 10 && d[0] >= '2' && d[3] >= '2'
}

func (f *finder) shapeOf(r run, start int) (shape, digits string) {
	shape = f.text[start:r[0].start]
	for i, g := range r {
		if i > 0 {
			shape += f.text[r[i-1].end:g.start]
		}
		part := f.text[g.start:min(g.end, g.start+20)]
		f.looked += len(part)
		shape += strconv.Itoa(len(part))
		digits += part
	}
	return strings.ReplaceAll(shape, "\u00a0", " "), digits
}

// decimalAfter reports 1.234.567,89.
func (f *finder) decimalAfter(end int) bool {
	return end+1 < len(f.text) && f.text[end] == ',' && digit(f.text[end+1])
}

// dateLike reports 03.05.2024, 2024-05-03 and thousands 1.234.567.
func dateLike(shape, digits string) bool {
	switch shape {
	case "2.2.4", "2/2/4", "2-2-4", "4-2-2", "4/2/2", "4.2.2", "2 2 4", "4-2-2 2", "2.2.4 2", "2/2/4 2", "4-2-2 4":
		return true
	case "4-4", "4/4": // years
		return strings.HasPrefix(digits, "19") || strings.HasPrefix(digits, "20")
	}
	return strings.Contains(shape, ".") && !strings.ContainsAny(shape, " -/(") && shape != "3.3.4" && shape != "2.2.2.2.2"
}

// Words that say what the number behind them is. The nearest one decides.
var (
	phoneWords = words(`phone phones telephone tel cel telefon telefone teléfono telefono téléphone telefoon телефон cell cellphone mobile móvil movil celular celulare cellulare handy mobil
		 portable whatsapp zap fax fone call text dial ring ligue liga ligar llama llámame llamar appelle appelez appeler joignable chiama chiamami chiamare ruf rückruf anrufen
		erreichst erreichbar telemóvel telemovel fixo fijo fixe festnetz landline bel gsm sms verde whats wpp sac phonenumber тел телефон tlm telm telem tlf telef 電話 电话 手机 手機 전화 전화번호 携帯`)
	numberWords = words(`number numbers número numero numéro nummer num no nr contact contato contacto kontakt reach numer`)
	myWords     = words(`my his her our your mon ma notre mi mis nuestro meu minha nosso mein meine unser unsere mio nostro mój moj mijn min`)
	theirWords  = words(`dela dele delas deles`) // behind the number's word: "o número dela é"
	otherWords  = words(`order orders invoice ticket serial part ref reference account acct id imei isbn tracking shipment booking case docket model sku version row code ean upc vin zip lottery nonce
		pedido protocolo processo nota fatura contrato matrícula encomenda artigo rastreio boleto agência conta lote cupom rg cpf cnpj nif nis pis pasep niss pesel bsn
		rechnung artikel bestellung aktenzeichen zählerstand inventar vertrag konto blz steuer vorgang kunde
		commande dossier référence article lot colis tirage siret facture contrat loto vol
		factura expediente vuelo lotería referencia seguimiento artículo dni nie
		ordine fattura pacco volo prenotazione bestelling rekening заказ zamówienie sipariş
		ssn social security passport licence license card karte carte cartão tarjeta carta iban bic population flight bus room unix`)
)

// callWord is a German compound of a number that is called.
var callWord = regexp.MustCompile(`^(?:telefon|handy|mobil|ruf|notfall|fax|festnetz|durchwahl).*nummer$`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func hasOneOf(all []string, set map[string]bool) bool {
	return slices.ContainsFunc(all, func(w string) bool { return set[w] })
}

// beforeWord says what the nearest telling word before a number makes of it: 2 a
// phone, 1 a number of some sort, -1 something else, 0 nothing.
func (f *finder) beforeWord(start int) int {
	all := f.wordsBefore(start, 7)
	for i, w := range all {
		switch {
		case phoneWords[w], callWord.MatchString(w):
			return 2
		case otherWords[w] || strings.HasSuffix(w, "nummer") && len(w) > 6 || strings.HasSuffix(w, "number") && len(w) > 6:
			return -1
		case numberWords[w]:
			before := all[i+1 : min(len(all), i+3)]
			switch {
			case len(before) > 0 && myWords[before[0]]: // "my number is"
				return 2
			case len(before) > 0 && otherWords[before[0]]: // "lottery numbers"
				return -1
			case hasOneOf(all[:i], theirWords), hasOneOf(before, phoneWords):
				return 2
			}
			return 1
		}
	}
	return 0
}
