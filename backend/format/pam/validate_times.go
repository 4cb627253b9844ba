package pam

import (
	"time"
)

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
