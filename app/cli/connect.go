package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"keepsake/app/clients"
	"keepsake/backend/fault"
)

// connecting is what connect and disconnect are told.
type connecting struct {
	file    string
	dryRun  bool
	yes     bool
	snippet bool
	hooks   bool
}

func (o *connecting) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.file, "file", "", "file of the assistant, where it is not the usual one")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would change, write nothing")
	flags.BoolVar(&o.yes, "yes", false, "do it without asking")
}

func (d *door) agentsConnect() *cobra.Command {
	var o connecting
	cmd := &cobra.Command{
		Use:   "connect [CLIENT]",
		Short: "Let an assistant start Keepsake, or list the assistants that can be connected",
		Long: "Writes into the settings of an assistant that it starts keepsake mcp. The change is shown first, and the file as it was\n" +
			"is copied beside it. What else stands in the file stays as it is, with comments, order and indentation. Close the assistant\n" +
			"before: it may write its settings again as it had read them. What it may see is asked when it asks for the first time.\n" +
			"Without CLIENT, says which assistants can be connected.",
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				if o != (connecting{}) {
					return usageError{errors.New("name the assistant to connect")}
				}
				return d.listClients()
			}
			client, entry, err := d.clientNamed(args[0])
			if err != nil {
				return err
			}
			if o.hooks {
				return d.connectWithHooks(client, entry, o)
			}
			if o.snippet {
				return d.saySnippet(client, client.Snippet(entry))
			}
			plan, err := d.planned(client, o.file, entry)
			return d.carryOut(client, o, "connect", err, plan)
		},
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.snippet, "snippet", false, "print what to put into the settings by hand")
	cmd.Flags().BoolVar(&o.hooks, "hooks", false, "let it hand over its sessions too, and begin with what it may know (claude-code)")
	cmd.MarkFlagsMutuallyExclusive("snippet", "dry-run")
	cmd.MarkFlagsMutuallyExclusive("hooks", "file")
	return cmd
}

// connectWithHooks connects a client, and writes into its settings that it starts keepsake hook.
func (d *door) connectWithHooks(client clients.Client, entry clients.Entry, o connecting) error {
	path, err := d.hooksFile(client)
	if err != nil {
		return err
	}
	if path == "" {
		return noHooks(client)
	}
	command, err := client.HookCommand(entry.Command, d.vaultNamed())
	if err != nil {
		return err
	}
	if o.snippet {
		return d.saySnippet(client, client.HooksSnippet(command))
	}
	server, err := d.planned(client, o.file, entry)
	if err != nil {
		return reading(err)
	}
	hooks, err := client.ConnectHooks(path, command)
	return d.carryOut(client, o, "connect", err, server, hooks)
}

func noHooks(client clients.Client) error {
	return fault.New(fault.Unsupported, "client-no-hooks", "Keepsake does not write hooks into the settings of {client}.").With("client", client.Name).
		Advise("docs/agents.md says which hooks to put in by hand.")
}

func (d *door) saySnippet(client clients.Client, snippet string) error {
	return d.answer(map[string]string{"client": client.ID, "snippet": snippet}, func() { d.sayText(strings.TrimSpace(snippet)) })
}

// planned is what connects a client.
func (d *door) planned(client clients.Client, file string, entry clients.Entry) (clients.Plan, error) {
	path, err := d.clientFile(client, file)
	if err != nil {
		return clients.Plan{}, err
	}
	return client.Connect(path, entry)
}

// hooksFile is where a client keeps its hooks, "" of one whose hooks Keepsake does not write.
func (d *door) hooksFile(client clients.Client) (string, error) {
	places, err := clients.Here(d.env.Getenv)
	return client.HooksFile(places), err
}

func (d *door) agentsDisconnect() *cobra.Command {
	var o connecting
	cmd := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Take Keepsake out of the settings of an assistant",
		Long: "Takes out what agents connect wrote, hooks too, after the change was shown. What the assistant may see stays as it is:\n" +
			"agents remove forgets that.",
		Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := clients.Named(args[0])
			if err != nil {
				return err
			}
			plans, err := d.disconnecting(client, o)
			return d.carryOut(client, o, "disconnect", err, plans...)
		},
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.hooks, "hooks", false, "take out the hooks alone")
	cmd.MarkFlagsMutuallyExclusive("hooks", "file")
	return cmd
}

// disconnecting are the plans that take Keepsake out of the files of a client.
func (d *door) disconnecting(client clients.Client, o connecting) ([]clients.Plan, error) {
	if o.file != "" {
		path, err := filepath.Abs(o.file)
		if err != nil {
			return nil, err
		}
		plan, err := client.Disconnect(path)
		return []clients.Plan{plan}, err
	}
	places, err := clients.Here(d.env.Getenv)
	if err != nil {
		return nil, err
	}
	if o.hooks && client.HooksFile(places) == "" {
		return nil, noHooks(client)
	}
	if o.hooks {
		return client.DisconnectAllHooks(places)
	}
	return client.DisconnectAll(places)
}

// clientNamed is a client, and how it is to start Keepsake for the vault that was named.
func (d *door) clientNamed(id string) (clients.Client, clients.Entry, error) {
	client, err := clients.Named(id)
	if err != nil {
		return client, clients.Entry{}, err
	}
	entry, err := client.EntryHere(d.vaultNamed())
	return client, entry, err
}

