package seal

import (
	"crypto/rand"
	_ "embed"
	"math/big"
	"strings"
	"sync"
	"unicode"
)

// effWords is the EFF's large list of words for passphrases
// (eff_words.LICENSE): 7776 of them, 12.9 bits each.
//
//go:embed eff_words.txt
var effWords string

var wordList = sync.OnceValue(func() []string { return strings.Fields(effWords) })

// passphraseWords is how many words a made passphrase has: 77 bits.
const passphraseWords = 6

// NewPassphrase makes a passphrase of six random words, with hyphens.
func NewPassphrase() string {
	list := wordList()
	words := make([]string, passphraseWords)
	for i := range words {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(list)))) // never fails (crypto/rand)
		words[i] = list[n.Int64()]
	}
	return strings.Join(words, "-")
}

// common are what people choose most often, among those that are long enough.
// Digits and signs at the end make them no better.
const common = " password passwort passw0rd p@ssw0rd senha123 iloveyou princess sunshine football baseball superman trustno1 welcome letmein " +
	"starwars whatever computer michelle jennifer keepsake qwertyui qwertyuiop qwertzui asdfghjk asdfghjkl zxcvbnm qazwsxedc " +
	"1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 abc123 abcd1234 dragon monkey master shadow administrator changeme " +
	"senha minhasenha senhasenha senhaforte segredo mudar mudarsenha acesso brasil brasileiro flamengo corinthians palmeiras saopaulo fluminense " +
	"botafogo cruzeiro internacional gremio grêmio vascodagama atletico atlético deus deusefiel deuséfiel deusnocomando jesus jesuscristo jesusteama " +
	"amor teamo euteamo amorzinho princesa gatinha estrela borboleta chocolate cachorro felicidade familia família liberdade saudade esperanca " +
	"esperança parabens parabéns bemvindo administrador computador futebol gabriel fernanda "

// EasyToGuess reports whether a passphrase, although long enough, would be
// among the first guesses. It refuses nothing; the page has an estimate that
// knows more.
func EasyToGuess(passphrase []byte) bool {
	text := strings.ToLower(string(passphrase))
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	stem := strings.TrimRightFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(seen) < 5 || isRun(text) || isCommon(text) || isCommon(stem)
}

func isCommon(text string) bool {
	return text != "" && !strings.Contains(text, " ") && strings.Contains(common, " "+text+" ")
}

// isRun reports whether each character follows from the one before, as in
// "12345678" and "hgfedcba".
func isRun(text string) bool {
	chars := []rune(text)
	for i := 2; i < len(chars); i++ {
		if chars[i]-chars[i-1] != chars[1]-chars[0] {
			return false
		}
	}
	return true
}
