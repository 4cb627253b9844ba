package search_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"keepsake/backend/search"
)

// ask is a query: how it is typed, and how to answer it by reading.
type ask struct {
	typed string
	holds func(docID, search.Doc, *reading) bool
}

func (v *vault) query(depth int) ask {
	switch n := v.rng.IntN(12); {
	case depth > 0 && n < 3:
		a, b := v.query(depth-1), v.query(depth-1)
		return ask{"(" + a.typed + " " + b.typed + ")", func(id docID, d search.Doc, r *reading) bool { return a.holds(id, d, r) && b.holds(id, d, r) }}
	case depth > 0 && n < 6:
		a, b := v.query(depth-1), v.query(depth-1)
		return ask{"(" + a.typed + " OR " + b.typed + ")", func(id docID, d search.Doc, r *reading) bool { return a.holds(id, d, r) || b.holds(id, d, r) }}
	case depth > 0 && n < 8:
		a, not := v.query(depth-1), "NOT "
		if v.rng.IntN(2) == 0 && !strings.HasPrefix(a.typed, "-") { // any number of hyphens exclude once
			not = "-"
		}
		return ask{not + a.typed, func(id docID, d search.Doc, r *reading) bool { return !a.holds(id, d, r) }}
	}
	return v.leaf()
}

func (v *vault) leaf() ask {
	switch v.rng.IntN(9) {
	case 0:
		return v.prefix()
	case 1:
		return v.phrase()
	case 2, 3:
		return v.runQuery()
	case 4:
		return v.filter()
	}
	return wordAsk(v.word())
}

// wordAsk is one word without quotes: a term, or all its parts in a row.
func wordAsk(w string) ask {
	var main []string
	for _, x := range search.Words(w) {
		if !x.Extra {
			main = append(main, x.Term)
		}
	}
	if w == "e-mail" || w == "x-ray" { // one word to people
		main = []string{strings.ReplaceAll(w, "-", "")}
	}
	if len(main) == 1 {
		return ask{w, func(_ docID, _ search.Doc, r *reading) bool { return r.terms[main[0]] > 0 }}
	}
	return ask{w, func(_ docID, _ search.Doc, r *reading) bool { return inRow(r.main, main) }}
}

func inRow(have, want []string) bool {
	for i := range have {
		if len(have)-i >= len(want) && slices.Equal(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func (v *vault) prefix() ask {
	for {
		w := []rune(v.word())
		n := 2 + v.rng.IntN(3)
		if len(w) <= n || strings.ContainsAny(string(w), "@.-+_',1") {
			continue
		}
		start := search.Words(string(w[:n]))
		if len(start) == 0 || len([]rune(start[0].Term)) < 2 {
			continue
		}
		return ask{string(w[:n]) + "*", func(_ docID, _ search.Doc, r *reading) bool {
			for term := range r.terms {
				if strings.HasPrefix(term, start[0].Term) {
					return true
				}
			}
			return false
		}}
	}
}

// phrase is words of some text in a row, so that it is found at times.
func (v *vault) phrase() ask {
	for {
		r := v.units[v.some()].read
		if len(r) == 0 {
			continue
		}
		words := strings.FieldsFunc(r[v.rng.IntN(len(r))].text, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("(),、", c) })
		if len(words) < 3 {
			continue
		}
		at := v.rng.IntN(len(words) - 2)
		typed := strings.Join(words[at:at+2+v.rng.IntN(2)], " ")
		if strings.ContainsFunc(typed, func(c rune) bool {
			return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul) || c == '"'
		}) {
			continue
		}
		var main []string
		for _, w := range search.Words(typed) {
			if !w.Extra {
				main = append(main, w.Term)
			}
		}
		return ask{`"` + typed + `"`, func(_ docID, _ search.Doc, r *reading) bool { return inRow(r.main, main) }}
	}
}

// runQuery is characters without spaces: all their pairs, or with quotes all of
// them in a row; one by itself anywhere.
func (v *vault) runQuery() ask {
	typed := v.run(1 + v.rng.IntN(4))
	if one := chars(typed); len(one) == 1 {
		return ask{typed, func(_ docID, _ search.Doc, r *reading) bool { return strings.Contains(r.text, one[0]) }}
	}
	if v.rng.IntN(2) == 0 {
		return ask{`"` + typed + `"`, func(_ docID, _ search.Doc, r *reading) bool { return holdsChars(r.text, typed) }}
	}
	c := chars(typed)
	return ask{typed, func(_ docID, _ search.Doc, r *reading) bool {
		for i := range c[1:] {
			if !holdsChars(r.text, c[i]+c[i+1]) {
				return false
			}
		}
		return true
	}}
}

func chars(s string) (out []string) {
	for _, r := range s {
		if unicode.IsMark(r) && len(out) > 0 {
			out[len(out)-1] += string(r)
		} else {
			out = append(out, string(r))
		}
	}
	return out
}

// holdsChars reports that s stands in text and no mark follows it.
func holdsChars(text, s string) bool {
	for {
		i := strings.Index(text, s)
		if i < 0 {
			return false
		}
		after, _ := utf8.DecodeRuneInString(text[i+len(s):])
		if !unicode.IsMark(after) {
			return true
		}
		text = text[i+1:]
	}
}

func (v *vault) filter() ask {
	year := 2019 + v.rng.IntN(5)
	begin := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	switch v.rng.IntN(4) {
	case 0:
		c := colour(search.Memory, uint64(v.rng.IntN(3)))
		return ask{"tag:" + c, func(id docID, _ search.Doc, _ *reading) bool { return colour(id.kind, id.seq) == c }}
	case 1:
		return ask{fmt.Sprintf("since:%d", year), func(_ docID, d search.Doc, _ *reading) bool { return d.Time >= begin }}
	case 2:
		return ask{fmt.Sprintf("before:%d-01-01", year), func(_ docID, d search.Doc, _ *reading) bool { return d.Time != 0 && d.Time < begin }}
	}
	return ask{"in:titles,memories", func(id docID, _ search.Doc, _ *reading) bool {
		return id.kind == search.Memory || id.part == search.Title
	}}
}
