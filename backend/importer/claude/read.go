package claude

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// Read streams users first (names of people), then projects, memories,
// conversations and design chats. A file that breaks off ends the reading with
// an error, after everything else was read.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := look(ctx, tree, 0)
	if err != nil {
		return fmt.Errorf("look at files: %w", err)
	}
	p := &passes{Sink: sink, count: 1}
	r := &reading{
		Reading: importer.NewReading(ctx, tree, p), survey: s, passes: p,
		people: map[string]string{}, names: map[string]string{}, pages: artifacts(s.files[frames]),
	}
	r.CreatedFrom = "file"
	if len(s.files[conversations]) > 1 {
		p.count = 2
	}
	for _, step := range []func() error{
		r.readUsers, r.readProjects, r.readConversations, r.readMemories, r.readDesigns, r.readCut, r.countRest,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.End()
}

// reading is one run over one tree.
type reading struct {
	*importer.Reading
	survey *survey
	passes *passes

	people map[string]string // account id → name
	names  map[string]string // project id → name
	reads  string            // the file at hand
	pages  map[string]*artifact
}

// passes is the sink of conversations that may be gone over twice.
type passes struct {
	importer.Sink
	count int64 // of passes
	read  int64 // bytes that earlier ones have reported
}

func (p *passes) Progress(done int64) { p.Sink.Progress(p.read + done/p.count) }

// texts are the raw element, and what was cut off from it.
func texts(it importer.Item) []jsontext.Value {
	return append([]jsontext.Value{it.Raw}, it.Pieces.List...)
}

// messages yields those of the list of that name, of which first is in the raw element.
// A piece is let go of once its messages were taken.
func messages(it importer.Item, name string, first jsontext.Value) iter.Seq2[int, jsontext.Value] {
	return func(yield func(int, jsontext.Value) bool) {
		n := 0
		each := func(list jsontext.Value) bool {
			for _, v := range jsonstream.Items(list) {
				if !yield(n, v) {
					return false
				}
				n++
			}
			return true
		}
		if !each(first) || name != it.Pieces.Of {
			return
		}
		for piece := range it.Pieces.Taken() {
			if !each(piece) {
				return
			}
		}
	}
}

// each gives the elements of the files to take, one at a time. Errors of take
// end everything; a file that breaks off is remembered.
func (r *reading) each(k kind, take func(importer.Item) error) error {
	if r.Whole, r.Apart = k == conversations, nil; r.Whole {
		r.Apart = []string{"chat_messages", "messages"}
	}
	for _, f := range r.survey.files[k] {
		r.reads = f.Path
		if err := r.Elements(f, take); err != nil {
			return err
		}
	}
	return nil
}

// quietly is each of a pass behind which another tells what is wrong with the files.
func (r *reading) quietly(k kind, take func(importer.Item) error) error {
	r.Quiet = true
	defer func() { r.Quiet = false }()
	return r.each(k, take)
}

// remember gives one memory of the file at hand.
func (r *reading) remember(d importer.MemoryDraft) error {
	d.File = r.reads
	return r.Remember(d)
}

func with(m map[string]any, name string, value any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[name] = value
	return m
}

func (r *reading) readUsers() error {
	return r.each(users, func(it importer.Item) error {
		id, name := importer.TextIn(it.Raw, "uuid"), importer.TextIn(it.Raw, "full_name")
		if id != "" {
			r.people[id] = name
		}
		r.Sink.Skipped("account")
		return nil
	})
}

// readCut says of files that break off too early to be known that they do.
func (r *reading) readCut() error { return r.each(cut, func(importer.Item) error { return nil }) }

// countRest accounts for the files that hold nothing to take.
func (r *reading) countRest() error {
	for k, reason := range map[kind]string{account: "account", manifest: "manifest", empty: "empty-file"} {
		for range r.survey.files[k] {
			r.Sink.Skipped(reason)
		}
	}
	for _, f := range r.survey.files[foreign] {
		r.Sink.OtherFile(f)
	}
	for _, page := range r.pages {
		if !page.used {
			r.Sink.Skipped("artifact-without-conversation")
		}
	}
	return nil
}
