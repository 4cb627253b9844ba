package bridge

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"keepsake/app/clients"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// Clients is what a page may do with the settings of the assistants on this computer. It needs no
// vault. A page names an assistant and never a file.
type Clients struct {
	k    *kit
	plan clientPlan
}

// ClientView is an assistant that can be connected, and how it stands on this computer.
type ClientView struct {
	ID        string     `json:"id"` // and the name under which it asks
	Name      string     `json:"name"`
	File      string     `json:"file"`      // its settings; to be shown, never to be sent back
	Found     bool       `json:"found"`     // there are traces of it here
	Connected bool       `json:"connected"` // its settings start Keepsake
	Current   bool       `json:"current"`   // and this very one
	Hooks     bool       `json:"hooks"`     // it starts Keepsake at the turns of a session, too
	Problem   *FaultView `json:"problem"`   // why its settings cannot be changed
}

// ClientPlanView is what becomes of the settings of an assistant, file by file. Nothing is written yet.
type ClientPlanView struct {
	Token string           `json:"token"` // "": there is nothing to change
	Files []ClientFileView `json:"files"`
}

// ClientFileView is what becomes of one file.
type ClientFileView struct {
	File   string         `json:"file"`
	Exists bool           `json:"exists"` // the file is there, so that it is copied first
	Lines  []DiffLineView `json:"lines"`
}

// DiffLineView is a line of a text: "-" goes, "+" comes, " " stays.
type DiffLineView struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// ClientChangeView is what was written into a file. Backup is the path of the copy, "" where there was no file.
type ClientChangeView struct {
	File   string `json:"file"`
	Backup string `json:"backup"`
}

// clientPlan is the change that a person looks at: what is written must be what was shown. The rest
// of the file stays here, because it may hold secrets of other servers.
type clientPlan struct {
	mu    sync.Mutex
	token string
	plans []clients.Plan // one for each file that changes
}

func (p *clientPlan) put(plans []clients.Plan) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.plans = rand.Text(), plans
	return p.token
}

// take hands plans out once.
func (p *clientPlan) take(token string) ([]clients.Plan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token == "" || token != p.token {
		return nil, fault.New(fault.NotFound, "client-plan-gone", "This change is no longer at hand, so nothing was written.").
			Advise("Look at the change once more.")
	}
	plans := p.plans
	p.token, p.plans = "", nil
	return plans, nil
}

// List is every assistant that Keepsake knows how to connect.
func (c *Clients) List() ([]ClientView, error) {
	return call(c.k, func(context.Context) ([]ClientView, error) {
		places, err := clients.Here(os.Getenv)
		if err != nil {
			return nil, err
		}
		all, err := clients.Look(places, shownLast)
		return list(all, clientStatusView), err
	})
}

// shownLast is the vault of the entries: the one that the window shows, also once it shows another.
const shownLast = ""

func clientStatusView(s clients.Status) ClientView {
	view := ClientView{ID: s.Client.ID, Name: s.Client.Name, File: s.File, Found: s.Found, Connected: s.Connected, Current: s.Current, Hooks: s.Hooks}
	if s.Problem != nil {
		view.Problem = faultViewOrNil(fault.From(s.Problem))
	}
	return view
}

// PlanConnect shows what would let an assistant start Keepsake.
func (c *Clients) PlanConnect(id string) (ClientPlanView, error) {
	return c.planned(id, func(client clients.Client, p clients.Places) ([]clients.Plan, error) {
		entry, err := client.EntryHere(shownLast)
		if err != nil {
			return nil, err
		}
		plan, err := client.Connect(client.File(p), entry)
		return []clients.Plan{plan}, err
	})
}

// PlanDisconnect shows what would take Keepsake out of the settings of an assistant, hooks too.
func (c *Clients) PlanDisconnect(id string) (ClientPlanView, error) {
	return c.planned(id, clients.Client.DisconnectAll)
}

// PlanStopHooks shows what would take out the hooks alone.
func (c *Clients) PlanStopHooks(id string) (ClientPlanView, error) {
	return c.planned(id, clients.Client.DisconnectAllHooks)
}

func (c *Clients) planned(id string, plan func(clients.Client, clients.Places) ([]clients.Plan, error)) (ClientPlanView, error) {
	return call(c.k, func(context.Context) (ClientPlanView, error) {
		client, err := clients.Named(id)
		if err != nil {
			return ClientPlanView{}, err
		}
		places, err := clients.Here(os.Getenv)
		if err != nil {
			return ClientPlanView{}, err
		}
		plans, err := plan(client, places)
		if err != nil {
			return ClientPlanView{}, err
		}
		changes := slices.DeleteFunc(slices.Clone(plans), func(p clients.Plan) bool { return !p.Changes() })
		if len(changes) == 0 {
			return ClientPlanView{Files: list(plans[:min(1, len(plans))], clientFileView)}, nil
		}
		return ClientPlanView{c.plan.put(changes), list(changes, clientFileView)}, nil
	})
}

func clientFileView(p clients.Plan) ClientFileView {
	return ClientFileView{p.Path, p.Exists, list(p.Lines(), func(l clients.Line) DiffLineView { return DiffLineView(l) })}
}

// Write carries out the change that was shown.
func (c *Clients) Write(token string) ([]ClientChangeView, error) {
	return call(c.k, func(context.Context) ([]ClientChangeView, error) {
		plans, err := c.plan.take(token)
		if err != nil {
			return nil, err
		}
		var written []ClientChangeView
		for _, p := range plans {
			backup, err := p.Write()
			if err != nil {
				return nil, err
			}
			written = append(written, ClientChangeView{p.Path, backup})
		}
		return written, nil
	})
}

// Snippet is what to put into the settings of an assistant by hand: one that is known by its id, or
// another under a name.
func (c *Clients) Snippet(id, name string) (string, error) {
	return call(c.k, func(context.Context) (string, error) {
		client, err := clientOf(id, name)
		if err != nil {
			return "", err
		}
		entry, err := client.EntryHere(shownLast)
		return client.Snippet(entry), err
	})
}

func clientOf(id, name string) (clients.Client, error) {
	if id != "" {
		return clients.Named(id)
	}
	name, err := core.CleanAgentName(name)
	return clients.Other(name), err
}

// SaveBundle asks where to write the extension for Claude Desktop that starts this program.
func (c *Clients) SaveBundle() (SavedView, error) {
	return call(c.k, func(context.Context) (SavedView, error) {
		bundle, err := clients.BundleHere(core.Version)
		if err != nil {
			return SavedView{}, err
		}
		path, err := c.k.saveAs(clients.BundleName, filepath.Ext(clients.BundleName))
		if err != nil {
			return SavedView{}, err
		}
		if err := bundle.Save(path); err != nil {
			return SavedView{}, err
		}
		return c.k.saved(path, 0), nil
	})
}
