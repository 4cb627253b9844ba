package bench

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"unicode/utf16"
)

// Size says how much an export holds. Of Bytes and Messages, the one that is
// reached first ends it.
type Size struct {
	Bytes    int64  `json:"bytes"`    // of conversations.json, about; 0 = any
	Messages int    `json:"messages"` // 0 = any
	Memories int    `json:"memories"` // written by the assistant, one a message
	Long     bool   `json:"long"`     // messages of a kilobyte in the middle instead of 700 bytes
	Note     string `json:"note"`     // other bytes around the same conversations
}

// Truth is what was planted.
type Truth struct {
	Conversations, Messages, Memories int
	Bytes                             int64
	Text                              int64 // bytes of the texts of messages
}

const seed = 20261121

// writer writes an export in the layout of 2024, as Python's json.dumps does.
type writer struct {
	out   *bufio.Writer
	rand  *rand.Rand
	words []string
	zipf  *rand.Zipf
	size  Size
	truth Truth
}

// WriteExport writes a ChatGPT export to path. The same size gives the same
// conversations.
func WriteExport(path string, size Size) (Truth, error) {
	return writeZip(path, size, func(w *writer, _ *zip.Writer) error { return w.all(w.conversation) })
}

// writeZip makes the zip with its conversations.json, which fill writes.
func writeZip(path string, size Size, fill func(*writer, *zip.Writer) error) (Truth, error) {
	f, err := os.Create(path)
	if err != nil {
		return Truth{}, fmt.Errorf("make export: %w", err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	if size.Note != "" {
		note, err := z.Create("note.txt")
		if err != nil {
			return Truth{}, fmt.Errorf("make export: %w", err)
		}
		_, _ = io.WriteString(note, size.Note)
	}
	entry, err := z.Create("conversations.json")
	if err != nil {
		return Truth{}, fmt.Errorf("make export: %w", err)
	}
	r := rand.New(rand.NewPCG(seed, uint64(size.Memories)))
	w := &writer{out: bufio.NewWriterSize(entry, 1<<20), rand: r, words: vocabulary(r), size: size}
	w.zipf = rand.NewZipf(r, 1.1, 4, uint64(len(w.words)-1))
	if err := fill(w, z); err != nil {
		return Truth{}, fmt.Errorf("make export: %w", err)
	}
	if err := z.Close(); err != nil {
		return Truth{}, fmt.Errorf("make export: %w", err)
	}
	return w.truth, f.Close()
}

func vocabulary(r *rand.Rand) []string {
	words := make([]string, 40_000)
	for i := range words {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteByte("bcdfghjklmnprstvz"[r.IntN(17)])
			b.WriteByte("aeiou"[r.IntN(5)])
			if r.IntN(3) == 0 {
				b.WriteByte("nrslmt"[r.IntN(6)])
			}
		}
		words[i] = b.String()
	}
	return words
}

func (w *writer) all(conversation func()) error {
	w.raw("[")
	for !w.full() {
		if w.truth.Conversations > 0 {
			w.raw(", ")
		}
		conversation()
	}
	w.raw("]")
	return w.out.Flush()
}

func (w *writer) full() bool {
	enough := w.size.Bytes > 0 && w.truth.Bytes >= w.size.Bytes || w.size.Messages > 0 && w.truth.Messages >= w.size.Messages
	return enough && w.truth.Memories >= w.size.Memories
}

func (w *writer) raw(s string) {
	n, _ := w.out.WriteString(s) // an error stays until Flush
	w.truth.Bytes += int64(n)
}

func (w *writer) id() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", w.rand.Uint32(), w.rand.IntN(1<<16), w.rand.IntN(1<<12), w.rand.IntN(1<<12), w.rand.Uint64()>>16)
}

