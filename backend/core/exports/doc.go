// Package exports writes memories and conversations out of the vault. It selects them
// (selection.go), streams them (streams.go) and writes them as signed PAM (exports.go),
// MIF (mifexport.go), files for people to read (forms.go), or texts for another assistant
// (handoff.go). It also redacts sensitive texts and keeps a record of past exports.
package exports
