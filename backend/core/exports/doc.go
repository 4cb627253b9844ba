// Package exports is what leaves the vault: which memories may (selection.go), how they
// are streamed (streams.go), and the forms they are written in: signed PAM (exports.go),
// MIF (mifexport.go), forms to be read (forms.go) and texts to hand to another assistant
// (handoff.go), with redaction, what it finds, and the record of past exports.
package exports
