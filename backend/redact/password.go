package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passwordNames are the words for it, in lower case; digits says that a number
// alone may be one. A word with its sign, as "pass:", is none in a sentence.
var passwordNames = []struct {
	word   string
	digits bool
}{
	{"password", false}, {"passwd", false}, {"pwd", false}, {"passphrase", false}, {"passcode", true}, {"_pass", false}, {"admin pass", false}, {"pass:", false}, {"pass=", false}, {"passe:", false},
	{"senha", false}, {"palavra-passe", false}, {"passwort", false}, {"kennwort", false}, {"mot de passe", false}, {"mdp", false},
	{"contraseña", false}, {"clave", false}, {"wachtwoord", false}, {"hasło", false}, {"пароль", false}, {"パスワード", false}, {"密码", false}, {"pin", true},
	{"parola d'ordine", false}, {"lösenord", false}, {"lösenordet", false}, {"adgangskode", false}, {"salasana", false}, {"şifre", false}, {"jelszó", false}, {"heslo", false},
	{"비밀번호", false}, {"pass do", false}, {"pass da", false}, {"密碼", false}, {"netzwerkschlüssel", true}, {"pw", false}, {"psk=", false}, {"psk:", false},
}

// passwords finds what follows one of the words, in a sentence or in a file of
// settings, and what stands before the @ of a URL.
func (f *finder) passwords() {
	for _, name := range passwordNames {
		sign := len(name.word) - len(strings.TrimRight(name.word, ":="))
		for start, end := range places(f.low, name.word) {
			if end -= sign; f.nameStands(start, end, name.word) {
				f.passwordAfter(end, name.digits, f.slashBefore(start))
			}
		}
	}
	f.inURLs()
	f.inCommands()
	f.usedAs()
}

// nameStands refuses a word inside another one; in settings it may have others
// before it, joined by a sign: DB_PASSWORD, WLAN-Passwort.
func (f *finder) nameStands(start, end int, word string) bool {
	r, _ := utf8.DecodeLastRuneInString(f.text[:start])
	first, _ := utf8.DecodeRuneInString(word)
	joined := start == 0 || r == '_' || unseparated(first) || !unicode.IsLetter(r) && !unicode.IsDigit(r) || word[0] == '_' || word == "password"
	return joined && (f.freeAfter(end) || f.placed(end))
}

// placed reports that a name goes on with where it is one, as SENHA_DB= does.
func (f *finder) placed(end int) bool {
	rest, ok := strings.CutPrefix(f.low[end:min(len(f.low), end+12)], "_")
	place, _, sign := strings.Cut(rest, "=")
	return ok && sign && slices.Contains([]string{"db", "prod", "dev", "test", "smtp", "root", "admin", "1", "2"}, place)
}

// slashBefore reports "user/password", whose value has the same two parts.
func (f *finder) slashBefore(start int) bool { return strings.HasSuffix(f.text[:start], "/") }

// passwordReach is how many bytes may stand between the word and its value:
// "the password for the router in the hall is …".
const passwordReach = 48

func (f *finder) passwordAfter(from int, digits, pair bool) {
	window := f.text[from:min(len(f.text), from+passwordReach)]
	window, _, _ = strings.Cut(window, "\n")
	f.looked += len(window)
	if start, end, ok := f.beside(from, window); ok {
		f.add(Password, start, end)
		return
	}
	gap, sign := joint(window)
	if gap < 0 {
		return
	}
	start := from + gap
	if start, end, ok := f.quoted(start); ok {
		for start < end && f.text[start] == ' ' {
			start++
		}
		if value := f.text[start:end]; secretWord(value, digits, sign) || secretPhrase(value) {
			f.add(Password, start, end)
		}
		return
	}
	end := f.valueEnd(start)
	if i := strings.IndexByte(f.text[start:end], '&'); i > 0 && strings.IndexByte(f.text[start+i:end], '=') > 0 {
		end = start + i // of a form: password=…&remember=1
	}
	if pair {
		if i := strings.IndexByte(f.text[start:end], '/'); i >= 0 {
			start += i + 1
		}
	}
	if secretWord(f.text[start:end], digits, sign) && !strings.HasPrefix(f.text[end:], "(") {
		f.add(Password, start, end)
	}
}

