package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What cobra and pflag find before a command runs is said in sentences of ours.

// exactly demands n arguments.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		if n == 0 {
			return fmt.Errorf("%s takes no arguments: %s", cmd.CommandPath(), useLine(cmd))
		}
		return fmt.Errorf("%s takes %s, not %d: %s", cmd.CommandPath(), count(n, "argument", "arguments"), len(args), useLine(cmd))
	}
}

// atLeastOne demands an argument.
func atLeastOne(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return fmt.Errorf("%s needs 1 argument: %s", cmd.CommandPath(), useLine(cmd))
}

// atMost allows up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fmt.Errorf("%s takes at most %s: %s", cmd.CommandPath(), count(n, "argument", "arguments"), useLine(cmd))
	}
}

// oneWordOf demands one argument out of the command's ValidArgs.
func oneWordOf(cmd *cobra.Command, args []string) error {
	if err := exactly(1)(cmd, args); err != nil {
		return err
	}
	if !slices.Contains(cmd.ValidArgs, args[0]) {
		return fmt.Errorf("%s does not know %q; it knows %s", cmd.CommandPath(), args[0], strings.Join(cmd.ValidArgs, ", "))
	}
	return nil
}

// onlyCommands refuses a word after a command that only has commands below it.
func onlyCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("there is no command called %q", cmd.CommandPath()+" "+args[0])
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return errors.New(text)
}

// parent is a command that only has commands below it.
func parent(use, short string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: onlyCommands,
		RunE: func(*cobra.Command, []string) error {
			names := make([]string, len(below))
			for i, c := range below {
				names[i] = c.Name()
			}
			return usageError{fmt.Errorf("keepsake %s is followed by one of these: %s", use, strings.Join(names, ", "))}
		},
	}
	cmd.AddCommand(below...)
	return cmd
}

// helpCommand prints the help of a command, and knows when there is none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say what a command does and which flags it takes",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 && about.HasSubCommands() {
				return onlyCommands(about, rest)
			}
			return about.Help()
		},
	}
}

func useLine(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.UseLine(), " [flags]")
}

// wrongFlag says what is wrong with a flag.
func wrongFlag(cmd *cobra.Command, err error) error {
	var (
		absent  *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		syntax  *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &invalid) && errors.As(err, new(errGivenTwice)):
		return fmt.Errorf("--%s was given twice, with two values; give it once", invalid.GetFlag().Name)
	case errors.As(err, &absent):
		name := "--" + absent.GetSpecifiedName()
		if absent.GetSpecifiedShortnames() != "" {
			name = "-" + absent.GetSpecifiedName()
		}
		return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
	case errors.As(err, &bare):
		return fmt.Errorf("--%s needs a value after it", bare.GetFlag().Name)
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s takes %s, not %q", invalid.GetFlag().Name, valueWords(invalid.GetFlag()), invalid.GetValue())
	case errors.As(err, &syntax):
		return fmt.Errorf("%s is not a flag", syntax.GetSpecifiedFlag())
	}
	return err
}

// valueWords are what the value of a flag is, for people.
func valueWords(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	}
	return "another value"
}

var requiredFlags = regexp.MustCompile(`^required flag\(s\) (.*) not set$`)

var eitherFlags = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set none of the others can be; \[(.*)\] were all set$`)

// inWords rewrites what is left of cobra's own remarks.
func inWords(cmd *cobra.Command, err error) error {
	if m := requiredFlags.FindStringSubmatch(err.Error()); m != nil {
		names := strings.Split(strings.ReplaceAll(m[1], `"`, ""), ", ")
		return fmt.Errorf("%s needs --%s: %s", cmd.CommandPath(), strings.Join(names, " and --"), useLine(cmd))
	}
	if m := eitherFlags.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("--%s cannot stand together", strings.ReplaceAll(m[2], " ", " and --"))
	}
	return err
}

// wantsJSON looks for --json where cobra gave up before it read the flags.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}
