package jcs_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

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

// FuzzSecondOpinion holds the referee equal to a second implementation on
// everything that both accept, and the result canonical once more.
func FuzzSecondOpinion(f *testing.F) {
	for _, seed := range []string{`{"b":1.5e-7,"a":[{}]}`, `"\u00e9\n"`, `[1e21,1e-7,-0,0.1]`, `{"\u20ac":"\r","1":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ours, err := jcs.Transform(raw)
		if err != nil {
			return
		}
		again, err := jcs.Transform(ours)
		if err != nil || string(again) != string(ours) {
			t.Fatalf("not stable: %s, then %s, %v", ours, again, err)
		}
		other := jsontext.Value(raw).Clone()
		if err := other.Canonicalize(); err != nil {
			t.Fatalf("accepted %s, which the second opinion refuses: %v", raw, err)
		}
		if string(other) != string(ours) {
			t.Fatalf("%s: %s, second opinion %s", raw, ours, other)
		}
		if !json.Valid(ours) {
			t.Fatalf("not JSON: %s", ours)
		}
	})
}
