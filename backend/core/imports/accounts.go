package imports

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/files"
	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/importer"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// maxAccount is how many bytes the name of an account may have.
const maxAccount = 200

// inAccount derives the id of a conversation in an account that the person named. For the
// default account ("") the id stays as it is.
func inAccount(account, id string) string {
	if account == "" || id == "" {
		return id
	}
	return importer.ConversationID("account", account+"\x00"+id)
}

// inAccountKey adds the account that the person named to the key that a source gives a
// statement, because two accounts of one source can use the same key.
func inAccountKey(account, key string) string { return "account:" + account + "\x00" + key }

// accountSink is the sink for an export whose account the person named, because the export
// does not. It adds the account to all ids and keys: two accounts may use the same ones.
type accountSink struct {
	importer.Sink
	account string
}

// Conversation implements importer.Sink.
func (k accountSink) Conversation(ctx context.Context, d importer.ConversationDraft) error {
	d.ID, d.Provider.AccountID = inAccount(k.account, d.ID), k.account
	return k.Sink.Conversation(ctx, d)
}

// Memory implements importer.Sink.
func (k accountSink) Memory(ctx context.Context, d importer.MemoryDraft) error {
	if d.SourceKey == "" {
		d.SourceKey = "content:" + memory.ContentHash(d.Content)
	}
	d.ConversationID, d.SourceKey = inAccount(k.account, d.ConversationID), inAccountKey(k.account, d.SourceKey)
	d.PlatformUserID = k.account
	return k.Sink.Memory(ctx, d)
}

// Retraction implements importer.Sink.
func (k accountSink) Retraction(ctx context.Context, d importer.RetractionDraft) error {
	d.ConversationID, d.SourceKey = inAccount(k.account, d.ConversationID), inAccountKey(k.account, d.SourceKey)
	d.Account = k.account
	return k.Sink.Retraction(ctx, d)
}

// takesAccount reports whether the person may name the account of a group: its reader
// found no account, and it is not a document, in which every memory names its account.
func (g *group) takesAccount() bool {
	return g.found.Importer != nil && len(g.found.Match.Accounts) == 0 && !g.isDocument()
}

// isDocument reports whether a group is a document in an interchange format (PAM or MIF),
// not an export of a provider.
func (g *group) isDocument() bool {
	im := g.found.Importer
	return im != nil && (im.Info().Documents || im.Info().Platform == "" || im.Info().ID == library.MIFReader)
}

// accounts returns the accounts of a group's export, one per line.
func (g *group) accounts() string {
	return cmp.Or(g.account(), strings.Join(slices.Sorted(slices.Values(g.found.Match.Accounts)), "\n"))
}

// given returns the account that the person named for a group, "" for none.
func (g *group) given() string { return g.inputs[0].Account }

// judgeAccount sets a fault if the person named an account, but the export names its own.
func (g *group) judgeAccount() {
	account := g.given()
	if account == "" || g.fault != nil || g.found.Importer == nil || slices.Contains(g.found.Match.Accounts, account) {
		return
	}
	if !g.takesAccount() {
		g.fault = fault.New(fault.Invalid, "account-known", "{name} says itself whose it is; it is not of the account {account}.").
			With("name", g.name()).With("account", account).Advise("Import it without naming an account.")
	}
}

// account is the named account from which the ids of a group's conversations are derived.
// It is "" for the default account, and if the export itself names accounts.
func (g *group) account() string {
	if g.takesAccount() {
		return g.given()
	}
	return ""
}

// sinkOf returns k for the group's reader, wrapped in an accountSink for a named account.
func (g *group) sinkOf(k importer.Sink) importer.Sink {
	if account := g.account(); account != "" {
		return accountSink{k, account}
	}
	return k
}

// withAccounts trims the account name of every input, and refuses an invalid name.
func withAccounts(inputs []files.Input) ([]files.Input, error) {
	clean := slices.Clone(inputs)
	for i := range clean {
		name := strings.TrimSpace(clean[i].Account)
		if len(name) > maxAccount || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fault.New(fault.Invalid, "bad-account", "The name of an account is one line of at most {limit} bytes.").With("limit", maxAccount)
		}
		clean[i].Account = name
	}
	return clean, nil
}

// namedAccounts returns the set of accounts that the person named for imports. A key is
// the provider's id, a zero byte and the account.
func namedAccounts(tx *vault.Tx) (map[string]bool, error) {
	named := map[string]bool{}
	for report, err := range library.Reports(tx) {
		if err != nil {
			return nil, err
		}
		for _, source := range report.Sources {
			if source.Account != "" {
				named[source.Provider+"\x00"+source.Account] = true
			}
		}
	}
	return named, nil
}

// statementKey returns the key under which a statement is stored: the source's own key,
// with the account added if another account of the platform already uses the key.
func statementKey(e *library.Tx, platform, key, account string) (string, error) {
	id, ok := e.Linked(rows.BySource(platform, key))
	if !ok || account == "" {
		return key, nil
	}
	m, ok, err := e.Load(id)
	if err != nil || !ok {
		return key, err
	}
	if i, known := m.Side.Source(platform, key); known && rows.IsOtherAccount(m.Side.Sources[i].Account, account) {
		return inAccountKey(account, key), nil
	}
	return key, nil
}
