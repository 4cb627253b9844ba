// Package imports reads what a person hands over into the library: it finds the reader of
// each file (groups.go), verifies documents (validatedocument.go), runs the readers and
// stores what they give in batches (imports.go, sink.go), deciding of each item what
// becomes of it (apply.go, statements.go, records.go), and reports. A plan is the same
// run without writing (plan.go). Jobs go on in the background (jobs.go).
package imports
