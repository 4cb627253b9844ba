package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Reading is one run of a reader over one tree, with what all readers do alike:
// a file that breaks off is remembered while the others are read, and what was
// given once is not given again.
type Reading struct {
	Ctx  context.Context
	Tree *intake.Tree
	Sink Sink
	// Quiet passes over a file say nothing of bad elements: another will.
	Quiet bool

	given  map[string]bool // ids of conversations
	said   KeySet          // source keys of memories
	file   string          // that is read
	broken error           // the first file that broke off
	failed error           // of the receiving side
}

// NewReading begins a run.
func NewReading(ctx context.Context, tree *intake.Tree, sink Sink) *Reading {
	return &Reading{Ctx: ctx, Tree: tree, Sink: sink, given: map[string]bool{}, said: KeySet{}}
}

// Item is one element of a file.
type Item struct {
	File intake.File
	At   int    // from 1
	In   string // the member that holds it, as Stream.In
	Raw  jsontext.Value
}

// Elements gives the elements of a JSON file to take, one at a time: those of
// the arrays under the members of these names ("conversations" where none is
// given), of a top-level array, or the top-level object. An error of take ends
// the whole reading; a file that breaks off does not, End tells of it.
func (r *Reading) Elements(f intake.File, take func(Item) error, under ...string) error {
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	return r.ElementsOf(f, body, take, under...)
}

// ElementsOf is Elements of a text that is part of a file.
func (r *Reading) ElementsOf(f intake.File, body io.Reader, take func(Item) error, under ...string) error {
	r.file = nameOf(f)
	stream := jsonstream.NewStream(f.Path, body)
	if len(under) > 0 {
		stream.Under, stream.Also = under[0], under[1:]
	}
	for raw, err := range stream.All(r.Ctx) {
		var bad *jsonstream.BadElement
		if errors.As(err, &bad) {
			if !r.Quiet {
				r.Sink.Problem(BadItem(f.Path, bad))
			}
			continue
		}
		if err != nil {
			return r.Break(err)
		}
		if err := take(Item{f, stream.Index(), stream.In(), raw}); err != nil {
			return err
		}
		r.Progress()
	}
	if !r.Quiet {
		TellMended(r.Sink, f.Path, stream.Replaced(), stream.Doubled())
	}
	return nil
}

// Mended reports places of a file that were no text and were replaced.
func (r *Reading) Mended(f intake.File, count int) {
	TellMended(r.Sink, f.Path, count, 0)
}

// Break remembers that a file could not be read to its end. Only a context that
// is done is returned.
func (r *Reading) Break(err error) error {
	if r.Ctx.Err() != nil {
		return r.Ctx.Err()
	}
	r.broken = cmp.Or(r.broken, err)
	return nil
}

// Told remembers an error of the receiving side, by which Ended tells it from one
// of the file.
func (r *Reading) Told(err error) error {
	r.failed = err
	return err
}

// Ended is what an error means that ended the reading of a file: one of the
// receiving side ends everything, another is of the file, which broke off.
func (r *Reading) Ended(err error) error {
	if r.failed != nil {
		return r.failed
	}
	return r.Break(err)
}

// BadIn reports what of a file cannot be taken, and where in it that is.
func (r *Reading) BadIn(f intake.File) func(at string, why *fault.Error) error {
	return func(at string, why *fault.Error) error {
		r.Sink.Problem(Problem{Path: f.Path, At: at, Fault: why})
		return r.Ctx.Err()
	}
}

// End is the first file that broke off, nil where none did.
func (r *Reading) End() error { return r.broken }

// Progress reports how much of the tree was read.
func (r *Reading) Progress() { r.Sink.Progress(r.Tree.Consumed()) }

// Bad reports an element that cannot be taken. {at} and {name} of the fault are
// filled in.
func (r *Reading) Bad(it Item, conversation bool, f *fault.Error) {
	if r.Quiet {
		return
	}
	r.Sink.Problem(Problem{Path: it.File.Path, At: "item " + strconv.Itoa(it.At), Conversation: conversation,
		Fault: f.With("at", it.At).With("name", it.File.Path)})
}

// TooLarge reports a conversation that is put together from more than is held of
// one.
func (r *Reading) TooLarge(f intake.File, at int) {
	r.Sink.Problem(Problem{Path: f.Path, At: "item " + strconv.Itoa(at), Conversation: true,
		Fault: fault.New(fault.TooLarge, "item-too-large", "Item {at} of {name} is larger than {limit} MiB and was left out.").
			With("at", at).With("name", f.Path).With("limit", jsonstream.MaxElement>>20)})
}

// Begin reports whether a conversation is still to be read: it is not when it
// was given before in this reading, or when the vault holds it as it stands.
// Native is the provider's id, "" where there is none.
func (r *Reading) Begin(id, native string, sum [32]byte) bool {
	if r.given[id] {
		r.Sink.Skipped("duplicate")
		return false
	}
	r.given[id] = true
	return !r.Sink.Unchanged(native, sum)
}

// Remember gives one memory, unless the same statement was given before.
func (r *Reading) Remember(d MemoryDraft) error {
	if !d.IsFirst(r.said.Add) {
		r.Sink.Skipped("duplicate")
		return nil
	}
	if d.CreatedAt.IsZero() && !d.UpdatedAt.IsZero() {
		d.CreatedAt = d.UpdatedAt
		if d.Metadata == nil {
			d.Metadata = map[string]any{}
		}
		d.Metadata[memory.CreatedFromKey] = "file"
	}
	if d.ConversationID == "" {
		d.File = r.file
	}
	return r.Sink.Memory(r.Ctx, d)
}

// BadItem is an element that could not be taken, as an item of a report on its file.
func BadItem(path string, bad *jsonstream.BadElement) Problem {
	return Problem{Path: path, At: "item " + strconv.Itoa(bad.Index), Fault: bad.Fault}
}

// TellMended reports what of a file was no valid text, or stood in it twice.
func TellMended(sink Sink, path string, replaced, doubled int) {
	if replaced > 0 {
		sink.Problem(Problem{Path: path, Fault: fault.New(fault.Invalid, "text-mended",
			"{count} places in {file} were no valid text and were replaced by a mark.").With("count", replaced).With("file", path)})
	}
	if doubled > 0 {
		sink.Problem(Problem{Path: path, Fault: fault.New(fault.Invalid, "members-doubled",
			"In {file} {count} members stood before another of the same name. The last of each was read; the others are kept with their item as {member}, where its reader keeps what it does not understand. To have all of it, import the file again and keep the file itself (--keep-original).").
			With("file", path).With("count", doubled).With("member", jsonstream.Doubled)})
	}
}
