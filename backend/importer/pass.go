package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Pass is one run of a reader over the files of a tree. It reports what cannot
// be read and goes on with the rest. A file that breaks off ends the reading
// with an error, after everything else was read.
type Pass struct {
	Ctx  context.Context
	Tree *intake.Tree
	Sink Sink
	// Nests is that of the streams of its files.
	Nests *jsonstream.Nests

	said   KeySet          // source keys of memories given so far
	given  map[string]bool // conversations given so far
	file   string          // that is read
	broken error           // the first file that broke off
}

// NewPass begins a run.
func NewPass(ctx context.Context, tree *intake.Tree, sink Sink) *Pass {
	return &Pass{Ctx: ctx, Tree: tree, Sink: sink, said: KeySet{}, given: map[string]bool{}}
}

// Record is one element of a JSON file, or one line of a file of lines.
type Record struct {
	File intake.File
	At   int // from 1
	Raw  jsontext.Value
	// Sum and Nodes are those of the stream; a line has none.
	Sum   [32]byte
	Nodes []jsonstream.Node
}

// Begins notes which file is read: what a statement of it repeats was said once.
func (p *Pass) Begins(f intake.File) { p.file = nameOf(f) }

// nameOf tells a file from those of the same path in other sources.
func nameOf(f intake.File) string { return strconv.Itoa(f.Source) + ":" + f.Path }

