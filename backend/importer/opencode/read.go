package opencode

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read gives the session of each export, then those of the folder.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink), most: i.most}
	r.Whole = true
	store, others := shelve(tree.Files())
	for _, f := range others {
		shape, head, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		if !isExport(shape, head) && !(shape.Cut && importer.HasEnding(f, ".json")) {
			sink.OtherFile(f)
			continue
		}
		if err := r.export(f); err != nil {
			return err
		}
	}
	if err := r.stored(store); err != nil {
		return err
	}
	return r.End()
}

type reading struct {
	*importer.Reading
	most int64 // as Importer has it
}

// session is one conversation, from an export or from the folder.
type session struct {
	info     jsontext.Value
	rest     memory.RawMetadata // of the export, beside info and messages
	messages []spoken
	sum      [32]byte
	file     intake.File
}

// spoken is a message with its parts, in order.
type spoken struct {
	info  jsontext.Value
	parts []jsontext.Value
}

// export gives the session of a file that opencode printed.
func (r *reading) export(f intake.File) error {
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	text := bufio.NewReader(body)
	if err := skipStatus(text); err != nil {
		return r.Break(fmt.Errorf("read %s: %w", f.Path, err))
	}
	return r.ElementsOf(f, text, func(it importer.Item) error {
		info := jsonstream.Member(it.Raw, "info")
		if importer.TextIn(info, "id") == "" {
			r.Bad(it, true, fault.New(fault.Invalid, "opencode-not-a-session", "Item {at} of {name} is not a session of opencode and was left out."))
			return nil
		}
		s := session{info: info, rest: importer.Rest(it.Raw, "info", "messages"), sum: it.Sum, file: f}
		for _, m := range jsonstream.Items(jsonstream.Member(it.Raw, "messages")) {
			said := spoken{info: jsonstream.Member(m, "info")}
			for _, p := range jsonstream.Items(jsonstream.Member(m, "parts")) {
				said.parts = append(said.parts, p)
			}
			s.messages = append(s.messages, said)
		}
		return r.session(s)
	})
}

// maxStatus bounds what may stand before the JSON, in bytes.
const maxStatus = 4096

// skipStatus passes over the line that stands before the JSON, where there is one. It
// need not end with a line break.
func skipStatus(text *bufio.Reader) error {
	if head, _ := text.Peek(len(statusLine) + 3); !hasStatus(head) {
		return nil
	}
	for range maxStatus {
		c, err := text.ReadByte()
		if err != nil {
			return err
		}
		if c == '{' {
			return text.UnreadByte()
		}
	}
	return io.ErrUnexpectedEOF
}
