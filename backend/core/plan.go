package core

import (
	"context"
	"slices"
	"sync"

	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
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
	p.known[id] = what
	p.order = append(p.order, id)
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
	for _, g := range groups {
		source := g.plan()
		if g.fault == nil {
			if err := countInto(ctx, &source, g, v.rows, o); err != nil {
				return ImportPlan{}, err
			}
		}
		plan.Sources = append(plan.Sources, source)
	}
	s.plans.put(plan.ID, planned{inputs: slices.Clone(inputs), options: o})
	return plan, nil
}

// plan is what is known of a group without reading it.
func (g *group) plan() PlanSource {
	p := PlanSource{Names: g.names, Accounts: []string{}, Missing: []string{}, Fault: g.fault}
	if g.tree != nil {
		p.Bytes, p.Files = g.tree.Size(), len(g.tree.Files())
	}
	if im := g.found.Importer; im != nil {
		info, m := im.Info(), g.found.Match
		p.Provider, p.ProviderName, p.ImporterVersion = info.ID, info.Name, info.Version
		p.Format, p.Certain = m.Format, m.Certainty == importer.Certain
		p.Accounts, p.Missing = append(p.Accounts, m.Accounts...), append(p.Missing, m.Missing...)
	}
	return p
}

// countInto reads a group with a sink that only counts. A source that breaks
// off says so in its row.
func countInto(ctx context.Context, p *PlanSource, g *group, rs *rows, o ImportOptions) error {
	info := g.found.Importer.Info()
	c := &counting{ctx: ctx, rows: rs, options: o, platform: info.Platform, plan: p, seen: map[string]bool{}, known: rs.known(info.Platform, info.Version)}
	err := guardedRead(ctx, g, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.Fault = fault.From(err)
	}
	return nil
}

// counting is a sink that stores nothing.
type counting struct {
	ctx      context.Context
	rows     *rows
	options  ImportOptions
	platform string
	plan     *PlanSource
	seen     map[string]bool
	known    known
}

// Known implements importer.Sink.
func (c *counting) Known(sum [32]byte) bool { return c.known.has(sum) && !c.options.OnlyMemories }

// Unchanged implements importer.Sink. Memories in unchanged conversations are
// held already, so nothing is lost by skipping them.
func (c *counting) Unchanged(nativeID string, sum [32]byte) bool {
	id := c.known[sum]
	if nativeID != "" {
		id = importer.ConversationID(c.platform, nativeID)
	}
	row, ok := c.rows.conversation(id)
	if !ok || row.sum != sum || c.options.OnlyMemories {
		return false
	}
	c.plan.Unchanged++
	c.plan.Memories += c.rows.countStatements(row.ID)
	return true
}

// Conversation implements importer.Sink.
func (c *counting) Conversation(_ context.Context, d importer.ConversationDraft) error {
	if c.options.OnlyMemories || c.seen[d.ID] {
		return c.ctx.Err()
	}
	c.seen[d.ID] = true
	row, ok := c.rows.conversation(d.ID)
	switch {
	case !ok:
		c.plan.New++
	case row.sum == d.Sum || lastChange(d.Temporal).Compare(lastChange(memory.ConversationTemporal{CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt})) < 0:
		c.plan.Unchanged++
	default:
		c.plan.Updated++
	}
	return c.ctx.Err()
}

// Memory implements importer.Sink.
func (c *counting) Memory(context.Context, importer.MemoryDraft) error {
	if !c.options.OnlyConversations {
		c.plan.Memories++
	}
	return c.ctx.Err()
}

// Retraction implements importer.Sink.
func (c *counting) Retraction(context.Context, importer.RetractionDraft) error { return c.ctx.Err() }

// Attachment implements importer.Sink; the bytes are not read.
func (c *counting) Attachment(context.Context, importer.AttachmentDraft) (string, error) {
	return "", c.ctx.Err()
}

// Missing implements importer.Sink.
func (c *counting) Missing(string) {}

// Problem implements importer.Sink.
func (c *counting) Problem(importer.Problem) {}

// Skipped implements importer.Sink.
func (c *counting) Skipped(string) {}

// Unknown implements importer.Sink.
func (c *counting) Unknown(string) {}

// Progress implements importer.Sink.
func (c *counting) Progress(int64) {}
