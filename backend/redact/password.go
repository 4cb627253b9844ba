package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passwords finds what follows one of the words, in a sentence or in a file of
// settings, and what stands before the @ of a URL.
func (f *finder) passwords() {
	plain := !strings.ContainsFunc(f.text, func(r rune) bool { return r > unicode.MaxASCII })
	for _, name := range passwordNames {
		if plain && name.word[0] > unicode.MaxASCII { // many are of another script, and most texts are not
			continue
		}
		sign := len(name.word) - len(strings.TrimRight(name.word, ":="))
		for start, end := range places(f.low, name.word) {
			if end -= sign; f.nameStands(start, end, name.word) {
				f.passwordAfter(start, end, name)
			}
		}
	}
	f.inURLs()
	f.inPairs()
	f.inTables()
	f.inCommands()
	f.usedAs()
	f.dialled()
}

// nameStands refuses a word inside another one; in settings it may have others
// before it, joined by a sign: DB_PASSWORD, WLAN-Passwort.
func (f *finder) nameStands(start, end int, word string) bool {
	if strings.HasSuffix(f.text[:start], "--- ") { // a test that passed, in the log of a run
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(f.text[:start])
	first, _ := utf8.DecodeRuneInString(word)
	joined := start == 0 || r == '_' || unseparated(first) || !unicode.IsLetter(r) && !unicode.IsDigit(r) || word[0] == '_' || word == "password"
	return joined && (f.freeAfter(end) || f.placed(end))
}

// placed reports that a name goes on with where it is one, as SENHA_DB= does.
func (f *finder) placed(end int) bool {
	rest, ok := strings.CutPrefix(f.low[end:min(len(f.low), end+12)], "_")
	place, _, sign := strings.Cut(rest, "=")
	return ok && sign && slices.Contains([]string{"db", "prod", "dev", "test", "smtp", "mail", "email", "root", "admin", "app", "banco", "bd", "mysql", "postgres", "redis", "wifi", "1", "2"}, place)
}

// pairBefore reports "user/password" and "usuário e senha", whose value has the same
// two parts.
func (f *finder) pairBefore(start int) bool {
	before := f.low[max(0, start-24):start]
	return slices.ContainsFunc([]string{"/", "user and ", "username and ", "login and ", "usuário e ", "login e ", "usuario y ", "identifiant et ", "benutzer und ", "benutzername und ", "utente e "}, func(s string) bool { return strings.HasSuffix(before, s) })
}

// passwordReach is how many bytes may stand between the word and its value:
// "the password for the router in the hall is …".
const passwordReach = 48

func (f *finder) passwordAfter(begin, from int, name passwordName) {
	window := f.line(from, passwordReach)
	if start, end, ok := f.beside(from, window, name); ok {
		f.add(Password, start, end)
		return
	}
	gap, sign := joint(window, name.own)
	if gap < 0 {
		f.answered(from)
		f.amongOtherLetters(from, window, name)
		return
	}
	if start, end, ok := f.valueAt(from+gap, name, sign, f.pairBefore(begin)); ok {
		f.add(Password, start, end)
	}
}

// valueAt reads the value that a sign or a verb led to.
func (f *finder) valueAt(start int, name passwordName, sign, pair bool) (from, end int, ok bool) {
	if start, end, ok := f.quoted(start); ok {
		for start < end && f.text[start] == ' ' {
			start++
		}
		value := f.text[start:end]
		return start, end, secretWord(value, name.digits, sign) || secretPhrase(value) || f.figures(start, end, name)
	}
	if name.word == "passphrase" {
		if end := f.plainPhrase(start, sign); end > 0 {
			return start, end, true
		}
	}
	end = f.valueEnd(start)
	if i := strings.IndexByte(f.text[start:end], '&'); i > 0 && strings.IndexByte(f.text[start+i:end], '=') > 0 {
		end = start + i // of a form: password=…&remember=1
	}
	if pair {
		if i := strings.IndexByte(f.text[start:end], '/'); i >= 0 {
			start += i + 1
		} else if strings.HasPrefix(f.text[end:], " / ") {
			start = end + len(" / ")
			end = f.valueEnd(start)
		}
	}
	value := f.text[start:end]
	if (name.word == "passphrase" || name.word == "_pass" || strings.HasPrefix(name.word, "psk")) && hyphenated(value) {
		return start, end, true
	}
	if name.word == "pin" && !allDigits(value) { // "pin the runner to windows-2019"
		return 0, 0, false
	}
	found := secretWord(value, name.digits, sign) || f.figures(start, end, name) || slices.Contains(commonPasswords, value) && f.endsClause(end)
	return start, end, found && !strings.HasPrefix(f.text[end:], "(")
}

// hyphenated reports three words and more, as a passphrase joins them.
func hyphenated(w string) bool {
	parts := strings.Split(w, "-")
	short := func(part string) bool {
		return len(part) < 2 || strings.ContainsFunc(part, notLetter)
	}
	return len(parts) >= 3 && len(w) >= 12 && !slices.ContainsFunc(parts, short) && !instructs(parts)
}

// commonPasswords are plain words that stand high on every list of what people take,
// and that say nothing about a password themselves.
var commonPasswords = []string{"qwerty", "qwertz", "azerty", "letmein", "iloveyou", "dragon", "sunshine", "princess", "monkey", "football", "baseball", "superman", "batman", "pokemon", "minecraft", "starwars", "shadow", "master", "hunter", "trustno", "whatever", "toor", "infected", "asdfgh", "zxcvbn"}

// figures reports a number alone, of four to ten digits, that ends its clause: "8
// characters" is none. A "clave" is the number of many other things.
func (f *finder) figures(start, end int, name passwordName) bool {
	value := f.text[start:end]
	return name.word != "clave" && len(value) >= 4 && len(value) <= 10 && allDigits(value) && f.endsClause(end)
}

// endsClause reports the end of a line, of a sentence or of a part of one.
func (f *finder) endsClause(end int) bool {
	rest := strings.TrimLeft(f.text[end:min(len(f.text), end+4)], "\"'`”»)*")
	if rest == "" || strings.ContainsRune("\r\n,;&}/", rune(rest[0])) {
		return true
	}
	return strings.ContainsRune(".!?", rune(rest[0])) && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

// plainPhrase is the end of a line of four to ten words, as a passphrase has them.
// Behind a verb there must be no word that sentences are made of.
func (f *finder) plainPhrase(start int, sign bool) (end int) {
	line := strings.TrimRight(f.line(start, longestPassword), " .\r")
	words := strings.Fields(line)
	plain := !strings.ContainsFunc(line, func(r rune) bool { return r != ' ' && r != '-' && !unicode.IsLower(r) && !unicode.IsDigit(r) })
	if len(words) < 4 || len(words) > 10 || !plain || instructs(words) || !sign && slices.ContainsFunc(words, sentenceWord) {
		return 0
	}
	return start + len(line)
}

func sentenceWord(w string) bool {
	return slices.Contains([]string{"a", "an", "and", "are", "as", "be", "but", "by", "for", "from", "i", "in", "is", "it", "my", "no", "of", "on", "or", "same", "so", "stored", "than", "that", "this", "to", "was", "we", "with", "you"}, w)
}

// amongOtherLetters finds the first Latin word behind a name of another script, where
// that is nothing else than a password.
func (f *finder) amongOtherLetters(from int, window string, name passwordName) {
	i := strings.IndexFunc(window, func(r rune) bool { return unicode.Is(unicode.Latin, r) || unicode.IsDigit(r) })
	if i <= 0 || !otherScript(name.word) || strings.ContainsAny(window[:i], ".!?;,") {
		return
	}
	start := from + i
	if value := f.text[start:f.valueEnd(start)]; mixed(value) && !product(value) && secretWord(value, false, false) {
		f.add(Password, start, start+len(value))
	}
}

// answered finds what the next line says to a question that names a password, where
// it says nothing else: a chat copied with its times and names.
func (f *finder) answered(from int) {
	window := f.window(from, 2*passwordReach)
	asked, next, ok := strings.Cut(window, "\n")
	if asked = strings.TrimSpace(asked); !ok || !strings.HasSuffix(asked, "?") && !strings.HasSuffix(asked, "？") {
		return
	}
	next, _, _ = strings.Cut(next, "\n")
	start := from + strings.IndexByte(window, '\n') + 1
	if i := strings.LastIndex(next, ": "); i >= 0 {
		start, next = start+i+2, next[i+2:]
	}
	if value := strings.TrimRight(next, ". \r"); !strings.Contains(value, " ") && secretWord(value, false, false) {
		f.add(Password, start, start+len(value))
	}
}

// beside finds a value that nothing joins to its name: the one of an option or an
// element, one in quotes, or one that is nothing else than a password.
func (f *finder) beside(from int, window string, name passwordName) (start, end int, ok bool) {
	start = from + 1
	if value, of := strings.CutPrefix(window, ">"); of { // <password>…</password>
		value, _, of = strings.Cut(value, "</")
		return start, start + len(value), of && secretWord(value, true, true)
	}
	if len(window) < 2 || window[0] != ' ' || window[1] == ' ' {
		return 0, 0, false
	}
	if start, end, ok := f.quoted(start); ok {
		return start, end, secretWord(f.text[start:end], false, false)
	}
	end = f.valueEnd(start)
	value := f.text[start:end]
	if option := f.text[strings.LastIndexAny(f.text[:from], " \t\n")+1:]; strings.HasPrefix(option, "--") {
		return start, end, secretWord(value, true, true)
	}
	if strings.HasSuffix(f.low[:from], "pin") && len(value) == 4 && allDigits(value) && f.freeAfter(end) {
		return start, end, true
	}
	code := name.digits && name.word != "pin" && len(value) >= 4 && len(value) <= 8 && allDigits(value)
	if code && f.endsClause(end) { // "gate code 0852, second floor"
		return start, end, true
	}
	stands := mixed(value) || f.ownLine(from, end) || otherScript(name.word) && wordAndFigures(value) || !english(name.word) && wordAndFigures(value) && f.endsClause(end)
	return start, end, stands && secretWord(value, false, false)
}

func english(name string) bool {
	return strings.Contains(name, "pass") && name != "passwort" && name != "passord" || slices.Contains([]string{"pwd", "pw", "pin"}, name) || strings.HasSuffix(name, " code") || strings.HasSuffix(name, " key")
}

// otherScript reports a word that no Latin letters write: Latin letters beside it are
// the value's.
func otherScript(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return !unicode.Is(unicode.Latin, r)
}

// wordAndFigures reports at least six letters and digits that begin with a small
// letter, end with a digit, and are the name and number of no product.
func wordAndFigures(w string) bool {
	if len(w) < 6 || !unicode.IsLower(rune(w[0])) || !digit(w[len(w)-1]) || strings.ContainsFunc(w, func(r rune) bool { return r != '_' && (r > unicode.MaxASCII || !letter(byte(r)) && !digit(byte(r))) }) {
		return false
	}
	return !product(w)
}

// product reports the name and number of a thing that has a password, or a place.
func product(w string) bool {
	return slices.Contains([]string{"windows", "win", "office", "iphone", "ipad", "galaxy", "xbox", "word", "excel", "outlook", "server", "android", "ubuntu", "debian", "version", "room", "user"}, strings.TrimRight(strings.ToLower(w), "0123456789"))
}

// ownLine reports that nothing else than a name of one word, which ends at from, and
// its value stand in the line, as in a file of settings.
func (f *finder) ownLine(from, end int) bool {
	begin := f.text[strings.LastIndexByte(f.text[:from], '\n')+1 : from]
	return len(strings.Fields(begin)) == 1 && begin[0] == ' ' && (end == len(f.text) || f.text[end] == '\n' || f.text[end] == '\r')
}

// mixed reports at least eight characters of three sorts, as no word has them.
func mixed(w string) bool {
	sorts := map[string]bool{}
	for i, r := range w {
		switch {
		case unicode.IsUpper(r):
			sorts["upper"] = true
		case unicode.IsLetter(r):
			sorts["lower"] = true
		case unicode.IsDigit(r):
			sorts["digit"] = true
		case r == '_' || strings.ContainsRune(strongSigns, r):
			sorts["sign"] = true
		case r == '-' || r == '.' && i+1 < len(w) && letter(w[i+1]):
		default:
			return false
		}
	}
	return len(w) >= 8 && len(sorts) >= 3 && sorts["digit"]
}

// copulas join a name and its value in a sentence; one of the adverbs may follow. The
// words of changes do so behind a verb of change, and mean much else besides.
var (
	copulas = []string{"is", "was", "to", "é", "era", "ist", "lautet", "war", "est", "es", "è", "will be", "auf", "para", "c'est", "är", "er", "to jest", "jest", "used to be", "will remain", "remains", "stays", "eh", "continua sendo", "continua a ser", "passou a ser", "sigue siendo", "reste", "bleibt", "blijft", "werd", "wordt", "is nu", "és", "-", "–"}
	changes = []string{"provisória", "provisoria", "temporária", "temporaria", "temporal", "provisional", "provisoire", "temporaire", "nova", "nueva", "a", "por", "pra", "in", "con", "en", "naar", "na", "zu", "на", "i"}
	adverbs = []string{"now", "jetzt", "agora", "ahora", "maintenant", "ora", "adesso", "still", "simply", "just", "ainda", "sempre", "siempre", "toujours", "immer", "nu", "теперь"}
)

// particles of languages that set no space before a value.
const particles = "は是는은"

// joint finds what joins the word to its value, and where the value begins in the
// window; -1 where nothing does. A sign is : or =, all else is a word.
func joint(window string, own []string) (value int, sign bool) {
	at := 0
	if t := strings.TrimLeft(window, `"'`+"`"); t != window { // "password": "…"
		at = len(window) - len(t)
	}
	words := 0
	for at < len(window) {
		switch r, size := utf8.DecodeRuneInString(window[at:]); {
		case strings.HasPrefix(window[at:], "->"):
			rest := strings.TrimLeft(window[at+len("->"):], " \u00a0")
			return len(window) - len(rest), true
		case r == ':' || r == '=' || r == '\uff1a' || r == '→' || strings.ContainsRune(particles, r):
			rest := strings.TrimLeft(window[at+size:], "=> \u00a0\u202f\u3000")
			if bold := strings.TrimPrefix(rest, "**"); at > 0 || bold != rest {
				rest = strings.TrimLeft(bold, " ")
			}
			return len(window) - len(rest), true
		case r == ' ' || r == '\u00a0' || r == '\u202f':
			at += size
			if rest, ok := afterCopula(window[at:], own); ok {
				return len(window) - len(rest), false
			}
			if words++; words > 7 {
				return -1, false
			}
		case r == '(' && strings.Contains(window[at:], ")"):
			at += strings.IndexByte(window[at:], ')') + 1
		case strings.HasPrefix(window[at:], ", c'est "), strings.HasPrefix(window[at:], ", c’est "):
			at++
		case unicode.IsLetter(r) || unicode.IsMark(r) || r == '-' || r == '*' || r == '(' || r == ')' || r == '_' || r == '\'' || r == '’' || r == '.' && at+1 < len(window) && letter(window[at+1]):
			at += size
		default:
			return -1, false
		}
	}
	return -1, false
}

func afterCopula(s string, own []string) (rest string, ok bool) {
	for _, c := range changes {
		if rest, ok := strings.CutPrefix(s, c+" "); ok {
			value, _, _ := strings.Cut(rest, " ")
			return rest, mixed(strings.TrimRight(value, ".,;)"))
		}
	}
	for _, verbs := range [][]string{own, copulas} {
		for _, c := range verbs {
			if rest, ok := strings.CutPrefix(s, c+" "); ok {
				for _, adverb := range adverbs {
					rest = strings.TrimPrefix(rest, adverb+" ")
				}
				return strings.TrimLeft(rest, " \u00a0:"), true
			}
		}
	}
	return "", false
}

const longestPassword = 128

// quotes are what opens, and what may close it.
var quotes = map[rune]string{'"': `"`, '\'': "'", '`': "`", '“': "”", '„': "“”", '”': "”", '«': "»", '»': "«", '‘': "’", '‚': "‘’", '「': "」", '『': "』"}

// quoted finds what stands between the quotes that begin at from.
func (f *finder) quoted(from int) (start, end int, ok bool) {
	r, size := utf8.DecodeRuneInString(f.text[from:])
	closing := quotes[r]
	if closing == "" {
		return 0, 0, false
	}
	start = from + size
	window := f.window(start, longestPassword)
	i := strings.IndexAny(window, closing)
	if i < 0 || strings.Contains(window[:i], "\n") {
		return 0, 0, false
	}
	return start, start + len(strings.TrimRight(window[:i], " \u00a0\u202f")), true
}

// valueEnd goes over a word, without the signs that end sentences and lists.
func (f *finder) valueEnd(start int) int {
	end := start
	for end < len(f.text) && end-start < longestPassword && !strings.ContainsRune(" \t\r\n\"'`,;<>", rune(f.text[end])) {
		end++
	}
	f.looked += end - start
	value := f.text[start:end]
	if i := strings.IndexFunc(value, unseparated); i > 0 { // what a sentence goes on with, without a space
		value = value[:i]
	}
	return start + len(strings.TrimRight(value, ".:)]}"))
}

// strongSigns are what passwords have and words do not.
const strongSigns = "!@#$%^&*?~+=|§"

// secretWord reports that a word looks like a password: letters with digits or
// with strong signs, or digits where those may be one. Plain words are none: "the
// password is required".
func secretWord(w string, digitsToo, sign bool) bool {
	if len(w) < 4 || len(w) > longestPassword || placeholder(w) {
		return false
	}
	letters, figures, signs := 0, 0, 0
	for _, r := range strings.TrimRight(w, "!?") {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			figures++
		case strings.ContainsRune(strongSigns, r):
			signs++
		}
	}
	switch {
	case letters == 0 && signs == 0:
		isPIN, isNetworkKey := figures >= 4 && figures <= 8, figures >= 16 && figures <= 24
		return digitsToo && (isPIN || isNetworkKey) && figures == len(w)
	case letters == 0:
		return figures >= 3
	case figures == 0:
		return signs > 0
	}
	return sign || !measure(w)
}

// measure reports "8-character" and "2FA": a number of something.
func measure(w string) bool {
	rest := strings.TrimLeft(w, "0123456789")
	return w[0] != '0' && len(w)-len(rest) <= 2 && len(rest) < len(w) && !strings.ContainsAny(rest, "0123456789") || techWord(strings.ToLower(w))
}

func techWord(w string) bool {
	return slices.ContainsFunc([]string{"base64", "sha256", "sha-256", "sha512", "sha1", "md5", "utf8", "utf-8", "argon2", "oauth2", "win32", "1password"}, func(t string) bool { return strings.HasPrefix(w, t) })
}

// placeholder reports what stands for a password: stars, templates, code.
func placeholder(w string) bool {
	if strings.ContainsAny(w, "(){}[]<>\\") || strings.HasPrefix(w, "$") && strings.ToUpper(w) == w || strings.Contains(w, "://") || techWord(strings.ToLower(w)) {
		return true
	}
	return strings.Trim(w, "*•x.X-_#") == ""
}

// secretPhrase reports several words in quotes that are no instruction.
func secretPhrase(v string) bool {
	words := strings.Fields(strings.ToLower(v))
	if len(words) < 3 || len(v) < 12 || strings.ContainsAny(v, "{}<>$()") {
		return false
	}
	return !instructs(words)
}

// instructs reports a word of those that tell somebody what to do.
func instructs(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"must", "least", "your", "enter", "the", "deve", "sua", "muss", "ihr", "doit", "votre", "debe", "invalid", "required", "too", "not"}, w)
	})
}

