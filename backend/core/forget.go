package core

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/search"
	"keepsake/backend/vault"
)

// ForgetQuery says what is to be forgotten. One of its fields is set: of two, nobody
// could tell whether what both select is meant, or what either does.
type ForgetQuery struct {
	IDs           []string // of memories or conversations
	Conversations []string // with their messages and attachments
	Tags          []string // memories that have any of them
	Before        time.Time
	Texts         []string     // memories that a Search for any of these finds
	Library       *MemoryQuery // memories of a list, all its pages
}

// ways counts the fields that are set.
func (q ForgetQuery) ways() (n int) {
	for _, set := range []bool{len(q.IDs) > 0, len(q.Conversations) > 0, len(q.Tags) > 0, !q.Before.IsZero(), len(q.Texts) > 0, q.Library != nil} {
		if set {
			n++
		}
	}
	return n
}

// ForgetPlan says what a ForgetQuery selects, each thing once. Nothing has been forgotten yet.
type ForgetPlan struct {
	Memories      []string `json:"memories"`      // ids
	Conversations []string `json:"conversations"` // ids
	Messages      int      `json:"messages"`      // in those conversations
	Relations     int      `json:"relations"`     // that touch those memories
	// Originals are the kept files of imports that go, because they hold it or may
	// hold it, and KeptOriginals those that stay, because they do not.
	Originals     int         `json:"originals"`
	KeptOriginals int         `json:"kept_originals"`
	Sample        []Forgotten `json:"sample"` // the first of them, to be looked at

	// Left are tasks, saved views and drafts that say the same: they are the person's
	// own, and stay.
	Left []Forgotten `json:"left,omitempty"`

	selected map[string]bool // ids of both
	says     []string        // what the memories say, as wordsKey has it
}

// Forgotten is one thing of a plan.
type Forgotten struct {
	Kind string `json:"kind"` // "memory" or "conversation"
	ID   string `json:"id"`
	Text string `json:"text"` // the beginning of what it says, or its title
}

// sampled is how many things of a plan are shown, and sampleText how much of each.
const (
	sampled    = 50
	sampleText = 160
)

// PlanForget says what forgetting would take. A query that selects nothing is a
// NotFound fault.
func (s *Service) PlanForget(ctx context.Context, q ForgetQuery) (ForgetPlan, error) {
	p := ForgetPlan{Memories: []string{}, Conversations: []string{}, Sample: []Forgotten{}}
	_, ctx, release, err := s.hold(ctx)
	if err != nil {
		return p, err
	}
	defer release()
	if err := s.planSelected(ctx, q, &p); err != nil {
		return p, err
	}
	if len(p.Memories)+len(p.Conversations) == 0 {
		return p, fault.New(fault.NotFound, "forget-selects-nothing", "Nothing in the vault is selected by this, so nothing was forgotten.")
	}
	if err := s.planOriginals(ctx, &p); err != nil {
		return p, err
	}
	return p, s.read(ctx, func(v *session, tx *vault.Tx) error { return v.planLeft(tx, &p) })
}

// planSelected adds to a plan what a query selects.
func (s *Service) planSelected(ctx context.Context, q ForgetQuery, p *ForgetPlan) error {
	switch {
	case q.ways() > 1:
		return fault.New(fault.Invalid, "forget-two-ways", "What to forget is said in two ways, so nothing was forgotten.").
			Advise("Select by one of them: ids, conversations, tags, words or a date.")
	case len(q.IDs) > 0:
		return s.planIDs(ctx, q.IDs, p)
	case len(q.Conversations) > 0:
		return s.planTalks(ctx, q.Conversations, p)
	case !q.Before.IsZero():
		if _, err := s.planMemories(ctx, MemoryQuery{Until: q.Before}, p); err != nil {
			return err
		}
		return s.planConversations(ctx, ConversationQuery{Until: q.Before}, p)
	case q.Library != nil:
		all := *q.Library
		all.Offset, all.Limit = 0, 0
		_, err := s.planMemories(ctx, all, p)
		return err
	}
	for _, tag := range q.Tags {
		if err := s.planTarget(ctx, tag, MemoryQuery{Tags: []string{tag}}, p); err != nil {
			return err
		}
	}
	for _, text := range q.Texts {
		if err := s.findable(ctx, text); err != nil {
			return err
		}
		if err := s.planTarget(ctx, text, MemoryQuery{Text: text + wordEnd}, p); err != nil {
			return err
		}
	}
	return nil
}

