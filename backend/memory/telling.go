package memory

import "crypto/sha256"

// Telling is what tells whether messages of two conversations are copies of each other.
type Telling struct {
	// Sum is of who says what, under which id of the provider, or when where it gave none.
	Sum [sha256.Size]byte
	// Words is of who says what.
	Words [sha256.Size]byte
	// IsSure says that there is an id of the provider or a time: without both, Sum says
	// no more than Words.
	IsSure bool
	HasID  bool
}

// TellingOf is that of a message.
func TellingOf(m *Message) Telling {
	has := m.ProviderMessageID != ""
	return Telling{Sum: sumOf(m), Words: wordsOf(m), IsSure: has || !m.CreatedAt.IsZero(), HasID: has}
}
