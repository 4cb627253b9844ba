package exports

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"keepsake/backend/core/circles"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/handoff"
	"keepsake/backend/keptblock"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// KeptFile is a file in which a hand-off is kept up to date.
type KeptFile struct {
	File     string      `json:"file"` // absolute
	Target   string      `json:"target"`
	Circle   string      `json:"circle"` // entity
	Since    memory.Time `json:"since"`
	Written  memory.Time `json:"written"` // when its text changed last
	Memories int         `json:"memories"`
	// Stopped is why it is not written any more, nil: it is.
	Stopped *fault.Error `json:"why,omitempty"`

	CircleNumber uint64   `json:"circle_number"` // of the circle's record: a later circle of this entity has another
	Language     string   `json:"language,omitempty"`
	Person       string   `json:"person,omitempty"`
	Part         string   `json:"part,omitempty"`
	Budget       *int     `json:"budget,omitempty"`
	Redact       *bool    `json:"redact,omitempty"`
	Keep         []string `json:"keep,omitempty"` // findings that are not hidden
	Addresses    bool     `json:"addresses,omitempty"`
	Separator    string   `json:"separator,omitempty"` // that was put before the block
	Made         bool     `json:"made,omitempty"`      // the file was made for it
}

const (
	keptFilesID = "kept-files"
	mostKept    = 50
)

// keptTargets are those whose text is one, for a file.
var keptTargets = []handoff.Target{handoff.ClaudeMD, handoff.AgentsMD, handoff.SystemPrompt}

func readKeptFiles(tx *vault.Tx) (all []KeptFile, err error) {
	_, err = rows.FindJSON(tx, vault.Settings, keptFilesID, "kept files", &all)
	return all, err
}

// KeptFiles lists the files in which hand-offs are kept.
func (s *Service) KeptFiles(ctx context.Context) ([]KeptFile, error) {
	all, err := library.ReadValue(ctx, s.lib, readKeptFiles)
	return append([]KeptFile{}, all...), err
}

// options are those of the hand-off that a file has.
func (k KeptFile) options() HandoffOptions {
	return HandoffOptions{
		RedactionOptions: RedactionOptions{Redact: k.Redact, Keep: k.Keep, Addresses: k.Addresses}, Budget: k.Budget, Part: k.Part,
		Language: k.Language, Person: k.Person, For: k.Circle,
	}
}

// KeepHandoff writes the hand-off of a circle into a block of a file, and keeps it up to date from
// then on. What stands outside of the block is not touched.
func (s *Service) KeepHandoff(ctx context.Context, target, file string, o HandoffOptions) (KeptFile, error) {
	k, err := s.newKept(ctx, target, file, o)
	if err != nil {
		return k, err
	}
	h, err := s.keptText(ctx, k)
	if err != nil {
		return k, err
	}
	change, err := keptblock.Put(k.File, h.keptText())
	if err != nil {
		return k, err
	}
	k.Separator, k.Made, k.Memories = change.Separator, !change.Exists, len(h.taken())
	if err := s.noteKept(ctx, &k, h); err != nil {
		return k, err
	}
	if err := change.Write(); err != nil {
		return k, s.stopped(ctx, k, err)
	}
	return k, nil
}

// keptText is what stands in a file: nothing where no memory may be told.
func (h Handoff) keptText() string {
	if len(h.taken()) == 0 {
		return ""
	}
	return h.Text()
}

// newKept checks what is to be kept where.
func (s *Service) newKept(ctx context.Context, target, file string, o HandoffOptions) (k KeptFile, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		if k, err = keptOf(target, file, o); err != nil {
			return err
		}
		k.Since = s.lib.Now()
		choice, err := circles.ChooseCircle(ctx, s.lib, v, tx, o.For)
		if err != nil {
			return err
		}
		k.Circle = choice.Entity
		k.CircleNumber, _, err = circles.Stored(tx, k.Circle)
		return err
	})
	return k, err
}

// keptOf returns what is to be kept, but for its circle.
func keptOf(target, file string, o HandoffOptions) (KeptFile, error) {
	info, err := targetOf(target)
	if err != nil {
		return KeptFile{}, err
	}
	if !slices.Contains(keptTargets, info.Target) {
		return KeptFile{}, fault.New(fault.Invalid, "kept-target", "A hand-off to {target} cannot stand in a file.").With("target", target).Advise("claude-md, agents-md and system-prompt are.")
	}
	if o.For == "" {
		return KeptFile{}, fault.New(fault.Invalid, "kept-no-circle", "Say for which circle the file is.").Advise("--for names one; circles list shows them.")
	}
	if len(o.Without)+len(o.Edits) > 0 || o.Dest != "" {
		return KeptFile{}, fault.New(fault.Invalid, "kept-once", "What is said or left out for one time only cannot go into a file that is written again.")
	}
	path, err := filepath.Abs(file)
	if err != nil || file == "" {
		return KeptFile{}, fault.New(fault.Invalid, "kept-path", "There is no file of this name.").Because(err)
	}
	return KeptFile{File: path, Target: target, Language: o.Language, Person: o.Person, Part: o.Part, Budget: o.Budget, Redact: o.Redact, Keep: o.Keep, Addresses: o.Addresses}, nil
}

