package extract

import (
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Every step here keeps the length of the text, so that places in it stay
// places in what the person wrote.

// normal writes typographic apostrophes and spaces as plain ones of the same
// length where that is possible, and blanks them where it is not.
func normal(text string) string {
	if !strings.ContainsAny(text, "’ʼ´\u00a0\u202f\r") {
		return text
	}
	return keepLength(text, func(r rune) byte {
		switch r {
		case '’', 'ʼ', '´':
			return '\''
		case '\u00a0', '\u202f', '\r':
			return ' '
		}
		return 0
	})
}

// keepLength writes one byte for each rune that as has one for; the other
// bytes of such a rune become zero bytes, which no rule sees: squeeze drops them.
func keepLength(text string, as func(rune) byte) string {
	out := []byte(text)
	for i, r := range text {
		if b := as(r); b != 0 {
			clear(out[i : i+utf8.RuneLen(r)])
			out[i] = b
		}
	}
	return string(out)
}

// squeeze drops what normal left of longer characters.
func squeeze(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// quotes are the pairs of quotation marks; a straight one closes itself.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«'}

// ownWords blanks what is not the person speaking: code, quoted lines and
// words in quotation marks.
func ownWords(text string) string {
	out := []byte(text)
	code := false
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " \t")
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		if fence || code || strings.HasPrefix(trimmed, ">") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			blank(out[at : at+len(line)])
		}
		if fence {
			code = !code
		}
		at += len(line)
	}
	blankQuotes(out, text)
	return string(out)
}

// blankQuotes blanks what stands between quotation marks, up to the end of the
// line, and inline code.
func blankQuotes(out []byte, text string) {
	var closes rune
	from := 0
	for i, r := range text {
		switch {
		case r == '\n':
			closes = 0
		case closes == 0 && r == '`':
			closes, from = '`', i
		case closes == 0 && quotes[r] != 0:
			closes, from = quotes[r], i
		case closes != 0 && (r == closes || closes == '“' && r == '”'):
			blank(out[from : i+len(string(r))])
			closes = 0
		}
	}
}

// blank writes spaces over all but the ends of lines. What was quoted stays one
// word, so that a sentence around it does not read on.
func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// isDialogue says whether two lines or more begin with a speaker's name: then
// nobody knows which of them the person is.
func isDialogue(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		name, said, ok := strings.Cut(strings.TrimSpace(line), ": ")
		name = strings.TrimRight(name, " \u00a0\u202f") // French puts a space before a colon
		if ok && said != "" && name != "" && !strings.ContainsAny(name, " .,") && unicode.IsUpper([]rune(name)[0]) {
			n++
		}
	}
	return n >= 2
}

// piece is a part of a sentence that can stand alone.
type piece struct {
	start, end int
	asks       bool // a question
}

// pieces cuts a text into sentences (UAX 29) and those at dashes, colons,
// semicolons, and where "and", "but" or a comma begins a new statement.
func pieces(text string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		at := 0
		for line := range strings.SplitAfterSeq(text, "\n") {
			for s := range sentencesOf(line, at) {
				for p := range parts(text, s) {
					if !yield(p) {
						return
					}
				}
			}
			at += len(line)
		}
	}
}

// sentencesOf cuts a line into sentences. A German ordinal ("der 3. Mai") ends
// none.
func sentencesOf(line string, at int) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		it := sentences.FromString(line)
		start, end := at, at
		for it.Next() {
			if start < end && !goesOn(line[start-at:end-at], it.Value()) {
				if !yield(piece{start: start, end: end}) {
					return
				}
				start = end
			}
			end += len(it.Value())
		}
		if start < end {
			yield(piece{start: start, end: end})
		}
	}
}

var ordinal = regexp.MustCompile(`(?:^| )\d\d?\. +$`)

var afterOrdinal = regexp.MustCompile(`^(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Monat|Woche|Klasse|Semester|Stock|Geburtstag)`)

// title is a short word with a full stop before a name: "my landlord, Mr. Pereira".
var title = regexp.MustCompile(`(?:^|[^\p{L}])(?:Mr|Mrs|Ms|Dr|Prof|Sr|Sra|Dra|M|Hr|Fr|St)\. *$`)

// goesOn says whether a sentence only seems to end before what comes next.
func goesOn(sentence, next string) bool {
	return ordinal.MatchString(sentence) && afterOrdinal.MatchString(next) || title.MatchString(sentence)
}

// parts cuts a sentence. Only its last part asks what the sentence asks, and of
// that part only what follows its first comma: "I'm vegan, is this fine?"
func parts(text string, s piece) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		body := text[s.start:s.end]
		asks := strings.HasSuffix(strings.TrimRight(squeeze(body), " \n\t)»"), "?")
		start := 0
		for start < len(body) {
			cut, next := cutAt(body, start)
			p := piece{start: s.start + start, end: s.start + cut, asks: asks && next == len(body)}
			if comma := strings.Index(body[start:cut], ", "); p.asks && comma > 0 {
				if !yield(piece{start: p.start, end: p.start + comma}) {
					return
				}
				p.start += comma + 2
			}
			if !yield(p) {
				return
			}
			start = next
		}
	}
}

// dividers end a part; joints end it where a new statement begins after them.
var (
	dividers = []string{" — ", " – ", " - ", ": ", "; ", " (", "…", "¿"}
	joints   = []string{
		", soy ", ", tengo ", ", vivo ", ", estoy ", ", mi ", ", que soy ", ", que tengo ", ", así que ",
		", sou ", ", tenho ", ", moro ", ", estou ", ", meu ", ", minha ", ", então ",
		", ich ", ", mein", ", bin ", ", hab ", ", also ",
		", je ", ", j'", ", jai ", ", mon ", ", ma ", ", on a ", ", donc ",
		" and i", " and my ", " and we ", " but i", " but my ", ", i ", ", i'", ", my ", ", so ", ", what", ", which", ", how",
		" e meu ", " e minha ", " e eu ", " mas ", " y mi ", " y yo ", " pero ", ", ¿", ", qué", ", que datas", ", quais",
		" und ich ", " und mein", " aber ", ", welche", ", was ", " et je ", " et j'", " et mon ", " et ma ", " mais ", ", quel",
	}
)

// fullStop ends a part though small letters follow, as many write; what is
// shorter before it may be an abbreviation.
var fullStop = regexp.MustCompile(`\p{L}{4,}\. `)

// cutAt finds where the part that begins at start ends, and where the next begins.
func cutAt(body string, start int) (end, next int) {
	lower := strings.ToLower(body)
	if len(lower) != len(body) { // a letter whose small one is of another length
		lower = body
	}
	end, next = len(body), len(body)
	for _, d := range dividers {
		if i := strings.Index(lower[start+1:], d); i >= 0 && start+1+i < end {
			end, next = start+1+i, start+1+i+len(d)
		}
	}
	for _, j := range joints {
		if i := strings.Index(lower[start+1:], j); i >= 0 && start+1+i < end && !together.MatchString(lower[start:start+1+i]) {
			end, next = start+1+i, start+1+i+1
		}
	}
	if at := fullStop.FindStringIndex(body[start:]); at != nil && start+at[1]-1 < end {
		end, next = start+at[1]-1, start+at[1]
	}
	return end, max(next, start+1)
}

// together is somebody who is the subject with what "and" joins: "my aunt Rosa and I".
var together = regexp.MustCompile(`^[\s\x00]*(?:my|our|mein|meine|unser|unsere|meu|minha|nosso|nossa|mi|nuestro|nuestra|mon|ma|notre) \S+(?: \S+)?$`)

func notLetter(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }
