package imports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/importer"
	"keepsake/backend/vault"
)

// Account is an account of a platform from which conversations or imports came.
type Account struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	// Name is the account's name in an export: a name, a mail address or both; "" if no
	// export names it.
	Name string `json:"name,omitempty"`
}

// Accounts lists the accounts of imports and of conversations, sorted by platform and
// name. All other calls and records refer to an account by its id only.
func (s *Service) Accounts(ctx context.Context) ([]Account, error) {
	found := map[string]Account{}
	err := s.lib.Read(ctx, func(_ *library.Session, tx *vault.Tx) error {
		err := library.ForEach(library.Reports(tx), func(report library.ImportReport) {
			for _, source := range report.Sources {
				s.noteAccounts(found, source)
			}
		})
		if err != nil {
			return err
		}
		return noteSpeakers(tx, found)
	})
	return slices.SortedFunc(maps.Values(found), func(a, b Account) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), cmp.Compare(cmp.Or(a.Name, a.ID), cmp.Or(b.Name, b.ID)), cmp.Compare(a.ID, b.ID))
	}), err
}

// noteAccounts adds the accounts of source to found. Names in source replace known names.
func (s *Service) noteAccounts(found map[string]Account, source library.ReportSource) {
	platform := source.Provider
	if im, ok := s.importers.ByID(source.Provider); ok {
		platform = cmp.Or(im.Info().Platform, platform)
	}
	for _, id := range source.Accounts {
		found[id] = Account{id, platform, cmp.Or(source.AccountNames[id], found[id].Name)}
	}
	if source.Account != "" {
		found[source.Account] = Account{source.Account, platform, source.Account}
	}
}

// fewTalks is how many conversations of an account are searched for its name.
const fewTalks = 3

// noteSpeakers finds names for the accounts that no import report names, from the
// participants of a few of their conversations: older imports did not store the names.
func noteSpeakers(tx *vault.Tx, found map[string]Account) error {
	talks := map[string][]string{}
	err := rows.EachConversation(tx, func(row *rows.Conversation) {
		a := found[row.AccountID]
		if row.AccountID == "" || a.Name != "" || len(talks[row.AccountID]) == fewTalks {
			return
		}
		id := strings.Clone(row.AccountID)
		found[id] = Account{ID: id, Platform: cmp.Or(a.Platform, strings.Clone(row.Platform))}
		talks[id] = append(talks[id], strings.Clone(row.ID))
	})
	if err != nil {
		return err
	}
	for id, of := range talks {
		a := found[id]
		if a.Name, err = speakerOf(tx, id, of); err != nil {
			return err
		}
		found[id] = a
	}
	return nil
}

// speakerOf searches conversations (talks) for a participant with the id of an account,
// and returns the name of the first one; "" if there is none.
func speakerOf(tx *vault.Tx, account string, talks []string) (string, error) {
	for _, talk := range talks {
		head, err := tx.ConversationHead(talk)
		if err != nil {
			return "", err
		}
		for _, p := range head.Conversation.Participants {
			if p.ProviderID == account && p.Name != "" {
				return importer.Line(p.Name), nil
			}
		}
	}
	return "", nil
}
