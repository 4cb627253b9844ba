package imports

import (
	"context"
	"path/filepath"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
)

// keepOriginals stores in the vault an encrypted copy of each file that is about to be
// read, if the person chose that. It skips files without a reader, and folders.
func (r *run) keepOriginals(ctx context.Context, groups []*group) error {
	if !r.options.KeepOriginal || r.options.Picks != nil { // the person picked single memories, not the whole file
		return nil
	}
	var added []string
	at := 0
	for _, g := range groups {
		for _, in := range g.inputs {
			source := &r.report.Sources[at]
			at++
			if g.fault != nil || g.after != nil || source.Original != "" {
				continue
			}
			ref, isNew, err := r.keepOriginal(ctx, in)
			if err != nil {
				return err
			}
			if source.Original = ref; isNew {
				added = append(added, ref)
			}
			if ref == "" {
				r.ledger.problem(importer.Problem{Path: source.Name, Fault: fault.New(fault.Unsupported, "original-not-kept",
					"{name} is a folder, and only files can be kept as they are.").With("name", source.Name).Advise("Pack it into a zip to keep it.")})
			}
		}
	}
	if err := r.sealing(added); err != nil {
		return err
	}
	return r.session.Vault.SettleBlobs(added)
}

// keepOriginal stores an encrypted copy of one input; ref is "" if the input is no file.
func (r *run) keepOriginal(ctx context.Context, in files.Input) (ref string, added bool, err error) {
	source, err := r.service.files.Source(in)
	if err != nil {
		return "", false, err
	}
	file, ok := openSource(source)
	if !ok {
		return "", false, nil
	}
	defer file.Close()
	ref, _, added, err = r.session.Vault.StageBlob(files.UntilDone(ctx, file))
	if added {
		r.loose.add(ref)
	}
	return ref, added, err
}

// Reread imports again, with the current readers, the original files that an import
// stored, and returns when it is done. It is an import of its own: the same items get the
// same ids, edited memories stay as they are, and it can be undone.
func (s *Service) Reread(ctx context.Context, importID string, onProgress func(Progress)) (library.ImportReport, error) {
	inputs, o, err := s.originals(ctx, importID)
	if err != nil {
		return library.ImportReport{}, err
	}
	defer s.dropUploads(inputs)
	return s.Import(ctx, inputs, o, onProgress)
}

// StartReread runs Reread as a background job and returns the job's id at once.
func (s *Service) StartReread(ctx context.Context, importID string) (string, error) {
	inputs, o, err := s.originals(ctx, importID)
	if err != nil {
		return "", err
	}
	j := &job{id: s.lib.NewID(), importID: s.lib.NewID(), inputs: inputs, options: o, vaultDir: s.lib.VaultDir()}
	if err := s.start(j); err != nil {
		s.dropUploads(inputs)
		return "", err
	}
	return j.id, nil
}

func (s *Service) dropUploads(inputs []files.Input) {
	for _, in := range inputs {
		s.uploads.DropUpload(in.Upload)
	}
}

// originals returns the stored original files of an import as inputs: encrypted copies
// outside of the vault, which allow random access.
func (s *Service) originals(ctx context.Context, importID string) ([]files.Input, library.ImportOptions, error) {
	report, err := s.ImportReport(ctx, importID)
	if err != nil {
		return nil, library.ImportOptions{}, err
	}
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return nil, library.ImportOptions{}, err
	}
	defer release()
	var inputs []files.Input
	for _, source := range report.Sources {
		if source.Original == "" {
			continue
		}
		id, err := s.unseal(ctx, v, source)
		if err != nil {
			s.dropUploads(inputs)
			return nil, library.ImportOptions{}, err
		}
		inputs = append(inputs, files.Input{Upload: id, Original: source.Original, Account: source.Account})
	}
	if len(inputs) == 0 {
		return nil, library.ImportOptions{}, fault.New(fault.NotFound, "no-original", "The files of this import are not in the vault.").
			Advise("Import the same files again; nothing is imported twice. To keep them next time, give --keep-original.")
	}
	return inputs, report.Options, nil
}

func (s *Service) unseal(ctx context.Context, v *library.Session, source library.ReportSource) (string, error) {
	file, _, err := v.Vault.OpenBlob(source.Original)
	if err != nil {
		return "", err
	}
	defer file.Close()
	id, _, err := s.uploads.AddUpload(ctx, filepath.Base(source.Path), file)
	return id, err
}

// compareReaders notes in a report if a newer version of a reader could read the stored
// originals again.
func (s *Service) compareReaders(r *library.ImportReport) {
	for _, source := range r.Sources {
		im, ok := s.importers.ByID(source.Provider)
		if ok && source.Original != "" && im.Info().Version != source.ImporterVersion && r.UndoneAt.IsZero() {
			r.NewerReader = true
		}
	}
}
