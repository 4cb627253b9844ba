package agents

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"keepsake/backend/core/browse"
	"keepsake/backend/core/circles"
	"keepsake/backend/core/exports"
	"keepsake/backend/core/files"
	"keepsake/backend/core/imports"
	"keepsake/backend/core/library"
	"keepsake/backend/extract"
	"keepsake/backend/fault"
	"keepsake/backend/format/pam"
	"keepsake/backend/seal"
	"keepsake/backend/vault"
)

// Service answers agents, and lets the person say what they may.
type Service struct {
	lib     *library.Library
	browse  *browse.Service
	exports *exports.Service
	edit    *library.Service
	uploads *files.Service
	imports *imports.Service
	reader  func() (*extract.Reader, error)

	mu    sync.Mutex
	turns map[string]chan struct{} // by agent; full while a call of it is answered
}

// NewService returns a Service on a library, which searches, hands off, writes and imports by the services
// of these rooms.
func NewService(lib *library.Library, search *browse.Service, handoffs *exports.Service, edit *library.Service, uploads *files.Service, in *imports.Service) *Service {
	return &Service{lib: lib, browse: search, exports: handoffs, edit: edit, uploads: uploads, imports: in, reader: sync.OnceValues(extract.New), turns: map[string]chan struct{}{}}
}

// Listed is an agent with what it did, as far as the vault kept its calls.
type Listed struct {
	Agent
	CallCounts
	CircleName string          `json:"circle_name"` // "" if there is no circle
	Forgets    []ForgetRequest `json:"forgets,omitempty"`
}

// Agents lists the agents that asked and were not removed: those that wait first, then by name.
func (s *Service) Agents(ctx context.Context) ([]Listed, error) {
	listed := []Listed{}
	err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
		all, err := agentsIn(tx)
		if err != nil {
			return err
		}
		counts, err := library.Kept[keptCalls](v).all(tx)
		if err != nil {
			return err
		}
		forgets, err := forgetsOf(v, tx)
		if err != nil {
			return err
		}
		for _, name := range names(all) {
			l := Listed{Agent: pausedNow(v, all[name]), CallCounts: counts[name], Forgets: forgets[name]}
			if l.CircleName, err = circles.NameOf(tx, l.Grant.Circle); err != nil {
				return err
			}
			listed = append(listed, l)
		}
		slices.SortStableFunc(listed, func(a, b Listed) int { return cmp.Compare(order(a.State), order(b.State)) })
		return nil
	})
	return listed, err
}

func order(s State) int { return slices.Index([]State{Pending, Allowed, Refused}, s) }

// MeetAgent notes that a program asks under a name, with a public key that it has proved to have.
// A new name waits for the person. Another program under a known name is refused.
func (s *Service) MeetAgent(ctx context.Context, name, key string) (Agent, error) {
	known, err := library.ReadValue(ctx, s.lib, agentsIn)
	if err != nil {
		return Agent{}, err
	}
	if name, err = CleanName(name); err != nil {
		return Agent{}, err
	}
	if _, err := pam.ParsePublic(key); err != nil {
		return Agent{}, fault.New(fault.Invalid, "agent-key", "{name} has no key by which it could be told from another program.").With("name", name)
	}
	if a, ok := known[name]; ok {
		err := a.isWith(key)
		if err != nil {
			err = cmp.Or(s.note(ctx, Call{Agent: name, Tool: "connect", Refused: fault.From(err).Reason}, ""), err)
		}
		return a, err
	}
	return s.welcome(ctx, name, key)
}

// EventLockedOut says that an agent, whose name is the payload, asked while the vault was locked.
const EventLockedOut = "agent-locked-out"

// NoteLockedCall tells that an agent asked while the vault was locked. Nothing is stored, and the
// name is the one that the program gave itself.
func (s *Service) NoteLockedCall(name string) {
	if name, err := CleanName(name); err == nil {
		s.lib.Emit(EventLockedOut, name)
	}
}

func (a Agent) isWith(key string) error {
	if a.Key == key {
		return nil
	}
	return fault.New(fault.Refused, "agent-key-differs", "Another program has asked as {name} before.").With("name", a.Name).
		Advise("Remove that agent in Keepsake if this one takes its place, or give this one another name.")
}