// connectView is the JSON of connect and disconnect.
type connectView struct {
	Client    string `json:"client"`
	Connected bool   `json:"connected"`
	DryRun    bool   `json:"dry_run,omitempty"`
	changeView
	Hooks *changeView `json:"hooks,omitempty"`
}

// changeView is what becomes of one file.
type changeView struct {
	File    string         `json:"file"`
	Changed bool           `json:"changed"`
	Backup  string         `json:"backup,omitempty"`
	Lines   []clients.Line `json:"lines"`
}

// viewOf is what plans change: that of the servers first, that of the hooks behind it.
func viewOf(client clients.Client, verb string, dryRun bool, plans []clients.Plan) connectView {
	view := connectView{Client: client.ID, Connected: verb == "connect", DryRun: dryRun}
	for i, p := range plans {
		change := changeView{File: p.Path, Changed: p.Changes(), Lines: append([]clients.Line{}, p.Lines()...)}
		if i == 0 {
			view.changeView = change
		} else {
			view.Hooks = &change
		}
	}
	return view
}

// carryOut shows what plans change in the files of a client, asks, and writes them. err is why they
// could not be made.
func (d *door) carryOut(client clients.Client, o connecting, verb string, err error, plans ...clients.Plan) error {
	if err != nil {
		return reading(err)
	}
	view := viewOf(client, verb, o.dryRun, plans)
	changes := slices.ContainsFunc(plans, clients.Plan.Changes)
	if !changes || o.dryRun {
		return d.answer(view, func() {
			d.sayLines(d.say, plans)
			d.sayIf(!changes, "%s is %s already: %s", client.Name, verb+"ed", plans[0].Path)
		})
	}
	if !o.yes {
		d.sayLines(d.note, plans)
		if err := d.confirmed(verb); err != nil {
			return err
		}
	}
	for i, p := range plans {
		if !p.Changes() {
			continue
		}
		backup, err := p.Write()
		if err != nil {
			return err
		}
		if i == 0 {
			view.Backup = backup
		} else {
			view.Hooks.Backup = backup
		}
	}
	return d.answer(view, func() { d.sayWritten(client, verb, view) })
}

// sayWritten tells what was written.
func (d *door) sayWritten(client clients.Client, verb string, view connectView) {
	d.say("%s is %s: %s", client.Name, verb+"ed", view.File)
	d.sayIf(view.Backup != "", "The file as it was: %s", view.Backup)
	if h := view.Hooks; h != nil && h.Changed {
		d.say("Its hooks: %s", h.File)
		d.sayIf(h.Backup != "", "The file as it was: %s", h.Backup)
	}
	d.sayIf(view.Connected, "Start %s anew. What it may see is asked in the window when it asks for the first time, or said by keepsake agents allow %s.", client.Name, client.ID)
}

// clientFile is the file that was named, or the usual one of a client.
func (d *door) clientFile(client clients.Client, named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	places, err := clients.Here(d.env.Getenv)
	return client.File(places), err
}

// sayLines shows what plans change.
func (d *door) sayLines(say func(string, ...any), plans []clients.Plan) {
	for _, p := range plans {
		if p.Changes() {
			say("%s:", p.Path)
		}
		for _, l := range p.Lines() {
			say("%s %s", l.Op, l.Text)
		}
	}
}

// clientView is an assistant in the list of those that can be connected.
type clientView struct {
	Client    string `json:"client"`
	Name      string `json:"name"`
	File      string `json:"file"`
	Found     bool   `json:"found"` // there are traces of it on this computer
	Exists    bool   `json:"exists"`
	Connected bool   `json:"connected"`
	Current   bool   `json:"current"`         // it starts this program, for this vault
	Hooks     bool   `json:"hooks,omitempty"` // it hands over its sessions
	Problem   string `json:"problem,omitempty"`
}

func (d *door) listClients() error {
	places, err := clients.Here(d.env.Getenv)
	if err != nil {
		return err
	}
	found, err := clients.Look(places, d.vaultNamed())
	if err != nil {
		return err
	}
	all := make([]clientView, len(found))
	for i, s := range found {
		all[i] = clientView{Client: s.Client.ID, Name: s.Client.Name, File: s.File, Found: s.Found, Exists: s.Exists, Connected: s.Connected, Current: s.Current, Hooks: s.Hooks}
		if s.Problem != nil {
			all[i].Problem = fault.From(s.Problem).Message()
		}
	}
	return d.answer(all, func() {
		for _, v := range all {
			d.say("%s (%s): %s", v.Name, v.Client, v.state())
			d.say("  %s", v.File)
			d.sayIf(v.Hooks, "  hands over its sessions, and begins with what it may know")
		}
	})
}

func (v clientView) state() string {
	switch {
	case v.Problem != "":
		return v.Problem
	case v.Current:
		return "connected"
	case v.Connected:
		return "connected, but to another program or vault; keepsake agents connect " + v.Client + " changes that"
	case v.Exists:
		return "not connected"
	}
	if v.Found {
		return "not connected, and without settings"
	}
	return "not found on this computer"
}
