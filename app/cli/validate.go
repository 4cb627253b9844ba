package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) validate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate PATH",
		Short: "Check any PAM file or bundle against the schemas and every deep check",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := d.service()
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), core.Input{Path: args[0]})
			if err != nil {
				return reading(err)
			}
			if err := d.answer(v, func() { d.sayValidation(v) }); err != nil {
				return err
			}
			if !v.Valid {
				return errNotSo
			}
			return nil
		},
	}
}

func (d *door) sayValidation(v core.Validation) {
	verdict := "Valid"
	if !v.Valid {
		verdict = "Not valid"
	}
	d.say("%s %s: %s, %s, %s.", verdict, v.Kind, count(v.ChecksRun, "check", "checks"),
		count(len(v.Errors), "error", "errors"), count(len(v.Warnings), "warning", "warnings"))
	for _, e := range v.Errors {
		d.say("error   %s at %s: %s", e.Check, oneLine(e.Path, 120), oneLine(e.Message, 300))
	}
	for _, w := range v.Warnings {
		d.say("warning %s at %s: %s", w.Check, oneLine(w.Path, 120), oneLine(w.Message, 300))
	}
}
