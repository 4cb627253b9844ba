package pam

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"path"
	"strconv"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/memory"
	"keepsake/backend/schema"
)

// reading is one run over one document and the files beside it.
type reading struct {
	*importer.Reading
	store intake.File
	head  pam.Head
	rules *schema.Set

	refs   []string                  // conversation files that the index names and the bundle holds
	listed map[string]pam.IndexEntry // of these, by the id
	filed  []filed                   // of these, where they stand
	holds  map[string]string         // of these, the id of the conversation in it, by the path
	bare   []pam.IndexEntry          // entries of the index without a file
	named  map[string]bool           // memories that name an embedding, by their ids
	given  map[string]string         // conversations, by their ids: the file of each, "" of one without
	places map[[16]byte]int32        // where in its array each memory, relation and entry stands, by half of the SHA-256 of its kind and id
	stored map[string]string         // attachment file → reference, so that each is stored once
}

func (r *reading) all() error {
	exported, _ := memory.ParseTime(r.head.ExportDate) // zero where it is none
	_, _, err := pam.Take(r.Ctx, r.Tree, r.store, pam.Taker{
		Newer: r.head.IsNewer(),
		Memory: func(m pam.Taken[memory.Record]) error {
			r.strange(m.Unknown)
			r.Progress()
			if r.isTwin("memory", m.Value.ID, m.At) {
				return r.Ctx.Err()
			}
			if m.Value.EmbeddingRef != "" {
				r.named[m.Value.ID] = true
			}
			r.ordered(m.At, &m.Value.Temporal)
			return r.Sink.Record(r.Ctx, importer.RecordDraft{
				Record: m.Value, Owner: r.head.OwnerID, At: exported, Delta: r.head.IsIncremental(),
			})
		},
		Relation: r.relation,
		Entry:    r.entry,
		Bad:      r.BadIn(r.store),
	})
	if err != nil {
		return err
	}
	for _, f := range pam.Companions(r.Tree, r.store, r.refs) {
		if err := r.companion(f); err != nil {
			return err
		}
		r.Progress()
	}
	if err := r.othersFiles(); err != nil {
		return err
	}
	for _, e := range r.bare {
		if err := r.withoutFile(e); err != nil {
			return err
		}
	}
	return r.embeddings()
}

// filed is an entry of the index at its place, and the path of its file.
type filed struct {
	pam.Taken[pam.IndexEntry]
	file string
}

// strange counts members that are not known.
func (r *reading) strange(kinds []string) {
	for _, kind := range kinds {
		r.Sink.Unknown(kind)
	}
}

// newer tells that a file is of a newer minor version (§22.3).
func (r *reading) newer(f intake.File, head pam.Head) {
	r.Notice(f, fault.New(fault.Unsupported, "pam-newer", "{name} is of version {version}; what that added to version 1.0 is counted and not taken.").
		With("name", f.Base()).With("version", head.SchemaVersion))
}

// ordered leaves out a time that comes before the one that it cannot come before, and
// tells of it: what would leave with both is not valid.
func (r *reading) ordered(at string, t *memory.Temporal) {
	for _, span := range []struct {
		from     memory.Time
		to       *memory.Time
		what, of string
	}{{t.CreatedAt, &t.UpdatedAt, "updated_at", "created_at"}, {t.ValidFrom, &t.ValidUntil, "valid_until", "valid_from"}} {
		if span.from.IsZero() || span.to.IsZero() || !span.to.Before(span.from.Time) {
			continue
		}
		*span.to = memory.Time{}
		r.Notice(r.store, fault.New(fault.Invalid, "pam-time-order", "{place} is before {other}, so it was not taken.").
			With("place", at+"/temporal/"+span.what).With("other", span.of))
	}
}

// counted leaves out a number of messages that programs round differently.
func (r *reading) counted(e *pam.Taken[pam.IndexEntry]) {
	if n := e.Value.MessageCount; n == nil || *n <= pam.MaxCounted {
		return
	}
	e.Value.MessageCount = nil
	r.Notice(r.store, fault.New(fault.Invalid, "pam-number", "{place} holds a number that programs round differently, so it was not taken.").
		With("place", e.At+"/message_count"))
}

func (r *reading) relation(rel pam.Taken[memory.Relation]) error {
	r.strange(rel.Unknown)
	v := rel.Value
	if text, err := json.Marshal(v); v.CreatedAt.IsZero() || err != nil || len(r.rules.Check(schema.Relation, text)) > 0 {
		return r.BadIn(r.store)(rel.At, errUnfit(rel.At))
	}
	if r.isTwin("relation", v.ID, rel.At) {
		return r.Ctx.Err()
	}
	return r.Sink.Relation(r.Ctx, importer.RelationDraft{Relation: v, Owner: r.head.OwnerID})
}

