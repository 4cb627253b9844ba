package gen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// maker makes things up, always the same for the same seed.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 0x6b656570))} }

// uuid looks like the ids that providers give.
func (m maker) uuid() string {
	a, b := m.Uint64(), m.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}

// uuids are n of them.
func (m maker) uuids(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = m.uuid()
	}
	return list
}

// hex is n made-up hexadecimal digits, at most 16.
func (m maker) hex(n int) string { return fmt.Sprintf("%016x", m.Uint64())[:n] }

var words = strings.Fields(`the a of to and in for with from about garden recipe train river winter
	piano letter budget morning window market bicycle kitchen harbour notebook meeting travel lemon coffee
	language museum ticket weather bridge painting island forest paper engine signal orchard lantern compass`)

// sentence is n words, capitalised and ended.
func (m maker) sentence(n int) string {
	var b strings.Builder
	for i := range n {
		w := words[m.IntN(len(words))]
		if i == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	b.WriteByte('.')
	return b.String()
}

// start is when the first made-up conversation took place.
var start = time.Date(2024, 7, 1, 9, 0, 0, 0, time.UTC)

// seconds is a time as float seconds, as ChatGPT writes it.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// object is a JSON object; encoding/json sorts its members.
type object = map[string]any

func toJSON(v any) []byte {
	data, err := json.Marshal(v)
	must(err)
	return data
}
