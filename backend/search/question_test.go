package search_test

import (
	"context"
	"testing"

	"keepsake/backend/search"
)

func TestQuestion(t *testing.T) {
	for typed, want := range map[string]string{
		"":                                "",
		"type:fact":                       "",
		"what do I drink in the morning?": "what do I drink in the morning?",
		"don't e-mail me":                 "don't e-mail me", // signs make phrases of them, nobody else did
		"type:fact where -tag:old do I live before:2024": "where do I live",
		"(my car)":       "my car",
		"tea OR coffee":  "",
		`my "green tea"`: "",
		`"tea"`:          "",
		"tea -coffee":    "",
		"NOT tea":        "",
		"coff*":          "",
		"我喜欢喝什么":         "我喜欢喝什么",
		"type:fact OR x": "",
	} {
		if got := parse(t, typed).Question(); got != want {
			t.Errorf("%q asks %q, not %q", typed, got, want)
		}
	}
	q := parse(t, "my ca")
	if q = q.Narrow("platform", "claude").Without("status", "archived"); q.Question() != "my ca" {
		t.Errorf("narrowed: %q", q.Question())
	}
	if q := q.AsYouType(); q.Question() != "" {
		t.Errorf("the beginning of a word: %q", q.Question())
	}
}

// TestFilterAnswersAsReadingDoes: the filters of a query, alone and put together, pass what
// the oracle says, whatever words stand beside them.
func TestFilterAnswersAsReadingDoes(t *testing.T) {
	v := newVault(1, 300)
	ix := open(t, newStore(), small)
	v.catchUp(t, ix)
	for range 300 {
		a, b, not := v.filter(), v.filter(), v.rng.IntN(2) == 0
		typed, holds := a.typed+" words "+b.typed, func(id docID, d search.Doc) bool { return a.holds(id, d, nil) && b.holds(id, d, nil) }
		switch {
		case v.rng.IntN(3) == 0:
			typed, holds = a.typed+" OR "+b.typed, func(id docID, d search.Doc) bool { return a.holds(id, d, nil) || b.holds(id, d, nil) }
		case not:
			typed, holds = "words -"+a.typed+" "+b.typed, func(id docID, d search.Doc) bool { return !a.holds(id, d, nil) && b.holds(id, d, nil) }
		}
		passes, err := ix.Filter(parse(t, typed), nil)
		if err != nil {
			t.Fatal(err)
		}
		for u, r := range v.units {
			for _, d := range r.docs {
				if got, want := passes(u.kind, u.seq, d.Part, d.Time), holds(docID{u, d.Part}, d); got != want {
					t.Fatalf("%s: %v passes: %t", typed, u, got)
				}
			}
		}
	}
	for typed, fails := range map[string]bool{"words alone": false, "": false, "words status:active": true} {
		if passes, err := ix.Filter(parse(t, typed), nil); (err != nil) != fails || passes != nil {
			t.Errorf("%q: %t, %v", typed, passes != nil, err)
		}
	}
}

// TestAny: one word is enough, while filters stay.
func TestAny(t *testing.T) {
	v := newVault(2, 300)
	ix := open(t, newStore(), small)
	v.catchUp(t, ix)
	for range 100 {
		a, b, f := wordAsk(v.word()), wordAsk(v.word()), v.filter()
		any := ask{a.typed + " " + f.typed + " " + b.typed, func(id docID, d search.Doc, r *reading) bool {
			return (a.holds(id, d, r) || b.holds(id, d, r)) && f.holds(id, d, r)
		}}
		found, err := ix.Search(context.Background(), parse(t, any.typed).Any(), search.SearchOptions{Limit: 1 << 20, Exactly: true})
		if err != nil {
			t.Fatal(err)
		}
		if want := v.answer(any); len(found.Hits) != len(want) {
			t.Errorf("%s: %d found, not %d", any.typed, len(found.Hits), len(want))
		}
	}
	for _, typed := range []string{"", "in:memories"} {
		if q := parse(t, typed); q.Any().Empty() != q.Empty() {
			t.Errorf("%q: any of no words", typed)
		}
	}
}
