package redact

import (
	"cmp"
	"strconv"
	"strings"
)

// group is a stretch of digits.
type group struct{ start, end int }

// run is groups with one or two signs between them, as long numbers are written:
// 4111 1111 1111 1111, (11) 98765-4321, 529.982.247-25.
type run []group

// numbers finds everything that is written with digits.
func (f *finder) numbers() {
	for at := 0; at < len(f.text); {
		if !digit(f.text[at]) {
			at++
			continue
		}
		var r run
		r, at = f.run(at)
		f.ofRun(r)
	}
}

// run reads one from its first digit, and says where it ends.
func (f *finder) run(at int) (r run, end int) {
	for {
		g := group{start: at}
		for at < len(f.text) && digit(f.text[at]) {
			at++
		}
		g.end = at
		r = append(r, g)
		if at += separator(f.text[at:]); at == g.end || at == len(f.text) || !digit(f.text[at]) {
			return r, g.end
		}
	}
}

// separators stand between the groups of a number, the longer first.
var separators = []string{") ", ")-", " (", ") ", " – ", " / ", "\u00a0", "\u202f", "\u2011", "\u2009", " ", "-", ".", "/", ")", "("}

func separator(s string) int {
	for _, sep := range separators {
		if strings.HasPrefix(s, sep) {
			return len(sep)
		}
	}
	return 0
}

// mostGroups is how many groups the longest number we know has.
const mostGroups = 8

func (f *finder) ofRun(r run) {
	for i := range r {
		f.aroundGroup(r[i])
		if f.startsHere(r, i) {
			f.fromGroup(r[i:])
		}
	}
	f.phones(r)
}

// startsHere reports that a number may begin with group i: nothing continues to
// its left.
func (f *finder) startsHere(r run, i int) bool {
	start := r[i].start
	if i > 0 {
		return strings.HasSuffix(f.text[:start], " ") || strings.HasSuffix(f.text[:start], "\u00a0")
	}
	return f.freeBefore(start) && !f.gluedBefore(start)
}

// gluedBefore reports a sign that ties a number to a word before it: SN-1234,
// v4.15.5550, id#77.
func (f *finder) gluedBefore(start int) bool {
	if start < 2 || strings.IndexByte("-./#_", f.text[start-1]) < 0 {
		return false
	}
	return !f.freeAfter(start - 2) // what stands there is a word's last character
}

// gluedAfter reports the same to the right: 503-555-018-A.
func (f *finder) gluedAfter(end int) bool {
	if end+1 >= len(f.text) || strings.IndexByte("-./_", f.text[end]) < 0 {
		return false
	}
	c := f.text[end+1]
	return letter(c) && f.text[end] != '.' || digit(c)
}

// endsHere reports that a number may end with group k of the run.
func (f *finder) endsHere(r run, k int) bool {
	if k+1 < len(r) {
		return f.text[r[k].end] == ' ' || strings.HasPrefix(f.text[r[k].end:], "\u00a0")
	}
	return f.freeAfter(r[k].end) && !f.gluedAfter(r[k].end)
}

// fromGroup looks whether the first groups have the shape of a number we know.
func (f *finder) fromGroup(r run) {
	shape := ""
	digits := ""
	for k := range r[:min(len(r), mostGroups)] {
		if k > 0 {
			shape += f.text[r[k-1].end:r[k].start]
		}
		g := f.text[r[k].start:r[k].end]
		if len(g) > 19 {
			return
		}
		shape += strconv.Itoa(len(g))
		digits += g
		f.looked += len(g)
		shape = strings.ReplaceAll(shape, "\u00a0", " ")
		if of := shapes[shape]; of != nil && f.endsHere(r, k) && !f.goesOn(r, k) {
			n := number{f, r[0].start, r[k].end, digits}
			if kind := of(n); kind != "" {
				f.add(kind, n.start, n.end)
			}
		}
	}
}

