package chatgpt_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"keepsake/backend/importer"
	"keepsake/backend/importer/chatgpt"
	"keepsake/backend/intake"
)

// collector is a receiving side that keeps everything in memory.
type collector struct {
	conversations []importer.ConversationDraft
	memories      []importer.MemoryDraft
	retractions   []importer.RetractionDraft
	files         map[string][]byte // by ref
	drafts        map[string]importer.AttachmentDraft
	missing       []string
	problems      []importer.Problem
	skipped       map[string]int
	unknown       map[string]int
	unchanged     int
	progress      []int64
	order         []string
	known         map[string][32]byte
	failOn        func(what string) error
}

func newCollector() *collector {
	return &collector{
		files: map[string][]byte{}, drafts: map[string]importer.AttachmentDraft{}, skipped: map[string]int{},
		unknown: map[string]int{}, known: map[string][32]byte{}, failOn: func(string) error { return nil },
	}
}

func (c *collector) Known(sum [32]byte) bool {
	for _, known := range c.known {
		if known == sum {
			return true
		}
	}
	return false
}

// Foreseen knows no outlines: the tests of the stream do.
func (c *collector) Foreseen(uint32) int { return 0 }

func (c *collector) Unchanged(id string, sum [32]byte) bool {
	same := c.known[id] == sum || id == "" && c.Known(sum)
	if same {
		c.unchanged++
	}
	return same
}

func (c *collector) Conversation(_ context.Context, d importer.ConversationDraft) error {
	c.conversations = append(c.conversations, d)
	c.order = append(c.order, "conversation")
	return c.failOn("conversation")
}

func (c *collector) Memory(_ context.Context, m importer.MemoryDraft) error {
	c.memories = append(c.memories, m)
	c.order = append(c.order, "memory")
	return c.failOn("memory")
}

func (c *collector) Retraction(_ context.Context, r importer.RetractionDraft) error {
	c.retractions = append(c.retractions, r)
	c.order = append(c.order, "retraction")
	return c.failOn("retraction")
}

func (c *collector) Record(context.Context, importer.RecordDraft) error {
	return errors.New("ChatGPT keeps no whole records")
}

func (c *collector) Todo(context.Context, importer.TodoDraft) error { return nil }

func (c *collector) Beside(context.Context, importer.BesideDraft) error { return nil }

func (c *collector) Relation(context.Context, importer.RelationDraft) error {
	return errors.New("ChatGPT keeps no relations")
}

func (c *collector) Embedding(context.Context, importer.EmbeddingDraft) error {
	return errors.New("ChatGPT keeps no embeddings")
}

func (c *collector) Attachment(_ context.Context, a importer.AttachmentDraft) (string, error) {
	if err := c.failOn("attachment"); err != nil {
		return "", err
	}
	r, err := a.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	ref := hex.EncodeToString(sum[:8])
	c.files[ref], c.drafts[ref] = data, a
	return ref, nil
}

func (c *collector) Missing(name string)        { c.missing = append(c.missing, name) }
func (c *collector) Problem(p importer.Problem) { c.problems = append(c.problems, p) }
func (c *collector) Skipped(reason string)      { c.skipped[reason]++ }
func (c *collector) OtherFile(intake.File)      { c.skipped["other-file"]++ }
func (c *collector) Unknown(kind string)        { c.unknown[kind]++ }
func (c *collector) Progress(done int64)        { c.progress = append(c.progress, done) }

func (c *collector) contents() []string {
	var all []string
	seen := map[string]bool{}
	for _, m := range c.memories {
		if !seen[m.Content] {
			seen[m.Content] = true
			all = append(all, m.Content)
		}
	}
	return all
}

// scratch keeps nested zips in memory.
type scratch struct{ bytes.Buffer }

func (s *scratch) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, off)
}
func (s *scratch) Close() error { return nil }

func open(t testing.TB, name string, data []byte) *intake.Tree {
	t.Helper()
	tree, err := intake.Open(context.Background(), []intake.Source{intake.FromReaderAt(name, int64(len(data)), bytes.NewReader(data))},
		intake.Options{NewScratch: func() (intake.Scratch, error) { return &scratch{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// read reads a whole export, which must be recognised for certain.
func read(t testing.TB, name string, data []byte) *collector {
	t.Helper()
	c := newCollector()
	readInto(t, c, name, data)
	return c
}

func readInto(t testing.TB, c *collector, name string, data []byte) {
	t.Helper()
	tree := open(t, name, data)
	m, err := chatgpt.Importer{}.Sniff(context.Background(), tree)
	if err != nil || m.Certainty != importer.Certain {
		t.Fatalf("sniff: %+v %v", m, err)
	}
	if err := (chatgpt.Importer{}).Read(context.Background(), tree, c); err != nil {
		t.Fatal(err)
	}
	for _, d := range c.conversations {
		c.known[d.Provider.ConversationID] = d.Sum
	}
}

// one reads a single conversation from its JSON.
func one(t testing.TB, json string) (*collector, importer.ConversationDraft) {
	t.Helper()
	c := read(t, "conversation.json", []byte(json))
	if len(c.conversations) != 1 {
		t.Fatalf("%d conversations, problems %v", len(c.conversations), c.problems)
	}
	return c, c.conversations[0]
}
