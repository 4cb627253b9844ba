package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"keepsake/app/cli"
	"keepsake/app/hooks"
	"keepsake/app/localsocket"
	"keepsake/app/mcp"
	"keepsake/app/owner"
	"keepsake/app/system"
	"keepsake/app/terminal"
	"keepsake/app/web"
	"keepsake/backend/collector"
	"keepsake/backend/core"
	"keepsake/backend/embed"
	"keepsake/backend/embedserver"
	"keepsake/backend/fault"
	"keepsake/backend/importer/all"
	"keepsake/backend/keychain"
	"keepsake/frontend"
)

// Run does what args ask for and returns the exit code of the process.
func Run(args []string) int {
	collector.Keep()
	log.SetOutput(terminal.Writer(os.Stderr)) // of slog and net/http too
	if !mustOpenWindow && isCommand(args) {
		return command(args)
	}
	return window(args)
}

// isCommand tells commands from files to open. A first word that is neither is
// a command too, so that a slip of the keyboard is named instead of opened.
func isCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if cli.IsCommand(args) {
		return true
	}
	_, err := os.Stat(args[0])
	return err != nil
}

func command(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	shown := slices.Contains(args, "serve")
	if args[0] != "mcp" && args[0] != "hook" { // they hold no secret, and have to be there at once
		system.Shield()
	}
	return cli.Run(ctx, args, cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		NewService: func(vaultDir string) (*core.Service, error) { return newService(vaultDir, shown) },
		Serve: func(ctx context.Context, service *core.Service, addr string, out io.Writer) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			watch(ctx, service)
			return web.Serve(ctx, service, frontend.Assets(), addr, out)
		},
		AnswerAgents: func(ctx context.Context, service *core.Service, answering func()) error {
			lockWithSystem(ctx, service)
			cfg, err := ownerConfig(cannotAnswer, answering)
			if err != nil {
				return err
			}
			owner.Watch(ctx, service, cfg)
			return nil
		},
		ServeMCP: serveMCP, ServeMCPOverHTTP: serveMCPOverHTTP, RunHook: runHook,
		Owner: cli.Owner{Answers: ownerAnswers, Run: runByOwner},
	})
}

// ownerAnswers reports whether another process has a vault open and runs commands on it.
func ownerAnswers(vaultDir string) (bool, error) {
	err := owner.Answers(vaultDir)
	if errors.Is(err, owner.ErrNoOwner) {
		return false, nil
	}
	return err == nil, err
}

// runByOwner has that process run a command.
func runByOwner(ctx context.Context, vaultDir string, key *core.ChannelKey, c cli.OwnerCommand) (exit int, err error) {
	return owner.Ask(ctx, vaultDir, key, owner.Command{Args: c.Args, Input: c.Input}, c.Stdout, c.Stderr)
}

// runForOther runs a command of another process in the one that has the vault open. It is given
// nothing of that process but its words and its input, and nothing of this one but the vault.
func runForOther(ctx context.Context, service *core.Service, c owner.Command, stdout, stderr io.Writer) int {
	return cli.Run(ctx, c.Args, cli.Env{
		Stdin: bytes.NewReader(c.Input), Stdout: stdout, Stderr: stderr, Getenv: func(string) string { return "" }, Opened: service,
	})
}

// serveMCP lets an agent ask the owner of a vault.
func serveMCP(ctx context.Context, a cli.Assistant, in io.ReadCloser, out io.Writer) error {
	client, err := agentClient(a.VaultDir, a.Name)
	if err != nil {
		return err
	}
	defer client.Close()
	return mcp.Serve(ctx, client, a.Tools, in, writeCloser{out})
}

// serveMCPOverHTTP does the same for an assistant that asks over HTTP.
func serveMCPOverHTTP(ctx context.Context, a cli.Assistant, addr string, out io.Writer) error {
	client, err := agentClient(a.VaultDir, a.Name)
	if err != nil {
		return err
	}
	defer client.Close()
	return mcp.ServeHTTP(ctx, client, a.Tools, addr, out)
}

