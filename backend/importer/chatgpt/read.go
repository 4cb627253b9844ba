package chatgpt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/importer/jsonstream"
	"keepsake/backend/intake"
)

// reader is one reading of one export.
type reader struct {
	sink    importer.Sink
	outer   *intake.Tree
	shelf   *shelf
	sources []source
	missing []string
	listed  bool              // by a manifest
	shards  []string          // names of all that there are
	sealed  map[string]sealed // by asset id
	taken   map[short]version // by the provider's id
	nodes   wireNodes         // memory for those of the next conversation
	memory  *remembered
	remarks *remarks
	others  []located     // files that only a message can say anything of
	handed  map[spot]bool // of them, and of assets
}

// version of a conversation that was taken in this reading. Overlapping
// exports hold the same one twice; the newest stands, of equally new ones the
// one with more nodes: a slim export leaves out what a full one tells.
type version struct {
	sum     short
	updated int64 // microseconds since 1970
	nodes   int32
}

// short stands for an id or a sum: an export may hold a million conversations, and these
// stay until its end.
type short [16]byte

func shortOf(id string) short {
	sum := sha256.Sum256([]byte(id))
	return short(sum[:])
}

// Read streams conversations one at a time, each followed by the memories it
// states. Peak memory is one conversation, the names of the assets and what
// was remembered.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	tree.Rewind()
	r := &reader{
		sink: sink, outer: tree, shelf: newShelf(), sealed: map[string]sealed{}, taken: map[short]version{},
		memory: newRemembered(), remarks: newRemarks(), handed: map[spot]bool{},
	}
	if err := r.unfold(ctx, tree, ""); err != nil {
		return err
	}
	for _, name := range r.missing {
		sink.Problem(importer.Problem{Path: name, Fault: fault.New(fault.NotFound, "shard-missing",
			"The export lists {file}, but does not hold it; the conversations in it are missing.").With("file", name).
			Advise("Download the export again; all parts belong together.")})
	}
	r.tellGaps()
	if len(r.sources) == 0 {
		return fault.New(fault.Invalid, "no-conversations", "{name} is an export of ChatGPT, but there are no conversations in it.").
			With("name", tree.Name()).Advise("Ask ChatGPT for a new export, and drop the zip exactly as it was downloaded.")
	}
	if err := r.files(ctx); err != nil {
		return err
	}
	if err := r.finish(ctx); err != nil {
		return err
	}
	for range r.remarks.left() {
		sink.Skipped("of-other-conversations")
	}
	r.countOthers()
	sink.Progress(tree.Size())
	return nil
}

// unfold surveys a tree and the archives inside it.
func (r *reader) unfold(ctx context.Context, tree *intake.Tree, account string) error {
	s, err := surveyTree(ctx, tree)
	if err != nil {
		return err
	}
	if len(s.accounts) > 0 {
		account = s.accounts[0]
	}
	for _, at := range s.sources {
		if at.account == "" {
			at.account = account
		}
		r.sources = append(r.sources, at)
	}
	r.missing = append(r.missing, s.missing...)
	r.others = append(r.others, s.others...)
	r.shards, r.listed = append(r.shards, s.shards...), r.listed || s.listed
	if err := r.stock(ctx, tree); err != nil {
		return err
	}
	for _, at := range s.nested {
		if err := r.unfoldNested(ctx, at, account); err != nil {
			return err
		}
	}
	return nil
}

// unfoldNested opens an archive inside the export; one that cannot be opened
// is a problem, the others go on.
func (r *reader) unfoldNested(ctx context.Context, at located, account string) error {
	nested, err := at.tree.Nested(ctx, at.file)
	if err == nil {
		for _, left := range nested.Refused() { // the outer tree's are reported by who opened it
			r.sink.Problem(importer.Problem{Path: left.Path, Fault: left.Fault})
		}
		return r.unfold(ctx, nested, account)
	}
	var f *fault.Error
	if ctx.Err() != nil || !errors.As(err, &f) {
		return err
	}
	r.sink.Problem(importer.Problem{Path: at.file.Path, Fault: f})
	return nil
}

