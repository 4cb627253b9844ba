package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nationalIf is the kind of a number that is an id where holds is true, and else nothing.
func nationalIf(holds bool) Kind {
	if holds {
		return NationalID
	}
	return ""
}

// inShape is an id whose digits, in its own shape, need no word.
func inShape(holds func(digits string) bool) func(number) Kind {
	return func(n number) Kind { return nationalIf(holds(n.digits)) }
}

// elevenDigits without signs are an id only where a word says so.
func (n number) elevenDigits() Kind {
	for _, of := range []struct {
		words []string
		holds func(string) bool
	}{
		{[]string{"cpf"}, cpf},
		{[]string{"niss", "segurança"}, niss},
		{[]string{"pis", "pasep", "nit", "nis"}, pis},
		{[]string{"pesel", "peselu"}, pesel},
		{[]string{"rijksregister", "rijksregisternummer", "insz", "niss", "national", "registre", "nationalnummer"}, belgian},
	} {
		if n.named(of.words...) && of.holds(n.digits) {
			return NationalID
		}
	}
	return n.steuerID()
}

// weighted is the sum of digits times weights.
func weighted(d string, weight func(i int) int) int {
	sum := 0
	for i := range len(d) {
		sum += int(d[i]-'0') * weight(i)
	}
	return sum
}

// cpf: two check digits modulo 11 (Receita Federal).
func cpf(d string) bool {
	return endsChecked(d, func(fromRight int) int { return 2 + fromRight })
}

// cnpj: two check digits modulo 11 with weights 2 to 9 from the right.
func cnpj(d string) bool {
	return endsChecked(d, func(fromRight int) int { return 2 + fromRight%8 })
}

// endsChecked reports that each of the last two digits is the one that those before it
// ask for, modulo 11, and that not all are the same.
func endsChecked(d string, weight func(fromRight int) int) bool {
	for n := len(d) - 2; n < len(d); n++ {
		if checkedBy11(weighted(d[:n], func(i int) int { return weight(n - 1 - i) })) != int(d[n]-'0') {
			return false
		}
	}
	return !isRepeated(d)
}

// ssn: no check digit, but areas, groups and serials that are never given (SSA).
func (n number) ssn() Kind {
	d := n.digits
	if d[:3] == "000" || d[:3] == "666" || d[0] == '9' || d[3:5] == "00" || d[5:] == "0000" {
		return ""
	}
	return nationalIf(n.f.beforeWord(n.start) >= 0 || n.namedSSN())
}

func (n number) namedSSN() bool { return n.named("ssn", "social", "security") }

func (n number) spacedSSN() Kind {
	if n.namedSSN() {
		return n.ssn()
	}
	return ""
}

func (n number) nineDigits() Kind {
	return cmp.Or(n.threeTimesThree(), n.spacedSSN())
}

// threeTimesThree is nine digits that a word makes an id of Portugal, the
// Netherlands or Canada.
func (n number) threeTimesThree() Kind {
	return cmp.Or(n.bsn(), nationalIf(luhn(n.digits) && (n.named("insurance", "assurance") || n.inCapitals("SIN", "NAS"))), n.nif())
}

// bsn of the Netherlands: a sum that eleven divides, and a word that says so.
func (n number) bsn() Kind {
	sum := weighted(n.digits[:8], func(i int) int { return 9 - i }) - int(n.digits[8]-'0')
	return nationalIf(sum%11 == 0 && sum > 0 && n.named("bsn", "burgerservicenummer", "sofinummer"))
}

// inCapitals reports one of the words close before, written so: sin is a word of
// Spanish, SIN is none.
func (n number) inCapitals(words ...string) bool {
	const reach = 24
	window := n.f.text[max(0, n.start-reach):n.start]
	n.f.looked += len(window)
	return slices.ContainsFunc(strings.FieldsFunc(window, notLetter), func(w string) bool { return slices.Contains(words, w) })
}

// checkedBy11 is the digit that a weighted sum asks for, modulo 11; ten and eleven
// are written as 0.
func checkedBy11(sum int) int {
	if check := 11 - sum%11; check < 10 {
		return check
	}
	return 0
}

// niss of Portugal: weights that are primes, modulo 10.
func niss(d string) bool {
	primes := [...]int{29, 23, 19, 17, 13, 11, 7, 5, 3, 2}
	return (d[0] == '1' || d[0] == '2') && 9-weighted(d[:10], func(i int) int { return primes[i] })%10 == int(d[10]-'0')
}

// pis of Brazil, also called PASEP, NIS and NIT.
func pis(d string) bool {
	weights := [...]int{3, 2, 9, 8, 7, 6, 5, 4, 3, 2}
	return !isRepeated(d) && checkedBy11(weighted(d[:10], func(i int) int { return weights[i] })) == int(d[10]-'0')
}

// isRepeated reports one digit again and again.
func isRepeated(d string) bool { return strings.Trim(d, d[:1]) == "" }

// bornOn is the month and the day of a number that begins with a day of birth, six
// digits of which those of the month may say the century, too.
func bornOn(d string) (month, day int) {
	return (int(d[2]-'0')*10 + int(d[3]-'0')) % 20, int(d[4]-'0')*10 + int(d[5]-'0')
}

// pesel of Poland: a day of birth, its century in the month, and a digit modulo 10.
func pesel(d string) bool {
	month, day := bornOn(d)
	weights := [...]int{1, 3, 7, 9}
	return 1 <= month && month <= 12 && 1 <= day && day <= 31 && (10-weighted(d[:10], func(i int) int { return weights[i%4] })%10)%10 == int(d[10]-'0')
}