// inURLs finds scheme://user:password@host.
func (f *finder) inURLs() {
	for _, start := range places(f.text, "://") {
		window := f.window(start, longestPassword)
		if stop := strings.IndexAny(window, " \t\r\n/\"'<>"); stop >= 0 {
			window = window[:stop]
		}
		at := strings.LastIndexByte(window, '@')
		if at < 0 {
			continue
		}
		if colon := strings.IndexByte(window[:at], ':'); colon >= 0 && !placeholder(window[colon+1:at]) && at-colon > 3 {
			f.add(Password, start+colon+1, start+at)
		}
	}
}

// accounts are names that stand before a colon and a password, as an address does.
var accounts = []string{"root:", "admin:", "administrator:", "postgres:", "user:"}

// inPairs finds account:password and address:password, as lists of logins have them.
func (f *finder) inPairs() {
	for _, account := range accounts {
		for start, end := range places(f.low, account) {
			if f.freeBefore(start) {
				f.pairAt(end)
			}
		}
	}
	for _, at := range places(f.text, "@") {
		window := f.window(at, longestWord)
		if stop := strings.IndexAny(window, " \t\r\n:/"); stop > 0 && window[stop] == ':' && strings.Contains(window[:stop], ".") {
			f.pairAt(at + stop + 1)
		}
	}
}

