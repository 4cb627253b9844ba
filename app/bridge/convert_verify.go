package bridge

import (
	"slices"

	"keepsake/backend/core"
)

// noDocument is said of a file that nobody ever meant to be one: nothing in it
// was signed, so no seal is broken.
const noDocument = "none"

// invalidUnsigned is the verdict of an unsigned document that breaks the schema.
const invalidUnsigned = "invalid-unsigned"

// verdictOf is the verdict as the page has it.
func verdictOf(r core.VerifyReport) string {
	switch {
	case r.Verdict == core.VerdictBroken && !r.Document:
		return noDocument
	case r.Verdict == core.VerdictInvalid && !r.Signed:
		return invalidUnsigned
	}
	return string(r.Verdict)
}

func verifyView(name string, r core.VerifyReport, v core.Validation) VerifyView {
	return VerifyView{
		Name: name, Kind: v.Kind, Verdict: verdictOf(r), Signed: r.Signed, Valid: r.Valid,
		Algorithm: r.Algorithm, PublicKey: r.PublicKey, Fingerprint: r.Fingerprint, Words: words(r.Words),
		KeyID: r.KeyID, SignedAt: r.SignedAt, Covers: words(r.Covers), NotCovered: words(r.NotCovered),
		Whole: r.Whole, Encrypted: r.Verdict == core.VerdictUncheckable && len(r.Problems) > 0 && r.Problems[0].Check == "encrypted",
		Holder: r.Name, KnownSince: r.KnownSince, RetiredAt: r.RetiredAt, RevokedAt: r.RevokedAt, Claims: string(r.Claims),
		Problems: findings(r.Problems), Changed: list(r.Changed, changedView),
		Document: DocumentView{
			Valid: v.Valid, Errors: findings(v.Errors), Warnings: findings(allWarnings(r, v)), ChecksRun: v.ChecksRun,
		},
	}
}

// allWarnings are those of the checks, and before them what only a verification finds,
// but who the document says it is from, which the view has apart.
func allWarnings(r core.VerifyReport, v core.Validation) (all []core.Finding) {
	for _, w := range r.Warnings {
		same := func(f core.Finding) bool { return f.Check == w.Check && f.Path == w.Path }
		if w.Check != "claimed-owner" && !slices.ContainsFunc(v.Warnings, same) {
			all = append(all, w)
		}
	}
	return append(all, v.Warnings...)
}

func changedView(c core.ChangedWords) ChangedView {
	path, _ := clip(c.Path, maxRowText)
	now, _ := clip(c.Now, maxRowText)
	before, _ := clip(c.Before, maxRowText)
	return ChangedView{Path: path, Now: now, Before: before}
}

// findings shows the first of many: a broken file can have one in every line.
func findings(all []core.Finding) []FindingView {
	return list(first(all), func(f core.Finding) FindingView {
		path, _ := clip(f.Path, maxRowText)
		message, _ := clip(f.Message, maxRowText)
		expected, _ := clip(f.Expected, maxRowText)
		found, _ := clip(f.Found, maxRowText)
		return FindingView{Check: f.Check, Path: path, Message: message, Expected: expected, Found: found, Fault: faultViewOrNil(f.Fault)}
	})
}