// stock puts the files of a tree on the shelf and reads the lists of names.
func (r *reader) stock(ctx context.Context, tree *intake.Tree) error {
	for _, f := range tree.Files() {
		r.shelf.add(located{tree, f})
	}
	for _, f := range tree.Match("export_manifest.json") {
		if err := r.each(ctx, located{tree, f}, func(jsontext.Value) {}); err != nil { // what it lists, the survey knows
			return err
		}
	}
	for _, f := range tree.Match("conversation_asset_file_names.json") {
		if err := r.each(ctx, located{tree, f}, r.shelf.readNames); err != nil {
			return err
		}
	}
	for _, list := range besides {
		for _, f := range tree.Match(list + ".json") {
			err := r.each(ctx, located{tree, f}, func(v jsontext.Value) {
				if !r.remarks.read(list, v) {
					r.sink.Unknown(unread(list))
				}
			})
			if err != nil {
				return err
			}
		}
	}
	if err := r.countAsides(ctx, tree); err != nil {
		return err
	}
	for range tree.Match("user_settings.json") {
		r.sink.Skipped("account")
	}
	for _, f := range tree.Match("library_files.json") {
		if err := r.each(ctx, located{tree, f}, r.shelf.readLibraryFile); err != nil {
			return err
		}
	}
	return nil
}

