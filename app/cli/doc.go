// Package cli is the command line: one file per command. Each parses, calls
// one Service method, and translates the result and the fault. Names, flags,
// exit codes and JSON keys are relied on by other programs: add freely, rename
// never.
package cli
