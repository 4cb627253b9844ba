package documents

import (
	"context"
	"strings"

	"keepsake/backend/format/mif"
	"keepsake/backend/format/pam"
	"keepsake/backend/importer"
	"keepsake/backend/intake"
	"keepsake/backend/schema"
)

// mifIn finds a document of the Memory Interchange Format. It ignores such a document if
// the tree also has one of Portable AI Memory, because an import reads only the latter.
func (s *Service) mifIn(ctx context.Context, tree *intake.Tree) (intake.File, bool) {
	defer tree.Rewind()
	if len(tree.Files()) > 1 {
		for _, im := range s.importers {
			if !im.Info().Documents {
				continue
			}
			if m, err := im.Sniff(ctx, tree); err == nil && m.Certainty == importer.Certain {
				return intake.File{}, false
			}
		}
	}
	return mif.Find(ctx, tree)
}

// UnsignedReport is the report for an intact document without a signature.
func UnsignedReport() VerifyReport {
	return VerifyReport{Document: true, Verdict: pam.Unsigned, Valid: true, Words: []string{}, Covers: []string{}, NotCovered: []string{}, Problems: []Finding{}, Warnings: []Finding{}}
}

// validateMIF is Validate for a MIF document. Validation.Kind is its format and version.
func validateMIF(ctx context.Context, tree *intake.Tree, f intake.File, rules *schema.Set) (Validation, error) {
	v, err := mif.Validate(ctx, tree, f, rules)
	if err != nil {
		return Validation{}, err
	}
	out := Validation{Kind: mifKind(v.Head), Valid: len(v.Errors) == 0, Errors: errorsOf(v), Warnings: findingsOf(v.Warnings), ChecksRun: v.ChecksRun}
	if v.Sum == mif.FitsOwn {
		out.SumRule = pam.SumAsItStands
	}
	return out, nil
}

func mifKind(h mif.Head) string {
	return strings.TrimSpace("memory-interchange-format " + h.Version)
}

// errorsOf returns the errors of a validation. The one that says why the document could
// not be read gets v.Unread as its Fault, so that user interfaces can translate it.
func errorsOf(v mif.Validation) []Finding {
	all := findingsOf(v.Errors)
	for i := range all {
		if v.Unread != nil && all[i].Message == v.Unread.Message() {
			all[i].Fault = v.Unread
		}
	}
	return all
}

func findingsOf(all []mif.Finding) []Finding {
	out := make([]Finding, 0, len(all))
	for _, f := range all {
		out = append(out, Finding{Check: f.Check, Path: f.Path, Message: f.Message, Expected: f.Expected, Found: f.Found})
	}
	return out
}

// verifyMIFFile is Verify for a MIF document. MIF has no signatures, so the verdict is
// unsigned, or broken if the document is incomplete.
func verifyMIFFile(ctx context.Context, tree *intake.Tree, f intake.File, rules *schema.Set, trust pam.Trust) (VerifyReport, error) {
	v, err := mif.Validate(ctx, tree, f, rules)
	if err != nil {
		return VerifyReport{}, err
	}
	tree.Rewind()
	owners, err := mif.Owners(ctx, tree)
	if err != nil {
		return VerifyReport{}, err
	}
	r := UnsignedReport()
	r.Memories, r.OwnerID = v.Memories, v.Head.UserID
	r.ClaimUnsigned(owners, trust)
	for _, e := range errorsOf(v) {
		if e.Check == "json" || e.Check == "mif-version" {
			r.Verdict, r.Valid = pam.Broken, false
			r.Problems = append(r.Problems, e)
		}
	}
	for _, w := range findingsOf(v.Warnings) {
		if w.Check == "checksum" || w.Check == "mif-version" {
			r.Warnings = append(r.Warnings, w)
		}
	}
	return r, nil
}

// inspectMIF is Inspect for a MIF document.
func inspectMIF(ctx context.Context, tree *intake.Tree, f intake.File) (Inspection, error) {
	in, err := mif.Inspect(ctx, tree, f)
	if err != nil {
		return Inspection{}, err
	}
	h := in.Head
	return Inspection{
		Kind: "memory-interchange-format", SchemaVersion: h.Version, ExportID: h.ExportID, ExportDate: h.CreatedAt,
		ExportedBy: strings.TrimSpace(h.Generator + " " + h.GeneratorVersion), OwnerID: h.UserID,
		Memories: in.Memories, Types: in.Types, Statuses: map[string]int{}, Relations: in.Edges, Embeddings: in.Embeddings, Todos: in.Todos, Unknown: in.Unknown,
	}, nil
}
