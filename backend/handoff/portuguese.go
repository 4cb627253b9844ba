package handoff

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Words of the Portuguese rules, each with spaces around it.
const (
	// portugueseVerbs are pairs of the third and the first person singular.
	portugueseVerbs = " adora:adoro anda:ando aprecia:aprecio aprende:aprendo aprendeu:aprendi acredita:acredito assiste:assisto bebe:bebo busca:busco caminha:caminho canta:canto coleciona:coleciono come:como compra:compro comprou:comprei conhece:conheço corre:corro costuma:costumo cozinha:cozinho cresceu:cresci cria:crio cuida:cuido cultiva:cultivo dança:danço deseja:desejo desenha:desenho desenvolve:desenvolvo detesta:detesto deve:devo dirige:dirijo dorme:durmo ensina:ensino entende:entendo escreve:escrevo escuta:escuto espera:espero está:estou estuda:estudo estudou:estudei evita:evito fala:falo faz:faço frequenta:frequento gerencia:gerencio gosta:gosto joga:jogo lê:leio lidera:lidero mora:moro morou:morei nada:nado nasceu:nasci odeia:odeio ouve:ouço participa:participo pedala:pedalo pensa:penso pesquisa:pesquiso pinta:pinto planeja:planejo pode:posso possui:possuo pratica:pratico precisa:preciso prefere:prefiro pretende:pretendo procura:procuro programa:programo quer:quero reside:resido restaura:restauro sabe:sei segue:sigo sofre:sofro tem:tenho toca:toco toma:tomo trabalha:trabalho trabalhou:trabalhei treina:treino usa:uso utiliza:utilizo vai:vou vende:vendo viaja:viajo visita:visito vive:vivo é:sou "
	// portugueseBare are verbs with which a line that names no subject may begin; with the
	// others it may be an order, a noun or speak of something else.
	portugueseBareThird = " adora costuma detesta estuda gosta mora odeia possui precisa prefere pretende quer reside trabalha vive "
	portugueseBareFirst = " adoro bebo costumo detesto escrevo falo faço leio moro odeio possuo prefiro pretendo quero tenho vou nasci cresci "
	portugueseNouns     = " nada toca compra busca dança pesquisa programa espera pinta visita toma cria anda canta "
	portugueseAdverbs   = " não nunca sempre também já ainda geralmente frequentemente raramente só atualmente normalmente "
	portugueseClauses   = " que quem onde cujo cuja quando porque se enquanto "
	// portugueseTimes may stand between "e" and a second verb.
	portugueseTimes     = " até hoje depois agora ontem antes desde cada todo toda todos todas por às aos de em no na quando se "
	portugueseJoins     = " e ou mas nem & "
	portugueseThird     = " usuário usuária usuários usuárias utilizador utilizadora ele ela eles elas dele dela deles delas seu sua seus suas lhe lhes consigo se "
	portugueseFirstWord = " eu me mim comigo meu minha meus minhas nós nosso nossa nossos nossas conosco "
	portugueseUsers     = " usuário usuária utilizador utilizadora "
	// kin are nouns that can take a possessive ("minha esposa"); in "interface do usuário" the
	// noun does not belong to the user.
	kin = " esposa marido mulher namorado namorada noivo noiva companheiro companheira filho filha filhos filhas irmão irmã irmãos irmãs mãe pai pais avó avô avós tio tia primo prima sobrinho sobrinha cachorro cachorra cachorros cão gato gata gatos carro casa apartamento nome trabalho empresa chefe equipe amigo amiga amigos família aniversário profissão cargo "
	// kinVerbs may follow such a noun, so that nothing else of it comes between.
	kinVerbs = " se é são tem têm mora moram trabalha trabalham vive vivem gosta gostam está estão estuda estudam toca prefere fala falam "
)

func portuguese() personRules {
	namesNobody := func(words []string) bool {
		return !hasAny(words, portugueseThird) && !slices.ContainsFunc(words, func(w string) bool { _, is := verbPair(w, 0); return is })
	}
	namesUser := func(words []string) bool { return hasAny(words[:min(4, len(words))], portugueseUsers) }
	return personRules{"pt", portugueseFirst, portugueseThirdOf, namesNobody, namesUser, portugueseFirstWord}
}

// verbPair finds a verb by one of its forms; i is 0 for the third person and 1 for the first.
func verbPair(form string, i int) (other string, ok bool) {
	for pair := range strings.FieldsSeq(portugueseVerbs) {
		forms := strings.Split(pair, ":")
		if forms[i] == bare(form) {
			return forms[1-i], true
		}
	}
	return "", false
}

// portugueseFirst turns "O usuário prefere chá", "A esposa do usuário …" and "Prefere chá".
func portugueseFirst(words []string) ([]string, bool) {
	start := 0
	if len(words) > 1 && isOneOf(words[0], " o a os as ") {
		start = 1
	}
	if len(words) < start+2 {
		return nil, false
	}
	rest := slices.Clone(words[start+1:])
	own := map[string]string{"o": "Meu", "a": "Minha", "os": "Meus", "as": "Minhas"}[strings.ToLower(words[0])]
	switch {
	case isOneOf(words[start], portugueseUsers):
		return firstPredicate(rest)
	case own != "" && isOneOf(words[1], kin) && len(rest) > 2 && isOneOf(rest[0], " do da ") && isOneOf(rest[1], portugueseUsers):
		rest = rest[2:]
		return append([]string{own, words[1]}, rest...), !mayNameUser(rest) && !hasAny(rest, portugueseFirstWord)
	case start == 0 && isOneOf(words[0], portugueseBareThird):
		return firstPredicate(slices.Clone(words))
	}
	return nil, false
}

