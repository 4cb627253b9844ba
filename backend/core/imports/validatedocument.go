package imports

import (
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/documents"
	"keepsake/backend/core/library"
	"keepsake/backend/fault"
	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// loneTalks is the Match.Format of Portable AI Memory conversation files that come
// without the memory store that lists them.
const loneTalks = "conversations"

// maxFindings is the most defects of one document that an import report lists.
const maxFindings = 20

// judge verifies every document before its content is read (PAM §21.4), and looks up the
// base export of an incremental document (§16.3). A document that must not be imported
// gets a fault, unless the options in o accept the defect.
func (s *Service) judge(ctx context.Context, v *library.Session, groups []*group, o library.ImportOptions) error {
	bases, err := basesIn(v)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if g.fault != nil || g.found.Importer == nil {
			continue
		}
		switch info := g.found.Importer.Info(); {
		case info.Documents && g.found.Match.Format == loneTalks:
			g.document = &documents.PlanDocument{Report: documents.UnsignedReport()} // a lone conversation file has no signature
		case info.Documents:
			err = s.judgeOne(ctx, v, g, bases)
		case info.ID == library.MIFReader:
			err = s.judgeMIF(ctx, g)
		}
		if err != nil {
			return err
		}
		if g.document == nil {
			continue
		}
		g.fault = documentRefused(g.document, g.name(), o)
		if head := g.document.Report.Head; g.fault == nil && head.ExportID != "" && !g.document.AsksBase {
			at, _ := memory.ParseTime(head.ExportDate) // zero if it is no valid time
			bases[head.ExportID] = at                  // an incremental document later in this import may need it
		}
	}
	return nil
}

func (s *Service) judgeOne(ctx context.Context, v *library.Session, g *group, bases map[string]memory.Time) error {
	rules, err := s.lib.Rules()
	if err != nil {
		return err
	}
	trust, err := documents.Trust(ctx, s.lib)
	if err != nil {
		return err
	}
	report, err := pam.Verify(ctx, g.tree, rules, trust)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		g.fault = fault.From(err)
		return nil
	}
	g.tree.Rewind()
	documents.Recall(ctx, s.lib, report.Changed)
	d := &documents.PlanDocument{Report: report, Incremental: report.Head.IsIncremental()}
	if g.base, d.KnownBase = bases[report.Head.BaseExportID]; !d.KnownBase {
		if g.base, d.KnownBase, err = exportedBefore(v, report.Head.BaseExportID); err != nil {
			return err
		}
	}
	d.AsksBase = d.Incremental && !d.KnownBase
	d.AsksUnsigned = report.Claims == documents.VerdictKnown && !report.Signed
	d.AsksBroken = slices.ContainsFunc(report.Problems, func(f documents.Finding) bool {
		return isBreach(f) && (f.Check != "claimed-owner" || !d.AsksUnsigned)
	})
	g.document = d
	g.authority, err = authorityOf(v, report)
	return err
}

// isBreach reports whether a finding means that the document was changed after it was
// signed or checksummed, or that its signature does not count. Schema findings are not
// breaches.
func isBreach(f documents.Finding) bool {
	return strings.HasPrefix(f.Check, "integrity") || strings.HasPrefix(f.Check, "signature") ||
		slices.Contains([]string{"content-hash", "key-revoked", "claimed-owner", "digest"}, f.Check)
}

// documentRefused returns why a document must not be imported, nil if it may be.
func documentRefused(d *documents.PlanDocument, name string, o library.ImportOptions) *fault.Error {
	head := d.Report.Head
	if i := slices.IndexFunc(d.Report.Problems, func(f documents.Finding) bool { return f.Check == "json" || f.Check == "document" }); i >= 0 {
		return notWhole(name, d.Report.Problems[i])
	}
	if !d.Report.Document && d.Report.Memories == 0 {
		return errNoDocument(name)
	}
	if refused := head.Refused(name); refused != nil {
		return refused
	}
	switch {
	case d.AsksUnsigned && !o.AcceptUnsigned:
		return fault.New(fault.Refused, "pam-claims-known", "{name} says that it is from {holder}, whose key is known here, and is not signed by it, so nothing of it was taken.").
			With("name", name).With("holder", d.Report.Name).Advise("Ask them before anything else. To take it all the same, give --accept-unsigned: it changes nothing that is here.")
	case d.AsksBroken && !o.AcceptBroken:
		return fault.New(fault.Refused, "pam-broken", "{name} was changed or damaged after it was made, so nothing of it was taken.").
			With("name", name).Advise("Ask for the file again. To take it all the same, give --accept-broken.")
	case d.AsksBase && !o.AnyBase:
		return fault.New(fault.Refused, "pam-unknown-base", "{name} holds only what changed since an export that this vault does not know, so nothing of it was taken.").
			With("name", name).Advise("Import the export it builds on first. To take it all the same, give --any-base.")
	}
	return nil
}

func errNoDocument(name string) *fault.Error {
	return fault.New(fault.Invalid, "pam-none", "{name} is not a document of Portable AI Memory.").With("name", name)
}

// notWhole is the error for a document that is not one whole, strict JSON document. It
// names the place of the defect, if that is known.
func notWhole(name string, f documents.Finding) *fault.Error {
	if f.Path == "" || f.Found == "" {
		return fault.New(fault.Invalid, "pam-not-whole", "{name} is not one whole, strict JSON document, so nothing of it was taken.").
			With("name", name).Advise("Ask for the file again, or export it again.")
	}
	return fault.New(fault.Invalid, "pam-not-whole-at", "{name} is not one whole, strict JSON document ({found} at {place}), so nothing of it was taken.").
		With("name", name).With("found", f.Found).With("place", library.Cut(f.Path, documents.MaxPlace)).Advise("Ask for the file again, or export it again.")
}

