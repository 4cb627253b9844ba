package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
)

// selection holds the flags that narrow a list.
type selection struct {
	kind, category, status, platform, account, tag []string
	project, confidence                            []string
	years                                          []int
	since, until, sort                             string
	limit, offset                                  int
}

func (s *selection) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&s.kind, "type", nil, "types of memories or of relations")
	flags.StringSliceVar(&s.category, "category", nil, categoryWords)
	flags.StringSliceVar(&s.status, "status", nil, "lifecycle states")
	flags.StringSliceVar(&s.platform, "platform", nil, "platforms")
	flags.StringSliceVar(&s.account, "account", nil, "accounts, by their ids, or by the names or mail addresses that are known of them")
	flags.StringSliceVar(&s.tag, "tag", nil, "tags")
	flags.StringSliceVar(&s.project, "project", nil, "projects of the conversations that stated a memory")
	flags.StringSliceVar(&s.confidence, "confidence", nil, "high (from 0.8 on), medium (from 0.5 on) or low, as of now")
	flags.IntSliceVar(&s.years, "year", nil, "years in which a memory was made, in UTC")
	flags.StringVar(&s.since, "since", "", "created on or after this day (2026-11-21) or time")
	flags.StringVar(&s.until, "until", "", "created until the end of this day, or before this time")
	flags.StringVar(&s.sort, "sort", "", `created, updated, type, platform or confidence; "-" before it turns it round`)
	flags.IntVar(&s.limit, "limit", 0, "at most so many; 0 is all")
	flags.IntVar(&s.offset, "offset", 0, "leave out so many first")
}

func (d *door) list() *cobra.Command {
	var s selection
	cmd := &cobra.Command{
		Use:       "list memories|conversations|proposals|relations",
		Short:     "List what is in the vault",
		ValidArgs: []string{"memories", "conversations", "proposals", "relations"},
		Args:      oneWordOf,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := narrows(cmd.LocalNonPersistentFlags(), args[0]); err != nil {
				return err
			}
			if err := s.checkWindow(); err != nil {
				return err
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			switch args[0] {
			case "memories":
				return d.listMemories(cmd.Context(), svc, s)
			case "conversations":
				return d.listConversations(cmd.Context(), svc, s)
			case "relations":
				return d.listRelations(cmd.Context(), svc, s)
			}
			return d.listProposals(cmd.Context(), svc, s)
		},
	}
	s.register(cmd.Flags())
	return cmd
}

// narrows refuses flags that say nothing about what is listed: where they were
// passed over, a list of everything would look like an answer.
func narrows(flags *pflag.FlagSet, what string) error {
	takes := map[string][]string{
		"conversations": {"platform", "account", "since", "until", "sort", "limit", "offset"},
		"proposals":     {"type", "platform", "limit", "offset"},
		"relations":     {"type", "limit", "offset"},
	}
	known, some := takes[what]
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		if some && f.Changed && !slices.Contains(known, f.Name) {
			err = usageError{fmt.Errorf("--%s narrows no list of %s; --%s do", f.Name, what, strings.Join(known, ", --"))}
		}
	})
	return err
}

func (d *door) listMemories(ctx context.Context, svc *core.Service, s selection) error {
	q, err := s.memories()
	if err != nil {
		return err
	}
	if len(s.account) > 0 {
		if q.Accounts, _, err = accountsCalled(ctx, svc, s.account); err != nil {
			return err
		}
	}
	page, err := svc.Memories(ctx, q)
	if err != nil {
		return err
	}
	gone := []string{}
	for i, r := range page.Items {
		if page.Removed[i] {
			gone = append(gone, r.ID)
		}
	}
	return d.answer(memoryList{listOf(page.Items, page.Total), gone}, func() {
		for i, r := range page.Items {
			d.say("%s  %-12s %-10s %s%s", r.ID, r.Type, r.Status, oneLine(r.Content, 90), goneWord(page.Removed[i]))
		}
		d.say("%s", outOf(len(page.Items), page.Total, "memory", "memories"))
	})
}

