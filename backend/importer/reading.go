package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Reading is one run of a reader over the files of a tree. It reports what cannot be
// read and goes on with the rest, and what was given once is not given again. A file
// that breaks off ends the reading with an error, after everything else was read.
type Reading struct {
	Ctx  context.Context
	Tree *intake.Tree
	Sink Sink
	// Nests and Apart are those of the streams of its files.
	Nests *jsonstream.Nests
	Apart []string
	// Quiet passes over a file say nothing of bad elements: another will.
	Quiet bool
	// Whole says that the elements of the files at hand are conversations.
	Whole bool
	// CreatedFrom says of a memory what its time was derived from, where only that of its
	// last change is known.
	CreatedFrom string

	said   KeySet          // source keys of memories given so far
	given  map[string]bool // conversations given so far
	file   string          // that is read
	broken error           // the first file that broke off
	failed error           // of the receiving side
}

// NewReading begins a run.
func NewReading(ctx context.Context, tree *intake.Tree, sink Sink) *Reading {
	return &Reading{Ctx: ctx, Tree: tree, Sink: sink, CreatedFrom: "update", said: KeySet{}, given: map[string]bool{}}
}

// Item is one element of a JSON file, or one line of a file of lines.
type Item struct {
	File intake.File
	At   int    // from 1
	In   string // the member that holds it, as Stream.In
	Raw  jsontext.Value
	// Sum, Nodes and Pieces are those of the stream; a line has none.
	Sum    [32]byte
	Nodes  []jsonstream.Node
	Pieces jsonstream.Pieces
}

// Begins notes which file is read: what a statement of it repeats was said once.
func (r *Reading) Begins(f intake.File) { r.file = nameOf(f) }

// nameOf tells a file from those of the same path in other sources.
func nameOf(f intake.File) string { return strconv.Itoa(f.Source) + ":" + f.Path }

// Files gives the files of the tree that end so, or its only file whatever it is called,
// to take; others are counted. An error of take ends it. It ends the reading.
func (r *Reading) Files(take func(intake.File) error, endings ...string) error {
	for _, f := range r.Tree.Files() {
		if !HasEnding(f, endings...) && len(r.Tree.Files()) > 1 {
			r.Sink.OtherFile(f)
		} else if err := take(f); err != nil {
			return err
		}
	}
	return r.End()
}

