package jsonstream

import (
	"errors"
	"strings"
	"testing"
)

// TestField14JoinedLines: values that follow each other in one line are read one by one,
// and what stands between them is counted.
func TestField14JoinedLines(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}{"a":2}`:         `{"a":1} {"a":2}`,
		`{"a":1} {"a":2}{"a":3}`: `{"a":1} {"a":2} {"a":3}`,
		`{"a":1}n":"x"}`:         `{"a":1} line-joined 7`,
		`{"a":"to{"b":2}`:        `{"b":2} line-joined 8`,
		`{"a":1}x{"b":2}y`:       `{"a":1} {"b":2} line-joined 2`,
		`{"a":[{"b":2},{"c":3}`:  `line-not-json 21`,
		`{"a":{"b":2}`:           `line-not-json 12`,
		"[1][2]":                 `line-not-json 6`,
		"":                       ``,
	} {
		var got []string
		for v, err := range NewLines("x", strings.NewReader(text)).All(t.Context()) {
			var bad *BadElement
			if !errors.As(err, &bad) {
				got = append(got, string(v))
				continue
			}
			says := bad.Fault.Reason
			if n := bad.Fault.Args["bytes"]; n != "" {
				says += " " + n
			}
			got = append(got, says)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, not %q", text, strings.Join(got, " "), want)
		}
	}
}
