package core_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"keepsake/backend/core"
	"keepsake/backend/seal"
	"keepsake/backend/vault/vaulttest"
)

// storedForm is the vector of a text as an index keeps it, in 8 bits a number.
func storedForm(text string) string {
	numbers := ok(encoder().Embed(ctx, []string{text}))[0]
	var scale float32
	for _, x := range numbers {
		scale = max(scale, x, -x)
	}
	codes := make([]byte, len(numbers))
	for i, x := range numbers {
		codes[i] = byte(int8(math.RoundToEven(float64(x / (scale / math.MaxInt8)))))
	}
	return string(codes)
}

// floats is the vector of a text in numbers of 4 bytes.
func floats(text string) string {
	var out []byte
	for _, x := range ok(encoder().Embed(ctx, []string{text}))[0] {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return string(out[:64])
}

// TestNoVectorReadableOnDisk: who knows a text and the model cannot see in the files of a
// vault that the text is remembered. The same search finds its vector in a vault that seals
// nothing, until the memory is forgotten.
func TestNoVectorReadableOnDisk(t *testing.T) {
	for _, cipher := range []seal.Cipher{"", seal.Plaintext} {
		k := comparing(t, cipher)
		ids := k.adds(facts...)
		k.means(text("anything"))
		ok(k.Retrieve(ctx, core.Retrieval{Text: facts[1]}))
		held := func() int { return len(ok(vaulttest.Scan([]string{storedForm(facts[0])}, k.root))) }
		if got, want := held() > 0, cipher == seal.Plaintext; got != want {
			t.Errorf("cipher %q: the vector is readable: %t", cipher, got)
		}
		if found := ok(vaulttest.Scan([]string{floats(facts[0]), floats(facts[1])}, k.root)); len(found) > 0 {
			t.Errorf("cipher %q: numbers readable in %v", cipher, found)
		}
		ok(k.Forget(ctx, ids[:1], nil))
		if held() > 0 {
			t.Errorf("cipher %q: the vector of a forgotten memory is left", cipher)
		}
	}
}

// hostileTexts are memories as exports and people may write them, by what is hard about them.
func hostileTexts() map[string]string {
	scripts := "Latin кириллица ελληνικά עברית العربية हिन्दी বাংলা தமிழ் ไทย ქართული հայերեն 한국어 日本語 中文 አማርኛ ខ្មែរ"
	return map[string]string{
		"a megabyte":             strings.Repeat("The quick brown fox. ", 1<<20/21),
		"one character repeated": strings.Repeat("a", 200_000),
		"no space at all":        strings.Repeat("字", 60_000),
		"16 scripts":             scripts,
		"emoji":                  "👩‍👩‍👧‍👦🏳️‍🌈 👍🏽",
		"right to left":          "\u202eأعيش في لشبونة\u202c منذ عام 2019",
		"empty once normalized":  "\u00ad\u200b\u2060",
		"combining marks":        "e" + strings.Repeat("\u0301", 5_000),
		"controls":               "a\x01b\x7fc",
	}
}

// TestHostileTextsByMeaning: no text keeps the others from being found by meaning, and those
// that cannot be compared are none the less found by their words and kept.
func TestHostileTextsByMeaning(t *testing.T) {
	k := comparing(t, "")
	nurse := k.adds(facts[0])[0]
	var all []string
	names := map[string]string{}
	for name, content := range hostileTexts() {
		made, err := k.AddMemory(ctx, core.NewMemory{Content: content, Type: "fact"})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all, names[made.ID] = append(all, made.ID), name
	}
	// As they come from JSON: half of a pair of UTF-16, in an export.
	k.imports(k.write("a.zip", book{}, "more.json", `{"parrot":true,"memories":[{"key":"s","text":"Lone \ud83d surrogate and \udc4d another","at":"2026-01-01T00:00:00Z"}]}`))
	r := k.means(core.SearchQuery{Text: "what is my profession?", Mode: "semantic"})
	if len(r.Hits) == 0 || r.Hits[0].ID != nurse {
		t.Errorf("%v", idsOf(r.Hits))
	}
	if s := ok(k.IndexState(ctx)); s.Missing != 0 || s.Records != len(all)+2 {
		t.Errorf("%+v", s)
	}
	for _, id := range all {
		for _, m := range ok(k.Similar(ctx, id, core.Retrieval{})).Memories {
			if math.IsNaN(m.Similarity) || m.Similarity < 0 || m.Similarity > 1 || m.ID == id {
				t.Errorf("%s: %v", names[id], m.Similarity)
			}
		}
	}
	ok(k.Review(ctx, nil, 0, 0))
	for name, content := range hostileTexts() {
		if len(content) > 4000 {
			continue
		}
		if _, err := k.Search(ctx, core.SearchQuery{Text: content, Mode: "hybrid"}); err != nil {
			t.Errorf("asked for %s: %v", name, err)
		}
		if _, err := k.Retrieve(ctx, core.Retrieval{Text: content}); err != nil {
			t.Errorf("retrieving by %s: %v", name, err)
		}
	}
}
