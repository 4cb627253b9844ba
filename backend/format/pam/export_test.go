package pam

// Look reports whether the quick look takes a memory.
func Look(raw []byte) bool {
	_, ok := look(raw)
	return ok
}

// WordList is the list of the fingerprints.
func WordList() []string { return wordList() }
