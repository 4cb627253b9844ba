package pam

import (
	"math/rand/v2"
	"testing"
	"time"

	"keepsake/backend/jcs"
	"keepsake/backend/memory"
)

// Promise: an entry of the index has the same bytes whichever way it is written, and
// what the quick way cannot write it says so of.
func TestAppendEntry(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 14))
	plain, hard := []string{"", "a", "conversations/3f.json", "with space and (signs) <&>'\u007f", "a title of more than eight letters"}, []string{"caf\u00e9", `say "so"`, `back\slash`, "line\nbreak", "\u2028", "\x00"}
	word := func() string {
		if random.IntN(20) == 0 {
			return hard[random.IntN(len(hard))]
		}
		return plain[random.IntN(len(plain))]
	}
	list := func() (all []string) {
		for range random.IntN(4) {
			all = append(all, word())
		}
		return all
	}
	at := func() memory.Time {
		switch random.IntN(3) {
		case 0:
			return memory.Time{}
		case 1:
			return memory.At(time.Unix(random.Int64N(4e9), 0))
		}
		return memory.At(time.UnixMicro(random.Int64N(4e15)))
	}
	quick := 0
	for range 20_000 {
		e := IndexEntry{DerivedMemories: list(), ID: word(), Platform: word(), Tags: list(), Title: word(),
			Temporal: memory.ConversationTemporal{CreatedAt: at(), UpdatedAt: at()}}
		if random.IntN(2) == 0 {
			e.MessageCount = new(random.IntN(3) * 1_000_003)
		}
		if random.IntN(2) == 0 {
			e.Storage = &Storage{Format: word(), Ref: word(), Type: word()}
		}
		want, err := jcs.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := appendEntry([]byte("before"), &e)
		if ok {
			quick++
		}
		if ok && string(got) != "before"+string(want) {
			t.Fatalf("%s instead of %s", got, want)
		}
	}
	if quick < 1000 {
		t.Errorf("%d of 20,000 entries were written the quick way", quick)
	}
	easy := IndexEntry{ID: "c-1", Platform: "chatgpt", Title: "A title", Temporal: memory.ConversationTemporal{CreatedAt: memory.At(time.Unix(1, 0))}}
	if _, ok := appendEntry(nil, &easy); !ok {
		t.Error("a plain entry is not written the quick way")
	}
}
