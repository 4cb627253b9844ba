package memory_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/memory"
)

func TestNormalizeIsTheSpecificationsPipeline(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"  Prefers   Metric UNITS \n", "prefers metric units"},
		{"a\x1cb\x1dc\x1ed\x1fe", "a b c d e"},
		{"\x1f x \u00a0y\u3000", "x y"},
		{"ΣΑΣ ΟΔΟΣ. Σ", "σας οδος. σ"},
		{"AΣ'B AΣ'", "aσ'b aς'"},
		{"İstanbul", "i\u0307stanbul"},
		{"E\u0301te\u0301", "\u00e9t\u00e9"},
		{"\u1112\u1161\u11ab", "\ud55c"},
		{"Straße", "straße"},
	} {
		if got := memory.Normalize(c.in); got != c.want {
			t.Errorf("Normalize(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLongRunsOfMarksGetNoJoiner(t *testing.T) {
	zalgo := "e" + strings.Repeat("\u0323\u0301", 40)
	got := memory.Normalize(zalgo)
	if strings.ContainsRune(got, 0x34f) {
		t.Fatal("a joiner was inserted")
	}
	want := "\u1eb9" + strings.Repeat("\u0323", 39) + strings.Repeat("\u0301", 40)
	if got != want {
		t.Fatalf("got %+q, want %+q", got, want)
	}
}

// TestVectors compares with what the reference wrote down (testdata/vectors.py).
func TestVectors(t *testing.T) {
	file, err := os.Open("testdata/content_hash.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		var v struct {
			Content     string `json:"content"`
			Normalized  string `json:"normalized"`
			ContentHash string `json:"content_hash"`
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if got := memory.Normalize(v.Content); got != v.Normalized || memory.ContentHash(v.Content) != v.ContentHash {
			t.Errorf("%+q is %+q, the reference's %+q", v.Content, got, v.Normalized)
		}
	}
	if n < 400 {
		t.Errorf("only %d vectors", n)
	}
}

// TestTableHash pins what every code point becomes in four contexts: a newer
// Unicode version in the language or the library must not change a hash
// silently.
func TestTableHash(t *testing.T) {
	t.Parallel()
	const pinned = "90426356e32eca438a31a5736b39c83538e211b6d3801a4f3f2abb407d4fcfc0"
	sum := sha256.New()
	for _, s := range everyCodePoint() {
		sum.Write([]byte(memory.ContentHash(s)))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != pinned {
		t.Fatalf("the table is %s, pinned %s", got, pinned)
	}
}

// TestEqualsTheReference compares with the reference language, where the
// machine has one of the same Unicode version for these characters.
func TestEqualsTheReference(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on this machine: NOT compared with the reference")
	}
	texts := append(hostile(1_000_000), everyCodePoint()...)
	var in bytes.Buffer
	for _, s := range texts {
		_ = binary.Write(&in, binary.BigEndian, uint32(len(s)))
		in.WriteString(s)
	}
	cmd := exec.Command(python, "testdata/reference.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run the reference: %v", err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(lines), len(texts))
	}
	differ := 0
	for i, s := range texts {
		if memory.ContentHash(s) != "sha256:"+lines[i] && !isNewerThan14(s) {
			if differ++; differ <= 10 {
				t.Errorf("%+q: ours %s, the reference's sha256:%s", s, memory.ContentHash(s), lines[i])
			}
		}
	}
	t.Logf("%d texts compared, %d differ", len(texts), differ)
}

// isNewerThan14 reports characters that Unicode 15.0 added: a reference with
// the tables of 14.0 does not know them.
func isNewerThan14(s string) bool {
	for _, r := range s {
		for _, span := range [][2]rune{{0x0cf3, 0x0cf3}, {0x0ece, 0x0ece}, {0x10efd, 0x10eff}, {0x1123f, 0x11241}, {0x11b00, 0x11b09}, {0x11f00, 0x11f59}, {0x1342f, 0x13455}, {0x1b132, 0x1b155}, {0x1d2c0, 0x1d2d3}, {0x1df25, 0x1df2a}, {0x1e030, 0x1e08f}, {0x1e4d0, 0x1e4f9}, {0x31350, 0x323af}} {
			if span[0] <= r && r <= span[1] {
				return true
			}
		}
	}
	return false
}

// everyCodePoint puts each code point alone, inside a word, before and after Σ.
func everyCodePoint() []string {
	var out []string
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		c := string(r)
		out = append(out, c, "a"+c+"b", "A"+c+"Σ", "AΣ"+c+"B")
	}
	return out
}

// hostile makes strings out of what goes wrong: marks, sigmas, spaces, Hangul.
func hostile(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("aAeEoOσΣςİıßǅK  \t\n\x1c\x1f\u00a0\u3000\u0301\u0323\u0308\u0345\u034f'.:·’\u00ad\u200d\u02b0ᄒ\u1161\u11ab한\u0344\u1e69\u0958\U0001d15e\ufb1d\U0001f600")
	out := make([]string, n)
	for i := range out {
		runes := make([]rune, random.IntN(60))
		for j := range runes {
			if runes[j] = alphabet[random.IntN(len(alphabet))]; random.IntN(5) == 0 {
				if r := rune(random.IntN(0x30000)); r < 0xd800 || r > 0xdfff {
					runes[j] = r
				}
			}
		}
		out[i] = string(runes)
	}
	return out
}

// FuzzNormalize: whatever the text, no white space is left at the ends or twice.
func FuzzNormalize(f *testing.F) {
	for _, s := range hostile(40) {
		f.Add(s)
	}
	for _, s := range []string{"", " ", "A", " A  b\x1c\x1fC\t", "\x00\x0b\x7f Z"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		once := memory.Normalize(s)
		if !utf8.ValidString(once) || strings.Contains(once, "  ") || strings.TrimSpace(once) != once {
			t.Fatalf("%+q became %+q", s, once)
		}
		if hash := memory.ContentHash(s); !memory.IsContentHash([]byte(hash), []byte(s)) || memory.IsContentHash([]byte(hash), []byte(s+"x")) {
			t.Fatalf("%+q is not told by its hash", s)
		}
		if isASCII(s) && memory.Normalize(accent+s) != strings.TrimSpace(accent+once) { // what is not ASCII goes the long way
			t.Fatalf("%+q became %+q alone and %+q behind an accent", s, once, memory.Normalize(accent+s))
		}
	})
}

const accent = "\u00e9 "

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func BenchmarkContentHash(b *testing.B) {
	for name, text := range map[string]string{"ascii": "Prefers trains to planes. ", "accents": "Prefere trem a avião. "} {
		text = strings.Repeat(text, 6)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				memory.ContentHash(text)
			}
		})
	}
}