func (w *writer) conversation() {
	at := 1.68e9 + w.rand.Float64()*9e7
	ids := make([]string, 3+w.rand.IntN(46)) // 25 in the middle, the root included
	for i := range ids {
		ids[i] = w.id()
	}
	w.raw(`{"title": ` + quoted(w.text(4)) + fmt.Sprintf(`, "create_time": %.6f, "update_time": %.6f, "mapping": {`, at, at+4000))
	for i, id := range ids {
		if i > 0 {
			w.raw(", ")
		}
		w.node(ids, i, id, at+float64(i)*30)
	}
	w.raw(`}, "moderation_results": [], "current_node": "` + ids[len(ids)-1] + `", "plugin_ids": null, "conversation_id": "` + w.id() +
		`", "conversation_template_id": null, "gizmo_id": null, "is_archived": false, "is_starred": null, "safe_urls": [], "blocked_urls": [], ` +
		`"default_model_slug": "gpt-4o", "conversation_origin": null, "voice": null, "async_status": null, "disabled_tool_ids": [], "is_do_not_remember": false}`)
	w.truth.Conversations++
}

func (w *writer) node(ids []string, i int, id string, at float64) {
	parent, children := "null", "[]"
	if i > 0 {
		parent = `"` + ids[i-1] + `"`
	}
	if i+1 < len(ids) {
		children = `["` + ids[i+1] + `"]`
	}
	w.raw(`"` + id + `": {"id": "` + id + `", "message": `)
	switch {
	case i == 0:
		w.raw("null")
	case i%2 == 1:
		w.message(id, "user", "all", at, w.text(w.length(userWords)), `{"serialization_metadata": {"custom_symbol_offsets": []}, "request_id": "`+w.id()+`", "message_source": null, "timestamp_": "absolute", "message_type": null}`)
	case w.truth.Memories < w.size.Memories:
		w.truth.Memories++
		w.message(id, "assistant", "bio", at, fmt.Sprintf("User keeps note %d: %s", w.truth.Memories, strings.ReplaceAll(w.text(12), "\n", " ")), `{"model_slug": "gpt-4o", "timestamp_": "absolute"}`)
	default:
		w.message(id, "assistant", "all", at, w.text(w.length(assistantWords)), `{"finish_details": {"type": "stop", "stop_tokens": [200002]}, "is_complete": true, "citations": [], "content_references": [], "message_type": null, "model_slug": "gpt-4o", "default_model_slug": "auto", "parent_id": `+parent+`, "request_id": "`+w.id()+`", "timestamp_": "absolute"}`)
	}
	if i > 0 {
		w.truth.Messages++
	}
	w.raw(`, "parent": ` + parent + `, "children": ` + children + `}`)
}

// Words of a message in the middle.
const (
	userWords      = 30
	assistantWords = 170
)

func (w *writer) message(id, role, recipient string, at float64, text, metadata string) {
	end := "null"
	if role == "assistant" {
		end = "true"
	}
	w.truth.Text += int64(len(text))
	w.raw(`{"id": "` + id + `", "author": {"role": "` + role + `", "name": null, "metadata": {}}, "create_time": ` + fmt.Sprintf("%.6f", at) +
		`, "update_time": null, "content": {"content_type": "text", "parts": [` + quoted(text) + `]}, "status": "finished_successfully", "end_turn": ` + end +
		`, "weight": 1.0, "metadata": ` + metadata + `, "recipient": "` + recipient + `", "channel": null}`)
}

func (w *writer) length(mean int) int {
	if w.size.Long {
		mean += mean / 2
	}
	return 3 + int(math.Abs(w.rand.NormFloat64()*0.6+1)*float64(mean))
}

// text is n words; one text in twelve is Chinese.
func (w *writer) text(n int) string {
	var b strings.Builder
	if w.rand.IntN(12) == 0 {
		for range n {
			b.WriteRune(rune(0x4e00 + w.rand.IntN(3000)))
		}
		return b.String()
	}
	for i := range n {
		if i > 0 {
			b.WriteString([]string{" ", " ", " ", " ", " ", " ", ", ", ". ", "\n"}[w.rand.IntN(9)])
		}
		b.WriteString(w.words[w.zipf.Uint64()])
	}
	return b.String()
}

// quoted writes a string in ASCII, as Python does.
func quoted(s string) string {
	plain, _ := json.Marshal(s)
	var b strings.Builder
	for _, r := range string(plain) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
