package importertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Recording is a receiving side that keeps everything in memory, in the form
// of the golden files.
type Recording struct {
	Conversations []Conversation             `json:"conversations"`
	Memories      []importer.MemoryDraft     `json:"memories"`
	Retractions   []importer.RetractionDraft `json:"retractions,omitempty"`
	Records       []importer.RecordDraft     `json:"records,omitempty"`
	Relations     []importer.RelationDraft   `json:"relations,omitempty"`
	Embeddings    []importer.EmbeddingDraft  `json:"embeddings,omitempty"`
	Todos         []importer.TodoDraft       `json:"todos,omitempty"`
	Beside        []importer.BesideDraft     `json:"beside,omitempty"`
	Attachments   []Attachment               `json:"attachments,omitempty"`
	Missing       []string                   `json:"missing,omitempty"`
	Problems      []Problem                  `json:"problems,omitempty"`
	Skipped       map[string]int             `json:"skipped,omitempty"`
	Unknown       map[string]int             `json:"unknown,omitempty"`
	Unchanged     int                        `json:"unchanged,omitempty"`

	// Known are the sums of conversations that count as in the vault already.
	Known map[string][32]byte `json:"-"`
	// Progressed are the bytes reported, in order.
	Progressed []int64 `json:"-"`
	// Step is asked before each item is taken; its error is returned.
	Step func() error `json:"-"`
}

// Conversation is a draft with what a conversation's own JSON leaves out.
type Conversation struct {
	memory.Conversation
	Leaf       string   `json:"leaf"`
	File       string   `json:"file"`
	TimeSource string   `json:"time_source,omitempty"`
	Sum        [32]byte `json:"-"`
}

// Attachment is a stored file.
type Attachment struct {
	Ref      string `json:"ref"`
	Name     string `json:"name"`
	MIMEType string `json:"mime_type,omitempty"`
	Data     string `json:"data"`
}

// Problem is a problem without its cause.
type Problem struct {
	Path    string `json:"path"`
	At      string `json:"at,omitempty"`
	Reason  string `json:"reason"`
	Message string `json:"message"`

	Conversation bool `json:"-"` // it was a whole one
}

func (r *Recording) step() error {
	if r.Step == nil {
		return nil
	}
	return r.Step()
}

// keep takes an item into one of the lists of r.
func keep[T any](r *Recording, list *[]T, item T) error {
	if err := r.step(); err != nil {
		return err
	}
	*list = append(*list, item)
	return nil
}

// sink is Recording as an importer sees it.
type sink struct{ *Recording }

// Sink is the side of r that an importer is given.
func (r *Recording) Sink() importer.Sink { return sink{r} }

func (s sink) Known(sum [32]byte) bool {
	for _, known := range s.Recording.Known {
		if known == sum {
			return true
		}
	}
	return false
}

func (s sink) Foreseen(uint32) int { return 0 }

func (s sink) Unchanged(id string, sum [32]byte) bool {
	if old, ok := s.Recording.Known[id]; id != "" && (!ok || old != sum) || !s.Known(sum) {
		return false
	}
	s.Recording.Unchanged++
	return true
}

func (s sink) Conversation(_ context.Context, d importer.ConversationDraft) error {
	return keep(s.Recording, &s.Conversations, Conversation{d.Conversation, d.Leaf, d.File, d.TimeSource, d.Sum})
}

func (s sink) Memory(_ context.Context, d importer.MemoryDraft) error {
	return keep(s.Recording, &s.Memories, d)
}

func (s sink) Retraction(_ context.Context, d importer.RetractionDraft) error {
	return keep(s.Recording, &s.Retractions, d)
}

func (s sink) Record(_ context.Context, d importer.RecordDraft) error {
	return keep(s.Recording, &s.Records, d)
}

func (s sink) Relation(_ context.Context, d importer.RelationDraft) error {
	return keep(s.Recording, &s.Relations, d)
}

