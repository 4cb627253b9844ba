package cli

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
