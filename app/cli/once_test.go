package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"keepsake/backend/core"
)

// Promise: no flag of any command takes a second value in silence. A list takes both;
// everything else says that it was given twice.
func TestNoFlagTakesASecondValueInSilence(t *testing.T) {
	tried, lists := 0, 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.InheritedFlags() // merges those of the commands above
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if list, ok := f.Value.(pflag.SliceValue); ok {
				lists++
				for _, text := range []string{"a", "b"} {
					if err := f.Value.Set(text); err != nil {
						return // of another kind than texts; none is lost
					}
				}
				if got := list.GetSlice(); !slices.Contains(got, "a") || !slices.Contains(got, "b") {
					t.Errorf("%s --%s holds %v of two", cmd.CommandPath(), f.Name, got)
				}
				return
			}
			one, two := "1", "2"
			switch f.Value.Type() {
			case "bool":
				one, two = "true", "false"
			case "duration":
				one, two = "1s", "2s"
			}
			if err := f.Value.Set(one); err != nil {
				t.Errorf("%s --%s %s: %v", cmd.CommandPath(), f.Name, one, err)
			}
			if err := f.Value.Set(f.Value.String()); err != nil {
				t.Errorf("%s --%s, the same again: %v", cmd.CommandPath(), f.Name, err)
			}
			if err := f.Value.Set(two); err == nil {
				t.Errorf("%s --%s takes %s and then %s", cmd.CommandPath(), f.Name, one, two)
			}
			tried++
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk((&door{}).root())
	t.Logf("%d flags with one value, %d lists", tried, lists)
	if tried < 100 || lists < 5 {
		t.Errorf("only %d flags and %d lists were found", tried, lists)
	}
}

// Promise: every flag refuses an empty value, such as an unset shell variable, unless it
// clears a field. The refusal comes before any prompt for a secret.
func TestNoFlagTakesAnEmptyValueInSilence(t *testing.T) {
	tried := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.InheritedFlags()
		if cmd.RunE == nil || cmd.Annotations[emptyClears] != "" {
			return
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "string" && f.Value.Type() != "stringSlice" && f.Value.Type() != "stringArray" {
				return
			}
			tried++
			args := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name+"=")
			if err := wrongUse(t, args); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--"+f.Name+" was given an empty value") {
				t.Errorf("%v: %v", args, err)
			}
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk((&door{}).root())
	t.Logf("%d flags", tried)
	if tried < 400 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// Promise: of two flags that name the secret of the vault none is overruled, whatever
// the command; the same holds for the other pairs that say one thing twice.
func TestNoFlagOverrulesAnotherInSilence(t *testing.T) {
	secrets := []string{"--keychain", "--passphrase-fd=9", "--passphrase-file=f", "--recovery-file=f"}
	pairs := [][]string{
		{"passphrase", "--new-passphrase-file=f", "--suggest"}, {"rekey", "--new-passphrase-file=f", "--suggest"}, {"recovery", "use", "--new-passphrase-file=f", "--suggest"},
		{"add", "--category=preference", "--type=fact"}, {"add", "--category=preference", "--custom-type=x"},
		{"audit", "--reading=on", "--verify"}, {"audit", "--id=x", "--verify"}, {"audit", "--limit=1", "--reading=on"},
		{"export", "pam", "--no-redact", "--redact", "-o=f"}, {"handoff", "--no-redact", "--redact-addresses", "claude"},
		{"keygen", "--passphrase-file=f", "--plain", "-o=f"}, {"forget", "--id=x", "--tag=x"},
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for i, one := range secrets {
			for _, other := range secrets[:i] {
				pairs = append(pairs, append(strings.Fields(cmd.CommandPath())[1:], other, one))
			}
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	for _, below := range (&door{}).root().Commands() {
		walk(below)
	}
	for _, args := range pairs {
		err := wrongUse(t, args)
		for _, flag := range args {
			name, _, _ := strings.Cut(flag, "=")
			if strings.HasPrefix(name, "--") && (exitCode(err) != exitUsage || !strings.Contains(err.Error(), name)) {
				t.Errorf("%v: %v", args, err)
				break
			}
		}
	}
	t.Logf("%d pairs", len(pairs))
	if len(pairs) < 300 {
		t.Errorf("only %d pairs were tried", len(pairs))
	}
}

// wrongUse is what a command says of its flags before it does anything, whatever its
// arguments and the flags that it requires.
func wrongUse(t *testing.T, args []string) error {
	var out strings.Builder
	d := &door{env: Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}}
	d.env.NewService = func(string) (*core.Service, error) { return nil, errors.New("the command went on") }
	root := d.root()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	cmd, _, err := root.Find(args)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.Flags().VisitAll(func(f *pflag.Flag) { delete(f.Annotations, cobra.BashCompOneRequiredFlag) })
	if cmd, err = root.ExecuteC(); err != nil && d.command == nil {
		err = usageError{inWords(cmd, err)}
	}
	return err
}