// wordEnd after a query says that its last word does not go on, as it may in a list.
const wordEnd = " "

// findable waits until what is said can be looked up. Without the index, or with a query
// that is none, a list takes all that has the letters somewhere in it.
func (s *Service) findable(ctx context.Context, text string) error {
	if _, err := search.Parse(text); err != nil {
		return err
	}
	return s.WaitForIndex(ctx)
}

// planTarget adds what one tag or one search selects. One that selects nothing may be
// mistyped: as with an id, nothing is forgotten then. No words would select everything.
func (s *Service) planTarget(ctx context.Context, target string, q MemoryQuery, p *ForgetPlan) error {
	found := 0
	if strings.TrimSpace(target) != "" {
		var err error
		if found, err = s.planMemories(ctx, q, p); err != nil {
			return err
		}
	}
	if found == 0 {
		return fault.New(fault.NotFound, "forget-no-such-target", "No memory in the vault is selected by “{value}”, so nothing was forgotten.").With("value", beginning(target))
	}
	return nil
}

// has reports that something was selected before, and notes that it is.
func (p *ForgetPlan) has(id string) bool {
	if p.selected == nil {
		p.selected = map[string]bool{}
	}
	before := p.selected[id]
	p.selected[id] = true
	return before
}

func (p *ForgetPlan) memory(r memory.Record, relations int) {
	if p.has(r.ID) {
		return
	}
	p.Memories = append(p.Memories, r.ID)
	p.Relations += relations
	if key := wordsKey(r.Content); key != "" {
		p.says = append(p.says, key)
	}
	p.sample(Forgotten{FoundMemory, r.ID, r.Content})
}

func (p *ForgetPlan) conversation(id, title string, messages int) {
	if p.has(id) {
		return
	}
	p.Conversations = append(p.Conversations, id)
	p.Messages += messages
	p.sample(Forgotten{FoundConversation, id, title})
}

func (p *ForgetPlan) sample(f Forgotten) {
	if len(p.Sample) == sampled {
		return
	}
	f.Text = beginning(f.Text)
	p.Sample = append(p.Sample, f)
}

// beginning is as much of a text as a plan shows.
func beginning(text string) string {
	if runes := []rune(text); len(runes) > sampleText {
		return string(runes[:sampleText]) + "…"
	}
	return text
}

func (s *Service) planIDs(ctx context.Context, ids []string, p *ForgetPlan) error {
	return s.read(ctx, func(v *session, tx *vault.Tx) error {
		for _, id := range ids {
			m, ok, err := load(tx, id)
			if err != nil {
				return err
			}
			if ok {
				p.memory(m.Record, len(v.rows.touchingOf(id)))
				continue
			}
			head, err := tx.ConversationHead(id)
			if absent(err) {
				return fault.New(fault.NotFound, "forget-no-such-id", "There is no memory and no conversation {id}, so nothing was forgotten.").With("id", shortID(id))
			}
			if err != nil {
				return err
			}
			p.conversation(id, head.Title, head.Said())
		}
		return nil
	})
}

// planTalks adds conversations by their ids.
func (s *Service) planTalks(ctx context.Context, ids []string, p *ForgetPlan) error {
	return s.read(ctx, func(_ *session, tx *vault.Tx) error {
		for _, id := range ids {
			head, err := tx.ConversationHead(id)
			if absent(err) {
				return fault.New(fault.NotFound, "forget-no-such-conversation", "There is no conversation {id}, so nothing was forgotten.").With("id", shortID(id))
			}
			if err != nil {
				return err
			}
			p.conversation(id, head.Title, head.Said())
		}
		return nil
	})
}

// planMemories adds memories, and returns how many a query selects.
func (s *Service) planMemories(ctx context.Context, q MemoryQuery, p *ForgetPlan) (int, error) {
	page, err := s.Memories(ctx, q)
	for i, r := range page.Items {
		p.memory(r, page.Relations[i])
	}
	return len(page.Items), err
}

func (s *Service) planConversations(ctx context.Context, q ConversationQuery, p *ForgetPlan) error {
	page, err := s.Conversations(ctx, q)
	for _, c := range page.Items {
		p.conversation(c.ID, c.Title, c.MessageCount)
	}
	return err
}

