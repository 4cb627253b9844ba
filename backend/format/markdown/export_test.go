package markdown

import "strings"

// Dialects are the rows of the table.
func Dialects() (all []string) {
	for _, d := range dialects {
		all = append(all, d.of)
	}
	return all
}

// DialectsIn are the rows that find something in a text.
func DialectsIn(text string) (all []string) {
	for _, d := range dialects {
		if d.where == span {
			for _, code := range strings.Split(text, "`") {
				if d.sign.MatchString(code) {
					all = append(all, d.of)
				}
			}
			continue
		}
		found := d.sign.FindStringIndex("\n" + text)
		if found != nil && (d.except == nil || !d.except(("\n" + text)[:found[0]], ("\n" + text)[found[0]:])) {
			all = append(all, d.of)
		}
	}
	return all
}
