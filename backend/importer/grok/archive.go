package grok

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// line is one message of an X archive.
type line struct {
	file intake.File
	raw  jsontext.Value // the object under grokChatItem
	at   memory.Time
}

// readArchives goes over the scripts twice: messages of a chat may stand in
// several.
func (r *reading) readArchives(files []intake.File) error {
	var pile importer.Pile[line]
	for _, r.Quiet = range []bool{true, false} {
		for _, f := range files {
			err := r.script(f, func(it importer.Item, chat string, l line) error {
				if r.Quiet {
					pile.Expect(chat)
					return nil
				}
				rows, refused := pile.Put(chat, l, len(l.raw))
				if refused {
					r.TooLarge(f, it.At, true, jsonstream.MaxElement)
				}
				return r.chat(rows)
			})
			if err != nil {
				return err
			}
		}
	}
	for _, rows := range pile.Rest() {
		if err := r.chat(rows); err != nil {
			return err
		}
	}
	return nil
}

// script gives the messages of one script, with the chat of each.
func (r *reading) script(f intake.File, take func(importer.Item, string, line) error) error {
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	text := bufio.NewReader(body)
	if _, err := text.ReadString('='); err != nil && err != io.EOF {
		return r.Break(err)
	}
	return r.ElementsOf(f, text, func(it importer.Item) error {
		v := jsonstream.Member(it.Raw, "grokChatItem")
		chat := importer.TextIn(v, "chatId")
		if chat == "" {
			r.Bad(it, false, fault.New(fault.Invalid, "grok-not-a-message", "Item {at} of {name} is not a message of a Grok chat and was left out."))
			return nil
		}
		return take(it, chat, line{f, v, when(jsonstream.Member(v, "createdAt"))})
	})
}

// chat gives one chat of an X archive; no lines are none.
func (r *reading) chat(lines []line) error {
	if len(lines) == 0 {
		return nil
	}
	inOrder(lines)
	id := importer.TextIn(lines[0].raw, "chatId")
	h := sha256.New()
	for _, l := range lines {
		h.Write(l.raw)
		h.Write([]byte{0})
	}
	d, ok := r.Begin(platform, id, [32]byte(h.Sum(nil)), lines[0].file)
	if !ok {
		return nil
	}
	d.Provider.AccountID, d.Provider.ExportFormatVersion = importer.TextIn(lines[0].raw, "accountId"), "x-archive"
	for _, l := range lines {
		d.AlsoFrom(l.file.Base())
	}
	d.Messages = make([]memory.Message, 0, len(lines))
	t := importer.NewThread(d)
	var owner importer.Owner
	for i, l := range lines {
		m := r.lineMessage(l)
		owner.Own(&m)
		lines[i] = line{} // of a long chat what was read twice would be much
		m.ParentID = t.Last()
		if d.Title == "" && m.Role == memory.User {
			d.Title = importer.TitleOf(m.Content.PlainText())
		}
		t.Add(m)
	}
	t.Join(t.Last(), "parent")
	return r.Sink.Conversation(r.Ctx, *d)
}

// inOrder puts lines into the order they were said. Archives are written newest
// first or oldest first; of equal times the order of the file counts.
func inOrder(lines []line) {
	if first, last := lines[0].at, lines[len(lines)-1].at; first.Compare(last) > 0 {
		slices.Reverse(lines)
	}
	if !slices.ContainsFunc(lines, func(l line) bool { return l.at.IsZero() }) {
		slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	}
}

// lineMessage translates a message. It has no id of its own: one is made of
// what it says and when, so that a newer archive gives the same.
func (r *reading) lineMessage(l line) memory.Message {
	m := memory.Message{CreatedAt: l.at}
	who := jsonstream.Member(l.raw, "sender")
	sender, _ := jsonstream.Text(who)
	m.Role = r.role(&m, importer.FirstOf(importer.TextIn(who, "name"), sender))
	said := importer.TextIn(l.raw, "message")
	m.ID = importer.ConversationID(platform, fmt.Sprintf("%s\x00%s\x00%s\x00%s", importer.TextIn(l.raw, "chatId"), l.at, m.Role, said))
	m.Content = importer.Words(undrawn(said))
	importer.KeepOthers(&m.RawMetadata, l.raw, "chatId", "accountId", "createdAt", "message", "sender")
	if who.Kind() == '{' {
		importer.KeepRaw(&m.RawMetadata, "sender", jsonstream.Keep(who))
	}
	if undrawn(said) != said {
		importer.KeepText(&m.RawMetadata, "message", said)
	}
	return m
}
