package compare

import (
	"strconv"
	"strings"
)

// date is a day, a month or a year; what is not said is 0.
type date struct{ year, month, day int }

// compare says whether two dates can be the same one, by what both say.
func (a date) compare(b date) match {
	result := incomparable
	for _, part := range [][2]int{{a.year, b.year}, {a.month, b.month}, {a.day, b.day}} {
		switch known := part[0] > 0 && part[1] > 0; {
		case known && part[0] != part[1]:
			return unequal
		case known:
			result = equal
		}
	}
	return result
}

// takeDates are the dates of a text, and its words without them.
func takeDates(words []string) (dates []date, rest []string) {
	for i := 0; i < len(words); i++ {
		d, n := dateAt(words[i:])
		if n == 0 {
			rest = append(rest, words[i])
			continue
		}
		dates = append(dates, d)
		i += n - 1
	}
	return dates, rest
}

// dateAt is the date with which words begin and how many of them it has, 0 if there is none:
// "14 February 1988", "February 14, 1988", "3 de junio de 2023", "2023-06-03", "May", "2012".
func dateAt(words []string) (d date, n int) {
	if d, ok := inDigits(words); ok {
		return d, 3
	}
	for ; n < len(words); n++ {
		year, month, day := parseYear(words[n]), parseMonth(words[n]), parseDay(words[n])
		switch next := afterConnectors(words[n+1:]); {
		case year > 0 && d.year == 0 && (n+1 == len(words) || unit(strings.ToLower(words[n+1])) == ""): // not "2000 euros"
			d.year = year
		case month > 0 && d.month == 0:
			d.month = month
		case day > 0 && d.day == 0 && (d.month == 0 && parseMonth(next) > 0 || d.month > 0 && d.year == 0):
			d.day = day
		case n > 0 && connects(words[n]) && (parseMonth(next) > 0 || parseYear(next) > 0):
		default:
			return d, n
		}
	}
	return d, n
}

// inDigits is a date of three numbers, as "2023-06-03". Of "3/6/2023" only the year is sure:
// some put the month first.
func inDigits(words []string) (d date, ok bool) {
	if len(words) < 3 {
		return d, false
	}
	first, middle, last := parseDay(words[0]), parseDay(words[1]), parseDay(words[2])
	switch year, end := parseYear(words[0]), parseYear(words[2]); {
	case year > 0 && middle > 0 && middle <= 12 && last > 0:
		return date{year, middle, last}, true
	case end > 0 && first > 0 && middle > 0:
		return date{year: end}, true
	}
	return d, false
}

func connects(word string) bool { return listed("de del of the st nd rd th er", strings.ToLower(word)) }

// afterConnectors is the first word that does not only hold a date together.
func afterConnectors(words []string) string {
	for _, word := range words[:min(len(words), 3)] {
		if !connects(word) {
			return word
		}
	}
	return ""
}

func parseYear(word string) int {
	if year, err := strconv.Atoi(word); err == nil && len(word) == 4 && year >= 1900 && year < 2100 {
		return year
	}
	return 0
}

func parseDay(word string) int {
	if day, err := strconv.Atoi(word); err == nil && day >= 1 && day <= 31 {
		return day
	}
	return 0
}

// parseMonth is the number of a month, 0 of any other word. "may" is no month without its
// capital, nor is "mars".
func parseMonth(word string) int {
	lower := strings.ToLower(word)
	if word == "may" || word == "march" || word == "Mars" {
		return 0
	}
	for i, names := range [...]string{
		"january janeiro enero januar janvier", "february fevereiro febrero februar février",
		"march março marzo märz mars", "april abril avril", "may maio mayo mai", "june junho junio juni juin",
		"july julho julio juli juillet", "august agosto août", "september setembro septiembre septembre",
		"october outubro octubre oktober octobre", "november novembro noviembre novembre",
		"december dezembro diciembre dezember décembre",
	} {
		if listed(names, lower) {
			return i + 1
		}
	}
	return 0
}
