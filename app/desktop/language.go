package desktop

import "strings"

// spoken is the language of the menus for somebody who prefers these, as tags
// or locales: "pt-BR" or "".
func spoken(preferred ...string) string {
	if len(preferred) > 0 && strings.HasPrefix(strings.ToLower(preferred[0]), "pt") {
		return "pt-BR"
	}
	return ""
}
