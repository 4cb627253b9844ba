package redact

import (
	"math"
	"strings"
)

// form is a public form of keys: a prefix, then so many characters of an alphabet.
type form struct {
	prefix   string
	alphabet alphabet
	min, max int // characters after the prefix
}

type alphabet uint8

const (
	base62    alphabet = iota // letters and digits
	urlsafe64                 // and - _
	upperOnly                 // A-Z 0-9
	hexOnly                   // 0-9 a-f
	dotted                    // urlsafe64 and dots
	slashed                   // urlsafe64 and slashes
	anyKey                    // what keys of any form are written with
)

func (a alphabet) holds(c byte) bool {
	switch {
	case a == upperOnly:
		return digit(c) || 'A' <= c && c <= 'Z'
	case a == hexOnly:
		return digit(c) || 'a' <= c && c <= 'f'
	case letter(c) || digit(c):
		return true
	case a == anyKey:
		return strings.IndexByte("_-+/=.~", c) >= 0
	case c == '-' || c == '_':
		return a != base62
	case c == '.':
		return a == dotted
	}
	return c == '/' && a == slashed
}

// forms as their owners document them. docs/redaction.md lists them with the
// services.
var forms = []form{
	{"AKIA", upperOnly, 16, 16}, {"ASIA", upperOnly, 16, 16}, {"ABIA", upperOnly, 16, 16}, {"ACCA", upperOnly, 16, 16}, // AWS
	{"ghp_", base62, 36, 251}, {"gho_", base62, 36, 251}, {"ghu_", base62, 36, 251}, {"ghs_", base62, 36, 251}, {"ghr_", base62, 36, 251}, {"github_pat_", urlsafe64, 60, 250},
	{"glpat-", dotted, 20, 300}, {"gldt-", urlsafe64, 20, 64}, {"glrt-", dotted, 20, 300}, {"glptt-", urlsafe64, 40, 64},
	{"xoxb-", urlsafe64, 20, 250}, {"xoxp-", urlsafe64, 20, 250}, {"xoxa-", urlsafe64, 20, 250}, {"xoxr-", urlsafe64, 20, 250}, {"xoxs-", urlsafe64, 20, 250}, {"xapp-", urlsafe64, 20, 250},
	{"https://hooks.slack.com/services/", slashed, 30, 100},
	{"sk_live_", base62, 16, 247}, {"sk_test_", base62, 16, 247}, {"rk_live_", base62, 16, 247}, {"rk_test_", base62, 16, 247}, {"whsec_", base62, 24, 64}, // Stripe
	{"sk-ant-", urlsafe64, 32, 200}, {"sk-proj-", urlsafe64, 32, 300}, {"sk-svcacct-", urlsafe64, 32, 300}, {"sk-admin-", urlsafe64, 32, 300}, {"sk-or-v1-", hexOnly, 64, 64}, {"sk-", base62, 32, 64},
	{"AIza", urlsafe64, 35, 35}, {"ya29.", urlsafe64, 30, 400}, {"GOCSPX-", urlsafe64, 28, 28}, // Google
	{"npm_", base62, 36, 36}, {"pypi-", urlsafe64, 60, 300}, {"SG.", dotted, 50, 80}, {"hf_", base62, 30, 40}, {"dop_v1_", hexOnly, 64, 64}, {"doo_v1_", hexOnly, 64, 64},
	{"shpat_", hexOnly, 32, 32}, {"shpss_", hexOnly, 32, 32}, {"shpca_", hexOnly, 32, 32}, {"shppa_", hexOnly, 32, 32},
	{"gsk_", base62, 40, 64}, {"xai-", base62, 60, 100}, {"pplx-", base62, 40, 64}, {"r8_", base62, 37, 40}, {"dckr_pat_", urlsafe64, 20, 40},
	{"key-", hexOnly, 32, 32}, {"sbp_", hexOnly, 40, 40}, {"nvapi-", urlsafe64, 60, 80}, {"lin_api_", base62, 40, 40}, {"secret_", base62, 43, 43}, {"ntn_", base62, 40, 60},
	{"glsa_", urlsafe64, 41, 41}, {"glc_", slashed, 32, 400}, {"figd_", urlsafe64, 40, 60}, {"PMAK-", urlsafe64, 59, 59}, {"PMAT-", upperOnly, 26, 26}, // Grafana, Figma, Postman
	{"NRAK-", upperOnly, 27, 27}, {"NRII-", urlsafe64, 32, 32}, {"xkeysib-", urlsafe64, 81, 81}, {"xsmtpsib-", urlsafe64, 81, 81}, // New Relic, Brevo
	{"https://discord.com/api/webhooks/", slashed, 78, 120}, {"https://discordapp.com/api/webhooks/", slashed, 78, 120},
	{"dapi", hexOnly, 32, 32}, {"SK", hexOnly, 32, 32}, {"hvs.", urlsafe64, 20, 120}, {"tskey-auth-", urlsafe64, 20, 80}, {"tskey-api-", urlsafe64, 20, 80}, {"cio", base62, 32, 32},
}

func (f *finder) apiKeys() {
	for _, form := range forms {
		f.form(form)
	}
	f.webTokens()
	f.botTokens()
	f.discordTokens()
	f.namedKeys()
}

func (f *finder) form(form form) {
	for start, body := range places(f.text, form.prefix) {
		end := f.over(body, form.alphabet, form.max+1)
		end = body + len(strings.TrimRight(f.text[body:end], ".-/"))
		if n := end - body; n >= form.min && n <= form.max && f.freeBefore(start) && f.freeAfter(end) && random(f.text[body:end]) {
			f.add(APIKey, start, end)
		}
	}
}

