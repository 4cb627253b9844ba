package cli

import (
	"context"
	"slices"

	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// asksFirst reports options with which a file replaces what is here whoever signed it.
func asksFirst(o core.ImportOptions) bool {
	return !o.DryRun && (o.OnConflict == core.TakeTheirs || o.Merge == core.Overwrite || len(o.Take) > 0)
}

// agree shows every change that an import with these options would make to what is
// here, before → after, and asks for a word of consent unless yes is given. Where
// nothing would change there is nothing to ask.
func (d *door) agree(ctx context.Context, svc *core.Service, in []core.Input, o core.ImportOptions, yes bool) error {
	taken, met := 0, map[string]bool{}
	look := o
	look.DryRun = true
	look.OnChange = func(c core.ImportChange) {
		met[c.ID], met[c.DocumentID] = met[c.ID] || c.Taken, met[c.DocumentID] || c.Taken
		if c.Taken {
			taken++
		}
		d.sayChange(d.note, c)
	}
	if _, err := svc.Import(ctx, in, look, nil); err != nil {
		return reading(err)
	}
	if i := slices.IndexFunc(o.Take, func(id string) bool { return !met[id] }); i >= 0 {
		return fault.New(fault.NotFound, "no-such-change", "The files hold no other version of {id}, so nothing was imported.").With("id", oneLine(o.Take[i], 80)).
			Advise("keepsake import --dry-run shows what they hold otherwise.")
	}
	if taken == 0 || yes {
		return nil
	}
	d.note("%s of what is here would become as the files have it.", count(taken, "part", "parts"))
	return d.confirmed("take")
}

// sayChange tells one change, before → after, with say or note.
func (d *door) sayChange(tell func(string, ...any), c core.ImportChange) {
	what := oneOrOther(c.Taken, "taken", "kept as it is here: "+whyKept(c.Why))
	tell("%s %s (%s)", c.Kind, oneLine(c.ID, 80), what)
	for _, f := range c.Fields {
		tell("    %s: %s → %s", oneLine(f.Path, 80), shown([]byte(f.Before)), shown([]byte(f.After)))
	}
}

func whyKept(why core.ConflictReason) string {
	switch why {
	case core.ConflictNotSigned:
		return "the file is not signed"
	case core.ConflictOtherSigner:
		return "the file is not signed by you or by whoever it came from"
	case core.ConflictNotCovered:
		return "the signature does not cover it"
	case core.ConflictEditedHere:
		return "changed both here and there"
	case core.ConflictAccessWider:
		return "an import opens up no memory"
	case core.ConflictAlreadyHere:
		return "it is here already"
	}
	return string(why)
}

// sayChanges tells what a report holds of changes.
func (d *door) sayChanges(r core.ImportReport) {
	if r.ChangeCount == 0 {
		return
	}
	d.say("In another version in the files than here:")
	for _, c := range r.Changes {
		d.sayChange(d.say, c)
	}
	if more := r.ChangeCount - len(r.Changes); more > 0 {
		d.say("And %s more; keepsake import --dry-run --on-conflict theirs shows all of them.", grouped(more))
	}
	if slices.ContainsFunc(r.Changes, func(c core.ImportChange) bool { return !c.Taken }) {
		d.say("To take one of these all the same: keepsake import … --take ID. To take all: --on-conflict theirs.")
	}
}
