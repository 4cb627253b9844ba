package pam_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// decodesAlike holds the quick decoder to the reflective one: what it takes, the
// other takes, and finds the same in it.
func decodesAlike(t *testing.T, raw []byte) (taken bool) {
	t.Helper()
	var got memory.Record
	if !pam.DecodeQuickly(raw, &got) {
		return false
	}
	var want memory.Record
	if err := jsonv2.Unmarshal(raw, &want); err != nil {
		t.Fatalf("taken, but %v: %s", err, raw)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n%#v, want\n%#v", raw, got, want)
	}
	return true
}

// TestDecodesQuicklyWhatWeWrite: otherwise every list would go the long way.
func TestDecodesQuicklyWhatWeWrite(t *testing.T) {
	whole := record(0)
	whole.CustomType, whole.EmbeddingRef, whole.Temporal.SupersededBy = "c", "e", "m"
	whole.Metadata = map[string]any{"language": "zh-Hant-TW", "é": "no ASCII, the long way"}
	bare := memory.Record{ID: "m", Type: memory.Fact, Content: "\u0001 \n \\ é 𝄞 \u2028", Temporal: memory.Temporal{CreatedAt: day}}
	open := record(1)
	open.Access.SharedWith = []memory.Grant{}
	open.Metadata = map[string]any{"x": []any{nil, true, -0.25, 1e14, "\"", []any{}, map[string]any{}, map[string]any{"a": "\n", "b": false}}}
	for i, r := range []memory.Record{bare, open, whole} {
		text, err := pam.EncodeMemory(r)
		if err != nil {
			t.Fatal(err)
		}
		if taken := decodesAlike(t, text); taken != (i < 2) {
			t.Errorf("taken: %v: %s", taken, text)
		}
		again, err := pam.DecodeMemory(text)
		if err != nil || again.Content != r.Content {
			t.Errorf("%+v, %v, want %+v", again, err, r)
		}
	}
}

// TestDecodedSharesNothing: the caller may use the bytes again.
func TestDecodedSharesNothing(t *testing.T) {
	text, err := pam.EncodeMemory(record(0))
	if err != nil {
		t.Fatal(err)
	}
	got, err := pam.DecodeMemory(text)
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	if again, err := pam.EncodeMemory(got); err != nil || !decodesAlike(t, again) {
		t.Errorf("%s, %v", again, err)
	}
}

// TestDecodesAnyPlaceAlike puts every value in every place of a memory, takes
// every member away, and adds one everywhere.
func TestDecodesAnyPlaceAlike(t *testing.T) {
	var whole any
	if err := json.Unmarshal(pieces(t)[schema.Memory], &whole); err != nil {
		t.Fatal(err)
	}
	tried, taken := 0, 0
	everywhere(whole, func() {
		raw, err := jcs.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			tried++
			if decodesAlike(t, bytes.ReplaceAll(raw, []byte(`"<here>"`), []byte(v))) {
				taken++
			}
		}
	})
	t.Logf("%d mutants tried, %d taken", tried, taken)
	if tried < 1500 || taken < 200 {
		t.Errorf("%d mutants tried, %d taken", tried, taken)
	}
}

// FuzzDecodeMemory: the same for whatever bytes.
func FuzzDecodeMemory(f *testing.F) {
	text := pieces(f)[schema.Memory]
	f.Add(text)
	for _, v := range values {
		for _, place := range []string{`"s"`, `"m"`, `0.5`, `["a","b"]`, `"en"`, `1.5`} {
			f.Add(bytes.Replace(text, []byte(place), []byte(v), 1))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		decodesAlike(t, raw)
		got, err := pam.DecodeMemory(raw)
		var want memory.Record
		if thorough := jsonv2.Unmarshal(raw, &want); (thorough == nil) != (err == nil) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n%#v (%v), want\n%#v (%v)", raw, got, err, want, thorough)
		}
	})
}

func BenchmarkDecodeMemory(b *testing.B) {
	text, err := pam.EncodeMemory(record(0))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := pam.DecodeMemory(text); err != nil {
			b.Fatal(err)
		}
	}
}