func (s sink) Embedding(_ context.Context, d importer.EmbeddingDraft) error {
	return keep(s.Recording, &s.Embeddings, d)
}

func (s sink) Todo(_ context.Context, d importer.TodoDraft) error {
	return keep(s.Recording, &s.Todos, d)
}

func (s sink) Beside(_ context.Context, d importer.BesideDraft) error {
	return keep(s.Recording, &s.Recording.Beside, d)
}

func (s sink) Attachment(_ context.Context, d importer.AttachmentDraft) (string, error) {
	if err := s.step(); err != nil {
		return "", err
	}
	body, err := d.Open()
	if err != nil {
		return "", err
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	a := Attachment{hex.EncodeToString(sum[:8]), d.Name, d.MIMEType, string(data)}
	s.Attachments = append(s.Attachments, a)
	return a.Ref, nil
}

func (s sink) Missing(name string) { s.Recording.Missing = append(s.Recording.Missing, name) }

func (s sink) Problem(p importer.Problem) {
	f := fault.From(p.Fault)
	s.Problems = append(s.Problems, Problem{p.Path, p.At, f.Reason, f.Message(), p.Conversation})
}

func (s sink) Skipped(reason string) { s.Recording.Skipped = plus(s.Recording.Skipped, reason) }
func (s sink) OtherFile(intake.File) { s.Skipped("other-file") }
func (s sink) Unknown(kind string) {
	s.Recording.Unknown = plus(s.Recording.Unknown, importer.Kind(kind))
}
func (s sink) Progress(done int64) { s.Progressed = append(s.Progressed, done) }

func plus(m map[string]int, name string) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[name]++
	return m
}

// Learn makes everything recorded known, as after an import.
func (r *Recording) Learn() map[string][32]byte {
	known := map[string][32]byte{}
	for _, c := range r.Conversations {
		native := c.Provider.ConversationID
		if native == "" { // asked for by its sum alone
			native = c.ID
		}
		known[native] = c.Sum
	}
	return known
}

// accounted counts the records that came out somewhere.
func (r *Recording) accounted() int {
	n := len(r.Memories) + len(r.Retractions) + len(r.Records) + len(r.Relations) + len(r.Embeddings) + len(r.Todos) + len(r.Beside)
	for _, c := range r.Conversations {
		n += len(c.Messages)
	}
	for _, skipped := range r.Skipped {
		n += skipped
	}
	for kind, unknown := range r.Unknown {
		if strings.HasPrefix(kind, "line:") || strings.HasPrefix(kind, "record:") {
			n += unknown
		}
	}
	for _, p := range r.Problems {
		if p.At != "" {
			n++
		}
	}
	return n
}

// Contents are the texts of the memories, in order.
func (r *Recording) Contents() []string {
	var all []string
	for _, m := range r.Memories {
		all = append(all, m.Content)
	}
	for _, m := range r.Records {
		all = append(all, m.Content)
	}
	for _, d := range r.Relations {
		if b := d.Between; b != nil && !(r.isAbout(b.From) && r.isAbout(b.To)) {
			all = append(all, b.Otherwise.Content)
		}
	}
	return all
}

// isAbout reports that a memory is a statement about something.
func (r *Recording) isAbout(entity string) bool {
	return slices.ContainsFunc(r.Memories, func(m importer.MemoryDraft) bool { return m.Entity == entity })
}

// Conversation finds a conversation by the provider's id.
func (r *Recording) Conversation(native string) *Conversation {
	for i := range r.Conversations {
		if r.Conversations[i].Provider.ConversationID == native {
			return &r.Conversations[i]
		}
	}
	return nil
}

// Message finds a message by its id.
func (c *Conversation) Message(id string) *memory.Message {
	for i := range c.Messages {
		if c.Messages[i].ID == id {
			return &c.Messages[i]
		}
	}
	return nil
}