// Elements gives the elements of a JSON text: of its top-level array, of the
// array under that member, or the whole object. Errors of take end everything.
func (p *Pass) Elements(f intake.File, under string, take func(Record) error) error {
	p.Begins(f)
	body, err := p.Tree.OpenText(p.Ctx, f)
	if err != nil {
		return p.Breaks(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	s := jsonstream.NewStream(f.Path, body)
	s.Under, s.Nests = under, p.Nests
	for raw, err := range s.All(p.Ctx) {
		var bad *jsonstream.BadElement
		switch {
		case errors.As(err, &bad):
			p.Sink.Problem(BadItem(f.Path, bad))
			continue
		case err != nil:
			return p.Breaks(err)
		}
		if err := take(Record{f, s.Index(), raw, s.Sum(), s.Nodes()}); err != nil {
			return err
		}
		p.Sink.Progress(p.Tree.Consumed())
	}
	TellMended(p.Sink, f.Path, s.Replaced(), s.Doubled())
	return nil
}

// JSONFiles gives the elements of every JSON file of the tree, or of the only
// file whatever it is called; others are counted. It ends the reading.
func (p *Pass) JSONFiles(take func(Record) error) error {
	elements := func(f intake.File) error { return p.Elements(f, "", take) }
	if err := EachFile(p.Tree, p.Sink, elements, ".json"); err != nil {
		return err
	}
	return p.End()
}

// Lines gives the lines of a file that holds one JSON value a line. A line that
// is none is a problem, the last one above all: a program that was writing it
// may have been stopped.
func (p *Pass) Lines(f intake.File, take func(Record) error) error {
	p.Begins(f)
	body, err := p.Tree.OpenText(p.Ctx, f)
	if err != nil {
		return p.Breaks(fmt.Errorf("open %s: %w", f.Path, err))
	}
	defer body.Close()
	l := jsonstream.NewLines(f.Path, body)
	for raw, err := range l.All(p.Ctx) {
		var bad *jsonstream.BadElement
		switch {
		case errors.As(err, &bad):
			p.Sink.Problem(Problem{Path: f.Path, At: "line " + strconv.Itoa(bad.Index), Fault: bad.Fault})
			continue
		case err != nil:
			return p.Breaks(err)
		}
		if err := take(Record{File: f, At: l.Index(), Raw: raw}); err != nil {
			return err
		}
		p.Sink.Progress(p.Tree.Consumed())
	}
	TellMended(p.Sink, f.Path, l.Replaced(), l.Doubled())
	return nil
}

// Text is a whole text file with plain line ends, "" for one that cannot be read.
func (p *Pass) Text(f intake.File) (string, error) {
	p.Begins(f)
	data, err := p.Tree.ReadAll(p.Ctx, f, MaxText)
	if err != nil {
		return "", p.Breaks(fmt.Errorf("read %s: %w", f.Path, err))
	}
	text, mended := PlainText(data)
	TellMended(p.Sink, f.Path, mended, 0)
	p.Sink.Progress(p.Tree.Consumed())
	return text, nil
}

// Problem reports one record.
func (p *Pass) Problem(r Record, f *fault.Error) {
	p.Sink.Problem(BadItem(r.File.Path, &jsonstream.BadElement{Index: r.At, Fault: f.With("at", r.At).With("name", r.File.Path)}))
}

// Breaks remembers that a file could not be read to its end. Only the end of
// the whole reading is returned.
func (p *Pass) Breaks(err error) error {
	if p.Ctx.Err() != nil {
		return p.Ctx.Err()
	}
	p.broken = cmp.Or(p.broken, err)
	return nil
}

// Remember gives one memory, unless the same statement was given before. A
// time that is known only as the last change stands for the first one too.
func (p *Pass) Remember(d MemoryDraft) error {
	if !d.IsFirst(p.said.Add) {
		p.Sink.Skipped("duplicate")
		return nil
	}
	if d.CreatedAt.IsZero() && !d.UpdatedAt.IsZero() {
		d.CreatedAt = d.UpdatedAt
		d.Metadata = maps.Clone(d.Metadata)
		if d.Metadata == nil {
			d.Metadata = map[string]any{}
		}
		d.Metadata[memory.CreatedFromKey] = "update"
	}
	if d.ConversationID == "" {
		d.File = p.file
	}
	return p.Sink.Memory(p.Ctx, d)
}

// Relate gives one relation between what statements are about, unless it was given
// before.
func (p *Pass) Relate(b Between) error {
	if !b.Otherwise.IsFirst(p.said.Add) {
		p.Sink.Skipped("duplicate")
		return nil
	}
	b.File = p.file
	return p.Sink.Relation(p.Ctx, RelationDraft{Relation: memory.Relation{Type: relationOf(b.Word)}, Between: &b})
}

// relationOf is the type of PAM that a word of the source names; any other word is a
// relation of which no more is known. That one memory replaces another is nothing that
// a relation between things says.
func relationOf(word string) memory.RelationType {
	word = strings.ToLower(strings.Join(strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), "_"))
	if t := memory.RelationType(word); t != memory.Supersedes && slices.Contains(memory.RelationTypes(), t) {
		return t
	}
	return memory.RelatedTo
}

// Begin starts the draft of a conversation, unless it was given before in the
// same reading, or is in the vault as it stands.
func (p *Pass) Begin(platform, native string, sum [32]byte, f intake.File) (*ConversationDraft, bool) {
	if p.given[native] {
		p.Sink.Skipped("duplicate")
		return nil, false
	}
	return p.BeginPart(platform, native, sum, f)
}

// BeginPart is Begin of a conversation that has an id of the provider's and of which
// several files of one reading may hold parts: each part is given, and the vault holds
// what all of them say.
func (p *Pass) BeginPart(platform, native string, sum [32]byte, f intake.File) (*ConversationDraft, bool) {
	p.given[native] = true
	if p.Sink.Unchanged(native, sum) {
		return nil, false
	}
	d := &ConversationDraft{Sum: sum, File: f.Base()}
	d.ID = ConversationID(platform, native)
	d.Provider = memory.Provider{Name: platform, ConversationID: native}
	return d, true
}

// FreeID is an id that no conversation of this reading has: two files may hold
// the same session.
func (p *Pass) FreeID(native string, f intake.File) string {
	if p.given[native] {
		return native + ":" + f.Path
	}
	return native
}

// Give hands a conversation over. One without a message is left out.
func (p *Pass) Give(d *ConversationDraft) error {
	if len(d.Messages) == 0 {
		p.Sink.Skipped(EmptyConversation)
		return nil
	}
	Dates(d)
	return p.Sink.Conversation(p.Ctx, *d)
}

// Store keeps bytes that stand inside a message sealed.
func (p *Pass) Store(name, mime string, data []byte) (memory.Attachment, error) {
	kind, _, _ := strings.Cut(mime, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "file"
	}
	return storeBytes(p.Ctx, p.Sink, memory.Attachment{Type: kind, Name: name, MIMEType: mime}, data)
}

// StoreURL keeps what a data: address holds; any other address is the name of a
// file that is not here.
func (p *Pass) StoreURL(name, address string) (memory.Attachment, error) {
	mime, data, ok := DataURL(address)
	if ok {
		return p.Store(FirstOf(name, "image"+Ending(mime)), mime, data)
	}
	if strings.HasPrefix(address, "data:") || address == "" || len(address) > 1000 {
		address = "file" // nothing that could be called so
	}
	name = FirstOf(name, path.Base(address))
	p.Sink.Missing(name)
	return memory.Attachment{Type: "file", Name: name, ProviderID: address}, nil
}

// End is what Read returns once everything was given.
func (p *Pass) End() error { return p.broken }
