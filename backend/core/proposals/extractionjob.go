package proposals

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/meaning"
	"keepsake/backend/core/rows"
	"keepsake/backend/extract"
	"keepsake/backend/fault"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// rulesVersion is the version of the rules in backend/extract. After it changes, all
// conversations are searched again. Proposals that were accepted or rejected do not return.
const rulesVersion = 2

const proposingID = "proposing"

// proposingState is stored in the vault: whether the person allows the search for
// proposals, and which imports were searched.
type proposingState struct {
	Allowed bool     `json:"allowed"`
	Rules   int      `json:"rules,omitempty"`
	Imports []string `json:"imports,omitempty"` // ids of imports whose conversations were searched
}

// Looked counts the results of a search for proposals.
type Looked struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"` // messages of the person
	New           int `json:"new"`      // new proposals
	Known         int `json:"known"`    // candidates that are a proposal or memory already, or were decided or forgotten
	Rejected      int `json:"rejected"` // candidates that say the same as a proposal that was rejected, in other words
	Flagged       int `json:"flagged"`  // messages that try to command an assistant
	TooLong       int `json:"too_long"` // messages over longestSpeech, which were skipped
}

// longestSpeech is the length in bytes up to which a message is searched. A longer message
// is probably pasted text, not the person's own statement.
const longestSpeech = 8 << 10

// proposalBatch is how many proposals are stored in one transaction.
const proposalBatch = 200

// Proposing reports whether the person allows the search for proposals.
func (s *Service) Proposing(ctx context.Context) (bool, error) {
	state, err := library.ReadValue(ctx, s.lib, readProposing)
	return state.Allowed, err
}

// AllowProposing allows or forbids the search for proposals. Proposals in the Inbox stay.
func (s *Service) AllowProposing(ctx context.Context, on bool) error {
	return s.lib.Write(ctx, func(e *library.Tx) error {
		state, err := readProposing(e.VaultTx)
		if err != nil || state.Allowed == on {
			return err
		}
		state.Allowed = on
		return e.PutSetting(proposingID, state)
	})
}

func readProposing(tx *vault.Tx) (state proposingState, err error) {
	_, err = rows.FindJSON(tx, vault.Settings, proposingID, "proposing", &state)
	return state, err
}

// LookThrough looks for proposals in all conversations of imports that were not yet
// searched. It is refused until the person allows it. After a stop, the next call
// searches these conversations again; nothing is proposed twice.
func (s *Service) LookThrough(ctx context.Context, tell func(done, total int)) (Looked, error) {
	v, ctx, release, err := s.lib.Hold(ctx)
	if err != nil {
		return Looked{}, err
	}
	defer release()
	rules, err := s.extractor()
	if err != nil {
		return Looked{}, err
	}
	l := extractionJob{lib: s.lib, session: v, rules: rules, tell: tell}
	err = l.run(ctx)
	if l.looked.New > 0 {
		s.lib.Emit(library.EventLibrary, nil)
	}
	return l.looked, err
}

// extractionJob is one search of conversations for proposals.
type extractionJob struct {
	lib     *library.Library
	session *library.Session
	rules   *extract.Reader
	tell    func(done, total int)
	looked  Looked
	found   []library.Proposal

	rejected *meaning.Statements // that were rejected; nil: not read yet
}

func (l *extractionJob) run(ctx context.Context) error {
	var state proposingState
	var heads []vault.ConversationHead
	err := l.session.View(func(tx *vault.Tx) (err error) {
		if state, err = readProposing(tx); err != nil || !state.Allowed {
			return err
		}
		if state.Rules != rulesVersion {
			state.Rules, state.Imports = rulesVersion, nil
		}
		heads, err = notLookedThrough(tx, state.Imports)
		return err
	})
	if err != nil {
		return err
	}
	if !state.Allowed {
		return fault.New(fault.Refused, "proposing-not-allowed", "Looking for proposals is switched off.").
			Advise("Allow it first; nothing leaves this computer for it.")
	}
	for i, h := range heads {
		if stopped, err := l.stopped(ctx, i); err != nil {
			return err
		} else if stopped {
			return cmp.Or(l.store(ctx, nil), errLookStopped())
		}
		if l.tell != nil {
			l.tell(i, len(heads))
		}
		if err := l.conversation(h); err != nil {
			return err
		}
		if len(l.found) >= proposalBatch {
			if err := l.store(ctx, nil); err != nil {
				return err
			}
		}
	}
	for _, h := range heads {
		if !slices.Contains(state.Imports, h.ImportID) {
			state.Imports = append(state.Imports, h.ImportID)
		}
	}
	return l.store(ctx, &state)
}

// checkEvery is the number of conversations after which a job checks whether the person
// still allows the search.
const checkEvery = 20

// stopped reports whether ctx is done or the person forbade the search for proposals.
func (l *extractionJob) stopped(ctx context.Context, nth int) (bool, error) {
	if ctx.Err() != nil || nth%checkEvery != 0 {
		return ctx.Err() != nil, nil
	}
	state := proposingState{}
	err := l.session.View(func(tx *vault.Tx) (err error) {
		state, err = readProposing(tx)
		return err
	})
	return !state.Allowed, err
}

