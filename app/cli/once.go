package cli

import (
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
