package jcs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"keepsake/backend/jcs"
)

func TestOneForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1.0, "a": [true, null, "\u00e9"]}`: `{"a":[true,null,"é"],"b":1}`,
		` 42 `:                          `42`,
		`-0`:                            `0`,
		`1e21`:                          `1e+21`,
		`{"\ud83d\ude00":1,"\ufb33":2}`: "{\"\U0001f600\":1,\"\ufb33\":2}",
		`"<>&\u2028"`:                   "\"<>&\u2028\"",
		`9007199254740991`:              `9007199254740991`,
	} {
		got, err := jcs.Transform([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("Transform(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestRefusesWhatHasNoOneForm(t *testing.T) {
	for _, in := range []string{
		``, `{`, `[1,]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"", "\xef\xbb\xbf{}",
		`01`, `+1`, `1_000`, `1.`, `0x1p-2`, `1e400`, `NaN`, `9007199254740992`, `-9007199254740993`, `[1] x`,
		strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat("[", 5_000_000),
	} {
		if out, err := jcs.Transform([]byte(in)); !errors.Is(err, jcs.ErrInvalid) {
			t.Errorf("Transform(%.40q) = %.40s, %v; want ErrInvalid", in, out, err)
		}
	}
}

func TestMarshalKeepsCharacters(t *testing.T) {
	got, err := jcs.Marshal(map[string]string{"k": "<a> & \u2028"})
	if err != nil || string(got) != "{\"k\":\"<a> & \u2028\"}" {
		t.Fatalf("got %s, %v", got, err)
	}
}

// TestBothImplementationsRefuseTheSame keeps the fast one as strict.
func TestBothImplementationsRefuseTheSame(t *testing.T) {
	for _, in := range []string{
		``, `{`, `[1,]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, `"\udc00\ud800"`, "\"\xff\"", "\xef\xbb\xbf{}", "\"\x01\"",
		`01`, `+1`, `1_000`, `1.`, `0x1p-2`, `1e400`, `-1e400`, strings.Repeat("9", 400) + ".5", `NaN`, `9007199254740992`, `[1] x`,
		strings.Repeat("[", 129) + strings.Repeat("]", 129),
	} {
		_, slow := jcs.Transform([]byte(in))
		_, fast := jcs.Fast([]byte(in))
		if !errors.Is(slow, jcs.ErrInvalid) || !errors.Is(fast, jcs.ErrInvalid) {
			t.Errorf("%.40q: %v and %v; want ErrInvalid twice", in, slow, fast)
		}
	}
}

func TestMarshalWritesNothingThatOthersRefuse(t *testing.T) {
	for _, marshal := range []func(any) ([]byte, error){jcs.Marshal, jcs.MarshalFast} {
		for _, v := range []any{1e20, 9007199254740992.0, []any{map[string]any{"x": -1e16}}} {
			if out, err := marshal(v); !errors.Is(err, jcs.ErrBigInteger) {
				t.Errorf("Marshal(%v) = %s, %v", v, out, err)
			}
		}
		if out, err := marshal(1e21); err != nil || string(out) != "1e+21" {
			t.Errorf("%s, %v", out, err)
		}
	}
}

// FuzzSecondOpinion holds the two implementations equal: what one refuses the
// other does, and what both take has the same, stable form.
func FuzzSecondOpinion(f *testing.F) {
	for _, seed := range []string{
		`{"b":1.5e-7,"a":[{}]}`, `"\u00e9\n"`, `[1e21,1e-7,-0,0.1]`, `{"\u20ac":"\r","1":1}`, `1e400`, `1e-400`, `[5e-324,1.7976931348623157e308]`,
		`{"\ud83d\ude00":1,"\ufb33":2}`, `"\ud800"`, `{"a":1,"\u0061":2}`, `9007199254740993.0`, "\"\u007f\u2028\"", `[[[[{}]]]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ours, err := jcs.Transform(raw)
		other, errOther := jcs.Fast(raw)
		if (err == nil) != (errOther == nil) {
			t.Fatalf("%q: %v, second opinion %v", raw, err, errOther)
		}
		if err != nil {
			return
		}
		again, err := jcs.Transform(ours)
		if !errors.Is(err, jcs.ErrBigInteger) && (err != nil || string(again) != string(ours)) { // 1e20 becomes one
			t.Fatalf("not stable: %s, then %s, %v", ours, again, err)
		}
		if string(other) != string(ours) {
			t.Fatalf("%s: %s, second opinion %s", raw, ours, other)
		}
		if !json.Valid(ours) {
			t.Fatalf("not JSON: %s", ours)
		}
	})
}
