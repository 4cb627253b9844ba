package compare

import "strings"

// languageOf is the language of which a text has the most small words, "" where two have as
// many. package language is surer and says nothing of texts as short as these.
func languageOf(words []string) string {
	small := [...][2]string{
		{"en", "the a an is of and to in has user user's i my i'm for with at on by as their who"},
		{"pt", "o a os as de da do em um uma ao na no com meu minha e é que se usuário usuária utilizador utilizadora tem não sou quero tudo quando mora"},
		{"es", "el la los las de del en un una al su con mi y es que se usuario usuaria tiene le me soy lleva"},
		{"de", "der die das dem den ein eine ist und in hat mit nutzer nutzerin ich mein meine bei am im an auf als"},
		{"fr", "le la les de des du un une est et dans à a je mon ma l' d' j' en son sa utilisateur utilisatrice au sur"},
	}
	best, most, tied := "", 0, false
	for _, language := range small {
		n := 0
		for _, word := range words {
			if listed(language[1], strings.ToLower(word)) {
				n++
			}
		}
		switch {
		case n > most:
			best, most, tied = language[0], n, false
		case n == most:
			tied = true
		}
	}
	if tied {
		return ""
	}
	return best
}

// negates says whether a word negates a statement. "Without" does not count: it negates a
// detail and not the fact. "No" is an article in Portuguese.
func negates(word, language string) bool {
	switch word {
	case "no":
		return language != "pt"
	case "not", "never", "cannot", "none",
		"não", "nunca", "nenhum", "nenhuma", "jamais", "ningún", "ninguna", "ninguno",
		"nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals",
		"ne", "n'", "aucun", "aucune", "pas":
		return true
	}
	return strings.HasSuffix(word, "n't")
}

// topic is what a word says something about of which a person has one at a time. What stands
// behind a space is the value itself; without it the names in the text are the value.
func topic(word string) string {
	for _, row := range [...][2]string{
		{"home", "live lives living moro mora vivo vive wohne wohnt habite habita home"},
		{"birth", "born nasci nasceu nací nació geboren né née"},
		{"favourite", "favourite favorite favorito favorita lieblingsfarbe lieblings préféré préférée"},
		{"blood", "blood sangue sanguíneo sangre blutgruppe sanguin"},
		{"tongue", "native materna maternelle muttersprache"},
		{"work", "works work trabalha trabalho trabaja trabajo arbeitet arbeite travaille"},
		{"employer", "employer employed empregador empleador arbeitgeber employeur"},
		{"wedlock one", "single unmarried solteiro solteira soltero soltera ledig single célibataire"},
		{"wedlock two", "married casado casada verheiratet marié mariée"},
		{"wedlock was", "divorced divorciado divorciada geschieden divorcé divorcée"},
		{"wedlock had", "widowed widow widower viúvo viúva viudo viuda verwitwet veuf veuve"},
	} {
		if listed(row[1], word) {
			return row[0]
		}
	}
	return ""
}

// isSubject says whether a word before what a statement says only names the person.
func isSubject(word string) bool {
	return listed("the user user's i my o a usuário usuária utilizador utilizadora eu el la usuario usuaria yo der die nutzer nutzerin ich l' utilisateur utilisatrice je j'", word)
}

// relative is whose fact it is, where it is not the person's own: that a sister lives
// elsewhere contradicts nothing.
func relative(word, language string) string {
	word = strings.TrimSuffix(word, "'s")
	if word == "son" && language != "en" {
		return ""
	}
	for _, row := range [...][2]string{
		{"mother", "mother mum mom mãe madre mutter mère"}, {"father", "father dad pai padre vater père"},
		{"sister", "sister irmã hermana schwester sœur"}, {"brother", "brother irmão hermano bruder frère"},
		{"son", "son filho hijo sohn fils"}, {"daughter", "daughter filha hija tochter fille"},
		{"spouse", "wife esposa mulher mujer frau femme husband marido esposo mann mari partner girlfriend boyfriend namorada namorado novia novio partnerin"},
		{"friend", "friend amigo amiga freund freundin ami amie"},
	} {
		if listed(row[1], word) {
			return row[0]
		}
	}
	return ""
}

// empty says whether a stem carries no meaning: how assistants name a person, and what
// stands in statements of any topic.
func empty(stem string) bool {
	return listed(`user util usua nutz benu
		the and for has had his her its are was who can not own one with that this from have been they them only ever wants want like when thei ther does
		uma com dos das sou mais como toda todo para que est las los por sus quie quer
		une des les mon mes ses sur par aux dans pour avec plus tout
		der die das ist und hat mit von dem den bei auf als ich eine sein ihre dies auch nich will wenn wird wurd sind`, stem)
}

// listed says whether a word stands in a list with white space between its words.
func listed(list, word string) bool {
	for at := strings.Index(list, word); at >= 0 && word != ""; {
		end := at + len(word)
		if (at == 0 || list[at-1] <= ' ') && (end == len(list) || list[end] <= ' ') {
			return true
		}
		next := strings.Index(list[end:], word)
		if next < 0 {
			return false
		}
		at = end + next
	}
	return false
}
