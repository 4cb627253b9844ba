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

// Draft is the unsaved text of a memory that the user is writing. There is at most one
// per existing memory, and one for a new memory.
type Draft struct {
	MemoryID   string      `json:"memory_id"` // "" for a new memory
	Content    string      `json:"content"`
	Type       string      `json:"type,omitempty"` // Type, CustomType and Tags are only for a new memory
	CustomType string      `json:"custom_type,omitempty"`
	Tags       []string    `json:"tags,omitempty"`
	At         memory.Time `json:"at"`
}

// Limits for all drafts of a vault together: their number and their size in bytes. If one
// is exceeded, the oldest drafts are dropped.
const (
	maxDrafts     = 8
	maxDraftBytes = MaxContent + 64<<10
)

// DraftsID is the setting that holds the drafts.
const DraftsID = "drafts"

// drafts holds the drafts in memory while the vault is open. They are written to the vault
// when it is closed, so that typing causes no disk writes.
type drafts struct {
	mu     sync.Mutex
	all    []Draft // oldest first
	sealed bool    // there are drafts stored in the vault
}

// KeepDraft keeps d in memory, in place of an earlier draft of the same memory. If its
// content is empty, it only drops the earlier draft.
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

// Drafts lists the drafts, the newest first.
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

// DropDraft deletes the draft of a memory, because it was saved or discarded.
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
	return v.sealDrafts(s.lib.Now()) // so that a dropped draft does not return after a crash
}

// Load reads the drafts that the last session stored. If they cannot be decoded, it drops
// them and returns no error, so that the vault still opens.
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

// sealDrafts writes the drafts in memory to the vault, in place of those stored there.
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

// LeaveDrafts writes the drafts to a vault that is being closed. An error is only logged:
// the vault closes in any case.
func (v *Session) LeaveDrafts(now memory.Time) {
	if err := v.sealDrafts(now); err != nil {
		slog.Warn("drafts were not kept", "reason", fault.From(err).Reason)
	}
}