// welcome stores an agent that asks for the first time.
func (s *Service) welcome(ctx context.Context, name, key string) (a Agent, err error) {
	if err := s.announce(ctx, seal.AgentsFeature); err != nil {
		return a, err
	}
	err = s.lib.Write(ctx, func(e *library.Tx) error {
		all, err := agentsIn(e.VaultTx)
		if err != nil {
			return err
		}
		if known, ok := all[name]; ok { // met by another call meanwhile
			a = known
			return a.isWith(key)
		}
		if len(all) >= mostAgents {
			return fault.New(fault.TooLarge, "too-many-agents", "{limit} agents have asked, and no more may before some are removed.").With("limit", mostAgents)
		}
		a = Agent{Name: name, Key: key, FirstAsk: e.Now, State: Pending, Grant: Grant{Permissions: []Permission{}, Conversations: NoConversations}}
		all[name] = a
		return put(e, all)
	})
	if err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return a, err
}

// announce makes the header of the vault name a feature, which a program has to know to open it.
func (s *Service) announce(ctx context.Context, feature string) error {
	v, _, leave, err := s.lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.Vault.Require(feature)
}

// AllowAgent gives an agent a grant, in place of the one that it had. The circle is named by its
// entity or name.
func (s *Service) AllowAgent(ctx context.Context, name string, g Grant) (Agent, error) {
	if g.Conversations == "" {
		g.Conversations = NoConversations
	}
	if err := g.check(); err != nil {
		return Agent{}, err
	}
	if g.Circle != "" {
		err := s.lib.Read(ctx, func(v *library.Session, tx *vault.Tx) error {
			choice, err := circles.ChooseCircle(ctx, s.lib, v, tx, g.Circle)
			if err != nil {
				return err
			}
			g.Circle = choice.Entity
			g.CircleNumber, _, err = circles.Stored(tx, g.Circle)
			return err
		})
		if err != nil {
			return Agent{}, err
		}
	}
	return s.change(ctx, name, func(a *Agent) { a.State, a.Paused, a.Grant = Allowed, false, g })
}

// RefuseAgent answers an agent that it may nothing.
func (s *Service) RefuseAgent(ctx context.Context, name string) (Agent, error) {
	return s.change(ctx, name, func(a *Agent) {
		a.State, a.Grant = Refused, Grant{Permissions: []Permission{}, Conversations: NoConversations}
	})
}

// PauseAgents lets an agent, or all for "", ask for nothing until they may go on. An answer that is
// under way does not leave. In a frozen vault the pause lasts until it is locked.
func (s *Service) PauseAgents(ctx context.Context, name string, on bool) error {
	frozen, err := s.pauseFrozen(ctx, name, on)
	if frozen || err != nil {
		return err
	}
	return s.changeAll(ctx, func(all map[string]Agent) error {
		paused, err := which(all, name)
		if err != nil {
			return err
		}
		for _, name := range paused {
			a := all[name]
			a.Paused = on
			all[name] = a
		}
		return nil
	})
}

// RemoveAgent forgets an agent with its key and its grant. Its calls stay. If it asks again, it waits
// for the person like a new one.
func (s *Service) RemoveAgent(ctx context.Context, name string) error {
	return s.changeAll(ctx, func(all map[string]Agent) error {
		a, err := needIn(all, name)
		delete(all, a.Name)
		return err
	})
}

func (s *Service) change(ctx context.Context, name string, change func(*Agent)) (a Agent, err error) {
	err = s.changeAll(ctx, func(all map[string]Agent) error {
		if a, err = needIn(all, name); err != nil {
			return err
		}
		change(&a)
		all[a.Name] = a
		return nil
	})
	return a, err
}

func (s *Service) changeAll(ctx context.Context, change func(map[string]Agent) error) error {
	err := s.lib.Write(ctx, func(e *library.Tx) error {
		all, err := agentsIn(e.VaultTx)
		if err != nil {
			return err
		}
		if err := change(all); err != nil {
			return err
		}
		return put(e, all)
	})
	if err == nil {
		s.lib.Emit(library.EventAgents, nil)
	}
	return err
}