func (f *finder) pairAt(start int) {
	if end := f.valueEnd(start); mixed(f.text[start:end]) && secretWord(f.text[start:end], false, false) {
		f.add(Password, start, end)
	}
}

// commandForms are what introduces a password on a line of a command, of SQL or of
// code; the word is looked for first, in lower case, and the option behind it.
var commandForms = []struct {
	word, option string
	pair         bool // user:password
}{
	{"sshpass ", "-p ", false}, {"sshpass ", "-p", false}, {"curl ", "-u ", true}, {"curl ", "--user ", true}, {"mysql ", " -p", false}, {"mysqldump ", " -p", false},
	{"docker login ", "-p ", false}, {"zip ", "-P ", false}, {"7z ", " -p", false}, {"keytool ", "-storepass ", false}, {"keytool ", "-keypass ", false},
	{"identified by ", "", false}, {"convertto-securestring ", "", false}, {"wifi:", ";P:", false}, {"wget ", "--http-password=", false}, {"nmcli ", " password ", false}, {"auth=(", ", ", false}, {"wifi", " key: ", false}, {"wi-fi", " key: ", false}, {"wlan", " key: ", false},
}

// inCommands finds the passwords that commands are given on their line.
func (f *finder) inCommands() {
	for _, form := range commandForms {
		for _, from := range places(f.low, form.word) {
			line := f.line(from-1, longestPassword+1) // with the space before the first option
			if at := strings.Index(line, form.option); at >= 0 {
				f.ofCommand(from-1+max(at+len(form.option), 1), form.pair)
			}
		}
	}
}

