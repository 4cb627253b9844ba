package library

// Page is the part of a list from offset on, at most limit; 0 = all.
func Page[T any](all []T, offset, limit int) []T {
	all = all[min(max(offset, 0), len(all)):]
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

// Cut shortens text to at most n bytes at a character.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}
