package agents

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"keepsake/backend/core/library"
	"keepsake/backend/core/rows"
	"keepsake/backend/fault"
	"keepsake/backend/format/personal"
	"keepsake/backend/memory"
	"keepsake/backend/vault"
)

// Agent is a program that asks the vault, under a name that it gave itself.
type Agent struct {
	Name     string      `json:"name"`
	Key      string      `json:"key"` // public key that it proves to have
	FirstAsk memory.Time `json:"first_asked"`
	State    State       `json:"state"`
	Paused   bool        `json:"paused,omitempty"`
	Grant    Grant       `json:"grant"`
	Proposed int         `json:"proposed,omitempty"` // memories and changes that it put into the Inbox
	Accepted int         `json:"accepted,omitempty"` // of these, also where that was undone later
}

// State is what the person said about an agent.
type State string

// States of an agent.
const (
	Pending State = "waiting" // the person has not answered yet
	Allowed State = "allowed"
	Refused State = "refused"
)

// Permission is something that an agent may do with the memories of its circle.
type Permission string

// Permissions of a grant.
const (
	Read    Permission = "read"
	Propose Permission = "propose" // to the Inbox
	Write   Permission = "write"   // at once, and undoable
	Delete  Permission = "delete"  // ask the person to forget
)

// Permissions lists the permissions, the weakest first.
func Permissions() []Permission { return []Permission{Read, Propose, Write, Delete} }

// Conversations is how much of conversations an agent may read.
type Conversations string

// Levels of Conversations.
const (
	NoConversations Conversations = "none"
	TitlesOnly      Conversations = "titles"
	AllOfThem       Conversations = "all"
)

// Grant is what an agent may do, and until when.
type Grant struct {
	Circle        string        `json:"circle"`                  // entity of the circle; "": none, so nothing may be read
	CircleNumber  uint64        `json:"circle_number,omitempty"` // of the circle's record: a later circle of this entity has another
	Permissions   []Permission  `json:"permissions"`
	Conversations Conversations `json:"conversations"`
	Memories      int           `json:"memories_an_hour"` // 0: no limit
	Bytes         int           `json:"bytes_an_hour"`    // of answers; 0: no limit
	Until         memory.Time   `json:"until,omitzero"`   // zero: until it is revoked
	Scope         Scope         `json:"scope,omitzero"`
	Unredacted    bool          `json:"unredacted,omitempty"` // e-mail addresses, numbers and keys are not hidden
}

// Scope narrows a circle: of each list that is not empty a memory must have one.
type Scope struct {
	Types     []string    `json:"types,omitempty"`
	Tags      []string    `json:"tags,omitempty"`
	Platforms []string    `json:"platforms,omitempty"`
	Projects  []string    `json:"projects,omitempty"`
	Since     memory.Time `json:"since,omitzero"` // of created_at
	Until     memory.Time `json:"until,omitzero"`

	categories []personal.Category // of a search in the words of the Personal Memory Specification
}

// isEmpty reports whether the scope narrows nothing.
func (s Scope) isEmpty() bool {
	return len(s.Types)+len(s.Tags)+len(s.Platforms)+len(s.Projects)+len(s.categories) == 0 && s.Since.IsZero() && s.Until.IsZero()
}

// Budget that a grant has unless the person says otherwise.
const (
	usualMemories = 500
	usualBytes    = 1 << 20
)

// DefaultGrant is what an agent is offered: to read and to propose within a circle.
func DefaultGrant(circle string) Grant {
	return Grant{Circle: circle, Permissions: []Permission{Read, Propose}, Conversations: NoConversations, Memories: usualMemories, Bytes: usualBytes}
}

// mostAgents bounds how many names may wait for an answer or have one.
const mostAgents = 100

// agentName is a name that can stand in a file of settings and in the log.
var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,39}$`)

// CleanName returns an agent's name in small letters.
func CleanName(name string) (string, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if !agentName.MatchString(name) || name == vault.You {
		return "", fault.New(fault.Invalid, "agent-name", "An agent cannot be called {name}: its name has small letters, digits, dots, hyphens and underscores, at most 40.").With("name", rows.ShortID(name))
	}
	return name, nil
}

// check refuses a grant with something that there is not.
func (g Grant) check() error {
	for _, p := range g.Permissions {
		if !slices.Contains(Permissions(), p) {
			return fault.New(fault.Invalid, "agent-permission", "There is no permission called {permission}.").With("permission", rows.ShortID(string(p))).
				Advise("There are read, propose, write and delete.")
		}
	}
	if !slices.Contains([]Conversations{NoConversations, TitlesOnly, AllOfThem}, g.Conversations) {
		return fault.New(fault.Invalid, "agent-conversations", "Of conversations an agent reads none, titles or all, not {level}.").With("level", rows.ShortID(string(g.Conversations)))
	}
	if g.Memories < 0 || g.Bytes < 0 {
		return fault.New(fault.Invalid, "agent-budget", "A budget is a number of memories and of bytes an hour, 0 for no limit.")
	}
	for _, t := range g.Scope.Types {
		if !slices.Contains(memory.Types(), memory.Type(t)) {
			return fault.New(fault.Invalid, "unknown-type", "There is no memory type called {type}.").With("type", rows.ShortID(t))
		}
	}
	return nil
}

// allows returns an error that says why an agent may not do something now; nil if it may.
func (a Agent) allows(p Permission, now memory.Time) error {
	switch {
	case a.State == Pending:
		return fault.New(fault.Refused, "agent-waiting", "{name} waits for permission.").With("name", a.Name).Advise("Open Keepsake and say what it may see, then ask again.")
	case a.State == Refused:
		return fault.New(fault.Refused, "agent-refused", "{name} was refused.").With("name", a.Name)
	case a.Paused:
		return fault.New(fault.Refused, "agent-paused", "Keepsake is paused for {name}.").With("name", a.Name)
	case !a.Grant.Until.IsZero() && now.Compare(a.Grant.Until) >= 0:
		return fault.New(fault.Refused, "agent-expired", "What {name} was allowed has ended.").With("name", a.Name).Advise("Allow it anew in Keepsake.")
	case !slices.Contains(a.Grant.Permissions, p):
		return fault.New(fault.Refused, "agent-not-permitted", "{name} has no permission for this, which is called {permission}.").With("name", a.Name).With("permission", string(p))
	}
	return nil
}

// settingID is the id of the setting with all agents, by name.
const settingID = "agents"

func agentsIn(tx *vault.Tx) (map[string]Agent, error) {
	all := map[string]Agent{}
	_, err := rows.FindJSON(tx, vault.Settings, settingID, "agents", &all)
	return all, err
}

func put(e *library.Tx, all map[string]Agent) error { return e.PutSetting(settingID, all) }

func need(tx *vault.Tx, name string) (Agent, error) {
	all, err := agentsIn(tx)
	if err != nil {
		return Agent{}, err
	}
	return needIn(all, name)
}

func needIn(all map[string]Agent, name string) (Agent, error) {
	a, ok := all[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return a, fault.New(fault.NotFound, "no-agent", "No agent called {name} has asked.").With("name", rows.ShortID(name)).
			Advise("keepsake agents list shows those that did.")
	}
	return a, nil
}

// which lists the names of one agent, or of all for "".
func which(all map[string]Agent, name string) ([]string, error) {
	if name == "" {
		return names(all), nil
	}
	a, err := needIn(all, name)
	return []string{a.Name}, err
}

func names(all map[string]Agent) []string { return slices.Sorted(maps.Keys(all)) }
