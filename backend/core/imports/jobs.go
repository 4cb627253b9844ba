package imports

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// jobs holds the one import that may run at a time, and the imports that stopped when the
// vault was locked and that wait for an unlock.
type jobs struct {
	mu      sync.Mutex
	running *job
	waiting []*job // stopped when the vault was locked, to be resumed
}

// job is a requested import.
type job struct {
	id       string // "" for an import that its caller waits for
	importID string
	inputs   []files.Input
	options  library.ImportOptions
	vaultDir string
	resumed  bool
	cancel   context.CancelCauseFunc
	ended    chan struct{}
	resume   bool // set when the vault is locked: go on after the next unlock
}

func errCancelled() *fault.Error {
	return fault.New(fault.Cancelled, "import-cancelled", "The import was stopped; what had been stored until then stays in the vault.").
		Advise("Import the same file again to complete it.")
}

func errLookCancelled() *fault.Error {
	return fault.New(fault.Cancelled, "import-look-cancelled", "The look at what would be imported was stopped; nothing was written.")
}

func errLockedMeanwhile() *fault.Error {
	return fault.New(fault.Locked, "import-locked", "The vault was locked while the import ran; what had been stored until then stays in the vault.").
		Advise("Unlock the vault and import the same file again to complete it.")
}

// errNoRoomToImport is returned if the disk with the vault folder dir is full. The counts
// are minimums: the batch that failed may have reached the disk.
func errNoRoomToImport(dir string, r library.ImportReport) *fault.Error {
	return fault.New(fault.TooLarge, "import-disk-full",
		"The disk with the vault {folder} is full; what had been stored until then stays (at least {conversations} conversations and {memories} memories).").
		With("folder", dir).With("conversations", r.Conversations.New+r.Conversations.Updated).With("memories", r.Memories.New+r.Memories.Updated).
		Advise("Make room and import the same file again to complete it; nothing is imported twice.")
}

// take makes j the running job.
func (s *Service) take(ctx context.Context, j *job) (context.Context, error) {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	if s.jobs.running != nil {
		return nil, library.ErrImporting()
	}
	ctx, j.cancel = context.WithCancelCause(ctx)
	j.ended = make(chan struct{})
	s.jobs.running = j
	return ctx, nil
}

// isImporting reports whether an import runs.
func (j *jobs) isImporting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.running != nil
}

func (s *Service) release(j *job) {
	s.jobs.mu.Lock()
	if s.jobs.running == j {
		s.jobs.running = nil
	}
	if j.resume {
		j.inputs = withoutSecrets(j.inputs)
		s.jobs.waiting = append(s.jobs.waiting, j)
	}
	s.jobs.mu.Unlock()
	j.cancel(nil)
	close(j.ended)
	if v, _, done, err := s.lib.Hold(context.Background()); err == nil {
		v.Written() // no snapshot is made during an import; check now whether one is due
		done()
	}
}

// withoutSecrets returns the inputs without their passphrases, which must not stay in
// memory while the vault is locked. An encrypted input asks for its passphrase again.
func withoutSecrets(inputs []files.Input) []files.Input {
	out := slices.Clone(inputs)
	for i := range out {
		out[i].Passphrase = nil
	}
	return out
}

// StopJobs stops the running import after the current batch and waits for its end. With
// resume, a background import continues after the next unlock. Without resume, imports
// that wait for an unlock are dropped, too.
func StopJobs(s *Service, resume bool) {
	j := &s.jobs
	j.mu.Lock()
	running := j.running
	if !resume {
		j.waiting = nil
	}
	if running != nil {
		running.resume = resume && running.id != ""
		running.cancel(errLockedMeanwhile())
	}
	j.mu.Unlock()
	if running != nil {
		<-running.ended
	}
}

// ResumeJobs continues the background imports that stopped when this vault was locked.
func ResumeJobs(s *Service) {
	s.jobs.mu.Lock()
	waiting := s.jobs.waiting
	s.jobs.waiting = nil
	s.jobs.mu.Unlock()
	for _, j := range waiting {
		if j.vaultDir != s.lib.VaultDir() {
			continue
		}
		again := &job{id: j.id, importID: j.importID, inputs: j.inputs, options: j.options, vaultDir: j.vaultDir, resumed: true}
		if err := s.start(again); err != nil {
			s.lib.Emit(library.EventImportDone, ImportDone{Job: j.id, ImportID: j.importID, Fault: fault.From(err)})
		}
	}
}

