package gemini

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"keepsake/backend/memory"
)

var (
	// clock reads 9:12:33, and 9.12.33 where it is no date.
	clock = regexp.MustCompile(`(?:^|[^\d.])(\d{1,2})(?::(\d{2}):|\.(\d{2})\.)(\d{2})(?:\D|$)`)
	noon  = regexp.MustCompile(`(?i)(?:^|[\s\d])(a\.?\s?m|p\.?\s?m|π\.?μ|μ\.?μ)(?:\.|\s|$)|(上午|下午|午前|午後|오전|오후)`)
	year  = regexp.MustCompile(`(?:19|20)\d{2}`)
	// figures are dates in figures, the year first or last.
	yearFirst = regexp.MustCompile(`(\d{4})\s?[-./年년]\s?(\d{1,2})\s?[-./月월]\s?(\d{1,2})`)
	yearLast  = regexp.MustCompile(`(\d{1,2})([-./])(\d{1,2})[-./](\d{4})`)
	dayAlone  = regexp.MustCompile(`\d{1,2}`)
	offset    = regexp.MustCompile(`(?i)(?:GMT|UTC)\s?([+\-\x{2212}])(\d{1,2})(?::?(\d{2}))?`)
	letters   = regexp.MustCompile(`[\p{L}\p{M}]+`)
)

// months are the beginnings of the names of months, one of each language in a
// place; a name is of the month whose beginning is the longest that fits.
var months = [12]string{
	"jan gen ene sty led ιαν січ янв oca", "feb fév fev φεβ лют фев şub", "mar mär mrt μαρ бер мар", "apr abr avr απρ квіт апр nis",
	"may mai mag maj maio μαΐ μαι μάι трав мая май mei", "jun juin giu ιουν чер июн haz", "jul juil lug ιουλ лип июл tem", "aug ago aoû αυγ серп авг ağu",
	"sep set σεπ вер сен eyl", "oct okt out ott οκτ жовт окт eki", "nov νοε лист ноя kas", "dec dez dic déc δεκ груд дек ara",
}

// zones are hours east of Greenwich. What means several zones (IST, CST of
// China) is read as Google's own pages in English write it, or left out.
var zones = map[string]float64{
	"utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "mez": 1, "mesz": 2, "eet": 2, "eest": 3, "msk": 3,
	"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8, "hst": -10,
	"brt": -3, "art": -3, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
}

// maxStamp is how long a line with nothing but a time is at most, in bytes.
const maxStamp = 90

// isStamp reports a line that holds nothing but a time in some language.
func isStamp(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) <= maxStamp && clock.MatchString(line) && year.MatchString(line) && len(letters.FindAllString(line, -1)) <= 8
}

// parseStamp reads a time as a page of Takeout shows it. Zoned is false where it
// does not say where, or in a way that means several places: UTC is assumed. A
// date that can be read in two ways is unknown.
func parseStamp(s string) (t memory.Time, zoned bool) {
	s = strings.TrimSpace(plainSpaces(s))
	at := clock.FindStringSubmatchIndex(s)
	if at == nil || len(s) > maxStamp {
		return memory.Time{}, false
	}
	parts := clock.FindStringSubmatch(s)
	hour, minute, second := number(parts[1]), number(parts[2]+parts[3]), number(parts[4])
	rest := s[:at[2]] + " " + s[at[9]:]
	y, m, d := date(rest)
	if half := noon.FindStringSubmatch(rest); half != nil {
		word := strings.ToLower(half[1] + half[2])
		isPM := strings.HasPrefix(word, "p") || strings.HasPrefix(word, "μ") || strings.Contains("下午午後오후", word)
		hour %= 12
		if isPM {
			hour += 12
		}
	}
	east, zoned := zone(rest)
	got := time.Date(y, time.Month(m), d, hour, minute, second, 0, time.FixedZone("", int(east*3600)))
	if y <= 1970 || m < 1 || m > 12 || hour > 23 || minute > 59 || second > 60 || got.Day() != d {
		return memory.Time{}, false
	}
	return memory.At(got), zoned
}

// date finds year, month and day; zero where there is none, or two.
func date(s string) (y, m, d int) {
	if f := yearFirst.FindStringSubmatch(s); f != nil {
		return number(f[1]), number(f[2]), number(f[3])
	}
	if f := yearLast.FindStringSubmatch(s); f != nil {
		a, b := number(f[1]), number(f[3])
		switch {
		case f[2] == "." || f[2] == "-" || a > 12 || a == b:
			return number(f[4]), b, a
		case b > 12:
			return number(f[4]), a, b
		}
		return 0, 0, 0
	}
	when := year.FindString(s)
	for _, word := range letters.FindAllString(s, -1) {
		if m = month(strings.ToLower(word)); m > 0 {
			break
		}
	}
	for _, figure := range dayAlone.FindAllString(strings.Replace(offset.ReplaceAllString(s, ""), when, " ", 1), -1) {
		return number(when), m, number(figure)
	}
	return 0, 0, 0
}

// month is the number of a month's name, 0 for any other word.
func month(word string) int {
	best, length := 0, 0
	for i, list := range months {
		for _, begin := range strings.Fields(list) {
			if strings.HasPrefix(word, begin) && len(begin) > length {
				best, length = i+1, len(begin)
			}
		}
	}
	return best
}

// zone is how far east a time says it is, in hours.
func zone(s string) (east float64, known bool) {
	if o := offset.FindStringSubmatch(s); o != nil {
		east = float64(number(o[2])) + float64(number(o[3]))/60
		if o[1] != "+" {
			east = -east
		}
		return east, east >= -14 && east <= 14
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	for i := len(words) - 1; i >= 0; i-- {
		if east, ok := zones[strings.ToLower(words[i])]; ok {
			return east, true
		}
	}
	return 0, false
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // 0 for no figures
	return n
}
