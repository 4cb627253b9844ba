package bridge

import "keepsake/backend/core"

// CareProgressView is the payload of the event "care".
type CareProgressView struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// CopiesView describes the copies that a vault keeps of itself.
type CopiesView struct {
	Count   int        `json:"count"`
	Newest  string     `json:"newest"`
	Bytes   int64      `json:"bytes"`
	Due     bool       `json:"due"` // something is in none of them yet
	Problem *FaultView `json:"problem,omitempty"`
}

func copiesView(c core.Copies) CopiesView {
	return CopiesView{Count: c.Count, Newest: c.Newest.String(), Bytes: c.Bytes, Due: c.Due, Problem: faultViewOrNil(c.Problem)}
}

// CheckView is what reading everything found.
type CheckView struct {
	Whole       bool          `json:"whole"`
	Values      int           `json:"values"`
	Attachments int           `json:"attachments"`
	LogEntries  int           `json:"logEntries"`
	Copies      int           `json:"copies"`
	Damaged     []DamagedView `json:"damaged"` // the first 200
	Missing     int           `json:"missing"` // attachments that something names and that are not there
	Orphans     int           `json:"orphans"` // attachments that nothing names
}

// DamagedView is one part that cannot be read: "records", "attachment", "log" or
// "copy".
type DamagedView struct {
	What  string    `json:"what"`
	Name  string    `json:"name"`
	Fault FaultView `json:"fault"`
}

func checkView(c core.Check) CheckView {
	return CheckView{
		Whole: c.Whole(), Values: c.Values, Attachments: c.Attachments, LogEntries: c.LogEntries, Copies: c.Copies,
		Missing: len(c.Missing), Orphans: c.Orphans,
		Damaged: list(first(c.Damaged), func(d core.DamagedPart) DamagedView {
			v := DamagedView{What: d.What, Name: d.Name, Fault: FaultView{Args: map[string]string{}}}
			if d.Fault != nil {
				v.Fault = faultView(d.Fault)
			}
			return v
		}),
	}
}

// CompactionView is what compacting did; Before and After are bytes of the data
// file.
type CompactionView struct {
	Before      int64 `json:"before"`
	After       int64 `json:"after"`
	Attachments int   `json:"attachments"`
}