// belgian: a day of birth, and what is left of 97; 2 stands before who was born
// from 2000 on.
func belgian(d string) bool {
	body, _ := strconv.Atoi(d[:9])
	check, _ := strconv.Atoi(d[9:])
	month, day := bornOn(d)
	return month <= 12 && day <= 31 && (check == 97-body%97 || check == 97-(body+2_000_000_000)%97)
}

// nif of Portugal: a check digit modulo 11, and a word that says so.
func (n number) nif() Kind {
	return nationalIf(ninthDigit(n.digits) == int(n.digits[8]-'0') && n.named("nif", "nipc", "contribuinte", "fiscal"))
}

// ninthDigit is the one that eight digits ask for in Portugal.
func ninthDigit(d string) int { return checkedBy11(weighted(d[:8], func(i int) int { return 9 - i })) }

// citizenCard of Portugal: the civil number with its digit, two letters or digits
// of the version, and a digit over all as Luhn's, letters counting from 10. Written
// in its three parts it needs no word.
func (f *finder) citizenCard(start int, m []string) bool {
	id := m[1] + m[2] + m[3]
	if !luhn(id) || ninthDigit(id) != int(id[8]-'0') {
		return false
	}
	return len(m[0]) == len(id)+2 || number{f, start, start + len(m[0]), id}.named("cc", "cartão", "cartao", "cidadão", "cidadao", "citizen", "bi")
}

// steuerID of Germany: ISO 7064 MOD 11,10 over ten digits of which one stands
// twice or three times, and a word that says so.
func (n number) steuerID() Kind {
	d := n.digits
	if d[0] == '0' || !repeatsOne(d[:10]) || !n.named("steuer", "steueridentifikationsnummer", "idnr", "identifikationsnummer", "tin") {
		return ""
	}
	product := 10
	for i := range 10 {
		sum := (int(d[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return nationalIf((11-product)%10 == int(d[10]-'0'))
}

func repeatsOne(d string) bool {
	repeated := 0
	for c := '0'; c <= '9'; c++ {
		switch strings.Count(d, string(c)) {
		case 0, 1:
		case 2, 3:
			repeated++
		default:
			return false
		}
	}
	return repeated == 1
}

// nir of France: sex, year, month, department, town, order, and a key of 97.
func (n number) nir() Kind {
	d := n.digits
	month, _ := strconv.Atoi(d[3:5])
	body, _ := strconv.Atoi(d[:13])
	key, _ := strconv.Atoi(d[13:])
	return nationalIf((d[0] == '1' || d[0] == '2') && month != 0 && (month <= 12 || month >= 20) && key == 97-body%97)
}

// Ids with letters, each tried where a group of digits stands in its place.
var (
	nino = regexp.MustCompile(`^[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]`)
	dni  = regexp.MustCompile(`^(\d{8})-?([A-Z])`)
	dots = regexp.MustCompile(`^(\d{2}\.\d{3}\.\d{3})[- ]?([A-Z])`) // a DNI, too
	nie  = regexp.MustCompile(`^([XYZ])-?(\d{7})-?([A-Z])`)
	cf   = regexp.MustCompile(`^[A-Z]{6}\d{2}[ABCDEHLMPRST]\d{2}[A-Z]\d{3}[A-Z]`)
	cc   = regexp.MustCompile(`^(\d{8})[ -]?(\d)[ -]?([A-Z][A-Z0-9]\d)`)
	iban = regexp.MustCompile(`^[A-Za-z]{2}\d\d[ -]?[A-Za-z0-9]{4}`)
)

// aroundGroup tries the ids that have letters before or after their digits.
func (f *finder) aroundGroup(g group) {
	try := func(back int, form *regexp.Regexp, check func([]string) bool) {
		start := g.start - back
		if start < 0 || !f.freeBefore(start) || f.gluedBefore(start) {
			return
		}
		if m := form.FindStringSubmatch(f.window(start, 24)); m != nil && f.freeAfter(start+len(m[0])) && !f.gluedAfter(start+len(m[0])) && check(m) {
			f.add(NationalID, start, start+len(m[0]))
		}
	}
	size := g.end - g.start
	if size == 8 || size == 9 {
		try(0, cc, func(m []string) bool { return f.citizenCard(g.start, m) })
	}
	switch size {
	case 8:
		try(0, dni, func(m []string) bool { return m[2] == spanishLetter(m[1]) })
	case 7:
		asDigits := func(m []string) bool {
			return m[3] == spanishLetter(strconv.Itoa(strings.Index("XYZ", m[1]))+m[2])
		}
		try(1, nie, asDigits)
		try(2, nie, asDigits)
	case 2, 6:
		try(0, dots, func(m []string) bool { return m[2] == spanishLetter(strings.ReplaceAll(m[1], ".", "")) })
		try(2, nino, isNINO)
		try(3, nino, isNINO)
		try(6, cf, func(m []string) bool { return codiceFiscale(m[0]) })
	}
	f.iban(g)
}

// isNINO refuses the prefixes that are never given (HMRC, NIM39110).
func isNINO(m []string) bool { return !strings.Contains("BG GB KN NK NT TN ZZ", m[0][:2]) }

func spanishLetter(d string) string {
	n, _ := strconv.Atoi(d)
	return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23 : n%23+1]
}

// codiceFiscale of Italy: a check letter over values that differ between odd and
// even places (D.M. 23/12/1976).
func codiceFiscale(s string) bool {
	odd := [...]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i := range 15 {
		v := valueOf(s[i])
		if !digit(s[i]) {
			v -= 10
		}
		if i%2 == 0 {
			v = odd[v]
		}
		sum += v
	}
	return int(s[15]-'A') == sum%26
}
