package core

import (
	"context"
	"slices"
	"sync"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// maxPlans bounds how many plans are remembered; people look at one.
const maxPlans = 16

// plans remembers what was planned until it is started.
type plans struct {
	mu    sync.Mutex
	known map[string]planned
	order []string
}

type planned struct {
	inputs  []Input
	options ImportOptions
}

func (p *plans) put(id string, what planned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]planned{}
	}
	if _, again := p.known[id]; !again {
		p.order = append(p.order, id)
	}
	p.known[id] = what
	if len(p.order) > maxPlans {
		delete(p.known, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *plans) get(id string) (planned, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what, ok := p.known[id]
	return what, ok
}

func (p *plans) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.order = nil, nil
}

// Detect says what inputs are, from names and first kilobytes. It needs no
// vault; the counts stay zero.
func (s *Service) Detect(ctx context.Context, inputs []Input) (ImportPlan, error) {
	groups, err := s.groups(ctx, inputs, "")
	if err != nil {
		return ImportPlan{}, err
	}
	defer closeAll(groups)
	plan := ImportPlan{Sources: []PlanSource{}}
	for _, g := range groups {
		plan.Sources = append(plan.Sources, g.plan())
	}
	return plan, nil
}

// PlanImport says what an import would do: everything is read, nothing is
// written. StartImport takes the plan's id.
func (s *Service) PlanImport(ctx context.Context, inputs []Input, o ImportOptions) (ImportPlan, error) {
	v, ctx, release, err := s.hold(ctx)
	if err != nil {
		return ImportPlan{}, err
	}
	defer release()
	groups, err := s.groups(ctx, inputs, o.Provider)
	if err != nil {
		return ImportPlan{}, err
	}
	defer closeAll(groups)
	plan := ImportPlan{ID: s.cfg.NewID(), Sources: []PlanSource{}}
	if err := s.judge(ctx, v, groups, ImportOptions{AcceptBroken: true, AnyBase: true}); err != nil {
		return ImportPlan{}, err
	}
	left := maxPreview
	for _, g := range groups {
		source := g.plan()
		if g.fault == nil {
			if err := countInto(ctx, &source, g, v, o); err != nil {
				return ImportPlan{}, err
			}
			source.Preview = source.Preview[:min(len(source.Preview), left)]
			left -= len(source.Preview)
		}
		plan.Sources = append(plan.Sources, source)
	}
	s.plans.put(plan.ID, planned{inputs: slices.Clone(inputs), options: o})
	return plan, nil
}

// Agree notes what a person agreed to after seeing a plan: to take in a document
// that is not as it was signed, or that builds on one that is not known, and what
// is to become of memories that changed on both sides.
func (s *Service) Agree(ctx context.Context, planID string, o ImportOptions) error {
	_, _, release, err := s.hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	p, ok := s.plans.get(planID)
	if !ok {
		return errNoPlan()
	}
	p.options.AcceptBroken, p.options.AnyBase, p.options.OnConflict, p.options.Picks = o.AcceptBroken, o.AnyBase, o.OnConflict, o.Picks
	p.options.Merge, p.options.MergeIn = o.Merge, o.MergeIn
	p.options.KeepOriginal = o.KeepOriginal
	s.plans.put(planID, p)
	return nil
}

func errNoPlan() error {
	return fault.New(fault.NotFound, "no-plan", "This plan is no longer known.").Advise("Choose the files again.")
}

// plan is what is known of a group without reading it.
func (g *group) plan() PlanSource {
	p := PlanSource{Names: g.names, Accounts: []string{}, Missing: []string{}, Fault: g.fault, Document: g.document, Account: g.given(), TakesAccount: g.takesAccount()}
	if g.tree != nil {
		p.Bytes, p.Files = g.tree.Size(), len(g.tree.Files())
	}
	if im := g.found.Importer; im != nil {
		info, m := im.Info(), g.found.Match
		p.Provider, p.ProviderName, p.ImporterVersion = info.ID, info.Name, info.Version
		p.Format, p.Certain = m.Format, m.Certainty == importer.Certain
		p.Accounts, p.Missing = append(p.Accounts, m.Accounts...), append(p.Missing, m.Missing...)
		p.AccountNames = m.Names
	}
	for _, left := range g.others() {
		p.Problems = append(p.Problems, reportProblem(left))
	}
	return p
}

