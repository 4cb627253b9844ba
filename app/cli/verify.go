package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/backend/core"
)

func (d *door) verify() *cobra.Command {
	var trust []string
	const short = "Say who signed a PAM file and whether it is as it was signed"
	cmd := d.overFile("verify PATH", short, func(ctx context.Context, svc *core.Service, in core.Input) error {
		if err := d.unlockKnownKeys(ctx, svc); err != nil {
			return err
		}
		report, err := svc.Verify(ctx, in, trust)
		err = d.answerUnless(reading(err), report, func() { d.sayVerdict(report) })
		return orNotSo(err, report.Valid)
	})
	cmd.Flags().StringArrayVar(&trust, "trust", nil, "public key file; the export must be signed by one of these")
	return cmd
}

// unlockKnownKeys opens the vault for the keys that it knows, where a passphrase
// was given. One that is not there, and was not named either, knows none.
func (d *door) unlockKnownKeys(ctx context.Context, svc *core.Service) error {
	if !d.hasPassphrase() {
		return nil
	}
	switch state, err := svc.VaultState(ctx); {
	case err != nil:
		return err
	case !state.Exists && d.vaultDir == "":
		return nil
	case !state.Exists:
		return core.NoVault(state.Dir)
	}
	return d.unlock(ctx, svc)
}

func (d *door) sayVerdict(r core.VerifyReport) {
	d.say("%s", verdictWords(r))
	if r.Signed && r.Valid {
		d.sayCoverage(r)
	}
	if r.Signed {
		d.saySigner(r)
	}
	for _, p := range r.Problems {
		d.say("%s", findingLine(p))
	}
	for _, c := range r.Changed {
		d.say("Memory %s was changed. It says now: %s", oneLine(c.ID, 80), oneLine(c.Now, 300))
		d.sayIf(c.Before != "", "It said: %s", oneLine(c.Before, 300))
	}
	for _, w := range r.Warnings {
		d.say("Note: %s", findingLine(w))
	}
}

// saySigner names the key as it was computed. Of a file that is not as it was signed, or
// that cannot be checked, the key is what the file says, as the time always is.
func (d *door) saySigner(r core.VerifyReport) {
	at := oneLine(r.SignedAt, 40)
	switch holds := r.Verdict != core.VerdictBroken && r.Verdict != core.VerdictUncheckable; {
	case r.DID == "":
		d.say("The file says that it was signed at %s, by a key that cannot be read.", at)
	case holds:
		d.say("Key %s, fingerprint %s. The file says that it was signed at %s.", r.DID, r.Fingerprint, at)
	default:
		d.say("The file says that it was signed at %s, by the key %s, fingerprint %s.", at, r.DID, r.Fingerprint)
	}
}

// verdictWord is a verdict in few words.
func verdictWord(v core.Verdict) string {
	switch v {
	case core.VerdictOwn:
		return "signed by you"
	case core.VerdictKnown:
		return "signed by a key you know"
	case core.VerdictUnknown:
		return "signed by a key not seen before"
	case core.VerdictUnsigned:
		return "not signed"
	case core.VerdictUncheckable:
		return "cannot be checked"
	case core.VerdictInvalid:
		return "as it was made, but not a valid document"
	}
	return "changed or damaged after it was made, or made with mistakes"
}

func (d *door) sayCoverage(r core.VerifyReport) {
	if r.Whole {
		d.say("A digest signed by the same key covers everything else in the bundle, and no file was added, removed or changed.")
		return
	}
	d.say("The signature is over %s. It is not over %s: those may have been changed since.", joined(r.Covers), joined(r.NotCovered))
}