// isTwin tells of what has an id that another of its kind has too, and which is not
// taken: which of the two its document means cannot be told.
func (r *reading) isTwin(kind, id, at string) bool {
	array, number := path.Split(at)
	sum := sha256.Sum256([]byte(kind + " " + id))
	first, twice := r.places[[16]byte(sum[:])]
	if !twice {
		n, _ := strconv.ParseInt(number, 10, 32) // it was counted by who reads the array
		r.places[[16]byte(sum[:])] = int32(n)
		return false
	}
	r.Sink.Problem(importer.Problem{Path: r.store.Path, At: at, Fault: pam.ErrSecond(array+strconv.Itoa(int(first))+"/id", at+"/id", id)})
	return true
}

func errUnfit(place string) *fault.Error {
	return fault.New(fault.Invalid, "pam-unfit", "What stands at {place} does not fit the schema of Portable AI Memory.").With("place", place)
}

func errOutside(place string) *fault.Error {
	return fault.New(fault.Invalid, "pam-outside", "{place} names a file outside of the bundle, which is not read.").With("place", place)
}

// entry takes an entry of the index: its file later, or what the entry says
// where there is no file.
func (r *reading) entry(e pam.Taken[pam.IndexEntry]) error {
	r.strange(e.Unknown)
	r.Progress()
	r.counted(&e)
	twin := r.isTwin("entry", e.Value.ID, e.At)
	if s := e.Value.Storage; s != nil && s.Type == "file" {
		e.Value.Storage = nil // it is made anew when it leaves
		f, found, inside := pam.Beside(r.Tree, r.store, s.Ref)
		if !inside {
			r.Notice(r.store, errOutside(e.At+"/storage/ref"))
		}
		if found { // also of a twin: another conversation may lie there
			r.refs = append(r.refs, s.Ref)
			if !twin {
				r.listed[e.Value.ID] = e.Value
				r.filed = append(r.filed, filed{e, f.Path})
			}
			return r.Ctx.Err()
		}
		if inside && pam.IsBundle(r.Tree) {
			r.Notice(r.store, fault.New(fault.Invalid, "pam-file-missing", "{place} names a file that is not in the bundle, so only what the index says of the conversation was taken.").
				With("place", e.At+"/storage/ref"))
		}
	}
	if twin {
		return r.Ctx.Err()
	}
	return r.bareEntry(e)
}

// othersFiles takes what the index says of a conversation whose file holds another.
func (r *reading) othersFiles() error {
	for _, e := range r.filed {
		id, isRead := r.holds[e.file]
		if _, given := r.given[e.Value.ID]; given || !isRead || id == e.Value.ID {
			continue
		}
		r.Notice(r.store, fault.New(fault.Invalid, "pam-file-other", "{place} names a file that holds another conversation, so only what the index says of this one was taken.").
			With("place", e.At+"/storage/ref"))
		if err := r.bareEntry(e.Taken); err != nil {
			return err
		}
	}
	return nil
}

// bareEntry keeps an entry of which there is no file, where it can be taken.
func (r *reading) bareEntry(e pam.Taken[pam.IndexEntry]) error {
	text, err := json.Marshal(e.Value)
	if err != nil {
		return err
	}
	if e.Value.Temporal.CreatedAt.IsZero() || len(r.rules.Check(schema.IndexEntry, text)) > 0 {
		r.Sink.Problem(importer.Problem{Path: r.store.Path, At: e.At, Fault: errUnfit(e.At), Conversation: true})
		return r.Ctx.Err()
	}
	r.bare = append(r.bare, e.Value)
	return r.Ctx.Err()
}

// withoutFile gives a conversation of which only the index is known.
func (r *reading) withoutFile(e pam.IndexEntry) error {
	if r.isGiven(e.ID, "") {
		return r.Ctx.Err()
	}
	e.DerivedMemories = nil // of memories, which name their conversation
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	sum := importer.Sum(text)
	if r.Sink.Unchanged("", sum) {
		return r.Ctx.Err()
	}
	return r.Sink.Conversation(r.Ctx, r.withoutMessages(e, sum))
}

// isGiven reports that a conversation was given before, which counts as a
// duplicate. Two files of one are told.
func (r *reading) isGiven(id, file string) bool {
	first, given := r.given[id]
	if !given {
		r.given[id] = file
		return false
	}
	r.Sink.Skipped("duplicate")
	if file != "" {
		r.Sink.Problem(importer.Problem{Path: file, At: "/id", Fault: pam.ErrSecond(first+"#/id", file+"#/id", id), Conversation: true})
	}
	return true
}

