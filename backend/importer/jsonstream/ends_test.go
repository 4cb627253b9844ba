package jsonstream

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// bracketsOf finds the larger objects and arrays of a valid text byte by byte.
func bracketsOf(v []byte) (all []bracket) {
	var open []int // their places in all
	text := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			open = append(open, len(all))
			all = append(all, bracket{from: uint32(i)})
		case c == '}' || c == ']':
			all[open[len(open)-1]].to = uint32(i + 1)
			open = open[:len(open)-1]
		}
	}
	return slices.DeleteFunc(all, func(b bracket) bool { return b.to-b.from < bigBracket })
}

// A form with an inner form, and one value that is looked into later.
type outerForm struct {
	inner innerForm
	Later jsontext.Value
	rest  []string
}

type innerForm struct{ seen []string }

func (f *outerForm) Field(name string) *jsontext.Value {
	if name == "later" {
		return &f.Later
	}
	return nil
}

func (f *outerForm) Inner(name string) Form {
	if name == "inner" {
		return &f.inner
	}
	return nil
}

func (f *outerForm) Other(name string, v jsontext.Value) {
	f.rest = append(f.rest, name+"="+string(v))
}

func (*innerForm) Field(string) *jsontext.Value { return nil }
func (*innerForm) Inner(string) Form            { return nil }
func (f *innerForm) Other(name string, v jsontext.Value) {
	f.seen = append(f.seen, name+"="+string(v))
}

// longForm is the text of a form in which some values are larger than
// bigBracket and some are not.
func longForm(size int) string {
	long := strings.Repeat(`{"text":"]}\"{[","n":[1,[2]]},`, size)
	return fmt.Sprintf(` {"a":[%s0] , "inner":{"b":{},"c":[%s0],"d":"}"},"later":{"e":[%s0],"f":[[[]]],"g":{"h":[%s0]}}, "z":1}`, long, long, long, long)
}

// Promise: who is told where values end reads what it would have read without.
func TestFormsAreReadAlikeWithEnds(t *testing.T) {
	for size := range 12 {
		text := longForm(size)
		stream := NewStream("", strings.NewReader("["+text+"]"))
		for v, err := range stream.All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			ends := stream.Ends()
			if want := bracketsOf(v); !slices.Equal(ends.big, want) || len(want) == 0 && size > 0 {
				t.Fatalf("ends %v, want %v", ends.big, want)
			}
			with, without := sameForm(t, v, ends)
			sameForm(t, with.Later, ends)
			if n := len(ends.of(with.Later).left); n == 0 && size > 4 {
				t.Error("nothing is known of a value inside")
			}
			copied := bytes.Clone(without.Later)
			if known := ends.of(copied); known.left != nil {
				t.Errorf("of a copy %v is known", known)
			}
			sameForm(t, copied, ends)
		}
		wantElements(t, stream, 1)
	}
}

func sameForm(t *testing.T, v jsontext.Value, ends Ends) (with, without outerForm) {
	t.Helper()
	names := NamesOf("inner", "later")
	if !names.Fill(v, ends, &with) || !names.Fill(v, Ends{}, &without) {
		t.Fatalf("%s was not read", v)
	}
	if got, want := fmt.Sprintf("%s", with), fmt.Sprintf("%s", without); got != want {
		t.Fatalf("%s\nis read as %s\nwant %s", v, got, want)
	}
	return with, without
}

func wantElements(t *testing.T, s *Stream, n int) {
	t.Helper()
	if s.Index() != n {
		t.Errorf("%d elements, want %d", s.Index(), n)
	}
}

// An element that had to be mended lies elsewhere than what was checked.
func TestMendedElementsHaveNoEnds(t *testing.T) {
	long := "[" + strings.Repeat("1,", 100)
	stream := NewStream("", strings.NewReader("["+long+"2],"+long+"\"\xff\"]]"))
	for v, err := range stream.All(context.Background()) {
		if err != nil || len(v) < bigBracket || (stream.Ends().big == nil) != (stream.Index() == 2) {
			t.Errorf("%v, %v, %v", v, err, stream.Ends())
		}
	}
	wantElements(t, stream, 2)
}