func joined(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// verdictWords say the seven verdicts to a person. They speak of the memories
// only: nothing else of the contents is covered by a signature (PAM §18.3).
func verdictWords(r core.VerifyReport) string {
	memories := "The " + count(r.Memories, "memory is", "memories are") + " exactly as "
	if r.Memories == 1 {
		memories = "The one memory in it is exactly as "
	}
	if r.Memories == 0 {
		memories = "It holds no memories, exactly as "
	}
	was := oneOrOther(r.Memories < 2, "it was signed", "they were signed")
	switch r.Verdict {
	case core.VerdictKnown, core.VerdictUnknown, core.VerdictUnsigned:
		if words := claimWords(r); words != "" {
			return words
		}
	}
	switch r.Verdict {
	case core.VerdictOwn:
		if r.Memories < 2 {
			return "Signed by you" + standing(r) + ". " + memories + "you signed it."
		}
		return "Signed by you" + standing(r) + ". " + memories + "you signed them."
	case core.VerdictKnown:
		return "Signed by " + holder(r) + standing(r) + ". " + memories + was + "."
	case core.VerdictUnknown:
		return "Signed by a key not seen before. " + memories + was + ", but the key alone does not say whose it is."
	case core.VerdictUnsigned:
		if slices.ContainsFunc(r.Warnings, func(w core.Finding) bool { return w.Check == "checksum" }) {
			return "Not signed. No sum shows that the memories are as they were written: anybody could have changed them, or written them."
		}
		return "Not signed. The memories agree with the sums that stand in the file, but anybody could have written them."
	case core.VerdictUncheckable:
		if len(r.Problems) > 0 && r.Problems[0].Check == "encrypted" {
			return "Encrypted. Give its passphrase with --in-passphrase-file."
		}
		return "Cannot be checked with what this version of Keepsake knows."
	case core.VerdictInvalid:
		if words := claimWords(r); r.Claims == core.VerdictKnown {
			return words
		}
		if r.Signed {
			return "As it was signed, but not a valid document."
		}
		return "Not signed, and not a valid document."
	}
	switch {
	case slices.ContainsFunc(r.Problems, func(p core.Finding) bool { return p.Check == "key-revoked" }):
		return "Revoked: the key was revoked since " + dayOf(r.RevokedAt) + ", before it signed this. It does not count."
	case !r.Document:
		return "This is not a PAM document."
	case r.Signed:
		return "Broken: this is not what was signed."
	}
	return "Broken: the document does not agree with itself, or is not whole."
}

// holder names who a known key belongs to; a key of --trust has no name.
func holder(r core.VerifyReport) string {
	if r.Name == "" {
		return "the key that was asked for"
	}
	return oneLine(r.Name, 80) + ", whose key is known since " + dayOf(r.KnownSince)
}

// standing says of a key whether it is still in use.
func standing(r core.VerifyReport) string {
	switch {
	case r.RevokedAt != "":
		return " (by its own date, before the key was revoked on " + dayOf(r.RevokedAt) + ")"
	case r.RetiredAt != "":
		return " (with a retired key, in use until " + dayOf(r.RetiredAt) + ")"
	}
	return ""
}

// claimWords are said of a file that claims to be from somebody with another key.
func claimWords(r core.VerifyReport) string {
	name := oneLine(r.Name, 80)
	switch {
	case r.Claims == core.VerdictOwn && !r.Signed:
		return "Not signed, and it says that it is from you. Anybody could have written it: nothing of it replaces what is in your vault."
	case r.Claims == core.VerdictKnown && !r.Signed:
		return "STOP. This says that it is from " + name + ", whose key is known since " + dayOf(r.KnownSince) +
			", and is not signed. Ask " + name + " before anything else."
	case r.Claims == core.VerdictOwn:
		return "Signed by a key not seen before, and it says that it is from you. If you did not sign it with a key file, do not import it."
	case r.Claims == core.VerdictKnown:
		return "STOP. This says that it is from " + name + ", whose key is known since " + dayOf(r.KnownSince) +
			", and is signed by another key. Ask " + name + " before anything else."
	}
	return ""
}

// dayOf is the day of a time as reports have it.
func dayOf(at string) string { return at[:min(len(at), len("2006-01-02"))] }
