package llamacpp

import (
	"context"
	"crypto/sha256"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Read gives the conversations of each file.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{importer.NewReading(ctx, tree, sink)}
	for _, f := range tree.Files() {
		form := ""
		if importer.HasEnding(f, ".jsonl", ".json") || len(tree.Files()) == 1 {
			shape, _, err := importer.LookAt(ctx, tree, f)
			if err != nil {
				return err
			}
			if form = formOf(shape); form == "" && shape.Cut && importer.HasEnding(f, ".jsonl") {
				form = "lines" // too little is left of it to tell
			}
		}
		var err error
		switch form {
		case "lines":
			err = r.lines(f, i.most)
		case "list":
			r.Whole = true
			err = r.Elements(f, r.element)
			r.Whole = false
		default:
			sink.OtherFile(f)
		}
		if err != nil {
			return err
		}
	}
	return r.End()
}

type reading struct{ *importer.Reading }

// element is a conversation of a list.
func (r *reading) element(it importer.Item) error {
	conv := jsonstream.Member(it.Raw, "conv")
	if importer.TextIn(conv, "id") == "" {
		r.Bad(it, true, fault.New(fault.Invalid, "llama-cpp-not-a-conversation", "Item {at} of {name} is not a conversation of llama.cpp and was left out."))
		return nil
	}
	t := &talk{id: importer.TextIn(conv, "id"), head: conv}
	for _, m := range jsonstream.Items(jsonstream.Member(it.Raw, "messages")) {
		t.rows = append(t.rows, m)
	}
	return r.give(it.File, t)
}

// talk is a conversation that is put together.
type talk struct {
	id   string
	head jsontext.Value   // what is said of it as a whole
	rows []jsontext.Value // messages
}

// gathering sorts the lines of one file into conversations.
type gathering struct {
	*reading
	talks map[string]*talk
	order []string
	now   string // the conversation of the last line that names one
	seen  importer.KeySet
	size  importer.Session
}

func (r *reading) lines(f intake.File, most int64) error {
	g := &gathering{reading: r, talks: map[string]*talk{}, seen: importer.KeySet{}, size: importer.Session{Max: most}}
	if err := r.Lines(f, r.Within(&g.size, g.line, func() { g.order = nil })); err != nil {
		return err
	}
	for _, id := range g.order {
		if err := r.give(f, g.talks[id]); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathering) line(it importer.Item) error {
	v := it.Raw
	message := jsonstream.Member(v, "message")
	isSession := importer.TextIn(v, "type") == "session"
	if v.Kind() != '{' || !isSession && message.Kind() != '{' {
		g.Bad(it, false, fault.New(fault.Invalid, "llama-cpp-not-a-message", "Line {at} of {name} is not a message of llama.cpp and was left out."))
		return nil
	}
	if !g.seen.Add(string(v)) { // each has an id
		g.Sink.Skipped("duplicate")
		return nil
	}
	if isSession {
		g.now = importer.TextIn(v, "id")
		g.talk(g.now).head = v
	} else {
		g.now = importer.FirstOf(importer.TextIn(message, "convId"), g.now)
		t := g.talk(g.now)
		t.rows = append(t.rows, message)
	}
	g.size.Hold(len(v))
	return nil
}

func (g *gathering) talk(id string) *talk {
	if g.talks[id] == nil {
		g.talks[id] = &talk{id: id}
		g.order = append(g.order, id)
	}
	return g.talks[id]
}

// give makes a conversation of what was put together.
func (r *reading) give(f intake.File, t *talk) error {
	sum := sha256.New()
	sum.Write(t.head)
	for _, v := range t.rows {
		sum.Write(v)
	}
	d, ok := r.BeginPart(platform, t.id, [32]byte(sum.Sum(nil)), f)
	if !ok {
		return nil
	}
	d.Title = importer.Line(importer.TextIn(t.head, "name"))
	d.RawMetadata = importer.Rest(t.head, "type", "harness", "id", "name", "currNode", "lastModified")
	roots := map[string]bool{"root": true}
	for i, v := range t.rows {
		if importer.TextIn(v, "type") == "root" { // it holds the tree together and says nothing
			roots[importer.TextIn(v, "id")] = true
			r.Sink.Skipped("node-without-message")
		} else if err := r.message(d, v); err != nil {
			return err
		}
		t.rows[i] = nil // of a long conversation what was read twice would be much
	}
	for i := range d.Messages {
		if roots[d.Messages[i].ParentID] {
			d.Messages[i].ParentID = ""
		}
	}
	importer.Join(&d.Conversation, importer.TextIn(t.head, "currNode"), "parent")
	importer.Dates(d)
	if changed := importer.TimeIn(t.head, "lastModified"); !changed.IsZero() {
		d.Temporal.UpdatedAt = changed
	}
	return r.Give(d)
}
