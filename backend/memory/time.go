package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Time is an instant in the one textual form that we write: RFC 3339 in UTC
// with "Z" and either no fraction or exactly six digits. The zero Time means
// unknown and is left out of JSON (use the omitzero option).
type Time struct{ time.Time }

// At converts t to UTC and cuts it to whole microseconds. What RFC 3339 cannot write in
// UTC, before the year 0 and after 9999, is unknown.
func At(t time.Time) Time {
	if t = t.UTC(); t.IsZero() || !isWritable(t) {
		return Time{}
	}
	return Time{t.Truncate(time.Microsecond)}
}

func isWritable(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// ParseTime reads any RFC 3339 instant, up to nanoseconds.
func ParseTime(s string) (Time, error) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s)) // t and z are as good as T and Z
	if err != nil {
		return Time{}, fmt.Errorf("parse time: %w", err)
	}
	if t = t.UTC(); !isWritable(t) { // but was in its own zone
		return Time{}, fmt.Errorf("parse time: year %d of UTC cannot be written", t.Year())
	}
	return At(t), nil
}

// FromUnix converts float seconds since 1970, as ChatGPT writes them. Zero,
// negative, not-a-number and absurd values (after the year 9999) are unknown.
func FromUnix(seconds float64) Time {
	if !(seconds > 0 && seconds < 253402300800) {
		return Time{}
	}
	return At(time.UnixMicro(int64(seconds*1e6 + 0.5)))
}

// String is the written form, or "" when unknown.
func (t Time) String() string {
	return string(t.append(nil))
}

// append is String without a string of its own.
func (t Time) append(dst []byte) []byte {
	if t.IsZero() {
		return dst
	}
	dst = t.UTC().AppendFormat(dst, time.RFC3339) // which Go writes at once; any other form it reads first
	if t.Nanosecond() == 0 {
		return dst
	}
	return fmt.Appendf(dst[:len(dst)-len("Z")], ".%06dZ", t.Nanosecond()/1000)
}

// Compare orders instants; unknown comes first.
func (t Time) Compare(u Time) int { return t.Time.Compare(u.Time) }

// MarshalJSON writes the form of String, null when unknown.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return append(t.append([]byte{'"'}), '"'), nil // no sign of it needs escaping
}

// UnmarshalJSON reads RFC 3339, null or "".
func (t *Time) UnmarshalJSON(data []byte) error {
	if n := len(data); n > 1 && data[0] == '"' && data[n-1] == '"' {
		if own, ok := OwnTime(data[1 : n-1]); ok {
			*t = own
			return nil
		}
	}
	var s *string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s == nil || *s == "" {
		*t = Time{}
		return nil
	}
	parsed, err := ParseTime(*s)
	*t = parsed
	return err
}

// OwnTime reads the form of String, and nothing else: nearly every time that is
// read was written here.
func OwnTime(data []byte) (t Time, ok bool) {
	const short, long = "0000-00-00T00:00:00Z", "0000-00-00T00:00:00.000000Z"
	// time.Time reads other forms of the same length, such as an hour of one digit.
	ok = (len(data) == len(short) || len(data) == len(long) && data[19] == '.') && data[13] == ':' && data[len(data)-1] == 'Z'
	ok = ok && t.UnmarshalText(data) == nil && !t.IsZero()
	return t, ok
}