// documentProblems returns, for the report, the defects of a document that is imported
// although it has them.
func documentProblems(d *documents.PlanDocument, name string) (all []importer.Problem) {
	if d.AsksBroken {
		all = append(all, importer.Problem{Path: name, Fault: fault.New(fault.Invalid, "pam-broken-taken",
			"{name} was changed or damaged after it was made, and was taken in because you said so.").With("name", name)})
	}
	switch {
	case d.AsksUnsigned:
		all = append(all, importer.Problem{Path: name, Fault: fault.New(fault.Invalid, "pam-claims-known-taken",
			"{name} says that it is from {holder}, is not signed by their key, and was taken in because you said so.").With("name", name).With("holder", d.Report.Name)})
	case d.Report.Claims == documents.VerdictOwn && !d.Report.Signed:
		all = append(all, importer.Problem{Path: name, Fault: fault.New(fault.Invalid, "pam-claims-own", "{name} says that it is yours, and is not signed.").With("name", name)})
	}
	if slices.ContainsFunc(d.Report.Warnings, func(f documents.Finding) bool { return f.Check == "digest" }) {
		all = append(all, importer.Problem{Path: name, Fault: fault.New(fault.Invalid, "pam-no-digest",
			"{name} lacks the digest that Keepsake writes into a bundle that it signs, so only its memories are known to be as they were signed.").With("name", name)})
	}
	if d.AsksBase {
		all = append(all, importer.Problem{Path: name, Fault: fault.New(fault.Invalid, "pam-base-unknown",
			"{name} builds on an export that this vault does not know, and was taken in because you said so.").With("name", name)})
	}
	for _, f := range d.Report.Problems[:min(len(d.Report.Problems), maxFindings)] {
		if f.Check == "memory-id" || f.Check == "claimed-owner" && d.AsksUnsigned {
			continue // the reader reports the repeated id, the switch above the unsigned claim
		}
		all = append(all, importer.Problem{Path: name, At: f.Path, Fault: findingFault(f)})
	}
	return all
}

// findingFault converts a finding (a defect that the verification found) to a fault.
func findingFault(f documents.Finding) *fault.Error {
	if f.Expected == "" {
		return fault.New(fault.Invalid, "pam-finding", "{check}: {finding}").With("check", f.Check).With("finding", f.Message)
	}
	return fault.New(fault.Invalid, "pam-finding-shown", "{check}: {finding} (expected {expected}; found {found})").
		With("check", f.Check).With("finding", f.Message).With("expected", f.Expected).With("found", f.Found)
}

// basesIn returns the ids and dates of the exports that an incremental document may build
// on (PAM §16.3): imported full exports, and imported increments whose chain of bases
// ends at one of these or at an export of this vault. Undone imports do not count. For
// each returned export, the vault has all that the exporting program had.
func basesIn(v *library.Session) (map[string]memory.Time, error) {
	known := map[string]memory.Time{}
	var deltas []library.ReportSource
	err := v.View(func(tx *vault.Tx) error {
		for report, err := range library.Reports(tx) {
			if err != nil {
				return err
			}
			for _, s := range report.Sources {
				switch {
				case s.ExportID == "" || !report.UndoneAt.IsZero():
				case s.Incremental || s.BaseExportID != "":
					deltas = append(deltas, s)
				default:
					known[s.ExportID] = s.ExportDate
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, followBase(v, known, deltas)
}

// followBase adds to known each incremental export in deltas whose base is in known or
// was exported from this vault. It repeats this until it adds no more.
func followBase(v *library.Session, known map[string]memory.Time, deltas []library.ReportSource) error {
	left := map[string]bool{} // base export → whether this vault made it
	for _, s := range deltas {
		if _, asked := left[s.BaseExportID]; asked {
			continue
		}
		_, ok, err := exportedBefore(v, s.BaseExportID)
		if err != nil {
			return err
		}
		left[s.BaseExportID] = ok
	}
	for before := -1; before != len(known); {
		before = len(known)
		for _, s := range deltas {
			if _, ok := known[s.BaseExportID]; ok || left[s.BaseExportID] {
				known[s.ExportID] = s.ExportDate
			}
		}
	}
	return nil
}

// exportedBefore finds in the audit log when this vault made the export with this id. The
// log holds only keyed hashes of ids, so the comparison uses the hash of id.
func exportedBefore(v *library.Session, id string) (at memory.Time, ok bool, err error) {
	if id == "" {
		return at, false, nil
	}
	err = v.View(func(tx *vault.Tx) error {
		target := tx.AuditTarget(id)
		for e, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
			if e.Action == library.LogExport && e.Target == target {
				at, ok = memory.At(e.Time()), true
			}
		}
		return nil
	})
	return at, ok, err
}

// judgeMIF marks a document of the Memory Interchange Format that claims to be from
// somebody whose key is known, so that the person is asked: the format has no signature
// that could prove the claim.
func (s *Service) judgeMIF(ctx context.Context, g *group) error {
	trust, err := documents.Trust(ctx, s.lib)
	if err != nil {
		return err
	}
	owners, err := mif.Owners(ctx, g.tree)
	if err != nil {
		return err
	}
	g.tree.Rewind()
	report := documents.UnsignedReport()
	if report.ClaimUnsigned(owners, trust); report.Claims == "" {
		return nil
	}
	g.document = &documents.PlanDocument{Report: report, AsksUnsigned: report.Claims == documents.VerdictKnown}
	return nil
}