// agentClient asks the owner of a vault; "" is the one that was shown last.
func agentClient(vaultDir, agent string) (*owner.Client, error) {
	p, err := asked(vaultDir)
	if err != nil {
		return nil, err
	}
	return owner.NewClient(p.vault, agent, p.agents())
}

// runHook does what an assistant started a hook for; the line says what became of it.
func runHook(ctx context.Context, vaultDir, assistant string, event []byte) (out []byte, line string) {
	p, err := asked(vaultDir)
	if err != nil {
		return nil, fault.From(err).Message()
	}
	return hooks.Run(ctx, hooks.Where{Vault: p.vault, Agents: p.agents()}, assistant, event)
}

// asked are the places of a vault that an assistant asks for; "" is the one that was shown last.
func asked(vaultDir string) (place, error) {
	p, err := places(vaultDir)
	if err == nil && vaultDir == "" {
		p.vault, err = lastVault(p)
	}
	return p, err
}

// writeCloser is a writer whose owner closes it.
type writeCloser struct{ io.Writer }

func (writeCloser) Close() error { return nil }

// cannotAnswer tells why no agent can ask.
func cannotAnswer(err error) {
	why := fault.From(err).Message()
	if errors.Is(err, localsocket.ErrTaken) {
		why = "another one answers for this vault. This one does once that one ends."
	}
	log.Printf("Assistants cannot ask this Keepsake: %s", why)
}

// agentsFailed tells the same, where answering agents is not all that the process does, unless they
// are answered by another one.
func agentsFailed(err error) {
	if !errors.Is(err, localsocket.ErrTaken) {
		cannotAnswer(err)
	}
}

// watch locks the vault when nobody is there and answers agents, until ctx ends. A command
// that does one thing and ends needs none of it.
func watch(ctx context.Context, service *core.Service) {
	if cfg, err := ownerConfig(agentsFailed, func() {}); err == nil { // else there are no settings either
		go owner.Watch(ctx, service, cfg)
	}
	go service.WatchPresence(ctx)
	lockWithSystem(ctx, service)
}

// ownerConfig is the same whichever vault is asked for.
func ownerConfig(failed func(error), listening func()) (owner.Config, error) {
	p, err := places("")
	return owner.Config{Folder: p.agents(), SavesPower: system.SavesPower, Run: runForOther, Failed: failed, Listening: listening}, err
}

// lockWithSystem locks the vault before the computer sleeps, and with the person's session.
func lockWithSystem(ctx context.Context, service *core.Service) {
	system.Prepare()
	go system.Watch(ctx, func() { service.AutoLock(core.LockedSleep) }, func() { service.AutoLock(core.LockedSession) })
}

// newService builds the service on a vault folder; "" is the person's own.
// Nothing is opened or made. Only where the page is shown is the vault
// remembered: a script must not change what opens next.
func newService(vaultDir string, shown bool) (*core.Service, error) {
	p, err := places(vaultDir)
	if err != nil {
		return nil, err
	}
	if shown && vaultDir == "" {
		if p.vault, err = lastVault(p); err != nil {
			return nil, err
		}
	}
	return serviceAt(p, shown)
}

// serviceAt builds it on places. Where the page is shown, texts get their vectors in the
// background; commands make them when they need them.
func serviceAt(p place, shown bool) (*core.Service, error) {
	return core.New(core.Config{
		VaultDir: p.vault, SettingsFile: p.settings, LeaveRecent: !shown, ScratchDir: p.scratch, Importers: all.Importers(),
		Keychain: keychain.System{}, Meaning: core.MeaningConfig{Encoder: &embed.Encoder{}, Connect: embedserver.Connect, InBackground: shown, OnBattery: system.OnBattery},
	})
}

// lastVault is the vault that was shown last, where it is still there.
func lastVault(p place) (string, error) {
	service, err := serviceAt(p, true)
	if err != nil {
		return "", err
	}
	defer service.Close()
	preferences, err := service.Preferences(context.Background())
	if err != nil || len(preferences.Recent) == 0 {
		return p.vault, err
	}
	if _, err := os.Stat(preferences.Recent[0]); err != nil {
		return p.vault, nil
	}
	return preferences.Recent[0], nil
}
