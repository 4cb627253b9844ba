// Package personal reads the export of the Personal Memory Specification (0.1), as
// Keepsake writes it. The format itself is read in backend/format/personal; here
// its pieces become drafts.
//
// Memories are handed over under the ids that the export gives them, with the
// members that it has: what it cannot say stays as it is in the vault. A
// transcript becomes a conversation, which never takes the place of one that the
// vault has from elsewhere.
package personal

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
)

// Importer reads personal-memory exports. The zero value is ready.
type Importer struct{}

// Info names the reader. What it reads comes from any platform.
func (Importer) Info() importer.Info {
	return importer.Info{ID: "personal", Name: "Personal Memory Specification", Version: "personal/2026.11"}
}

// Sniff knows an export by its version and by a category that it has.
func (Importer) Sniff(ctx context.Context, tree *intake.Tree) (importer.Match, error) {
	f, ok, err := importer.FirstLike(ctx, tree, []string{".json"}, isExport)
	if err != nil || !ok {
		return importer.Match{}, err
	}
	shape, _, err := importer.LookAt(ctx, tree, f)
	if err != nil {
		return importer.Match{}, err
	}
	head := personal.Head{Version: shape.ItemText("export_version"), UserID: shape.ItemText("user_id")}
	m := importer.Match{Certainty: importer.Certain, Format: "export"}
	if head.UserID != "" {
		m.Accounts = []string{head.UserID}
	}
	if head.Version != "" {
		m.Advice = head.Refused(tree.Name())
	}
	return m, nil
}

// isExport wants a category and what stands beside the categories, which may lie
// behind all records, or a record in one.
func isExport(_ intake.File, s importer.Shape, _ []byte) bool {
	for _, c := range personal.Categories() {
		at := "categories." + string(c)
		if s.Has(at) && s.Has("export_version") || s.Has(at+".records.memory_id") {
			return true
		}
	}
	return false
}

// Read streams each export of the tree.
func (Importer) Read(ctx context.Context, tree *intake.Tree, sink importer.Sink) error {
	r := &reading{Reading: importer.NewReading(ctx, tree, sink)}
	return r.Files(r.file, ".json")
}

type reading struct {
	*importer.Reading
	f    intake.File
	head personal.Head
}

func (r *reading) file(f intake.File) (err error) {
	if r.head, err = r.glance(f); err != nil {
		return r.Break(err)
	}
	if refused := r.head.Refused(f.Base()); refused != nil {
		return r.Break(refused)
	}
	r.Tree.Rewind()
	r.f = f
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return r.Break(err)
	}
	defer body.Close()
	head, found, err := personal.Take(r.Ctx, body, f.Base(), personal.Taker{
		Memory: r.memory, Conversation: r.conversation, Skipped: r.Sink.Skipped, Unknown: r.Sink.Unknown,
		Bad: r.BadIn(f),
	})
	if err != nil {
		return r.Ended(err)
	}
	if head.Count >= 0 && head.Count != found {
		r.Notice(f, fault.New(fault.Invalid, "personal-count",
			"{name} says that it holds {said} records; there are {count}.").With("name", f.Base()).With("said", head.Count).With("count", found))
	}
	r.Progress()
	return nil
}

func (r *reading) glance(f intake.File) (personal.Head, error) {
	body, err := r.Tree.OpenText(r.Ctx, f)
	if err != nil {
		return personal.Head{}, err
	}
	defer body.Close()
	return personal.Glance(r.Ctx, body)
}

func (r *reading) memory(m personal.Memory) error {
	r.Progress()
	m.Tags = tags(m.Tags)
	d := importer.RecordDraft{Record: m.Record, Owner: r.head.UserID, At: r.head.ExportedAt, Says: m.Says}
	if m.Use.Count > 0 {
		d.Use = &m.Use
	}
	if err := r.Sink.Record(r.Ctx, d); err != nil {
		return r.Told(err)
	}
	for _, rel := range m.Links {
		rel.ID, rel.CreatedAt = relationID(rel), m.Temporal.CreatedAt
		if err := r.Sink.Relation(r.Ctx, importer.RelationDraft{Relation: rel, Owner: r.head.UserID}); err != nil {
			return r.Told(err)
		}
	}
	return nil
}

// relationID is the same for the same relation: the format gives them no ids.
func relationID(rel memory.Relation) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join([]string{"keepsake/personal/relation", rel.From, string(rel.Type), rel.To}, "\x00"))).String()
}

func (r *reading) conversation(c memory.Conversation, sum [32]byte) error {
	r.Progress()
	if !r.IsNew(c.ID, "", sum) {
		return r.Ctx.Err()
	}
	c.Tags = tags(c.Tags)
	return r.Told(r.Sink.Conversation(r.Ctx, importer.ConversationDraft{Conversation: c, Sum: sum, File: r.f.Base(), Owner: r.head.UserID, Transcript: true}))
}

var tagForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// tags are those of a record as PAM has them, each once.
func tags(given []string) []string {
	var all []string
	for _, tag := range given {
		if !tagForm.MatchString(tag) {
			tag = importer.Tag(tag)
		}
		if tag != "" && !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}
