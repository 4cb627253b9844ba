package core

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// headOf turns a stored head into a row.
func headOf(h vault.ConversationHead) *conversationRow {
	row := &conversationRow{
		ConversationHead: ConversationHead{
			ID: h.ID, Platform: h.Provider.Name, Title: h.Title,
			CreatedAt: h.Temporal.CreatedAt, UpdatedAt: h.Temporal.UpdatedAt,
			MessageCount: h.MessageCount, BranchCount: h.OffPath,
			Model: h.Model, Project: projectOf(h.RawMetadata), IsArchived: h.IsArchived,
			TimeIsDerived: h.TimeSource != "", ImportID: h.ImportID, NativeID: h.Provider.ConversationID,
			AccountID: h.Provider.AccountID, FormatVersion: h.Provider.ExportFormatVersion,
		},
		sum: h.Sum,
	}
	if h.ImportMetadata != nil {
		row.importer = h.ImportMetadata.ImporterVersion
	}
	return row
}

// projectOf is the name of the project a conversation belongs to, "" where the
// export gives none: most name no project, or only its id.
func projectOf(raw memory.RawMetadata) string {
	var project struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(raw["project"], &project) // what has another shape has no name
	return project.Name
}

// conversation returns a copy of a row.
func (r *rows) conversation(id string) (conversationRow, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	row, ok := r.conversations[id]
	if !ok {
		return conversationRow{}, false
	}
	return *row, true
}

// Conversations lists what a query selects.
func (s *Service) Conversations(ctx context.Context, q ConversationQuery) (ConversationPage, error) {
	page := ConversationPage{Items: []ConversationHead{}}
	order, err := conversationOrder(q.Sort)
	if err != nil {
		return page, err
	}
	err = s.read(ctx, func(v *session, _ *vault.Tx) error {
		rows := v.sortedConversations(q, order)
		page.Total = len(rows)
		v.rows.mu.RLock()
		defer v.rows.mu.RUnlock()
		for _, row := range window(rows, q.Offset, q.Limit) {
			page.Items = append(page.Items, v.rows.head(row.conversationRow))
		}
		return nil
	})
	return page, err
}

func (v *session) sortedConversations(q ConversationQuery, order func(*conversationRow) listed) []listed {
	whole := q
	whole.Offset, whole.Limit = 0, 0
	question, version := fmt.Sprintf("%+v", whole), v.rows.now()
	rows, ok := v.talks.get(question, version)
	if ok {
		return rows
	}
	words := strings.Fields(fold(q.Text))
	v.rows.mu.RLock()
	rows = make([]listed, 0, len(v.rows.conversations))
	for _, row := range v.rows.conversationSeqs {
		if row != nil && q.selects(row, words) {
			rows = append(rows, order(row))
		}
	}
	v.rows.mu.RUnlock()
	slices.SortFunc(rows, listed.compare)
	v.talks.put(question, version, rows)
	return rows
}

func (q ConversationQuery) selects(row *conversationRow, words []string) bool {
	at := row.lastSeen()
	switch {
	case len(q.Platforms) > 0 && !slices.Contains(q.Platforms, row.Platform),
		!q.Since.IsZero() && at.Before(q.Since),
		!q.Until.IsZero() && !at.Before(q.Until):
		return false
	}
	if len(words) == 0 {
		return true
	}
	title := fold(row.Title)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(title, w) })
}

// lastSeen is when a conversation was last changed at its provider.
func (h *ConversationHead) lastSeen() memory.Time {
	if h.UpdatedAt.IsZero() {
		return h.CreatedAt
	}
	return h.UpdatedAt
}

// listed is a row with what it is sorted by at hand, as found is.
type listed struct {
	*conversationRow
	key    int64
	name   string // after the key, where the order is by text
	down   bool   // the name's order is turned round
	newest int64
}

