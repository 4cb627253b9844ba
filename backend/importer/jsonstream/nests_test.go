package jsonstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
)

func someNests() *Nests {
	return &Nests{Under: []string{"messages", "tree"}, Name: "children", Depth: 1000}
}

// parts are nodes as lines: the parent's place and the text.
func parts(rest jsontext.Value, nodes []Node) []string {
	all := []string{string(rest)}
	for _, n := range nodes {
		all = append(all, strconv.Itoa(n.Parent)+" "+string(n.Value))
	}
	return all
}

func TestNodesAreTakenOutOfEachOther(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`{"id":1}`, []string{`{"id":1}`}},
		{`{"messages":[]}`, []string{`{"messages":[]}`}},
		{`{"messages":[{"id":1},{"id":2}],"n":[{}]}`, []string{`{"messages":[{},{}],"n":[{}]}`, `-1 {"id":1}`, `-1 {"id":2}`}},
		{`{"tree":[{"children":[{"id":1,"children":[]}, null ,{"id":2}],"id":0}]}`,
			[]string{`{"tree":[{}]}`, `-1 {"children":[{}, null ,{}],"id":0}`, `0 {"id":1,"children":[]}`, `0 {"id":2}`}},
		{`{"messages":[{"children":[{"children":[{"a":"]}"}]}]},{"b":"\""}]}`,
			[]string{`{"messages":[{},{}]}`, `-1 {"children":[{}]}`, `0 {"children":[{}]}`, `1 {"a":"]}"}`, `-1 {"b":"\""}`}},
		{`{"messages" : [ {"child\u0072en" : [ { } ] } ] }`, []string{`{"messages" : [ {} ] }`, `-1 {"child\u0072en" : [ {} ] }`, `0 { }`}},
		// What is called so elsewhere, or is no list, stays where it is.
		{`{"options":{"messages":[{"a":1}]},"children":[{"a":1}],"tree":{"children":[{"a":1}]}}`, []string{`{"options":{"messages":[{"a":1}]},"children":[{"a":1}],"tree":{"children":[{"a":1}]}}`}},
		{`{"messages":[[{"a":1}],{"x":{"children":[{"a":1}]},"messages":[{"a":1}],"y":["children",[{"a":1}]]}]}`,
			[]string{`{"messages":[[{"a":1}],{}]}`, `-1 {"x":{"children":[{"a":1}]},"messages":[{"a":1}],"y":["children",[{"a":1}]]}`}},
	} {
		rest, nodes, _ := someNests().unnest([]byte(c.text))
		if got := parts(rest, nodes); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// chain is a conversation of nodes inside each other, with more in the innermost one.
func chain(nodes int, more string) string {
	open := `{"id":1,"children":[`
	return `{"messages":[` + strings.Repeat(open, nodes-1) + `{"id":1` + more + `}` + strings.Repeat("]}", nodes-1) + `]}`
}

func TestNestsGoDeeperThanOthers(t *testing.T) {
	list := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for _, c := range []struct {
		name, text string
		nests      *Nests
		want       string // the reason, or how many nodes there are
	}{
		{"as deep as others", chain(60, ""), someNests(), "0"},
		{"deeper", chain(490, ""), someNests(), "490"},
		{"deeper than these may be", chain(600, ""), someNests(), "item-nested-too-deep"},
		{"where nothing may be", chain(490, ""), nil, "item-too-deep"},
		{"as deep inside as others", chain(300, `,"x":`+list(127)), someNests(), "300"},
		{"deeper inside than others", chain(300, `,"x":`+list(128)), someNests(), "item-too-deep"},
		{"deep without nodes", list(300), someNests(), "item-too-deep"},
		{"mended", chain(300, `,"x":"\ud800`+"\x01\xff"+`"`), someNests(), "300"},
		{"doubled", chain(300, `,"id":2`), someNests(), "item-deep-doubled"},
		{"no JSON", chain(300, `,`), someNests(), "item-not-json"},
		{"wide", chain(300, `,"x":[`+strings.Repeat("0,", maxMembers)+"0]"), someNests(), "item-too-wide"},
	} {
		s := NewStream("x.json", strings.NewReader(`["before",`+c.text+`,"after"]`))
		s.Nests = c.nests
		var got []string
		for _, err := range s.All(t.Context()) {
			if err != nil {
				got = append(got, fault.From(err).Reason)
				continue
			}
			got = append(got, strconv.Itoa(len(s.Nodes())))
			if len(s.Nodes()) > 0 && s.Sum() != sha256.Sum256([]byte(c.text)) {
				t.Errorf("%s: the sum is not that of the file", c.name)
			}
		}
		if want := []string{"0", c.want, "0"}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
}

// asChecked holds that the parts of a text are valid where all of it is.
func asChecked(t *testing.T, text []byte) {
	t.Helper()
	if len(text) == 0 || classes[text[0]] != opening {
		return
	}
	s := scanner{ctx: context.Background(), r: bytes.NewReader(text), buf: make([]byte, 64), limit: MaxElement}
	if _, err := s.byteAt(); err != nil {
		t.Fatal(err)
	}
	s.start()
	if broken, err := s.value(); broken != nil || err != nil {
		return
	}
	rest, nodes, _ := someNests().unnest(s.out)
	valid := rest.IsValid()
	for _, n := range nodes {
		valid = valid && n.Value.IsValid()
	}
	if whole := jsontext.Value(s.out).IsValid(); valid != whole {
		t.Fatalf("%q is valid: %v, and its parts: %v, %q", s.out, whole, valid, parts(rest, nodes))
	}
}

func TestPartsAreValidWhereAllIs(t *testing.T) {
	text := `{"messages":[{"id":1,"children":[{"a":{"b":[1,"]"]}},{"children" : []}]},null,{"x":-1}],"tree":[{"children":[[{}],{"children":[{}]}]}]}`
	asChecked(t, []byte(text))
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		damaged := []byte(text)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = text[random.IntN(len(text))]
		}
		asChecked(t, damaged)
	}
}

func FuzzNests(f *testing.F) {
	for _, text := range append(sureTexts, chain(5, `,"x":[]`), `{"messages":[{"a":1]}`, `{"messages":[{}{}],"tree":[1{}]}`, `{"messages":[{"children":[{]}}]}`) {
		f.Add([]byte(text))
	}
	f.Fuzz(asChecked)
}