// beside finds a value that nothing joins to its name: the one of an option or an
// element, one in quotes, or one that is nothing else than a password.
func (f *finder) beside(from int, window string) (start, end int, ok bool) {
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
	if strings.HasSuffix(f.text[:from], "PIN") && len(value) == 4 && allDigits(value) && f.freeAfter(end) {
		return start, end, true
	}
	return start, end, (mixed(value) || f.ownLine(from, end)) && secretWord(value, false, false)
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

// copulas join a name and its value in a sentence; one of the adverbs may follow.
var (
	copulas = []string{"is", "was", "to", "é", "era", "ist", "lautet", "war", "est", "es", "è", "will be", "auf", "para", "c'est", "är", "er", "to jest", "jest", "-", "–"}
	adverbs = []string{"now", "jetzt", "agora", "ahora", "maintenant", "ora", "adesso", "still", "simply", "just"}
)

// particles of languages that set no space before a value.
const particles = "は是는은"

// joint finds what joins the word to its value, and where the value begins in the
// window; -1 where nothing does. A sign is : or =, all else is a word.
func joint(window string) (value int, sign bool) {
	at := 0
	if t := strings.TrimLeft(window, `"'`+"`"); t != window { // "password": "…"
		at = len(window) - len(t)
	}
	words := 0
	for at < len(window) {
		switch r, size := utf8.DecodeRuneInString(window[at:]); {
		case r == ':' || r == '=' || r == '\uff1a' || r == '→' || strings.ContainsRune(particles, r):
			rest := strings.TrimLeft(window[at+size:], "=> \u00a0\u202f")
			return len(window) - len(rest), true
		case r == ' ' || r == '\u00a0' || r == '\u202f':
			at += size
			if rest, ok := afterCopula(window[at:]); ok {
				return len(window) - len(rest), false
			}
			if words++; words > 7 {
				return -1, false
			}
		case unicode.IsLetter(r) || r == '-' || r == '(' || r == ')' || r == '_' || r == '\'' || r == '’' || r == '.' && at+1 < len(window) && letter(window[at+1]):
			at += size
		default:
			return -1, false
		}
	}
	return -1, false
}

func afterCopula(s string) (rest string, ok bool) {
	for _, c := range copulas {
		if rest, ok := strings.CutPrefix(s, c+" "); ok {
			for _, adverb := range adverbs {
				rest = strings.TrimPrefix(rest, adverb+" ")
			}
			return strings.TrimLeft(rest, " \u00a0:"), true
		}
	}
	return "", false
}

const longestPassword = 128

// quotes opens and closes.
var quotes = map[rune]string{'"': `"`, '\'': "'", '`': "`", '“': "”", '„': "“", '«': "»", '‘': "’"}

// quoted finds what stands between the quotes that begin at from.
func (f *finder) quoted(from int) (start, end int, ok bool) {
	r, size := utf8.DecodeRuneInString(f.text[from:])
	closing := quotes[r]
	if closing == "" {
		return 0, 0, false
	}
	start = from + size
	window := f.text[start:min(len(f.text), start+longestPassword)]
	f.looked += len(window)
	i := strings.Index(window, closing)
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
	return !slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"must", "at", "least", "your", "enter", "the", "deve", "sua", "muss", "ihr", "doit", "votre", "debe", "deve", "invalid", "required", "too", "not"}, w)
	})
}

// inURLs finds scheme://user:password@host.
func (f *finder) inURLs() {
	for _, start := range places(f.text, "://") {
		window := f.text[start:min(len(f.text), start+longestPassword)]
		f.looked += len(window)
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

// commandForms are what introduces a password on a line of a command, of SQL or of
// code; the word is looked for first, in lower case, and the option behind it.
var commandForms = []struct {
	word, option string
	pair         bool // user:password
}{
	{"sshpass ", "-p ", false}, {"sshpass ", "-p", false}, {"curl ", "-u ", true}, {"curl ", "--user ", true}, {"mysql ", " -p", false}, {"mysqldump ", " -p", false},
	{"docker login ", "-p ", false}, {"zip ", "-P ", false}, {"keytool ", "-storepass ", false}, {"keytool ", "-keypass ", false},
	{"identified by ", "", false}, {"convertto-securestring ", "", false}, {"wifi:", ";P:", false}, {"wget ", "--http-password=", false}, {"nmcli ", " password ", false}, {"auth=(", ", ", false}, {"wifi", " key: ", false}, {"wi-fi", " key: ", false}, {"wlan", " key: ", false},
}

// inCommands finds the passwords that commands are given on their line.
func (f *finder) inCommands() {
	for _, form := range commandForms {
		for _, from := range places(f.low, form.word) {
			line := f.text[from-1 : min(len(f.text), from+longestPassword)] // with the space before the first option
			line, _, _ = strings.Cut(line, "\n")
			f.looked += len(line)
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
	if secretWord(f.text[start:end], true, true) {
		f.add(Password, start, end)
	}
}

// asPassword are what stands behind a word that is used as one, in lower case.
var asPassword = []string{" as my password", " as the password", " as a password", " as password", " als passwort", " als mein passwort", " como senha", " como contraseña", " comme mot de passe", " come password"}

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
