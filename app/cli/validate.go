package cli

import (
	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) validate() *cobra.Command {
	var file fileIn
	cmd := &cobra.Command{
		Use:   "validate PATH",
		Short: "Check any PAM file or bundle, or MIF file, against the schemas and every deep check",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := file.input(d, args[0])
			if err != nil {
				return err
			}
			defer clear(path.Passphrase)
			svc, err := d.service()
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), path)
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
	file.register(cmd.Flags())
	return cmd
}

func (d *door) sayValidation(v core.Validation) {
	verdict := "Valid"
	if !v.Valid {
		verdict = "Not valid"
	}
	if v.Kind == "" {
		v.Kind = "document"
	}
	d.say("%s %s: %s, %s, %s.", verdict, v.Kind, count(v.ChecksRun, "check", "checks"),
		count(len(v.Errors), "error", "errors"), count(len(v.Warnings), "warning", "warnings"))
	for _, e := range v.Errors {
		d.say("error   %s", findingLine(e))
	}
	for _, w := range v.Warnings {
		d.say("warning %s", findingLine(w))
	}
}

// findingLine is a finding with what was expected and what was found.
func findingLine(f core.Finding) string {
	line := found(f) + ": " + oneLine(f.Message, 300)
	if f.Expected == "" {
		return line
	}
	return line + " (expected " + oneLine(f.Expected, 150) + "; found " + oneLine(f.Found, 150) + ")"
}

// found is the check that found something and, where it is known, the place.
func found(f core.Finding) string {
	if f.Path == "" {
		return f.Check
	}
	return f.Check + " at " + oneLine(f.Path, 120)
}
