package imports

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/vault"
)

// maxPlans is the number of latest plans that are remembered; people look at one at a time.
const maxPlans = 16

// plans remembers the inputs and options of plans, so that StartImport can run them.
type plans struct {
	mu  sync.Mutex
	all []storedPlan // in the order in which they were made
}

type storedPlan struct {
	id      string
	inputs  []files.Input
	options library.ImportOptions
}

func (p *plans) put(plan storedPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := p.index(plan.id); i >= 0 {
		p.all[i] = plan
		return
	}
	p.all = append(p.all, plan)
	p.all = p.all[max(0, len(p.all)-maxPlans):]
}

func (p *plans) get(id string) (plan storedPlan, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := p.index(id); i >= 0 {
		return p.all[i], true
	}
	return plan, false
}

func (p *plans) index(id string) int {
	return slices.IndexFunc(p.all, func(plan storedPlan) bool { return plan.id == id })
}

// ForgetPlans drops all remembered plans.
func ForgetPlans(s *Service) {
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	s.plans.all = nil
}

// Detect finds the reader of each input from its names and first kilobytes. It needs no
// vault; the counts of the plan stay zero.
func (s *Service) Detect(ctx context.Context, inputs []files.Input) (ImportPlan, error) {
	groups, err := s.sources.open(ctx, inputs, "")
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

// PlanImport returns what an import would do: it reads everything and writes nothing. The
// plan's id can be passed to StartImport.
func (s *Service) PlanImport(ctx context.Context, inputs []files.Input, o library.ImportOptions) (ImportPlan, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return ImportPlan{}, err
	}
	defer release()
	groups, err := s.sources.open(ctx, inputs, o.Provider)
	if err != nil {
		return ImportPlan{}, err
	}
	defer closeAll(groups)
	plan := ImportPlan{ID: s.lib.NewID(), Sources: []PlanSource{}}
	if err := s.judge(ctx, v, groups, library.ImportOptions{AcceptBroken: true, AcceptUnsigned: true, AnyBase: true}); err != nil {
		return ImportPlan{}, err
	}
	defer v.Vault.SpareMapped()()
	left, drawn := maxPreview, library.NewDryRun()
	look := newPlanProgress(groups, o.OnLook)
	defer look.end()
	o.OnLook = nil // only for this call: the stored plan must not keep the callback
	for _, g := range groups {
		source := g.plan()
		if g.fault == nil {
			look.moveTo(g.tree)
			r := &run{service: s, session: v, id: plan.ID, options: o, began: time.Now()}
			r.outcome = planOutcome{r, drawn}
			if err := s.foresee(ctx, &source, g, r); err != nil {
				return ImportPlan{}, err
			}
			source.Preview = source.Preview[:min(len(source.Preview), left)]
			left -= len(source.Preview)
		}
		plan.Sources = append(plan.Sources, source)
	}
	s.plans.put(storedPlan{plan.ID, slices.Clone(inputs), o})
	return plan, nil
}

// planProgress reports the progress of a plan, in bytes of all trees that it reads.
type planProgress struct {
	run    run // only its progress functions are used
	stop   func()
	mu     sync.Mutex
	tree   *intake.Tree // the tree that is being read
	before int64        // total bytes of the trees before it
}

// newPlanProgress starts to call tell with the progress of a plan; tell may be nil.
func newPlanProgress(groups []*group, tell func(done, total int64)) *planProgress {
	p := &planProgress{}
	if tell != nil {
		p.run.tell = func(told Progress) { tell(told.Done, told.Total) }
	}
	p.run.total = sizeOf(groups)
	p.stop = p.run.ticking(PhaseReading, p.done)
	return p
}

// moveTo sets the tree (of input files) that is read next, and reports the progress. If
// another reader reads the rest of the same tree next, p.before does not grow.
func (p *planProgress) moveTo(tree *intake.Tree) {
	p.mu.Lock()
	if p.tree != nil && p.tree != tree {
		p.before += p.tree.Size()
	}
	p.tree = tree
	p.mu.Unlock()
	p.run.telling.Lock()
	defer p.run.telling.Unlock()
	p.run.tellNow(PhaseReading, p.done())
}

func (p *planProgress) done() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tree == nil {
		return p.before
	}
	return p.before + min(p.tree.Consumed(), p.tree.Size())
}

func (p *planProgress) end() {
	p.stop()
	p.moveTo(nil)
}

// Agree stores the person's choices for a plan: whether to import a document that was
// changed after it was signed, or whose base export is unknown, and how to resolve
// conflicts of memories that changed on both sides.
func (s *Service) Agree(ctx context.Context, planID string, o library.ImportOptions) error {
	_, _, release, err := s.lib.Hold(ctx)
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
	p.options.KeepOriginal, p.options.Take, p.options.AcceptUnsigned = o.KeepOriginal, o.Take, o.AcceptUnsigned
	s.plans.put(p)
	return nil
}

