package sillytavern

import (
	"context"
	"crypto/sha256"
	"hash"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the chat of each file.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := importer.NewReading(ctx, tree, sink)
	for _, f := range tree.Files() {
		isMine := false
		if importer.HasEnding(f, ".jsonl") || len(tree.Files()) == 1 {
			shape, _, err := importer.LookAt(ctx, tree, f)
			if err != nil {
				return err
			}
			isMine = isChat(shape)
		}
		if !isMine {
			sink.OtherFile(f)
			continue
		}
		c := &chat{Reading: r, file: f, sum: sha256.New(), size: importer.Session{Max: i.most}, seen: importer.KeySet{}}
		if err := r.Lines(f, r.Within(&c.size, c.line, func() { c.rows = nil })); err != nil {
			return err
		}
		if err := c.give(); err != nil {
			return err
		}
	}
	return r.End()
}

// chat is one file.
type chat struct {
	*importer.Reading
	file    intake.File
	head    jsontext.Value   // the line about the chat
	rows    []jsontext.Value // messages
	unknown [][]byte         // lines of an unknown kind
	sum     hash.Hash
	size    importer.Session
	seen    importer.KeySet // lines
	again   bool            // the file stands in itself once more
}

func (c *chat) line(it importer.Item) error {
	v := it.Raw
	if v.Kind() != '{' {
		c.Bad(it, false, fault.New(fault.Invalid, "sillytavern-not-a-message", "Line {at} of {name} is not a message of SillyTavern and was left out."))
		return nil
	}
	isMessage := jsonstream.Member(v, "mes") != nil
	isHead := !isMessage && jsonstream.FirstMember(v, "chat_metadata", "user_name", "character_name") != nil
	isNew := c.seen.Add(string(v))
	// Of lines that are alike people may have said both, unless all of them come again.
	c.again = c.again || isHead && !isNew
	if c.again && !isNew {
		c.Sink.Skipped("duplicate")
		return nil
	}
	switch {
	case isMessage:
		c.rows = append(c.rows, v)
	case isHead && c.head == nil:
		c.head = v
	default:
		c.Sink.Unknown("line:other")
		c.unknown = append(c.unknown, v)
	}
	c.sum.Write(v)
	c.size.Hold(len(v))
	return nil
}

// give makes a conversation of the lines.
func (c *chat) give() error {
	if len(c.rows) == 0 {
		if c.head != nil && !c.size.Over() {
			c.Sink.Skipped(importer.EmptyConversation)
		}
		return nil
	}
	d, ok := c.BeginPart(platform, c.native(), [32]byte(c.sum.Sum(nil)), c.file)
	if !ok {
		return nil
	}
	created, zone := timeOf(jsonstream.Member(c.head, "create_date"))
	d.Temporal.CreatedAt = created
	d.RawMetadata = importer.Rest(c.head, "create_date")
	if len(c.unknown) > 0 {
		importer.KeepRaw(&d.RawMetadata, "unknown_lines", importer.List(c.unknown))
	}
	d.Messages = make([]memory.Message, 0, len(c.rows))
	last, asked := "", ""
	for i, v := range c.rows {
		m, err := c.message(v)
		if err != nil {
			return err
		}
		zone = zone || m.assumed
		last = m.addTo(d, last)
		if asked == "" && m.Role == memory.User {
			asked = m.selected()
		}
		c.rows[i] = nil // of a long chat what was read twice would be much
	}
	if zone {
		importer.KeepText(&d.RawMetadata, "keepsake_time_zone", "assumed-utc")
	}
	d.Title = titleOf(importer.TextIn(c.head, "character_name"), asked)
	importer.Join(&d.Conversation, last, "parent")
	return c.Give(d)
}

// unused stands where a chat of a group has no name.
const unused = "unused"

// titleOf is the name of the character with the first words of the person.
func titleOf(character, asked string) string {
	switch {
	case character == "" || character == unused:
		return importer.TitleOf(asked)
	case asked == "":
		return importer.Line(character)
	}
	return importer.TitleOf(character + ": " + asked)
}

// native is what a chat and its branches have in common: the mark that newer files hold,
// else when it was made, with whom, and how it begins.
func (c *chat) native() string {
	if mark := importer.TextIn(jsonstream.Member(c.head, "chat_metadata"), "integrity"); mark != "" {
		return mark
	}
	first := c.rows[0]
	begins := importer.TextIn(first, "mes")
	for _, v := range jsonstream.Items(jsonstream.Member(first, "swipes")) {
		begins, _ = jsonstream.Text(v)
		break
	}
	return "x-" + importer.Digest(importer.TextIn(c.head, "create_date"), importer.TextIn(c.head, "character_name"), importer.TextIn(first, "name"), begins)
}
