package pam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// Importer reads Portable AI Memory. New makes one.
type Importer struct {
	rules func() (*schema.Set, error) // compiled once, when first asked for
}

// New is the reader as a list of readers wants it.
func New() Importer { return Importer{sync.OnceValues(schema.Compile)} }

// Info describes the reader. What it reads comes from any platform.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "pam", Name: "Portable AI Memory", Version: "pam/2026.12", Documents: true}
}

// Layouts.
const (
	single = "store"         // one document
	bundle = "bundle"        // a document with files beside it
	talks  = "conversations" // conversation documents without the store that lists them
)

// Sniff knows a memory store by the name it gives itself, which may stand behind
// all memories, or by members that no other format has.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	store, err := pam.Store(tree)
	if err != nil {
		return sniffTalks(ctx, tree) // a tree without one is somebody else's
	}
	body, err := tree.OpenText(ctx, store)
	if err != nil {
		return importer.Match{}, fmt.Errorf("open %s: %w", store.Path, err)
	}
	defer body.Close()
	head := make([]byte, pam.HeadSize)
	n, err := io.ReadFull(body, head)
	if pam.EncryptionOf(head[:n]) != pam.NotEncrypted {
		return importer.Match{Certainty: importer.Possible, Format: single, Advice: pam.ErrEncrypted(tree.Name())}, nil
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return importer.Match{}, fmt.Errorf("look at %s: %w", store.Path, err)
	}
	shape, err := importer.Peek(io.MultiReader(bytes.NewReader(head[:n]), body))
	if err != nil {
		return importer.Match{}, fmt.Errorf("look at %s: %w", store.Path, err)
	}
	if isTalk(store, shape, nil) {
		return sniffTalks(ctx, tree)
	}
	if !isStore(shape) {
		return importer.Match{}, nil
	}
	m := importer.Match{Certainty: importer.Certain, Format: bundle}
	if len(tree.Files()) == 1 && store.Path == tree.Sources()[0].Name {
		m.Format = single
	}
	if version := shape.ItemText("schema_version"); version != "" {
		m.Advice = pam.Head{SchemaVersion: version}.Refused(tree.Name())
	}
	if isMarked(ctx, tree, store) {
		m.Advice = pam.ErrEncoding(tree.Name())
	}
	return m, nil
}

func sniffTalks(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, []string{".json"}, isTalk)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	m := importer.Match{Certainty: importer.Certain, Format: talks}
	if isMarked(ctx, tree, f) {
		m.Advice = pam.ErrEncoding(tree.Name())
	}
	return m, nil
}

// isTalk reports a conversation document, by the name that it gives itself.
func isTalk(_ intake.File, s importer.Shape, _ []byte) bool {
	return s.Kind == '{' && s.ItemText("schema") == "portable-ai-memory-conversation"
}

// isMarked reports a file that begins with the byte order mark of some encoding.
func isMarked(ctx context.Context, tree *intake.Tree, f intake.File) bool {
	head, _ := importer.Head(ctx, tree, f, 3) // of one that cannot be read there is nothing
	marks := []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(string(head), mark) })
}

func isStore(s importer.Shape) bool {
	switch {
	case s.Kind != '{':
		return false
	case s.Has("schema"):
		return s.ItemText("schema") == "portable-ai-memory"
	}
	return s.Has("memories.content_hash") && s.Has("memories.provenance.platform") ||
		s.Has("conversations_index.platform") && s.Has("conversations_index.temporal.created_at")
}

// Read streams the store, then the conversations beside it; or conversations by themselves.
func (i Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	m, err := i.Sniff(ctx, tree)
	if err != nil {
		return err
	}
	tree.Rewind()
	if m.Format == talks {
		return i.readTalks(ctx, tree, sink)
	}
	store, err := pam.Store(tree)
	if err != nil {
		return err
	}
	head, unknown, err := pam.Take(ctx, tree, store, pam.Taker{})
	if err != nil {
		return err
	}
	if refused := head.Refused(tree.Name()); refused != nil {
		return refused
	}
	rules, err := i.rules()
	if err != nil {
		return err
	}
	tree.Rewind()
	r := newReading(ctx, tree, sink, store, rules)
	r.head = head
	if head.IsNewer() {
		r.newer(store, head)
	}
	r.strange(unknown)
	return r.all()
}

// readTalks gives each conversation document of a tree without a store.
func (i Importer) readTalks(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	rules, err := i.rules()
	if err != nil {
		return err
	}
	r := newReading(ctx, tree, sink, tree.Files()[0], rules)
	for _, f := range tree.Files() {
		shape, head, err := importer.LookAt(ctx, tree, f)
		if err != nil {
			return err
		}
		if !isTalk(f, shape, head) {
			sink.OtherFile(f)
			continue
		}
		if err := r.companion(f); err != nil {
			return err
		}
		r.Progress()
	}
	return nil
}

func newReading(ctx context.Context, tree *intake.Tree, sink importer.Sink, store intake.File, rules *schema.Set) *reading {
	return &reading{Reading: importer.NewReading(ctx, tree, sink), store: store, rules: rules, listed: map[string]pam.IndexEntry{}, holds: map[string]string{},
		stored: map[string]string{}, named: map[string]bool{}, given: map[string]string{}, places: map[[16]byte]int32{}}
}