// Receipt says that something was forgotten, and holds nothing of it.
type Receipt struct {
	ID            string      `json:"id"`
	At            memory.Time `json:"at"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Messages      int         `json:"messages"`
	Relations     int         `json:"relations"`
	Attachments   int         `json:"attachments"`
	Originals     int         `json:"originals"` // kept files of imports that held it; they are among Attachments
	// Erased says that every file of the vault was searched for what was
	// forgotten, and that nothing of it is left in any of them. Where it is
	// false, a forget that broke off is completed by the next one.
	Erased bool `json:"erased"`
}

// Forget takes memories and conversations out of the vault for good: the records
// and all that was derived from them, what undo kept of them, and every copy of
// the vault that held them. It cannot be undone, and an import does not bring
// them back. What was forgotten is named by ids, as a plan lists them.
func (s *Service) Forget(ctx context.Context, memories, conversations []string) (Receipt, error) {
	if err := ctx.Err(); err != nil {
		return Receipt{}, err
	}
	if s.importRuns() {
		return Receipt{}, errImportRuns()
	}
	v, ctx, release, err := s.hold(ctx)
	if err != nil {
		return Receipt{}, err
	}
	defer release()
	f := forgetting{
		memories: setOf(memories), conversations: setOf(conversations), said: map[string]bool{}, rewritten: map[string]rewritten{},
		receipt: Receipt{ID: s.cfg.NewID(), At: s.now()},
	}
	f.names = names{alone: map[string]bool{}, within: map[[wholeName]byte][]string{}, said: f.said}
	for _, id := range memories {
		v.drafts.keep(Draft{MemoryID: id})
	}
	err = s.update(v, f.run)
	if err == nil {
		err = s.erase(ctx, v, &f)
	}
	if f.done {
		s.emit(EventLibrary, nil)
	}
	return f.receipt, err
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// forgetting is one forget under way.
type forgetting struct {
	memories, conversations map[string]bool
	titles                  []string             // of the conversations
	said                    map[string]bool      // content hashes of what the memories said
	names                   names                // of the memories
	rewritten               map[string]rewritten // kind and id of other records that named them
	receipt                 Receipt
	refs                    []string // files that they named
	gone                    vault.Traces
	done                    bool // the records are out
	places                  holding
}

func (f *forgetting) run(e *edit) error {
	e.tx.Trace()
	e.tx.Forgetting(true)
	for id := range f.memories {
		if err := f.memory(e, id); err != nil {
			return err
		}
	}
	for id := range f.conversations {
		if err := f.conversation(e, id); err != nil {
			return err
		}
	}
	if err := e.dropProposals(f.proposed); err != nil {
		return err
	}
	if err := f.elsewhere(e); err != nil {
		return err
	}
	if err := f.kept(e); err != nil {
		return err
	}
	if err := f.reports(e); err != nil {
		return err
	}
	if err := f.originals(e); err != nil {
		return err
	}
	if err := f.write(e); err != nil {
		return err
	}
	count := f.receipt.Memories + f.receipt.Conversations
	if err := e.log(logForget, f.receipt.ID, count); err != nil {
		return err
	}
	f.gone, f.done = e.tx.Traces(), true
	return nil
}

// memory takes out one memory, and what leads to it or from it.
func (f *forgetting) memory(e *edit, id string) error {
	m, err := need(e.tx, id)
	if err != nil {
		return err
	}
	seq, err := e.tx.Seq(vault.Memories, id)
	if err != nil {
		return err
	}
	f.places.Memories.add(seq)
	for _, name := range []string{byContent(m.ContentHash), byOrigin(originOf("", m.ID)), byWords(m.Content)} {
		if name == "" {
			continue
		}
		if err := e.bar(name); err != nil {
			return err
		}
	}
	f.names.of(m)
	f.said[m.ContentHash] = true
	for _, src := range m.side.Sources { // as it was stated, which may have been mended since
		f.said[src.Stated] = true
		if err := e.bar(byContent(src.Stated)); err != nil {
			return err
		}
		if src.OriginalID == "" {
			continue
		}
		if err := e.bar(byOrigin(originOf(src.Owner, src.OriginalID))); err != nil {
			return err
		}
	}
	for _, rel := range e.rows.touchingOf(id) {
		if !e.tx.Has(vault.Relations, rel) {
			continue // it touched another one that went before
		}
		if err := e.dropRelation(rel); err != nil {
			return err
		}
		f.receipt.Relations++
	}
	f.receipt.Memories++
	return e.dropMemory(id)
}

func (f *forgetting) conversation(e *edit, id string) error {
	head, err := needHead(e.tx, id)
	if err != nil {
		return err
	}
	seq, err := e.tx.Seq(vault.Conversations, id)
	if err != nil {
		return err
	}
	f.places.Conversations.add(seq)
	for m, err := range e.tx.Messages(id) {
		if err != nil {
			return err
		}
		named(&m, func(ref string) { f.refs = append(f.refs, ref) })
	}
	if head.Title != "" {
		f.titles = append(f.titles, head.Title)
	}
	f.receipt.Conversations++
	f.receipt.Messages += head.Said()
	if err := e.bar(ofConversationID(id)); err != nil {
		return err
	}
	return e.dropConversation(id)
}

// bar keeps imports from bringing something back. Only a keyed hash of what it
// would be found by is kept.
func (e *edit) bar(name string) error {
	return e.tx.Link(vault.Receipts, e.tx.AuditTarget(name), "")
}

// barred reports that something was forgotten here.
func (e *edit) barred(name string) bool {
	if !e.tx.HasLinks(vault.Receipts) { // as a rule; names cost a hash or two
		return false
	}
	_, there := e.tx.Linked(vault.Receipts, e.tx.AuditTarget(name))
	return there
}

func ofConversationID(id string) string { return "conversation:" + id }

// proposed reports that a proposal says what is forgotten, or comes from it.
func (f *forgetting) proposed(p Proposal) bool {
	return f.conversations[p.ConversationID] || f.said[memory.ContentHash(p.Content)]
}

// touches reports that an image of undo is of something that is forgotten.
func (f *forgetting) touches(im *image) bool {
	switch im.Kind {
	case ofMemory:
		r, err := pam.DecodeMemory(im.Before)
		return f.memories[im.ID] || im.Before != nil && err == nil && f.memories[r.Temporal.SupersededBy]
	case ofEmbedding:
		return f.memories[im.ID]
	case ofInterchange, ofTodo:
		_, id, _ := strings.Cut(im.ID, ":")
		return im.Kind == ofInterchange && f.memories[id] || im.Before != nil && naming(f.names.in).isIn(string(im.Before))
	case ofConversation:
		return f.conversations[im.ID]
	case ofProposal:
		p, err := decodeProposal(im.Before)
		return err == nil && f.proposed(p)
	case ofRelation:
		var rel memory.Relation
		return im.Before != nil && json.Unmarshal(im.Before, &rel) == nil && (f.memories[rel.From] || f.memories[rel.To])
	}
	return false
}

// kept takes out of what undo needs whatever is of the forgotten.
func (f *forgetting) kept(e *edit) error {
	for h, err := range heads(e.tx) {
		if err != nil {
			return err
		}
		if err := f.change(e, h); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetting) change(e *edit, h *changeHead) error {
	for part := 1; part <= h.Parts; part++ {
		images, err := readPart(e.tx, h.Seq, part)
		if err != nil {
			return err
		}
		rest, changed, err := f.filter(e, h.Seq, part, images)
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		text, err := encode(rest)
		if err != nil {
			return err
		}
		if err := e.tx.Put(vault.Changes, partID(h.Seq, part), e.now.Time, text); err != nil {
			return fmt.Errorf("keep change: %w", err)
		}
	}
	rest, changed, err := f.filter(e, h.Seq, 0, h.Images)
	subjects := slices.DeleteFunc(slices.Clone(h.Subjects), func(id string) bool { return f.memories[id] || f.conversations[id] })
	if changed = changed || len(subjects) < len(h.Subjects); err != nil || !changed {
		return err
	}
	if h.Parts == 0 && (len(rest) == 0 || len(subjects) == 0) {
		return e.discard(h.Seq)
	}
	h.Images, h.Subjects = rest, subjects
	return e.writeHead(h)
}

// filter leaves out the images of the forgotten, with the pieces they are kept in.
// Others learn what is left of a record that named the forgotten.
func (f *forgetting) filter(e *edit, seq uint64, part int, images []*image) (rest []*image, changed bool, err error) {
	rest = make([]*image, 0, len(images))
	for _, im := range images {
		if !f.touches(im) {
			if now, ok := f.rewritten[string(im.Kind)+im.ID]; ok && bytes.Equal(im.After, now.was) {
				im.After, changed = now.is, true
			}
			rest = append(rest, im)
			continue
		}
		changed = true
		for piece := range im.Pieces {
			if err := e.tx.Delete(vault.Changes, pieceID(seq, part, im.ID, piece)); err != nil {
				return nil, false, fmt.Errorf("forget change: %w", err)
			}
		}
	}
	return rest, changed, nil
}

// reports takes problems out of import reports that name what is forgotten.
func (f *forgetting) reports(e *edit) error {
	var changed []ImportReport
	for report, err := range reports(e.tx) {
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(report.Problems), f.named)
		if len(rest) < len(report.Problems) {
			report.Problems = rest
			changed = append(changed, report)
		}
	}
	for _, report := range changed {
		if err := e.putReport(report); err != nil {
			return err
		}
	}
	return nil
}

func (f *forgetting) named(p ReportProblem) bool {
	text := p.At + "\x00" + p.Message
	for id := range f.conversations {
		if strings.Contains(text, id) {
			return true
		}
	}
	if f.names.in(p.At) || f.names.in(p.Message) {
		return true
	}
	return slices.ContainsFunc(f.titles, func(title string) bool { return strings.Contains(text, title) })
}

func (f *forgetting) write(e *edit) error {
	text, err := encode(f.receipt)
	if err != nil {
		return err
	}
	if err := e.tx.Put(vault.Receipts, f.receipt.ID, f.receipt.At.Time, text); err != nil {
		return fmt.Errorf("store receipt: %w", err)
	}
	return nil
}

// erase removes what the vault's files still hold of the forgotten.
func (s *Service) erase(ctx context.Context, v *session, f *forgetting) error {
	before, err := v.vault.Blobs()
	if err != nil {
		return err
	}
	s.dropLoose(v, f.refs)
	after, err := v.vault.Blobs()
	if err != nil {
		return err
	}
	f.receipt.Attachments = len(before) - len(after)
	if err := v.indexer.purge(ctx); err != nil {
		return err
	}
	if err := v.vault.Erase(ctx, f.gone); err != nil {
		return err
	}
	f.receipt.Erased = true
	return s.update(v, func(e *edit) error {
		e.tx.Forgetting(false)
		return f.write(e)
	})
}

// Receipts lists what was forgotten in the last thirty days, newest first.
func (s *Service) Receipts(ctx context.Context) ([]Receipt, error) {
	all := []Receipt{}
	err := s.read(ctx, func(_ *session, tx *vault.Tx) error {
		for e, err := range tx.Each(vault.Receipts) {
			var r Receipt
			if err == nil {
				err = json.Unmarshal(e.Plain, &r)
			}
			if err != nil {
				return fmt.Errorf("read receipt: %w", err)
			}
			all = append(all, r)
		}
		return nil
	})
	slices.Reverse(all)
	return all, err
}

// forgotLast is when something was forgotten last, or the latest time at which it
// may have been where no receipt is left; zero where nothing ever was.
func (s *Service) forgotLast(v *session) (last memory.Time, err error) {
	err = v.vault.View(func(tx *vault.Tx) error {
		if !tx.HasLinks(vault.Receipts) {
			return nil
		}
		last = memory.At(s.now().Add(-receiptDays))
		for e, err := range tx.Each(vault.Receipts) {
			if err != nil {
				return err
			}
			if at := memory.At(e.Created); at.Compare(last) > 0 {
				last = at
			}
		}
		return nil
	})
	return last, err
}

// goOnForgetting completes what a lock or a crash stopped.
func (s *Service) goOnForgetting(ctx context.Context, v *session) error {
	if !v.vault.Forgetting() {
		return nil
	}
	if err := v.indexer.purge(ctx); err != nil {
		return err
	}
	if _, err := v.dropOrphans(ctx); err != nil {
		return err
	}
	if err := v.vault.Erase(ctx, nil); err != nil {
		return err
	}
	return s.update(v, func(e *edit) error {
		e.tx.Forgetting(false)
		return nil
	})
}

// dropReceipts removes receipts that were kept long enough. What was forgotten stays
// barred.
func (s *Service) dropReceipts(v *session) error {
	old, err := oldReceipts(v.vault, s.now())
	if err != nil || len(old) == 0 { // an update would write what is owed to the log
		return err
	}
	return s.update(v, func(e *edit) error {
		for _, id := range old {
			if err := e.tx.Delete(vault.Receipts, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func oldReceipts(from *vault.Vault, now memory.Time) (old []string, err error) {
	err = from.View(func(tx *vault.Tx) error {
		for rec, err := range tx.Each(vault.Receipts) {
			if err != nil {
				return err
			}
			if now.Sub(rec.Created) > receiptDays {
				old = append(old, rec.ID)
			}
		}
		return nil
	})
	return old, err
}
