package markdown

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName leaves room for a date, a number and ".md" below the 143 bytes that the
// narrowest file systems take (eCryptfs; others take 255).
const maxName = 120

// FileName is a name that every file system and Obsidian's links take, in the
// script of the title: no separators, no signs of code or templates, no control or
// bidi characters, no name that Windows keeps for itself, nothing that ends in a dot
// or a space. "" where nothing is left.
func FileName(title string) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || strings.ContainsRune("/\\:*?\"<>|#^[]`{}", r) || unicode.IsSpace(r):
			return ' '
		case r == joiner || r == nonJoiner || unicode.IsGraphic(r):
			return r
		}
		return -1
	}, strings.NewReplacer("%%", "%", "&lcub;", " ", "&lbrace;", " ").Replace(norm.NFC.String(apart(title))))
	name := shorten(strings.Join(strings.Fields(title), " "), maxName)
	name = strings.TrimRight(strings.TrimLeft(name, " .-~"), " .")
	if strings.IndexFunc(name, visible) < 0 {
		return ""
	}
	if reserved(name) {
		name = "_" + name
	}
	return name
}

const (
	nonJoiner = '\u200c' // Persian and Indic words need it
	joiner    = '\u200d' // as emoji made of several do
)

func visible(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)
}

// shorten cuts a name at a border that leaves no mark without its letter.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for at := limit; at > 0; at-- {
		if !utf8.RuneStart(s[at]) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[at:])
		last, _ := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.Is(unicode.M, next) && next != joiner && last != joiner && !skinTone(next) {
			return s[:at]
		}
	}
	return ""
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// reserved reports that Windows takes the name for a device, with any ending, or would
// where its letters and dots are written in their plain forms ("COM¹", "CON…").
func reserved(name string) bool {
	base, _, _ := strings.Cut(norm.NFKC.String(name), ".")
	base = strings.ToUpper(strings.TrimSpace(base))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, device := range []string{"COM", "LPT"} {
		if port, ok := strings.CutPrefix(base, device); ok && len(port) == 1 && port[0] >= '0' && port[0] <= '9' {
			return true
		}
	}
	return false
}

// names are those that are taken in a folder, as a file system compares them that
// knows neither case nor how a letter is composed, with the last number given to
// each. Kept are their sums: two that are the same cost a needless number.
type names map[uint64]int

// take gives a name that nothing else in the folder has.
func (taken names) take(title, otherwise string) string {
	name := FileName(title)
	if name == "" {
		name = otherwise
	}
	first := folded(name)
	if taken[first]++; taken[first] == 1 {
		return name
	}
	for n := taken[first]; ; n++ {
		free := name + " " + strconv.Itoa(n)
		if key := folded(free); taken[key] == 0 {
			taken[key], taken[first] = 1, n
			return free
		}
	}
}

func folded(name string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(cases.Fold().String(norm.NFKD.String(name))))
	return sum.Sum64()
}
