package importer

import (
	"strings"
	"testing"
)

// Promise: only an edit that can mean one thing gives a version.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ text, old, other, want string }{
		{"# Plan\nwalk", "walk", "run", "# Plan\nrun"},
		{"# Plan\nwalk", "\nwalk", "", "# Plan"},
		{"a a", "a", "b", ""},
		{"a", "b", "c", ""},
		{"a", "", "c", ""},
	} {
		var e Editor
		if got, ok := e.Replace(c.text, c.old, c.other); got != c.want || ok != (c.want != "") {
			t.Errorf("%q for %q in %q: %q, %v", c.other, c.old, c.text, got, ok)
		}
	}
	var e Editor
	large := strings.Repeat("x", maxEdited/2) + "y"
	if _, ok := e.Replace(large, "y", "z"); !ok {
		t.Error("the first version is refused")
	}
	if _, ok := e.Replace(large, "y", "z"); ok {
		t.Error("the versions of one conversation have no bound")
	}
}

// Promise: branches do not see each other's versions.
func TestPageFind(t *testing.T) {
	first := &Page{Name: "a", Text: "1"}
	left := &Page{Name: "a", Text: "2", Before: first}
	right := &Page{Name: "b", Text: "3", Before: first}
	if left.Find("a").Text != "2" || right.Find("a").Text != "1" || left.Find("b") != nil || (*Page)(nil).Find("a") != nil {
		t.Error("the wrong version")
	}
}
