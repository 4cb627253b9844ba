package importer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxTag is the longest tag made from a name, in bytes.
const maxTag = 48

// Tag makes a tag (PAM §4: ^[a-z0-9][a-z0-9_-]*$) of a name: lower case,
// accents dropped, runs of anything else one hyphen. It is "" where nothing is
// left, as of a name in a script without ASCII letters.
func Tag(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(name) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		case !unicode.IsMark(r):
			gap = true
		}
		if b.Len() >= maxTag {
			break
		}
	}
	return b.String()
}