// SavedView is a file that was written. URL is set where the browser fetches it.
type SavedView struct {
	Token  string `json:"token"`
	URL    string `json:"url"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
}

// BackupView is what a backup holds. Saved is empty for one that was only read.
type BackupView struct {
	Name          string    `json:"name"`
	VaultID       string    `json:"vaultId"`
	MadeAt        string    `json:"madeAt"` // of the last change in it
	Memories      int       `json:"memories"`
	Conversations int       `json:"conversations"`
	Messages      int       `json:"messages"`
	Attachments   int       `json:"attachments"`
	Missing       int       `json:"missing"` // attachments that it lacks, as the vault did
	Bytes         int64     `json:"bytes"`
	Saved         SavedView `json:"saved"`
}

func backupView(name string, b core.Backup) BackupView {
	return BackupView{
		Name: name, VaultID: b.VaultID, MadeAt: b.MadeAt.String(), Memories: b.Memories, Conversations: b.Conversations,
		Messages: b.Messages, Attachments: b.Attachments, Missing: b.Missing, Bytes: b.Bytes,
	}
}

// RestoredView is a restored backup. Aside is the name of the folder of the vault
// that was there, beside the new one.
type RestoredView struct {
	Backup BackupView `json:"backup"`
	Aside  string     `json:"aside"`
}

// DiagnosisView is what can be seen of a vault that does not open.
type DiagnosisView struct {
	Header    *FaultView `json:"header,omitempty"` // why no header can be used
	Data      *FaultView `json:"data,omitempty"`   // what is wrong with the data file
	BadCopies []string   `json:"badCopies"`        // header files that are damaged
	CopyAt    string     `json:"copyAt"`
	Copies    int        `json:"copies"`
	Changes   int        `json:"changes"` // in the journal since the newest copy
}

func diagnosisView(d core.Diagnosis) DiagnosisView {
	return DiagnosisView{
		Header: faultViewOrNil(d.Header), Data: faultViewOrNil(d.Data), BadCopies: words(d.BadCopies),
		CopyAt: d.CopyAt.String(), Copies: d.Copies, Changes: d.Changes,
	}
}

// RecoveredView is what making the vault whole brings, or brought.
type RecoveredView struct {
	CopyAt        string `json:"copyAt"`
	Replayed      int    `json:"replayed"`
	Lost          int    `json:"lost"` // confirmed changes that are in no copy
	Kept          string `json:"kept"` // name of the damaged file, in the vault's folder
	Memories      int    `json:"memories"`
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
}

// ForgetQueryView says what to forget: one of its fields but Also is set, two are refused. Library
// is what the list of memories is narrowed to.
type ForgetQueryView struct {
	IDs     []string   `json:"ids"` // of memories or conversations
	Before  string     `json:"before"`
	Library *QueryView `json:"library,omitempty"`
	Also    []string   `json:"also,omitempty"` // further memories or conversations, picked of Near
}

// ForgetPlanView says what forgetting would take; ID is for doing it.
type ForgetPlanView struct {
	ID            string          `json:"id"`
	Memories      int             `json:"memories"`
	Conversations int             `json:"conversations"`
	Messages      int             `json:"messages"`
	Relations     int             `json:"relations"`
	Originals     int             `json:"originals"`     // kept files of imports that go along
	KeptOriginals int             `json:"keptOriginals"` // and those that stay
	Sample        []ForgottenView `json:"sample"`
	Near          []ForgottenView `json:"near"` // close in meaning to what Library looks for, and stays unless it is picked
	Left          []ForgottenView `json:"left"` // tasks, views and drafts of the person's own that say the same, and stay
}

// ForgottenView is one thing of a plan: a "memory" or a "conversation".
type ForgottenView struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Text string `json:"text"`
}

func forgetPlanView(p core.ForgetPlan) ForgetPlanView {
	return ForgetPlanView{
		Memories: len(p.Memories), Conversations: len(p.Conversations), Messages: p.Messages, Relations: p.Relations,
		Originals: p.Originals, KeptOriginals: p.KeptOriginals, Sample: forgottenViews(p.Sample), Near: forgottenViews(p.Near), Left: forgottenViews(p.Left),
	}
}

// ReceiptView says that something was forgotten, and holds nothing of it. Erased
// says that every file of the vault was searched and none holds it any more.
type ReceiptView struct {
	ID            string `json:"id"`
	At            string `json:"at"`
	Memories      int    `json:"memories"`
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
	Relations     int    `json:"relations"`
	Attachments   int    `json:"attachments"`
	Erased        bool   `json:"erased"`
}

func receiptView(r core.Receipt) ReceiptView {
	return ReceiptView{
		ID: r.ID, At: r.At.String(), Memories: r.Memories, Conversations: r.Conversations, Messages: r.Messages,
		Relations: r.Relations, Attachments: r.Attachments, Erased: r.Erased,
	}
}

// LogPageView is a part of the log, the newest first.
type LogPageView struct {
	Entries []LogEntryView `json:"entries"`
	Total   int            `json:"total"`
}

// LogEntryView is one line of the log.
type LogEntryView struct {
	Seq    int64  `json:"seq"`
	At     string `json:"at"`
	Actor  string `json:"actor"`
	Action string `json:"action"`
	Count  int    `json:"count"`
}

func logPageView(p core.LogPage) LogPageView {
	return LogPageView{Total: p.Total, Entries: list(first(p.Entries), func(e core.LogEntry) LogEntryView {
		return LogEntryView{Seq: int64(e.Seq), At: e.At.String(), Actor: e.Actor, Action: e.Action, Count: e.Count}
	})}
}

// DestructionView says that the vault is gone. Receipt is the signed text about
// it, which holds nothing of what was in the vault.
type DestructionView struct {
	VaultID string `json:"vaultId"`
	Receipt string `json:"receipt"`
}

// AsideView is a vault that a restore put beside the one in hand.
type AsideView struct {
	Path string `json:"path"`
	At   string `json:"at"`   // when; "" where that is not known
	Same bool   `json:"same"` // it is an earlier state of the same vault
}
