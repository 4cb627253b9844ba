package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) verify() *cobra.Command {
	var trust []string
	var file fileIn
	cmd := &cobra.Command{
		Use:   "verify PATH",
		Short: "Say who signed a PAM file and whether it is as it was signed",
		Args:  exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := file.input(d, args[0])
			if err != nil {
				return err
			}
			defer clear(in.Passphrase)
			open := d.service
			if d.hasPassphrase() {
				open = func() (*core.Service, error) { return d.unlocked(cmd.Context()) }
			}
			svc, err := open()
			if err != nil {
				return err
			}
			report, err := svc.Verify(cmd.Context(), in, trust)
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
	file.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&trust, "trust", nil, "public key file; the export must be signed by one of these")
	return cmd
}

func (d *door) sayVerdict(r core.VerifyReport) {
	d.say("%s", verdictWords(r))
	if r.Signed && r.Valid {
		d.say("The signature is over %s. It is not over %s: those may have been changed since.", joined(r.Covers), joined(r.NotCovered))
	}
	if r.Signed {
		d.say("Key %s, fingerprint %s, signed at %s.", oneLine(r.KeyID, 200), r.Fingerprint, oneLine(r.SignedAt, 40))
	}
	for _, p := range r.Problems {
		d.say("%s", findingLine(p))
	}
	for _, w := range r.Warnings {
		d.say("Note: %s", findingLine(w))
	}
}

func joined(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// verdictWords say the six verdicts to a person. They speak of the memories
// only: nothing else of the contents is covered by a signature (PAM §18.3).
func verdictWords(r core.VerifyReport) string {
	memories := "The " + count(r.Memories, "memory is", "memories are") + " exactly as "
	if r.Memories == 1 {
		memories = "The one memory in it is exactly as "
	}
	if r.Memories == 0 {
		memories = "It holds no memories, exactly as "
	}
	was := "they were signed"
	if r.Memories < 2 {
		was = "it was signed"
	}
	switch r.Verdict {
	case core.VerdictOwn:
		if r.Memories < 2 {
			return "Signed by you. " + memories + "you signed it."
		}
		return "Signed by you. " + memories + "you signed them."
	case core.VerdictKnown:
		return "Signed by a key you trust. " + memories + was + "."
	case core.VerdictUnknown:
		return "Signed by a key not seen before. " + memories + was + ", but the key alone does not say whose it is."
	case core.VerdictUnsigned:
		return "Not signed. The memories agree with their own checksum, but anybody could have written them."
	case core.VerdictUncheckable:
		if len(r.Problems) > 0 && r.Problems[0].Check == "encrypted" {
			return "Encrypted. Give its passphrase with --in-passphrase-file."
		}
		return "Cannot be checked with what this version of Keepsake knows."
	}
	switch {
	case !r.Document:
		return "This is not a PAM document."
	case r.Signed:
		return "Broken: this is not what was signed."
	}
	return "Broken: the document does not agree with itself, or is not whole."
}
