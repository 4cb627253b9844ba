package bridge

import (
	"path/filepath"

	"keepsake/backend/core"
)

func planView(p core.ImportPlan) PlanView {
	return PlanView{ID: p.ID, Sources: list(p.Sources, func(s core.PlanSource) PlanSourceView {
		return PlanSourceView{
			Names: words(s.Names), Provider: s.Provider, ProviderName: s.ProviderName, Format: s.Format,
			ImporterVersion: s.ImporterVersion, Certain: s.Certain, Accounts: accountNames(s),
			TakesAccount: s.TakesAccount, Account: s.Account,
			Missing: words(s.Missing), Bytes: s.Bytes, Files: s.Files, New: s.New, Updated: s.Updated,
			Unchanged: s.Unchanged, Memories: s.Memories, MemoriesNew: s.MemoriesNew, Problem: faultViewOrNil(s.Fault),
			Preview: list(s.Preview, plannedMemoryView), Problems: list(s.Problems, reportProblemView),
			Document: planDocumentView(s.Document), Merging: (*PlanMergingView)(s.Merging),
			Changes: list(s.Changes, planChangeView), ChangesTotal: s.ChangeCount,
		}
	})}
}

// accountNames are accounts as a person knows them, with their ids.
func accountNames(s core.PlanSource) []string {
	return list(first(s.Accounts), func(id string) string {
		if name := s.AccountNames[id]; name != "" {
			return name + " (" + id + ")"
		}
		return id
	})
}

func plannedMemoryView(m core.PlannedMemory) PlannedMemoryView {
	return PlannedMemoryView{Type: string(m.Type), Content: m.Content, Section: m.Section, CreatedAt: m.CreatedAt.String(), Known: m.Known}
}

func planChangeView(c core.ImportChange) PlanChangeView {
	return PlanChangeView{Kind: string(c.Kind), ID: c.ID, Taken: c.Taken, Why: string(c.Why), Fields: list(c.Fields, func(f core.ChangedField) FieldChangeView {
		path, _ := clip(f.Path, 200)
		return FieldChangeView{Path: path, Ours: f.Before, Theirs: f.After}
	})}
}

func planDocumentView(d *core.PlanDocument) *PlanDocumentView {
	if d == nil {
		return nil
	}
	r := d.Report
	return &PlanDocumentView{
		Verdict: verdictOf(r), Words: words(r.Words), Fingerprint: r.Fingerprint, SignedAt: r.SignedAt, Problems: findings(r.Problems), Changed: list(r.Changed, changedView),
		Holder: d.Report.Name, KnownSince: d.Report.KnownSince,
		Incremental: d.Incremental, KnownBase: d.KnownBase, AsksBroken: d.AsksBroken, AsksBase: d.AsksBase,
		AsksUnsigned: d.AsksUnsigned, Claims: string(r.Claims),
	}
}

func agreement(a AgreementView) core.ImportOptions {
	o := core.ImportOptions{AcceptBroken: a.AcceptBroken, AcceptUnsigned: a.AcceptUnsigned, AnyBase: a.AnyBase, KeepOriginal: a.KeepOriginal, OnConflict: core.OnConflict(a.OnConflict), Take: a.Take}
	if a.Merge != "" {
		o.Merge, o.MergeIn = core.Merge(a.Merge), "mif"
	}
	if a.Picking {
		o.Picks = &core.Picks{Memories: map[string]core.OnConflict{}, Fields: map[string][]string{}}
		for _, p := range a.Picks {
			o.Picks.Memories[p.ID] = core.OnConflict(p.Take)
			if len(p.Fields) > 0 {
				o.Picks.Fields[p.ID] = p.Fields
			}
		}
	}
	return o
}

func reportView(r core.ImportReport) ReportView {
	return ReportView{
		ImportID: r.ImportID, StartedAt: r.StartedAt.String(), State: r.State,
		Sources: list(r.Sources, reportSourceView),
		New:     r.Conversations.New, Updated: r.Conversations.Updated,
		Unchanged: r.Conversations.Unchanged, Skipped: r.Conversations.Skipped, United: r.Conversations.United,
		MessagesNew: r.Messages.New, MessagesTotal: r.Messages.Total,
		MemoriesNew: r.Memories.New, MemoriesMerged: r.Memories.Merged,
		MemoriesUnchanged: r.Memories.Unchanged, MemoriesRetracted: r.Memories.Retracted,
		RelationsNew:    r.Relations.New,
		MemoriesUpdated: r.Memories.Updated, MemoriesKept: r.Memories.Kept, MemoriesRepeated: r.Memories.Repeated,
		Identical: r.Identical, UndoneAt: r.UndoneAt.String(), Open: r.Open, Told: r.Told, NewerReader: r.NewerReader,
		MemoriesFound: r.Memories.Found(), MemoriesKnown: r.Memories.Known(),
		AttachmentsStored: r.Attachments.Stored, AttachmentsMissing: r.Attachments.Missing,
		Problems: list(first(r.Problems), reportProblemView), ProblemsTotal: max(r.ProblemCount, len(r.Problems)),
		Unknown: tally(r.Unknown), Ledger: list(r.Ledger, ledgerView), ElapsedMS: r.ElapsedMS,
		AnswersWithoutText: tally(r.AnswersWithoutText),
		OtherFiles:         list(r.OtherFiles, func(f core.OtherFile) OtherFileView { return OtherFileView(f) }),
	}
}

func reportSourceView(s core.ReportSource) ReportSourceView {
	v := ReportSourceView{
		Name: filepath.Base(s.Path), Provider: s.Provider, Format: s.Format,
		ImporterVersion: s.ImporterVersion, SHA256: s.SHA256, Verdict: string(s.Verdict), CanReveal: filepath.IsAbs(s.Path),
	}
	if v.CanReveal {
		v.Folder = filepath.Dir(s.Path)
	}
	return v
}

func reportProblemView(p core.ReportProblem) ReportProblemView {
	return ReportProblemView{Path: p.Path, At: p.At, Fault: FaultView{
		Code: string(p.Code), Reason: p.Reason, Message: p.Message, Args: places(p.Args),
	}}
}

func ledgerView(l core.LedgerRow) LedgerView {
	return LedgerView{
		Source: l.Source, Seen: l.Seen, Taken: l.Taken, Merged: l.Merged, Unchanged: l.Unchanged,
		Skipped: tally(l.Skipped), Unknown: tally(l.Unknown),
	}
}

func progress(p core.Progress, view *ProgressView) {
	view.Phase, view.Done, view.Total = string(p.Phase), p.Done, p.Total
	view.Conversations, view.Messages, view.Memories = p.Conversations, p.Messages, p.Memories
}

func undoView(u core.ImportUndo) UndoView {
	return UndoView{
		ImportID: u.ImportID, Conversations: u.Conversations, Messages: u.Messages, Memories: u.Memories, Relations: u.Relations,
		Proposals: u.Proposals, Attachments: u.Attachments, ConversationsBack: u.ConversationsBack, MemoriesBack: u.MemoriesBack,
		Shared: u.Shared, Kept: u.Kept, Edited: forgottenViews(u.Edited),
	}
}

func forgottenViews(all []core.Forgotten) []ForgottenView {
	return list(first(all), func(f core.Forgotten) ForgottenView { return ForgottenView(f) })
}