// Import reads inputs into the vault and returns when it is done. onProgress
// may be nil. After a cancelled or failed import, the report counts the items that were
// stored before, and the error says why it stopped.
func (s *Service) Import(ctx context.Context, inputs []files.Input, o library.ImportOptions, onProgress func(Progress)) (library.ImportReport, error) {
	j := &job{importID: s.lib.NewID(), inputs: inputs, options: o, vaultDir: s.lib.VaultDir()}
	ctx, err := s.take(ctx, j)
	if err != nil {
		return library.ImportReport{}, err
	}
	defer s.release(j)
	return s.runJob(ctx, j, onProgress)
}

// StartImport starts an import of a plan's inputs in the background and returns the job's
// id at once. The events "progress" and "import-done" report its progress and its result.
func (s *Service) StartImport(_ context.Context, planID string) (string, error) {
	p, ok := s.plans.get(planID)
	if !ok {
		return "", errNoPlan()
	}
	j := &job{id: s.lib.NewID(), importID: s.lib.NewID(), inputs: p.inputs, options: p.options, vaultDir: s.lib.VaultDir()}
	return j.id, s.start(j)
}

// start runs a job in a goroutine of its own, which continues after the call that
// requested the job has returned.
func (s *Service) start(j *job) error {
	_, _, release, err := s.lib.Hold(context.Background())
	if err != nil {
		return err
	}
	release()
	ctx, err := s.take(context.Background(), j)
	if err != nil {
		return err
	}
	go func() {
		report, err := s.runJob(ctx, j, func(p Progress) { s.lib.Emit(library.EventProgress, p) })
		if err == nil {
			s.dropUploads(j.inputs)
		}
		s.release(j)
		done := ImportDone{Job: j.id, Fault: fault.From(err)}
		if report.State != "" {
			done.ImportID = report.ImportID
		}
		if !j.resume {
			s.lib.Emit(library.EventImportDone, done)
		}
	}()
	return nil
}

// runJob opens the inputs of a job and runs the import, or a plan for a dry run.
func (s *Service) runJob(ctx context.Context, j *job, tell func(Progress)) (library.ImportReport, error) {
	v, _, release, err := s.lib.Hold(ctx)
	if err != nil {
		return library.ImportReport{}, err
	}
	defer release()
	groups, err := s.sources.open(ctx, j.inputs, j.options.Provider)
	if err != nil {
		return library.ImportReport{}, j.reason(ctx, err)
	}
	defer closeAll(groups)
	r := &run{
		service: s, session: v, id: j.importID, options: j.options, tell: tell, began: time.Now(), resumed: j.resumed,
		report: library.ImportReport{ImportID: j.importID, StartedAt: s.lib.Now(), State: "partial", Unfinished: true, Sources: []library.ReportSource{}, Options: j.options},
		job:    j.id,
	}
	r.outcome = importOutcome{r}
	r.report.Options.By, r.report.Options.DryRun, r.report.Options.Strict, r.report.Options.OnChange = "", false, false, nil // no influence on which items are stored
	if err := r.pickUp(); err != nil {
		return library.ImportReport{}, err
	}
	if j.options.DryRun {
		report, err := r.plan(ctx, groups)
		return report, j.reason(ctx, err)
	}
	report, err := r.do(ctx, groups)
	if fault.From(err) != nil && fault.From(err).Reason == "disk-full" {
		err = errNoRoomToImport(j.vaultDir, report).Because(err)
	}
	if err == nil {
		report.Proposals.New = r.propose(ctx)
	}
	if r.stored {
		s.lib.Emit(library.EventLibrary, nil)
	}
	return report, reason(ctx, err)
}

// propose looks for proposals in conversations that were not searched yet, if the person
// allowed that, and returns how many are new. An error does not fail the import: the next
// search covers the same conversations.
func (r *run) propose(ctx context.Context) int {
	if !r.stored {
		return 0
	}
	if on, err := r.service.proposals.Proposing(ctx); err != nil || !on {
		return 0
	}
	looked, err := r.service.proposals.LookThrough(ctx, nil)
	if err != nil || looked.New == 0 {
		return looked.New
	}
	r.report.Proposals.New = looked.New
	_ = r.service.lib.Update(r.session, func(e *library.Tx) error { return e.PutReport(r.report) })
	return looked.New
}

// reason returns why an import ended: err if it is nil or ctx has not ended; otherwise
// the fault that was given to the cancel function, or errCancelled if none was.
func reason(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	var f *fault.Error
	if cause := context.Cause(ctx); errors.As(cause, &f) {
		return cause
	}
	return errCancelled().Because(err)
}

