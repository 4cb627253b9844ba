package chatgpt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/importer/importertest"
	"keepsake/backend/importer/importertest/gen"
	"keepsake/backend/importer/jsonstream"
)

// told is all that an export said, but for how its conversations are recognised.
func told(t *testing.T, name string, data []byte) (all []string) {
	t.Helper()
	c := newCollector()
	if err := (chatgpt.Importer{}).Read(context.Background(), open(t, name, data), c); err != nil {
		t.Fatal(err)
	}
	for _, d := range c.conversations {
		d.Sum, d.Outline = [32]byte{}, jsonstream.Outline{}
		text, err := json.MarshalIndent(d, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text), d.Leaf)
	}
	return append(all, fmt.Sprintf("%+v %+v %v %+v %v %v", c.memories, c.retractions, c.missing, c.problems, c.skipped, c.unknown))
}

// TestALongConversationIsReadAsAnyOther: one that comes in pieces says the same, in
// each layout.
func TestALongConversationIsReadAsAnyOther(t *testing.T) {
	for _, era := range gen.Eras() {
		t.Run(string(era), func(t *testing.T) {
			data, _ := gen.ChatGPT(gen.ChatGPTOptions{Seed: 8, Era: era, Conversations: 3, ShardSize: 2, Turns: 9})
			if d := cmp.Diff(told(t, nameOf(era), data), told(t, nameOf(era), gen.Spread(nameOf(era), data, "mapping"))); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestALongConversationThatIsNotAsItShouldBe is mended, counted and read as any other.
func TestALongConversationThatIsNotAsItShouldBe(t *testing.T) {
	files, truth := gen.ChatGPTFiles(gen.ChatGPTOptions{Seed: 9, Conversations: 1, Turns: 9})
	whole := files[0].Data
	list, id := string(jsonstream.Member(whole[1:len(whole)-1], "mapping")), truth.Conversations[0].Path[3]
	for name, mapping := range map[string]string{
		"no Unicode":               strings.Replace(list, `"parts":["`, `"parts":["`+"\xff"+`\ud83d`, 3),
		"a node that stands twice": `{"` + id + `":{"id":"` + id + `","message":null,"parent":null,"children":[]},` + list[1:],
		"a member that does":       strings.Replace(list, `"author":`, `"author":{"role":"nobody"},"author":`, 2),
		"a node that is none":      `{"x":null,"y":[1],` + list[1:len(list)-1] + `,"z":"text"}`,
		"nodes without ids":        strings.ReplaceAll(list, `"id":"`+id, `"id":"other`),
		"a node with an empty key": `{"":{"id":"` + id + `x","message":null,"parent":"` + id + `","children":[]},` + list[1:],
		"no object":                `[` + strings.Repeat("1,", 40) + `1]`,
		"no JSON":                  list[:len(list)-1] + `,"a":tru}`,
		"another bracket":          list[:len(list)-1] + `]`,
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte(strings.Replace(string(whole), list, mapping, 1))
			long := bytes.Replace(text, []byte(`},"`), []byte(`},`+strings.Repeat(" ", 17<<20)+`"`), 1)
			if name != "no JSON" && name != "another bracket" {
				long = gen.Spread("conversations.json", text, "mapping")
			}
			if d := cmp.Diff(told(t, "conversations.json", text), told(t, "conversations.json", long)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestTheTextOfALongConversationIsLetGoOf: of a text of which nothing stays less and less
// is held while its messages are translated, in whatever order they stand in the file, and
// nothing once they are.
func TestTheTextOfALongConversationIsLetGoOf(t *testing.T) {
	const count, blanks = 200, 90 << 10
	export := func(blanks int) []byte {
		nodes := make([]string, count)
		for at, i := range rand.New(rand.NewPCG(1, 2)).Perm(count) {
			nodes[at] = fmt.Sprintf(`"%d":{"id":"%[1]d","parent":"%d","message":{%s"id":"%[1]d","author":{"role":"user"},"content":{"content_type":"odd"},"metadata":{"n":%[1]d}}}`, i+1, i, strings.Repeat(" ", blanks))
		}
		return []byte(`[{"id":"c","create_time":1719824400,"mapping":{` + strings.Join(nodes, ",") + `}}]`)
	}
	weigh := func(data []byte) *importertest.Weighing {
		w := &importertest.Weighing{Sink: newCollector()}
		if err := (chatgpt.Importer{}).Read(context.Background(), open(t, "conversations.json", data), w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	long := export(blanks)
	without, with := weigh(export(0)), weigh(long)
	if more := with.Whole - without.Whole; more > 2<<20 {
		t.Errorf("%d KiB more are in use than without white space", more>>10)
	}
	if n := len(with.Each); n != count {
		t.Fatalf("%d messages of %d", n, count)
	}
	all := with.Each[0] - with.Each[count-1]
	if half := with.Each[0] - with.Each[count/2]; all < 16<<20 || half < all/3 {
		t.Errorf("of %d KiB %d were let go of half-way", all>>10, half>>10)
	}
	runtime.KeepAlive(long)
}
