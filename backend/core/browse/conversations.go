package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/format/pam"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Conversations returns the page of conversations that a query asks for.
func (s *Service) Conversations(ctx context.Context, q ConversationQuery) (ConversationPage, error) {
	page := ConversationPage{Items: []rows.ConversationHead{}}
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return page, err
	}
	defer leave()
	defer v.Show()
	entries, err := sortedConversations(v, q)
	if err != nil {
		return page, err
	}
	page.Total = len(entries)
	err = v.View(func(tx *vault.Tx) error { // starts after entries was read, so tx is not older
		gone, err := v.Removed(tx)
		if err != nil {
			return err
		}
		for _, entry := range library.Page(entries, q.Offset, q.Limit) {
			row, ok, err := entry.Row(tx)
			if err != nil {
				return err
			}
			if ok { // not deleted meanwhile
				row.DerivedCount = v.Rows.CountDerived(row.ID)
				row.Removed = gone.Conversations.Has(row.Seq)
				page.Items = append(page.Items, row.ConversationHead)
			}
		}
		return nil
	})
	return page, err
}

func sortedConversations(v *library.Session, q ConversationQuery) ([]sortableConversation, error) {
	whole := q
	whole.Offset, whole.Limit = 0, 0
	return library.Kept[answers](v).talks.GetOr(fmt.Sprintf("%+v", whole), v.Rows.Version(), func() ([]sortableConversation, error) {
		return selectConversations(v, q)
	})
}

// selectConversations returns all conversations that a query selects, sorted.
func selectConversations(v *library.Session, q ConversationQuery) ([]sortableConversation, error) {
	by, err := newTalkOrder(q.Sort)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(library.Fold(q.Text))
	if len(words) > 0 || by.title {
		if by.titles, err = titlesOf(v); err != nil {
			return nil, err
		}
	}
	ours := func(uint32) bool { return true }
	if len(q.Accounts) > 0 {
		if ours, err = ofAccounts(v, q.Accounts); err != nil {
			return nil, err
		}
	}
	v.Rows.RLock()
	defer v.Rows.RUnlock()
	entries := make([]sortableConversation, 0, v.Rows.Conversations.Count)
	for _, entry := range v.Rows.Conversations.BySeq {
		if entry != nil && q.selects(v.Rows.Words.Text(entry.Platform), entry.LastSeen()) && ours(entry.Seq) && says(by.titles[entry.Seq], words) {
			entries = append(entries, by.ready(&v.Rows.Words, entry))
		}
	}
	slices.SortFunc(entries, func(a, b sortableConversation) int { return a.compare(b, &v.Rows.Words) })
	return entries, nil
}

// titlesOf maps the sequence numbers of all conversations to their folded titles (without
// case and accents).
func titlesOf(v *library.Session) (map[uint32]string, error) {
	titles := map[uint32]string{}
	err := v.View(func(tx *vault.Tx) error {
		return rows.EachConversation(tx, func(row *rows.Conversation) { titles[uint32(row.Seq)] = strings.Clone(library.Fold(row.Title)) })
	})
	return titles, err
}

// ofAccounts returns a function that reports whether the conversation with a sequence
// number belongs to one of the accounts.
func ofAccounts(v *library.Session, accounts []string) (func(seq uint32) bool, error) {
	var ours library.Bitset
	err := v.View(func(tx *vault.Tx) error {
		return rows.EachConversation(tx, func(row *rows.Conversation) {
			if slices.Contains(accounts, row.AccountID) {
				ours.Add(row.Seq)
			}
		})
	})
	return func(seq uint32) bool { return ours.Has(uint64(seq)) }, err
}

func (q ConversationQuery) selects(platform string, seen rows.Micro) bool {
	at := rows.TimeOf(seen)
	return (len(q.Platforms) == 0 || slices.Contains(q.Platforms, platform)) &&
		(q.Since.IsZero() || !at.Before(q.Since)) && (q.Until.IsZero() || !at.IsZero() && at.Before(q.Until))
}

// says reports whether a title contains all the words. library.Fold has normalized both.
func says(title string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(title, w) })
}

// sortableConversation is a conversation with its sort keys.
type sortableConversation struct {
	*rows.ConversationEntry
	key     int64
	undated bool   // sorted by a time that is unknown for this conversation
	name    string // second key, when sorting by title or platform
	down    bool   // name sorts in descending order
	newest  int64
}

func (a sortableConversation) compare(b sortableConversation, w *rows.Interner) int {
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
	return w.CompareIDs(a.ID, b.ID)
}

// talkOrder computes the sort keys of conversations for one order.
type talkOrder struct {
	by     func(*sortableConversation, *rows.Interner)
	down   bool
	title  bool
	titles map[uint32]string // set only if the order or the query needs titles
}

