// Package sensitivity tells which sensitive topics the memories of a vault are about, and keeps
// what the person says of it.
package sensitivity

import (
	"context"
	"slices"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/sensitive"
	"keepsake/backend/vault"
)

// Service offers the sensitive topics of memories.
type Service struct{ lib *library.Library }

// NewService returns a Service on a library.
func NewService(lib *library.Library) *Service { return &Service{lib} }

// Mark is a sensitive topic of one memory.
type Mark struct {
	Topic    sensitive.Topic `json:"topic"`
	ByPerson bool            `json:"by_person"` // the person said that it is one, or that it is none
	Is       bool            `json:"is"`        // false only where the person said that it is none
}

// Sensitive returns the sensitive topics of a memory, and those that the person took away.
func (s *Service) Sensitive(ctx context.Context, id string) ([]Mark, error) {
	marks := []Mark{}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		m, err := rows.NeedMemory(tx, id)
		if err != nil {
			return err
		}
		v.Rows.RLock()
		row := v.Rows.Memories.Find(id)
		v.Rows.RUnlock()
		if row == nil { // deleted since the transaction began
			return nil
		}
		all, err := Of(ctx, s.lib, v, tx, []*rows.Memory{row})
		if err != nil {
			return err
		}
		for _, t := range sensitive.Topics() {
			_, said := m.Side.Topics[string(t)]
			if is := all.Set(row).Has(t); is || said {
				marks = append(marks, Mark{t, said, is})
			}
		}
		return nil
	})
	return marks, err
}

// Query selects a page of the memories that are about sensitive topics.
type Query struct {
	Topic         sensitive.Topic // "": any
	Offset, Limit int             // Limit 0: all
}

// Page is a page of the memories that are about sensitive topics, the oldest first.
type Page struct {
	Items []Item `json:"items"`
	Total int    `json:"total"` // memories that the query selects
	Summary
}

// Item is a memory with its sensitive topics.
type Item struct {
	ID      string            `json:"id"`
	Content string            `json:"content"` // its beginning
	Topics  []sensitive.Topic `json:"topics"`
}

// SensitiveMemories lists the active memories that are about sensitive topics, and counts those
// of each topic.
func (s *Service) SensitiveMemories(ctx context.Context, q Query) (Page, error) {
	p := Page{Items: []Item{}}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		if q.Topic != "" && !slices.Contains(sensitive.Topics(), q.Topic) {
			return ErrUnknownTopic(string(q.Topic))
		}
		list := active(v.Rows)
		all, err := Of(ctx, s.lib, v, tx, list)
		if err != nil {
			return err
		}
		p.Summary = all.Summary(list)
		for _, row := range list {
			set := all.Set(row)
			if set == 0 || q.Topic != "" && !set.Has(q.Topic) {
				continue
			}
			p.Total++
			if p.Total <= q.Offset || q.Limit > 0 && len(p.Items) == q.Limit {
				continue
			}
			item, err := itemOf(tx, row, set)
			if err != nil {
				return err
			}
			p.Items = append(p.Items, item)
		}
		return nil
	})
	return p, err
}

func itemOf(tx *vault.Tx, row *rows.Memory, set sensitive.Set) (Item, error) {
	m, err := rows.NeedMemory(tx, row.ID)
	return Item{row.ID, library.Beginning(m.Content), set.Topics()}, err
}

func active(r *rows.Rows) (list []*rows.Memory) {
	r.RLock()
	defer r.RUnlock()
	for _, row := range r.Memories.BySeq {
		if row != nil && row.Status == memory.Active {
			list = append(list, row)
		}
	}
	return list
}

// MarkSensitive says that a memory is about a topic, or that it is not. It wins over what the
// program finds, whatever becomes of the memory's text. nil takes it back.
func (s *Service) MarkSensitive(ctx context.Context, id string, topic sensitive.Topic, is *bool) error {
	_, err := library.MakeChange(ctx, s.lib, "mark-sensitive", func(e *library.Tx) (memory.Record, []string, error) {
		if !slices.Contains(sensitive.Topics(), topic) {
			return memory.Record{}, nil, ErrUnknownTopic(string(topic))
		}
		m, err := rows.NeedMemory(e.VaultTx, id)
		if err != nil {
			return memory.Record{}, nil, err
		}
		side := m.Side.WithTopic(string(topic), is)
		return m.Record, []string{id}, e.PutMemory(m.Record, side)
	})
	return err
}

// ErrUnknownTopic is the fault of a name that is no sensitive topic.
func ErrUnknownTopic(name string) error {
	return fault.New(fault.Invalid, "unknown-sensitive-topic", "There is no sensitive topic called {topic}.").With("topic", rows.ShortID(name)).
		Advise("There are health, family, address, money, beliefs, sexuality, names and numbers.")
}
