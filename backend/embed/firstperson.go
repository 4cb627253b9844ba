package embed

import "strings"

// FirstPerson is a memory as its owner would say it: "User likes tea" becomes "I likes tea".
// People ask about themselves as I, and a vector cares more for that than for the verb's
// ending. It knows how assistants begin a memory in English, Portuguese, Spanish, German and
// French; other texts stay as they are.
func FirstPerson(memory string) string {
	beginnings := [][2]string{
		{"User's ", "My "}, {"The user's ", "My "}, {"User ", "I "}, {"The user ", "I "},
		{"O usuário ", "Eu "}, {"A usuária ", "Eu "}, {"El usuario ", "Yo "}, {"La usuaria ", "Yo "},
		{"Der Nutzer ", "Ich "}, {"Die Nutzerin ", "Ich "}, {"Der Benutzer ", "Ich "}, {"Die Benutzerin ", "Ich "},
		{"L'utilisateur ", "Je "}, {"L'utilisatrice ", "Je "}, {"L’utilisateur ", "Je "}, {"L’utilisatrice ", "Je "},
	}
	for _, b := range beginnings {
		if rest, ok := strings.CutPrefix(memory, b[0]); ok {
			return b[1] + rest
		}
	}
	return memory
}
