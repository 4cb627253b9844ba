package keptblock

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"keepsake/backend/fault"
)

// files are what people have, with and without a line at the end, of Windows and with a byte order mark.
var files = []string{"", "\n", "# Mine\n", "# Mine", "# Mine\r\n\r\nText\r\n", "# Mine\r\nText", "\ufeff# Mine\n", "\ufeff", "\ufeff# Mine\r\nText", "a\n\n\n", "<!-- keepsake -->\nkeepsake:begin\n", "é\n```\n<!-- keepsake:begins -->\n```"}

// Promise: what stands outside of the markers is as it was, byte for byte, while a text is kept there
// and afterwards.
func TestTheRestOfAFileStays(t *testing.T) {
	for _, file := range files {
		text, separator := []byte(file), ""
		for i, kept := range []string{"- Plays the oboe.\n- Lives in Porto.", "", "- Other", "a\r\nb\n\n"} {
			after, put, err := put(text, kept)
			if err != nil {
				t.Fatalf("%q: %v", file, err)
			}
			if i == 0 {
				separator = put
			} else if put != "" {
				t.Errorf("%q: a second block, behind %q", file, put)
			}
			if !strings.HasPrefix(string(after), file+separator+begins) || strings.Count(string(after), begins) != 1 {
				t.Fatalf("%q became %q", file, after)
			}
			if strings.Contains(file, "\r\n") && strings.Count(string(after), "\n") != strings.Count(string(after), "\r\n") {
				t.Errorf("%q has lines of both kinds: %q", file, after)
			}
			text = after
		}
		if again, err := remove(text, separator, false); err != nil || string(again) != file {
			t.Errorf("%q became %q, %v", file, again, err)
		}
		left, err := remove(text, separator, true)
		if err != nil || !strings.HasPrefix(string(left), file+separator) || strings.Contains(string(left), "keepsake:end") || !strings.Contains(string(left), "a") {
			t.Errorf("%q became %q, %v", file, left, err)
		}
		behind := append([]byte(nil), append(text, "mine behind"...)...)
		after, _, err := put(behind, "- New")
		if err != nil || !strings.HasSuffix(string(after), ends+newline(text)+"mine behind") {
			t.Errorf("%q became %q, %v", behind, after, err)
		}
		if again, err := remove(after, separator, false); err != nil || !strings.HasPrefix(string(again), file) || !strings.HasSuffix(string(again), "mine behind") {
			t.Errorf("%q became %q, %v", after, again, err)
		}
	}
}

// Promise: markers that are not one pair stop everything.
func TestMarkersThatAreNotOnePair(t *testing.T) {
	for _, file := range []string{
		begins, begins + "\n", ends + "\n", ends + "\n" + begins + "\n", begins + "\n" + begins + "\n" + ends + "\n", begins + "\n" + ends + "\n" + ends,
		begins + "\na\n" + ends + "\n" + begins + "\nb\n" + ends + "\n", begins + "\n" + begins + "\n" + ends + "\n" + ends + "\n", "  <!--keepsake:begin-->\r\n",
	} {
		if after, _, err := put([]byte(file), "x"); !errors.Is(err, errMarkers) {
			t.Errorf("%q became %q, %v", file, after, err)
		}
		if after, err := remove([]byte(file), "", false); !errors.Is(err, errMarkers) {
			t.Errorf("%q became %q, %v", file, after, err)
		}
	}
	for _, file := range []string{"a\x00b", "\xff\xfea\x00", "caf\xe9"} {
		if _, _, err := put([]byte(file), "x"); !errors.Is(err, errNotText) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

// Promise: a memory whose text is a marker does not end the block, and no files made of pieces of
// markers are changed outside of one pair.
func TestTextsAreNoMarkers(t *testing.T) {
	after, _, err := put([]byte("mine\n"), "- a\n"+ends+"\nb\n"+begins+"\n  "+ends)
	if err != nil {
		t.Fatal(err)
	}
	if again, _, err := put(after, "- c"); err != nil || strings.Contains(string(again), "b\n") {
		t.Errorf("%q, %v", again, err)
	}
	pieces := []string{begins, ends, "\n", "\r\n", "mine", "\ufeff", " ", "<!-- keepsake:end", "-->"}
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var file strings.Builder
		for range r.IntN(9) {
			file.WriteString(pieces[r.IntN(len(pieces))])
		}
		before := []byte(file.String())
		s, found, err := find(before)
		after, separator, failed := put(before, "- x")
		if errors.Is(err, errMarkers) != errors.Is(failed, errMarkers) {
			t.Fatalf("%q: %v, %v", before, err, failed)
		}
		switch {
		case failed != nil:
		case found && (string(after[:s.start]) != string(before[:s.start]) || !strings.HasSuffix(string(after), string(before[s.innerEnd:]))):
			t.Fatalf("%q became %q", before, after)
		case !found && !strings.HasPrefix(string(after), string(before)+separator+begins):
			t.Fatalf("%q became %q", before, after)
		}
	}
}

// TestFilesThatAreRefused: a link, a folder and what cannot be written are told in a sentence, and stay.
func TestFilesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.md"), filepath.Join(dir, "link.md")
	if err := os.WriteFile(real, []byte("mine"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here: ", err)
	}
	large := filepath.Join(dir, "large.md")
	if err := os.WriteFile(large, make([]byte, largest+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{link: "kept-not-plain", dir: "kept-not-plain", large: "kept-too-large", os.DevNull: "kept-not-plain"} {
		if _, err := Put(path, "x"); fault.From(err) == nil || fault.From(err).Reason != reason {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(real); err != nil || string(text) != "mine" {
		t.Errorf("%s, %v", text, err)
	}
	c, err := Put(filepath.Join(dir, "none", "x.md"), "x")
	if err != nil || fault.From(c.Write()) == nil || fault.From(c.Write()).Reason != "kept-unwritable" {
		t.Errorf("%v", err)
	}
	c, err = Put(real, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("mine, changed"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(); fault.From(err) == nil || fault.From(err).Reason != "kept-changed-meanwhile" {
		t.Errorf("%v", err)
	}
	c, err = Put(real, "x")
	if err != nil || c.Write() != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(real)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}