// countAsides counts the rows that are of no conversation.
func (r *reader) countAsides(ctx context.Context, tree *intake.Tree) error {
	for _, list := range asides {
		for _, f := range tree.Match(list + ".json") {
			at := located{tree, f}
			head, err := importer.Head(ctx, at.tree, at.file, peekBytes)
			if err != nil {
				return r.damaged(ctx, at, err)
			}
			whole := bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \r\n\t"), []byte("{"))
			err = r.each(ctx, at, func(v jsontext.Value) {
				rows := 1
				if whole {
					rows = rowsIn(v)
				}
				for range rows {
					r.sink.Unknown(unread(list))
				}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tellGaps tells of parts that must be missing because later ones are there.
func (r *reader) tellGaps() {
	if r.listed {
		return
	}
	for _, name := range gaps(r.shards) {
		r.sink.Problem(importer.Problem{Path: name, Fault: fault.New(fault.NotFound, "shard-gap",
			"{file} is not here, although a later part of the export is; the conversations in it are missing.").With("file", name).
			Advise("Download the export again; all parts belong together.")})
	}
}

// countOthers counts the files that nothing was read of.
func (r *reader) countOthers() {
	for _, at := range r.others {
		if !r.handed[at.spot()] && !r.shelf.lists(at) && !isAsset(at.file) {
			r.sink.OtherFile(at.file)
		}
	}
}

// each reads a list beside the conversations; a broken one is a problem.
func (r *reader) each(ctx context.Context, at located, take func(jsontext.Value)) error {
	body, err := at.tree.OpenText(ctx, at.file)
	if err != nil {
		return r.damaged(ctx, at, err)
	}
	defer body.Close()
	stream := jsonstream.NewStream(at.file.Base(), body)
	for v, err := range stream.All(ctx) {
		if err != nil {
			return r.damaged(ctx, at, err)
		}
		take(v)
	}
	importer.TellMended(r.sink, at.file.Path, stream.Replaced(), stream.Doubled())
	return nil
}

// files reads every conversation file. One of several that cannot be read is a
// problem; where none can be, that is an error.
func (r *reader) files(ctx context.Context) error {
	var first error
	broken := 0
	for _, from := range r.sources {
		stopped, err := r.file(ctx, from)
		if err == nil {
			continue
		}
		if stopped || ctx.Err() != nil {
			return err
		}
		if broken++; first == nil {
			first = err
		}
		if len(r.sources) > 1 {
			r.sink.Problem(importer.Problem{Path: from.file.Path, Fault: fault.From(err)})
		}
	}
	if broken == len(r.sources) {
		return first
	}
	return nil
}

// file reads one conversation file. stopped means that the receiving side
// ended the reading.
func (r *reader) file(ctx context.Context, from source) (stopped bool, err error) {
	if from.format == formatPage {
		r.tellPage(from)
	}
	body, err := from.open(ctx)
	if err != nil {
		return false, err
	}
	defer body.Close()
	stream := jsonstream.NewStream(from.file.Base(), body)
	stream.Known = r.sink
	stream.Apart = []string{"mapping"}
	for v, err := range stream.All(ctx) {
		var bad *jsonstream.BadElement
		switch {
		case errors.Is(err, jsonstream.ErrKnown):
			r.sink.Unchanged("", stream.Sum())
		case errors.As(err, &bad):
			r.problem(from, bad.Index, bad.Fault)
		case err != nil:
			return false, err
		default:
			if err := r.conversation(ctx, v, from, stream); err != nil {
				return true, err
			}
		}
		r.sink.Progress(r.outer.Consumed())
	}
	importer.TellMended(r.sink, from.file.Path, stream.Replaced(), stream.Doubled())
	return false, nil
}

func (r *reader) problem(from source, index int, f *fault.Error) {
	r.sink.Problem(importer.Problem{Path: from.file.Path, At: "conversation " + strconv.Itoa(index), Fault: f, Conversation: true})
}

// conversation reads one element. What is in the vault as it stands is not
// parsed at all.
func (r *reader) conversation(ctx context.Context, v jsontext.Value, from source, stream *jsonstream.Stream) error {
	sum := stream.Sum()
	t := &talk{ends: stream.Ends()}
	t.wire.nodes = r.nodes
	defer r.release(t)
	readable := names.Fill(v, t.ends, &t.wire)
	for piece := range stream.Pieces().Taken() {
		t.take(piece)
	}
	native, updated := cmp.Or(text(t.wire.ConversationID), text(t.wire.ID)), moment(t.wire.UpdateTime)
	this := version{short(sum[:]), updated.UnixMicro(), int32(len(t.wire.nodes))}
	if r.has(native, this) {
		r.sink.Skipped("duplicate")
		return nil
	}
	if native != "" && r.sink.Unchanged(native, sum) {
		r.taken[shortOf(native)] = this
		return nil
	}
	if !readable || !importer.IsNothing(t.wire.Mapping) && t.wire.Mapping.Kind() != '{' {
		r.problem(from, stream.Index(), fault.New(fault.Invalid, "conversation-unreadable",
			"Item {at} of {file} is not a conversation that Keepsake understands.").
			With("at", stream.Index()).With("file", from.file.Base()))
		return nil
	}
	t.graph = newGraph(t.wire.nodes)
	if native == "" {
		native = t.nativeOf()
		if r.sink.Unchanged(native, sum) {
			return nil
		}
	}
	r.taken[shortOf(native)] = this
	if !t.graph.hasMessages() {
		r.sink.Skipped(importer.EmptyConversation)
		return nil
	}
	return r.send(ctx, t, from, stream)
}

// release takes the memory of a conversation's nodes back once nobody needs them.
func (r *reader) release(t *talk) {
	if t.wire.nodes != nil {
		r.nodes = t.wire.nodes.emptied()
	}
	t.wire.nodes, t.graph = nil, nil
}

// has reports that this reading took the same version already, or a better one.
func (r *reader) has(native string, v version) bool {
	if native == "" {
		return false
	}
	have, ok := r.taken[shortOf(native)]
	if !ok {
		return false
	}
	newer := cmp.Compare(v.updated, have.updated)
	return have.sum == v.sum || newer < 0 || newer == 0 && v.nodes <= have.nodes
}

// send gives a conversation on, then what it states.
func (r *reader) send(ctx context.Context, t *talk, from source, stream *jsonstream.Stream) error {
	d, err := r.draft(ctx, t, from)
	if err != nil {
		return err
	}
	r.remarks.join(&d)
	d.Sum, d.Outline = stream.Sum(), stream.Outline()
	for range t.graph.twice {
		r.sink.Skipped("duplicate-node")
	}
	r.release(t) // the draft may be large by itself
	if err := r.sink.Conversation(ctx, d); err != nil {
		return err
	}
	if jsonstream.True(t.wire.DoNotRemember) {
		for range t.statements {
			r.sink.Skipped("do-not-remember")
		}
		return nil
	}
	for _, s := range t.statements {
		seen := s.seen
		if seen.IsZero() {
			seen = d.Temporal.CreatedAt
		}
		if s.snapshot && seen.After(r.memory.snapshot.Time) {
			r.memory.snapshot = seen
		}
		if err := r.take(ctx, s.statement, &d, seen); err != nil {
			return err
		}
	}
	return nil
}
