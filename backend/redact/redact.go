package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what was found, in the words of MIF §6.1.
type Kind string

const (
	PrivateKey Kind = "private_key" // a whole PEM block
	APIKey     Kind = "api_key"     // keys and tokens of services
	Password   Kind = "password"    // what stands after the word, never the word
	IBAN       Kind = "iban"
	CreditCard Kind = "credit_card"
	NationalID Kind = "national_id"
	Email      Kind = "email"
	Phone      Kind = "phone"
	Address    Kind = "address" // only where it is asked for
)

// All lists the kinds, the surer before the less sure: where two claim the same
// place, the earlier one has it.
func All() []Kind {
	return []Kind{PrivateKey, APIKey, Password, IBAN, CreditCard, NationalID, Email, Phone, Address}
}

// Default lists what is looked for unless somebody asks for more: all but addresses.
func Default() []Kind { return slices.DeleteFunc(All(), func(k Kind) bool { return k == Address }) }

// Finding is one place in a text: the bytes from Start to End.
type Finding struct {
	Kind       Kind
	Start, End int
}

// Redaction is what a text says of a place that was hidden in it (MIF §6.1).
type Redaction struct {
	Type           Kind   `json:"type"`
	OriginalLength int    `json:"original_length"` // code points
	Position       [2]int `json:"position"`        // from, to; code points of the text as it was
}

// finder looks through one text.
type finder struct {
	text   string
	low    string // text in lower case, of the same length
	found  []Finding
	looked int // bytes looked at around anchors; held to be linear by a test
}

// Find lists what was found of the kinds, in the order of the text and without
// overlaps.
func Find(text string, kinds []Kind) []Finding {
	return look(text, kinds).settled()
}

func look(text string, kinds []Kind) *finder {
	f := &finder{text: text, low: lowered(text)}
	wants := func(all ...Kind) bool {
		return slices.ContainsFunc(all, func(k Kind) bool { return slices.Contains(kinds, k) })
	}
	// Kinds that take a place from one another are looked for together: an e-mail
	// is none where it is the password of an address, wanted or not.
	f.privateKeys()
	f.apiKeys()
	if wants(Password, Email) {
		f.passwords()
	}
	if wants(Email) {
		f.emails()
	}
	if wants(IBAN, CreditCard, NationalID, Phone) {
		f.numbers()
	}
	if wants(Address) {
		f.addresses()
	}
	f.found = slices.DeleteFunc(f.settled(), func(x Finding) bool { return !slices.Contains(kinds, x.Kind) })
	return f
}

func (f *finder) add(kind Kind, start, end int) {
	if start < end {
		f.found = append(f.found, Finding{kind, start, end})
	}
}

// settled drops what overlaps with something surer, or longer of the same kind.
func (f *finder) settled() []Finding {
	if len(f.found) < 2 {
		return f.found
	}
	rank := map[Kind]int{}
	for i, k := range All() {
		rank[k] = i
	}
	all := f.found
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.End, a.End))
	})
	kept := all[:0]
	for _, x := range all {
		for len(kept) > 0 && overlap(kept[len(kept)-1], x) && better(x, kept[len(kept)-1], rank) {
			kept = kept[:len(kept)-1]
		}
		if len(kept) == 0 || !overlap(kept[len(kept)-1], x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func overlap(a, b Finding) bool { return a.Start < b.End && b.Start < a.End }

func better(x, than Finding, rank map[Kind]int) bool {
	if x.Kind != than.Kind {
		return rank[x.Kind] < rank[than.Kind]
	}
	return x.End-x.Start > than.End-than.Start
}

// Mark is what stands in a text in the place of what was hidden.
func Mark(k Kind) string { return "[REDACTED:" + string(k) + "]" }

// marks are what Mark writes.
var marks = regexp.MustCompile(`\[REDACTED:[a-z0-9_-]+\]`)

// IsCopyOf reports that text is whole, or whole with places of it hidden, as
// Mark hides them.
func IsCopyOf(text, whole string) bool {
	pieces := marks.Split(text, -1)
	last := len(pieces) - 1
	if last == 0 {
		return text == whole
	}
	rest, ok := strings.CutPrefix(whole, pieces[0])
	for _, piece := range pieces[1:last] {
		var found bool
		_, rest, found = strings.Cut(rest, piece)
		ok = ok && found
	}
	return ok && strings.HasSuffix(rest, pieces[last])
}

// Hide gives the text with a mark in the place of each finding that keep does not
// want to keep; nil keeps none. The findings are those of Find on this text.
func Hide(text string, findings []Finding, keep func(Finding) bool) (string, []Redaction) {
	var out strings.Builder
	var hidden []Redaction
	at, points := 0, 0
	for _, x := range findings {
		if keep != nil && keep(x) {
			continue
		}
		out.WriteString(text[at:x.Start])
		points += utf8.RuneCountInString(text[at:x.Start])
		size := utf8.RuneCountInString(text[x.Start:x.End])
		hidden = append(hidden, Redaction{x.Kind, size, [2]int{points, points + size}})
		out.WriteString(Mark(x.Kind))
		at, points = x.End, points+size
	}
	if hidden == nil {
		return text, nil
	}
	out.WriteString(text[at:])
	return out.String(), hidden
}

// lowered puts letters into lower case where those take as many bytes; every byte
// keeps its place.
func lowered(s string) string {
	out := []byte(s)
	for i, r := range s {
		switch {
		case 'A' <= r && r <= 'Z':
			out[i] += 'a' - 'A'
		case r > unicode.MaxASCII && unicode.IsUpper(r):
			if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) {
				utf8.EncodeRune(out[i:], low)
			}
		}
	}
	return string(out)
}
