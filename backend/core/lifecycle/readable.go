package lifecycle

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// unknownPlatform is the platform of a conversation whose head (title, ...) is unreadable.
const unknownPlatform = "unknown"

// Readable counts the records of a damaged vault that ExportReadable could read, and those
// that it could not.
type Readable struct {
	Path          string         `json:"path"`
	Bytes         int64          `json:"bytes"`
	Memories      int            `json:"memories"`
	Relations     int            `json:"relations"`
	Conversations int            `json:"conversations"` // found; exported only to a zip or a folder
	Messages      int            `json:"messages"`      // in these conversations
	Attachments   int            `json:"attachments"`   // intact, referenced or not; only in zips and folders
	Excluded      map[string]int `json:"excluded"`      // memories that were found but must not be exported, by reason

	Counted         *Counted `json:"counted,omitempty"` // for comparison, the counts that the vault stored; nil: not readable
	Incomplete      int      `json:"incomplete"`        // conversations without some messages or their head (title, times, ...)
	MissingMessages int      `json:"missing_messages"`  // only of conversations whose stored message count is readable
	Unreadable      int      `json:"unreadable"`        // encrypted values that exist but cannot be decrypted
	BadPages        int      `json:"bad_pages"`         // pages of the data file that the disk cannot read
	LostAttachments int      `json:"lost_attachments"`  // missing or damaged ones that found messages refer to
}