func (f *finder) ofCommand(from int, pair bool) {
	start, end, quoted := f.quoted(from)
	if !quoted {
		start, end = from, f.valueEnd(from)
	}
	if colon := strings.IndexByte(f.text[start:end], ':'); pair && colon >= 0 {
		start += colon + 1
	} else if pair {
		return
	}
	if value := f.text[start:end]; secretWord(value, true, true) || hyphenated(value) {
		f.add(Password, start, end)
	}
}

// locks are words for what numbers with a sign between them open.
var locks = []string{"combination", "combinação", "combinación", "combinaison", "combinazione", "kombination", "cofre", "caja fuerte", "coffre", "cassaforte", "tresor", "padlock", "cadeado", "candado", "cadenas"}

// turns are such numbers, behind a sign or a verb.
var turns = regexp.MustCompile(`^[\pL ]{0,32}?(?:\s*[:=]| is| é| es| est| ist| è)\s*(\d{1,2}(?:-\d{1,2}){2,3})(?:[^\w-]|$)`)

// dialled finds the combinations of locks.
func (f *finder) dialled() {
	if !strings.Contains(f.text, "-") {
		return
	}
	for _, lock := range locks {
		for _, end := range places(f.low, lock) {
			if m := turns.FindStringSubmatchIndex(f.window(end, passwordReach)); m != nil {
				f.add(Password, end+m[2], end+m[3])
			}
		}
	}
}

// asPassword are what stands behind a word that is used as one, in lower case.
var asPassword = []string{" as my password", " as the password", " as a password", " as password", " als passwort", " als mein passwort", " como senha", " como contraseña", " comme mot de passe", " come password", " come mia password", " as my pin", " as the pin", " como minha senha", " como palavra-passe", " como mi contraseña", " como clave", " als kennwort", " als wachtwoord", " jako hasło", " som lösenord", " in as password", " für das passwort", " comme mon mot de passe"}

// usedAs finds "I use … as my password".
func (f *finder) usedAs() {
	for _, behind := range asPassword {
		for end := range places(f.low, behind) {
			begin := f.text[max(0, end-longestPassword):end]
			f.looked += len(begin)
			start := end - len(begin) + strings.LastIndexAny(begin, " \t\n\"'`") + 1
			if secretWord(f.text[start:end], false, false) {
				f.add(Password, start, end)
			}
		}
	}
}