// Members of raw_metadata that keep what only the index says of a conversation: how
// many messages it has, null where it does not say, and where it lies elsewhere.
const (
	declaredCount = "keepsake_message_count"
	storage       = "keepsake_storage"
)

func (r *reading) withoutMessages(e pam.IndexEntry, sum [32]byte) importer.ConversationDraft {
	d := importer.ConversationDraft{Sum: sum, File: r.store.Base(), Owner: r.head.OwnerID, Conversation: memory.Conversation{
		ID: e.ID, Title: oneLine(e.Title), Tags: e.Tags, Temporal: e.Temporal, Provider: memory.Provider{Name: e.Platform}, Messages: []memory.Message{},
	}}
	d.RawMetadata = memory.RawMetadata{declaredCount: json.RawMessage("null")}
	if e.MessageCount != nil {
		d.RawMetadata[declaredCount] = json.RawMessage(strconv.Itoa(*e.MessageCount))
	}
	if place, err := json.Marshal(e.Storage); err == nil && e.Storage != nil {
		d.RawMetadata[storage] = place
	}
	return d
}

// companion reads one conversation file. One that cannot be read stops nobody
// else.
func (r *reading) companion(f intake.File) error {
	open, sum, err := r.summed(f)
	if r.Ctx.Err() != nil {
		return r.Ctx.Err()
	}
	if err != nil {
		return r.lost(f, fault.From(err))
	}
	if r.Sink.Unchanged("", sum) {
		return nil
	}
	c, head, unknown, err := pam.DecodeConversation(r.Ctx, open)
	if fault.Known(err) { // of the file, not of what is in it
		return r.lost(f, fault.From(err))
	}
	if refused := head.Refused(f.Path); refused != nil {
		return r.lost(f, refused)
	}
	if err != nil {
		return r.lost(f, fault.New(fault.Invalid, "pam-conversation", "{name} is not a conversation of Portable AI Memory that can be read; what is wrong stands at {place}.").
			With("name", f.Path).With("place", cmp.Or(pam.PlaceOf(err), "/")).Because(err))
	}
	r.holds[f.Path] = c.ID
	if r.isGiven(c.ID, f.Path) {
		return r.Ctx.Err()
	}
	mend(&c)
	if bad := r.broken(&c); bad != "" {
		return r.lost(f, errUnfit(f.Path+"#"+bad))
	}
	if head.IsNewer() && !r.head.IsNewer() {
		r.newer(f, head)
	}
	r.strange(unknown)
	if err := r.attach(&c); err != nil {
		return err
	}
	if c.Title == "" {
		c.Title = r.listed[c.ID].Title
	}
	if len(c.Tags) == 0 {
		c.Tags = r.listed[c.ID].Tags
	}
	c.Title = oneLine(c.Title)
	d := importer.ConversationDraft{Conversation: c, Owner: r.head.OwnerID, Sum: sum, File: f.Base(), Kept: c.ImportMetadata != nil}
	if from := c.RawMetadata[memory.TimeSource]; from != nil {
		_ = json.Unmarshal(from, &d.TimeSource) // one that is no text says nothing
	}
	return r.Sink.Conversation(r.Ctx, d)
}

// heldCompanion is up to how many bytes a conversation file is read once and held; a
// larger one is read twice.
const heldCompanion = 1 << 20

// summed is the SHA-256 of a conversation file, and opens it again.
func (r *reading) summed(f intake.File) (open func() (io.ReadCloser, error), sum [32]byte, err error) {
	if f.Size <= heldCompanion {
		raw, err := r.Tree.ReadAll(r.Ctx, f, pam.MaxCompanion)
		return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }, importer.Sum(raw), err
	}
	body, err := r.Tree.OpenUpTo(r.Ctx, f, pam.MaxCompanion)
	if err != nil {
		return nil, sum, err
	}
	defer body.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, body)
	return opener(r.Ctx, r.Tree, f), [32]byte(hash.Sum(nil)), err
}

func (r *reading) lost(f intake.File, why *fault.Error) error {
	r.Sink.Problem(importer.Problem{Path: f.Path, At: "conversation", Fault: why, Conversation: true})
	return r.Ctx.Err()
}

// broken is where a conversation does not fit the schema, "" where it does. It
// is asked of what is to be stored: members that nobody knows are gone.
func (r *reading) broken(c *memory.Conversation) string {
	first := ""
	kind, at, i := schema.Conversation, "", 0
	for text, err := range (pam.Talk{Conversation: c}).Pieces() {
		if err != nil {
			return "/"
		}
		for _, bad := range r.rules.Check(kind, text) {
			if place := cmp.Or(at+bad.Pointer, "/"); first == "" || place < first {
				first = place
			}
		}
		kind, at = schema.Message, "/messages/"+strconv.Itoa(i)
		i++
	}
	return first
}