// Counted holds the counts that the vault itself stored at its last change.
type Counted struct {
	At            memory.Time `json:"at"`
	Memories      int         `json:"memories"`
	Relations     int         `json:"relations"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
}

// ExportReadable writes everything that can still be read of the current vault, however
// damaged, to dest, without a signature: memories and relations, and to a zip or a
// folder also conversations and attachments. It locks the vault first and changes
// nothing in it. The export may contain deleted records, and older versions of records
// whose newest version is lost.
func (s *Service) ExportReadable(ctx context.Context, dest string, secret Secret) (Readable, error) {
	if err := s.shutDown(false); err != nil {
		return Readable{}, err
	}
	defer s.lib.Emit(library.EventVault, nil)
	p, err := documents.NewOutput(s.lib, s.files, dest)
	if err != nil {
		return Readable{}, err
	}
	s.lib.Gate.Lock()
	defer s.lib.Gate.Unlock()
	remains, err := vault.Salvage(ctx, s.lib.Dir, secret.opening(ctx))
	if err != nil {
		return Readable{}, err
	}
	defer remains.Close()
	r, err := newRescue(ctx, remains, s.lib.Now())
	if err != nil {
		return Readable{}, err
	}
	if len(r.memories)+len(r.talks)+len(r.files) == 0 && len(r.found.Excluded) == 0 {
		return Readable{}, fault.New(fault.Damaged, "nothing-readable", "Nothing in the vault can be read any more, so nothing was written.").
			Advise("Restore the vault from a backup.")
	}
	err = p.Write(ctx, documents.Payload{
		Source:  pam.Source{Memories: r.eachMemory, Relations: r.relations(), Index: r.index()},
		Bundle:  r.bundle(p.Shape),
		Options: pam.Options{ExportID: s.lib.NewID(), Date: r.date, ExportedBy: library.Extractor, Owner: documents.OwnerIn(remains, s.lib.NewID, r.date)},
	})
	if err != nil {
		return Readable{}, files.WriteFault(dest, err)
	}
	return r.report(p)
}

// rescue is the content that ExportReadable writes, decided before anything is written.
type rescue struct {
	ctx      context.Context
	from     *vault.Remains
	date     memory.Time
	memories map[string]bool // ids of the exported memories
	derived  map[string][]string
	talks    map[string]memory.Conversation // conversations without their messages, by id
	counts   map[string]int                 // conversation id → number of messages
	headless map[string][]memory.Message    // of conversations whose head (title, ...) is lost, by their new id
	files    map[string]bool                // references of intact attachments
	lost     map[string]bool                // references in messages to missing or damaged attachments
	found    Readable
}

func newRescue(ctx context.Context, from *vault.Remains, date memory.Time) (*rescue, error) {
	r := &rescue{
		ctx: ctx, from: from, date: date, memories: map[string]bool{}, derived: map[string][]string{},
		talks: map[string]memory.Conversation{}, counts: map[string]int{}, headless: map[string][]memory.Message{},
		files: map[string]bool{}, lost: map[string]bool{}, found: Readable{Excluded: map[string]int{}},
	}
	refs, err := from.Blobs()
	for _, ref := range refs {
		r.files[ref] = true
	}
	r.found.Attachments = len(refs)
	for _, id := range from.IDs(vault.Conversations) {
		if c, missing, ok := from.Conversation(id); ok && ctx.Err() == nil {
			r.take(c, missing > 0)
			r.found.MissingMessages += missing
		}
	}
	for i, messages := range from.Headless() {
		c := headless(i, messages, date)
		r.headless[c.ID] = messages
		r.take(c, true)
	}
	for _, id := range from.IDs(vault.Memories) {
		m, ok := r.memory(id)
		switch {
		case !ok:
		case m.Access != nil && !m.Access.Exportable:
			r.found.Excluded[exports.NotExportable]++
		default:
			r.memories[id] = true
			r.derived[m.Provenance.ConversationRef] = append(r.derived[m.Provenance.ConversationRef], id)
		}
	}
	r.found.LostAttachments = len(r.lost)
	return r, err
}

func (r *rescue) take(c *memory.Conversation, lacks bool) {
	if lacks {
		r.found.Incomplete++
	}
	r.counts[c.ID] = len(c.Messages) - c.EmptyCount()
	r.found.Messages += len(c.Messages)
	for i := range c.Messages {
		library.NamedFiles(&c.Messages[i], func(ref string) {
			if !r.files[ref] {
				r.lost[ref] = true
			}
		})
	}
	bare := *c
	bare.Messages = nil
	r.talks[c.ID] = bare
}

// headless builds a conversation from messages whose head (title, times, ...) is lost.
func headless(i int, messages []memory.Message, date memory.Time) *memory.Conversation {
	c := &memory.Conversation{
		ID: "without-head-" + strconv.Itoa(i+1), Provider: memory.Provider{Name: unknownPlatform}, Messages: messages,
		Temporal: memory.ConversationTemporal{CreatedAt: date},
	}
	for _, m := range messages {
		if !m.CreatedAt.IsZero() {
			c.Temporal.CreatedAt = m.CreatedAt
			break
		}
	}
	return c
}

func (r *rescue) memory(id string) (m memory.Record, ok bool) {
	text, ok := r.from.Get(vault.Memories, id)
	if !ok {
		return m, false
	}
	m, err := pam.DecodeMemory(text)
	return m, err == nil
}

// eachMemory streams the memories in the order of their ids, without references to
// conversations and memories that are not exported.
func (r *rescue) eachMemory(yield func(pam.Memory, error) bool) {
	for _, id := range slices.Sorted(maps.Keys(r.memories)) {
		m, ok := r.memory(id)
		if !ok {
			continue
		}
		if _, there := r.talks[m.Provenance.ConversationRef]; !there {
			m.Provenance.ConversationRef, m.Provenance.MessageRef = "", ""
		}
		if !r.memories[m.Temporal.SupersededBy] {
			m.Temporal.SupersededBy = ""
		}
		text, err := pam.EncodeMemory(m)
		if err == nil {
			err = r.ctx.Err()
		}
		if !yield(pam.Memory{ID: m.ID, Canonical: text}, err) || err != nil {
			return
		}
		r.found.Memories++
	}
}

// relations returns the relations of which both memories are exported.
func (r *rescue) relations() []memory.Relation {
	all := []memory.Relation{}
	for _, id := range r.from.IDs(vault.Relations) {
		var rel memory.Relation
		text, ok := r.from.Get(vault.Relations, id)
		if ok && json.Unmarshal(text, &rel) == nil && r.memories[rel.From] && r.memories[rel.To] {
			all = append(all, rel)
		}
	}
	slices.SortFunc(all, rows.OldestRelation)
	r.found.Relations = len(all)
	return all
}

func (r *rescue) index() []pam.IndexEntry {
	all := []pam.IndexEntry{}
	for _, id := range slices.Sorted(maps.Keys(r.talks)) {
		c := r.talks[id]
		all = append(all, pam.IndexEntry{
			ID: id, Platform: c.Provider.Name, Title: c.Title, MessageCount: new(r.counts[id]), DerivedMemories: r.derived[id],
			Temporal: memory.ConversationTemporal{CreatedAt: c.Temporal.CreatedAt, UpdatedAt: c.Temporal.UpdatedAt},
		})
	}
	r.found.Conversations = len(all)
	return all
}

// bundle returns the conversations and attachments; none if the export is a single file.
func (r *rescue) bundle(as documents.Shape) pam.Bundle {
	if as == documents.AsFile {
		return pam.Bundle{}
	}
	return pam.Bundle{Conversations: r.conversations(), Attachments: r.attachments()}
}

func (r *rescue) attachments() iter.Seq2[pam.Attachment, error] {
	return func(yield func(pam.Attachment, error) bool) {
		for _, ref := range slices.Sorted(maps.Keys(r.files)) {
			a := pam.Attachment{Ref: ref, Open: func() (io.ReadCloser, error) { return r.from.OpenBlob(ref) }}
			if err := r.ctx.Err(); !yield(a, err) || err != nil {
				return
			}
		}
	}
}

// place returns the path of an attachment in the bundle, "" if the attachment is lost.
func (r *rescue) place(ref string) string {
	if !r.files[ref] {
		return ""
	}
	return pam.AttachmentRef(ref)
}

func (r *rescue) conversations() iter.Seq2[pam.Talk, error] {
	return func(yield func(pam.Talk, error) bool) {
		for _, id := range slices.Sorted(maps.Keys(r.talks)) {
			c := r.talks[id]
			if messages, ok := r.headless[id]; ok {
				c.Messages = messages
			} else if whole, _, ok := r.from.Conversation(id); ok {
				c.Messages = whole.Messages
			}
			dropDanglingReferences(&c)
			for i := range c.Messages {
				exports.MoveAttachments(&c.Messages[i], r.place)
			}
			err := r.ctx.Err()
			if !yield(pam.Talk{Conversation: &c}, err) || err != nil {
				return
			}
		}
	}
}

// dropDanglingReferences removes references to messages that are not in the conversation.
func dropDanglingReferences(c *memory.Conversation) {
	there := make(map[string]bool, len(c.Messages))
	for _, m := range c.Messages {
		there[m.ID] = true
	}
	if !there[c.Leaf] {
		c.Leaf = ""
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		if !there[m.ParentID] {
			m.ParentID = ""
		}
		m.ChildrenIDs = slices.DeleteFunc(m.ChildrenIDs, func(id string) bool { return !there[id] })
	}
}

func (r *rescue) report(p documents.Output) (Readable, error) {
	out := r.found
	size, err := exports.SizeOf(p.Dest)
	if err != nil {
		return out, err
	}
	seen := r.from.Remaining()
	out.Path, out.Bytes, out.Unreadable, out.BadPages = p.Dest, size, seen.Lost, int(seen.Failed)
	if was := seen.Counted; was != nil {
		out.Counted = &Counted{
			At: memory.At(was.LastChanged), Memories: was.Counts[vault.Memories], Relations: was.Counts[vault.Relations],
			Conversations: was.Counts[vault.Conversations], Messages: was.Messages,
		}
	}
	return out, nil
}