// goesOn reports a longer number of which this would be a part: its next or last
// group is as long as ours and joined in the same way.
func (f *finder) goesOn(r run, k int) bool {
	if k == 0 {
		return false
	}
	sep := f.text[r[k-1].end:r[k].start]
	size := func(g group) int { return g.end - g.start }
	if k+1 < len(r) && f.text[r[k].end:r[k+1].start] == sep && size(r[k+1]) == size(r[k]) && size(r[k]) == size(r[k-1]) {
		return true
	}
	before := strings.TrimSuffix(f.text[:r[0].start], sep)
	return len(before) < r[0].start && len(before) >= size(r[0]) && allDigits(before[len(before)-size(r[0]):]) && size(r[0]) == size(r[1]) && !digitBefore(before, size(r[0]))
}

func digitBefore(s string, n int) bool { return len(s) > n && digit(s[len(s)-n-1]) }

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// valueOf is what a digit counts for, or a capital, from 10 on.
func valueOf(c byte) int {
	if digit(c) {
		return int(c - '0')
	}
	return int(c-'A') + 10
}

// number is digits found in a shape.
type number struct {
	f          *finder
	start, end int
	digits     string
}

// shapes are how numbers with a fixed form are written, as the lengths of their
// groups with what stands between.
var shapes = map[string]func(number) Kind{
	"16": number.card, "4 4 4 4": number.card, "4-4-4-4": number.card, "4 6 5": number.card, "4-6-5": number.card, "4 6 4": number.card, "14": number.cardOrCompany, "19": number.card,
	"15": number.cardOrNIR, "1 2 2 2 3 3 2": number.nir, "13 2": number.nir,
	"3.3.3-2": inShape(cpf), "2.3.3/4-2": inShape(cnpj), "11": number.elevenDigits, "2 3 3 3": number.steuerID,
	"3-2-4": number.ssn, "3 2 4": number.spacedSSN, "9": number.nineDigits, "3 3 3": number.threeTimesThree, "3-3-3": number.threeTimesThree, "4.2.3": number.bsn, "4 2 3": number.bsn,
	"3.5.2-1": inShape(pis), "2.2.2-3.2": inShape(belgian),
}

// named reports that one of the words stands near: among the six before or the
// four after.
func (n number) named(words ...string) bool {
	near := append(n.f.wordsBefore(n.start, 6), n.f.wordsAfter(n.end, 4)...)
	for _, w := range near {
		for _, want := range words {
			if w == want || len(want) > 4 && strings.HasPrefix(w, want) {
				return true
			}
		}
	}
	return false
}

// card is a payment card: a network's first digits, its length, and Luhn's check.
func (n number) card() Kind {
	if !networkOf(n.digits) || !luhn(n.digits) || isRepeated(n.digits) {
		return ""
	}
	return CreditCard
}

func (n number) cardOrCompany() Kind {
	if n.named("cnpj") && cnpj(n.digits) {
		return NationalID
	}
	return n.card()
}

func (n number) cardOrNIR() Kind {
	return cmp.Or(n.card(), n.nir())
}

// networkOf reports that an issuer's number (ISO/IEC 7812) is of a network whose
// cards have this many digits.
func networkOf(d string) bool {
	first := func(n int) int { v, _ := strconv.Atoi(d[:n]); return v }
	between := func(n, from, to int) bool { v := first(n); return from <= v && v <= to }
	switch len(d) {
	case 14:
		return between(3, 300, 305) || between(2, 36, 36) || between(2, 38, 39)
	case 15:
		return first(2) == 34 || first(2) == 37
	case 16:
		return d[0] == '4' || between(2, 51, 55) || between(4, 2221, 2720) || first(4) == 6011 || between(3, 644, 649) || first(2) == 65 ||
			between(4, 3528, 3589) || first(2) == 62 || first(4) == 5067 || first(6) == 636368 || first(6) == 606282
	case 19:
		return first(2) == 62
	}
	return false
}

// luhn is the check over digits, and letters where an id has them.
func luhn(d string) bool {
	sum := 0
	for i := range len(d) {
		v := valueOf(d[len(d)-1-i])
		if i%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}