func (d *door) listConversations(ctx context.Context, svc *core.Service, s selection) error {
	since, until, err := s.span()
	if err != nil {
		return err
	}
	accounts, names, err := accountsCalled(ctx, svc, s.account)
	if err != nil {
		return err
	}
	q := core.ConversationQuery{Platforms: s.platform, Accounts: accounts, Since: since, Until: until, Sort: s.sort, Offset: s.offset, Limit: s.limit}
	page, err := svc.Conversations(ctx, q)
	if err != nil {
		return err
	}
	entries, gone := make([]core.IndexEntry, len(page.Items)), []string{}
	for i, h := range page.Items {
		entries[i] = h.IndexEntry()
		if h.Removed {
			gone = append(gone, h.ID)
		}
	}
	return d.answer(conversationList{listOf(entries, page.Total), accountsOf(page.Items), names, gone}, func() {
		for _, h := range page.Items {
			d.say("%s  %-8s %-20s  %5d  %s%s", h.ID, h.Platform, when(h.Began()), h.MessageCount, oneLine(h.Title, 70), goneWord(h.Removed))
		}
		d.say("%s", outOf(len(page.Items), page.Total, "conversation", "conversations"))
	})
}

// memoryList names beside the memories, which are those of PAM, what the newest
// whole export of its account does not hold any more.
type memoryList struct {
	items[memory.Record]
	Removed []string `json:"removed_at_provider"` // ids
}

// conversationList names accounts beside the entries, which are those of PAM and
// have no place for them, and what is removed as memoryList does.
type conversationList struct {
	items[core.IndexEntry]
	Accounts map[string]string `json:"accounts"`      // id of a conversation → account
	Names    map[string]string `json:"account_names"` // account → what an export calls it
	Removed  []string          `json:"removed_at_provider"`
}