func firstPredicate(words []string) ([]string, bool) {
	if len(words) > 2 && words[0] == "se" && words[1] == "chama" {
		return append([]string{"Eu", "me", "chamo"}, words[2:]...), !hasAny(words[2:], portugueseThird) && len(coordinated(words[2:], portugueseJoins, "")) == 0
	}
	at := 0
	for at < len(words)-1 && isOneOf(words[at], portugueseAdverbs) {
		at++
	}
	verb, ok := verbPair(words[at], 0)
	if !ok || hasAny(words[at+1:], portugueseThird) || hasAny(words[at+1:], portugueseFirstWord) {
		return nil, false
	}
	words[at] = inPlaceOf(words[at], verb)
	for i := at + 1; i < len(words); i++ {
		if _, is := verbPair(words[i], 0); is && isOneOf(words[i-1], " que quando porque se onde como ") {
			return nil, false // of whom it speaks is not said
		}
	}
	for _, i := range coordinated(words[at+1:], portugueseJoins, portugueseAdverbs) {
		i += at + 1
		w := bare(words[i])
		second, is := verbPair(w, 0)
		switch {
		case is && !isOneOf(w, portugueseNouns) && !hasAny(words[at+1:i], portugueseClauses):
			words[i] = inPlaceOf(words[i], second)
		case is || lower(words[i]) && mayBeVerb(w) || isOneOf(w, portugueseTimes):
			return nil, false // a noun, or a verb that is not known
		}
	}
	return capital(words), true
}

// mayNameUser says whether a pronoun in what is said of somebody else may be the user.
func mayNameUser(words []string) bool {
	for i, w := range words {
		object := i > 0 && isOneOf(w, " o a os as ") && isOneOf(words[i-1], " não nunca já que também nem ")
		_, enclitic, joined := strings.Cut(w, "-")
		if object || w != "se" && isOneOf(w, portugueseThird) || joined && isOneOf(enclitic, " lhe o a lo la no na ") {
			return true
		}
	}
	return false
}

// mayBeVerb says whether a word may be a form of the third person.
func mayBeVerb(word string) bool {
	last, _ := utf8.DecodeLastRuneInString(word)
	return utf8.RuneCountInString(word) > 2 && strings.ContainsRune("aemizuêáó", last)
}

// portugueseThirdOf turns "Prefiro chá", "Eu prefiro chá" and "Minha esposa …".
func portugueseThirdOf(words []string) ([]string, bool) {
	if len(words) < 2 {
		return nil, false
	}
	article := map[string]string{"Meu": "O", "Minha": "A", "Meus": "Os", "Minhas": "As"}[words[0]]
	if article != "" {
		safe := len(words) > 2 && isOneOf(words[1], kin) && isOneOf(words[2], kinVerbs) && !hasAny(words[2:], portugueseFirstWord)
		return append([]string{article, words[1], "do", "usuário"}, words[2:]...), safe
	}
	rest := slices.Clone(words)
	named := rest[0] == "Eu"
	if named {
		rest = rest[1:]
	}
	at := 0
	for at < len(rest)-1 && isOneOf(rest[at], portugueseAdverbs) {
		at++
	}
	if at == len(rest)-1 || !named && at == 0 && !beginsFirst(rest) {
		return nil, false
	}
	verb, ok := verbPair(rest[at], 1)
	if !ok || hasAny(rest[at+1:], portugueseFirstWord) || hasAny(rest[at+1:], portugueseThird) {
		return nil, false
	}
	// What somebody is may agree with them: "sou professora".
	if (verb == "é" || verb == "está") && !isOneOf(rest[at+1], " de do da dos das em no na com ") {
		return nil, false
	}
	for i := at + 1; i < len(rest); i++ {
		if _, is := verbPair(rest[i], 1); is && bare(rest[i]) != "como" {
			return nil, false // a second verb, or a noun that looks like one
		}
	}
	for _, i := range coordinated(rest[at+1:], portugueseJoins, portugueseAdverbs) {
		i += at + 1
		if w := bare(rest[i]); lower(rest[i]) && len(w) > 2 && strings.HasSuffix(w, "o") || isOneOf(w, portugueseTimes) {
			return nil, false
		}
	}
	rest[at] = inPlaceOf(strings.ToLower(rest[at]), verb)
	rest[0] = strings.ToLower(rest[0][:1]) + rest[0][1:]
	return append([]string{"O", "usuário"}, rest...), true
}

// beginsFirst says whether a line that begins with a verb of the first person cannot begin
// with a noun.
func beginsFirst(words []string) bool {
	first := bare(words[0])
	switch first {
	case "gosto", "preciso":
		return isOneOf(words[1], " de do da dos das muito ")
	case "trabalho":
		return isOneOf(words[1], " em no na numa num com para ")
	}
	return isOneOf(first, portugueseBareFirst)
}