// reason returns why a job ended, like the function reason. A cancelled dry run has a
// fault of its own, because there is no import to complete.
func (j *job) reason(ctx context.Context, err error) error {
	if j.options.DryRun && err != nil && ctx.Err() != nil {
		return errLookCancelled().Because(err)
	}
	return reason(ctx, err)
}

// pickUp loads the state of an import that stopped when the vault was locked. So the
// resumed import stays one change (one undo step) and keeps its start time.
func (r *run) pickUp() error {
	if !r.resumed {
		return nil
	}
	return r.session.View(func(tx *vault.Tx) error {
		text, err := tx.Find(vault.Imports, r.id)
		if err != nil || text == nil {
			return err
		}
		old, err := rows.DecodeJSON[library.ImportReport](text, "report")
		if err != nil {
			return err
		}
		r.report.StartedAt, r.stored = old.StartedAt, true
		if r.head, err = library.ChangeOf(tx, r.id); err != nil || r.head == nil {
			return err
		}
		r.earlier, err = blobsOf(tx, r.head)
		return err
	})
}

// blobsOf returns the references of the attachment files that a change added.
func blobsOf(tx *vault.Tx, h *library.ChangeHead) (map[string]bool, error) {
	refs := map[string]bool{}
	for part := 1; part <= h.Parts; part++ {
		images, err := library.ReadPart(tx, h.Seq, part)
		if err != nil {
			return nil, err
		}
		for _, im := range images {
			if im.Kind == library.OfBlob {
				refs[im.ID] = true
			}
		}
	}
	return refs, nil
}

// progressEvery is the shortest time between two progress reports.
const progressEvery = 200 * time.Millisecond

// progress reports how many bytes of a phase are done, at most every progressEvery.
func (r *run) progress(phase Phase, done int64) {
	if r.tell == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	if time.Since(r.told) >= progressEvery {
		r.told = time.Now()
		r.tellNow(phase, done)
	}
}

// ticking reports the progress of a phase by a timer, because on a slow disk one
// conversation or one file may take minutes. It goes on until stop is called.
func (r *run) ticking(phase Phase, done func() int64) (stop func()) {
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.progress(phase, done())
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		<-stopped
	}
}

func (r *run) tellNow(phase Phase, done int64) {
	if r.tell == nil {
		return
	}
	all := r.ledger.total(counters{})
	r.tell(Progress{
		Job: r.job, Phase: phase, Done: min(done, r.total), Total: r.total,
		Conversations: all.conversations.New + all.conversations.Updated + all.conversations.Unchanged,
		Messages:      all.messages.Total,
		Memories:      all.memories.New + all.memories.Updated + all.memories.Merged + all.memories.Unchanged,
	})
}

// CancelJob stops the running import after its current batch, or drops an import that
// waits for an unlock.
func (s *Service) CancelJob(_ context.Context, id string) error {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	if s.jobs.running != nil && s.jobs.running.id == id && id != "" {
		s.jobs.running.cancel(errCancelled())
		return nil
	}
	if i := slices.IndexFunc(s.jobs.waiting, func(j *job) bool { return j.id == id }); i >= 0 {
		s.jobs.waiting = slices.Delete(s.jobs.waiting, i, i+1)
		return nil
	}
	return fault.New(fault.NotFound, "no-job", "That job is not known any more.")
}

// Imports lists the reports of all imports, newest first.
func (s *Service) Imports(ctx context.Context) ([]library.ImportReport, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	all, err := library.ReadReports(v.Vault)
	for i := range all {
		s.compareReaders(&all[i])
		all[i].Open = s.isOpen(all[i], all[:i])
	}
	return all, err
}

// ImportReport returns the stored report of one import.
func (s *Service) ImportReport(ctx context.Context, id string) (library.ImportReport, error) {
	var report library.ImportReport
	err := s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		found, err := rows.FindJSON(tx, vault.Imports, id, "report", &report)
		if err == nil && !found {
			err = library.ErrNoImport(id)
		}
		return err
	})
	s.compareReaders(&report)
	if err == nil && report.Unfinished {
		report.Open, err = s.isOpenStill(ctx, id)
	}
	return report, err
}

// ImportDone is the event at the end of a background import: with a stored report
// (ImportID), with a Fault, or, if it was stopped after a batch, with both.
type ImportDone struct {
	Job      string
	ImportID string
	Fault    *fault.Error
}
