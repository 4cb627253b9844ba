package redact

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	dashes   = "-----"
	// shortestKey is how many characters of a key must stand there when its end
	// is missing: a sentence may name the first line of such a file.
	shortestKey = 40
)

// privateKeys finds PEM blocks of private keys, also cut off ones and ones in one
// line of JSON, and the identities of age, which are private keys of one line.
func (f *finder) privateKeys() {
	for start, body := range places(f.text, "AGE-SECRET-KEY-1") {
		if end := f.over(body, upperOnly, 59); end-body == 58 && f.freeBefore(start) && f.freeAfter(end) {
			f.add(PrivateKey, start, end)
		}
	}
	for from := 0; ; {
		i := strings.Index(f.text[from:], pemBegin)
		if i < 0 {
			return
		}
		start := from + i
		from = start + len(pemBegin)
		label, body, ok := f.pemLabel(from)
		if !ok {
			continue
		}
		// Whatever ends the body is not looked at twice: the next search begins there.
		size := strings.Index(f.text[body:], dashes)
		if size < 0 {
			size = len(f.text) - body
		}
		from = body + size
		f.looked += size
		if tail := pemEnd + label + dashes; strings.HasPrefix(f.text[from:], tail) {
			from += len(tail)
			f.add(PrivateKey, start, from)
		} else if n := keyText(f.text[body:from]); n >= shortestKey {
			f.add(PrivateKey, start, body+n)
		}
	}
}

// pemLabel reads "RSA PRIVATE KEY" before the dashes.
func (f *finder) pemLabel(from int) (label string, body int, ok bool) {
	window := f.text[from:min(len(f.text), from+64)]
	label, _, ok = strings.Cut(window, dashes)
	return label, from + len(label) + len(dashes), ok && strings.Contains(label, "PRIVATE KEY") && !strings.Contains(label, "\n")
}

// keyText is how many bytes of lines of base64 the body begins with.
func keyText(body string) int {
	n := 0
	for line := range strings.Lines(body) {
		bare := strings.TrimSpace(line)
		if strings.ContainsFunc(bare, func(r rune) bool { return !strings.ContainsRune(base64s, r) && r != '=' }) {
			break
		}
		n += len(line)
	}
	return len(strings.TrimRight(body[:n], "\r\n "))
}

const base64s = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