func (a listed) compare(b listed) int {
	switch {
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.name != b.name && a.down:
		return strings.Compare(b.name, a.name)
	case a.name != b.name:
		return strings.Compare(a.name, b.name)
	case a.newest != b.newest:
		return cmp.Compare(a.newest, b.newest)
	}
	return strings.Compare(a.ID, b.ID)
}

func conversationOrder(sort string) (func(*conversationRow) listed, error) {
	if sort == "" {
		sort = "-updated"
	}
	name, down := strings.CutPrefix(sort, "-")
	by, ok := map[string]func(*listed){
		"updated":  func(l *listed) { l.key = int64(microOf(l.lastSeen())) },
		"created":  func(l *listed) { l.key = int64(microOf(l.CreatedAt)) },
		"title":    func(l *listed) { l.name = fold(l.Title) },
		"messages": func(l *listed) { l.key = int64(l.MessageCount) },
		"platform": func(l *listed) { l.name = l.Platform },
	}[name]
	if !ok {
		return nil, errBadSort(sort, "created", "updated", "title", "messages", "platform")
	}
	return func(row *conversationRow) listed {
		l := listed{conversationRow: row, down: down, newest: -int64(microOf(row.lastSeen()))}
		if by(&l); down {
			l.key = -l.key
		}
		return l
	}, nil
}

// Conversation returns the whole graph.
func (s *Service) Conversation(ctx context.Context, id string) (*memory.Conversation, error) {
	var c *memory.Conversation
	err := s.read(ctx, func(_ *session, tx *vault.Tx) (err error) {
		c, err = needConversation(tx, id)
		return err
	})
	return c, err
}

func needConversation(tx *vault.Tx, id string) (*memory.Conversation, error) {
	c, err := tx.Conversation(id)
	if absent(err) {
		return nil, errNoConversation(id)
	}
	return c, err
}

// Companion is a conversation as PAM's companion document (§25); with active
// only the messages of the active path, first to last.
func (s *Service) Companion(ctx context.Context, id string, active bool) ([]byte, *memory.Conversation, error) {
	c, err := s.Conversation(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if active {
		c.Messages = alone(c.ActivePath())
	}
	text, err := pam.EncodeConversation(c)
	if err != nil {
		return nil, nil, fmt.Errorf("encode conversation: %w", err)
	}
	return text, c, nil
}

// alone cuts the threads from a path to what is not part of it, so that no
// parent or child is named that is not there.
func alone(path []memory.Message) []memory.Message {
	for i := range path {
		path[i].ParentID, path[i].ChildrenIDs = "", nil
		if i > 0 {
			path[i].ParentID = path[i-1].ID
		}
		if i+1 < len(path) {
			path[i].ChildrenIDs = []string{path[i+1].ID}
		}
	}
	return path
}

// OpenAttachment opens a sealed file for reading at any position.
func (s *Service) OpenAttachment(ctx context.Context, ref string) (io.ReadSeekCloser, int64, error) {
	v, _, leave, err := s.enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	return v.vault.OpenBlob(ref)
}

// IndexEntry is the head as PAM's conversations_index writes it, without the
// memories derived from it.
func (h ConversationHead) IndexEntry() IndexEntry {
	return IndexEntry{
		ID: h.ID, Platform: h.Platform, Title: h.Title, MessageCount: h.MessageCount,
		Temporal: memory.ConversationTemporal{CreatedAt: h.CreatedAt, UpdatedAt: h.UpdatedAt},
	}
}

// Proposals lists what waits in the Inbox.
func (s *Service) Proposals(ctx context.Context) ([]Proposal, error) {
	all := []Proposal{}
	err := s.read(ctx, func(_ *session, tx *vault.Tx) error {
		for e, err := range tx.Each(vault.Proposals) {
			if err != nil {
				return err
			}
			all = append(all, Proposal(e.Plain))
		}
		return nil
	})
	return all, err
}

func errNoConversation(id string) error {
	return fault.New(fault.NotFound, "no-conversation", "There is no conversation with the id {id}.").With("id", shortID(id))
}