// JSONFiles is Files with the elements of JSON files.
func (r *Reading) JSONFiles(take func(Item) error) error {
	return r.Files(func(f intake.File) error { return r.Elements(f, take) }, ".json")
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

// EachElement is Elements of one file after another.
func (r *Reading) EachElement(files []intake.File, take func(Item) error, under ...string) error {
	for _, f := range files {
		if err := r.Elements(f, take, under...); err != nil {
			return err
		}
	}
	return nil
}

// ElementsOf is Elements of a text that is part of a file.
func (r *Reading) ElementsOf(f intake.File, body io.Reader, take func(Item) error, under ...string) error {
	r.Begins(f)
	s := jsonstream.NewStream(f.Path, body)
	s.Nests, s.Apart = r.Nests, r.Apart
	if len(under) > 0 {
		s.Under, s.Also = under[0], under[1:]
	}
	return r.each(f, "item ", s, func(raw jsontext.Value) error {
		return take(Item{f, s.Index(), s.In(), raw, s.Sum(), s.Nodes(), s.Pieces()})
	})
}

// Lines gives the lines of a file that holds one JSON value a line. A line that
// is none is a problem, the last one above all: a program that was writing it
// may have been stopped.
func (r *Reading) Lines(f intake.File, take func(Item) error) error {
	r.Begins(f)
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	return r.LinesOf(f, body, take)
}

// LinesOf is Lines of a text that is part of a file.
func (r *Reading) LinesOf(f intake.File, body io.Reader, take func(Item) error) error {
	l := jsonstream.NewLines(f.Path, body)
	return r.each(f, "line ", l, func(raw jsontext.Value) error {
		return take(Item{File: f, At: l.Index(), Raw: raw})
	})
}

// cut is a text that is read element by element, or line by line.
type cut interface {
	All(context.Context) iter.Seq2[jsontext.Value, error]
	Index() int
	Replaced() int
	Doubled() int
}

// each gives what a text is cut into; unit is what a report calls it.
func (r *Reading) each(f intake.File, unit string, text cut, take func(jsontext.Value) error) error {
	for raw, err := range text.All(r.Ctx) {
		var bad *jsonstream.BadElement
		switch {
		case errors.As(err, &bad):
			r.bad(f, unit, bad.Index, r.Whole, bad.Fault)
			continue
		case err != nil:
			return r.Break(err)
		}
		if err := take(raw); err != nil {
			return err
		}
		r.Progress()
	}
	if !r.Quiet {
		TellMended(r.Sink, f.Path, text.Replaced(), text.Doubled())
	}
	return nil
}

// Text is a whole text file with plain line ends, "" for one that cannot be read.
func (r *Reading) Text(f intake.File) (string, error) {
	r.Begins(f)
	data, err := r.Tree.ReadAll(r.Ctx, f, MaxText)
	if err != nil {
		return "", r.Break(fmt.Errorf("read %s: %w", f.Path, err))
	}
	text, mended := PlainText(data)
	TellMended(r.Sink, f.Path, mended, 0)
	r.Progress()
	return text, nil
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

// End is the first file that broke off, nil where none did.
func (r *Reading) End() error { return r.broken }

// Progress reports how much of the tree was read.
func (r *Reading) Progress() { r.Sink.Progress(r.Tree.Consumed()) }

// Notice tells something about a file as a whole.
func (r *Reading) Notice(f intake.File, why *fault.Error) {
	r.Sink.Problem(Problem{Path: f.Path, Fault: why})
}

// BadIn reports what of a file cannot be taken, and where in it that is.
func (r *Reading) BadIn(f intake.File) func(at string, why *fault.Error) error {
	return func(at string, why *fault.Error) error {
		r.Sink.Problem(Problem{Path: f.Path, At: at, Fault: why})
		return r.Ctx.Err()
	}
}

// Bad reports an element that cannot be taken. {at} and {name} of the fault are
// filled in.
func (r *Reading) Bad(it Item, conversation bool, f *fault.Error) {
	r.bad(it.File, "item ", it.At, conversation, f.With("at", it.At).With("name", it.File.Path))
}

func (r *Reading) bad(f intake.File, unit string, at int, conversation bool, why *fault.Error) {
	if !r.Quiet {
		r.Sink.Problem(Problem{Path: f.Path, At: unit + strconv.Itoa(at), Conversation: conversation, Fault: why})
	}
}

// TooLarge reports an element that is larger, or put together from more, than limit:
// what is held of one, in bytes.
func (r *Reading) TooLarge(f intake.File, at int, conversation bool, limit int64) {
	r.Bad(Item{File: f, At: at}, conversation, fault.New(fault.TooLarge, "item-too-large",
		"Item {at} of {name} is larger than {limit} MiB and was left out.").With("limit", limit>>20))
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

// Remember gives one memory, unless the same statement was given before. One without a
// type is sorted by its words. A time that is known only as the last change stands for
// the first one too.
func (r *Reading) Remember(d MemoryDraft) error {
	if !d.IsFirst(r.said.Add) {
		r.Sink.Skipped("duplicate")
		return nil
	}
	if d.Type == "" {
		d.Type = GuessType(d.Content)
	}
	d.Decay = DecayOf(d.Type)
	if d.CreatedAt.IsZero() && !d.UpdatedAt.IsZero() {
		d.CreatedAt = d.UpdatedAt
		d.Metadata = maps.Clone(d.Metadata)
		if d.Metadata == nil {
			d.Metadata = map[string]any{}
		}
		d.Metadata[memory.CreatedFromKey] = r.CreatedFrom
	}
	if d.ConversationID == "" && d.File == "" {
		d.File = r.file
	}
	return r.Sink.Memory(r.Ctx, d)
}

// Relate gives one relation between what statements are about, unless it was given
// before.
func (r *Reading) Relate(b Between) error {
	if !b.Otherwise.IsFirst(r.said.Add) {
		r.Sink.Skipped("duplicate")
		return nil
	}
	b.Otherwise.Decay = DecayOf(b.Otherwise.Type)
	b.File = r.file
	return r.Sink.Relation(r.Ctx, RelationDraft{Relation: memory.Relation{Type: relationOf(b.Word)}, Between: &b})
}

// relationOf is the type of PAM that a word of the source names; any other word is a
// relation of which no more is known. That one memory replaces another is nothing that
// a relation between things says.
func relationOf(word string) memory.RelationType {
	t := memory.RelationType(strings.Join(wordsOf(word), "_"))
	if t != memory.Supersedes && slices.Contains(memory.RelationTypes(), t) {
		return t
	}
	return memory.RelatedTo
}

// IsNew reports whether a conversation is still to be read: it is not when it was given
// before in this reading, or when the vault holds it as it stands. Native is the
// provider's id, "" where there is none.
func (r *Reading) IsNew(id, native string, sum [32]byte) bool {
	if r.given[id] {
		r.Sink.Skipped("duplicate")
		return false
	}
	r.given[id] = true
	return !r.Sink.Unchanged(native, sum)
}

// Begin starts the draft of a conversation that is still to be read.
func (r *Reading) Begin(platform, native string, sum [32]byte, f intake.File) (*ConversationDraft, bool) {
	if !r.IsNew(native, native, sum) {
		return nil, false
	}
	return draft(platform, native, sum, f), true
}

// BeginPart is Begin of a conversation that has an id of the provider's and of which
// several files of one reading may hold parts: each part is given, and the vault holds
// what all of them say.
func (r *Reading) BeginPart(platform, native string, sum [32]byte, f intake.File) (*ConversationDraft, bool) {
	r.given[native] = true
	if r.Sink.Unchanged(native, sum) {
		return nil, false
	}
	return draft(platform, native, sum, f), true
}

func draft(platform, native string, sum [32]byte, f intake.File) *ConversationDraft {
	d := &ConversationDraft{Sum: sum, File: f.Base()}
	d.ID = ConversationID(platform, native)
	d.Provider = memory.Provider{Name: platform, ConversationID: native}
	return d
}

// FreeID is an id that no conversation of this reading has: two files may hold
// the same session.
func (r *Reading) FreeID(native string, f intake.File) string {
	if r.given[native] {
		return native + ":" + f.Path
	}
	return native
}

// Give hands a conversation over. One without a message is left out.
func (r *Reading) Give(d *ConversationDraft) error {
	if len(d.Messages) == 0 {
		r.Sink.Skipped(EmptyConversation)
		return nil
	}
	Dates(d)
	return r.Sink.Conversation(r.Ctx, *d)
}

// StoreURL keeps what a data: address holds; any other address is the name of a
// file that is not here.
func (r *Reading) StoreURL(name, address string) (memory.Attachment, error) {
	if mime, data, ok := DataURL(address); ok {
		a, err := r.Store(FirstOf(name, "image"+Ending(mime)), mime, data)
		if a.Type == "document" {
			a.Type = "file"
		}
		return a, err
	}
	if strings.HasPrefix(address, "data:") || address == "" || len(address) > 1000 {
		address = "file" // nothing that could be called so
	}
	name = FirstOf(name, path.Base(address))
	r.Sink.Missing(name)
	return memory.Attachment{Type: "file", Name: name, ProviderID: address}, nil
}
