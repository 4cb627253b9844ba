package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	longestLocal  = 64  // RFC 5321 §4.5.3.1.1
	longestDomain = 253 // RFC 1035
)

func (f *finder) emails() {
	for at, after := range places(f.text, "@") {
		if start, end := f.local(at), f.domain(after); start < at && end > after && f.isEmail(start, at, end) {
			f.add(Email, start, end)
		}
	}
}

// local goes left over what a mailbox's name is written with.
func (f *finder) local(at int) int {
	start := at
	for start > 0 && at-start < longestLocal && !f.escaped(start) {
		r, size := utf8.DecodeLastRuneInString(f.text[:start])
		if !latin(r) && !strings.ContainsRune("._%+-'", r) {
			break
		}
		start -= size
	}
	f.looked += at - start
	return start + len(f.text[start:at]) - len(strings.TrimLeft(f.text[start:at], "._%+-'"))
}

// domain goes right over what a host's name is written with.
func (f *finder) domain(from int) int {
	end := from
	for end < len(f.text) && end-from < longestDomain {
		r, size := utf8.DecodeRuneInString(f.text[end:])
		if !latin(r) && r != '.' && r != '-' {
			break
		}
		end += size
	}
	f.looked += end - from
	return from + len(strings.TrimRight(f.text[from:end], ".-"))
}

func latin(r rune) bool {
	return r < utf8.RuneSelf && (letter(byte(r)) || digit(byte(r))) || r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r)
}

// isEmail refuses what only has an @ in it: versions of packages, names of
// pictures, accounts at a version control host, places in a URL.
func (f *finder) isEmail(start, at, end int) bool {
	labels := strings.Split(f.low[at+1:end], ".")
	top := labels[len(labels)-1]
	if len(labels) < 2 || !isTop(top) || slices.Contains(fileEndings, top) || strings.HasSuffix(f.text[start:at], ".") {
		return false
	}
	if slices.ContainsFunc(labels, func(label string) bool { return label == "" || label[0] == '-' || label[len(label)-1] == '-' }) {
		return false
	}
	asRemote := strings.HasPrefix(f.text[end:], ":") && end+1 < len(f.text) && letter(f.text[end+1])
	return !asRemote && !strings.HasSuffix(f.text[:start], "//")
}

func isTop(label string) bool {
	if strings.HasPrefix(label, "xn--") {
		return true
	}
	return len(label) >= 2 && len(label) <= 24 && !strings.ContainsFunc(label, notLetter)
}

// fileEndings are no top-level domains where they stand behind an @.
var fileEndings = []string{"png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "ts", "json", "html", "txt", "pdf", "yml", "yaml",
	"tar", "tgz", "whl", "jar"}
