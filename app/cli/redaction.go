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
	flags.BoolVar(&f.on, "redact", false, "hide e-mail addresses, phone, card, account and ID numbers, passwords and keys that are found (the default for somebody else, for hand-offs and for MIF)")
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

// notHidden is what no rule of redaction is about, or none by default.
const notHidden = "Names, health and family are not hidden, and street addresses only with --redact-addresses."

// sayFindings tells what was found, what of it is hidden, and what never is.
func (d *door) sayFindings(total, hidden int, byKind map[string]int) {
	d.say("%s", foundPlaces(total, hidden))
	for _, kind := range sorted(byKind) {
		d.say("  %s: %s", kind, grouped(byKind[kind]))
	}
}

func foundPlaces(total, hidden int) string {
	if total == 0 {
		return "Found no e-mail addresses, phone, card, account or ID numbers, passwords or keys. " + notHidden
	}
	return "Found " + count(total, "place", "places") + " like e-mail addresses, numbers, passwords or keys; " + grouped(hidden) + " hidden. " + notHidden
}

func (d *door) sayHidden(places int) {
	d.sayIf(places > 0, "Hid %s that looked like e-mail addresses, numbers, passwords or keys. %s", count(places, "place", "places"), notHidden)
}