func errNoPlan() error {
	return fault.New(fault.NotFound, "no-plan", "This plan is no longer known.").Advise("Choose the files again.")
}

// plan returns the entry of a plan for a group (one source of an import): names, accounts,
// reader and fault. The counts stay zero, as its items are not read yet.
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

// foresee reads one group without writing, and fills its row p of the plan. If the source
// cannot be read to its end, p.Fault says why.
func (s *Service) foresee(ctx context.Context, p *PlanSource, g *group, r *run) error {
	if err := r.through(ctx, []*group{g}); err != nil {
		return err
	}
	t := r.ledger.of(g.ledger)
	p.Preview, p.Fault = g.ledger.shown, g.fault
	p.Problems = append(p.Problems, r.ledger.problems[:min(len(r.ledger.problems), maxPlanProblems)]...)
	if g.found.Importer.Info().ID == library.MIFReader {
		p.Merging = &g.ledger.merging
	}
	p.New, p.Updated, p.Unchanged = t.conversations.New, t.conversations.Updated, t.conversations.Unchanged
	p.Changes, p.ChangeCount = g.ledger.changes, g.ledger.changeCount
	p.Memories, p.MemoriesNew = t.memories.Found(), t.memories.New
	return nil
}

// Limits of a plan, which goes to the user interface in one response: statements in the
// preview, bytes of a statement and of its section title, and problems of a source.
const (
	maxPreview      = 300
	maxPreviewText  = 600
	maxPreviewHead  = 120
	maxPlanProblems = 20
)

// plan is the dry run of run.do: it does all that an import does, but writes nothing.
func (r *run) plan(ctx context.Context, groups []*group) (library.ImportReport, error) {
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
	r.outcome = planOutcome{r, library.NewDryRun()}
	if err := r.through(ctx, groups); err != nil {
		return r.report, err
	}
	err := r.broke(groups)
	r.fill(&r.report, nil, counters{})
	r.tellNow(PhaseFinished, r.total)
	return r.report, err
}

// planOutcome is the outcome of a plan: it writes only to dryRun, which is in memory.
type planOutcome struct {
	*run
	dryRun *library.DryRun
}

func (r planOutcome) begin() (map[library.MovedID]string, *library.SetAsides) {
	return r.dryRun.Moved, r.dryRun.Pieces
}

// attachment does nothing: a plan does not read the bytes of attachments.
func (r planOutcome) attachment(context.Context, *sink, importer.AttachmentDraft) (string, error) {
	return "", nil
}

func (r planOutcome) handOver(*batchApplier, string) error { return nil }

func (r planOutcome) foresee(f *families, d *importer.ConversationDraft) {
	f.told[d.ID] = tellings(d.Messages)
}

func (r planOutcome) problem(importer.Problem) {} // a plan stores nothing of a broken source

func (r planOutcome) store(b *batch) (a *batchApplier, err error) {
	defer library.Recovered(&err)
	err = r.session.View(func(tx *vault.Tx) error {
		e := r.service.lib.NewDryTx(tx, r.session, r.dryRun)
		e.NewID = uuid.NewString
		a = &batchApplier{Tx: e, run: r.run, batch: b, shown: b.ledger.shown}
		return a.all()
	})
	if err != nil {
		return nil, err
	}
	b.ledger.shown = a.shown
	b.ledger.merging.add(a.merging)
	return a, nil
}

func (m *PlanMerging) add(o PlanMerging) {
	m.New += o.New
	m.Same += o.Same
	m.Changed += o.Changed
	m.Said += o.Said
	m.Tasks += o.Tasks
}

// show adds a statement to the preview of a plan, unless it repeats another statement or
// is skipped.
func (r planOutcome) show(a *batchApplier, it item, before library.MemoryCounts, late int) {
	is := a.counts.memories
	waits := len(a.run.late.reworded) > late
	if len(a.shown) >= maxPreview || is.Repeated > before.Repeated || is == before && !waits {
		return
	}
	known := is.New == before.New && is.Updated == before.Updated && !waits
	switch {
	case it.memory != nil:
		d := it.memory
		section, _ := d.Metadata["section"].(string)
		a.shown = append(a.shown, PlannedMemory{d.Type, library.Cut(d.Content, maxPreviewText), library.Cut(section, maxPreviewHead), d.CreatedAt, known})
	case it.record != nil && !a.batch.info.Documents: // a document of PAM is compared memory by memory instead
		d := it.record
		a.shown = append(a.shown, PlannedMemory{d.Type, library.Cut(d.Content, maxPreviewText), "", d.Temporal.CreatedAt, known})
	}
}
