package documents

import (
	"context"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// Inputs and results of a merge, as package pam defines them.
type (
	Merged      = pam.Merged
	MergeChange = pam.MergeChange
	MergeChoice = pam.Choice
)

// Values of MergeChoice.Of: which file's version of a memory is used.
const (
	OfBase  = pam.OfBase
	OfDelta = pam.OfDelta
	OfBoth  = pam.OfBoth
)

// GoesWith returns the member that must be chosen together with this one, "" if it can be
// chosen alone. Members are JSON pointers into a memory.
func GoesWith(member string) string { return pam.Leader(member) }

// IsMember reports whether a merge can use either file's version of this memory member.
func IsMember(member string) bool { return pam.IsPickable(member, nil) }

// MergeOptions say how two files are merged.
type MergeOptions struct {
	AnyBase bool // merge even if the delta does not build on the base
	// OnConflict says which version of an item is used if the delta has another one, but
	// its signature does not allow the change: KeepOurs (base) or TakeTheirs (delta).
	OnConflict library.OnConflict
	// Choices are the versions that a person picked, by memory id; nil for a merge as PAM
	// §16.3 defines it. With choices, the result is a new export with its own id.
	Choices map[string]MergeChoice
	// Common is the common ancestor of both files. With it, a memory not in Choices that
	// the delta may change is merged member by member: the side that changed a member
	// wins, and the delta if both did. nil: the delta's whole version is used.
	Common     *files.Input
	Passphrase []byte // nil: the result is not encrypted
}

// MergeFiles applies delta to base (PAM §16.3) and writes the result, unsigned, to out: as
// one file, or as a bundle if the name is that of a zip or folder. It needs no vault. The
// result gets its name only after it was read back and validated.
func (s *Service) MergeFiles(ctx context.Context, base, delta files.Input, out string, o MergeOptions) (Merged, error) {
	return s.merge(ctx, base, delta, out, o, (*mergeRun).write)
}

// PlanMerge is MergeFiles as a dry run: it returns the same result and writes nothing.
func (s *Service) PlanMerge(ctx context.Context, base, delta files.Input, out string, o MergeOptions) (Merged, error) {
	return s.merge(ctx, base, delta, out, o, (*mergeRun).plan)
}

func (s *Service) merge(ctx context.Context, base, delta files.Input, out string, o MergeOptions, run func(*mergeRun, context.Context) error) (m Merged, err error) {
	x := mergeRun{}
	if x.options, err = s.mergeOptions(ctx, base, delta, o); err != nil {
		return m, err
	}
	if x.Output, err = NewOutput(s.lib, s.files, out); err != nil {
		return m, err
	}
	x.Passphrase = o.Passphrase
	if err := x.CheckEncryption(); err != nil {
		return m, err
	}
	err = s.document(ctx, base, func(ground *intake.Tree, _ *schema.Set) error {
		return s.document(ctx, delta, func(news *intake.Tree, _ *schema.Set) error {
			x.base, x.delta = ground, news
			return files.WriteFault(out, run(&x, ctx))
		})
	})
	if err == nil && x.commit != nil {
		err = files.WriteFault(out, x.commit()) // out may be one of the two files, which are closed now
	}
	return x.merged, err
}

func (s *Service) mergeOptions(ctx context.Context, base, delta files.Input, o MergeOptions) (out pam.MergeOptions, err error) {
	out = pam.MergeOptions{
		AnyBase: o.AnyBase || o.Choices != nil || o.Common != nil, Theirs: o.OnConflict == library.TakeTheirs, Choices: o.Choices,
		ExportID: s.lib.NewID(), ExportedBy: library.Extractor, Date: s.lib.Now(),
	}
	if out.Trust, err = Trust(ctx, s.lib); err != nil || o.Common == nil {
		return out, err
	}
	d, err := s.DiffFiles(ctx, base, delta, o.Common)
	out.Suggested = map[string]MergeChoice{}
	for _, e := range d.Memories.Changed {
		out.Suggested[e.ID] = e.Suggest()
	}
	return out, err
}

// mergeRun is the state of one MergeFiles or PlanMerge.
type mergeRun struct {
	Output
	base, delta *intake.Tree
	options     pam.MergeOptions
	merged      Merged
	commit      func() error // gives the result its name; nil in a dry run
}

func (x *mergeRun) write(ctx context.Context) (err error) {
	x.commit, err = x.prepareDocument(ctx, func(to Target) (err error) {
		x.merged, err = pam.Merge(ctx, x.base, x.delta, x.rules, x.options, x.into(to, x.options.Date))
		return err
	}, x.mustBeValid)
	return err
}

func (x *mergeRun) plan(ctx context.Context) (err error) {
	x.merged, err = pam.Merge(ctx, x.base, x.delta, x.rules, x.options, pam.ToNothing(x.Shape != AsFile))
	return err
}

// mustBeValid returns a fault if the result of a merge is not a valid document.
func (x *mergeRun) mustBeValid(ctx context.Context, tree *intake.Tree) error {
	v, err := pam.Validate(ctx, tree, x.rules)
	if err != nil {
		return err
	}
	if v.Valid {
		return nil
	}
	return fault.New(fault.Invalid, "merge-not-valid", "The two files together are not a valid document ({check} at {place}: {finding}), so nothing was written.").
		With("check", v.Errors[0].Check).With("place", v.Errors[0].Path).With("finding", v.Errors[0].Message).
		Advise("keepsake validate says of each what is wrong with it.")
}

// mergeAuthority returns which parts of base the signature of delta allows it to change.
func mergeAuthority(ctx context.Context, s *Service, base, delta files.Input) (a pam.Authority, err error) {
	trust, err := Trust(ctx, s.lib)
	if err != nil {
		return a, err
	}
	err = s.document(ctx, base, func(ground *intake.Tree, rules *schema.Set) error {
		return s.document(ctx, delta, func(news *intake.Tree, _ *schema.Set) error {
			a, err = pam.ReadAuthority(ctx, ground, news, rules, trust)
			return err
		})
	})
	return a, err
}
