package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// mostEvent is how many bytes of an event are read.
const mostEvent = 1 << 20

// hook is what an assistant starts at the turns of a session.
func (d *door) hook() *cobra.Command {
	return parent("hook", "Let an assistant hand over its sessions, and begin with what it may know",
		d.hookOf("claude-code", "pre-compact"), d.hookOf("codex"), d.hookOf("gemini-cli", "gemini"))
}

const aboutHook = "This is what an assistant starts at the turns of a session, not a person. When one ends or is shortened, Keepsake takes\n" +
	"its file, once it is unlocked, and proposes memories as an import does, if the agent may propose. When one begins, what\n" +
	"the agent may know is printed in at most 2,000 bytes. Whatever goes wrong is one line on standard error, with exit code 0."

func (d *door) hookOf(assistant string, aliases ...string) *cobra.Command {
	cmd := &cobra.Command{Use: assistant, Aliases: aliases, Short: "Take an event of this assistant from standard input", Long: aboutHook, Args: exactly(0)}
	read := func(_ []string) ([]byte, error) { return io.ReadAll(io.LimitReader(d.env.Stdin, mostEvent)) }
	if assistant == "codex" {
		cmd.Use, cmd.Short, cmd.Args = "codex EVENT", "Take an event of Codex, which puts it behind the arguments", atMost(1)
		read = func(args []string) ([]byte, error) {
			if len(args) == 0 {
				return nil, errors.New("no event")
			}
			return []byte(args[0]), nil
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		event, err := read(args)
		if err != nil {
			event = nil // which is none
		}
		out, line := d.env.RunHook(cmd.Context(), d.vaultNamed(), assistant, event)
		if len(out) > 0 {
			d.sayText(string(out))
		}
		if line != "" {
			d.note("%s", line)
		}
		return nil
	}
	return cmd
}
