package memory

// Normalize is the text that ContentHash hashes.
func Normalize(content string) string { return string(normalized(nil, []byte(content))) }
