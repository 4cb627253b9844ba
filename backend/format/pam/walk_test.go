package pam_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/format/pam"
	"keepsake/backend/jcs"
)

// refereed lists the pieces of a document as a decoder that knows strict JSON
// meets them, and is the referee of walk.
func refereed(text []byte) (pieces []string, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	read := func(what string) error {
		raw, err := dec.ReadValue()
		if err == nil && jcs.IsTooDeep(raw) {
			err = jcs.ErrDepth
		}
		if err == nil {
			pieces = append(pieces, what+string(raw))
		}
		return err
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return pieces, err
		}
		name := tok.String()
		if !pam.IsStreamed(name) || dec.PeekKind() != '[' {
			if err := read(name + ":"); err != nil {
				return pieces, err
			}
			continue
		}
		pieces = append(pieces, name+":[]")
		if _, err := dec.ReadToken(); err != nil {
			return pieces, err
		}
		for i := 0; dec.PeekKind() != ']'; i++ {
			if err := read(fmt.Sprint(name, " ", i, ":")); err != nil {
				return pieces, err
			}
		}
		if _, err := dec.ReadToken(); err != nil {
			return pieces, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return pieces, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return pieces, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return pieces, nil
}

// agreesOnPieces holds walk to the referee, however the bytes come: the same
// verdict and, of what is whole, the same pieces; of what is broken, none that
// the referee does not see.
func agreesOnPieces(t *testing.T, text []byte) (strict bool) {
	t.Helper()
	want, refused := refereed(text)
	for name, r := range map[string]io.Reader{"whole": bytes.NewReader(text), "bytewise": iotest.OneByteReader(bytes.NewReader(text))} {
		for _, quick := range []bool{false, true} {
			got, err := pam.Pieces(r, quick)
			if (err == nil) != (refused == nil) {
				t.Fatalf("%s: %v, the referee %v: %q", name, err, refused, text)
			}
			if err == nil && !slices.Equal(got, want) || len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%s: %q, the referee %q: %q", name, got, want, text)
			}
			r = bytes.NewReader(text)
		}
	}
	return refused == nil
}

// hostileDocuments are small ones that a cutter of pieces may get wrong.
var hostileDocuments = []string{
	``, ` `, `{}`, "\n{ } \t\r", `{}x`, `{},`, `{`, `}`, `[]`, `null`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a" :1 , "b": 2 }`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, "{\"\xff\":1}", `{"\ud800":1}`, "\ufeff{}", `{"a":{"b":1,"b":2}}`, `{"a":"\ud800"}`, `{"a":"\ud83d\ude00"}`, "{\"a\":\"\x01\"}", "{\"a\":1}\x00", "\x00{}",
	`{"memories":[]}`, `{"memories":[ ]}`, `{"memories":[1,]}`, `{"memories":[,1]}`, `{"memories":[1 2]}`, `{"memories":[1,2`, `{"memories":[1,2]`, `{"memories":[}]}`, `{"memories":[{]}]}`, `{"memories":[[1,{"a":"]}"}],"x\"]}",nul,-]}`,
	`{"memories":[{"a":"\\"},"\"",true,null,-1.5e3,{}]}`, `{"memories":{}}`, `{"memories":[],"memories":[]}`, `{"memories":[12"a"]}`, `{"memories":[{"a":1}x]}`, `{"memories":["a"1]}`, `{"memories":[01]}`, `{"relations":[[[[]]]]}`,
	`{"a":1,"memories":[{"a":1},{"b":[2]}],"relations":[3],"b":"x"}`, `{"a"1}`, `{"a"::1}`, `{"a":1:2}`, `{a:1}`, `{'a':1}`, `{"a":tru}`, `{"a":truee}`, `{"a":[1,2}`, `{"a":{"b":1]}`,
}

func TestPiecesAreTheReferees(t *testing.T) {
	strict := 0
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	whole := store(t, 5, key(t))
	for _, text := range append(hostileDocuments, deep(jcs.MaxDepth), deep(jcs.MaxDepth+1), string(whole)) {
		if agreesOnPieces(t, []byte(text)) {
			strict++
		}
	}
	whole = store(t, 1, key(t))
	for i := 0; i < len(whole); i += 3 { // cut off, and one byte changed
		agreesOnPieces(t, whole[:i])
		for _, b := range []byte(`"\{}[],:0 `) {
			changed := bytes.Clone(whole)
			changed[i] = b
			if agreesOnPieces(t, changed) {
				strict++
			}
		}
	}
	if strict < 100 {
		t.Errorf("only %d documents were whole", strict)
	}
}

// FuzzPieces: the same for whatever bytes.
func FuzzPieces(f *testing.F) {
	for _, text := range hostileDocuments {
		f.Add([]byte(text))
	}
	f.Add(store(f, 2, key(f)))
	f.Fuzz(func(t *testing.T, text []byte) { agreesOnPieces(t, text) })
}