// attach stores the files that messages name, and lets them name what was
// stored.
func (r *reading) attach(c *memory.Conversation) error {
	for i := range c.Messages {
		m := &c.Messages[i]
		for k := range m.Attachments {
			a := &m.Attachments[k]
			was := a.Ref
			if err := r.file(&a.Ref, a.Name, a.MIMEType); err != nil {
				return err
			}
			if err := keepElsewhere(m, false, k, was, a.Ref); err != nil {
				return err
			}
		}
		if m.Content == nil {
			continue
		}
		for k := range m.Content.Parts {
			p := &m.Content.Parts[k]
			was := p.Ref
			if err := r.file(&p.Ref, "", p.MIMEType); err != nil {
				return err
			}
			if err := keepElsewhere(m, true, k, was, p.Ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepElsewhere keeps a reference that was to no file of the bundle, and is no more.
func keepElsewhere(m *memory.Message, isPart bool, k int, was, is string) error {
	if is != "" || !pam.LiesElsewhere(was) {
		return nil
	}
	return pam.KeepElsewhere(m, isPart, k, was)
}

func (r *reading) file(ref *string, name, mime string) error {
	if *ref == "" {
		return nil
	}
	f, found, _ := pam.Beside(r.Tree, r.store, *ref)
	if !found {
		r.Sink.Missing(*ref)
		*ref = ""
		return nil
	}
	if name == "" {
		name = f.Base()
	}
	known, ok := r.stored[f.Path]
	if !ok {
		var err error
		known, err = r.Sink.Attachment(r.Ctx, importer.AttachmentDraft{Name: name, MIMEType: mime, Size: f.Size, Open: opener(r.Ctx, r.Tree, f)})
		if err != nil {
			return err
		}
		r.stored[f.Path] = known
	}
	*ref = known
	return nil
}

// embeddings gives those of the bundle that a memory of it names. One that does
// not fit stops none of the others.
func (r *reading) embeddings() error {
	f, found, _ := pam.Beside(r.Tree, r.store, pam.EmbeddingsName)
	if !found || f.Path == r.store.Path {
		return nil
	}
	head, unknown, err := pam.LookAtEmbeddings(r.Ctx, r.Tree)
	if r.Ctx.Err() != nil {
		return r.Ctx.Err()
	}
	if err == nil {
		r.strange(unknown) // what cannot be read is told below, with what could be
	}
	if refused := head.Refused(f.Path); refused != nil {
		r.Notice(f, refused)
		return nil
	}
	if head.IsNewer() && !r.head.IsNewer() {
		r.newer(f, head)
	}
	at := 0
	for x, err := range pam.ReadEmbeddings(r.Ctx, r.Tree, r.rules) {
		if r.Ctx.Err() != nil {
			return r.Ctx.Err()
		}
		if err := r.embedding(f, "/embeddings/"+strconv.Itoa(at), x, err); err != nil {
			return err
		}
		at++
		r.Progress()
	}
	return r.Ctx.Err()
}

func (r *reading) embedding(f intake.File, at string, x pam.Embedding, unfit error) error {
	switch why := fault.From(unfit); {
	case why != nil && why.Reason == "embedding-in-file":
		r.outside(f, at, x)
		r.Sink.Skipped(why.Reason)
		return nil
	case why != nil:
		r.Sink.Problem(importer.Problem{Path: f.Path, At: at, Fault: why})
		return nil
	case !r.named[x.MemoryID]:
		r.Sink.Skipped("embedding-without-memory")
		return nil
	}
	d := importer.EmbeddingDraft{
		ID: x.ID, MemoryID: x.MemoryID, Owner: r.head.OwnerID, Model: x.Model, Dimensions: x.Dimensions, CreatedAt: x.CreatedAt, Vector: x.Vector,
	}
	if r.outside(f, at, x); x.Storage != nil && x.Storage.Type != "file" { // a file would have been the bundle's, and the vector is here
		d.StorageType, d.StorageRef = x.Storage.Type, x.Storage.Ref
	}
	return r.Sink.Embedding(r.Ctx, d)
}

// outside tells of an embedding that names a file outside of the bundle.
func (r *reading) outside(f intake.File, at string, x pam.Embedding) {
	if x.Storage == nil || x.Storage.Type != "file" {
		return
	}
	if _, _, inside := pam.Beside(r.Tree, r.store, x.Storage.Ref); !inside {
		r.Notice(f, errOutside(f.Path+"#"+at+"/storage/ref"))
	}
}