// keptText is the hand-off of a file now, of the very circle that it is for.
func (s *Service) keptText(ctx context.Context, k KeptFile) (h Handoff, err error) {
	err = s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		number, _, err := circles.Stored(tx, k.Circle)
		if err != nil {
			return err
		}
		if number != k.CircleNumber {
			return fault.New(fault.NotFound, "kept-circle-gone", "The circle of this file was deleted.")
		}
		h, err = s.handingOff(ctx, v, tx, k.Target, k.options())
		return err
	})
	return h, err
}

// noteKept stores a kept file with what it is given, before it is written.
func (s *Service) noteKept(ctx context.Context, k *KeptFile, h Handoff) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.lib.Update(v, func(e *library.Tx) error {
		all, err := readKeptFiles(e.VaultTx)
		if err != nil {
			return err
		}
		k.Written = e.Now
		i := slices.IndexFunc(all, func(o KeptFile) bool { return o.File == k.File })
		switch {
		case i >= 0:
			if k.Separator == "" && !k.Made { // the block is there already
				k.Separator, k.Made, k.Since = all[i].Separator, all[i].Made, all[i].Since
			}
			all[i] = *k
		case len(all) >= mostKept:
			return fault.New(fault.TooLarge, "too-many-kept", "Keepsake writes hand-offs into {limit} files, and into no more.").With("limit", mostKept).Advise("Stop one first.")
		default:
			all = append(all, *k)
		}
		if err := e.PutSetting(keptFilesID, all); err != nil {
			return err
		}
		return s.noteHandoff(v, e, h, k.Memories)
	})
}

// changeKept changes what is stored of a kept file, or drops it where change returns false.
func (s *Service) changeKept(ctx context.Context, file string, change func(*KeptFile) bool) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		all, err := readKeptFiles(e.VaultTx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(k KeptFile) bool { return k.File == file })
		if i < 0 {
			return nil
		}
		if !change(&all[i]) {
			all = slices.Delete(all, i, i+1)
		}
		return e.PutSetting(keptFilesID, all)
	})
}

// stopped stores why a file is not written any more, and returns that.
func (s *Service) stopped(ctx context.Context, k KeptFile, why error) error {
	if err := s.changeKept(ctx, k.File, func(k *KeptFile) bool { k.Stopped = fault.From(why); return true }); err != nil {
		return err
	}
	return why
}

// RewriteKept writes the kept files whose hand-off has changed. One that cannot be written, or whose
// marker lines or circle are gone, is stopped with a sentence. A frozen vault writes none.
func (s *Service) RewriteKept(ctx context.Context) error {
	var all []KeptFile
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) (err error) {
		if !v.Vault.Frozen() {
			all, err = readKeptFiles(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.Stopped != nil {
			continue
		}
		err := s.rewrite(ctx, k)
		if code := fault.CodeOf(err); code == fault.Locked || code == fault.Cancelled || fault.From(err) != nil && fault.From(err).Reason == "kept-changed-meanwhile" {
			return err // the next change tries again
		}
		if err != nil {
			_ = s.stopped(ctx, k, err)
		}
	}
	return nil
}

func (s *Service) rewrite(ctx context.Context, k KeptFile) error {
	has, err := keptblock.Has(k.File)
	if err != nil {
		return err
	}
	if !has {
		return fault.New(fault.NotFound, "kept-block-gone", "The block that Keepsake wrote in {name} is not there any more.").With("name", filepath.Base(k.File))
	}
	h, err := s.keptText(ctx, k)
	if err != nil {
		return err
	}
	k.Memories = len(h.taken())
	change, err := keptblock.Put(k.File, h.keptText())
	if err != nil || !change.Changes() {
		return err
	}
	if err := s.noteKept(ctx, &k, h); err != nil {
		return err
	}
	return change.Write()
}

// StopKeeping keeps a file no longer. Its block is taken out, or only the marker lines of it where the
// text is to be left. left says why the file stayed as it is, nil if it did not.
func (s *Service) StopKeeping(ctx context.Context, file string, leaveText bool) (left *fault.Error, err error) {
	path, err := filepath.Abs(file)
	if err != nil {
		path = file
	}
	all, err := s.KeptFiles(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(k KeptFile) bool { return k.File == path })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "no-kept-file", "Keepsake writes no hand-off into {name}.").With("name", filepath.Base(strings.TrimSpace(file))).Advise("Look at the list of the files into which it does.")
	}
	if err := s.changeKept(ctx, path, func(*KeptFile) bool { return false }); err != nil {
		return nil, err
	}
	change, err := keptblock.Remove(path, all[i].Separator, leaveText, all[i].Made)
	if err == nil && change.Exists {
		err = change.Write()
	}
	return fault.From(err), nil
}
