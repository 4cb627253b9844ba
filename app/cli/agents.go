package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"keepsake/app/terminal"
	"keepsake/backend/core"
	"keepsake/backend/memory"
)

func (d *door) agents() *cobra.Command {
	return parent("agents", "Say which programs may ask for which memories",
		d.agentsConnect(), d.agentsDisconnect(),
		d.agentsList(), d.agentsAllow(), d.agentsRefuse(), d.agentsPause(true), d.agentsPause(false), d.agentsRemove(), d.agentsDecline(), d.agentsLog())
}

func (d *door) agentsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agents that asked, what they may, and what they were given",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			all, err := svc.Agents(ctx)
			return d.answerUnless(err, all, func() {
				for _, a := range all {
					d.sayAgent(a)
				}
				d.sayIf(len(all) == 0, "No agent has asked. keepsake mcp --client NAME is what an assistant starts to ask.")
			})
		}),
	}
}

func (d *door) sayAgent(a core.ListedAgent) {
	state := string(a.State)
	if a.Paused {
		state += ", paused"
	}
	d.say("%s (%s): %s, %s given, %d refused", a.Name, state, count(a.Calls, "call", "calls"), count(a.Memories, "memory", "memories"), a.Refused)
	d.sayIf(a.Proposed > 0, "  proposed %s, %d accepted", count(a.Proposed, "memory or change", "memories and changes"), a.Accepted)
	for _, r := range a.Forgets {
		d.say("  asks to forget %s: keepsake forget --confirm %s, or keepsake agents decline %s", count(len(r.IDs), "memory", "memories"), r.Token, r.Token)
	}
	if len(a.Grant.Permissions) == 0 {
		return
	}
	circle := "but has no circle: agents allow names one"
	if a.Grant.Circle != "" {
		circle = "of the circle " + oneLine(a.CircleName, 80)
	}
	d.say("  may %s %s; conversations: %s", listed(a.Grant.Permissions), circle, a.Grant.Conversations)
	d.say("  an hour at most: %s", budget(a.Grant))
	d.sayIf(!a.Grant.Until.IsZero(), "  until %s", a.Grant.Until)
	d.sayIf(a.Grant.Unredacted, "  e-mail addresses, numbers and keys are not hidden from it")
}

func budget(g core.AgentGrant) string {
	most := "any number of memories"
	if g.Memories > 0 {
		most = count(g.Memories, "memory", "memories")
	}
	if g.Bytes > 0 {
		most += ", " + grouped(g.Bytes) + " bytes"
	}
	return most
}

func (d *door) agentsAllow() *cobra.Command {
	var may []string
	var talks, until string
	g := core.DefaultAgentGrant("")
	cmd := &cobra.Command{
		Use:   "allow NAME",
		Short: "Let an agent ask, in place of what it was allowed before",
		Long: "An agent sees what of one circle leaves (circles show says what that is), and nothing without a circle. What it proposes,\n" +
			"new memories and changes, waits in the Inbox (list proposals, review changes); with write it changes memories at once, which\n" +
			"undo takes back. E-mail addresses, numbers and keys in memories are hidden from it.",
		Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.Permissions, g.Conversations = typed[core.AgentPermission](may), core.AgentConversations(talks)
			if until != "" {
				at, err := time.ParseInLocation(time.DateOnly, until, time.Local)
				if err != nil {
					return usageError{errors.New("--until takes a date such as 2027-01-31")}
				}
				g.Until = memory.At(at)
			}
			svc, err := d.unlocked(cmd.Context())
			if err != nil {
				return err
			}
			a, err := svc.AllowAgent(cmd.Context(), args[0], g)
			return d.answerUnless(err, a, func() { d.say("%s may %s.", a.Name, listed(a.Grant.Permissions)) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&g.Circle, "circle", "", "the circle that it sees")
	flags.StringSliceVar(&may, "may", []string{"read", "propose"}, "what it may: "+listed(core.AgentPermissions()))
	flags.StringVar(&talks, "conversations", string(core.AgentNoConversations), "how much of conversations it reads: none, titles or all")
	flags.IntVar(&g.Memories, "memories", g.Memories, "most memories that it is given in an hour, 0 for no limit")
	flags.IntVar(&g.Bytes, "bytes", g.Bytes, "most bytes that its answers have in an hour, 0 for no limit")
	flags.StringVar(&until, "until", "", "date from which it may nothing, such as 2027-01-31")
	flags.BoolVar(&g.Unredacted, "unredacted", false, "do not hide e-mail addresses, numbers and keys in memories")
	flags.StringSliceVar(&g.Scope.Types, "type", nil, "of the circle only these types: "+listed(memory.Types()))
	flags.StringSliceVar(&g.Scope.Tags, "tag", nil, "of the circle only memories with a tag")
	flags.StringSliceVar(&g.Scope.Platforms, "platform", nil, "of the circle only memories from a platform")
	flags.StringSliceVar(&g.Scope.Projects, "project", nil, "of the circle only memories of a project")
	return cmd
}

func (d *door) agentsRefuse() *cobra.Command {
	return &cobra.Command{
		Use:   "refuse NAME",
		Short: "Let an agent ask for nothing, also if it was allowed before",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			a, err := svc.RefuseAgent(ctx, args[0])
			return d.answerUnless(err, a, func() { d.say("%s is refused from now on.", a.Name) })
		}),
	}
}

func (d *door) agentsPause(on bool) *cobra.Command {
	use, short, said := "pause [NAME]", "Refuse what an agent, or all, ask for until they may go on", "Paused."
	if !on {
		use, short, said = "resume [NAME]", "Answer an agent, or all, again", "Not paused any more."
	}
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MaximumNArgs(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return d.answerUnless(svc.PauseAgents(ctx, name, on), struct{}{}, func() { d.say("%s", said) })
		}),
	}
}

