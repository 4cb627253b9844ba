package library

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"

	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Draft is a memory being written and not kept yet. There is one for a memory,
// and one for a new memory.
type Draft struct {
	MemoryID   string      `json:"memory_id"` // "" for a new memory
	Content    string      `json:"content"`
	Type       string      `json:"type,omitempty"` // what a new memory has been given so far
	CustomType string      `json:"custom_type,omitempty"`
	Tags       []string    `json:"tags,omitempty"`
	At         memory.Time `json:"at"`
}

// Of the drafts of a vault: how many there can be, and how much of their text
// is kept, in bytes. The oldest make room.
const (
	maxDrafts     = 8
	maxDraftBytes = MaxContent + 64<<10
)

// DraftsID is the setting that holds the drafts.
const DraftsID = "drafts"

// drafts are held in memory while the vault is open and sealed into it when it
// is closed, so that typing costs no write.
type drafts struct {
	mu     sync.Mutex
	all    []Draft // oldest first
	sealed bool    // the vault holds some
}

// KeepDraft holds what is being written. An empty text is no draft.
func (s *Service) KeepDraft(ctx context.Context, d Draft) error {
	if d.size() > maxDraftBytes {
		return ErrMemoryTooLong(d.size())
	}
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	d.At = s.lib.Now()
	v.Drafts.Keep(d)
	return nil
}

func (d Draft) size() int {
	n := len(d.Content) + len(d.Type) + len(d.CustomType) + len(d.MemoryID)
	for _, tag := range d.Tags {
		n += len(tag)
	}
	return n
}

func (l *drafts) List() []Draft {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Draft{}, l.all...)
}

func (l *drafts) Keep(d Draft) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(old Draft) bool { return old.MemoryID == d.MemoryID })
	if d.Content != "" {
		l.all = append(l.all, d)
	}
	for len(l.all) > maxDrafts || l.size() > maxDraftBytes {
		l.all = slices.Delete(l.all, 0, 1)
	}
}

func (l *drafts) size() int {
	n := 0
	for _, d := range l.all {
		n += d.size()
	}
	return n
}

// Drafts lists what was being written, the newest first.
func (s *Service) Drafts(ctx context.Context) ([]Draft, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	all := v.Drafts.List()
	slices.Reverse(all)
	return all, nil
}

// DropDraft forgets what was being written, because it was kept or given up.
func (s *Service) DropDraft(ctx context.Context, memoryID string) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	v.Drafts.Keep(Draft{MemoryID: memoryID})
	v.Drafts.mu.Lock()
	sealed := v.Drafts.sealed
	v.Drafts.mu.Unlock()
	if !sealed {
		return nil
	}
	return v.sealDrafts(s.lib.Now()) // one that was dropped must not come back after a crash
}

// loadDrafts reads what the last session left. What cannot be read as drafts
// keeps nobody from their vault.
func (l *drafts) Load(v *vault.Vault) error {
	return v.View(func(tx *vault.Tx) error {
		text, err := tx.Find(vault.Settings, DraftsID)
		if err != nil || text == nil {
			return err
		}
		l.sealed = true
		if json.Unmarshal(text, &l.all) != nil {
			l.all = nil
		}
		return nil
	})
}

// sealDrafts makes the vault hold exactly the drafts there are.
func (v *Session) sealDrafts(now memory.Time) error {
	l := &v.Drafts
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 && !l.sealed {
		return nil
	}
	text, err := rows.EncodeJSON(l.all)
	if err != nil {
		return err
	}
	err = v.Vault.Update(func(tx *vault.Tx) error {
		if len(l.all) == 0 {
			return tx.Delete(vault.Settings, DraftsID)
		}
		return tx.Put(vault.Settings, DraftsID, now.Time, text)
	})
	if err == nil {
		l.sealed = len(l.all) > 0
	}
	return err
}

// LeaveDrafts seals the drafts of a vault that is being closed, which happens
// whether they can be or not.
func (v *Session) LeaveDrafts(now memory.Time) {
	if err := v.sealDrafts(now); err != nil {
		slog.Warn("drafts were not kept", "reason", fault.From(err).Reason)
	}
}
