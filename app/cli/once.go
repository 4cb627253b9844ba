package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// onceValue is the value of a flag that takes one: a second one is refused, where
// pflag would let the last win without a word.
type onceValue struct {
	pflag.Value
	set bool
}

// Set implements pflag.Value. The same again says nothing new.
func (v *onceValue) Set(text string) error {
	if v.set && text != v.String() {
		return errGivenTwice{}
	}
	err := v.Value.Set(text)
	v.set = err == nil
	return err
}

// errGivenTwice is what Set returns; wrongFlag adds the name of the flag.
type errGivenTwice struct{}

func (errGivenTwice) Error() string { return "given twice" }

// takeOnce wraps every flag of a command and of those below it that is no list.
func takeOnce(cmd *cobra.Command) {
	wrap := func(f *pflag.Flag) {
		_, isList := f.Value.(pflag.SliceValue)
		_, isWrapped := f.Value.(*onceValue)
		if !isList && !isWrapped {
			f.Value = &onceValue{Value: f.Value}
		}
	}
	cmd.Flags().VisitAll(wrap)
	cmd.PersistentFlags().VisitAll(wrap)
	for _, below := range cmd.Commands() {
		takeOnce(below)
	}
}

// emptyClears annotates a command that changes the fields of one thing: an empty value
// clears a field there.
const emptyClears = "empty-clears"

// refuseEmpty refuses flags with an empty value, such as a variable that is not set
// leaves in a script: what they would narrow, or whom an export is for, would not be
// asked for at all.
func refuseEmpty(cmd *cobra.Command) (err error) {
	if cmd.Annotations[emptyClears] != "" {
		return nil
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case isList && len(list.GetSlice()) == 0, isList && slices.Contains(list.GetSlice(), ""), !isList && f.Value.String() == "":
			err = usageError{fmt.Errorf("--%s was given an empty value", f.Name)}
		}
	})
	return err
}
