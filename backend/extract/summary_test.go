package extract_test

import (
	"strings"
	"testing"

	"keepsake/backend/extract"
)

// Promise: a summary is made of sentences that were said, of those which are about
// what the rest is about, in their order, none twice.
func TestSummary(t *testing.T) {
	r, err := extract.New()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"The kitchen renovation should begin in March. Thanks!",
		"Is the oak floor of the kitchen good enough?",
		"My cousin saw a heron yesterday evening near some pond.",
		"```\nthe kitchen renovation kitchen renovation budget is code\n```\nThe budget of the kitchen renovation is nine thousand.",
		"As I said, the budget of the kitchen renovation is nine thousand.",
		"The oak floor of the kitchen stays as it is.",
	}
	got, language := r.Summary(texts, 3)
	want := []string{"The kitchen renovation should begin in March.", "budget of the kitchen renovation is nine thousand.", "The oak floor of the kitchen stays as it is."}
	at := -1
	for _, s := range want {
		next := strings.Index(got, s)
		if next <= at || strings.Count(got, s) != 1 {
			t.Errorf("%q in %q: at %d after %d", s, got, next, at)
		}
		at = next
	}
	if strings.Contains(got, "heron") || strings.Contains(got, "code") || strings.Contains(got, "?") || language != "en" {
		t.Errorf("%s: %q", language, got)
	}
	if _, language := r.Summary([]string{"A reforma da cozinha não deve passar de março, eu já disse."}, 3); language != "pt" {
		t.Errorf("language %s", language)
	}
	if got, _ := r.Summary([]string{"Ok.", ""}, 3); got != "" {
		t.Errorf("%q of nothing", got)
	}
}