// accountsCalled are accounts by what a person calls them, and the names that are
// known of all: an id is taken as it stands.
func accountsCalled(ctx context.Context, svc *core.Service, called []string) (ids []string, names map[string]string, err error) {
	all, err := svc.Accounts(ctx)
	ids, names = slices.Clone(called), map[string]string{}
	for _, a := range all {
		if a.Name != "" && a.Name != a.ID {
			names[a.ID] = a.Name
		}
		if slices.ContainsFunc(called, func(name string) bool { return isCalled(a.Name, name) }) && !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	return ids, names, err
}

// isCalled reports that "Ana Souza <ana@example.com>" is called by all of it, by the
// name or by the address.
func isCalled(name, by string) bool {
	first, mail, _ := strings.Cut(strings.TrimSuffix(name, ">"), " <")
	return by != "" && (strings.EqualFold(by, name) || strings.EqualFold(by, first) || strings.EqualFold(by, mail))
}

// goneWord is what a line says of something that its newest export lacks.
func goneWord(removed bool) string {
	return oneOrOther(removed, "  (not in the newest export)", "")
}

func accountsOf(heads []core.ConversationHead) map[string]string {
	accounts := map[string]string{}
	for _, h := range heads {
		if h.AccountID != "" {
			accounts[h.ID] = h.AccountID
		}
	}
	return accounts
}

func (d *door) listRelations(ctx context.Context, svc *core.Service, s selection) error {
	if _, err := eachOneOf("relation type", s.kind, memory.RelationTypes()); err != nil {
		return err
	}
	all, err := svc.Relations(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(r memory.Relation) bool {
		return len(s.kind) > 0 && !slices.Contains(s.kind, string(r.Type))
	})
	page := all[min(s.offset, len(all)):]
	if s.limit > 0 {
		page = page[:min(s.limit, len(page))]
	}
	return d.answer(listOf(page, len(all)), func() {
		for _, r := range page {
			d.say("%s  %s %s %s", r.ID, r.From, r.Type, r.To)
		}
		d.say("%s", outOf(len(page), len(all), "relation", "relations"))
	})
}

func (d *door) listProposals(ctx context.Context, svc *core.Service, s selection) error {
	q := core.ProposalQuery{Offset: s.offset, Limit: s.limit}
	for flag, values := range map[string][]string{"type": s.kind, "platform": s.platform} {
		if len(values) > 1 {
			return usageError{fmt.Errorf("a list of proposals takes one --%s", flag)}
		}
	}
	if len(s.kind) == 1 {
		t, err := oneOf("type", memory.Type(s.kind[0]), memory.Types())
		if err != nil {
			return err
		}
		q.Type = t
	}
	if len(s.platform) == 1 {
		q.Platform = s.platform[0]
	}
	page, err := svc.Proposals(ctx, q)
	return d.answerUnless(err, listOf(page.Items, page.Total), func() {
		for _, p := range page.Items {
			if p.Change != nil {
				d.say("%s  %-12s %s  %s", p.ID, p.Change.Kind, p.By, oneLine(changeWords(p.Change), 90))
				continue
			}
			d.say("%s  %-12s %.2f  %s", p.ID, p.Type, p.Confidence, oneLine(p.Content, 90))
		}
		d.say("%s", outOf(len(page.Items), page.Total, "proposal", "proposals"))
	})
}

func (s selection) memories() (core.MemoryQuery, error) {
	since, until, err := s.span()
	if err != nil {
		return core.MemoryQuery{}, err
	}
	q := core.MemoryQuery{Platforms: s.platform, Accounts: s.account, Tags: s.tag, Projects: s.project, Years: s.years, Since: since, Until: until, Sort: s.sort, Offset: s.offset, Limit: s.limit}
	if q.Confidence, err = eachOneOf("confidence", s.confidence, core.Certainties()); err != nil {
		return q, err
	}
	if q.Categories, err = eachOneOf("category", s.category, core.Categories()); err != nil {
		return q, err
	}
	if q.Types, err = eachOneOf("type", s.kind, memory.Types()); err != nil {
		return q, err
	}
	q.Statuses, err = eachOneOf("status", s.status, memory.Statuses())
	return q, err
}

// checkWindow refuses numbers that select nothing anybody could mean.
func (s selection) checkWindow() error {
	for flag, n := range map[string]int{"limit": s.limit, "offset": s.offset} {
		if n < 0 {
			return fault.New(fault.Invalid, "bad-count", "--{flag} takes a number from 0 on, not {value}.").With("flag", flag).With("value", n)
		}
	}
	return nil
}

// span is from since on and before until: a day that stands for the end counts, as it
// does for until: in a search.
func (s selection) span() (since, until time.Time, err error) {
	if since, err = parseDay("since", s.since); err != nil {
		return
	}
	until, err = parseDay("until", s.until)
	if _, noDay := time.Parse(time.DateOnly, s.until); noDay == nil {
		until = until.AddDate(0, 0, 1)
	}
	return
}

// parseDay reads a day (as UTC midnight) or an RFC 3339 time; "" is zero.
func parseDay(flag, value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	if t, ok := dayOrTime(value); ok {
		return t, nil
	}
	return time.Time{}, fault.New(fault.Invalid, "bad-date", "--{flag} takes a day like 2026-11-21 or a time like 2026-11-21T09:00:00Z.").With("flag", flag)
}

func dayOrTime(value string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(layout, value); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// oneOf checks a word against the specification's list.
func oneOf[T ~string](flag string, value T, allowed []T) (T, error) {
	if slices.Contains(allowed, value) {
		return value, nil
	}
	return value, fault.New(fault.Invalid, "bad-word", "{value} is not a {flag}; it is one of: {list}.").
		With("value", value).With("flag", flag).With("list", listed(allowed))
}

// eachOneOf is oneOf for each of several words.
func eachOneOf[T ~string](flag string, words []string, allowed []T) (all []T, err error) {
	for _, word := range words {
		value, err := oneOf(flag, T(word), allowed)
		if err != nil {
			return nil, err
		}
		all = append(all, value)
	}
	return all, nil
}

// oneOfGiven is oneOf for a flag that changes nothing where it was not given.
func oneOfGiven[T ~string](given bool, flag, word string, allowed []T) (*T, error) {
	if !given {
		return nil, nil
	}
	value, err := oneOf(flag, T(word), allowed)
	return &value, err
}

// newType is the type that a memory is to have.
func newType(name string) (memory.Type, error) {
	t := memory.Type(name)
	if slices.Contains(memory.Types(), t) {
		return t, nil
	}
	return t, fault.New(fault.Invalid, "bad-type", "{value} is not a type; it is one of: {list}.").
		With("value", name).With("list", listed(memory.Types())).Advise("For a type of your own give --custom-type {value}, with --type custom or without --type.")
}
