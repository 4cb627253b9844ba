package cli

import (
	"context"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) validate() *cobra.Command {
	const short = "Check any PAM file or bundle, or MIF file, against the schemas and every deep check"
	return d.overFile("validate PATH", short, func(ctx context.Context, svc *core.Service, file core.Input) error {
		v, err := svc.Validate(ctx, file)
		err = d.answerUnless(reading(err), v, func() { d.sayValidation(v) })
		return orNotSo(err, v.Valid)
	})
}

func (d *door) sayValidation(v core.Validation) {
	verdict := oneOrOther(v.Valid, "Valid", "Not valid")
	if v.Kind != "" {
		verdict += " " + v.Kind
	}
	d.say("%s: %s, %s, %s.", verdict, count(v.ChecksRun, "check", "checks"),
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
