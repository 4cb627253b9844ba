package pasted

import (
	"regexp"
	"strings"
	"time"

	"keepsake/backend/memory"
)

// date is when an entry was saved, as far as the text says.
type date struct {
	at        memory.Time // zero is unknown
	precision string      // "day", "month" or "year"; "" for unknown
	written   string      // as it stands in the text
	isDate    bool        // a date, or a word that there is none
}

// forms are the ways dates are written, by what they know. A date of slashes is
// not among them: which part is the month cannot be told.
var forms = []struct{ layout, precision string }{
	{"2006-01-02", "day"}, {"2006/01/02", "day"}, {"2006.01.02", "day"}, {"Jan 2, 2006", "day"}, {"January 2, 2006", "day"},
	{"Jan 2 2006", "day"}, {"January 2 2006", "day"}, {"2 Jan 2006", "day"}, {"2 January 2006", "day"}, {"02-Jan-2006", "day"},
	{"2006-01-02 15:04", "day"}, {"2006-01-02T15:04:05Z", "day"},
	{"2006-01", "month"}, {"Jan 2006", "month"}, {"January 2006", "month"}, {"2006", "year"},
}

// unknown are the words for no date.
var unknown = regexp.MustCompile(`(?i)^(?:(?:date )?(?:is )?(?:unknown|unavailable)(?: date)?|no date|undated|n/?a|not available|date not (?:saved|available|known)|none|\?+|[-–—]+|` +
	`(?:data )?desconhecid[ao]|sem data|(?:fecha )?desconocid[ao]|sin fecha|(?:datum )?unbekannt|ohne datum|(?:date )?inconnue?|sans date|sconosciut[ao]|不明|日付不明|日期未知|未知|неизвестно)$`)

func readDate(s string) date {
	s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "."))
	d := date{written: s, isDate: unknown.MatchString(s)}
	if d.isDate {
		return d
	}
	s = strings.Replace(s, "Sept ", "Sep ", 1)
	for _, f := range forms {
		t, err := time.Parse(f.layout, s)
		if err != nil {
			continue
		}
		d.isDate = true
		if t.Year() > 1970 && t.Year() < 2200 {
			d.at, d.precision = memory.At(t), f.precision
		}
		return d
	}
	return d
}