func newTalkOrder(sort string) (*talkOrder, error) {
	if sort == "" {
		sort = "-updated"
	}
	o := &talkOrder{}
	name, down := strings.CutPrefix(sort, "-")
	o.down, o.title = down, name == "title"
	var ok bool
	o.by, ok = map[string]func(*sortableConversation, *rows.Interner){
		"updated": func(l *sortableConversation, _ *rows.Interner) {
			l.key, l.undated = int64(l.LastSeen()), l.LastSeen() == 0
		},
		"created":  func(l *sortableConversation, _ *rows.Interner) { l.key, l.undated = int64(l.Created), l.Created == 0 },
		"title":    func(l *sortableConversation, _ *rows.Interner) { l.name = o.titles[l.Seq] },
		"messages": func(l *sortableConversation, _ *rows.Interner) { l.key = int64(l.Messages) },
		"platform": func(l *sortableConversation, w *rows.Interner) { l.name = w.Text(l.Platform) },
	}[name]
	if !ok {
		return nil, rows.ErrBadSort(sort, "created", "updated", "title", "messages", "platform")
	}
	return o, nil
}

func (o *talkOrder) ready(w *rows.Interner, entry *rows.ConversationEntry) sortableConversation {
	l := sortableConversation{ConversationEntry: entry, down: o.down, newest: -int64(entry.LastSeen())}
	if o.by(&l, w); o.down {
		l.key = -l.key
	}
	if l.undated { // unknown times sort last in both directions
		l.key = math.MaxInt64
	}
	return l
}

// ShowConversation calls show, which can stream the messages of a conversation: all or,
// if active is set, those on the path that the provider marked as current, first to last.
func (s *Service) ShowConversation(ctx context.Context, id string, active bool, show func(Talk) error) error {
	return s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		head, err := NeedHead(tx, id)
		if err != nil {
			return err
		}
		s.lib.NoteReading(v, library.LogRead, id)
		all := tx.Messages(id)
		if active {
			g, _, err := graphIn(v, tx, id)
			if err != nil {
				return err
			}
			all = g.alone(g.active, messagesAlong(tx, id, g.active))
		}
		return show(Talk{Conversation: &head.Conversation, Long: UntilDone(ctx, all)})
	})
}

// alone rewrites the parent and child ids in the messages of a path, so that they refer
// only to messages on the path.
func (g *graph) alone(path []int, all Messages) Messages {
	return func(yield func(memory.Message, error) bool) {
		k := 0
		for m, err := range all {
			m.ParentID, m.ChildrenIDs = "", nil
			if k > 0 {
				m.ParentID = g.nodes[path[k-1]].id
			}
			if k+1 < len(path) {
				m.ChildrenIDs = []string{g.nodes[path[k+1]].id}
			}
			if !yield(m, err) {
				return
			}
			k++
		}
	}
}

// OpenAttachment opens an encrypted attachment for reading, also from any position, and
// returns its size in bytes.
func (s *Service) OpenAttachment(ctx context.Context, ref string) (io.ReadSeekCloser, int64, error) {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	f, size, err := v.Vault.OpenBlob(ref)
	s.lib.MetLoss(v, err)
	if err == nil {
		s.lib.NoteReading(v, library.LogRead, ref)
	}
	return f, size, err
}

// IndexEntryOf returns the entry of a conversation in PAM's conversations_index. If the
// vault knows the conversation only from such an index, it is the entry that was imported.
func IndexEntryOf(r *rows.Conversation) pam.IndexEntry {
	entry := r.ConversationHead.IndexEntry()
	if entry.Alone = r.Alone; r.Uncounted || *entry.MessageCount > pam.MaxCounted {
		entry.MessageCount = nil
	}
	entry.Storage = storageOf(r.Elsewhere)
	return entry
}

// storageOf decodes the place outside the vault that text names as the conversation's
// storage; nil if it names none. A place of type file is ignored: in an export it would
// mean a file of the bundle, and text is untrusted raw metadata of the conversation.
func storageOf(text string) *pam.Storage {
	var s pam.Storage
	if text == "" || json.Unmarshal([]byte(text), &s) != nil || s.Ref == "" {
		return nil
	}
	switch s.Type {
	case "database", "object_storage", "vector_db", "uri":
		return &s
	}
	return nil
}

// NeedHead returns a conversation's head (title, times, ...), a fault if there is none.
func NeedHead(tx *vault.Tx, id string) (vault.ConversationHead, error) {
	head, err := tx.ConversationHead(id)
	if rows.IsAbsent(err) {
		return head, library.ErrNoConversation(id)
	}
	return head, err
}
