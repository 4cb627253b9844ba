package core

import (
	"context"
	"slices"
	"time"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Actions of the log that the service writes; changes of keys write their own.
const (
	logStore        = "store"
	logUpdate       = "update"
	logImportUndone = "import-undone"
	logForget       = "forget"
	logExport       = "export"
	logUnlock       = "unlock"
	logUnlockFailed = "unlock-failed" // counted in a file that anybody can change
	logCompact      = "compact"
	logCompacted    = "compact-memories" // archived or summarized
	logReport       = "report"           // of what is held
	logKeyRotated   = "key-rotated"
	logKeyRevoked   = "key-revoked"
	logKeyTrusted   = "key-trusted"
	logKeyFollowed  = "key-followed" // a statement of somebody else about their key
	logKeyRenamed   = "key-renamed"
	logKeyRemoved   = "key-removed"
)

// log writes into the log what this transaction does. target is an id, of which
// only a keyed hash is kept.
func (e *edit) log(action, target string, count int) error {
	return e.tx.Audit(vault.Audited{At: e.now.Time, Actor: vault.You, Action: action, Target: target, Count: count})
}

// actionOf names a change in the log.
func actionOf(kind string) string {
	if kind == "add" || kind == "todo-add" {
		return logStore
	}
	if kind == logCompacted {
		return logCompacted
	}
	return logUpdate
}

// LogEntry is one line of the log.
type LogEntry struct {
	Seq    uint64      `json:"seq"`
	At     memory.Time `json:"at"`
	Actor  string      `json:"actor"`
	Action string      `json:"action"`
	// Operation is what the personal-memory specification calls it; "" where that
	// knows no such thing.
	Operation string `json:"operation,omitempty"`
	Target    string `json:"target,omitempty"` // keyed hash of an id
	Count     int    `json:"count,omitempty"`
}

// operationOf is the operation of the specification that an action is. Destroying
// has no entry: the log goes with the rest.
func operationOf(action string) string {
	switch action {
	case logStore, logUpdate, logForget, logExport:
		return action
	case logImportUndone:
		return logUpdate
	case logRead, logSearch:
		return "retrieve"
	case logCompacted:
		return "compact"
	}
	return ""
}

// LogQuery narrows a page of the log.
type LogQuery struct {
	Target string // id of a thing; "" = all
	Offset int
	Limit  int // 0 = all
}

// LogPage is a part of the log, newest first. The whole chain was checked on the
// way: a log that is not as it was written is a fault instead.
type LogPage struct {
	Entries []LogEntry `json:"entries"`
	Total   int        `json:"total"`
}

// Log reads the log of what was done to the vault.
func (s *libraryFace) Log(ctx context.Context, q LogQuery) (LogPage, error) {
	page := LogPage{Entries: []LogEntry{}}
	v, _, leave, err := s.lib.enter(ctx)
	if err != nil {
		return LogPage{}, err
	}
	defer leave()
	v.settleLog() // who opened the vault is in it, too
	err = v.vault.View(func(tx *vault.Tx) error {
		target := tx.AuditTarget(q.Target)
		for e, err := range tx.AuditTrail() {
			if err != nil {
				return err
			}
			if target != "" && e.Target != target {
				continue
			}
			page.Entries = append(page.Entries, LogEntry{e.Seq, memory.At(e.Time()), e.Actor, e.Action, operationOf(e.Action), e.Target, e.Count})
		}
		return ctx.Err()
	})
	if err != nil {
		return LogPage{}, err
	}
	page.Total = len(page.Entries)
	slices.Reverse(page.Entries)
	page.Entries = window(page.Entries, q.Offset, q.Limit)
	return page, nil
}

// oweUnlocked has it written into the log that the vault was opened, and how often
// that failed before: in front of the first change, and at the latest when the
// session ends. Nobody waits for it meanwhile.
func (s *library) oweUnlocked(v *session) {
	v.tries = v.vault.Tries()
	for _, at := range v.tries {
		v.vault.Owe(vault.Audited{At: at, Actor: "unknown", Action: logUnlockFailed})
	}
	v.vault.Owe(vault.Audited{At: s.clock(), Actor: vault.You, Action: logUnlock})
}

// settleLog writes what oweUnlocked owes. A vault that cannot be written is open
// all the same.
func (v *session) settleLog() {
	if v.vault.Settle() != nil || len(v.tries) == 0 {
		return
	}
	if len(v.vault.Tries()) == len(v.tries) { // another one failed since: that is for the next unlock
		_ = v.vault.ForgetTries()
	}
}

// receiptDays is how long receipts of forgetting are kept.
const receiptDays = 30 * 24 * time.Hour
