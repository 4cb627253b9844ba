package intake

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/fault"
)

// maxName is the longest name of an entry, in bytes.
const maxName = 512

// outside refuses the whole archive where a name leads out of it: no export
// does that, so the rest is not to be trusted either.
func outside(archive, name string) error {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
	bad := strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) || strings.ContainsRune(name, 0) ||
		len(name) > 1 && name[1] == ':' && unicode.IsLetter(rune(name[0]))
	if !bad && !slices.Contains(parts, "..") {
		return nil
	}
	return fault.New(fault.Refused, "zip-slip",
		"{name} holds an entry that points outside of it ({entry}), which no export does; nothing of it was read.").
		With("name", archive).With("entry", printable(name)).
		Advise("Download the export again, directly from the provider.")
}

// unfit refuses one entry whose name cannot be shown or told apart.
func unfit(archive, name string) *fault.Error {
	var f *fault.Error
	switch {
	case len(name) > maxName:
		f = fault.New(fault.TooLarge, "entry-name-long",
			"An entry of {name} has a name longer than {limit} bytes ({entry}); it was left out.").With("limit", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		f = fault.New(fault.Invalid, "entry-name-text",
			"The name of an entry of {name} is not readable text ({entry}); it was left out.")
	case strings.ContainsAny(name, `\:`):
		f = fault.New(fault.Invalid, "entry-name-separator",
			"The name of an entry of {name} holds a backslash or a colon ({entry}); it was left out.")
	case strings.ContainsFunc(name, isHidden):
		f = fault.New(fault.Invalid, "entry-name-hidden",
			"The name of an entry of {name} holds invisible or direction-changing characters ({entry}); it was left out.")
	default:
		return nil
	}
	return f.With("name", archive).With("entry", printable(name))
}

// isHidden knows zero-width and bidirectional control characters.
func isHidden(r rune) bool {
	return r == 0x061C || r == 0x180E || r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E ||
		r >= 0x2060 && r <= 0x2069 || r == 0xFEFF
}

// isJunk knows what operating systems put into zips and folders.
func isJunk(name string) bool {
	base := path.Base(name)
	return name == "__MACOSX" || strings.HasPrefix(name, "__MACOSX/") || strings.Contains(name, "/__MACOSX/") ||
		strings.HasPrefix(base, "._") || base == ".DS_Store" || base == "Thumbs.db" || base == "desktop.ini"
}

// folded is one form for all names that differ only in case.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// printable is a name as it may stand in a sentence: hidden and control
// characters spelled out, at most 80 characters.
func printable(name string) string {
	var b strings.Builder
	count := 0
	for _, r := range name {
		if count++; count > 80 {
			b.WriteString("…")
			break
		}
		if isHidden(r) || !unicode.IsPrint(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
