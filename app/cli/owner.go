package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/app/terminal"
	"keepsake/backend/core"
	"keepsake/backend/fault"
)

// A command whose vault another process has open goes through that process, its owner: it reads
// the secret and derives the key of a channel from it, by which the owner sees that it may, and
// the owner runs the command with its own Service. docs/agents.md has the protocol.

// Owner is how a command reaches the process that has a vault open.
type Owner struct {
	// Answers reports whether a process answers commands for the vault in a folder.
	Answers func(vaultDir string) (bool, error)
	// Run has it run a command and returns its exit code.
	Run func(ctx context.Context, vaultDir string, key *core.ChannelKey, c OwnerCommand) (exit int, err error)
}

// OwnerCommand is a command for the owner, and where it writes.
type OwnerCommand struct {
	Args           []string
	Input          []byte // what it read from standard input
	Stdout, Stderr io.Writer
}

// ownerCommands are the commands that the owner runs for another process, each with the flags with
// which it does not. None of these opens a file that it is given, asks a question or needs the vault for itself.
func ownerCommands() map[string][]string {
	return map[string][]string{
		"status": nil, "portrait": nil, "list": nil, "show": nil, "search": nil, "retrieve": nil, "similar": nil, "topics": nil,
		"history": nil, "insights": nil, "report": nil, "audit": nil, "receipts": nil, "imports": nil, "exports": nil,
		"index": nil, "index update": nil,

		"add": nil, "edit": nil, "set-status": nil, "retract": nil, "archive": nil, "supersede": nil, "split": nil, "undo-status": nil,
		"relate": nil, "unrelate": nil, "undo": nil,
		"propose on": nil, "propose off": nil, "propose look": nil, "accept": nil, "reject": nil, "merge-proposal": nil,

		"review": nil, "review pass": nil, "review merge": nil, "review changes": nil,
		"review portrait": nil, "review true": nil, "review wrong": nil, "review ended": nil, "review move": nil, "review asked": nil,
		"sensitive list": nil, "sensitive mark": nil,
		"compaction plan": nil, "compaction apply": nil, "compaction limits": nil,
		"types list": nil, "types describe": nil, "types forget": nil,
		"todos list": nil, "todos add": nil, "todos edit": nil, "todos done": nil, "todos remove": nil,

		"handoff": {"out", "keep"}, "handoff targets": nil, "handoff rules": nil,
		"circles list": nil, "circles show": nil, "circles make": nil, "circles edit": nil, "circles delete": nil, "circles add": nil, "circles remove": nil,
		"circles give": nil, "circles take": nil, "circles fill": nil, "circles confirm": nil, "circles history": nil, "circles of": nil,
		"agents list": nil, "agents allow": nil, "agents refuse": nil, "agents pause": nil, "agents resume": nil, "agents remove": nil, "agents decline": nil, "agents log": nil,
		"watch list": nil, "watch add": nil, "watch stop": nil, "watch pass": nil,
	}
}

// OwnerCommands are the names of the commands that the owner runs for another process.
func OwnerCommands() []string { return slices.Sorted(maps.Keys(ownerCommands())) }

// goesThroughOwner reports whether the owner runs a command with the flags that it was given.
func goesThroughOwner(cmd *cobra.Command) bool {
	if cmd == nil || !cmd.HasParent() {
		return false
	}
	without, listed := ownerCommands()[strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")]
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) && !slices.Contains([]string{"", stdoutName}, f.Value.String()) {
			listed = false
		}
	})
	return listed
}

// refuseOthers refuses, in the owner, what is none of its commands: who asks need not have looked.
func (d *door) refuseOthers(cmd *cobra.Command) error {
	if d.env.Opened == nil || goesThroughOwner(cmd) {
		return nil
	}
	return fault.New(fault.Busy, "not-through-owner", "This command is not run by the Keepsake that has the vault open.").
		Advise("Lock the vault or close it there, then try again.")
}

// viaOwner has the owner of the vault run the command where the vault did not open because it is
// open there.
func (d *door) viaOwner(ctx context.Context, svc *core.Service, secret core.Secret, busy error) error {
	if fault.CodeOf(busy) != fault.Busy {
		return busy
	}
	dir, err := d.ownersVault(ctx, svc, busy)
	if err != nil {
		return err
	}
	key, err := svc.DeriveChannelKey(ctx, secret)
	if err != nil {
		return mistyped(secret, err)
	}
	defer clear(key[:])
	exit, err := d.env.Owner.Run(ctx, dir, key, OwnerCommand{
		Args: d.args, Input: d.input, Stdout: terminal.Writer(d.env.Stdout), Stderr: terminal.Writer(d.env.Stderr),
	})
	if err != nil {
		return err
	}
	return answeredError{exit}
}

// ownersVault returns the folder of the vault if its owner runs the command, and otherwise why not.
func (d *door) ownersVault(ctx context.Context, svc *core.Service, busy error) (string, error) {
	if d.env.Owner.Answers == nil || !goesThroughOwner(d.command) {
		return "", busy
	}
	state, err := svc.VaultState(ctx)
	if err != nil {
		return "", err
	}
	answers, err := d.env.Owner.Answers(state.Dir)
	if err == nil && !answers {
		err = busy
	}
	return state.Dir, err
}

// answeredError ends a command that the owner has run, with its exit code.
type answeredError struct{ exit int }

func (e answeredError) Error() string { return fmt.Sprintf("exit code %d of the owner", e.exit) }

// stoppedByLock returns, in the owner, the error of a command whose context was cancelled: the vault was
// locked. The only other cause is a client that disconnected, which reads no error.
func (d *door) stoppedByLock(err error) error {
	if d.env.Opened == nil || !fault.Stopped(err) {
		return err
	}
	return fault.New(fault.Locked, "locked-meanwhile", "The vault was locked before the command was finished.").
		Advise("Unlock it, and look what was done before you run the command again.").Because(err)
}
