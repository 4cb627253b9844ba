package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Read streams users first (names of people), then projects, memories,
// conversations and design chats. A file that breaks off ends the reading with
// an error, after everything else was read.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	s, err := look(ctx, tree, 0)
	if err != nil {
		return fmt.Errorf("look at files: %w", err)
	}
	r := &reading{
		ctx: ctx, tree: tree, sink: sink, survey: s,
		people: map[string]string{}, names: map[string]string{}, said: map[string]bool{},
		pages: artifacts(s.files[frames]), passes: 1,
	}
	if len(s.files[conversations]) > 1 {
		r.passes = 2
	}
	for _, step := range []func() error{
		r.readUsers, r.readProjects, r.readConversations, r.readMemories, r.readDesigns, r.readCut, r.countRest,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return r.broken
}

// reading is one run over one tree.
type reading struct {
	ctx    context.Context
	tree   *intake.Tree
	sink   importer.Sink
	survey *survey

	people map[string]string // account id → name
	names  map[string]string // project id → name
	said   map[string]bool   // source keys of memories given so far
	reads  string            // the file at hand
	pages  map[string]*artifact
	halves int64 // bytes that earlier passes over the tree have reported
	passes int64 // over the conversations
	broken error // the first file that broke off
}

// item is one element of a JSON file.
type item struct {
	file   intake.File
	at     int // from 1
	raw    jsontext.Value
	pieces jsonstream.Pieces // of a conversation: the messages that are not in raw
	sum    [32]byte
}

// texts are the raw element, and what was cut off from it.
func (it item) texts() []jsontext.Value {
	return append([]jsontext.Value{it.raw}, it.pieces.List...)
}

// messages yields those of the list of that name, of which first is in the raw element.
// A piece is let go of once its messages were taken.
func (it item) messages(name string, first jsontext.Value) iter.Seq2[int, jsontext.Value] {
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
		if !each(first) || name != it.pieces.Of {
			return
		}
		for piece := range it.pieces.Taken() {
			if !each(piece) {
				return
			}
		}
	}
}

// each gives the elements of the files to take, one at a time. Errors of take
// end everything; a file that breaks off is remembered.
func (r *reading) each(k kind, take func(item) error) error {
	for _, f := range r.survey.files[k] {
		if err := r.elements(f, true, take); err != nil {
			return err
		}
	}
	return nil
}

// elements reads one file. Unless loud, nothing is reported about it: another
// pass will do that.
func (r *reading) elements(f intake.File, loud bool, take func(item) error) error {
	body, err := r.tree.OpenText(r.ctx, f)
	if err != nil {
		return r.breaks(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	r.reads = f.Path
	stream := jsonstream.NewStream(f.Path, body)
	if r.holdsConversations(f) {
		stream.Apart = []string{"chat_messages", "messages"}
	}
	for raw, err := range stream.All(r.ctx) {
		var bad *jsonstream.BadElement
		switch {
		case errors.As(err, &bad):
			if loud {
				r.report(bad, f)
			}
			continue
		case err != nil:
			return r.breaks(err)
		}
		if err := take(item{f, stream.Index(), raw, stream.Pieces(), stream.Sum()}); err != nil {
			return err
		}
		r.progress()
	}
	if loud {
		importer.TellMended(r.sink, f.Path, stream.Replaced(), stream.Doubled())
	}
	return nil
}

// breaks remembers that a file could not be read to its end. Only the end of
// the whole reading is returned.
func (r *reading) breaks(err error) error {
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	r.broken = cmp.Or(r.broken, err)
	return nil
}

func (r *reading) progress() {
	r.sink.Progress(r.halves + r.tree.Consumed()/r.passes)
}

// problem reports one item.
func (r *reading) problem(it item, f *fault.Error) {
	bad := jsonstream.BadElement{Index: it.at, Fault: f.With("at", it.at).With("name", it.file.Path)}
	r.report(&bad, it.file)
}

func (r *reading) report(bad *jsonstream.BadElement, f intake.File) {
	p := importer.BadItem(f.Path, bad)
	p.Conversation = r.holdsConversations(f)
	r.sink.Problem(p)
}

func (r *reading) holdsConversations(f intake.File) bool {
	return slices.ContainsFunc(r.survey.files[conversations], func(c intake.File) bool {
		return c.Source == f.Source && c.Path == f.Path
	})
}

// remember gives one memory, unless the same statement was given before.
func (r *reading) remember(d importer.MemoryDraft) error {
	isNew := func(key string) bool {
		known := r.said[key]
		r.said[key] = true
		return !known
	}
	if !d.IsFirst(isNew) {
		r.sink.Skipped("duplicate")
		return nil
	}
	if d.CreatedAt.IsZero() && !d.UpdatedAt.IsZero() {
		d.CreatedAt = d.UpdatedAt
		d.Metadata = with(d.Metadata, memory.CreatedFromKey, "file")
	}
	d.File = r.reads
	return r.sink.Memory(r.ctx, d)
}

func with(m map[string]any, name string, value any) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	m[name] = value
	return m
}

func (r *reading) readUsers() error {
	return r.each(users, func(it item) error {
		id, name := text(it.raw, "uuid"), text(it.raw, "full_name")
		if id != "" {
			r.people[id] = name
		}
		r.sink.Skipped("account")
		return nil
	})
}

// readCut says of files that break off too early to be known that they do.
func (r *reading) readCut() error {
	for _, f := range r.survey.cut {
		if err := r.elements(f, true, func(item) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// countRest accounts for the files that hold nothing to take.
func (r *reading) countRest() error {
	for k, reason := range map[kind]string{account: "account", manifest: "manifest", empty: "empty-file"} {
		for range r.survey.files[k] {
			r.sink.Skipped(reason)
		}
	}
	for _, f := range r.survey.files[foreign] {
		r.sink.OtherFile(f)
	}
	for _, page := range r.pages {
		if !page.used {
			r.sink.Skipped("artifact-without-conversation")
		}
	}
	return nil
}
