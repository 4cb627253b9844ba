package gen

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// LongMessage makes an export with one conversation, whose question is of size
// bytes and its answer of a few words.
func LongMessage(seed uint64, size int) ([]byte, Truth) {
	e := &chatGPT{maker: newMaker(seed), ChatGPTOptions: ChatGPTOptions{Seed: seed, Bare: true}.orDefaults()}
	t := e.newTalk(0)
	var said strings.Builder
	for said.Len() < size {
		said.WriteString(t.sentence(12))
		said.WriteByte(' ')
	}
	t.plan.Said = []string{said.String()[:size]}
	t.say("user", textContent(t.plan.Said[0]), object{})
	t.say("assistant", textContent("Thank you."), object{"model_slug": "gpt-4o"})
	e.talks = append(e.talks, t.done())
	return Zip(e.files()), e.truth
}

// ManyFiles makes an export in which n messages name an upload each, every one
// another file of size bytes, perTalk to a conversation.
func ManyFiles(seed uint64, n, perTalk, size int) ([]byte, Truth) {
	e := &chatGPT{maker: newMaker(seed), ChatGPTOptions: ChatGPTOptions{Seed: seed, Bare: true}.orDefaults()}
	for made := 0; made < n; {
		t := e.newTalk(len(e.talks))
		for range min(perTalk, n-made) {
			id := "file-" + t.hex(12) + t.hex(10)
			data := append([]byte("\x89PNG\r\n\x1a\n"), strings.Repeat(t.hex(16), size/16+1)...)[:max(size, 24)]
			e.assets = append(e.assets, File{Name: fmt.Sprintf("%s-%d.png", id, made), Data: data, Store: true})
			t.upload(id, fmt.Sprintf("upload %d.png", made), len(data))
			made++
		}
		t.truth.Attachments = made
		e.talks = append(e.talks, t.done())
	}
	return Zip(e.files()), e.truth
}

// upload is a message with nothing but a file.
func (t *talkMaker) upload(id, name string, size int) {
	content := object{"content_type": "multimodal_text", "parts": []any{
		object{"content_type": "image_asset_pointer", "asset_pointer": "file-service://" + id, "size_bytes": size, "width": 8, "height": 8, "metadata": nil},
	}}
	t.say("user", content, object{"attachments": []any{object{"id": id, "name": name, "mime_type": "image/png", "size": size, "width": 8, "height": 8}}})
}

// TinyTalks writes an export of n conversations of a question and an answer each: more
// than fit into memory.
func TinyTalks(w io.Writer, seed uint64, n int) (Truth, error) {
	e := &chatGPT{maker: newMaker(seed), ChatGPTOptions: ChatGPTOptions{Seed: seed, Bare: true}.orDefaults()}
	z := zip.NewWriter(w)
	f, err := z.Create("conversations.json")
	if err != nil {
		return e.truth, err
	}
	out := bufio.NewWriter(f)
	for i := range n {
		t := e.newTalk(i)
		t.say("user", textContent(t.sentence(4)), object{})
		t.say("assistant", textContent("Thank you."), object{"model_slug": "gpt-4o"})
		before := ","
		if i == 0 {
			before = "["
		}
		_, _ = out.WriteString(before) // Flush has its error
		_, _ = out.Write(toJSON(t.done()))
		e.truth.Conversations[i] = Talk{}
	}
	_ = out.WriteByte(']')
	return e.truth, errors.Join(out.Flush(), z.Close())
}
