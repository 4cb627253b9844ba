package cli

import (
	"errors"

	"github.com/spf13/pflag"

	"keepsake/backend/core"
)

// redactionFlags are the flags of everything that can be redacted.
type redactionFlags struct {
	flags     *pflag.FlagSet
	on, off   bool
	keep      []string
	addresses bool
}

func (f *redactionFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	flags.BoolVar(&f.on, "redact", false, "hide personal data and secrets that are found (the default for somebody else, for hand-offs and for MIF)")
	flags.BoolVar(&f.off, "no-redact", false, "hide nothing")
	flags.StringSliceVar(&f.keep, "keep-findings", nil, "leave these as they are: ids of findings (--dry-run --json lists them), or kinds such as email")
	flags.BoolVar(&f.addresses, "redact-addresses", false, "look for street addresses, too")
}

func (f *redactionFlags) options() (o core.RedactionOptions, err error) {
	switch {
	case f.on && f.off:
		return o, usageError{errors.New("--redact and --no-redact contradict each other")}
	case f.off && f.addresses:
		return o, usageError{errors.New("--no-redact and --redact-addresses contradict each other")}
	case f.off, f.flags.Changed("redact"): // also --redact=false
		o.Redact = &f.on
	}
	o.Keep, o.Addresses = f.keep, f.addresses
	return o, nil
}

// sayFindings tells what was found, and what of it is hidden.
func (d *door) sayFindings(total, hidden int, byKind map[string]int) {
	if total == 0 {
		return
	}
	d.say("Found %s like personal data or secrets; %s hidden.", count(total, "place", "places"), grouped(hidden))
	for _, kind := range sorted(byKind) {
		d.say("  %s: %s", kind, grouped(byKind[kind]))
	}
}

func (d *door) sayHidden(places int) {
	if places > 0 {
		d.say("Hid %s that looked like personal data or secrets.", count(places, "place", "places"))
	}
}
