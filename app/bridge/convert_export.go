package bridge

import (
	"path/filepath"

	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func exportOptions(v ExportOptionsView) core.ExportOptions {
	options := core.ExportOptions{
		Unsigned: v.Unsigned, IncludeConversations: v.IncludeConversations,
		IncludeAttachments: v.IncludeAttachments, Statuses: typed[memory.Status](v.Statuses),
		Types: typed[memory.Type](v.Types), For: v.For, StripIDs: v.StripIDs,
	}
	if v.Passphrase != "" {
		options.Passphrase = []byte(v.Passphrase)
	}
	return options
}

func exportPreviewView(p core.ExportPreview) ExportPreviewView {
	return ExportPreviewView{
		Memories: p.Memories, Relations: p.Relations, Conversations: p.Conversations,
		Excluded: tally(p.Excluded), FileName: p.FileName, Findings: p.Findings,
	}
}

func exportResultView(r core.ExportResult, offer Offer) ExportResultView {
	return ExportResultView{
		Token: offer.Token, Name: offer.Name, Folder: filepath.Dir(r.Path), Bytes: r.Bytes,
		ExportID: r.ExportID, ExportDate: r.ExportDate.String(), Memories: r.Memories,
		Excluded: tally(r.Excluded), Checksum: r.Checksum, Signed: r.Signed, Encrypted: r.Encrypted,
		DID: r.DID, Fingerprint: r.Fingerprint, Words: words(r.Words), Covers: words(r.Covers),
		NotCovered: words(r.NotCovered), Verdict: r.Verdict,
	}
}
