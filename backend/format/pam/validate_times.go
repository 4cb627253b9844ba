package pam

import (
	"regexp"
	"time"
)

// rfc3339 is stricter than the parser: "T0:00:00Z", ",5Z" and "+24:00" are not
// date-times (RFC 3339 §5.6).
var rfc3339 = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// instant reads a time that a document names; "" is absent and fine.
func (v *validator) instant(path, text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	ok := err == nil && rfc3339.MatchString(text)
	v.check(ok, "date-time", path, "is not an RFC 3339 date and time")
	return t, ok
}

// ordered checks that a does not come after b where both are there.
func (v *validator) ordered(name, path, a, b, message string) {
	ta, okA := v.instant(path, a)
	tb, okB := v.instant(path, b)
	if okA && okB {
		v.check(!ta.After(tb), name, path, message)
	}
}
