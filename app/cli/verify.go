package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) verify() *cobra.Command {
	var trust []string
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Say who signed a PAM file and whether it is as it was signed",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			open := d.service
			if d.hasPassphrase() {
				open = func() (*core.Service, error) { return d.unlocked(cmd.Context()) }
			}
			svc, err := open()
			if err != nil {
				return err
			}
			report, err := svc.Verify(cmd.Context(), core.Input{Path: args[0]}, trust)
			if err != nil {
				return reading(err)
			}
			if err := d.answer(report, func() { d.sayVerdict(report) }); err != nil {
				return err
			}
			if !report.Valid {
				return errNotSo
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&trust, "trust", nil, "public key file; the export must be signed by one of these")
	return cmd
}

func (d *door) sayVerdict(r core.VerifyReport) {
	d.say("%s", verdictWords[r.Verdict])
	if r.Signed {
		d.say("Key %s, fingerprint %s, signed at %s.", oneLine(r.KeyID, 200), r.Fingerprint, oneLine(r.SignedAt, 40))
		d.say("Covers %s; does not cover %s.", strings.Join(r.Covers, ", "), strings.Join(r.NotCovered, ", "))
	}
	for _, p := range r.Problems {
		d.say("%s at %s: %s", p.Check, oneLine(p.Path, 120), oneLine(p.Message, 300))
	}
}

// verdictWords say the six verdicts to a person.
var verdictWords = map[core.Verdict]string{
	core.VerdictOwn:         "Signed by you, and unchanged since.",
	core.VerdictKnown:       "Signed by a key you trust, and unchanged since.",
	core.VerdictUnknown:     "Signed by a key not seen before, and unchanged since. The key alone does not say whose it is.",
	core.VerdictUnsigned:    "Not signed. The contents agree with their own checksum, but anybody could have written them.",
	core.VerdictBroken:      "Broken: this is not what was signed or summed.",
	core.VerdictUncheckable: "Cannot be checked with what this version of Keepsake knows.",
}
