package embed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The languages of the labelled sets.
func languages() []string { return []string{"en", "pt", "es", "de", "fr"} }

// distractors are most texts of each language that answer no query, natural sentences and
// statements in turn.
func distractors(t *testing.T, most int) map[string][]string {
	t.Helper()
	of, sentences := map[string][]string{}, natural(t)
	for _, language := range languages() {
		statements := statementsIn(t, language, most/2)
		for i, sentence := range sentences[language] {
			if i < most-most/2 {
				of[language] = append(of[language], sentence)
			}
			if i < len(statements) {
				of[language] = append(of[language], statements[i])
			}
		}
		if len(of[language]) != most {
			t.Fatalf("%s: %d distractors of %d", language, len(of[language]), most)
		}
	}
	return of
}

// natural are the sentences of testdata/natural.tsv.gz by language, in no order.
func natural(t *testing.T) map[string][]string {
	t.Helper()
	packed, err := os.ReadFile("testdata/natural.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		of[cells[0]] = append(of[cells[0]], cells[2])
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(40, 2))
	for _, language := range languages() {
		all := of[language]
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return of
}

// phrasebook is what statements of a language are made of: see testdata/statements.txt.
type phrasebook struct {
	lists   map[string][]string
	clauses [][2]string // of somebody, of oneself
}

func phrasebookOf(t *testing.T, language string) phrasebook {
	t.Helper()
	all, err := os.ReadFile("testdata/statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, mine, found := strings.Cut(string(all), "\n"+language+"\n")
	if !found {
		t.Fatalf("no statements in %s", language)
	}
	mine, _, _ = strings.Cut(mine, "\n\n")
	book := phrasebook{lists: map[string][]string{
		"city": strings.Fields("Berlin Madrid Porto Lyon Leipzig Valencia Bristol Dublin Recife Salvador Toulouse Quito Oslo Glasgow Hamburg Lima Utrecht Nantes Bilbao Graz"),
		"name": strings.Fields("Anna Marco Ingrid Paulo Chloé Rashid Beatriz Jonas Mireille Olu Sofía Viktor Yasmin Tomás Greta Kenji"),
	}}
	for line := range strings.Lines(mine) {
		if name, values, ok := strings.Cut(line, " = "); ok {
			for value := range strings.SplitSeq(values, "|") {
				book.lists[name] = append(book.lists[name], strings.TrimSpace(value))
			}
		} else if his, own, ok := strings.Cut(strings.TrimSpace(line), " | "); ok {
			book.clauses = append(book.clauses, [2]string{his, own})
		}
	}
	return book
}

// statementsIn makes n statements as assistants keep them, of one clause or two, a third of
// them in the first person. No two say the same.
func statementsIn(t *testing.T, language string, n int) (statements []string) {
	book := phrasebookOf(t, language)
	random := rand.New(rand.NewPCG(uint64(language[0]), uint64(language[1]))) // in each language others
	one := func(of string) string { return book.lists[of][random.IntN(len(book.lists[of]))] }
	list := regexp.MustCompile(`{\w+}`)
	fill := func(clause string) string {
		for list.MatchString(clause) { // a list's value may name a list itself
			clause = list.ReplaceAllStringFunc(clause, func(name string) string {
				switch name {
				case "{year}":
					return strconv.Itoa(1995 + random.IntN(35))
				case "{few}":
					return strconv.Itoa(2 + random.IntN(8))
				}
				return one(strings.Trim(name, "{}"))
			})
		}
		return clause
	}
	seen := map[string]bool{}
	for len(statements) < n {
		subject, person := one("subject"), 0
		if random.IntN(3) == 0 {
			subject, person = "", 1
		}
		order := random.Perm(len(book.clauses))
		statement := strings.TrimSpace(subject + " " + fill(book.clauses[order[0]][person]))
		if random.IntN(3) > 0 {
			statement += " " + one("and") + " " + fill(book.clauses[order[1]][person])
		}
		first, size := utf8.DecodeRuneInString(statement)
		statement = string(unicode.ToUpper(first)) + statement[size:] + "."
		if !seen[statement] {
			seen[statement] = true
			statements = append(statements, statement)
		}
	}
	return statements
}

func TestDistractors(t *testing.T) {
	const most = 5500
	for language, texts := range distractors(t, most) {
		seen := map[string]bool{}
		for _, text := range texts {
			if seen[text] || strings.ContainsAny(text, "{}|") || utf8.RuneCountInString(text) < 10 {
				t.Errorf("%s: %q", language, text)
			}
			seen[text] = true
		}
	}
}