// countInto reads a group with a sink that only counts. A source that breaks
// off says so in its row.
func countInto(ctx context.Context, p *PlanSource, g *group, v *session, o ImportOptions) error {
	var all books
	own := all.open(g.name())
	shown, merging, err := count(ctx, g, &all, own, v, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.Preview = shown
	p.Problems = append(p.Problems, all.problems[:min(len(all.problems), maxPlanProblems)]...)
	if err != nil {
		p.Fault = fault.From(err)
	}
	if g.found.Importer.Info().ID == mifReader {
		p.Merging = &merging
	}
	t := all.of(own)
	p.New, p.Updated, p.Unchanged = t.conversations.New, t.conversations.Updated, t.conversations.Unchanged
	p.Memories = t.memories.New + t.memories.Updated + t.memories.Merged + t.memories.Unchanged
	return nil
}

// What a plan shows at most: statements, bytes of one and of its section, and
// problems of a source. All of it goes to the page in one answer.
const (
	maxPreview      = 300
	maxPreviewText  = 600
	maxPreviewHead  = 120
	maxPlanProblems = 20
)

// count reads a group and writes nothing. It gives the first statements.
func count(ctx context.Context, g *group, all *books, own *groupBook, v *session, o ImportOptions) ([]PlannedMemory, PlanMerging, error) {
	info := g.found.Importer.Info()
	known, err := v.known(info, g.account())
	if err != nil {
		return nil, PlanMerging{}, err
	}
	c := &counting{
		noting: newNoting(all, own), ctx: ctx, session: v, options: o, reader: info.ID, platform: info.Platform, documents: info.Documents, beside: g.isDocument(),
		met: map[string]bool{}, stated: map[string]bool{}, known: known,
	}
	err = guardedRead(ctx, g, g.sinkOf(c))
	return c.preview, c.merging, err
}

// plan does everything that an import does but writing.
func (r *run) plan(ctx context.Context, groups []*group) (ImportReport, error) {
	if err := r.service.judge(ctx, r.session, groups, r.options); err != nil {
		return r.report, err
	}
	if err := r.identify(ctx, groups); err != nil {
		return r.report, err
	}
	r.report.State, r.report.Unfinished = "planned", false
	if r.report.Identical != "" {
		return r.report, nil
	}
	r.nameOthers(groups)
	for _, g := range groups {
		g.book = r.books.open(g.name())
		if g.fault == nil {
			for _, refused := range g.tree.Refused() {
				r.books.problem(importer.Problem{Path: refused.Path, Fault: refused.Fault})
			}
			r.findings(g)
			_, _, err := count(ctx, g, &r.books, g.book, r.session, r.options)
			if ctx.Err() != nil {
				return r.report, ctx.Err()
			}
			g.fault = fault.From(err)
		}
		if g.fault != nil {
			r.books.problem(importer.Problem{Path: g.name(), Fault: g.fault})
		}
	}
	err := r.broke(groups)
	if err == nil {
		err = r.holdsNothing(groups)
	}
	r.fill(&r.report, nil, tally{})
	return r.report, err
}

// counting is a sink that stores nothing.
type counting struct {
	noting
	ctx       context.Context
	session   *session
	options   ImportOptions
	reader    string // its id
	platform  string
	documents bool            // of Portable AI Memory
	beside    bool            // memories are told beside the conversations that they came from
	met       map[string]bool // conversations of this reading
	stated    map[string]bool // contents of this reading that the vault does not have
	known     known
	preview   []PlannedMemory
	merging   PlanMerging
}

// Known implements importer.Sink.
func (c *counting) Known(sum [32]byte) bool { return c.known.has(sum) && !c.options.OnlyMemories }

// Foreseen implements importer.Sink.
func (c *counting) Foreseen(start uint32) int { return c.known.sizes[start] }

// Unchanged implements importer.Sink. Memories in unchanged conversations are
// held already, so nothing is lost by skipping them.
func (c *counting) Unchanged(nativeID string, sum [32]byte) bool {
	if c.options.OnlyMemories {
		return false
	}
	id, messages, ok := c.session.rows.standing(c.known, c.platform, nativeID, sum)
	if !ok {
		return false
	}
	statements := 0
	if !c.beside {
		statements = c.session.rows.countStatements(id)
	}
	c.all.note(c.own, func(t *tally) { t.passOver(messages, statements) })
	return true
}

// Conversation implements importer.Sink.
func (c *counting) Conversation(_ context.Context, d importer.ConversationDraft) error {
	c.seen()
	if c.options.OnlyMemories {
		c.skip("not-wanted", func(t *tally) { t.conversations.Skipped++ })
		return c.ctx.Err()
	}
	row, ok, err := c.session.storedConversation(d.ID)
	if ok && d.Owner == "" && otherAccount(row.AccountID, d.Provider.AccountID) {
		d.ID = inAccount(d.Provider.AccountID, d.ID)
		row, ok, err = c.session.storedConversation(d.ID)
	}
	if err != nil {
		return err
	}
	again := c.met[d.ID]
	c.met[d.ID] = true
	what := isNew
	if ok && !again {
		if what, err = c.fate(&d, row); err != nil {
			return err
		}
	}
	messages := len(d.Messages)
	c.all.note(c.own, func(t *tally) {
		t.messages.Total += messages
		switch {
		case again, what == isSame, what == isOlder:
			t.conversations.Unchanged++
			t.unchanged++
			return
		case ok:
			t.conversations.Updated++
			t.messages.New += max(0, messages-row.MessageCount)
		default:
			t.conversations.New++
			t.messages.New += messages
		}
		t.taken++
	})
	return c.ctx.Err()
}

// fate is what an import would find of a conversation that the vault has. Of one
// that is only here as it was exported, the words decide.
func (c *counting) fate(d *importer.ConversationDraft, row conversationRow) (fate, error) {
	switch {
	case row.sum == d.Sum:
		return isSame, nil
	case d.Transcript && !isReadBy(row.importer, c.reader):
		return isOlder, nil
	}
	what := byItsTimes(d, memory.ConversationTemporal{CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt}, row.MessageCount)
	if what != isSame {
		return what, nil
	}
	if !d.Kept {
		return isNewer, nil
	}
	finishConversation(d, memory.ImportMetadata{}, "")
	err := c.session.vault.View(func(tx *vault.Tx) error {
		stored, err := tx.Conversation(d.ID)
		if err != nil {
			return err
		}
		what, err = byItsWords(d, stored)
		return err
	})
	return what, err
}

// Memory implements importer.Sink.
func (c *counting) Memory(_ context.Context, d importer.MemoryDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	hash := memory.ContentHash(d.Content)
	if d.SourceKey == "" {
		d.SourceKey = "content:" + hash
	}
	what, err := c.standing(hash, d.SourceKey, d.PlatformUserID)
	if err != nil {
		return err
	}
	again := c.stated[hash]
	if len(c.preview) < maxPreview && !again {
		section, _ := d.Metadata["section"].(string)
		c.preview = append(c.preview, PlannedMemory{d.Type, cut(d.Content, maxPreviewText), cut(section, maxPreviewHead), d.CreatedAt, what == isSame || what == isOlder})
	}
	c.stated[hash] = c.stated[hash] || what == isNew || what == isNewer
	c.all.note(c.own, func(t *tally) {
		switch {
		case again:
			t.memories.Merged++
			t.memories.Repeated++
			t.merged++
		case what == isSame:
			t.memories.Unchanged++
			t.unchanged++
		case what == isOlder:
			t.memories.Merged++
			t.merged++
		case what == isNewer:
			t.memories.Updated++
			t.taken++
		default:
			t.memories.New++
			t.taken++
		}
	})
	return c.ctx.Err()
}

// standing is what the vault has of a statement: its words from this source
// (isSame), its words from another (isOlder), its source with other words
// (isNewer), or nothing.
func (c *counting) standing(hash, key, account string) (what fate, err error) {
	err = c.session.vault.View(func(tx *vault.Tx) (err error) {
		if key, err = statementKey(tx, c.platform, key, account); err != nil {
			return err
		}
		if id, ok := tx.Linked(vault.Memories, byContent(hash)); ok {
			m, ok, err := load(tx, id)
			i, known := m.side.source(c.platform, key)
			switch {
			case err != nil:
				return err
			case !ok, known && m.side.Sources[i].Stated == hash:
				what = isSame
			default:
				what = isOlder
			}
			return nil
		}
		if _, ok := tx.Linked(vault.Memories, bySource(c.platform, key)); ok {
			what = isNewer
		}
		return nil
	})
	return what, err
}

// Retraction implements importer.Sink. Which memory it fits, if any, is known
// only once everything is stored.
func (c *counting) Retraction(context.Context, importer.RetractionDraft) error {
	c.seen()
	c.skip("retraction-not-planned", nil)
	return c.ctx.Err()
}

// Record implements importer.Sink. Whether two versions are in conflict shows
// only when both are looked at.
func (c *counting) Record(_ context.Context, d importer.RecordDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	what, err := c.recordStanding(d)
	if err != nil {
		return err
	}
	key := memory.ContentHash(d.Content)
	c.merging.note(what, c.stated[key])
	switch merge := c.options.mergeAs(c.reader); {
	case what == isNewer && merge == SkipDuplicates:
		what = isSame
	case (what == isNewer || what == isOlder) && merge == Rename:
		what = isNew
	}
	again := c.stated[key] && what == isNew
	if !c.documents && len(c.preview) < maxPreview && !again { // a document of PAM is compared memory by memory instead
		c.preview = append(c.preview, PlannedMemory{d.Type, cut(d.Content, maxPreviewText), "", d.Temporal.CreatedAt, what == isSame || what == isOlder})
	}
	c.stated[key] = c.stated[key] || what == isNew
	c.all.note(c.own, func(t *tally) {
		switch {
		case what == isForgotten:
			t.skip("forgotten")
		case again, what == isOlder:
			t.memories.Merged++
			t.merged++
			if again {
				t.memories.Repeated++
			}
		case what == isSame:
			t.memories.Unchanged++
			t.unchanged++
		case what == isNewer:
			t.memories.Updated++
			t.taken++
		default:
			t.memories.New++
			t.taken++
		}
	})
	return c.ctx.Err()
}

// note counts a memory; again says that the document said it before.
func (m *PlanMerging) note(what fate, again bool) {
	switch {
	case what == isOlder, what == isNew && again:
		m.Said++
	case what == isSame:
		m.Same++
	case what == isNewer:
		m.Changed++
	case what == isNew:
		m.New++
	}
}

// recordStanding is what the vault has of a whole memory: the same (isSame), it
// under the same id and otherwise (isNewer), its words under another id
// (isOlder), or nothing.
func (c *counting) recordStanding(d importer.RecordDraft) (what fate, err error) {
	err = c.session.vault.View(func(tx *vault.Tx) error {
		a := applying{edit: &edit{tx: tx}}
		a.prepare(&d)
		if a.isForgotten(&d) {
			what = isForgotten
			return nil
		}
		id, err := a.byOrigin(d.Owner, d.ID)
		if err != nil {
			return err
		}
		if id == "" {
			if _, ok := tx.Linked(vault.Memories, byContent(d.ContentHash)); ok {
				what = isOlder
			}
			return nil
		}
		m, ok, err := load(tx, id)
		if err != nil || !ok {
			return err
		}
		if err := complete(&d, m.Record); err != nil {
			return err
		}
		theirs := d.Record
		theirs.ID = m.ID
		what = isNewer
		if len(pam.DiffRecords(m.Record, theirs)) == 0 || c.options.mergeAs(c.reader) == "" && hidesOnly(theirs, m.Record) {
			what = isSame
		}
		return nil
	})
	return what, err
}

// unwanted counts an item that is no conversation, and skips it where only
// conversations are taken.
func (c *counting) unwanted() bool {
	c.seen()
	if c.options.OnlyConversations {
		c.skip("not-wanted", nil)
	}
	return c.options.OnlyConversations
}

// Relation implements importer.Sink. Whether its memories will be there is known
// only once they are stored.
func (c *counting) Relation(_ context.Context, d importer.RelationDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	_, exists := c.session.rows.relation(d.From, d.Type, d.To)
	c.all.note(c.own, func(t *tally) {
		if exists {
			t.relations.Unchanged++
			t.unchanged++
			return
		}
		t.relations.New++
		t.taken++
	})
	return c.ctx.Err()
}

// Embedding implements importer.Sink. Whether its memory will be there is known
// only once that is stored.
func (c *counting) Embedding(context.Context, importer.EmbeddingDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	c.all.note(c.own, func(t *tally) { t.taken++ })
	return c.ctx.Err()
}

// Todo implements importer.Sink.
func (c *counting) Todo(_ context.Context, d importer.TodoDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	text, err := encode(d.Todo)
	if err != nil {
		return err
	}
	var old []byte
	if err := c.session.vault.View(func(tx *vault.Tx) (err error) {
		old, err = get(tx, vault.Todos, d.ID)
		return err
	}); err != nil {
		return err
	}
	merge, differs := c.options.mergeAs(c.reader), old != nil && string(old) != string(text)
	if differs {
		c.merging.Tasks++
	}
	c.all.note(c.own, func(t *tally) {
		switch {
		case old != nil && (!differs || merge != Overwrite && merge != Rename):
			t.todos.Unchanged++
			t.unchanged++
			return
		case differs && merge == Overwrite:
			t.todos.Updated++
		default:
			t.todos.New++
		}
		t.taken++
	})
	return c.ctx.Err()
}

// Beside implements importer.Sink.
func (c *counting) Beside(context.Context, importer.BesideDraft) error {
	if c.unwanted() {
		return c.ctx.Err()
	}
	c.all.note(c.own, func(t *tally) { t.taken++ })
	return c.ctx.Err()
}

// Attachment implements importer.Sink; the bytes are not read.
func (c *counting) Attachment(context.Context, importer.AttachmentDraft) (string, error) {
	return "", c.ctx.Err()
}

// Progress implements importer.Sink.
func (c *counting) Progress(int64) {}
