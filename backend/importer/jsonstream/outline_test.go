package jsonstream_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
)

// held is what a vault would know, and how often it was asked by an outline.
type held struct {
	sums  map[[32]byte]bool
	sizes map[uint32]int
	hits  int
}

func (h *held) Known(sum [32]byte) bool { return h.sums[sum] }

func (h *held) Foreseen(start uint32) int {
	if h.sizes[start] > 0 {
		h.hits++
	}
	return h.sizes[start]
}

// learn reads a text as a first import does.
func learn(t *testing.T, text string) *held {
	t.Helper()
	h := &held{map[[32]byte]bool{}, map[uint32]int{}, 0}
	s := jsonstream.NewStream("x", strings.NewReader(text))
	for _, err := range s.All(t.Context()) {
		if err == nil {
			h.sums[s.Sum()] = true
			h.sizes[s.Outline().Start] = s.Outline().Size
		}
	}
	return h
}

// recognise reads a text again: what is known is "=" and its sum.
func recognise(t *testing.T, r io.Reader, h *held) (got []string) {
	t.Helper()
	s := jsonstream.NewStream("x", r)
	if h != nil {
		s.Known = h
	}
	for v, err := range s.All(t.Context()) {
		switch bad := (*jsonstream.BadElement)(nil); {
		case errors.Is(err, jsonstream.ErrKnown), err == nil && h == nil:
			got = append(got, fmt.Sprintf("=%x", s.Sum()))
		case errors.As(err, &bad):
			got = append(got, "!"+bad.Fault.Reason)
		case err != nil:
			got = append(got, "end "+fault.From(err).Reason)
		default:
			got = append(got, string(v))
		}
	}
	return append(got, fmt.Sprint(s.Index()))
}

// conversation is an element of about so many bytes.
func conversation(title string, bytes int) string {
	return `{"title":"` + title + strings.Repeat(" ", 260) + `","text":"` + strings.Repeat(`\"{é]`, bytes/6) + `"}`
}

func TestKnownByOutline(t *testing.T) {
	a, b, c := conversation("a", 100), conversation("b", 150_000), conversation("c", 3000)
	text := "[" + a + ", " + b + "\n,\n" + c + `,{"short":1},"` + strings.Repeat("text ", 100) + `"]`
	want := recognise(t, strings.NewReader(text), nil)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		h := learn(t, text)
		if got := recognise(t, r, h); !slices.Equal(got, want) || h.hits != 3 {
			t.Errorf("%d by their outlines, want 3; got %q, want %q", h.hits, got, want)
		}
	}
}

// TestWrongOutlines: what begins as something known and is not that, is read as
// if nobody had said anything.
func TestWrongOutlines(t *testing.T) {
	known := conversation("a", 5000)
	changed := strings.Replace(known, `]\"`, `]__`, 1)
	longer, shorter := conversation("a", 7000), conversation("a", 10)
	mended := strings.Replace(known, `]\"`, "]\xff\xff", 1)
	for _, text := range []string{
		"[" + changed + "," + known + "]",
		"[" + shorter + "," + shorter + "," + known + ",2]",
		"[" + longer + "," + known + "]",
		"[" + mended + "]",
		"[" + shorter + "]",
		"[" + shorter + "] x",
		"[" + shorter + "," + known[:3000],
		"[" + shorter,
		shorter,
	} {
		h := learn(t, "["+known+"]")
		plain := &held{sums: h.sums} // no outlines
		for _, wrap := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
		} {
			want := recognise(t, wrap(strings.NewReader(text)), plain)
			if got := recognise(t, wrap(strings.NewReader(text)), h); !slices.Equal(got, want) {
				t.Errorf("%.300q:\ngot  %.300q\nwant %.300q", text, got, want)
			}
		}
	}
}

// TestWrongOutlinesEndCheaply: a file made to meet the outline of something long
// all the time is not hashed again and again.
func TestWrongOutlinesEndCheaply(t *testing.T) {
	h := learn(t, "["+conversation("a", 9_000_000)+"]")
	text := "[" + strings.Repeat(conversation("a", 30_000)+",", 600) + "1]"
	if got := recognise(t, strings.NewReader(text), h); len(got) != 602 || h.hits > 10 || h.hits < 2 {
		t.Errorf("%d elements, %d foreseen", len(got)-1, h.hits)
	}
}

// TestMendedHasNoOutline: its sum is not that of the bytes in the file.
func TestMendedHasNoOutline(t *testing.T) {
	s := jsonstream.NewStream("x", strings.NewReader("["+conversation("\xff", 3000)+","+conversation("a", 3000)+"]"))
	var sizes []int
	for _, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, s.Outline().Size)
	}
	if len(sizes) != 2 || sizes[0] != 0 || sizes[1] != len(conversation("a", 3000)) {
		t.Errorf("sizes %v", sizes)
	}
}
