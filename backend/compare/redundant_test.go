package compare

import (
	"strings"
	"testing"
)

// TestRedundant: a repeat can be left out, in other words and in another language; what has
// another number, denies, adds something or turns an order around cannot, however close it is.
func TestRedundant(t *testing.T) {
	for _, c := range []struct {
		text, known string
		want        bool
	}{
		{"Trabalho como enfermeira em um hospital.", "I work as a nurse in a hospital.", true},
		{"Ich habe einen Hund.", "I have a dog.", true},
		{"I want to lose weight before the summer.", "I'm trying to lose weight before the summer.", true},
		{"Tenho três filhos.", "I have three children.", true},
		{"I have two kids.", "I have three children.", false},
		{"I moved here in 2019.", "I moved here in 2018.", false},
		{"I'm not allergic to penicillin.", "I'm allergic to penicillin.", false},
		{"I'm allergic to penicillin and to cats.", "I'm allergic to penicillin.", false},
		{"Ich habe einen Hund, eine Katze und ein Pferd.", "I have a dog.", false},
		{"I prefer spaces over tabs.", "I prefer tabs over spaces.", false},
		{"I hate hiking in the mountains.", "I love hiking in the mountains.", false},
		{"I work in Lisbon.", "I live in Lisbon.", false},
	} {
		if got := Redundant(c.text, c.known, 0.95); got != c.want {
			t.Errorf("%q where %q is known: %v", c.text, c.known, got)
		}
		if Redundant(c.text, c.known, 0.81) {
			t.Errorf("%q where %q is known, at 0.81", c.text, c.known)
		}
	}
}

// TestRedundantFigures prints how many of the labelled pairs can be left out, either of the
// other, and holds their precision.
func TestRedundantFigures(t *testing.T) {
	e := newEncoder(t)
	for _, name := range []string{"pairs-tune.jsonl", "pairs-unseen.jsonl"} {
		pairs := e.labelled(t, name)
		said := where(pairs, func(p pair) bool { return Redundant(p.A, p.B, p.cosine) || Redundant(p.B, p.A, p.cosine) })
		wrong := where(said, func(p pair) bool { return p.Label != Repeats })
		if len(wrong) > 0 {
			t.Errorf("%s: %d that are no repeats can be left out", name, len(wrong))
		}
		t.Logf("%s: %d of %d repeats can be left out, and %d others", name, len(said)-len(wrong), len(where(pairs, func(p pair) bool { return p.Label == Repeats })), len(wrong))
		for _, p := range wrong {
			t.Logf("    %.2f %s | %s", p.cosine, p.A, p.B)
		}
	}
}

// TestRedundantSentences counts what is left out of short sentences as people write them of
// themselves. In a row each is compared with the first; with "-" it says something else.
func TestRedundantSentences(t *testing.T) {
	e := newEncoder(t)
	right, same := 0, 0
	for _, row := range []string{
		"I'm allergic to penicillin.|-Tenho alergia a amendoim.|-I'm allergic to peanuts.|-I'm allergic to penicillin and to cats.|Tenho alergia a penicilina.|I have a penicillin allergy.|Ich bin allergisch gegen Penicillin.|Sou alérgico a penicilina.",
		"I have a dog.|-Tenho um gato.|-I have a cat.|Tenho um cachorro.|Ich habe einen Hund.|We have a dog at home.|I own a dog.",
		"I love hiking in the mountains.|-I hate hiking in the mountains.|I enjoy walking in the hills.|Adoro caminhar nas montanhas.|-Odeio caminhar nas montanhas.|I really love to hike in the mountains.|-I love skiing in the mountains.",
		"I like coffee.|-Prefiro chá a café.|-I prefer tea over coffee.|Gosto de café.|I love coffee.|I enjoy coffee.|-Gosto de chá.",
		"I have three children.|-I have two kids.|I have 3 kids.|I have three kids.|Tenho três filhos.|-Tenho dois filhos.",
		"I prefer tabs over spaces.|-I prefer spaces over tabs.|I like using tabs better than spaces.|Prefiro tabs a espaços.",
		"I live in Lisbon.|Ich wohne in Lissabon.|Vivo en Lisboa.|Moro em Lisboa.|-Vivo en Roma.|-I work in Lisbon.|-My mother lives in Lisbon.|My home is in Lisbon.",
		"I work as a nurse in a hospital.|Trabalho como enfermeira em um hospital.|-Trabalho como médica em um hospital.|I'm a nurse at a hospital.|I am employed as a nurse at a hospital.|-I work as a doctor in a hospital.",
		"I'm learning Japanese.|Estou aprendendo japonês.|I am studying Japanese.|-Estou aprendendo coreano.|-I'm learning Korean.|-I speak Japanese.",
		"I'm trying to lose weight before summer.|I want to lose weight before the summer.|Quero emagrecer antes do verão.|-I want to gain weight before the summer.|My goal is to be slimmer by summer.",
		"My sister lives in Rome.|-Meu irmão mora em Roma.|Minha irmã mora em Roma.|-My sister lives in Paris.|-Meine Schwester wohnt in Paris.",
	} {
		known, rest, _ := strings.Cut(row, "|")
		for _, text := range strings.Split(rest, "|") {
			text, differs := strings.CutPrefix(text, "-")
			cosine := e.cosines(known, text)[0]
			left := Redundant(text, known, cosine)
			if left && differs {
				t.Errorf("%q is left out for %q, at %.2f", text, known, cosine)
			}
			if !differs {
				same++
			}
			if left {
				right++
			}
		}
	}
	t.Logf("%d of %d that say the same can be left out", right, same)
	if right < 10 {
		t.Error("those are fewer than 10")
	}
}
