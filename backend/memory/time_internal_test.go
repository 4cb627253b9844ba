package memory

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"
)

// FuzzOwnTime: the quick way reads nothing else than the thorough one does.
func FuzzOwnTime(f *testing.F) {
	for _, s := range []string{
		"2026-01-02T15:04:05Z", "2026-01-02T15:04:05.000001Z", "2024-02-29T23:59:59.999999Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
		"0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T24:00:00Z", "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z",
		"2026-01-02T15:04:05z", "2026-01-02 15:04:05Z", "2026-01-02T15:04:60Z", "2026-01-02T15:04:05.000001+", "2026-01-00T15:04:05Z",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quick, ok := OwnTime([]byte(s))
		if !ok {
			return
		}
		slow, err := ParseTime(s)
		if err != nil || !quick.Time.Equal(slow.Time) || quick.Location() != time.UTC || quick.String() != slow.String() {
			t.Errorf("%q: %v, not %v (%v)", s, quick, slow, err)
		}
	})
}

// TestYearsThatCannotBeWritten: an instant of another zone that has no written form in
// UTC is none.
func TestYearsThatCannotBeWritten(t *testing.T) {
	for text, ok := range map[string]bool{
		"9999-12-31T23:59:59-00:01": false, "9999-12-31T23:59:59Z": true, "9999-12-31T23:59:59+23:59": true, "0000-01-01T00:00:00+00:01": false, "0000-01-01T00:00:00Z": true,
	} {
		got, err := ParseTime(text)
		if (err == nil) != ok || ok == got.IsZero() {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || At(at).IsZero() == ok {
			t.Errorf("%s: at %v, %v", text, At(at), err)
		}
	}
}

// TestSmallLetters: RFC 3339 §5.6 lets t and z stand for T and Z.
func TestSmallLetters(t *testing.T) {
	want, err := ParseTime("2026-01-02T15:04:05Z")
	got, err2 := ParseTime("2026-01-02t15:04:05z")
	if err != nil || err2 != nil || got != want {
		t.Errorf("%v, not %v (%v %v)", got, want, err, err2)
	}
}

// TestTheWrittenForm holds String to Go's own way of writing a layout.
func TestTheWrittenForm(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		at := time.Unix(random.Int64N(253402300800), random.Int64N(1e9)).In(time.FixedZone("", 3600))
		switch random.IntN(4) {
		case 0:
			at = at.Truncate(time.Second)
		case 1:
			at = at.Truncate(time.Millisecond)
		}
		layout := "2006-01-02T15:04:05.000000Z"
		if at.Nanosecond() == 0 {
			layout = "2006-01-02T15:04:05Z"
		}
		if got, want := (Time{at}).String(), at.UTC().Format(layout); got != want {
			t.Fatalf("%s, not %s", got, want)
		}
	}
}

func TestOwnTimes(t *testing.T) {
	for _, want := range []Time{
		At(time.Date(2026, 2, 28, 23, 59, 59, 0, time.UTC)), At(time.Date(2024, 2, 29, 0, 0, 0, 7000, time.UTC)),
		At(time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)),
	} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := OwnTime(bytes.Trim(text, `"`)); !ok || got != want {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
}
