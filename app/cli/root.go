package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"keepsake/app/terminal"
	"keepsake/backend/core"
	"keepsake/backend/product"
)

// Env is everything a command touches of the world around it.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// NewService builds a Service on a vault folder; "" means the platform's own.
	NewService func(vaultDir string) (*core.Service, error)
	// Serve shows the window to a browser on this machine until ctx ends.
	Serve func(ctx context.Context, svc *core.Service, addr string, out io.Writer) error
	// AnswerAgents answers agents that ask for the vault of svc until ctx ends; answering is called once they can.
	AnswerAgents func(ctx context.Context, svc *core.Service, answering func()) error
	// ServeMCP lets an agent ask the owner of a vault, by MCP on in and out, until in ends.
	ServeMCP func(ctx context.Context, a Assistant, in io.ReadCloser, out io.Writer) error
	// ServeMCPOverHTTP does the same over HTTP on the loopback address addr until ctx ends. It writes the URL
	// and the path of the token's file to out.
	ServeMCPOverHTTP func(ctx context.Context, a Assistant, addr string, out io.Writer) error
	// RunHook does what an assistant started a hook for. out is for the assistant, and the line, if it
	// is not "", says what became of it.
	RunHook func(ctx context.Context, vaultDir, assistant string, event []byte) (out []byte, line string)
	// Owner reaches the process that has a vault open.
	Owner Owner
	// Opened is set in that process, where the command is another one's: its vault is open, and stays so.
	Opened *core.Service
}

// Assistant asks the owner of a vault.
type Assistant struct {
	VaultDir string   // "": the vault that was shown last
	Name     string   // under which it asks
	Tools    []string // that it is shown; nil: the usual ones
}

// door is one run of one command.
type door struct {
	env      Env
	vaultDir string
	json     bool
	progress string
	pass     passphraseFlags
	svc      *core.Service
	args     []string
	command  *cobra.Command // whose own code was reached
	tellsKDF bool           // the answer itself says that the vault is weak

	stdinTaken bool     // something is read from standard input already
	input      []byte   // what a command read from there that is no secret
	passing    *passing // what -o - writes, nil where a file was named
}

// Run carries out one command and returns its exit code.
func Run(ctx context.Context, args []string, env Env) int {
	d := &door{env: env, args: args}
	root := d.root()
	if cmd, _, _ := root.Find(args); d.refuseOthers(cmd) != nil {
		d.json = wantsJSON(args)
		return d.finish(d.refuseOthers(cmd))
	}
	root.SetArgs(completable(args))
	root.SetIn(env.Stdin)
	root.SetOut(terminal.Writer(env.Stdout))
	root.SetErr(terminal.Writer(env.Stderr))
	cmd, err := executed(ctx, root)
	d.passing.remove()
	if err != nil && d.command == nil {
		d.json = d.json || wantsJSON(args)
		err = usageError{inWords(cmd, err)}
	}
	if d.svc != nil && env.Opened == nil {
		if closing := d.svc.Close(); err == nil {
			err = closing
		}
	}
	return d.finish(d.stoppedByLock(err))
}

// executed runs the command. A panic becomes an error: in the owner it would end the process that
// has the vault open, and its value may be of what the person keeps.
func executed(ctx context.Context, root *cobra.Command) (cmd *cobra.Command, err error) {
	defer func() {
		if p := recover(); p != nil {
			cmd, err = root, fmt.Errorf("panic of type %T", p)
		}
	}()
	return root.ExecuteContextC(ctx)
}

// completable makes what a shell asks to be completed printable: cobra prints what it
// cannot read of that to os.Stderr, past every writer it was given.
func completable(args []string) []string {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return args
	}
	plain := make([]string, len(args))
	for i, arg := range args {
		plain[i] = terminal.Sentence("%s", arg)
	}
	return plain
}

// IsCommand reports whether args ask for a command rather than for the window:
// the first of them is a command's name or a flag.
func IsCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if args[0] != "" && args[0][0] == '-' {
		return true
	}
	names := []string{"help", "completion"}
	for _, c := range (&door{}).root().Commands() {
		names = append(names, c.Name())
	}
	return slices.Contains(names, args[0])
}

// Commands is the tree of all commands, for the manual pages; none of them can be run.
func Commands() *cobra.Command {
	root := (&door{}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

func (d *door) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           product.Program,
		Short:         "Own what AI assistants remember about you",
		Long:          "Keepsake reads the exports of AI assistants into an encrypted vault on your own disk,\nlets you correct what they remember, and gives it back as signed Portable AI Memory.\nWithout a command it opens the window.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case version:
				return d.sayVersion()
			case d.json:
				return usageError{errors.New("name a command")}
			}
			return cmd.Help()
		},
	}
	root.SetHelpCommand(helpCommand())
	root.SetFlagErrorFunc(wrongFlag)
	root.Flags().BoolVar(&version, "version", false, "print the version")
	flags := root.PersistentFlags()
	flags.StringVar(&d.vaultDir, "vault", "", "folder of the vault; without it KEEPSAKE_VAULT names it, without both it is in the platform's data folder")
	flags.BoolVar(&d.json, "json", false, "one JSON document on standard output, nothing else there")
	flags.StringVar(&d.progress, "progress", "", `"json" writes progress as one JSON object a line to standard error`)
	d.pass.register(flags)
	d.pass.exclude(root)
	root.AddCommand(
		d.initCommand(), d.status(), d.version(),
		d.passphraseCommand(), d.recovery(), d.keychain(), d.rotate(), d.rekey(),
		d.importCommand(), d.imports(), d.detect(), d.convert(),
		d.portrait(), d.list(), d.search(), d.retrieve(), d.similar(), d.review(), d.topics(), d.sensitive(), d.index(), d.settings(), d.show(), d.add(), d.edit(),
		d.setStatus(), d.shortStatus("retract"), d.shortStatus("archive"), d.supersede(), d.split(),
		d.relate(), d.unrelate(), d.undo(), d.undoStatus(), d.undoImport(), d.reread(), d.history(), d.insights(),
		d.propose(), d.accept(), d.reject(), d.mergeProposal(),
		d.export(), d.exports(), d.handoff(), d.kept(), d.circles(), d.todos(), d.types(), d.forget(), d.destroy(),
		d.check(), d.compact(), d.compaction(), d.report(), d.backup(), d.restore(), d.audit(), d.receipts(), d.freeze(true), d.freeze(false),
		d.validate(), d.verify(), d.inspect(), d.keygen(), d.sign(), d.merge(), d.diff(), d.keys(), d.hash(), d.canonicalize(),
		d.agents(), d.agent(), d.mcp(), d.hook(), d.watch(),
		d.demo(), d.serve(), d.bench(), d.benchChild(),
	)
	d.markRunning(root)
	takeOnce(root)
	return root
}

// markRunning lets finish tell wrong use, which cobra finds before a command
// runs, from what the command itself came back with.
func (d *door) markRunning(cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(c *cobra.Command, args []string) error {
			d.command = c
			if err := cmp.Or(refuseEmpty(c), d.refuseOthers(c)); err != nil {
				return err
			}
			return run(c, args)
		}
	}
	for _, sub := range cmd.Commands() {
		d.markRunning(sub)
	}
}