func (d *door) agentsRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget an agent and what it may; if it asks again, it waits like a new one",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			return d.answerUnless(svc.RemoveAgent(ctx, args[0]), struct{}{}, func() { d.say("Removed. What it was given stays in agents log.") })
		}),
	}
}

func (d *door) agentsDecline() *cobra.Command {
	return &cobra.Command{
		Use:   "decline TOKEN",
		Short: "Keep what an agent asked to have forgotten",
		Args:  exactly(1),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, args []string) error {
			return d.answerUnless(svc.DeclineForget(ctx, args[0]), struct{}{}, func() { d.say("Declined. The memories stay.") })
		}),
	}
}

func (d *door) agentsLog() *cobra.Command {
	var q core.AgentCallQuery
	var dates selection
	var call uint64
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List what agents asked for, the newest first, or the memories that were in one answer",
		Args:  exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			if call != 0 {
				given, err := svc.AgentCallGave(ctx, call)
				return d.answerUnless(err, given, func() {
					for _, m := range given.Memories {
						d.say("%s  %s", m.ID, oneLine(m.Content, 120))
					}
					d.say("%s of %s shown.", grouped(len(given.Memories)), count(given.Total, "memory", "memories"))
					d.sayIf(given.Gone > 0, "%s of that answer left the vault since.", count(given.Gone, "memory", "memories"))
				})
			}
			since, until, err := dates.span()
			if err != nil {
				return err
			}
			q.Since, q.Until = memory.At(since), memory.At(until)
			page, err := svc.AgentCalls(ctx, q)
			return d.answerUnless(err, page, func() {
				for _, c := range page.Items {
					outcome := count(c.Memories, "memory", "memories") + ", " + grouped(c.Bytes) + " bytes"
					if c.Refused != "" {
						outcome = "refused: " + c.Refused
					}
					d.say("%d  %s  %s  %s: %s", c.Number, c.At, c.Agent, c.Tool, outcome)
				}
				d.say("%s of %s shown.", grouped(len(page.Items)), count(page.Total, "call", "calls"))
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&q.Agent, "agent", "", "only those of one agent")
	flags.StringVar(&q.Memory, "memory", "", "only those in whose answer a memory was, by its id")
	flags.StringVar(&q.Tool, "tool", "", "only those of one tool, such as get_memory")
	flags.StringVar((*string)(&q.Outcome), "outcome", "", "only those that were answered, or only those that were refused")
	flags.StringVar(&dates.since, "since", "", "on or after this day (2026-11-21) or time")
	flags.StringVar(&dates.until, "until", "", "on or before this day (2026-11-21) or before this time")
	flags.IntVar(&q.Limit, "limit", 100, "at most so many")
	flags.IntVar(&q.Offset, "offset", 0, "leave out so many of the newest")
	flags.Uint64Var(&call, "call", 0, "list the memories in the answer to the call with this number")
	for _, narrows := range []string{"agent", "memory", "tool", "outcome", "since", "until", "limit", "offset"} {
		cmd.MarkFlagsMutuallyExclusive("call", narrows)
	}
	return cmd
}

// agent answers assistants without a window.
func (d *door) agent() *cobra.Command {
	return &cobra.Command{
		Use:   "agent",
		Short: "Answer assistants that ask for memories, until Ctrl+C",
		Long: "Unlocks the vault and answers what assistants ask through keepsake mcp, as the open window does. keepsake agents says which\n" +
			"of them may ask for what.",
		Args: exactly(0),
		RunE: d.onVault(func(ctx context.Context, svc *core.Service, _ []string) error {
			return d.env.AnswerAgents(ctx, svc, func() { d.note("Answering assistants. Ctrl+C ends it.") })
		}),
	}
}

// mcp is what an assistant starts.
func (d *door) mcp() *cobra.Command {
	var as, addr string
	var write bool
	var a Assistant
	cmd := &cobra.Command{
		Use:   "mcp --client NAME",
		Short: "Let an assistant ask for memories by the Model Context Protocol",
		Long: "This is what an assistant starts, with its settings, not a person. It speaks the Model Context Protocol on standard input\n" +
			"and output, and asks the open window, keepsake serve or keepsake agent. It never opens the vault itself, and takes no\n" +
			"passphrase. What an assistant may ask for is said in the window, or by keepsake agents.\n\n" +
			"An assistant that cannot start programs asks over HTTP: --http 127.0.0.1:8765 answers there, until Ctrl+C, who sends the\n" +
			"token of this assistant. It is in a file that only this account can read; where, is printed.",
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if write {
				return usageError{errors.New("--allow-write is no switch of the assistant: keepsake agents allow says what it may")}
			}
			if a.Name = cmp.Or(a.Name, as); a.Name == "" {
				return usageError{errors.New("name the assistant with --client")}
			}
			a.VaultDir = d.vaultNamed()
			if addr != "" {
				return d.env.ServeMCPOverHTTP(cmd.Context(), a, addr, terminal.Writer(d.env.Stderr))
			}
			in, ok := d.env.Stdin.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(d.env.Stdin)
			}
			return d.env.ServeMCP(cmd.Context(), a, in, d.env.Stdout)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&a.Name, "client", "", "name of the assistant: small letters, digits, dots, hyphens and underscores")
	flags.StringVar(&addr, "http", "", "answer over HTTP at this address instead; loopback only")
	flags.StringSliceVar(&a.Tools, "only", nil, "show the assistant only these tools; search, fetch, store_memory and retrieve_memory are shown only so")
	flags.StringVar(&as, "as", "", "the same as --client")
	flags.BoolVar(&write, "allow-write", false, "")
	_ = flags.MarkHidden("as")
	_ = flags.MarkHidden("allow-write")
	return cmd
}
