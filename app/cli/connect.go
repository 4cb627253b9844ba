package cli

import (
	"errors"
	"path/filepath"
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
			if o.snippet {
				snippet := client.Snippet(entry)
				return d.answer(map[string]string{"client": client.ID, "snippet": snippet}, func() { d.sayText(strings.TrimSpace(snippet)) })
			}
			return d.carryOut(client, o, "connect", func(path string) (clients.Plan, error) { return client.Connect(path, entry) })
		},
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.snippet, "snippet", false, "print what to put into the settings by hand")
	cmd.MarkFlagsMutuallyExclusive("snippet", "dry-run")
	return cmd
}

func (d *door) agentsDisconnect() *cobra.Command {
	var o connecting
	cmd := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Take Keepsake out of the settings of an assistant",
		Long: "Takes out what agents connect wrote, after the change was shown. What the assistant may see stays as it is: agents remove\n" +
			"forgets that.",
		Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			client, err := clients.Named(args[0])
			if err != nil {
				return err
			}
			return d.carryOut(client, o, "disconnect", client.Disconnect)
		},
	}
	o.register(cmd)
	return cmd
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
	Client    string         `json:"client"`
	File      string         `json:"file"`
	Connected bool           `json:"connected"`
	Changed   bool           `json:"changed"`
	DryRun    bool           `json:"dry_run,omitempty"`
	Backup    string         `json:"backup,omitempty"`
	Lines     []clients.Line `json:"lines"`
}

// carryOut shows what a plan changes in the file of a client, asks, and writes it.
func (d *door) carryOut(client clients.Client, o connecting, verb string, plan func(path string) (clients.Plan, error)) error {
	path, err := d.clientFile(client, o.file)
	if err != nil {
		return err
	}
	p, err := plan(path)
	if err != nil {
		return reading(err)
	}
	view := connectView{Client: client.ID, File: p.Path, Connected: verb == "connect", Changed: p.Changes(), DryRun: o.dryRun, Lines: append([]clients.Line{}, p.Lines()...)}
	if !p.Changes() || o.dryRun {
		return d.answer(view, func() {
			d.sayLines(d.say, p)
			d.sayIf(!p.Changes(), "%s is %s already: %s", client.Name, verb+"ed", p.Path)
		})
	}
	if !o.yes {
		d.sayLines(d.note, p)
		if err := d.confirmed(verb); err != nil {
			return err
		}
	}
	view.Backup, err = p.Write()
	return d.answerUnless(err, view, func() {
		d.say("%s is %s: %s", client.Name, verb+"ed", p.Path)
		d.sayIf(view.Backup != "", "The file as it was: %s", view.Backup)
		d.sayIf(view.Connected, "Start %s anew. What it may see is asked in the window when it asks for the first time, or said by keepsake agents allow %s.", client.Name, client.ID)
	})
}

// clientFile is the file that was named, or the usual one of a client.
func (d *door) clientFile(client clients.Client, named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	places, err := clients.Here(d.env.Getenv)
	return client.File(places), err
}

// sayLines shows what a plan changes.
func (d *door) sayLines(say func(string, ...any), p clients.Plan) {
	if p.Changes() {
		say("%s:", p.Path)
	}
	for _, l := range p.Lines() {
		say("%s %s", l.Op, l.Text)
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
	Current   bool   `json:"current"` // it starts this program, for this vault
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
		all[i] = clientView{Client: s.Client.ID, Name: s.Client.Name, File: s.File, Found: s.Found, Exists: s.Exists, Connected: s.Connected, Current: s.Current}
		if s.Problem != nil {
			all[i].Problem = fault.From(s.Problem).Message()
		}
	}
	return d.answer(all, func() {
		for _, v := range all {
			d.say("%s (%s): %s", v.Name, v.Client, v.state())
			d.say("  %s", v.File)
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
