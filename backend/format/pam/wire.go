package pam

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/jcs"
)

// wholeNumbers reads integers as JSON Schema counts them: 2.0 and 2e0 are the
// integer 2.
var wholeNumbers = json.WithUnmarshalers(json.JoinUnmarshalers(
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *int) error { return readWhole(d, into) }),
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *int64) error { return readWhole(d, into) }),
))

func readWhole[T int | int64](d *jsontext.Decoder, into *T) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	if string(raw) == "null" {
		return nil
	}
	n, ok := wholeOf(raw)
	if !ok {
		return fmt.Errorf("%s is no whole number", clip(string(raw)))
	}
	*into = T(n)
	return nil
}

// MaxCounted is the largest whole number that every program counts alike.
const MaxCounted = 1<<53 - 1

// wholeOf is a whole number that any program reads alike, or at least we do.
func wholeOf(raw jsontext.Value) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return int64(f), err == nil && f == math.Trunc(f) && math.Abs(f) <= MaxCounted
}

// roundedIn is the place of the first number that programs round differently (jcs.Check),
// "" where there is none. Not looked into is the member that is passed over, if any.
func roundedIn(raw jsontext.Value, passed string) string {
	if err := jcs.Check(raw); !errors.Is(err, jcs.ErrBigInteger) && !errors.Is(err, jcs.ErrBigNumber) {
		return ""
	}
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		t, err := d.ReadToken()
		if err != nil {
			return ""
		}
		if place := string(d.StackPointer()); t.Kind() == '0' && jcs.Check([]byte(t.String())) != nil && (passed == "" || !strings.HasPrefix(place, "/"+passed+"/")) {
			return place
		}
	}
}

// stated is a text as a deep check asks for it: "" where the member is absent or
// null, and its JSON, two quotes, where it is empty. What has to have a form may not
// be that.
type stated string

const statedEmpty stated = `""`

// statedOf is a text that a glance saw, nil where it was absent or null.
func statedOf(raw []byte) stated {
	if raw != nil && len(raw) == 0 {
		return statedEmpty
	}
	return stated(unquoted(raw))
}

// statedIn is a member of the root. What is not a string is the schema's finding.
func statedIn(root map[string]jsontext.Value, name string) (s stated) {
	_ = json.Unmarshal(root[name], &s)
	return s
}

// UnmarshalJSON reads a string or null.
func (s *stated) UnmarshalJSON(raw []byte) error {
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	switch {
	case text == nil:
		*s = ""
	case *text == "":
		*s = statedEmpty
	default:
		*s = stated(*text)
	}
	return nil
}

func textOf(root map[string]jsontext.Value, name string) string {
	var s string
	if json.Unmarshal(root[name], &s) != nil {
		return "" // what is not a string is the schema's finding
	}
	return s
}

// parseInstant reads an RFC 3339 date and time, and nothing that only looks
// like one.
func parseInstant(text string) (time.Time, bool) {
	if !rfc3339.MatchString(text) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text)) // the parser knows only capitals
	return t, err == nil
}

// unquoted is appendUnquoted on its own.
func unquoted(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return string(appendUnquoted(nil, raw))
}

// rfc3339 is stricter than the parser: "T0:00:00Z", ",5Z" and "+24:00" are not
// date-times (RFC 3339 §5.6).
var rfc3339 = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// appendUnquoted appends the text of what stood between the quotes of a valid
// string.
func appendUnquoted(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return append(dst, raw...)
	}
	quoted := append(append([]byte{'"'}, raw...), '"')
	text, err := jsontext.AppendUnquote(dst, quoted)
	if err != nil {
		return dst // never: it was read as a string before
	}
	return text
}
