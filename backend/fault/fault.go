package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Code says what kind of thing went wrong. The twelve are a contract with
// scripts (`error.code` of `--json`) and with the page.
type Code string

const (
	Locked          Code = "locked"           // the vault must be unlocked first
	WrongPassphrase Code = "wrong_passphrase" // the passphrase or recovery key does not open the vault
	NotFound        Code = "not_found"        // nothing has that id, name or path
	Conflict        Code = "conflict"         // it changed meanwhile, exists already, or is not a legal step
	Invalid         Code = "invalid"          // the input breaks a rule of its format
	Unsupported     Code = "unsupported"      // understood, but not something we read or do
	TooLarge        Code = "too_large"        // over a limit, or no room left
	Busy            Code = "busy"             // another process or job holds it
	Damaged         Code = "damaged"          // our own file is not as we wrote it
	Refused         Code = "refused"          // allowed by nobody: frozen, not exportable, switched off
	Cancelled       Code = "cancelled"        // the person stopped it
	Internal        Code = "internal"         // our mistake
)

// Error is a fault. Build one with [New]; it is an ordinary error that wraps
// its cause.
type Error struct {
	Code   Code
	Reason string            // stable name of the sentence, kebab-case: "zip-truncated"
	Text   string            // English sentence with {name} places
	Hint   string            // English: what to do next; may be empty
	Args   map[string]string // values for the places of Text and Hint
	cause  error
}

// New makes a fault. Text and reason must be literals: the test that keeps the
// translations complete reads them from the source.
func New(code Code, reason, text string) *Error {
	return &Error{Code: code, Reason: reason, Text: text}
}

// With fills the place {name}. The value must not be content of the vault.
func (e *Error) With(name string, value any) *Error {
	if e.Args == nil {
		e.Args = map[string]string{}
	}
	e.Args[name] = fmt.Sprint(value)
	return e
}

// Advise sets what the person can do next. Text must be a literal.
func (e *Error) Advise(hint string) *Error {
	e.Hint = hint
	return e
}

// Because keeps the technical cause for logs and errors.Is; it is not shown.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Message is the sentence with its places filled.
func (e *Error) Message() string { return fill(e.Text, e.Args) }

// Advice is the hint with its places filled.
func (e *Error) Advice() string { return fill(e.Hint, e.Args) }

func (e *Error) Error() string { return e.Message() }

func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare faults by reason, so that a caller can test for
// one sentence without holding its instance.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Reason == e.Reason
}

// From returns the fault inside err. What is not a fault becomes one:
// a cancelled context is Cancelled, anything else Internal with a sentence
// that shows nothing of the cause. From(nil) is nil.
func From(err error) *Error {
	var f *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case Stopped(err):
		return New(Cancelled, "cancelled", "Stopped before it was finished.").Because(err)
	}
	return New(Internal, "internal", "Something went wrong inside Keepsake.").
		Advise("Try again. If it happens again, report it with the details; they hold no content.").
		Because(err)
}

// Stopped reports the end of a context.
func Stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Known reports that From has a sentence of its own for err: it is a fault, such as
// a limit or a file that is damaged, or the end of a context. Whoever reads a text
// asks this before calling an error the mistake of the text, since a decoder hands on
// in that form whatever its reader says.
func Known(err error) bool {
	var f *Error
	return errors.As(err, &f) || Stopped(err)
}

// CodeOf is the code of err as From sees it; "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

func fill(text string, args map[string]string) string {
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
