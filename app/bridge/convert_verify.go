package bridge

import "keepsake/backend/core"

func verifyView(name string, r core.VerifyReport, v core.Validation) VerifyView {
	return VerifyView{
		Name: name, Kind: v.Kind, Verdict: string(r.Verdict), Signed: r.Signed, Valid: r.Valid,
		Algorithm: r.Algorithm, PublicKey: r.PublicKey, Fingerprint: r.Fingerprint, Words: words(r.Words),
		KeyID: r.KeyID, SignedAt: r.SignedAt, Covers: words(r.Covers), NotCovered: words(r.NotCovered),
		Problems: findings(r.Problems),
		Document: DocumentView{
			Valid: v.Valid, Errors: findings(v.Errors), Warnings: findings(v.Warnings), ChecksRun: v.ChecksRun,
		},
	}
}

// findings shows the first of many: a broken file can have one in every line.
func findings(all []core.Finding) []FindingView {
	return list(first(all), func(f core.Finding) FindingView {
		path, _ := clip(f.Path, maxRowText)
		message, _ := clip(f.Message, maxRowText)
		return FindingView{Check: f.Check, Path: path, Message: message}
	})
}
