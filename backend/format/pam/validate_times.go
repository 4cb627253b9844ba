package pam

import (
	"regexp"
	"strings"
	"time"
)

// rfc3339 is stricter than the parser: "T0:00:00Z", ",5Z" and "+24:00" are not
// date-times (RFC 3339 §5.6).
var rfc3339 = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseInstant reads an RFC 3339 date and time, and nothing that only looks
// like one.
func parseInstant(text string) (time.Time, bool) {
	if !rfc3339.MatchString(text) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)) // the parser knows only capitals
	return t, err == nil
}

// instant checks a time that a document names; "" is absent and fine.
func (v *validator) instant(path string, text stated) (time.Time, bool) {
	if text == "" {
		return time.Time{}, false
	}
	t, ok := parseInstant(string(text))
	v.check(ok, ruleDateTime, path, string(text))
	return t, ok
}

// span is two times of which the first may not come after the second, bounds are
// the names of their members.
type (
	span   struct{ from, to stated }
	bounds struct{ from, to string }
)

// ordered checks both times of a span and their order. path is the block that
// holds them, names their members.
func (v *validator) ordered(path string, names bounds, times span) {
	from, okFrom := v.instant(path+"/"+names.from, times.from)
	to, okTo := v.instant(path+"/"+names.to, times.to)
	if okFrom && okTo {
		order := ruleAfterCreated
		if names == validity {
			order = ruleAfterStart
		}
		v.check(!from.After(to), order.expects(string(times.from)), path+"/"+names.to, string(times.to))
	}
}

// createdUpdated are the names of the two times that most blocks have, validity
// those of when a memory holds.
var createdUpdated, validity = bounds{"created_at", "updated_at"}, bounds{"valid_from", "valid_until"}
