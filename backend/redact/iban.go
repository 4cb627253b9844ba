package redact

import "strings"

// ibanLengths are those of the SWIFT registry (release 99).
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18,
	"DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23,
	"IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27,
	"MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
	"ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

// iban tries the two letters before a group of digits.
func (f *finder) iban(g group) {
	start := g.start - 2
	if start < 0 || !f.freeBefore(start) || !iban.MatchString(f.text[start:min(len(f.text), start+9)]) {
		return
	}
	size := ibanLengths[strings.ToUpper(f.text[start:g.start])]
	bare := make([]byte, 0, size)
	end := start
	for ; end < len(f.text) && len(bare) < size; end++ {
		switch c := f.text[end]; {
		case letter(c) || digit(c):
			bare = append(bare, c)
		case (c == ' ' || c == '-') && f.text[end-1] != c:
		default:
			end = len(f.text)
		}
	}
	f.looked += len(bare)
	if size > 0 && len(bare) == size && f.freeAfter(end) && mod97(strings.ToUpper(string(bare))) {
		f.add(IBAN, start, end)
	}
}

// mod97 is the check of ISO 7064 over the rearranged number.
func mod97(s string) bool {
	rest := 0
	for _, c := range []byte(s[4:] + s[:4]) {
		if !digit(c) {
			rest *= 10
		}
		rest = (rest*10 + valueOf(c)) % 97
	}
	return rest == 1
}
