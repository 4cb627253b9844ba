package lifecycle

import (
	"context"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Held counts everything that the vault holds about its owner (GDPR, Art. 15), by kind and
// by origin. The texts themselves are obtained by an export.
type Held struct {
	At         memory.Time    `json:"at"`
	OwnerID    string         `json:"owner_id"`
	Categories []HeldCategory `json:"categories"` // the four of the Personal Memory Specification, in its order

	Messages   int `json:"messages"` // in all conversations
	Relations  int `json:"relations"`
	Tasks      int `json:"tasks"`
	Proposals  int `json:"proposals"` // suggested memories that wait in the Inbox
	Embeddings int `json:"embeddings"`
	Uses       int `json:"uses"`        // memories with a count of how often they were opened
	Imports    int `json:"imports"`     // reports of imports
	Exports    int `json:"exports"`     // records of past exports
	Receipts   int `json:"receipts"`    // of deletions
	LogEntries int `json:"log_entries"` // including the entry about this report
}

// HeldCategory counts a category's memories; for Conversation, also the conversations.
type HeldCategory struct {
	Category  library.Category      `json:"category"`
	Count     int                   `json:"count"`
	Platforms map[string]int        `json:"platforms"` // source platform → n
	Types     map[memory.Type]int   `json:"types,omitempty"`
	Statuses  map[memory.Status]int `json:"statuses,omitempty"`
	Oldest    memory.Time           `json:"oldest,omitzero"`
	Newest    memory.Time           `json:"newest,omitzero"`
}

// Held counts everything that the vault holds, and logs that this report was requested.
func (s *Service) Held(ctx context.Context) (Held, error) {
	held := Held{At: s.lib.Now()}
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return held, err
	}
	defer leave()
	v.Vault.Owe(vault.Audited{At: held.At.Time, Actor: vault.You, Action: library.LogReport})
	v.SettleLog() // writes the log entry now, so that the result counts it
	err = v.View(func(tx *vault.Tx) error {
		held.OwnerID, held.Categories = v.Owner.ID, heldByCategory(v.Rows)
		held.Tasks, held.Proposals, held.Embeddings = tx.Count(vault.Todos), tx.Count(vault.Proposals), tx.Count(vault.Embeddings)
		held.Uses, held.Imports, held.Exports = tx.Count(vault.Uses), tx.Count(vault.Imports), tx.Count(vault.Exports)
		held.Receipts, held.LogEntries = tx.Count(vault.Receipts), tx.Count(vault.Audit)
		v.Rows.RLock()
		defer v.Rows.RUnlock()
		held.Messages, held.Relations = v.Rows.Messages, len(v.Rows.Relations)
		return nil
	})
	return held, err
}

func heldByCategory(r *rows.Rows) []HeldCategory {
	r.RLock()
	defer r.RUnlock()
	all := make([]HeldCategory, 0, len(personal.Categories()))
	at := map[library.Category]*HeldCategory{}
	for _, c := range personal.Categories() {
		all = append(all, HeldCategory{Category: c, Platforms: map[string]int{}, Types: map[memory.Type]int{}, Statuses: map[memory.Status]int{}})
		at[c] = &all[len(all)-1]
	}
	for _, row := range r.Memories.BySeq {
		if row != nil {
			c := at[row.Category()]
			c.take(row.Platform, row.Created)
			c.Types[row.Kind]++
			c.Statuses[row.Status]++
		}
	}
	for _, entry := range r.Conversations.BySeq {
		if entry != nil {
			at[personal.Conversation].take(r.Words.Text(entry.Platform), entry.Created)
		}
	}
	return all
}

func (c *HeldCategory) take(platform string, created rows.Micro) {
	c.Count++
	c.Platforms[platform]++
	when := rows.TimeOf(created)
	if when.IsZero() {
		return
	}
	if c.Oldest.IsZero() || when.Compare(c.Oldest) < 0 {
		c.Oldest = when
	}
	c.Newest = rows.Later(c.Newest, when)
}