// over goes right over an alphabet, at most n bytes.
func (f *finder) over(from int, a alphabet, n int) int {
	end := from
	for end < len(f.text) && end-from < n && a.holds(f.text[end]) {
		end++
	}
	f.looked += end - from
	return end
}

// webTokens finds JSON Web Tokens: two objects in base64 and a signature.
func (f *finder) webTokens() {
	const longest = 8 << 10
	for from := 0; ; {
		i := strings.Index(f.text[from:], "eyJ")
		if i < 0 {
			return
		}
		start := from + i
		end := f.over(start, dotted, longest)
		from = end
		end = start + len(strings.TrimRight(f.text[start:end], "."))
		parts := strings.Split(f.text[start:end], ".")
		if f.freeBefore(start) && (len(parts) == 3 || len(parts) == 5) && strings.HasPrefix(parts[1], "eyJ") && len(parts[2]) >= 16 {
			f.add(APIKey, start, end)
		}
	}
}

// botTokens finds Telegram's: a number, a colon, AA and 33 characters.
func (f *finder) botTokens() {
	for colon := range places(f.text, ":AA") {
		start := colon
		for start > 0 && colon-start < 11 && digit(f.text[start-1]) {
			start--
		}
		end := f.over(colon+1, urlsafe64, 36)
		if n := colon - start; n >= 8 && n <= 10 && end-colon-1 == 35 && (f.freeBefore(start) || strings.HasSuffix(f.text[:start], "/bot")) {
			f.add(APIKey, start, end)
		}
	}
}

// discordTokens finds those of bots: a number in base64, six characters of a time,
// and 27 to 38 of a sum, with dots between.
func (f *finder) discordTokens() {
	for dot, body := range places(f.text, ".") {
		time := f.over(body, urlsafe64, 7)
		if time-body != 6 || !strings.HasPrefix(f.text[time:], ".") {
			continue
		}
		start := dot
		for start > 0 && dot-start < 29 && (letter(f.text[start-1]) || digit(f.text[start-1])) {
			start--
		}
		f.looked += dot - start
		end := f.over(time+1, urlsafe64, 39)
		if n, sum := dot-start, end-time-1; n >= 23 && n <= 28 && sum >= 27 && sum <= 38 && strings.IndexByte("MNO", f.text[start]) >= 0 && f.freeBefore(start) && random(f.text[start:end]) {
			f.add(APIKey, start, end)
		}
	}
}

// keyNames are what a key of any form is called, in lower case.
var keyNames = []string{
	"api_key", "api-key", "api key", "apikey", "api_token", "api token", "api-token", "secret_key", "secret key", "secretkey", "secret_access_key",
	"client_secret", "client secret", "access_token", "access token", "access-token", "auth_token", "authtoken", "refresh_token", "bearer", "access_key", "accesskey",
	"encryption_key", "signing_key", "secret_key_base", "app_key", "admin_key", "consumer_key", "consumer_secret", "accountkey", "webhook_secret", "session_secret", "app_secret", "token", "secret",
	"chave de api", "chave da api", "api-schlüssel", "clé d'api", "clé api", "clave de api", "clave api", "chiave api",
}

// namedKeys finds what a name introduces: api_key = "…", Bearer …, "the API key of
// the shop is …".
func (f *finder) namedKeys() {
	for _, name := range keyNames {
		for _, end := range places(f.low, name) {
			if f.freeAfter(end) {
				f.namedKey(name, end)
			}
		}
	}
}

// reach is how far after its name a key may stand.
const reach = 64

func (f *finder) namedKey(name string, from int) {
	window := f.line(from, reach)
	rest := strings.TrimLeft(window, " \t\"'`)")
	gap := len(window) - len(rest)
	direct := strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "=") || name == "bearer"
	if direct {
		start := from + gap + len(rest) - len(strings.TrimLeft(rest, ":= \t\"'`>"))
		start += len(f.text[start:min(len(f.text), start+7)]) - len(strings.TrimPrefix(f.text[start:min(len(f.text), start+7)], "Bearer "))
		f.opaque(start, 16)
		return
	}
	// In a sentence, the key is the first long word that nobody could speak.
	for at := from; at < from+len(window); {
		if !anyKey.holds(f.text[at]) {
			at++
		} else if f.opaque(at, 24) {
			return
		} else {
			at = f.over(at, anyKey, reach)
		}
	}
}

// opaque adds the word at start where it looks made by chance.
func (f *finder) opaque(start, shortest int) bool {
	const longest = 512
	end := f.over(start, anyKey, longest)
	end = start + len(strings.TrimRight(f.text[start:end], "."))
	word := f.text[start:end]
	if len(word) < shortest || !chancy(word) || strings.Contains(word, "://") || called(f.text[end:]) {
		return false
	}
	f.add(APIKey, start, end)
	return true
}

// called reports that a name goes on as code: a call, an index, a template.
func called(rest string) bool {
	return rest != "" && strings.IndexByte("([{<$@", rest[0]) >= 0
}

// chancy reports that a word looks made by chance and holds letters and digits:
// what a word without a known prefix must at least be.
func chancy(word string) bool {
	figures := 0
	for _, c := range []byte(word) {
		if digit(c) {
			figures++
		}
	}
	return figures*40 >= len(word) && figures > 0 && strings.ContainsFunc(word, latinLetter) && random(word)
}

func latinLetter(r rune) bool { return r < 128 && letter(byte(r)) }

// random reports at least three bits a character (Shannon), which words and
// placeholders do not have, and more than one sort of character.
func random(word string) bool {
	var counts [256]int
	for i := range len(word) {
		counts[word[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(word))
			bits -= p * math.Log2(p)
		}
	}
	return bits >= 3 && (strings.ContainsAny(word, "0123456789") || strings.ToLower(word) != word && strings.ToUpper(word) != word)
}