func errLookStopped() error {
	return fault.New(fault.Cancelled, "look-stopped", "Looking through the conversations was stopped; what had been found is in the Inbox.")
}

func notLookedThrough(tx *vault.Tx, done []string) ([]vault.ConversationHead, error) {
	var heads []vault.ConversationHead
	err := library.ForEach(tx.EachConversation(), func(h vault.ConversationHead) {
		if !slices.Contains(done, h.ImportID) {
			heads = append(heads, h)
		}
	})
	return heads, err
}

func (l *extractionJob) conversation(h vault.ConversationHead) error {
	l.looked.Conversations++
	return l.session.View(func(tx *vault.Tx) error {
		for m, err := range tx.Messages(h.ID) {
			if rows.IsAbsent(err) {
				return nil // the conversation was deleted meanwhile
			}
			if err != nil {
				return err
			}
			if m.Role == memory.User && !m.IsThought {
				l.message(h, &m)
			}
		}
		return nil
	})
}

func (l *extractionJob) message(h vault.ConversationHead, m *memory.Message) {
	l.looked.Messages++
	text := spoken(m)
	if len(text) > longestSpeech {
		l.looked.TooLong++
		return
	}
	found, flags := l.rules.Read(text)
	if len(flags) > 0 {
		l.looked.Flagged++
	}
	for _, f := range found {
		l.found = append(l.found, library.Proposal{
			Type: f.Type, Content: f.Sentence, Rule: f.Rule, Language: f.Language, Confidence: f.Confidence,
			Platform: h.Provider.Name, ConversationID: h.ID, MessageID: m.ID, SaidAt: memory.At(m.CreatedAt.Time),
		})
	}
}

// spoken returns the text of a message without its attachments.
func spoken(m *memory.Message) string {
	if m.Content == nil {
		return ""
	}
	texts := []string{m.Content.Text}
	for _, p := range m.Content.Parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// store saves the proposals found. If state is not nil, the job is complete, and store also
// saves state. It is not stopped by ctx: what was found by then is to be in the Inbox.
func (l *extractionJob) store(ctx context.Context, state *proposingState) error {
	if err := l.dropRejected(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	err := l.lib.Update(l.session, func(e *library.Tx) error {
		for _, p := range l.found {
			if err := l.propose(e, p); err != nil {
				return err
			}
		}
		if state == nil {
			return nil
		}
		now, err := readProposing(e.VaultTx)
		state.Allowed = now.Allowed
		if err != nil {
			return err
		}
		return e.PutSetting(proposingID, *state)
	})
	l.found = nil
	return err
}

// dropRejected removes and counts what says the same as a proposal that was rejected. Only
// texts that are not known by their hash are embedded. Without a language model all stay.
func (l *extractionJob) dropRejected(ctx context.Context) error {
	if err := l.readRejected(ctx); err != nil || l.rejected.IsEmpty() {
		return err
	}
	var unknown []string
	err := l.session.View(func(tx *vault.Tx) error {
		for _, p := range l.found {
			if !isKnown(tx, p) {
				unknown = append(unknown, p.Content)
			}
		}
		return nil
	})
	if err != nil || len(unknown) == 0 {
		return err
	}
	repeated, err := meaning.Of(l.session).Repeated(ctx, unknown, *l.rejected)
	if err != nil {
		return err
	}
	before := len(l.found)
	l.found = slices.DeleteFunc(l.found, func(p library.Proposal) bool { return repeated[p.Content] })
	l.looked.Rejected += before - len(l.found)
	return nil
}

// mostRejected is how many rejected proposals, the latest, new ones are compared with. To
// embed them takes some 2 ms each.
const mostRejected = 2000

func (l *extractionJob) readRejected(ctx context.Context) error {
	if l.rejected != nil {
		return nil
	}
	var texts []string
	err := l.session.View(func(tx *vault.Tx) (err error) {
		texts, err = library.RejectedTexts(tx, mostRejected)
		return err
	})
	if err != nil {
		return err
	}
	statements, err := meaning.Of(l.session).Statements(ctx, texts)
	if meaning.IsUnavailable(err) {
		statements, err = meaning.Statements{}, nil
	}
	l.rejected = &statements
	return err
}

// isKnown reports whether the text of a proposal is a memory, or was proposed before.
func isKnown(tx *vault.Tx, p library.Proposal) bool {
	name := rows.ByContent(memory.ContentHash(p.Content))
	_, proposed := tx.Linked(vault.Proposals, name)
	_, said := tx.Linked(vault.Memories, name)
	return proposed || said
}

func (l *extractionJob) propose(e *library.Tx, p library.Proposal) error {
	if isKnown(e.VaultTx, p) || library.IsForgottenText(e, p.Content) || library.IsBarred(e, library.ByConversationID(p.ConversationID)) {
		l.looked.Known++
		return nil
	}
	p.ID, p.FoundAt = e.NewID(), e.Now
	l.looked.New++
	return e.PutProposal(p)
}

// ProposeNew stores the proposals in found, except those whose text was already proposed
// or decided, is a memory, or was forgotten. It returns how many it stored.
func ProposeNew(e *library.Tx, found []library.Proposal) (int, error) {
	l := extractionJob{}
	for _, p := range found {
		if err := l.propose(e, p); err != nil {
			return 0, err
		}
	}
	return l.looked.New, nil
}
