package imports

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/vault"
)

// isOpen reports whether an import broke off and no later import completed it. An import
// that runs, or waits for an unlock to go on, has not broken off.
func (s *Service) isOpen(report library.ImportReport, later []library.ImportReport) bool {
	if !report.Unfinished || report.State != "partial" || len(report.Sources) == 0 || s.goesOn(report.ImportID) {
		return false
	}
	return !slices.ContainsFunc(later, func(r library.ImportReport) bool { return isCompletedBy(report, r) })
}

// isOpenStill is isOpen for the stored report with this id.
func (s *Service) isOpenStill(ctx context.Context, id string) (bool, error) {
	all, err := s.Imports(ctx)
	i := slices.IndexFunc(all, func(r library.ImportReport) bool { return r.ImportID == id })
	return i >= 0 && all[i].Open, err
}

// isCompletedBy reports whether the import other read all files of r to their end.
func isCompletedBy(r library.ImportReport, other library.ImportReport) bool {
	return other.State == "done" && !slices.ContainsFunc(r.Sources, func(source library.ReportSource) bool {
		return !slices.ContainsFunc(other.Sources, func(o library.ReportSource) bool {
			return o.SHA256 != "" && o.SHA256 == source.SHA256 && o.Provider == source.Provider && o.Account == source.Account
		})
	})
}

// goesOn reports whether an import runs, or waits to resume when the vault is unlocked.
func (s *Service) goesOn(importID string) bool {
	s.jobs.mu.Lock()
	defer s.jobs.mu.Unlock()
	is := func(j *job) bool { return j != nil && j.importID == importID }
	return is(s.jobs.running) || slices.ContainsFunc(s.jobs.waiting, is)
}

// isLocked reports whether err says that an import ended because the vault was locked.
func isLocked(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Reason == "import-locked"
}

// LeaveImport notes that the person knows that an import broke off and does not want to
// complete it.
func (s *Service) LeaveImport(ctx context.Context, id string) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		if !e.VaultTx.Has(vault.Imports, id) {
			return library.ErrNoImport(id)
		}
		return e.ChangeReport(id, func(r *library.ImportReport) { r.Told = true })
	})
}

// Again holds the inputs of an earlier import, so that they can be imported once more.
type Again struct {
	Inputs  []files.Input
	Names   []string // of the inputs
	Missing []string // names of files that are neither in the vault nor at their old path
}

// ImportAgain returns the files of an import as inputs: originals stored in the vault, or
// the files at their old paths. An original becomes an upload (files.Input.Upload), which
// the caller must import or pass to DropUpload.
func (s *Service) ImportAgain(ctx context.Context, id string) (again Again, err error) {
	report, err := s.ImportReport(ctx, id)
	if err != nil {
		return again, err
	}
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return again, err
	}
	defer release()
	for _, source := range report.Sources {
		name := filepath.Base(source.Path)
		in, ok, err := s.sourceAgain(ctx, v, source)
		switch {
		case err != nil:
			s.dropUploads(again.Inputs)
			return Again{}, err
		case ok && !slices.ContainsFunc(again.Inputs, func(o files.Input) bool { return o.Path != "" && o.Path == in.Path }):
			again.Inputs, again.Names = append(again.Inputs, in), append(again.Names, name)
		case !ok && !slices.Contains(again.Missing, name):
			again.Missing = append(again.Missing, name)
		}
	}
	return again, nil
}

func (s *Service) sourceAgain(ctx context.Context, v *library.Session, source library.ReportSource) (in files.Input, ok bool, err error) {
	if source.Original != "" {
		id, err := s.unseal(ctx, v, source)
		return files.Input{Upload: id, Original: source.Original, Account: source.Account}, err == nil, err
	}
	if !filepath.IsAbs(source.Path) {
		return files.Input{}, false, nil
	}
	_, failed := os.Stat(source.Path)
	return files.Input{Path: source.Path, Account: source.Account}, failed == nil, nil
}
