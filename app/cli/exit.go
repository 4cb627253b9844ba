package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// Exit codes of every command.
const (
	exitDone       = 0
	exitNotSo      = 1 // the thing asked about is not so: invalid, broken, not found
	exitUsage      = 2
	exitPassphrase = 3
	exitBusy       = 4
	exitDamaged    = 5
	exitInput      = 6 // input unreadable or over a limit
	exitRefused    = 7
	exitCancelled  = 8
	exitInternal   = 70
)

// usageError is wrong use of a command.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// notSo ends a command with exit code 1 once it has said everything.
var errNotSo = errors.New("not so")

// orNotSo is err, or errNotSo where what was asked about is not so.
func orNotSo(err error, so bool) error {
	if err == nil && !so {
		return errNotSo
	}
	return err
}

// inputError marks a fault about a file that the command was asked to read:
// what would be wrong use elsewhere is unreadable input there.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func reading(err error) error {
	if err == nil {
		return nil
	}
	switch fault.From(err).Reason {
	case "no-reader", "vault-frozen", "client-no-hooks", "merge-no-memory", "merge-not-both": // about the command line, or the vault, and not about a file
		return err
	case "pam-broken", "pam-claims-known", "pam-unknown-base", "merge-base", "merge-base-delta", "merge-owner": // read, and refused unless a flag says otherwise
		return err
	}
	return inputError{err}
}

// secretError marks a secret that cannot be the right one.
type secretError struct{ error }

func (e secretError) Unwrap() error { return e.error }

// exitCode translates an error; see the constants above.
func exitCode(err error) int {
	var usage usageError
	var answered answeredError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &answered):
		return answered.exit
	case errors.Is(err, errNotSo):
		return exitNotSo
	case errors.Is(err, damagedError{}):
		return exitDamaged
	case errors.As(err, &usage):
		return exitUsage
	}
	var secret secretError
	if errors.As(err, &secret) {
		return exitPassphrase
	}
	code := fault.CodeOf(err)
	var input inputError
	if errors.As(err, &input) && isAboutInput(code) {
		return exitInput
	}
	return cmp.Or(exitCodes[code], exitUsage) // Invalid, Unsupported: a value we cannot take
}

var exitCodes = map[fault.Code]int{
	fault.WrongPassphrase: exitPassphrase, fault.Busy: exitBusy, fault.Damaged: exitDamaged, fault.Refused: exitRefused,
	fault.Locked: exitRefused, fault.Cancelled: exitCancelled, fault.TooLarge: exitInput, fault.Internal: exitInternal,
	fault.NotFound: exitNotSo, fault.Conflict: exitNotSo,
}

// isAboutInput tells faults of the file that was read from those of the vault
// and the program around it. A hostile archive is refused, and is input too.
func isAboutInput(code fault.Code) bool {
	return slices.Contains([]fault.Code{fault.Invalid, fault.Unsupported, fault.TooLarge, fault.NotFound, fault.Refused}, code)
}

// finish says what went wrong, once, in the form asked for.
func (d *door) finish(err error) int {
	code := exitCode(err)
	var usage usageError
	switch {
	case err == nil, errors.Is(err, errNotSo), errors.Is(err, damagedError{}), errors.As(err, new(answeredError)):
	case errors.As(err, &usage):
		d.sayError("invalid", sentence(usage.Error()), "Run keepsake help for the commands and their flags.")
	default:
		f := fault.From(err)
		d.sayError(string(f.Code), f.Message(), f.Advice())
	}
	return code
}

func (d *door) sayError(code, message, hint string) {
	if d.json {
		type body struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint"`
		}
		_ = d.printJSON(map[string]body{"error": {code, message, hint}})
		return
	}
	d.note(product.Program+": %s", message)
	if hint != "" {
		d.note("%s", hint)
	}
}

// sentence turns a lower-case remark into a sentence. What begins with a command
// stays as it is typed.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if !strings.HasPrefix(s, "keepsake ") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
