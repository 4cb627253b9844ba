package pam

import (
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*into = T(n)
		return nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return fmt.Errorf("%s is no whole number", clip(string(raw)))
	}
	*into = T(f)
	return nil
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
