// Manpages writes the manual pages of section 1, one for each command, for the packages:
//
//	go run ./scripts/manpages FOLDER
//
// Their date is SOURCE_DATE_EPOCH, so that the same commit gives the same pages. It is a
// program of its own so that what makes the pages is no part of what people run. Cobra's
// own generator would bring a Markdown reader and a YAML writer into go.mod, and mandoc
// warns of each option that it writes.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/app/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("name the folder that the pages go into")
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	return write(cli.Commands(), args[0], time.Unix(seconds, 0).UTC().Format(time.DateOnly))
}

// write puts the pages of a command and of all below it into a folder.
func write(cmd *cobra.Command, folder, date string) error {
	for _, sub := range below(cmd) {
		if err := write(sub, folder, date); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, name(cmd)+".1"), []byte(page(cmd, date)), 0o644)
}

func page(cmd *cobra.Command, date string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH %s 1 %s Keepsake "Keepsake"`, strings.ToUpper(name(cmd)), date)
	line(".SH NAME\n%s \\- %s", name(cmd), text(cmd.Short))
	line(".SH SYNOPSIS\n.nf\n%s\n.fi", text(cmd.UseLine()))
	if cmd.Long != "" {
		var paragraphs []string
		for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
			if typed, is := strings.CutPrefix(paragraph, "\t"); is { // a line to type
				paragraphs = append(paragraphs, ".nf\n"+text(typed)+"\n.fi")
			} else {
				paragraphs = append(paragraphs, text(paragraph))
			}
		}
		line(".SH DESCRIPTION\n%s", strings.Join(paragraphs, "\n.PP\n"))
	}
	if cmd.Example != "" {
		line(".SH EXAMPLES\n.nf\n%s\n.fi", text(cmd.Example))
	}
	cmd.InitDefaultHelpFlag()
	line("%s", options("OPTIONS", cmd.NonInheritedFlags()))
	line("%s", options("OPTIONS OF EVERY COMMAND", cmd.InheritedFlags()))
	var also []string
	if cmd.HasParent() {
		also = append(also, name(cmd.Parent()))
	}
	for _, sub := range below(cmd) {
		also = append(also, name(sub))
	}
	line(".SH SEE ALSO\n.BR %s (1)", strings.Join(also, " (1),\n.BR "))
	return strings.ReplaceAll(b.String(), "\n\n", "\n") // roff takes an empty line for a break
}

func options(headline string, flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, ".SH %s\n", headline)
		}
		value, usage := pflag.UnquoteUsage(f)
		fmt.Fprint(&b, ".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(&b, `\fB\-%s\fR, `, f.Shorthand)
		}
		fmt.Fprintf(&b, "\\fB\\-\\-%s\\fR \\fI%s\\fR\n%s\n", text(f.Name), text(value), text(usage))
	})
	return b.String()
}

// below are the commands below one that people are shown.
func below(cmd *cobra.Command) []*cobra.Command {
	var shown []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			shown = append(shown, sub)
		}
	}
	return shown
}

func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// text keeps roff from reading marks into a text: backslashes and hyphens anywhere, a
// dot or an apostrophe at the beginning of a line.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + s)[1:]
}
