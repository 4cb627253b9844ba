package bridge

import (
	"context"
	"path/filepath"
	"strings"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// Imports brings exports into the vault.
type Imports struct{ k *kit }

// Choose asks the person for files. None chosen is an empty list.
func (i *Imports) Choose() ([]Offer, error) {
	return call(i.k, func(context.Context) ([]Offer, error) {
		paths, err := i.k.host.OpenFiles(product.Name)
		if err != nil {
			return nil, err
		}
		return i.k.shelf.paths(paths, false), nil
	})
}

// pasted is the reader of text that nobody recognises, and what the text is
// called.
const (
	pastedReader = "pasted"
	pastedName   = "pasted.txt"
)

// Paste takes in text that the person copied out of an assistant. It is planned
// and imported as a file is.
func (i *Imports) Paste(text string) (Offer, error) {
	return call(i.k, func(ctx context.Context) (Offer, error) {
		id, size, err := i.k.core.AddUpload(ctx, pastedName, strings.NewReader(text))
		return i.k.shelf.put(core.Input{Upload: id, Fallback: pastedReader}, pastedName, size, false), err
	})
}

// Opened hands over, once, what came in before the page listened: files named
// on the command line, by a second start, or dropped early.
func (i *Imports) Opened() ([]Offer, error) {
	return call(i.k, func(context.Context) ([]Offer, error) {
		i.k.mu.Lock()
		i.k.listening = true
		i.k.mu.Unlock()
		return i.k.shelf.takeFresh(), nil
	})
}

// Plan says what the offers hold. Nothing is written.
func (i *Imports) Plan(tokens []string) (PlanView, error) {
	return call(i.k, func(ctx context.Context) (PlanView, error) {
		inputs, err := i.k.shelf.inputs(tokens)
		if err != nil {
			return PlanView{}, err
		}
		plan, err := i.k.core.PlanImport(ctx, inputs, core.ImportOptions{OnLook: func(done, total int64) {
			i.k.host.Emit(EventLook, LookView{Done: done, Total: total})
		}})
		return planView(plan), err
	})
}

// NameAccount says whose exports offers are, where they do not say so themselves;
// "" is the default account of their provider. A plan made after it knows.
func (i *Imports) NameAccount(tokens []string, account string) error {
	return do(i.k, func(context.Context) error {
		for _, token := range tokens {
			if err := i.k.shelf.nameAccount(token, account); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forget lets go of offers that will not be imported; what was uploaded for
// them is removed.
func (i *Imports) Forget(tokens []string) error {
	return do(i.k, func(context.Context) error {
		for _, token := range tokens {
			if item, ok := i.k.shelf.take(token); ok && item.input.Upload != "" {
				i.k.core.DropUpload(item.input.Upload)
			}
		}
		return nil
	})
}

// Agree notes what a person agreed to after seeing a plan; Start follows it.
func (i *Imports) Agree(planID string, a AgreementView) error {
	return do(i.k, func(ctx context.Context) error { return i.k.core.Agree(ctx, planID, agreement(a)) })
}

// Start imports what a plan named and returns at once; the events "progress"
// and "import-done" tell the rest.
func (i *Imports) Start(planID string) (JobView, error) {
	return call(i.k, func(ctx context.Context) (JobView, error) {
		job, err := i.k.core.StartImport(ctx, planID)
		return JobView{ID: job}, err
	})
}

// Cancel stops a job at the next whole batch.
func (i *Imports) Cancel(jobID string) error {
	return do(i.k, func(ctx context.Context) error { return i.k.core.CancelJob(ctx, jobID) })
}

// Job says how far a job is, for a page that missed its events.
func (i *Imports) Job(jobID string) (ProgressView, error) {
	return call(i.k, func(context.Context) (ProgressView, error) { return i.k.jobs.get(jobID) })
}

// List returns the reports of all imports, newest first, without their
// problems and ledgers; Report has those.
func (i *Imports) List() ([]ReportView, error) {
	return call(i.k, func(ctx context.Context) ([]ReportView, error) {
		reports, err := i.k.core.Imports(ctx)
		return list(first(reports), func(r core.ImportReport) ReportView {
			v := reportView(r)
			v.Problems, v.Ledger, v.Unknown = []ReportProblemView{}, []LedgerView{}, []CountView{}
			return v
		}), err
	})
}

// Report returns one report whole.
func (i *Imports) Report(id string) (ReportView, error) {
	return show(i.k, reportView, func(ctx context.Context) (core.ImportReport, error) { return i.k.core.ImportReport(ctx, id) })
}

// Finish lays down once more what an import was made of, to be planned and imported
// again: only what is missing is read.
func (i *Imports) Finish(importID string) (FinishView, error) {
	return call(i.k, func(ctx context.Context) (FinishView, error) {
		again, err := i.k.core.ImportAgain(ctx, importID)
		view := FinishView{Offers: []Offer{}, Missing: words(again.Missing)}
		for n, in := range again.Inputs {
			view.Offers = append(view.Offers, i.k.shelf.again(in, again.Names[n]))
		}
		return view, err
	})
}

// Leave notes that an import that broke off is to stay so.
func (i *Imports) Leave(importID string) error {
	return do(i.k, func(ctx context.Context) error { return i.k.core.LeaveImport(ctx, importID) })
}

// Reread reads the kept files of an import again, with the readers of today; the
// events of an import tell the rest.
func (i *Imports) Reread(importID string) (JobView, error) {
	return call(i.k, func(ctx context.Context) (JobView, error) {
		job, err := i.k.core.StartReread(ctx, importID)
		return JobView{ID: job}, err
	})
}

// PlanUndo says what Undo would take, and what would stay. Nothing is changed.
func (i *Imports) PlanUndo(importID string) (UndoView, error) {
	return show(i.k, undoView, func(ctx context.Context) (core.ImportUndo, error) { return i.k.core.PlanUndoImport(ctx, importID) })
}

// Undo takes one import back, however much came after it. What came from
// another import, too, stays, and so does what was edited since.
func (i *Imports) Undo(importID string) (UndoView, error) {
	return show(i.k, undoView, func(ctx context.Context) (core.ImportUndo, error) { return i.k.core.UndoImport(ctx, importID) })
}

// RevealSource shows where the original export still lies.
func (i *Imports) RevealSource(importID string, index int) error {
	return do(i.k, func(ctx context.Context) error {
		report, err := i.k.core.ImportReport(ctx, importID)
		if err != nil {
			return err
		}
		if index < 0 || index >= len(report.Sources) || !filepath.IsAbs(report.Sources[index].Path) {
			return fault.New(fault.NotFound, "source-place-unknown", "Where this file came from was not recorded.")
		}
		return i.k.host.Reveal(report.Sources[index].Path)
	})
}
