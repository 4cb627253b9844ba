package library

import (
	"cmp"
	"context"
	"slices"
	"time"

	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Actions of the log that the packages of core write. Package vault writes others when the
// keys of the vault change.
const (
	LogStore        = "store"
	logUpdate       = "update"
	logImportUndone = "import-undone"
	LogForget       = "forget"
	LogExport       = "export"
	logUnlock       = "unlock"
	logUnlockFailed = "unlock-failed" // read from an unencrypted file, which anybody can change
	LogCompact      = "compact"
	LogCompacted    = "compact-memories" // memories were archived or summarized
	LogReport       = "report"           // a report on the content of the vault was made
	LogKeyRotated   = "key-rotated"
	LogKeyRevoked   = "key-revoked"
	LogKeyTrusted   = "key-trusted"
	LogKeyFollowed  = "key-followed" // somebody else's statement about their key was accepted
	LogKeyRenamed   = "key-renamed"
	LogKeyRemoved   = "key-removed"
	LogAgentCall    = "agent-call"
	LogAgentRefused = "agent-refused" // a call of an agent that got no answer

	LogSessionTaken   = "session-taken" // of a watched folder; the target is its kind
	LogSessionRefused = "session-refused"
)

// WatchedFolder is the actor of what comes in by itself from a folder that the person has watched. No
// agent can be called that.
const WatchedFolder = "watched folder"

// Log adds an entry about this transaction to the log. target is the id of the record
// concerned; only a keyed hash of it is stored.
func (e *Tx) Log(action, target string, count int) error {
	return e.LogAs(e.actor, action, target, count)
}

type actorKey struct{}

// actor is an agent that makes a change.
type actor struct {
	name string
	may  func(*Tx) error
}

// As returns a context in which MakeChange logs a change as made by an agent. In the transaction of the
// change it first asks may, whose error ends it.
func As(ctx context.Context, agent string, may func(*Tx) error) context.Context {
	return context.WithValue(ctx, actorKey{}, actor{agent, may})
}

// LogAs is Log for what somebody else did; "" is the person.
func (e *Tx) LogAs(actor, action, target string, count int) error {
	return e.VaultTx.Audit(vault.Audited{At: e.Now.Time, Actor: cmp.Or(actor, vault.You), Action: action, Target: target, Count: count})
}

// actionOf returns the log action for a kind of change (see Change.Kind).
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
	// Operation is the name that the Personal Memory Specification has for the action,
	// "" if it has none.
	Operation string `json:"operation,omitempty"`
	Target    string `json:"target,omitempty"` // keyed hash of a record's id
	Count     int    `json:"count,omitempty"`
}

// operationOf returns the operation of the Personal Memory Specification that matches a
// log action. Destroying the vault has no action, because the log is destroyed with it.
func operationOf(action string) string {
	switch action {
	case LogStore, logUpdate, LogForget, LogExport:
		return action
	case logImportUndone:
		return logUpdate
	case LogRead, LogSearch, LogAgentCall:
		return "retrieve"
	case LogCompacted:
		return "compact"
	}
	return ""
}

// LogQuery narrows a page of the log.
type LogQuery struct {
	Target string // id of a memory, conversation or other record; "" = all
	Offset int
	Limit  int // 0 = all
}

// LogPage is a page of the log, newest first. Log checks the hash chain of the whole log
// and returns an error instead if the log was altered.
type LogPage struct {
	Entries []LogEntry `json:"entries"`
	Total   int        `json:"total"`
}

// Log returns the page of the vault's log that q asks for.
func (s *Service) Log(ctx context.Context, q LogQuery) (LogPage, error) {
	page := LogPage{Entries: []LogEntry{}}
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return LogPage{}, err
	}
	defer leave()
	v.SettleLog() // so that the page includes this unlock
	err = v.View(func(tx *vault.Tx) error {
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

// SettleLog writes the log entries that OweUnlocked has queued. It ignores write errors,
// so that a vault that cannot be written can still be used.
func (v *Session) SettleLog() {
	if v.Vault.Settle() != nil || len(v.Tries) == 0 {
		return
	}
	if len(v.Vault.Tries()) == len(v.Tries) { // else another unlock failed since, and the next unlock logs it
		_ = v.Vault.ForgetTries()
	}
}

// ReceiptDays is how long the vault keeps a receipt (the record of a forget: its time and
// counts, without content).
const ReceiptDays = 30 * 24 * time.Hour
