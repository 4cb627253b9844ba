package library

import (
	"context"
	"slices"
	"time"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Actions of the log that the service writes; changes of keys write their own.
const (
	LogStore        = "store"
	logUpdate       = "update"
	logImportUndone = "import-undone"
	LogForget       = "forget"
	LogExport       = "export"
	logUnlock       = "unlock"
	logUnlockFailed = "unlock-failed" // counted in a file that anybody can change
	LogCompact      = "compact"
	LogCompacted    = "compact-memories" // archived or summarized
	LogReport       = "report"           // of what is held
	LogKeyRotated   = "key-rotated"
	LogKeyRevoked   = "key-revoked"
	LogKeyTrusted   = "key-trusted"
	LogKeyFollowed  = "key-followed" // a statement of somebody else about their key
	LogKeyRenamed   = "key-renamed"
	LogKeyRemoved   = "key-removed"
)

// Log writes into the log what this transaction does. target is an id, of which
// only a keyed hash is kept.
func (e *Tx) Log(action, target string, count int) error {
	return e.VaultTx.Audit(vault.Audited{At: e.Now.Time, Actor: vault.You, Action: action, Target: target, Count: count})
}

// actionOf names a change in the log.
func actionOf(kind string) string {
	if kind == "add" || kind == "todo-add" {
		return LogStore
	}
	if kind == LogCompacted {
		return LogCompacted
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
	case LogStore, logUpdate, LogForget, LogExport:
		return action
	case logImportUndone:
		return logUpdate
	case LogRead, LogSearch:
		return "retrieve"
	case LogCompacted:
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
func (s *Service) Log(ctx context.Context, q LogQuery) (LogPage, error) {
	page := LogPage{Entries: []LogEntry{}}
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return LogPage{}, err
	}
	defer leave()
	v.SettleLog() // who opened the vault is in it, too
	err = v.Vault.View(func(tx *vault.Tx) error {
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
	page.Entries = Page(page.Entries, q.Offset, q.Limit)
	return page, nil
}

// OweUnlocked queues log entries for this unlock and for the failed attempts before it.
// They are written with the first change, and at the latest when the session ends, so
// that an unlock does not wait for the disk.
func (s *Library) OweUnlocked(v *Session) {
	v.Tries = v.Vault.Tries()
	for _, at := range v.Tries {
		v.Vault.Owe(vault.Audited{At: at, Actor: "unknown", Action: logUnlockFailed})
	}
	v.Vault.Owe(vault.Audited{At: s.Clock(), Actor: vault.You, Action: logUnlock})
}

// SettleLog writes what oweUnlocked owes. A vault that cannot be written is open
// all the same.
func (v *Session) SettleLog() {
	if v.Vault.Settle() != nil || len(v.Tries) == 0 {
		return
	}
	if len(v.Vault.Tries()) == len(v.Tries) { // another one failed since: that is for the next unlock
		_ = v.Vault.ForgetTries()
	}
}

// ReceiptDays is how long receipts of forgetting are kept.
const ReceiptDays = 30 * 24 * time.Hour
